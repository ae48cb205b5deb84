// Data files spread over processes: each reads some of them, and learns from the others what concerns all.
#pragma once

#include "bridle/core/archive.hpp"
#include "bridle/network/ranks.hpp"

namespace bridle {

struct FileShare {
  const Ranks& ranks;
  Index files;         // of all processes together
  Index first, count;  // those read here
  bool parts = false;  // of the file that there is each process reads a part

  // `files` of them, as evenly as they go.
  static FileShare even(const Ranks& ranks, Index files) {
    const Index first = files * ranks.rank() / ranks.ranks();
    return {ranks, files, first, files * (ranks.rank() + 1) / ranks.ranks() - first};
  }
};

// What every rank says, in their order, as values. A null share is a process alone.
template <class T>
std::vector<T> values_of_all(const FileShare* share, const T& mine) {
  if (!share) return {mine};
  ArchiveWriter writer;
  writer(mine);
  std::vector<T> out;
  for (auto& text : share->ranks.all(writer.bytes())) {
    ArchiveReader reader(std::move(text));
    reader(out.emplace_back());
  }
  return out;
}

}  // namespace bridle
