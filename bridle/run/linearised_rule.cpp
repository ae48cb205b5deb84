#include "bridle/run/linearised_rule.hpp"

#include <algorithm>
#include <cmath>

#include "bridle/core/count.hpp"
#include "bridle/core/error.hpp"

namespace bridle {
namespace {

// Between two linearisations: a quarter of a pass over a finite sum, or so many iterations of anything else.
constexpr double passes_per_piece = 0.25;
constexpr std::uint64_t iterations_per_piece = 250;

// How far the smooth rows may be from what their linear model said: half of the change that it foretold, and
// a quarter of the room between two bounds, or of a hundredth of the row's size.
constexpr double share_of_change = 0.5, share_of_room = 0.25, share_of_size = 0.01;
constexpr double too_far = 1, near = 0.5;                  // of that
constexpr double shrink = 0.5, grow = 1.25, least = 1e-3;  // theta
constexpr double shrink_back = 0.25;                       // after going back
constexpr double much_worse = 4;                           // violations, relative to the rows' sizes

double size_of_row(const SparseRows& matrix, Index i, const Vector& x) {
  double sum = 0;
  for (SparseRows::InnerIterator it(matrix, i); it; ++it) sum += std::abs(it.value() * x[it.col()]);
  return sum;
}

double size_of_bounds(double lower, double upper) {
  return std::max(is_finite(lower) ? std::abs(lower) : 0.0, is_finite(upper) ? std::abs(upper) : 0.0);
}

SmoothPoint finite_start(const Problem& problem) {
  const Vector x = problem.starting_point();
  SmoothPoint at = problem.smooth_rows().at(x);
  for (Index i = 0; i < at.value.size(); ++i)
    if (!std::isfinite(at.value[i]) || !std::isfinite(at.jacobian.row(i).sum()))
      throw InputError("the smooth row '" + problem.smooth_rows().names[static_cast<std::size_t>(i)] +
                       "' or its slope is not finite at the starting point; start elsewhere");
  return at;
}

std::uint64_t length_of_piece(const Problem& problem, double cost) {
  const Index count = problem.objective().sample_count();
  if (count == endless || count == 1) return iterations_per_piece;
  return std::max(iterations_per_piece, to_count(passes_per_piece * static_cast<double>(count) / cost));
}

}  // namespace

LinearisedRule::LinearisedRule(const Problem& stated, double cost, const MakeRule& make)
    : stated_(stated),
      piece_length_(length_of_piece(stated, cost)),
      at_(finite_start(stated)),
      linear_(stated.linearised(stated.starting_point(), at_)) {
  inner_ = make(linear_);
}

void LinearisedRule::restate(const Problem& problem) { stated_ = problem; }

std::optional<StagePlan> LinearisedRule::next(const OriginalState& state,
                                              const std::optional<StageReport>& last, double budget_left) {
  move_to(state);
  const bool diverged = last && last->diverged;
  if (whole_ && handed_out_ < whole_->stage.iterations && !diverged) return piece();
  whole_ = inner_->next(anchor_, last, budget_left);
  handed_out_ = 0;
  if (!whole_) return std::nullopt;
  StagePlan first = piece();
  first.continues = false;
  first.events = whole_->events;
  first.gradients = whole_->gradients;
  return first;
}

OriginalState LinearisedRule::start(const OriginalState&) const { return anchor_; }

// Linearises at the point that was reached, or where c is not to be had there, or much worse than foretold,
// once more at the last one with less trust.
void LinearisedRule::move_to(const OriginalState& state) {
  SmoothPoint there = stated_.smooth_rows().at(state.x);
  const bool sound = state.x.allFinite() && there.finite();
  if (!begun_) {
    anchor_ = state;
    if (sound)
      at_ = std::move(there);
    else
      anchor_.x = anchor_.z = stated_.starting_point();
    begun_ = true;
  } else if (sound && believable(state.x, there)) {
    anchor_ = state;
    at_ = std::move(there);
  } else {
    theta_ = std::max(least, shrink_back * theta_);
  }
  linearise();
}

// Learns from how well the linear model has foretold c. False when the point is no place to go on from.
bool LinearisedRule::believable(const Vector& x, const SmoothPoint& there) {
  const SmoothRows& rows = stated_.smooth_rows();
  const Vector foretold = at_.jacobian * (x - anchor_.x);
  double error = 0, before = 0, after = 0;
  for (Index i = 0; i < rows.count(); ++i) {
    const double lower = rows.lower[i], upper = rows.upper[i];
    const double size =
        std::max({size_of_bounds(lower, upper), size_of_row(at_.jacobian, i, anchor_.x), 1e-300});
    const bool two_sided = is_finite(lower) && is_finite(upper) && lower < upper;
    const double room = two_sided ? 0.5 * (upper - lower) : share_of_size * size;
    const double off = std::abs(there.value[i] - at_.value[i] - foretold[i]);
    error = std::max(error, off / (share_of_change * std::abs(foretold[i]) + share_of_room * room));
    const auto broken = [&](double c) { return std::max({0.0, lower - c, c - upper}) / size; };
    before = std::max(before, broken(at_.value[i]));
    after = std::max(after, broken(there.value[i]));
  }
  if (error > too_far && after > much_worse * before + 1) return false;
  if (error > too_far) theta_ = std::max(least, shrink * theta_);
  if (error < near) theta_ = std::min(1.0, grow * theta_);
  return true;
}

// Linear rows that ask for the share theta of what is broken.
void LinearisedRule::linearise() {
  linear_ = stated_.linearised(anchor_.x, at_);
  Rows rows = linear_.rows();
  const Index first = stated_.rows().count();
  const Vector activity = rows.matrix * anchor_.x;
  for (Index i = first; theta_ < 1 && i < rows.count(); ++i) {
    const double a = activity[i];
    if (a < rows.lower[i]) rows.lower[i] = a + theta_ * (rows.lower[i] - a);
    if (a > rows.upper[i]) rows.upper[i] = a + theta_ * (rows.upper[i] - a);
    if (stated_.smooth_rows().is_equality(i - first))
      rows.lower[i] = rows.upper[i] =
          a + theta_ * (stated_.smooth_rows().lower[i - first] - at_.value[i - first]);
  }
  linear_ = linear_.with_all_rows(rows);
  inner_->restate(linear_);
  const auto slacks = [&](const Vector& x) {
    return Vector((rows.matrix * x).cwiseMax(rows.lower).cwiseMin(rows.upper));
  };
  anchor_.slacks = slacks(anchor_.x);
  anchor_.smoothed_slacks = slacks(anchor_.z);
}

StagePlan LinearisedRule::piece() {
  const Stage& stage = whole_->stage;
  const std::uint64_t begin = handed_out_, left = stage.iterations - begin;
  // A rest of less than half a piece goes with the last one.
  const std::uint64_t length = left < piece_length_ + piece_length_ / 2 ? left : piece_length_;
  handed_out_ += length;
  StagePlan out;
  out.scaling = whole_->scaling;
  out.form = begin == 0 && whole_->form ? whole_->form : inner_->form_of(out.scaling);
  out.curvature = whole_->curvature;
  out.reasons = whole_->reasons;
  out.continues = true;
  out.stage = stage;
  out.stage.iterations = length;
  out.stage.schedule.begin = stage.schedule.progress(begin, stage.iterations);
  out.stage.schedule.end = stage.schedule.progress(begin + length, stage.iterations);
  out.stage.parameters.tau *= theta_;
  out.stage.parameters.eta *= theta_;
  out.stage.parameters.beta *= theta_;
  if (theta_ < 1)
    out.reasons.push_back({"theta", theta_, "share of the steps: how far the linear rows were trusted"});
  return out;
}

void LinearisedRule::save(ArchiveWriter& archive) {
  StagePlan none;
  StagePlan& plan = whole_ ? *whole_ : none;
  bool has_plan = whole_.has_value();
  archive(begun_, theta_, anchor_, has_plan, handed_out_, plan.scaling, plan.stage, plan.curvature,
          plan.reasons);
  inner_->save(archive);
}

void LinearisedRule::load(ArchiveReader& archive) {
  StagePlan plan;
  bool has_plan = false;
  archive(begun_, theta_, anchor_, has_plan, handed_out_, plan.scaling, plan.stage, plan.curvature,
          plan.reasons);
  whole_.reset();
  if (has_plan) whole_ = std::move(plan);
  if (begun_) {
    if (const Index n = stated_.dimension(); anchor_.x.size() != n || anchor_.z.size() != n)
      archive.refuse("its points have another number of entries than the problem");
    at_ = stated_.smooth_rows().at(anchor_.x);
    linearise();
  }
  inner_->load(archive);
}

}  // namespace bridle
