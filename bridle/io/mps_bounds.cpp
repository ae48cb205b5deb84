#include "bridle/io/mps_bounds.hpp"

#include <algorithm>

#include "bridle/core/nearest.hpp"

namespace bridle::io {

void MpsBounds::read_line() {
  static const Names with_value = {"UP", "LO", "FX", "UI", "LI"};
  static const Names without_value = {"FR", "MI", "PL", "BV"};
  const auto fields = lines_.bound_fields();
  const auto among = [&](const Names& names) {
    return std::find(names.begin(), names.end(), fields[0]) != names.end();
  };
  if (!among(with_value) && !among(without_value))
    lines_.refuse("the type of bound " + in_quotes(fields[0]) +
                  " is not known or not supported (known are UP, LO, FX, "
                  "FR, MI, PL, BV, UI, LI)");
  const Fields bound = among(with_value) ? split_with_value(fields) : split_without_value(fields);
  if (set_.empty()) set_ = std::string(bound.set);
  if (!bound.set.empty() && bound.set != set_)
    lines_.refuse("BOUNDS: a second set " + in_quotes(bound.set) + " beside " + in_quotes(set_) +
                  "; keep one");
  const int variable = builder_.find_variable(bound.name);
  if (variable < 0)
    lines_.refuse("no column is named " + in_quotes(bound.name) +
                  did_you_mean(bound.name, builder_.variable_names()));
  apply(fields[0], variable, bound.value);
}

MpsBounds::Fields MpsBounds::split_with_value(const std::vector<std::string_view>& fields) const {
  if (fields.size() != 3 && fields.size() != 4)
    lines_.refuse(std::to_string(fields.size()) + " fields, but a bound of type " + std::string(fields[0]) +
                  " has a name and a number, and a set before them");
  Fields bound;
  if (fields.size() == 4) bound.set = fields[1];
  bound.name = fields[fields.size() - 2];
  if (!MpsLines::is_number(fields.back(), bound.value))
    lines_.refuse(in_quotes(fields.back()) + " is not a number");
  return bound;
}

// The set may be missing and an idle number may follow: with three fields the known name decides.
MpsBounds::Fields MpsBounds::split_without_value(const std::vector<std::string_view>& fields) const {
  Fields bound;
  if (fields.size() == 2) {
    bound.name = fields[1];
  } else if (fields.size() == 3 && builder_.find_variable(fields[2]) < 0 &&
             builder_.find_variable(fields[1]) >= 0) {
    bound.name = fields[1];
  } else if (fields.size() == 3 || fields.size() == 4) {
    bound.set = fields[1];
    bound.name = fields[2];
  } else {
    lines_.refuse(std::to_string(fields.size()) + " fields, but a bound of type " + std::string(fields[0]) +
                  " has a set and a name");
  }
  return bound;
}

void MpsBounds::apply(std::string_view type, int variable, double value) {
  const long line = lines_.line();
  ProgramBuilder::Variable& v = builder_.variables[static_cast<std::size_t>(variable)];
  if (type == "UI" || type == "LI" || type == "BV") v.integer = true;
  if (type == "UP" || type == "UI") return apply_upper(variable, value);
  if (type == "FX" && !is_finite(widened(value))) lines_.refuse("a variable cannot be fixed at infinity");
  if (type == "LO" || type == "LI" || type == "FX") builder_.set_lower(variable, value, line);
  if (type == "MI" || type == "FR") builder_.set_lower(variable, -infinity, line);
  if (type == "BV") builder_.set_lower(variable, 0, line);
  if (type == "FX") builder_.set_upper(variable, value, line);
  if (type == "PL" || type == "FR") builder_.set_upper(variable, infinity, line);
  if (type == "BV") builder_.set_upper(variable, 1, line);
}

// An old rule of the format: a negative upper bound on a variable without a lower bound drops the default 0.
void MpsBounds::apply_upper(int variable, double value) {
  ProgramBuilder::Variable& v = builder_.variables[static_cast<std::size_t>(variable)];
  if (value < 0 && !v.lower_given) v.lower = -infinity;
  builder_.set_upper(variable, value, lines_.line());
}

}  // namespace bridle::io
