#include "bridle/apps/data/covariance.hpp"

#include "bridle/apps/data/encoding.hpp"
#include "bridle/core/error.hpp"

namespace bridle {

std::vector<SensitiveAttribute> sensitive_attributes(const io::Table& table, const std::string& name) {
  const io::Column& column = table.only_column(name);
  const std::string row_name = "cov_" + safe_name(name);
  if (column.numeric) {
    for (const double v : column.numbers)
      if (v != column.numbers.front()) return {{row_name, column.numbers}};
    throw InputError(table.file, 0, "sensitive column '" + name + "' is constant");
  }
  if (column.categories.size() < 2)
    throw InputError(table.file, 0, "sensitive column '" + name + "' is constant");
  std::vector<SensitiveAttribute> out;
  const std::size_t groups = column.categories.size() == 2 ? 1 : column.categories.size();
  for (std::size_t group = 0; group < groups; ++group) {
    SensitiveAttribute attribute{
        groups == 1 ? row_name : row_name + "." + safe_name(column.categories[group]), {}};
    for (const auto code : column.codes)
      attribute.values.push_back(code == static_cast<std::int32_t>(group) ? 1 : 0);
    out.push_back(std::move(attribute));
  }
  return out;
}

Vector covariance_coefficients(const std::vector<double>& attribute, const std::vector<bool>& kept) {
  const auto is_kept = [&](std::size_t i) { return kept.empty() || kept[i]; };
  // The mean in two parts: moments of seconds since 1970 differ by less than the rounding of their sum.
  long double count = 0, mean = 0;
  const auto mean_of_rest = [&] {
    long double sum = 0;
    count = 0;
    for (std::size_t i = 0; i < attribute.size(); ++i)
      if (is_kept(i)) count += 1, sum += attribute[i] - mean;
    return count > 0 ? sum / count : 0;
  };
  mean = mean_of_rest();
  const long double rest = mean_of_rest();
  Vector out = Vector::Zero(static_cast<Index>(attribute.size()));
  for (std::size_t i = 0; i < attribute.size(); ++i)
    if (is_kept(i)) out[static_cast<Index>(i)] = static_cast<double>((attribute[i] - mean - rest) / count);
  return out;
}

Vector covariance_row(const Features& features, const Vector& coefficients) {
  constexpr long double rounding = 1e-15L;  // of the coefficients
  using Wide = Eigen::Matrix<long double, Eigen::Dynamic, 1>;
  Wide sum = Wide::Zero(features.columns()), added_up = sum;
  features.for_each_of(0, features.rows(), [&](Index i, Index j, double value) {
    if (coefficients[i] == 0) return;
    sum[j] += static_cast<long double>(coefficients[i]) * value;
    added_up[j] += std::abs(static_cast<long double>(coefficients[i]) * value);
  });
  return (sum.array().abs() <= rounding * added_up.array()).select(0, sum).cast<double>();
}

void bound_covariance(Problem& problem, const Features& features,
                      const std::vector<SensitiveAttribute>& attributes, double bound) {
  if (!(bound >= 0) || !is_finite(bound))
    throw InputError("the covariance bound is " + std::to_string(bound) + "; it must be finite and >= 0");
  Matrix rows(static_cast<Index>(attributes.size()), features.columns());
  Names names;
  for (std::size_t k = 0; k < attributes.size(); ++k) {
    rows.row(static_cast<Index>(k)) = covariance_row(features, covariance_coefficients(attributes[k].values));
    names.push_back(attributes[k].name);
  }
  problem.subject_to(rows, Vector::Constant(rows.rows(), -bound), Vector::Constant(rows.rows(), bound),
                     names);
}

}  // namespace bridle
