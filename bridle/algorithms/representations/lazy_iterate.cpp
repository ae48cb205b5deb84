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

}  // namespace

LazyIterate::LazyIterate(const StandardForm& form, const Iterate& start, const ModeClasses& classes)
    : LinearIterate(form, start),
      split_(split_of(form, classes, *form.variable_bounds(), start.z)),
      carried_(split_.block.empty() ? rows_of(form)
                                    : std::make_shared<const SparseRows>(carried_rows(form, split_))),
      samples_(model_, form.column_scale(), *carried_, classes, split_),
      point_(form.variables(), classes),
      pull_(carried_, classes),
      bounds_(bounds_outside(form, split_)),
      carried_weight_(carried_->rows()),
      carried_activity_(carried_->rows()) {
  point_.read_in([&](Index j) { return Point::Values{start.x[j], start.z[j], 0}; });
  if (!split_.block.empty()) {
    block_.emplace(form, classes, *form.variable_bounds(), split_);
    block_->read_in(start);
  }
  start_rows(start);
}

void LazyIterate::start_rows(const Iterate& at) {
  const Index n = form_.variables();
  pull_.start(at.x.head(n), at.z.head(n), block_ ? carried_activity_.data() : rows_.activity());
  if (block_) merge_activities();
}

void LazyIterate::merge_activities() {
  double* const activity = rows_.activity();
  std::fill_n(activity, form_.rows(), 0.0);
  for (std::size_t k = 0; k < split_.carried.size(); ++k)
    activity[split_.carried[k]] = carried_activity_[static_cast<Index>(k)];
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
  if (block_) block_->write_out(out);
}

void LazyIterate::settle_variables(Iterate& out) {
  const Index n = form_.variables();
  pull_.shares(out.x.head(n), out.z.head(n));
  point_.renew([&](Index j, Point::Values& at) { write(j, at, out); });
  if (block_) block_->write_out(out);
  start_rows(out);
}

double LazyIterate::product_with(Index sample) {
  const auto row = samples_[sample];
  const double lazy = point_.product(row.entries) + pull_.product(row.rows);
  return block_ ? lazy + block_->product(row.block) : lazy;
}

void LazyIterate::primal_and_smoothing_step(const Parameters& p) {
  point_.advance(p.tau);
  for (const Term& term : terms_) {
    if (term.slope == 0) continue;
    const auto row = samples_[term.sample];
    point_.step(row.entries, term.slope);
    pull_.add_sample(term.slope, row.rows);
    if (block_) block_->add_sample(term.slope, row.block);
  }
  point_.keep_in_range();
  if (block_)
    move_rows_and_block(p);
  else
    pull_.move(p.tau, rows_.weight(), rows_.activity());
  rows_.move_slacks(p);
  if (bounds_) keep_within_bounds();
}

void LazyIterate::move_rows_and_block(const Parameters& p) {
  for (std::size_t k = 0; k < split_.carried.size(); ++k)
    carried_weight_[static_cast<Index>(k)] = rows_.weight()[split_.carried[k]];
  pull_.move(p.tau, carried_weight_, carried_activity_.data());
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
