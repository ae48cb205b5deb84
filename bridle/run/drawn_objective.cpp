#include "bridle/run/drawn_objective.hpp"

#include <cmath>

#include "bridle/oracle/draws.hpp"
#include "bridle/problem/objectives/linear_model.hpp"

namespace bridle {
namespace {

// A finite sum, or a part of it, as a stream of independent draws.
struct Drawn {
  AnyObjective sum;

  Index dimension() const { return sum.dimension(); }
  Index sample_count() const { return endless; }
  Sample term(Sample draw) const { return draw % static_cast<Sample>(sum.sample_count()); }
  void gradient(ConstVectorRef x, Sample draw, VectorRef out) const { sum.gradient(x, term(draw), out); }
  bool convex() const { return sum.convex(); }
};
struct DrawnWithValues : Drawn {
  double value(ConstVectorRef x, Sample draw) const { return sum.value(x, term(draw)).value(); }
};
struct DrawnModel : DrawnWithValues {
  Vector curvature_diagonal() const { return *sum.curvature_diagonal(); }
};

}  // namespace

AnyObjective drawn_from(const AnyObjective& objective, Index samples, std::uint64_t seed) {
  const LinearModel* model = objective.as_linear_model();
  if (!model && !objective.value(Vector::Zero(objective.dimension()), 0)) return Drawn{objective};
  if (!model) return DrawnWithValues{{objective}};
  std::vector<Index> rows(static_cast<std::size_t>(samples));
  const Stream stream(seed, Purpose::certificate);
  for (std::size_t k = 0; k < rows.size(); ++k)
    rows[k] = static_cast<Index>(drawn_sample(objective, stream, k, 1));
  return DrawnModel{{{model->part(rows)}}};
}

}  // namespace bridle
