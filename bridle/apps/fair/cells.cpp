#include "bridle/apps/fair/cells.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "bridle/core/error.hpp"

namespace bridle {
namespace {

constexpr double rounding = 1e-12;      // of products of a bound and two counts
constexpr double least_unit = 0.005;    // of rows whose bound is tiny
constexpr std::size_t most_rows = 500;  // beyond, linear algebra over the rows is what takes the time

std::vector<int> labels_of_measure(Measure measure) {
  switch (measure) {
    case Measure::demographic_parity:
      return {0};
    case Measure::equal_opportunity:
      return {1};
    case Measure::predictive_equality:
      return {-1};
    case Measure::equalised_odds:
      return {1, -1};
  }
  return {0};
}

bool counts(int label, double label_of_person) { return label == 0 || (label > 0) == (label_of_person > 0); }

// Calls work(first, second) for any two cells that are compared.
template <class Work>
void for_each_pair(const Cells& cells, const Work& work) {
  for (std::size_t a = 0; a < cells.size(); ++a)
    for (std::size_t b = 0; b < a; ++b)
      if (cells[a].attribute == cells[b].attribute && cells[a].label == cells[b].label) work(a, b);
}

std::vector<RateRow> checked(std::vector<RateRow> rows) {
  if (rows.size() > most_rows)
    throw InputError("there are " + std::to_string(rows.size()) + " pairs of groups to compare, more than " +
                     std::to_string(most_rows) + ": leave small groups out with --smallest-group");
  return rows;
}

}  // namespace

const Names& measure_names() {
  static const Names names = {"demographic-parity", "equal-opportunity", "predictive-equality",
                              "equalised-odds"};
  return names;
}

std::string_view to_string(Measure measure) { return measure_names()[static_cast<std::size_t>(measure)]; }

std::optional<Measure> find_measure(std::string_view name) {
  const Names& names = measure_names();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return {};
  return static_cast<Measure>(found - names.begin());
}

Attribute intersection_of(const std::vector<Attribute>& attributes, const Attribute* trained) {
  Attribute out;
  for (const auto& attribute : attributes) out.name += (out.name.empty() ? "" : " & ") + attribute.name;
  if (trained) out.groups = trained->groups;
  const std::size_t people = attributes.front().codes.size();
  for (std::size_t i = 0; i < people; ++i) {
    std::string name;
    for (const auto& attribute : attributes)
      name += (name.empty() ? "" : " & ") + attribute.groups[static_cast<std::size_t>(attribute.codes[i])];
    auto found = std::find(out.groups.begin(), out.groups.end(), name);
    if (found == out.groups.end()) found = out.groups.insert(found, name);
    out.codes.push_back(static_cast<std::int32_t>(found - out.groups.begin()));
  }
  out.trained_groups = trained ? trained->trained_groups : out.groups.size();
  return out;
}

std::string cell_name(const std::string& attribute, const std::string& group, int label) {
  return attribute + " = " + group + (label == 0 ? "" : label > 0 ? ", positive label" : ", negative label");
}

Cells::Cells(const FairData& data, Measure measure, Index fewest) : measure_(measure) {
  for (std::size_t a = 0; a < data.attributes.size(); ++a) {
    const Attribute& attribute = data.attributes[a];
    for (const int label : labels_of_measure(measure)) {
      std::vector<Index> people(attribute.groups.size(), 0);
      for (std::size_t i = 0; i < attribute.codes.size(); ++i)
        people[static_cast<std::size_t>(attribute.codes[i])] +=
            counts(label, data.labels[static_cast<Index>(i)]);
      std::size_t kept = 0;
      for (std::size_t g = 0; g < people.size(); ++g) {
        if (people[g] == 0 || people[g] < fewest) {
          left_out_ += people[g];
          if (people[g] == 0) empty_.push_back(cell_name(attribute.name, attribute.groups[g], label));
          continue;
        }
        cells_.push_back({a, static_cast<std::int32_t>(g), label, people[g]});
        ++kept;
      }
      if (kept < 2)
        throw InputError(data.file, 0,
                         "sensitive column '" + attribute.name + "' leaves fewer than two groups to compare" +
                             (label == 0  ? ""
                              : label > 0 ? " among people with a positive label"
                                          : " among people with a negative label"));
    }
  }
  sort_people(data);
}

Cells Cells::over(const FairData& other) const {
  Cells out;
  out.measure_ = measure_;
  out.cells_ = cells_;
  for (auto& cell : out.cells_) cell.people = 0;
  out.sort_people(other);
  for (const auto& of : out.of_)
    for (const auto cell : of)
      if (cell >= 0) ++out.cells_[static_cast<std::size_t>(cell)].people;
  return out;
}

void Cells::sort_people(const FairData& data) {
  of_.assign(data.attributes.size(), {});
  for (std::size_t a = 0; a < of_.size(); ++a) {
    const Attribute& attribute = data.attributes[a];
    // The cell of a group and a label: negative first.
    std::vector<std::array<std::int32_t, 2>> cell_of(attribute.groups.size(), {-1, -1});
    for (std::size_t c = 0; c < cells_.size(); ++c) {
      if (cells_[c].attribute != a) continue;
      auto& entry = cell_of[static_cast<std::size_t>(cells_[c].group)];
      if (cells_[c].label <= 0) entry[0] = static_cast<std::int32_t>(c);
      if (cells_[c].label >= 0) entry[1] = static_cast<std::int32_t>(c);
    }
    for (std::size_t i = 0; i < attribute.codes.size(); ++i)
      of_[a].push_back(cell_of[static_cast<std::size_t>(attribute.codes[i])]
                              [data.labels[static_cast<Index>(i)] > 0 ? 1 : 0]);
  }
}

Vector Cells::selected(const Vector& scores) const {
  Vector out = Vector::Zero(static_cast<Index>(size()));
  for (const auto& of : of_)
    for (std::size_t i = 0; i < of.size(); ++i)
      if (of[i] >= 0 && scores[static_cast<Index>(i)] > 0) out[of[i]] += 1;
  return out;
}

std::vector<RateRow> gap_rows(const Cells& cells, double gap) {
  std::vector<RateRow> out;
  for_each_pair(cells, [&](std::size_t a, std::size_t b) {
    out.push_back({a, b, 1, 1, -gap, gap, std::max(gap, least_unit)});
  });
  return checked(std::move(out));
}

std::vector<RateRow> ratio_rows(const Cells& cells, double ratio) {
  std::vector<RateRow> out;
  for_each_pair(cells, [&](std::size_t a, std::size_t b) {
    out.push_back({a, b, ratio, 1, -infinity, 0, 4 * least_unit});
    out.push_back({b, a, ratio, 1, -infinity, 0, 4 * least_unit});
  });
  return checked(std::move(out));
}

double excess(const RateRow& row, const Cells& cells, const Vector& selected) {
  const auto first = static_cast<double>(cells[row.first].people);
  const auto second = static_cast<double>(cells[row.second].people);
  if (first == 0 || second == 0) return 0;
  const double whole = first * second;
  const double value = row.first_factor * selected[static_cast<Index>(row.first)] * second -
                       row.second_factor * selected[static_cast<Index>(row.second)] * first;
  const double over = std::max(value - row.upper * whole, row.lower * whole - value);
  return over > rounding * whole ? over / whole : 0;
}

double largest_excess(const std::vector<RateRow>& rows, const Cells& cells, const Vector& selected) {
  double out = 0;
  for (const auto& row : rows) out = std::max(out, excess(row, cells, selected));
  return out;
}

Vector rates_of(const Cells& cells, const Vector& selected) {
  Vector out(selected.size());
  for (Index c = 0; c < out.size(); ++c) {
    const auto people = static_cast<double>(cells[static_cast<std::size_t>(c)].people);
    out[c] = people > 0 ? selected[c] / people : 0;
  }
  return out;
}

}  // namespace bridle
