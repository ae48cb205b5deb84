// What the command shows while it runs: banner, problem, parameters and reasons, progress, verdict.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "bridle/core/atomic_file.hpp"
#include "bridle/problem/problem.hpp"
#include "bridle/report/done_share.hpp"
#include "bridle/run/options.hpp"
#include "bridle/run/result.hpp"

namespace bridle {

// One progress line that updates in place on a terminal, plain rows otherwise; optionally a CSV row per
// progress report.
class Screen : public Observer {
 public:
  struct Options {
    std::FILE* stream = stdout;  // null: quiet
    std::string log_file = {};   // CSV; empty: none
    bool diagnose = false;       // the log has the columns of --diagnose too
    bool keeps_rows = false;     // progress is measured, though nothing may be shown
    std::string stopping =       // said at once after Ctrl-C
        "the best point so far is judged, on a sample where the data is large";
  };
  explicit Screen(Options options);
  ~Screen() override;
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  static void banner(std::FILE* stream);  // null: nothing
  void banner() { banner(options_.stream); }
  void problem(const Problem& problem, const std::string& description, const std::vector<std::string>& notes,
               double load_seconds);
  void verdict(const Result& result);
  void text(const std::string& text) { print(text); }
  // Progress of many runs: a bar that grows in place on a terminal, nothing otherwise.
  void bar(std::size_t done, std::size_t total);

  void started(const RunInfo& info) override;
  void stage(int number, const Stage& stage, const Reasons& reasons) override;
  void event(const std::string& text) override;
  void warning(const std::string& text) override;
  void progress(const Progress& progress) override;
  Wants wants() override;
  bool interrupted() override;

  // From now on a signal that ends the process leaves no unfinished file behind; called first.
  static void leave_nothing_behind();
  // From now on Ctrl-C asks running solvers to stop; a second one ends the program, and so does one before a
  // solver has asked for the first time.
  static void catch_interrupts();

 private:
  void print(const std::string& text);
  void clear_line();
  void log(const Progress& progress);

  Options options_;
  std::unique_ptr<AtomicFile> log_;
  bool terminal_ = false;
  bool header_shown_ = false, started_ = false;
  bool line_open_ = false;
  std::atomic<bool> stop_said_ = false;
  int first_stage_ = 0, last_stage_ = 0;  // whose parameters were shown, and the latest
  double next_row_ = 0;
  DoneShare share_;
  std::string last_row_ = {};  // but for the time
  std::chrono::steady_clock::time_point last_update_{};
};

}  // namespace bridle
