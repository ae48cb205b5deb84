// The registry of losses: a new loss is a struct with name, meaning, convexity, value, slope, bend (V''),
// curvature (the largest |V''|), and one line here.
#pragma once

#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "bridle/problem/losses/margin_losses.hpp"
#include "bridle/problem/losses/residual_losses.hpp"

namespace bridle {

using Loss = std::variant<SquaredLoss,             //
                          LogisticLoss,            //
                          LogisticDifferenceLoss,  //
                          SmoothedZeroOneLoss,     //
                          HuberLoss,               //
                          CauchyLoss,              //
                          TukeyLoss>;

struct LossDescription {
  std::string_view name, meaning;
  bool classification;
  Loss loss;
};

namespace detail {
template <class... L>
std::vector<LossDescription> describe_losses(const std::variant<L...>*) {
  return {{L::name, L::meaning, L::classification, L{}}...};
}
}  // namespace detail

inline const std::vector<LossDescription>& all_losses() {
  static const auto losses = detail::describe_losses(static_cast<const Loss*>(nullptr));
  return losses;
}

inline std::optional<Loss> find_loss(std::string_view name) {
  for (const auto& entry : all_losses())
    if (entry.name == name) return entry.loss;
  return std::nullopt;
}

inline std::string_view loss_name(const Loss& loss) {
  return std::visit([](const auto& l) { return l.name; }, loss);
}
inline double loss_value(const Loss& loss, double t, double label) {
  return std::visit([=](const auto& l) { return l.value(t, label); }, loss);
}
inline double loss_slope(const Loss& loss, double t, double label) {
  // Classifiers' first: a step waits for this, and a visit is a call through a table.
  if (const auto* logistic = std::get_if<LogisticLoss>(&loss)) return logistic->slope(t, label);
  if (const auto* difference = std::get_if<LogisticDifferenceLoss>(&loss)) return difference->slope(t, label);
  return std::visit([=](const auto& l) { return l.slope(t, label); }, loss);
}
inline double loss_bend(const Loss& loss, double t, double label) {
  return std::visit([=](const auto& l) { return l.bend(t, label); }, loss);
}
inline double loss_curvature(const Loss& loss) {
  return std::visit([](const auto& l) { return l.curvature(); }, loss);
}
inline bool is_convex(const Loss& loss) {
  return std::visit([](const auto& l) { return l.convex; }, loss);
}
inline bool is_classification(const Loss& loss) {
  return std::visit([](const auto& l) { return l.classification; }, loss);
}

}  // namespace bridle
