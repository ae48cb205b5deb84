#include "callables.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "bridle/core/error.hpp"

#include "random_bits.hpp"
#include "run.hpp"

namespace bridle::python {
namespace {

constexpr Index most_indices = 65'536;  // of one call, when all samples are asked for

template <class Number>
py::array_t<Number> fresh(Index size) {
  return py::array_t<Number>(static_cast<py::ssize_t>(size));
}

// An array for a call: the last one, unless somebody has kept it.
template <class Number>
Number* reuse(py::array_t<Number>& array, Index size) {
  if (array.ref_count() != 1 || array.size() != size) array = fresh<Number>(size);
  return array.mutable_data();
}

const py::object& function_of(const std::shared_ptr<const void>& kept) {
  return *static_cast<const py::object*>(kept.get());
}

py::array_t<double> copy_of(ConstVectorRef x) { return py::array_t<double>(x.size(), x.data()); }

// call() once more after a first Ctrl-C, which then ends the run.
template <class Call>
py::object patiently(const Call& call) {
  py::object out = py::reinterpret_steal<py::object>(call());
  if (!out && Run::current() && Run::current()->takes_error())
    out = py::reinterpret_steal<py::object>(call());
  if (!out) throw py::error_already_set();
  return out;
}

py::object call_patiently(const py::object& function, const py::object& x) {
  return patiently([&] { return PyObject_CallFunctionObjArgs(function.ptr(), x.ptr(), nullptr); });
}

void check_square(const Matrix& matrix, Index n, const char* what) {
  if (matrix.rows() != n || matrix.cols() != n)
    throw py::value_error(std::string(what) + " returned a " + std::to_string(matrix.rows()) + " x " +
                          std::to_string(matrix.cols()) + " matrix; " + std::to_string(n) + " x " +
                          std::to_string(n) + " is required");
}

}  // namespace

struct Callable::State {
  py::object function;
  py::array_t<double> x = fresh<double>(0);
  py::array_t<std::int64_t> indices = fresh<std::int64_t>(0);
  std::unique_ptr<RandomBits> bits = {};
  std::uint64_t calls = 0;
  bool busy = false;
  // Of the last call with a random sample.
  Vector last_x = {};
  Sample last_sample = 0;
  double last_value = 0;
};

Callable::Callable(py::object function, Kind kind, Index dimension) : kind_(kind), dimension_(dimension) {
  auto* state = new State{std::move(function)};
  state_ = {state, [](State* old) {
              const py::gil_scoped_acquire lock;
              delete old;
            }};
  if (kind == Kind::random) state->bits = std::make_unique<RandomBits>();
}

std::uint64_t Callable::calls() const { return state_->calls; }

double Callable::operator()(ConstVectorRef x, std::span<const Sample> samples, VectorRef gradient) const {
  const py::gil_scoped_acquire lock;
  ++state_->calls;
  if (state_->busy)
    return Callable(state_->function, kind_, dimension_)(x, samples, gradient);  // other thread
  struct Busy {
    bool& flag;
    explicit Busy(bool& f) : flag(f) { flag = true; }
    ~Busy() { flag = false; }
  } const busy(state_->busy);
  const double value = call(*state_, x, samples, gradient);
  if (kind_ == Kind::random) {
    state_->last_x = x;
    state_->last_sample = samples.front();
    state_->last_value = value;
  }
  return value;
}

double Callable::value(ConstVectorRef x, Sample sample) const {
  {
    const py::gil_scoped_acquire lock;
    const State& s = *state_;
    if (!s.busy && s.last_sample == sample && s.last_x.size() == x.size() && s.last_x == x)
      return s.last_value;
  }
  Vector unused(dimension_);
  return (*this)(x, std::span(&sample, 1), unused);
}

double Callable::call(State& state, ConstVectorRef x, std::span<const Sample> samples,
                      VectorRef gradient) const {
  PyObject* second = nullptr;
  if (kind_ == Kind::indices) {
    std::int64_t* indices = reuse(state.indices, static_cast<Index>(samples.size()));
    std::copy(samples.begin(), samples.end(), indices);
    second = state.indices.ptr();
  } else if (kind_ == Kind::random) {
    second = state.bits->generator().ptr();
  }
  const py::object answer = patiently([&] {
    std::memcpy(reuse(state.x, x.size()), x.data(), sizeof(double) * static_cast<std::size_t>(x.size()));
    if (kind_ == Kind::random) state.bits->restart(samples.front());
    return PyObject_CallFunctionObjArgs(state.function.ptr(), state.x.ptr(), second, nullptr);
  });
  if (!(PyTuple_Check(answer.ptr()) || PyList_Check(answer.ptr())) ||
      PySequence_Fast_GET_SIZE(answer.ptr()) != 2)
    throw py::type_error("fun must return a tuple (value, gradient), and returned " +
                         std::string(Py_TYPE(answer.ptr())->tp_name));
  const double value = PyFloat_AsDouble(PySequence_Fast_GET_ITEM(answer.ptr(), 0));
  if (value == -1 && PyErr_Occurred()) throw py::error_already_set();
  const Array out = real_numbers(PySequence_Fast_GET_ITEM(answer.ptr(), 1), "the gradient of fun");
  if (out.ndim() != 1 || out.size() != dimension_)
    throw py::value_error("fun returned a gradient of " + std::to_string(out.size()) + " entries in " +
                          std::to_string(out.ndim()) + " dimensions; a vector of " +
                          std::to_string(dimension_) + " is required");
  gradient = Eigen::Map<const Vector>(out.data(), out.size());
  return value;
}

FiniteObjective::FiniteObjective(Callable callable, Index samples)
    : callable_(std::move(callable)), samples_(samples), known_(std::make_shared<Known>()) {
  if (samples < 1)
    throw InputError("a finite sum of " + std::to_string(samples) + " samples; at least 1 is required");
}

double FiniteObjective::batch_value(ConstVectorRef x, std::span<const Sample> samples) const {
  Vector unused(dimension());
  return callable_(x, samples, unused);
}

double FiniteObjective::mean_value(ConstVectorRef x) const {
  Vector unused(dimension());
  return value_and_gradient(x, unused);
}

double FiniteObjective::value_and_gradient(ConstVectorRef x, VectorRef out) const {
  {
    const py::gil_scoped_acquire lock;  // guards what is known
    if (known_->x.size() == x.size() && known_->x == x) {
      out = known_->gradient;
      return known_->value;
    }
  }
  double value = 0;
  Vector part(dimension()), sum = Vector::Zero(dimension());
  std::vector<Sample> samples;
  for (Index first = 0; first < samples_; first += most_indices) {
    const Index count = std::min(most_indices, samples_ - first);
    samples.resize(static_cast<std::size_t>(count));
    std::iota(samples.begin(), samples.end(), static_cast<Sample>(first));
    const double share = static_cast<double>(count) / static_cast<double>(samples_);
    value += share * callable_(x, samples, part);
    sum += share * part;
  }
  const py::gil_scoped_acquire lock;
  *known_ = {x, sum, value};
  out = sum;
  return value;
}

void CurvedObjective::hessian(ConstVectorRef x, Matrix& out) const {
  const py::gil_scoped_acquire lock;
  out = matrix_of(call_patiently(function_of(hessian_), copy_of(x)), "hess(x)");
  check_square(out, dimension(), "hess");
}

void CallableConstraint::value(ConstVectorRef x, VectorRef out) const {
  const py::gil_scoped_acquire lock;
  const Vector value = vector_of(call_patiently(function_of(value_), copy_of(x)), "a constraint's value");
  if (value.size() != count_)
    throw py::value_error("a constraint returned " + std::to_string(value.size()) + " values and before " +
                          std::to_string(count_));
  out = value;
}

void CallableConstraint::jacobian(ConstVectorRef x, SparseRows& out) const {
  const py::gil_scoped_acquire lock;
  out = rows_of(call_patiently(function_of(jacobian_), copy_of(x)), "a constraint's Jacobian");
  if (out.rows() != count_ || out.cols() != dimension_)
    throw py::value_error("a constraint's Jacobian is " + std::to_string(out.rows()) + " x " +
                          std::to_string(out.cols()) + "; " + std::to_string(count_) + " x " +
                          std::to_string(dimension_) + " is required");
}

void CurvedConstraint::hessian(ConstVectorRef x, ConstVectorRef multipliers, Matrix& out) const {
  const py::gil_scoped_acquire lock;
  const py::object answer = patiently([&] {
    return PyObject_CallFunctionObjArgs(function_of(hessian_).ptr(), copy_of(x).ptr(),
                                        copy_of(multipliers).ptr(), nullptr);
  });
  out = matrix_of(answer, "a constraint's hess(x, v)");
  check_square(out, dimension(), "a constraint's hess");
}

}  // namespace bridle::python
