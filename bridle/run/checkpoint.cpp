#include "bridle/run/checkpoint.hpp"

#include <fstream>
#include <iterator>

#include "bridle/core/archive.hpp"
#include "bridle/core/atomic_file.hpp"

namespace bridle {
namespace {

const std::string magic = "BRIDLE checkpoint 3\n";

}  // namespace

std::uint64_t fingerprint(const Problem& problem, const SolveOptions& options) {
  ArchiveWriter a;
  const Rows& rows = problem.rows();
  a(problem.dimension(), rows.count(), rows.lower, rows.upper, rows.names, problem.variable_names());
  for (Index i = 0; i < rows.count(); ++i)
    for (SparseRows::InnerIterator it(rows.matrix, i); it; ++it) a(i, it.col(), it.value());
  // The objective and the set, through what they answer.
  const Vector x = problem.starting_point();
  Vector probe = x + Vector::LinSpaced(x.size(), 0.5, 1.5), gradient(x.size());
  const Index count = problem.objective().sample_count();
  a(x, count);
  for (const Sample sample : {Sample{0}, static_cast<Sample>(count > 1 ? count / 2 : 0),
                              static_cast<Sample>(count > 1 ? count - 1 : 0)}) {
    problem.objective().gradient(probe, sample, gradient);
    a(gradient);
  }
  if (problem.objective().has_exact_mean()) {  // every sample of a finite sum has its say
    problem.objective().mean_gradient(probe, gradient);
    a(gradient);
  }
  if (const SmoothRows& smooth = problem.smooth_rows(); smooth.count() > 0)
    a(smooth.lower, smooth.upper, smooth.names, smooth.value(x), smooth.value(probe));
  problem.set().project(probe);
  a(probe, options.absolute, options.seed, options.algorithm, options.source, options.curvature,
    options.batch, options.sampling, options.output, options.dual_bound, options.literal_draws,
    options.start_multipliers, options.refit_multipliers, options.finish, options.second_order,
    options.post_process, options.constants.has_value());
  if (const auto& c = options.constants)
    a(c->smoothness, c->mean_smoothness, c->row_norm, c->error_bound, c->rho);
  if (const auto& c = options.safeguard)
    a(c->largest_value, c->lowest_value, c->diameter, c->largest_residual, c->slater);
  if (options.given)
    a(options.given->parameters, options.given->schedule, options.given->metric, options.given->columns);
  return checksum(a.bytes());
}

void write_checkpoint(const std::string& path, std::uint64_t mark, const std::string& payload) {
  ArchiveWriter header;
  header(mark, payload.size());
  std::string bytes = magic + header.bytes() + payload;
  ArchiveWriter footer;
  footer(checksum(bytes));
  bytes += footer.bytes();

  AtomicFile file(path, "cannot write the checkpoint");
  file.write(bytes);
  file.put_in_place();
}

std::optional<std::string> read_checkpoint(const std::string& path, std::uint64_t mark) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const std::size_t overhead = magic.size() + 3 * sizeof(std::uint64_t);
  if (bytes.size() < overhead || bytes.compare(0, magic.size(), magic) != 0)
    throw InputError(path, 0, "not a checkpoint of this version of Bridle");

  const std::string covered = bytes.substr(0, bytes.size() - sizeof(std::uint64_t));
  ArchiveReader numbers(bytes.substr(magic.size(), 2 * sizeof(std::uint64_t)) + bytes.substr(covered.size()));
  std::uint64_t found_mark = 0, size = 0, sum = 0;
  numbers(found_mark, size, sum);
  if (size != bytes.size() - overhead || sum != checksum(covered))
    throw InputError(path, 0,
                     "the checkpoint is damaged (its checksum does not match); delete it to start anew");
  if (found_mark != mark)
    throw InputError(path, 0,
                     "the checkpoint belongs to another problem or other options; delete it to start anew");
  return bytes.substr(magic.size() + 2 * sizeof(std::uint64_t), size);
}

}  // namespace bridle
