// Rows that bend: lower <= c(x) <= upper with c smooth, known through values and Jacobian rows.
#pragma once

#include <concepts>
#include <memory>
#include <utility>
#include <vector>

#include "bridle/core/types.hpp"

namespace bridle {

namespace optional_member {
template <class C>
concept DenseJacobian = requires(const C& c, ConstVectorRef x, Matrix& out) {
  c.jacobian(x, out);  // out <- the Jacobian, one row per entry of c; comes in that size, zero
};
template <class C>
concept SparseJacobian = requires(const C& c, ConstVectorRef x, SparseRows& out) {
  c.jacobian(x, out);  // the same; comes in that size, empty
};
template <class C>
concept DenseValueAndJacobian = requires(const C& c, ConstVectorRef x, VectorRef value, Matrix& out) {
  c.value_and_jacobian(x, value, out);  // both in one pass
};
template <class C>
concept SparseValueAndJacobian = requires(const C& c, ConstVectorRef x, VectorRef value, SparseRows& out) {
  c.value_and_jacobian(x, value, out);
};
// The Hessian of y'c at x, both triangles; comes in its size, zero. Second-order steps take it; without it
// they take differences of the Jacobian.
template <class C>
concept WeightedHessian = requires(const C& c, ConstVectorRef x, ConstVectorRef y, Matrix& out) {
  c.hessian(x, y, out);
};
template <class C>
concept RowNames = requires(const C& c) {
  { c.row_names() } -> std::convertible_to<Names>;
};
}  // namespace optional_member

// What it takes to be a smooth constraint. Every answer is exact and the same each time it is asked for; a
// mean over samples is one over all of them, or over a large fixed batch (constraints/mean_constraint.hpp).
template <class C>
concept SmoothConstraint = requires(const C& c, ConstVectorRef x, VectorRef value) {
  { c.dimension() } -> std::convertible_to<Index>;  // variables
  { c.count() } -> std::convertible_to<Index>;      // rows
  c.value(x, value);                                // value <- c(x)
}
&&(optional_member::DenseJacobian<C> || optional_member::SparseJacobian<C>);

// c and its Jacobian at a point.
struct SmoothPoint {
  Vector value;
  SparseRows jacobian;

  bool finite() const;
};

// Any smooth constraint at run time. Copies share it, and it is never changed.
class AnySmoothConstraint {
 public:
  template <SmoothConstraint C>
  requires(!std::same_as<C, AnySmoothConstraint>) AnySmoothConstraint(C constraint)
      : self_(std::make_shared<Model<C>>(std::move(constraint))) {}

  Index dimension() const { return self_->dimension(); }
  Index count() const { return self_->count(); }
  Vector value(const Vector& x) const { return self_->value(x); }
  SmoothPoint at(const Vector& x) const { return self_->at(x); }
  bool has_hessian() const { return self_->has_hessian(); }
  // out += the Hessian of y'c at x: the constraint's own, or central differences of its Jacobian.
  void add_hessian(const Vector& x, const Vector& y, Matrix& out) const { self_->add_hessian(x, y, out); }
  Names row_names() const { return self_->row_names(); }

 private:
  struct Interface {
    virtual ~Interface() = default;
    virtual Index dimension() const = 0;
    virtual Index count() const = 0;
    virtual Vector value(const Vector& x) const = 0;
    virtual SmoothPoint at(const Vector& x) const = 0;
    virtual bool has_hessian() const = 0;
    virtual void add_hessian(const Vector& x, const Vector& y, Matrix& out) const = 0;
    virtual Names row_names() const = 0;
    void add_differences(const Vector& x, const Vector& y, Matrix& out) const;
  };

  template <class C>
  struct Model final : Interface {
    explicit Model(C c) : constraint(std::move(c)) {}
    C constraint;

    Index dimension() const override { return constraint.dimension(); }
    Index count() const override { return constraint.count(); }
    Vector value(const Vector& x) const override {
      Vector out = Vector::Zero(count());
      constraint.value(x, out);
      return out;
    }
    SmoothPoint at(const Vector& x) const override {
      SmoothPoint out{Vector::Zero(count()), SparseRows(count(), dimension())};
      if constexpr (optional_member::SparseValueAndJacobian<C>) {
        constraint.value_and_jacobian(x, out.value, out.jacobian);
      } else if constexpr (optional_member::DenseValueAndJacobian<C>) {
        Matrix dense = Matrix::Zero(count(), dimension());
        constraint.value_and_jacobian(x, out.value, dense);
        out.jacobian = dense.sparseView();
      } else {
        constraint.value(x, out.value);
        if constexpr (optional_member::SparseJacobian<C>) {
          constraint.jacobian(x, out.jacobian);
        } else {
          Matrix dense = Matrix::Zero(count(), dimension());
          constraint.jacobian(x, dense);
          out.jacobian = dense.sparseView();
        }
      }
      out.jacobian.makeCompressed();
      return out;
    }
    bool has_hessian() const override { return optional_member::WeightedHessian<C>; }
    void add_hessian(const Vector& x, const Vector& y, Matrix& out) const override {
      if constexpr (optional_member::WeightedHessian<C>) {
        Matrix own = Matrix::Zero(dimension(), dimension());
        constraint.hessian(x, y, own);
        out += own;
      } else {
        this->add_differences(x, y, out);
      }
    }
    Names row_names() const override {
      if constexpr (optional_member::RowNames<C>) return constraint.row_names();
      return {};
    }
  };

  std::shared_ptr<const Interface> self_;
};

// All smooth rows of a problem, block after block.
struct SmoothRows {
  std::vector<AnySmoothConstraint> blocks;
  Vector lower, upper;
  Names names;

  Index count() const { return lower.size(); }
  bool is_equality(Index i) const { return lower[i] == upper[i]; }
  Vector value(const Vector& x) const;
  SmoothPoint at(const Vector& x) const;
  bool has_hessian() const;  // of every block
  // out += the Hessian of y'c at x, one entry of y per row.
  void add_hessian(const Vector& x, const Vector& y, Matrix& out) const;
};

// One matrix over the other, as smooth rows stand below linear ones; zeros are left out.
SparseRows stacked(const SparseRows& above, const SparseRows& below);

}  // namespace bridle
