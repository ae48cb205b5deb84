// bench_speed steps ROUNDS
// bench_speed whole ROUNDS
// bench_speed gradient ROUNDS
// bench_speed loading ROUNDS
// bench_speed batches
// bench_speed real plain|ridge|signs|monotone|rows|many SAMPLES VARIABLES NONZEROS ROUNDS [BATCH]
// bench_speed one sparse|double|float SAMPLES VARIABLES NONZEROS ROWS ROUNDS
#include <cstdio>
#include <string>
#include <vector>

#include "bridle/core/freed_memory.hpp"

#include "bench/speed/gradient.hpp"
#include "bench/speed/loading.hpp"
#include "bench/speed/step_cost.hpp"
#include "bench/speed/whole_run.hpp"

int main(int count, char** arguments) {
  using namespace bridle::bench;
  bridle::keep_freed_memory();  // as the command does
  const std::vector<std::string> words(arguments + 1, arguments + count);
  if (words.size() == 2 && words[0] == "steps") return step_cost(std::stoi(words[1])), 0;
  if (words.size() == 2 && words[0] == "others") return other_step_cost(std::stoi(words[1])), 0;
  if (words.size() == 2 && words[0] == "whole") return whole_run_cost(std::stoi(words[1])), 0;
  if (words.size() == 2 && words[0] == "gradient") return gradient_throughput(std::stoi(words[1])), 0;
  if (words.size() == 2 && words[0] == "loading") return loading_speed(std::stoi(words[1])), 0;
  if (words.size() == 1 && words[0] == "batches") return batch_errors(), 0;
  if ((words.size() == 6 || words.size() == 7) && words[0] == "real")
    for (const auto& [name, kind] : kinds)
      if (words[1] == name) {
        real_cost({Storage::sparse, std::stol(words[2]), std::stol(words[3]), std::stol(words[4])}, kind,
                  std::stoi(words[5]), words.size() == 7 ? std::stol(words[6]) : 0);
        return 0;
      }
  if (words.size() == 7 && words[0] == "one")
    for (const Storage storage : {Storage::sparse, Storage::dense, Storage::dense_float})
      if (words[1] == name_of(storage)) {
        one_step_cost(
            {storage, std::stol(words[2]), std::stol(words[3]), std::stol(words[4]), std::stol(words[5])},
            std::stoi(words[6]));
        return 0;
      }
  std::fputs(
      "usage: bench_speed steps|others|whole|gradient|loading ROUNDS, or: batches, or: real KIND SAMPLES "
      "VARIABLES "
      "NONZEROS "
      "ROUNDS [BATCH], or: one STORAGE SAMPLES VARIABLES NONZEROS ROWS ROUNDS\n",
      stderr);
  return 2;
}
