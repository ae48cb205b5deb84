#include "bridle/apps/fair/judged_from.hpp"

namespace bridle {
namespace {

struct MovedObjective {
  AnyObjective plain;
  Vector origin;

  Index dimension() const { return plain.dimension(); }
  Index sample_count() const { return plain.sample_count(); }
  void gradient(ConstVectorRef x, Sample sample, VectorRef out) const {
    plain.gradient(origin + x, sample, out);
  }
  double mean_value(ConstVectorRef x) const { return plain.mean_value(origin + x).value(); }
  void mean_gradient(ConstVectorRef x, VectorRef out) const { plain.mean_gradient(origin + x, out); }
  double value_and_gradient(ConstVectorRef x, VectorRef out) const {
    return plain.value_and_gradient(origin + x, out).value();
  }
  Names variable_names() const { return plain.variable_names(); }
};

struct MovedRows {
  AnySmoothConstraint plain;
  Vector origin;

  Index dimension() const { return plain.dimension(); }
  Index count() const { return plain.count(); }
  void value(ConstVectorRef x, VectorRef out) const { out = plain.value(origin + x); }
  void jacobian(ConstVectorRef x, SparseRows& out) const { out = plain.at(origin + x).jacobian; }
  void value_and_jacobian(ConstVectorRef x, VectorRef value, SparseRows& out) const {
    SmoothPoint point = plain.at(origin + x);
    value = point.value;
    out = point.jacobian;
  }
};

}  // namespace

Certificate judged_from(const Vector& origin, const Problem& problem, const Vector& x,
                        const Vector& multipliers, const CertifyOptions& options) {
  Problem moved{MovedObjective{problem.objective(), origin}};
  const SmoothRows& rows = problem.smooth_rows();
  Index first = 0;
  for (const auto& block : rows.blocks) {
    const auto begin = rows.names.begin() + first;
    moved.subject_to_smooth(MovedRows{block, origin}, rows.lower.segment(first, block.count()),
                            rows.upper.segment(first, block.count()), Names(begin, begin + block.count()));
    first += block.count();
  }
  return certify(moved, x - origin, multipliers, options);
}

}  // namespace bridle
