// What it takes to be an objective f(x) = E f(x, xi), and the type-erased form the solver holds.
#pragma once

#include <concepts>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "bridle/core/error.hpp"
#include "bridle/core/processes.hpp"
#include "bridle/core/sampling.hpp"
#include "bridle/core/scratch.hpp"
#include "bridle/core/tree_sum.hpp"
#include "bridle/core/types.hpp"

namespace bridle {

class LinearModel;
class Quadratic;

// The three members every objective has. Two points are evaluated at the same sample by passing the same
// sample. Where processes work on one problem, every answer of an objective is the same in all of them: what
// has to be added up, the objective adds up, and nobody else.
template <class F>
concept Objective = requires(const F& f, ConstVectorRef x, Sample sample, VectorRef gradient) {
  { f.dimension() } -> std::convertible_to<Index>;
  { f.sample_count() } -> std::convertible_to<Index>;  // number of terms of a finite sum, or bridle::endless
  f.gradient(x, sample, gradient);                     // gradient <- grad f(x, sample), overwritten
};

// Members an objective may have besides; the solver and the judge use them where they are there.
namespace optional_member {
template <class F>
concept Value = requires(const F& f, ConstVectorRef x, Sample s) {
  { f.value(x, s) } -> std::convertible_to<double>;  // f(x, sample)
};
template <class F>
concept BatchGradient = requires(const F& f, ConstVectorRef x, std::span<const Sample> samples, VectorRef g) {
  f.batch_gradient(x, samples, g);  // g <- the mean of grad f(x, sample) over these samples
};
template <class F>
concept BatchValue = requires(const F& f, ConstVectorRef x, std::span<const Sample> samples) {
  {
    f.batch_value(x, samples)
    } -> std::convertible_to<double>;  // the mean of f(x, sample) over these samples
};
template <class F>
concept SpreadOverProcesses = requires(const F& f) {
  { f.spread_over_processes() } -> std::convertible_to<bool>;  // evaluating it is a collective
};
template <class F>
concept MeanValue = requires(const F& f, ConstVectorRef x) {
  { f.mean_value(x) } -> std::convertible_to<double>;  // f(x) itself
};
template <class F>
concept MeanGradient = requires(const F& f, ConstVectorRef x, VectorRef g) {
  f.mean_gradient(x, g);  // g <- grad f(x) itself
};
template <class F>
concept ValueAndGradient = requires(const F& f, ConstVectorRef x, VectorRef g) {
  { f.value_and_gradient(x, g) } -> std::convertible_to<double>;  // f(x), and g <- grad f(x), in one pass
};
template <class F>
concept HessianProduct = requires(const F& f, ConstVectorRef x, ConstVectorRef direction, VectorRef out) {
  f.hessian_product(x, direction, out);  // out <- (Hessian of f at x) direction
};
template <class F>
concept Hessian = requires(const F& f, ConstVectorRef x, Matrix& out) {
  f.hessian(x, out);  // out <- the Hessian of f at x, both triangles; for few variables
};
template <class F>
concept Smoothness = requires(const F& f) {
  { f.smoothness() } -> std::convertible_to<std::optional<double>>;  // an upper bound of L_f
};
template <class F>
concept CurvatureDiagonal = requires(const F& f) {
  { f.curvature_diagonal() } -> std::convertible_to<Vector>;  // a bound of |d^2 f / dx_j^2| for each variable
};
template <class F>
concept Convex = requires(const F& f) {
  { f.convex() } -> std::convertible_to<bool>;  // true: known to be convex
};
template <class F>
concept ThreadSafe = requires {
  requires F::thread_safe;  // gradients and values may be asked for from several threads at once
};
template <class F>
concept VariableNames = requires(const F& f) {
  { f.variable_names() } -> std::convertible_to<Names>;
};
}  // namespace optional_member

// Any objective at run time. Copies share the objective, which is never changed.
class AnyObjective {
 public:
  template <Objective F>
  requires(!std::same_as<F, AnyObjective>) AnyObjective(F objective)
      : self_(std::make_shared<Model<F>>(std::move(objective))) {}

  Index dimension() const { return self_->dimension(); }
  Index sample_count() const { return self_->sample_count(); }
  bool deterministic() const { return sample_count() == 1; }
  // Collectives are for one thread.
  bool thread_safe() const { return self_->thread_safe() && !spread_over_processes(); }

  void gradient(ConstVectorRef x, Sample sample, VectorRef out) const { self_->gradient(x, sample, out); }
  std::optional<double> value(ConstVectorRef x, Sample sample) const { return self_->value(x, sample); }
  // The mean over some samples, at least one.
  void batch_gradient(ConstVectorRef x, std::span<const Sample> samples, VectorRef out) const;
  std::optional<double> batch_value(ConstVectorRef x, std::span<const Sample> samples) const {
    return self_->batch_value(x, samples);
  }

  // This objective in each of several processes, which share the work of a batch: each evaluates some of its
  // samples. For objectives that every process has whole.
  AnyObjective with_batches_over(std::shared_ptr<const Processes> processes) const;
  // True: batches are spread, or the data is, and processes that have the others must ask for the same.
  bool spread_over_processes() const { return batches_over_ || self_->spread_over_processes(); }

  // True when grad f(x) itself can be had: from the objective, or as the mean over a finite sum.
  bool has_exact_mean() const { return self_->has_mean_gradient() || sample_count() != endless; }
  void mean_gradient(ConstVectorRef x, VectorRef out) const { self_->mean_gradient(x, out); }
  std::optional<double> mean_value(ConstVectorRef x) const { return self_->mean_value(x); }
  bool has_value() const { return self_->has_value(); }  // a value function of any kind

  // f(x), and out <- grad f(x): in one pass where the objective offers it. Nothing without a value function.
  std::optional<double> value_and_gradient(ConstVectorRef x, VectorRef out) const {
    return self_->value_and_gradient(x, out);
  }
  // Second derivatives, where the objective offers them. A Hessian is had from its products too.
  bool has_hessian_product() const { return self_->has_hessian_product(); }
  bool has_hessian() const { return self_->has_hessian(); }
  void hessian_product(ConstVectorRef x, ConstVectorRef direction, VectorRef out) const {
    self_->hessian_product(x, direction, out);
  }
  void hessian(ConstVectorRef x, Matrix& out) const { self_->hessian(x, out); }

  std::optional<double> smoothness() const { return self_->smoothness(); }
  std::optional<Vector> curvature_diagonal() const { return self_->curvature_diagonal(); }
  bool convex() const { return self_->convex(); }  // false: nonconvex, or not known
  Names variable_names() const { return self_->variable_names(); }
  const LinearModel* as_linear_model() const { return self_->as_linear_model(); }
  const Quadratic* as_quadratic() const { return self_->as_quadratic(); }

 private:
  struct Interface {
    virtual ~Interface() = default;
    virtual Index dimension() const = 0;
    virtual Index sample_count() const = 0;
    virtual void gradient(ConstVectorRef x, Sample sample, VectorRef out) const = 0;
    virtual std::optional<double> value(ConstVectorRef x, Sample sample) const = 0;
    virtual void batch_gradient(ConstVectorRef x, std::span<const Sample> samples, VectorRef out) const = 0;
    virtual std::optional<double> batch_value(ConstVectorRef x, std::span<const Sample> samples) const = 0;
    virtual bool spread_over_processes() const = 0;
    virtual bool thread_safe() const = 0;
    virtual bool has_value() const = 0;
    virtual bool has_mean_gradient() const = 0;
    virtual void mean_gradient(ConstVectorRef x, VectorRef out) const = 0;
    virtual std::optional<double> mean_value(ConstVectorRef x) const = 0;
    virtual std::optional<double> value_and_gradient(ConstVectorRef x, VectorRef out) const = 0;
    virtual bool has_hessian_product() const = 0;
    virtual bool has_hessian() const = 0;
    virtual void hessian_product(ConstVectorRef x, ConstVectorRef direction, VectorRef out) const = 0;
    virtual void hessian(ConstVectorRef x, Matrix& out) const = 0;
    virtual std::optional<double> smoothness() const = 0;
    virtual std::optional<Vector> curvature_diagonal() const = 0;
    virtual bool convex() const = 0;
    virtual Names variable_names() const = 0;
    virtual const LinearModel* as_linear_model() const = 0;
    virtual const Quadratic* as_quadratic() const = 0;
  };

  template <class F>
  struct Model final : Interface {
    explicit Model(F f) : objective(std::move(f)) {}
    F objective;

    Index dimension() const override { return objective.dimension(); }
    Index sample_count() const override { return objective.sample_count(); }
    void gradient(ConstVectorRef x, Sample sample, VectorRef out) const override {
      objective.gradient(x, sample, out);
    }
    std::optional<double> value(ConstVectorRef x, Sample sample) const override {
      if constexpr (optional_member::Value<F>) return objective.value(x, sample);
      return std::nullopt;
    }
    void batch_gradient(ConstVectorRef x, std::span<const Sample> samples, VectorRef out) const override {
      if constexpr (optional_member::BatchGradient<F>) return objective.batch_gradient(x, samples, out);
      objective.gradient(x, samples.front(), out);
      if (samples.size() == 1) return;
      detail::Scratch<double> one(x.size());
      for (const Sample sample : samples.subspan(1)) {
        objective.gradient(x, sample, one.vector());
        out += one.vector();
      }
      out /= static_cast<double>(samples.size());
    }
    std::optional<double> batch_value(ConstVectorRef x, std::span<const Sample> samples) const override {
      if constexpr (optional_member::BatchValue<F>) return objective.batch_value(x, samples);
      if constexpr (optional_member::Value<F>) {
        double sum = 0;
        for (const Sample sample : samples) sum += objective.value(x, sample);
        return sum / static_cast<double>(samples.size());
      }
      return std::nullopt;
    }
    bool spread_over_processes() const override {
      if constexpr (optional_member::SpreadOverProcesses<F>) return objective.spread_over_processes();
      return false;
    }
    bool thread_safe() const override { return optional_member::ThreadSafe<F>; }
    bool has_value() const override { return optional_member::Value<F> || optional_member::MeanValue<F>; }
    bool has_mean_gradient() const override { return optional_member::MeanGradient<F>; }
    void mean_gradient(ConstVectorRef x, VectorRef out) const override {
      if constexpr (optional_member::MeanGradient<F>) {
        objective.mean_gradient(x, out);
      } else {
        out = sum_over_samples(Vector(Vector::Zero(x.size())), [&](Index first, Index last, Vector& sum) {
          Vector one(x.size());
          for (Index i = first; i < last; ++i) {
            objective.gradient(x, static_cast<Sample>(i), one);
            sum += one;
          }
        });
        out /= static_cast<double>(sample_count());
      }
    }
    std::optional<double> mean_value(ConstVectorRef x) const override {
      if constexpr (optional_member::MeanValue<F>) return objective.mean_value(x);
      if constexpr (optional_member::Value<F>) {
        if (sample_count() == endless) return std::nullopt;
        const double sum = sum_over_samples(0.0, [&](Index first, Index last, double& part) {
          for (Index i = first; i < last; ++i) part += objective.value(x, static_cast<Sample>(i));
        });
        return sum / static_cast<double>(sample_count());
      }
      return std::nullopt;
    }
    std::optional<double> value_and_gradient(ConstVectorRef x, VectorRef out) const override {
      if constexpr (optional_member::ValueAndGradient<F>) return objective.value_and_gradient(x, out);
      const auto value = mean_value(x);
      if (value) mean_gradient(x, out);
      return value;
    }
    bool has_hessian_product() const override { return optional_member::HessianProduct<F>; }
    bool has_hessian() const override { return optional_member::Hessian<F>; }
    void hessian_product(ConstVectorRef x, ConstVectorRef direction, VectorRef out) const override {
      if constexpr (optional_member::HessianProduct<F>) {
        objective.hessian_product(x, direction, out);
      } else if constexpr (optional_member::Hessian<F>) {
        Matrix all(x.size(), x.size());
        objective.hessian(x, all);
        out = all * direction;
      } else {
        throw InputError("the objective offers no second derivatives");
      }
    }
    void hessian(ConstVectorRef x, Matrix& out) const override {
      out.resize(x.size(), x.size());
      if constexpr (optional_member::Hessian<F>) {
        objective.hessian(x, out);
      } else {
        for (Index j = 0; j < x.size(); ++j) hessian_product(x, Vector::Unit(x.size(), j), out.col(j));
      }
    }
    std::optional<double> smoothness() const override {
      if constexpr (optional_member::Smoothness<F>) return objective.smoothness();
      return std::nullopt;
    }
    std::optional<Vector> curvature_diagonal() const override {
      if constexpr (optional_member::CurvatureDiagonal<F>) return objective.curvature_diagonal();
      return std::nullopt;
    }
    bool convex() const override {
      if constexpr (optional_member::Convex<F>) return objective.convex();
      return false;
    }
    Names variable_names() const override {
      if constexpr (optional_member::VariableNames<F>) return objective.variable_names();
      return {};
    }
    const LinearModel* as_linear_model() const override {
      if constexpr (std::same_as<F, LinearModel>) return &objective;
      return nullptr;
    }
    const Quadratic* as_quadratic() const override {
      if constexpr (std::same_as<F, Quadratic>) return &objective;
      return nullptr;
    }
    template <class Result, class Compute>
    Result sum_over_samples(const Result& zero, const Compute& compute) const {
      return sum_over_chunks(sample_count(), thread_safe() ? threads_in_use() : 1, zero, compute);
    }
  };

  std::shared_ptr<const Interface> self_;
  std::shared_ptr<const Processes> batches_over_;  // null: this process evaluates batches whole
};

inline AnyObjective AnyObjective::with_batches_over(std::shared_ptr<const Processes> processes) const {
  AnyObjective copy = *this;
  copy.batches_over_ = std::move(processes);
  return copy;
}

inline void AnyObjective::batch_gradient(ConstVectorRef x, std::span<const Sample> samples,
                                         VectorRef out) const {
  if (!batches_over_) return self_->batch_gradient(x, samples, out);
  const auto processes = static_cast<std::size_t>(batches_over_->count());
  detail::Scratch<double> one(x.size());
  out.setZero();
  for (auto k = static_cast<std::size_t>(batches_over_->number()); k < samples.size(); k += processes) {
    self_->gradient(x, samples[k], one.vector());
    out += one.vector();
  }
  batches_over_->sum(out);
  out /= static_cast<double>(samples.size());
}

}  // namespace bridle
