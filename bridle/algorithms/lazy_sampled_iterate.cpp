#include "bridle/algorithms/lazy_sampled_iterate.hpp"

namespace bridle {
namespace {

// A row of a draw, as LazyPoint takes rows.
struct Entries {
  const RowSample& sample;
  const RowSample::Row& row;

  Index count() const { return static_cast<Index>(row.end - row.begin); }
  auto column() const {
    return [this](Index e) { return sample.columns[row.begin + static_cast<std::size_t>(e)]; };
  }
  auto value() const {
    return [this](Index e) { return sample.values[row.begin + static_cast<std::size_t>(e)]; };
  }
};

}  // namespace

LazySampledIterate::LazySampledIterate(const StandardForm& form, AnyStochasticRows rows, Iterate start,
                                       bool literal_draws, const Modes& modes)
    : SampledRows(form, std::move(rows), std::move(start), literal_draws),
      model_(*form.problem().objective().as_linear_model()),
      samples_(std::get<SparseRows>(model_.features().storage()), model_.labels(), form.column_scale(),
               SparseRows(0, form.variables())),
      point_(form.variables(), modes, 0),
      carried_(form.variables()) {
  read_in();
}

const Iterate& LazySampledIterate::state() const {
  if (!written_) {
    auto& self = const_cast<LazySampledIterate&>(*this);
    self.touch_all();
    self.write_out();
    self.read_in();
    self.written_ = true;
  }
  return now_;
}

void LazySampledIterate::read_in() {
  const Index n = form_.variables();
  y_squared_ = now_.y.squaredNorm();
  if (inclusion_)
    carried_ = form_.matrix().transpose() * now_.y;
  else
    carried_.setZero();
  point_.read_in(now_.x.head(n), now_.z.head(n), carried_);
}

void LazySampledIterate::write_out() {
  const Index n = form_.variables();
  point_.write_out(now_.x.head(n), now_.z.head(n), carried_);
}

double LazySampledIterate::drawn_activity(const RowSample& sample, const RowSample::Row& row) {
  const Entries entries{sample, row};
  return point_.with_x(point_.products(entries.count(), entries.column(), entries.value())) - row.right;
}

void LazySampledIterate::carry(const RowSample& sample, const RowSample::Row& row, double change) {
  const Entries entries{sample, row};
  point_.carry(change, entries.count(), entries.column(), entries.value());
}

// The safeguard has set y to 0, which is rare: O(n).
void LazySampledIterate::forget_carried() {
  const Index n = form_.variables();
  write_out();
  carried_.setZero();
  point_.read_in(now_.x.head(n), now_.z.head(n), carried_);
}

void LazySampledIterate::primal_step(const Parameters& p) {
  written_ = false;
  point_.advance(p.tau);
  for (const Term& term : terms_)
    point_.push(
        -p.tau * term.slope, term.row.chosen.count, [&](Index e) { return term.row.column(e); },
        [&](Index e) { return term.row.chosen.values[e]; });
  for (const Push& push : pushes_) {
    const Entries entries{sample_, push.row};
    point_.push(-p.tau * push.factor, entries.count(), entries.column(), entries.value());
  }
  pushes_.clear();
  move_slacks(p);
  if (point_.share_is_large()) {
    write_out();
    read_in();
  }
}

}  // namespace bridle
