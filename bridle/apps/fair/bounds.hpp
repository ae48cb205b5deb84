// Bounds on covariances as a user writes them: 0.001, 10%, or sex=0.001,race=5%.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "bridle/core/types.hpp"

namespace bridle {

struct Bound {
  double value = 0;       // a covariance, or a fraction ...
  bool relative = false;  // ... of the covariance that the model has without the bounds

  std::string text() const;
};

// Throws InputError; `option` stands in front of messages.
Bound parse_bound(const std::string& text, const std::string& option);

// One bound for all attributes, or one for each; a plain one beside named ones is for the others.
class BoundList {
 public:
  BoundList(const std::string& text, const Names& attributes);
  explicit BoundList(Bound for_all) : for_all_(for_all) {}

  Bound of(const std::string& attribute) const;
  bool relative() const;  // whether any is

 private:
  std::optional<Bound> for_all_;
  std::map<std::string, Bound> named_;
};

// LOW:HIGH:COUNT, evenly spaced in the logarithm; both ends in the same unit.
std::vector<Bound> parse_sweep(const std::string& text, const std::string& option = "--sweep");

}  // namespace bridle
