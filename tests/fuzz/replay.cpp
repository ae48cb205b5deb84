// Feeds every file of a corpus to its target, each as it is and damaged in a few ways: what ./scripts/test
// can do without libFuzzer.
//
//   replay CORPUS          all targets, from the folders of their names
//   replay TARGET FILE...  some files
//   replay --list          the targets
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "bridle/core/random.hpp"

#include "tests/fuzz/targets.hpp"

namespace {

using namespace bridle::fuzz;
namespace fs = std::filesystem;

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// Cut, doubled, with a byte changed, with a piece gone: by the number of the attempt alone.
std::string damaged(const std::string& bytes, std::uint64_t attempt) {
  const bridle::Stream stream(attempt, bridle::Purpose::generator);
  std::string out = bytes;
  const auto place = static_cast<std::size_t>(stream.below(out.size(), 0));
  switch (attempt % 4) {
    case 0:
      out.resize(place);
      break;
    case 1:
      out[place] = static_cast<char>(stream.bits(1).first);
      break;
    case 2:
      out.erase(place, 1 + stream.below(20, 2));
      break;
    default:
      out.insert(place, out.substr(place / 2, 1 + stream.below(50, 3)));
  }
  return out;
}

int feed_folder(const Target& target, const fs::path& folder, std::uint64_t damages) {
  int fed = 0;
  std::vector<fs::path> files;
  if (fs::is_directory(folder))
    for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    const std::string bytes = content_of(file);
    std::fprintf(stderr, "%s\n", file.c_str());  // the last one is the culprit
    feed_quietly(target, bytes);
    ++fed;
    for (std::uint64_t k = 0; k < damages && !bytes.empty(); ++k, ++fed)
      feed_quietly(target, damaged(bytes, k));
  }
  return fed;
}

int feed_all(const fs::path& corpus) {
  constexpr std::uint64_t damages = 40, few = 4;
  int empty = 0;
  for (const Target& target : all_targets()) {
    const bool slow = target.name == "slices" || target.name == "checkpoint";
    const int fed = feed_folder(target, corpus / target.name, slow ? few : damages);
    std::printf("%-16.*s %6d inputs\n", static_cast<int>(target.name.size()), target.name.data(), fed);
    if (fed == 0) ++empty;
  }
  if (empty > 0) std::fprintf(stderr, "%d targets have no corpus\n", empty);
  return empty > 0 ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "--list") == 0) {
    for (const auto& target : all_targets()) std::printf("%s\n", std::string(target.name).c_str());
    return 0;
  }
  if (argc == 2) return feed_all(argv[1]);
  const Target* const target = argc > 2 ? find_target(argv[1]) : nullptr;
  if (!target) {
    std::fprintf(stderr, "usage: replay CORPUS | replay TARGET FILE... | replay --list\n");
    return 2;
  }
  for (int k = 2; k < argc; ++k) feed_quietly(*target, content_of(argv[k]));
  return 0;
}
