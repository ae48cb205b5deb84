#include "bridle/apps/statement/problem_file.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "bridle/apps/data/covariance.hpp"
#include "bridle/apps/data/many_files.hpp"
#include "bridle/apps/data/program_rows.hpp"
#include "bridle/apps/statement/balls.hpp"
#include "bridle/apps/statement/objective_section.hpp"
#include "bridle/apps/statement/rates.hpp"
#include "bridle/apps/statement/toml_file.hpp"
#include "bridle/apps/statement/variables_section.hpp"
#include "bridle/core/sampling.hpp"
#include "bridle/io/libsvm.hpp"
#include "bridle/io/line_reader.hpp"
#include "bridle/problem/objectives/row_exchange.hpp"
#include "bridle/problem/sets/box.hpp"

namespace bridle {
namespace {

// The columns named in [constraints] covariance: no features, but sources of rows.
std::map<std::string, double> read_covariance(TomlSection& constraints) {
  std::map<std::string, double> out;
  const toml::node* node = constraints.find("covariance");
  if (!node) return out;
  const auto* table = node->as_table();
  if (!table) throw constraints.error(*node, "covariance", "must be a table such as { sex = 0.001 }");
  for (const auto& [key, value] : *table) {
    const double bound = constraints.number(value, "covariance." + std::string(key.str()));
    if (!(bound >= 0)) throw constraints.error(value, "covariance", "bounds must be >= 0");
    out[std::string(key.str())] = bound;
  }
  return out;
}

// A multi-line string with blank lines before it, so that its lines count as those of the file.
std::string at_its_lines(const std::string& text, const toml::node& node) {
  const auto last = static_cast<long>(node.source().end.line);
  const long before = last - 1 - std::count(text.begin(), text.end(), '\n');
  return std::string(static_cast<std::size_t>(std::max(0L, before)), '\n') + text;
}

// What is no row and no bound of a program under [constraints].
void note_what_is_left_out(const io::LinearProgram& program, const std::string& path, Names& notes) {
  const bool integers =
      std::find(program.integer.begin(), program.integer.end(), true) != program.integer.end();
  if (integers) notes.push_back(path + ": [constraints] lp: integer variables are treated as continuous");
  if (program.cost.cwiseAbs().sum() > 0 || program.hessian.nonZeros() > 0)
    notes.push_back(path + ": [constraints] lp: its objective is not taken, its rows and bounds are");
}

StatedProblem from_program(const std::string& path) {
  StatedObjective stated = objective_of(io::read_linear_program(path), path, 0);
  const io::LinearProgram& program = *stated.program;
  Problem problem(stated.objective);
  problem.name_variables(program.variables);
  Bounds bounds{program.lower, program.upper};
  add_program(problem, program, path, bounds);
  problem.within(Box(bounds.lower, bounds.upper));
  return {std::move(problem), stated.description, stated.notes};
}

bool has_extension(std::string path, std::initializer_list<const char*> extensions) {
  std::transform(path.begin(), path.end(), path.begin(), [](unsigned char c) { return std::tolower(c); });
  if (path.ends_with(".gz")) path.resize(path.size() - 3);
  return std::any_of(extensions.begin(), extensions.end(), [&](const char* e) { return path.ends_with(e); });
}

toml::table parse_problem(const std::string& path) {
  try {
    return parse_toml(path);
  } catch (const InputError& error) {
    if (has_extension(path, {".toml"}) || !std::filesystem::is_regular_file(path)) throw;
    throw InputError(error.what() + std::string("; a problem file is TOML, or an .lp, .mps or .qps file"));
  }
}

bool rows_are_built_from_data(const toml::table& root) {
  const auto constraints = root["constraints"];
  return constraints["covariance"] || constraints["rate"];
}

// Data files that ranks can read by themselves: not where rows are built from the data of all.
Index separate_files(const std::string& path) {
  if (has_extension(path, {".lp", ".mps", ".qps"})) return 0;
  const toml::table root = parse_problem(path);
  const auto* files = root["objective"]["data"].as_array();
  return files && !rows_are_built_from_data(root) ? static_cast<Index>(files->size()) : 0;
}

bool has_a_line(const std::string& file, io::ByteRange range) {
  io::LineReader reader(file, range);
  std::string_view line;
  while (reader.next(line))
    if (line.find_first_not_of(" \t") != std::string_view::npos) return true;
  return false;
}

// Whether ranks can read a part each of the one data file that there is: not compressed, and of LIBSVM so
// long that none goes without a line. Of CSV that shows when it is read.
bool one_file_for_all(const std::string& path, const Ranks& ranks) {
  constexpr double bytes_of_a_part = 1 << 16;
  if (has_extension(path, {".lp", ".mps", ".qps"})) return false;
  const toml::table root = parse_problem(path);
  const auto file = root["objective"]["data"].value<std::string>();
  if (!file) return false;
  const std::string where = resolve(std::filesystem::path(path).parent_path().string(), *file);
  const auto part = io::part_of_file(where, static_cast<std::size_t>(ranks.rank()),
                                     static_cast<std::size_t>(ranks.ranks()));
  if (!part || static_cast<double>(std::filesystem::file_size(where)) < bytes_of_a_part * ranks.ranks())
    return false;
  const auto format = root["objective"]["format"].value<std::string>();
  const bool libsvm = format ? *format == "libsvm" : io::looks_like_libsvm(where);
  if (!libsvm) return !rows_are_built_from_data(root);
  const FileShare all{ranks, 1, 0, 1, true};
  const auto have = values_of_all(&all, Index{has_a_line(where, *part)});
  return std::find(have.begin(), have.end(), 0) == have.end();
}

}  // namespace

StatedProblem read_problem(const std::string& path, const FileShare* share) {
  if (has_extension(path, {".lp", ".mps", ".qps"})) return from_program(path);
  const toml::table root = parse_problem(path);
  const std::string folder = std::filesystem::path(path).parent_path().string();
  TomlSection top(path, "the file", &root);
  const auto section = [&](const char* name) {
    const toml::node* node = top.find(name);
    if (node && !node->is_table())
      throw top.error(*node, name, std::string("must be a section [") + name + "]");
    return TomlSection(path, name, node ? node->as_table() : nullptr);
  };
  TomlSection objective = section("objective"), variables = section("variables"),
              constraints = section("constraints");
  section("network");
  top.refuse_unknown_keys();
  if (!objective.present()) throw InputError(path, 0, "the section [objective] is missing");

  const auto covariance = read_covariance(constraints);
  Names sensitive;
  for (const auto& [column, bound] : covariance) sensitive.push_back(column);
  const auto rates = read_rates(constraints);
  for (const auto& rate : rates) {
    if (rate.groups == root["objective"]["target"].value<std::string>())
      throw InputError(path, rate.line,
                       "[[constraints.rate]] groups '" + rate.groups + "' is the target itself");
    if (std::find(sensitive.begin(), sensitive.end(), rate.groups) == sensitive.end())
      sensitive.push_back(rate.groups);
  }
  StatedObjective stated = read_objective(objective, folder, sensitive, share);
  Problem problem(stated.objective);
  if (stated.program) problem.name_variables(stated.program->variables);

  Bounds bounds{Vector::Constant(problem.dimension(), -infinity),
                Vector::Constant(problem.dimension(), infinity)};
  Bounds of_constraints = bounds;
  if (stated.program) bounds = {stated.program->lower, stated.program->upper};
  if (const auto file = constraints.text("file")) {
    const std::string where = resolve(folder, *file);
    // The objective's file, named again for its rows, has the bounds of the objective's file.
    const bool again = stated.program && root["objective"]["file"].value<std::string>() == *file;
    add_program(problem, io::read_linear_program(where), where, bounds, again ? nullptr : &of_constraints);
  }
  if (const auto text = constraints.text("lp")) {
    const std::string placed = at_its_lines(*text, *constraints.find("lp"));
    const io::LinearProgram program = io::parse_lp(placed, path, io::DefaultBounds::free);
    add_program(problem, program, path, bounds, &of_constraints);
    note_what_is_left_out(program, path, stated.notes);
  }
  add_balls(problem, constraints);
  constraints.refuse_unknown_keys();
  for (const auto& [column, bound] : covariance) {
    if (!stated.table)
      throw InputError(path, constraints.line(), "covariance constraints need a linear model over CSV data");
    bound_covariance(problem, stated.objective.as_linear_model()->features(),
                     sensitive_attributes(*stated.table, column), bound);
  }
  for (const auto& rate : rates) {
    if (!stated.table) throw InputError(path, rate.line, "rates need a linear model over CSV data");
    add_rate(problem, rate, *stated.table, path);
  }
  problem.within(read_set(variables, problem.variable_names(), std::move(bounds), of_constraints));
  return {std::move(problem), stated.description, stated.notes, stated.file_rows, stated.samples};
}

namespace {

// What a rank has read of a linear model's samples: a part, which begins with sample `first`, or all of them.
// Of another objective there is no such model.
struct PartOfProblem {
  StatedProblem stated;
  std::optional<LinearModel> model = {};
  bool all = false;
  Index first = 0;
};

PartOfProblem read_part(const Ranks& ranks, const std::string& path) {
  const bool parts = one_file_for_all(path, ranks);
  const FileShare files =
      parts ? FileShare{ranks, 1, 0, 1, true} : FileShare::even(ranks, separate_files(path));
  bool all = ranks.ranks() == 1 || (!parts && files.files < ranks.ranks());
  const auto read = [&] {
    try {
      return read_problem(path, all ? nullptr : &files);
    } catch (const PartWithoutRows&) {
      all = true;
      return read_problem(path);
    }
  };
  PartOfProblem out{read()};
  out.all = all;
  const StatedProblem& stated = out.stated;
  const LinearModel* model = stated.problem.objective().as_linear_model();
  if (!model) return out;
  if (stated.problem.has_smooth_rows())
    throw InputError(path, 0, "smooth rows and data split over ranks do not go together");
  if (stated.samples < ranks.ranks())
    throw InputError(path, 0, fmt::format("{} ranks for {} samples", ranks.ranks(), stated.samples));
  out.model = *model;
  if (all) return out;
  const auto counts = values_of_all(&files, model->sample_count());
  out.first = std::accumulate(counts.begin(), counts.begin() + ranks.rank(), Index{0});
  return out;
}

}  // namespace

StatedProblem read_problem_over(const Ranks& ranks, const std::string& path,
                                const std::shared_ptr<const Processes>& processes) {
  auto [out, model, all, first] = read_part(ranks, path);
  if (!model) {
    out.problem = out.problem.with_objective(out.problem.objective().with_batches_over(processes));
    return out;
  }
  if (all) {
    const FileShare even = FileShare::even(ranks, out.samples);
    std::vector<Index> rows(static_cast<std::size_t>(even.count));
    std::iota(rows.begin(), rows.end(), first = even.first);
    model = model->part(rows);
  }
  out.problem = out.problem.with_objective(model->spread(first, out.samples, processes));
  return out;
}

StatedProblem read_problem_in_shares(const Ranks& ranks, const std::string& path, const Shares& workers,
                                     std::optional<std::uint64_t> shuffled) {
  auto [out, model, all, first] = read_part(ranks, path);
  if (!model)
    throw InputError(path, 0, "only the samples of a linear model can be split, and the objective is none");
  const Index total = out.samples;
  if (total < workers.count)
    throw InputError(path, 0, fmt::format("{} workers for {} samples", workers.count, total));
  std::optional<KeyedPermutation> order;
  if (shuffled) order.emplace(static_cast<std::uint64_t>(total), *shuffled);
  std::vector<Index> wanted;  // samples of the data as it is read, in the order of the shares here
  const bool as_read = all && !workers.among && !order;
  const Index end = first_of_share(total, workers.end(), workers.count);
  for (Index k = first_of_share(total, workers.first(), workers.count); k < end && !as_read; ++k)
    wanted.push_back(order ? static_cast<Index>((*order)(static_cast<std::uint64_t>(k))) : k);
  if (!all)
    model = model->with_rows(exchanged({model->features(), model->labels()}, first, wanted, *workers.among));
  else if (!as_read)
    model = model->part(wanted);
  out.problem = out.problem.with_objective(model->in_shares(workers, total));
  return out;
}

}  // namespace bridle
