#include "bridle/apps/statement/rates.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "bridle/apps/data/encoding.hpp"
#include "bridle/problem/constraints/rate_rows.hpp"

namespace bridle {
namespace {

constexpr std::size_t most_groups = 10;

// The groups of a column: their names, and which one each sample is in.
struct Grouping {
  Names names;
  std::vector<std::size_t> of_sample;
};

Grouping grouping_of(const io::Column& column) {
  Grouping out;
  if (!column.numeric) {
    for (const auto& category : column.categories) out.names.push_back(category);
    for (const auto code : column.codes) out.of_sample.push_back(static_cast<std::size_t>(code));
    return out;
  }
  const std::set<double> different(column.numbers.begin(), column.numbers.end());
  const std::vector<double> values(different.begin(), different.end());
  for (const double value : values) out.names.push_back(fmt::format("{}", value));
  for (const double value : column.numbers)
    out.of_sample.push_back(
        static_cast<std::size_t>(std::lower_bound(values.begin(), values.end(), value) - values.begin()));
  return out;
}

StatedRate read_rate(TomlSection& section) {
  StatedRate out;
  out.line = section.line();
  out.groups = section.required_text("groups");
  if (const auto condition = section.text("condition")) out.condition = *condition;
  if (out.condition != "all" && out.condition != "positive" && out.condition != "negative")
    throw section.error(*section.find("condition"), "condition",
                        "must be \"all\", \"positive\" or \"negative\"");
  const toml::node* gap = section.find("gap");
  if (!gap) throw InputError(section.file(), section.line(), "[[constraints.rate]] needs the key 'gap'");
  out.gap = section.number(*gap, "gap");
  if (!(out.gap >= 0 && out.gap <= 1)) throw section.error(*gap, "gap", "must be between 0 and 1");
  if (const auto slope = section.number("slope")) {
    out.slope = *slope;
    if (!(out.slope > 0) || !is_finite(out.slope))
      throw section.error(*section.find("slope"), "slope", "must be finite and > 0");
  }
  out.name = section.text("name").value_or("");
  section.refuse_unknown_keys();
  return out;
}

}  // namespace

std::vector<StatedRate> read_rates(TomlSection& constraints) {
  std::vector<StatedRate> out;
  const toml::node* node = constraints.find("rate");
  if (!node) return out;
  const auto* list = node->as_array();
  const std::string form = "is written as tables [[constraints.rate]]";
  if (!list) throw constraints.error(*node, "rate", form);
  for (const auto& item : *list) {
    const auto* table = item.as_table();
    if (!table) throw constraints.error(item, "rate", form);
    TomlSection section(constraints.file(), "constraints.rate", table);
    out.push_back(read_rate(section));
  }
  return out;
}

void add_rate(Problem& problem, const StatedRate& rate, const io::Table& table, const std::string& file) {
  const LinearModel& model = *problem.objective().as_linear_model();
  const Grouping groups = grouping_of(table.only_column(rate.groups));
  const std::size_t count = groups.names.size();
  if (count < 2 || count > most_groups)
    throw InputError(file, rate.line,
                     fmt::format("column '{}' has {} {}; groups need between 2 and {}", rate.groups, count,
                                 count == 1 ? "value" : "values", most_groups));
  const Vector& labels = model.labels();
  if (rate.condition != "all" && !(labels.array().abs() == 1).all())
    throw InputError(file, rate.line, "a condition on the label needs a classification");
  const auto counts_in = [&](std::size_t i) {
    const double label = labels[static_cast<Index>(i)];
    return rate.condition == "all" || (rate.condition == "positive") == (label > 0);
  };
  std::vector<double> size(count, 0);
  for (std::size_t i = 0; i < groups.of_sample.size(); ++i)
    if (counts_in(i)) size[groups.of_sample[i]] += 1;
  for (std::size_t g = 0; g < count; ++g)
    if (size[g] == 0)
      throw InputError(file, rate.line,
                       fmt::format("no {} sample is in group '{}' of column '{}'", rate.condition,
                                   groups.names[g], rate.groups));
  const std::string stem =
      !rate.name.empty()
          ? rate.name
          : "rate_" + (rate.condition == "all" ? "" : rate.condition + "_") + safe_name(rate.groups);
  const auto pairs = static_cast<Index>(count * (count - 1) / 2);
  Matrix weights = Matrix::Zero(static_cast<Index>(groups.of_sample.size()), pairs);
  Names names;
  Index row = 0;
  for (std::size_t a = 0; a < count; ++a)
    for (std::size_t b = a + 1; b < count; ++b, ++row) {
      names.push_back(
          count == 2 ? stem : stem + "." + safe_name(groups.names[a]) + "." + safe_name(groups.names[b]));
      for (std::size_t i = 0; i < groups.of_sample.size(); ++i) {
        if (!counts_in(i)) continue;
        if (groups.of_sample[i] == a) weights(static_cast<Index>(i), row) = 1 / size[a];
        if (groups.of_sample[i] == b) weights(static_cast<Index>(i), row) = -1 / size[b];
      }
    }
  try {
    problem.subject_to_smooth(RateRows(model, rate.slope, std::move(weights)),
                              Vector::Constant(pairs, -rate.gap), Vector::Constant(pairs, rate.gap), names);
  } catch (const InputError& error) {
    throw InputError(file, rate.line, error.what());
  }
}

}  // namespace bridle
