#include "convert.hpp"

#include <cmath>
#include <string_view>

#include "bridle/core/error.hpp"

namespace bridle::python {
namespace {

std::string shape_of(const py::array& array) {
  std::string out = "(";
  for (py::ssize_t k = 0; k < array.ndim(); ++k) out += (k > 0 ? ", " : "") + std::to_string(array.shape(k));
  return out + ")";
}

Array numbers(const py::handle& object, const std::string& what, py::ssize_t dimensions) {
  Array out = real_numbers(object, what);
  if (out.ndim() != dimensions)
    throw InputError(what + " has shape " + shape_of(out) + "; " + std::to_string(dimensions) +
                     (dimensions == 1 ? " dimension is required" : " dimensions are required"));
  return out;
}

// The parts of compressed rows, as they are.
struct Compressed {
  py::array_t<double> values;
  py::array_t<int> columns, starts;
  Index rows, cols;

  Compressed(const py::tuple& csr, const std::string& what) {
    if (csr.size() != 5 || !py::isinstance<py::array_t<double>>(csr[0]) ||
        !py::isinstance<py::array_t<int>>(csr[1]) || !py::isinstance<py::array_t<int>>(csr[2]))
      throw InputError(what + ": compressed rows need doubles and 32-bit indices");
    values = csr[0].cast<py::array_t<double>>();
    columns = csr[1].cast<py::array_t<int>>();
    starts = csr[2].cast<py::array_t<int>>();
    rows = csr[3].cast<Index>();
    cols = csr[4].cast<Index>();
    check(what);
  }
  SparseView view() const { return {values.data(), columns.data(), starts.data(), rows, cols}; }

 private:
  void check(const std::string& what) const {
    const auto contiguous = [](const py::array& a) {
      return a.ndim() == 1 && (a.flags() & py::array::c_style);
    };
    if (!contiguous(values) || !contiguous(columns) || !contiguous(starts) || rows < 0 || cols < 0 ||
        starts.size() != rows + 1 || starts.data()[0] != 0 || starts.data()[rows] > values.size() ||
        starts.data()[rows] > columns.size())
      throw InputError(what + ": these are no compressed rows");
    for (Index i = 0; i < rows; ++i) {
      if (starts.data()[i] > starts.data()[i + 1]) throw InputError(what + ": these are no compressed rows");
      int before = -1;
      for (int k = starts.data()[i]; k < starts.data()[i + 1]; ++k) {
        const int j = columns.data()[k];
        if (j <= before || j >= cols)
          throw InputError(what + ": row " + std::to_string(i) + " has column " + std::to_string(j) +
                           "; columns must rise and lie below " + std::to_string(cols));
        before = j;
      }
    }
  }
};

[[noreturn]] void refuse(Index row, Index column, double value) {
  throw InputError("linear model: X has " + std::to_string(value) + " in row " + std::to_string(row) +
                   ", column " + std::to_string(column) + "; a finite number is required");
}

template <class Scalar>
Features dense_view(const py::array& array) {
  const auto* data = static_cast<const Scalar*>(array.data());
  const Index rows = array.shape(0), columns = array.shape(1);
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < columns; ++j)
      if (!std::isfinite(data[i * columns + j])) refuse(i, j, data[i * columns + j]);
  return {DenseView<Scalar>(data, rows, columns), keep(array)};
}

}  // namespace

std::shared_ptr<const void> keep(py::object object) {
  auto* held = new py::object(std::move(object));
  return {held, [](const py::object* kept) {
            const py::gil_scoped_acquire lock;
            delete kept;
          }};
}

Array real_numbers(const py::handle& object, const std::string& what) {
  if (py::isinstance<Array>(object)) return py::reinterpret_borrow<Array>(object);
  const py::array any = py::array::ensure(object);
  if (any && std::string_view("fiubO").find(any.dtype().kind()) != std::string_view::npos)
    if (const Array out = Array::ensure(any)) return out;
  PyErr_Clear();
  throw InputError(what + " must be made of real numbers");
}

Vector vector_of(const py::handle& array, const std::string& what) {
  const Array in = numbers(array, what, 1);
  return Eigen::Map<const Vector>(in.data(), in.size());
}

py::array_t<double> array_of(const Vector& vector) {
  return py::array_t<double>(vector.size(), vector.data());
}

SparseRows sparse_rows_of(const py::tuple& csr, const std::string& what) {
  return Compressed(csr, what).view().matrix();
}

Matrix matrix_of(const py::handle& matrix, const std::string& what) {
  const Array in = numbers(matrix, what, 2);
  return Eigen::Map<const DenseRows<double>>(in.data(), in.shape(0), in.shape(1));
}

SparseRows rows_of(const py::handle& matrix, const std::string& what) {
  if (py::isinstance<py::tuple>(matrix)) return sparse_rows_of(matrix.cast<py::tuple>(), what);
  return matrix_of(matrix, what).sparseView();
}

Features features_of(const py::handle& data) {
  if (py::isinstance<py::tuple>(data)) {
    const auto tuple = data.cast<py::tuple>();
    const Compressed csr(tuple, "linear model: X");
    for (Index i = 0; i < csr.rows; ++i)
      csr.view().for_each(i, [&](Index j, double value) {
        if (!std::isfinite(value)) refuse(i, j, value);
      });
    return {csr.view(), keep(tuple)};
  }
  const auto array = data.cast<py::array>();
  if (array.ndim() != 2)
    throw InputError("linear model: X has shape " + shape_of(array) + "; 2 dimensions are required");
  if (!(array.flags() & py::array::c_style)) throw InputError("linear model: X must be C-contiguous");
  if (py::isinstance<py::array_t<double>>(array)) return dense_view<double>(array);
  if (py::isinstance<py::array_t<float>>(array)) return dense_view<float>(array);
  throw InputError("linear model: X must hold doubles or floats");
}

}  // namespace bridle::python
