#include "tests/fuzz/targets.hpp"

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <unistd.h>

#include "bridle/apps/consensus/network_file.hpp"
#include "bridle/apps/data/many_files.hpp"
#include "bridle/apps/slicing/generate.hpp"
#include "bridle/apps/slicing/instance_file.hpp"
#include "bridle/apps/slicing/slice.hpp"
#include "bridle/apps/statement/parameter_file.hpp"
#include "bridle/apps/statement/problem_file.hpp"
#include "bridle/core/archive.hpp"
#include "bridle/core/error.hpp"
#include "bridle/io/csv.hpp"
#include "bridle/io/libsvm.hpp"
#include "bridle/io/linear_program.hpp"
#include "bridle/problem/objectives/quadratic.hpp"
#include "bridle/report/fair/fair_json.hpp"
#include "bridle/report/json.hpp"
#include "bridle/run/checkpoint.hpp"
#include "bridle/run/solve.hpp"

namespace bridle::fuzz {
namespace {

namespace fs = std::filesystem;

// A folder in memory with files that problem files may name, removed at the end.
class Folder {
 public:
  Folder() : path_(fs::path("/dev/shm") / ("bridle-fuzz-" + std::to_string(::getpid()))) {
    fs::create_directories(path_);
    write("data.csv", "age,hours,income,sex\n25,30,high,f\n28,32,low,m\n31,34,low,f\n34,36,high,f\n");
    write("data.svm", "+1 1:0.5 3:1\n-1 2:0.25\n+1 1:1 2:1 3:1\n");
    write("rows.lp", "Subject To\n r: age + hours <= 2\nEnd\n");
    write("edges.csv", "0,1\n1,2,0.5\n0,2\n");
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  std::string write(const std::string& name, std::string_view bytes) const {
    const std::string path = (path_ / name).string();
    std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return path;
  }

 private:
  fs::path path_;
};

std::string as_file(const std::string& name, std::string_view bytes) {
  static const Folder folder;
  return folder.write(name, bytes);
}

Problem small_problem() {
  SparseColumns identity(2, 2);
  identity.setIdentity();
  Problem out(Quadratic(identity, Vector{{-1.0, -2.0}}));
  out.subject_to(Matrix::Ones(1, 2), Vector::Constant(1, -infinity), Vector::Constant(1, 2.0));
  return out;
}

void problem_toml(std::string_view bytes) { read_problem(as_file("p.toml", bytes)); }
void network_toml(std::string_view bytes) { read_network(as_file("n.toml", bytes), 1); }
void edges(std::string_view bytes) { read_edges(as_file("e.csv", bytes), 0.5); }
void csv(std::string_view bytes) {
  const std::string path = as_file("t.csv", bytes);
  io::read_csv(path, {.missing = io::Missing::keep, .separator = io::find_separator});
}
void libsvm(std::string_view bytes) { io::read_libsvm(as_file("t.svm", bytes), {.intercept = true}); }
void lp(std::string_view bytes) { io::read_linear_program(as_file("t.lp", bytes)); }
void mps(std::string_view bytes) { io::read_linear_program(as_file("t.mps", bytes)); }
void qps(std::string_view bytes) { io::read_linear_program(as_file("t.qps", bytes)); }
void topology(std::string_view bytes) { read_topology(as_file("t.txt", bytes)); }
void slice_instance(std::string_view bytes) {
  const SliceInstance instance = read_instance(as_file("i.toml", bytes));
  read_instance(as_file("again.toml", instance_text(instance)));  // what it writes it reads
}
void solution(std::string_view bytes) {
  static const Problem problem = small_problem();
  read_solution(as_file("s.json", bytes), problem);
}
void model(std::string_view bytes) { read_classifier(as_file("m.json", bytes)); }
void parameters(std::string_view bytes) { read_parameters(as_file("q.toml", bytes)); }

// The bytes behind a sound header and before a sound checksum, as a run would take them up.
void checkpoint(std::string_view bytes) {
  const Problem problem = small_problem();
  SolveOptions options{.samples = 50, .second_order = false};
  options.checkpoint = as_file("state", "");
  options.checkpoint_seconds = 1e9;
  options.resume = true;
  write_checkpoint(options.checkpoint, fingerprint(problem, options), std::string(bytes));
  const Result result = solve(problem, options);
  if (!result.x.allFinite() || !result.y.allFinite()) std::abort();
}
void checkpoint_file(std::string_view bytes) {
  const std::string path = as_file("whole", bytes);
  read_checkpoint(path, 1);
  refuse_what_is_no_checkpoint(path);
}

// From a topology all the way to a plan, which the judge must agree with.
void slices(std::string_view bytes) {
  if (bytes.empty() || bytes.size() > 2000) return;
  GenerateOptions options;
  options.flows = 1 + static_cast<unsigned char>(bytes[0]) % 4;
  options.tight = bytes.size() % 2 == 1;
  options.capacities = static_cast<Capacities>(static_cast<unsigned char>(bytes[0]) / 4 % 3);
  const Network network = read_topology(as_file("s.txt", bytes.substr(1)));
  if (network.nodes.size() > 12) return;
  const SliceInstance instance = generate_instance(network, options);
  const SliceResult result = slice(instance, {.runs = 1, .threads = 1, .time_limit = 0.2, .rebuilds = 1});
  if (result.feasible() && !judge_plan(instance, result.plan).feasible()) std::abort();
  if (result.feasible() && result.verdict.cost < result.bound.value * (1 - 1e-6)) std::abort();
}

}  // namespace

const std::vector<Target>& all_targets() {
  static const std::vector<Target> targets = {
      {"problem", "a problem file", problem_toml},
      {"network", "a problem file with a network", network_toml},
      {"edges", "a list of edges", edges},
      {"csv", "a table", csv},
      {"libsvm", "sparse data", libsvm},
      {"lp", "a program in LP format", lp},
      {"mps", "a program in MPS format", mps},
      {"qps", "a quadratic program in QPS format", qps},
      {"topology", "SNDlib text, SNDlib XML or GraphML", topology},
      {"instance", "a complete instance of network slicing", slice_instance},
      {"solution", "a solution in JSON", solution},
      {"model", "a classifier in JSON", model},
      {"parameters", "a file of parameters", parameters},
      {"checkpoint", "the state inside a checkpoint", checkpoint},
      {"checkpoint_file", "a checkpoint as it is", checkpoint_file},
      {"slices", "a topology, from the file to the plan", slices},
  };
  return targets;
}

const Target* find_target(std::string_view name) {
  for (const auto& target : all_targets())
    if (target.name == name) return &target;
  return nullptr;
}

void feed_quietly(const Target& target, std::string_view bytes) {
  try {
    target.feed(bytes);
  } catch (const InputError&) {
  }
}

}  // namespace bridle::fuzz
