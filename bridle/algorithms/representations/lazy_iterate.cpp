#include "bridle/algorithms/representations/lazy_iterate.hpp"

#include <algorithm>

namespace bridle {
namespace {

// Nothing when all variables outside the block are free: the others heed their bounds by themselves.
std::optional<Bounds> bounds_outside(const StandardForm& form, const Split& block) {
  auto bounds = form.variable_bounds();
  for (Index j = 0; bounds && j < form.variables(); ++j)
    if (block.place_of(j) < 0 && (bounds->lower[j] != -infinity || bounds->upper[j] != infinity))
      return bounds;
  return std::nullopt;
}

// Where some rows are among others, both ascending.
std::vector<Index> places_among(const std::vector<Index>& rows, const std::vector<Index>& others) {
  std::vector<Index> out;
  for (const Index row : rows)
    out.push_back(std::lower_bound(others.begin(), others.end(), row) - others.begin());
  return out;
}

}  // namespace

LazyIterate::LazyIterate(const StandardForm& form, const Iterate& start, const ModeClasses& classes,
                         double draws)
    : LinearIterate(form, start),
      split_(split_of(form, classes, *form.variable_bounds(), start.z)),
      groups_(RowGroups::of(form, classes, split_)),
      carried_places_(groups_ ? places_among(split_.carried, groups_->others()) : split_.carried),
      carried_(split_.block.empty() ? rows_of(form)
                                    : std::make_shared<const SparseRows>(carried_rows(form, split_))),
      samples_(
          {model_, form.column_scale(), carried_, classes, groups_ ? groups_->with_places(split_) : split_},
          draws),
      point_(form.variables(), classes),
      pull_(carried_, classes),
      bounds_(bounds_outside(form, split_)),
      carried_weight_(carried_->rows()),
      carried_activity_(carried_->rows()) {
  if (groups_) {
    rows_ = RowSide(form, groups_->others(), groups_->metric_of_others());
    rows_.read_in(start);
  } else if (!split_.block.empty()) {
    block_.emplace(form, classes, *form.variable_bounds(), split_);
  }
  read_variables(start);
}

void LazyIterate::read_variables(const Iterate& state) {
  point_.read_in([&](Index j) { return Point::Values{state.x[j], state.z[j], 0}; });
  if (groups_) groups_->read_in(state);
  if (block_) block_->read_in(state);
  start_rows(state);
}

void LazyIterate::start_rows(const Iterate& at) {
  const Index n = form_.variables();
  const bool alone = split_.block.empty();
  pull_.start(at.x.head(n), at.z.head(n), alone ? rows_.activity() : carried_activity_.data());
  if (!alone) merge_activities();
}

void LazyIterate::merge_activities() {
  double* const activity = rows_.activity();
  std::fill_n(activity, rows_.weight().size(), 0.0);
  for (std::size_t k = 0; k < carried_places_.size(); ++k)
    activity[carried_places_[k]] = carried_activity_[static_cast<Index>(k)];
  if (groups_)
    groups_->add_activity(activity);
  else
    block_->add_activity(activity);
}

void LazyIterate::write(Index j, Point::Values& at, Iterate& out) const {
  at.x += out.x[j];
  at.z += out.z[j];
  if (bounds_) {  // within but for rounding, which must not forbid this iterate
    at.x = std::min(std::max(at.x, bounds_->lower[j]), bounds_->upper[j]);
    at.z = std::min(std::max(at.z, bounds_->lower[j]), bounds_->upper[j]);
  }
  out.x[j] = at.x;
  out.z[j] = at.z;
}

void LazyIterate::write_variables(Iterate& out) const {
  const Index n = form_.variables();
  pull_.shares(out.x.head(n), out.z.head(n));
  point_.write_out([&](Index j, Point::Values& at) { write(j, at, out); });
  write_block(out);
}

void LazyIterate::write_block(Iterate& out) const {
  if (groups_) groups_->write_out(out);
  if (block_) block_->write_out(out);
}

void LazyIterate::settle_variables(Iterate& out) {
  const Index n = form_.variables();
  pull_.shares(out.x.head(n), out.z.head(n));
  point_.renew([&](Index j, Point::Values& at) { write(j, at, out); });
  write_block(out);
  start_rows(out);
}

double LazyIterate::product_with(Index sample) {
  const auto row = samples_[sample];
  const double lazy = point_.product(row.entries) + pull_.product(row.rows);
  if (groups_) return lazy + groups_->product(row.block);
  return block_ ? lazy + block_->product(row.block) : lazy;
}

void LazyIterate::primal_and_smoothing_step(const Parameters& p) {
  point_.advance(p.tau);
  for (const Term& term : terms_) {
    if (term.slope == 0) continue;
    const auto row = samples_[term.sample];
    point_.step(row.entries, term.slope);
    pull_.add_sample(term.slope, row.rows);
    if (groups_)
      groups_->add_sample(term.slope, row.block, p);
    else if (block_)
      block_->add_sample(term.slope, row.block);
  }
  point_.keep_in_range();
  if (split_.block.empty())
    pull_.move(p.tau, rows_.weight(), rows_.activity());
  else
    move_rows_and_block(p);
  rows_.move_slacks(p);
  if (bounds_) keep_within_bounds();
}

void LazyIterate::move_rows_and_block(const Parameters& p) {
  for (std::size_t k = 0; k < carried_places_.size(); ++k)
    carried_weight_[static_cast<Index>(k)] = rows_.weight()[carried_places_[k]];
  pull_.move(p.tau, carried_weight_, carried_activity_.data());
  if (groups_)
    groups_->move(p, rows_.residual().data(), rows_.weight().data());
  else
    block_->move(p, rows_.weight());
  merge_activities();
}

// Bounded variables outside the block are in no row, and between two touches x stays between x, z and 0 (with
// a ridge): only those that the samples touched can have left their bounds. x is put back, z stays.
void LazyIterate::keep_within_bounds() {
  for (const Term& term : terms_) {
    const auto row = samples_[term.sample];
    for (Index e = 0; e < row.entries.count; ++e) {
      const Index j = row.entries.column(e);
      const double lower = bounds_->lower[j], upper = bounds_->upper[j];
      if (lower != -infinity || upper != infinity) point_.clamp(j, lower, upper);
    }
  }
}

}  // namespace bridle
