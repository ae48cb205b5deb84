#include "bench/speed/loading.hpp"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bridle/apps/statement/problem_file.hpp"
#include "bridle/core/random.hpp"
#include "bridle/problem/objectives/linear_model.hpp"

#include "bench/speed/timing.hpp"

namespace bridle::bench {
namespace {

constexpr std::size_t text_bytes = 200'000'000;

struct Figures {
  double seconds = 0, matrix_bytes = 0, peak_bytes = 0, checksum = 0;
};

double bytes_of(const LinearModel& model) {
  const double labels = 8 * static_cast<double>(model.sample_count());
  const auto& storage = model.features().storage();
  if (const auto* sparse = std::get_if<SparseView>(&storage))
    return labels + 12 * static_cast<double>(sparse->nonZeros()) + 4 * static_cast<double>(sparse->rows());
  return labels + 8 * static_cast<double>(model.sample_count()) * static_cast<double>(model.dimension());
}

// In a process of its own, whose largest memory is that of this one file.
Figures load(const std::string& problem) {
  int ends[2];
  if (pipe(ends) != 0) std::abort();
  const pid_t child = fork();
  if (child == 0) {
    rusage before{}, after{};
    getrusage(RUSAGE_SELF, &before);
    Figures out;
    std::optional<StatedProblem> stated;
    out.seconds = seconds_of([&] { stated.emplace(read_problem(problem)); });
    getrusage(RUSAGE_SELF, &after);
    const LinearModel& model = *stated->problem.objective().as_linear_model();
    out.matrix_bytes = bytes_of(model);
    out.peak_bytes = 1024.0 * static_cast<double>(after.ru_maxrss - before.ru_maxrss);
    Vector gradient(model.dimension());
    model.mean_gradient(Vector::Zero(model.dimension()), gradient);
    out.checksum = gradient.sum();
    _exit(write(ends[1], &out, sizeof out) == sizeof out ? 0 : 1);
  }
  Figures out;
  int status = 1;
  const bool whole = read(ends[0], &out, sizeof out) == sizeof out;
  waitpid(child, &status, 0);
  close(ends[0]), close(ends[1]);
  if (!whole || status != 0) throw std::runtime_error("loading " + problem + " failed");
  return out;
}

struct Kind {
  const char* name;
  const char* file;
  std::string header;
  std::function<std::string(std::uint64_t line, const Stream& stream)> line;
  const char* keys;
};

const std::vector<Kind>& kinds() {
  static const auto number = [](const Stream& s, std::uint64_t i, std::uint32_t j, int digits) {
    return fmt::format("{:.{}f}", 2 * s.uniform(i, j) - 1, digits);
  };
  static const std::vector<Kind> all = {
      {"CSV, 20 numbers of 6 digits", "numbers.csv",
       [] {
         std::string out = "label";
         for (int j = 0; j < 20; ++j) out += fmt::format(",c{}", j);
         return out + "\n";
       }(),
       [](std::uint64_t i, const Stream& s) {
         std::string out = i % 3 ? "1" : "0";
         for (std::uint32_t j = 0; j < 20; ++j) out += "," + number(s, i, j, 6);
         return out;
       },
       "target = \"label\"\n"},
      {"CSV, 20 numbers of 17 digits", "long.csv",
       [] {
         std::string out = "label";
         for (int j = 0; j < 20; ++j) out += fmt::format(",c{}", j);
         return out + "\n";
       }(),
       [](std::uint64_t i, const Stream& s) {
         std::string out = i % 3 ? "1" : "0";
         for (std::uint32_t j = 0; j < 20; ++j) out += "," + fmt::format("{:.17g}", 2 * s.uniform(i, j) - 1);
         return out;
       },
       "target = \"label\"\n"},
      {"CSV, 6 numbers and 8 categories", "people.csv", "label,a,b,c,d,e,f,k1,k2,k3,k4,k5,k6,k7,k8\n",
       [](std::uint64_t i, const Stream& s) {
         std::string out = i % 3 ? "yes" : "no";
         for (std::uint32_t j = 0; j < 6; ++j)
           out += fmt::format(", {}", s.below(j < 3 ? 100 : 99'999, i, j));
         for (std::uint32_t j = 6; j < 14; ++j) out += fmt::format(", Category-{}", s.below(3 + j, i, j));
         return out;
       },
       "target = \"label\"\npositive = \"yes\"\nstandardise = true\n"},
      {"LIBSVM, 50 of 10,000 columns", "sparse.libsvm", "",
       [](std::uint64_t i, const Stream& s) {
         std::string out = i % 3 ? "+1" : "-1";
         for (std::uint32_t j = 0; j < 50; ++j)
           out += fmt::format(" {}:{}", 200 * j + 1 + s.below(200, i, j), number(s, i, 100 + j, 6));
         return out;
       },
       ""},
      {"LIBSVM, 14 ones of 123 columns", "ones.libsvm", "",
       [](std::uint64_t i, const Stream& s) {
         std::string out = i % 3 ? "+1" : "-1";
         for (std::uint32_t j = 0; j < 14; ++j) out += fmt::format(" {}:1", 8 * j + 1 + s.below(8, i, j));
         return out;
       },
       ""},
  };
  return all;
}

}  // namespace

void loading_speed(int rounds) {
  std::string place = (std::filesystem::temp_directory_path() / "bridle-loading-XXXXXX").string();
  if (!mkdtemp(place.data())) throw std::runtime_error("no folder for made-up files");
  const std::filesystem::path folder(place);
  fmt::print(
      "| file | MB of text | MB/s | final matrix, MB | most memory, MB | ratio |\n"
      "| --- | --- | --- | --- | --- | --- |\n");
  std::fflush(stdout);  // before a child inherits it
  const Stream stream(1, Purpose::generator);
  for (const Kind& kind : kinds()) {
    const std::string file = (folder / kind.file).string(), problem = (folder / "p.toml").string();
    std::size_t bytes = 0;
    {
      std::ofstream text(file);
      text << kind.header;
      for (std::uint64_t i = 0; bytes < text_bytes; ++i) {
        const std::string line = kind.line(i, stream) + "\n";
        text << line;
        bytes += line.size();
      }
      std::ofstream(problem) << "[objective]\nkind = \"linear-model\"\nloss = \"logistic\"\ndata = \""
                             << kind.file << "\"\n"
                             << kind.keys;
    }
    std::vector<double> seconds;
    Figures last;
    for (int round = 0; round <= rounds; ++round) {
      const Figures now = load(problem);
      if (round > 0 && now.checksum != last.checksum) fmt::print("two readings differ\n");
      last = now;
      if (round > 0) seconds.push_back(now.seconds);
    }
    fmt::print("| {} | {:.0f} | {:.0f} | {:.0f} | {:.0f} | {:.2f} |\n", kind.name,
               static_cast<double>(bytes) / 1e6, static_cast<double>(bytes) / 1e6 / least(seconds),
               last.matrix_bytes / 1e6, last.peak_bytes / 1e6, last.peak_bytes / last.matrix_bytes);
    std::fflush(stdout);
    std::filesystem::remove(file);
  }
  std::filesystem::remove_all(folder);
}

}  // namespace bridle::bench
