// The BOUNDS section of MPS files.
#pragma once

#include <string>
#include <string_view>

#include "bridle/io/mps_lines.hpp"
#include "bridle/io/program_builder.hpp"

namespace bridle::io {

class MpsBounds {
 public:
  MpsBounds(MpsLines& lines, ProgramBuilder& builder) : lines_(lines), builder_(builder) {}

  // Reads the current line.
  void read_line();

 private:
  struct Fields {
    std::string_view set, name;
    double value = 0;
  };

  Fields split_with_value(const std::vector<std::string_view>& fields) const;
  Fields split_without_value(const std::vector<std::string_view>& fields) const;
  void apply(std::string_view type, int variable, double value);
  void apply_upper(int variable, double value);

  MpsLines& lines_;
  ProgramBuilder& builder_;
  std::string set_;
};

}  // namespace bridle::io
