// What it takes to be a set X that x must stay in, and the type-erased form the solver holds.
#pragma once

#include <concepts>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "bridle/core/types.hpp"

namespace bridle {

// A set is a closed convex polyhedron with an exact projection. `project_tangent` projects a direction onto
// the tangent cone T_X(x) at a point x of X; by Moreau's decomposition |P_T(-g)| = dist(-g, N_X(x)), which is
// what the judge asks of it. A bound within `active_tolerance` of x (relative, rounding only) counts as
// touched. A change of variables x = C v turns X into { v : C v in X }; a simplex, say, only bears one common
// factor, so a set first makes a wished-for C admissible.
template <class S>
concept ProjectableSet = requires(const S& set, VectorRef x, ConstVectorRef point, VectorRef direction,
                                  VectorRef scale) {
  { set.dimension() } -> std::convertible_to<Index>;
  set.project(x);                            // x <- argmin_{v in X} |v - x|
  set.project_tangent(point, direction);     // direction <- P_{T_X(point)}(direction)
  set.make_admissible(scale);                // scale <- a nearby C that `scaled` accepts
  { set.scaled(point) } -> std::same_as<S>;  // { v : C v in X }, C = diag(point) admissible
};

inline constexpr double active_tolerance = 1e-12;

// Box constraints -infinity <= lower <= x <= upper <= infinity of a set that is a box in all its coordinates.
struct Bounds {
  Vector lower, upper;
};

// The set as lower <= x <= upper and rows; for sets that few rows describe.
struct LinearDescription {
  Bounds bounds;
  SparseRows rows;
  Vector lower, upper;  // of the rows

  // Rows over variables that are otherwise free.
  static LinearDescription of_rows(const Matrix& rows, Vector lower, Vector upper) {
    const Index n = rows.cols();
    return {{Vector::Constant(n, -infinity), Vector::Constant(n, infinity)},
            SparseRows(rows.sparseView()),
            std::move(lower),
            std::move(upper)};
  }

  // The largest |x_j| that the bounds leave, and rows with one entry.
  Vector reach() const {
    Bounds all = bounds;
    for (Index i = 0; i < rows.rows(); ++i) {
      SparseRows::InnerIterator entry(rows, i);
      if (!entry) continue;
      const double a = entry.value();
      const Index j = entry.col();
      if (++entry || a == 0) continue;
      all.lower[j] = std::max(all.lower[j], (a > 0 ? lower[i] : upper[i]) / a);
      all.upper[j] = std::min(all.upper[j], (a > 0 ? upper[i] : lower[i]) / a);
    }
    return all.lower.cwiseAbs().cwiseMax(all.upper.cwiseAbs());
  }
};

// Which variables X ties together: those of a block move together or not at all, all others have bounds of
// their own (infinite where there are none; inside a block they say nothing).
struct SetShape {
  Bounds bounds;
  std::vector<std::vector<Index>> blocks;
  Vector reach;  // the largest |x_j| that bounds, a total or a radius leave; infinite where nothing does
};

namespace optional_member {
template <class S>
concept Shaped = requires(const S& set) {
  { set.shape() } -> std::convertible_to<SetShape>;
};
template <class S>
concept Reaching = requires(const S& set) {
  { set.reach() } -> std::convertible_to<double>;  // the largest entry of a point of the set
};
template <class S>
concept Described = requires(const S& set) {
  { set.description() } -> std::convertible_to<std::optional<LinearDescription>>;
};
// A set that takes many rows to describe, of which few describe the part around a point of it that a
// direction points into.
template <class S>
concept Parted = requires(const S& set, ConstVectorRef x) {
  { set.part(x, x) } -> std::convertible_to<std::optional<LinearDescription>>;
};
template <class S>
concept BoxLike = requires(const S& set) {
  { set.bounds() } -> std::convertible_to<std::optional<Bounds>>;  // X as a box, if it is one
};
}  // namespace optional_member

class AnySet {
 public:
  template <ProjectableSet S>
  requires(!std::same_as<S, AnySet>) AnySet(S set) : self_(std::make_shared<Model<S>>(std::move(set))) {}

  Index dimension() const { return self_->dimension(); }
  void project(VectorRef x) const { self_->project(x); }
  void project_tangent(ConstVectorRef x, VectorRef direction) const { self_->project_tangent(x, direction); }
  void make_admissible(VectorRef scale) const { self_->make_admissible(scale); }
  AnySet scaled(ConstVectorRef scale) const { return self_->scaled(scale); }
  // The set as a box, if it is one.
  std::optional<Bounds> bounds() const { return self_->bounds(); }
  // The set by bounds and rows, if few rows will do.
  std::optional<LinearDescription> description() const { return self_->description(); }

  // The part of it around x that the direction points into, by bounds and rows: all of it, or if that takes
  // too many rows, a polyhedron inside it that x is in.
  std::optional<LinearDescription> part(ConstVectorRef x, ConstVectorRef direction) const {
    return self_->part(x, direction);
  }

  // Which variables it ties together.
  SetShape shape() const { return self_->shape(); }

 private:
  struct Interface {
    virtual ~Interface() = default;
    virtual Index dimension() const = 0;
    virtual void project(VectorRef x) const = 0;
    virtual void project_tangent(ConstVectorRef x, VectorRef direction) const = 0;
    virtual void make_admissible(VectorRef scale) const = 0;
    virtual AnySet scaled(ConstVectorRef scale) const = 0;
    virtual std::optional<Bounds> bounds() const = 0;
    virtual std::optional<LinearDescription> description() const = 0;
    virtual std::optional<LinearDescription> part(ConstVectorRef x, ConstVectorRef direction) const = 0;
    virtual SetShape shape() const = 0;
  };

  template <class S>
  struct Model final : Interface {
    explicit Model(S s) : set(std::move(s)) {}
    S set;
    Index dimension() const override { return set.dimension(); }
    void project(VectorRef x) const override { set.project(x); }
    void project_tangent(ConstVectorRef x, VectorRef direction) const override {
      set.project_tangent(x, direction);
    }
    void make_admissible(VectorRef scale) const override { set.make_admissible(scale); }
    AnySet scaled(ConstVectorRef scale) const override { return set.scaled(scale); }
    std::optional<Bounds> bounds() const override {
      if constexpr (optional_member::BoxLike<S>) return set.bounds();
      return std::nullopt;
    }
    std::optional<LinearDescription> description() const override {
      if constexpr (optional_member::Described<S>) return set.description();
      if (auto box = bounds()) {
        const Index n = box->lower.size();
        return LinearDescription{std::move(*box), SparseRows(0, n), Vector(0), Vector(0)};
      }
      return std::nullopt;
    }
    std::optional<LinearDescription> part(ConstVectorRef x, ConstVectorRef direction) const override {
      if constexpr (optional_member::Parted<S>) return set.part(x, direction);
      return description();
    }
    SetShape shape() const override {
      if constexpr (optional_member::Shaped<S>) return set.shape();
      const Index n = dimension();
      if (auto box = bounds()) {
        Vector reach = box->lower.cwiseAbs().cwiseMax(box->upper.cwiseAbs());
        return {std::move(*box), {}, std::move(reach)};
      }
      std::vector<Index> all(static_cast<std::size_t>(n));
      std::iota(all.begin(), all.end(), Index{0});
      return {{Vector::Constant(n, -infinity), Vector::Constant(n, infinity)}, {std::move(all)}, reach()};
    }
    Vector reach() const {
      if constexpr (optional_member::Reaching<S>) {
        return Vector::Constant(dimension(), set.reach());
      } else {
        const auto stated = description();
        return stated ? stated->reach() : Vector::Constant(dimension(), infinity);
      }
    }
  };

  std::shared_ptr<const Interface> self_;
};

}  // namespace bridle
