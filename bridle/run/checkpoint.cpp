#include "bridle/run/checkpoint.hpp"

#include "bridle/core/archive.hpp"
#include "bridle/core/atomic_file.hpp"
#include "bridle/core/input_file.hpp"

namespace bridle {
namespace {

const std::string magic = "BRIDLE checkpoint 5\n";

}  // namespace

void refuse_what_is_no_checkpoint(const std::string& path) {
  const auto bytes = read_own(path);
  if (bytes && !bytes->empty() && !bytes->starts_with("BRIDLE checkpoint"))
    throw InputError(path, 0,
                     "is no checkpoint, and would be replaced by one; give the checkpoint another name");
}

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
    options.batch, options.workers, options.sampling, options.output, options.dual_bound,
    options.literal_draws, options.start_multipliers, options.refit_multipliers, options.finish,
    options.second_order, options.post_process, options.constants.has_value());
  if (const auto& c = options.constants)
    a(c->smoothness, c->mean_smoothness, c->row_norm, c->error_bound, c->rho);
  const KnownConstants& known = options.known;
  a(known.smoothness, known.mean_smoothness, known.row_norm, known.error_bound, known.rho);
  if (const auto& c = options.safeguard)
    a(c->largest_value, c->lowest_value, c->diameter, c->largest_residual, c->slater);
  if (options.given)
    a(options.given->parameters, options.given->schedule, options.given->metric, options.given->columns);
  return checksum(a.bytes());
}

void write_checkpoint(const std::string& path, std::uint64_t fingerprint, const std::string& payload) {
  ArchiveWriter header;
  header(fingerprint, payload.size());
  std::string bytes = magic + header.bytes() + payload;
  ArchiveWriter footer;
  footer(checksum(bytes));
  bytes += footer.bytes();

  AtomicFile file(path, "cannot write the checkpoint");
  file.write(bytes);
  file.put_in_place();
}

std::optional<std::string> read_checkpoint(const std::string& path, std::uint64_t fingerprint) {
  // One that is there but cannot be read is an error: a run that started anew would replace it.
  const auto read = read_own(path);
  if (!read) return std::nullopt;
  const std::string& bytes = *read;
  const std::size_t overhead = magic.size() + 3 * sizeof(std::uint64_t);
  if (bytes.size() < overhead || bytes.compare(0, magic.size(), magic) != 0)
    throw InputError(path, 0, "not a checkpoint of this version of Bridle");

  const std::string covered = bytes.substr(0, bytes.size() - sizeof(std::uint64_t));
  ArchiveReader numbers(bytes.substr(magic.size(), 2 * sizeof(std::uint64_t)) + bytes.substr(covered.size()));
  std::uint64_t found = 0, size = 0, sum = 0;
  numbers(found, size, sum);
  if (size != bytes.size() - overhead || sum != checksum(covered))
    throw InputError(path, 0,
                     "the checkpoint is damaged (its checksum does not match); delete it to start anew");
  if (found != fingerprint)
    throw InputError(path, 0,
                     "the checkpoint belongs to another problem or other options; delete it to start anew");
  return bytes.substr(magic.size() + 2 * sizeof(std::uint64_t), size);
}

}  // namespace bridle
