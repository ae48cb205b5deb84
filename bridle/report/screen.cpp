#include "bridle/report/screen.hpp"

#include <atomic>
#include <cmath>
#include <csignal>

#include <fmt/format.h>
#include <unistd.h>

#include "bridle/certify/certificate_text.hpp"
#include "bridle/core/error.hpp"
#include "bridle/report/destination.hpp"
#include "bridle/report/lost_output.hpp"
#include "bridle/report/version.hpp"

namespace bridle {
namespace {

// Counted by the signal's handler, read by every thread that works.
std::atomic<int> interrupt_count{0};
// A solver has begun to ask for interrupts. Before, while it gets large data ready, there is no point to
// judge.
std::atomic<bool> solver_listens{false};
static_assert(std::atomic<int>::is_always_lock_free, "a handler of signals may not wait for a lock");

// Ends the process as the signal would, and leaves no unfinished file behind.
void end_on_signal(int signal) {
  remove_unfinished_files();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void on_interrupt(int signal) {
  if (!solver_listens || ++interrupt_count > 1) end_on_signal(signal);
}

// What the shell has told us to ignore (nohup, a job in the background) stays ignored.
void handle(int signal, void (*handler)(int)) {
  if (std::signal(signal, handler) == SIG_IGN) std::signal(signal, SIG_IGN);
}

std::string figure(double v) { return std::isnan(v) ? "-" : fmt::format("{:.3e}", v); }

// With the standard error where it is an estimate.
std::string objective_text(const Progress& p) {
  if (std::isnan(p.objective)) return "-";
  if (p.objective_error > 0) return fmt::format("{:.5g} +- {:.1g}", p.objective, p.objective_error);
  return fmt::format("{:.7g}", p.objective);
}

std::string counted(Index count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string duration(double seconds) {
  if (!(seconds < 1e7)) return "-";
  if (seconds < 1) return fmt::format("{:.2f}s", seconds);
  if (seconds < 100) return fmt::format("{:.1f}s", seconds);
  const double whole = std::round(seconds);
  if (whole < 6000) return fmt::format("{:.0f}m{:02.0f}s", std::floor(whole / 60), std::fmod(whole, 60));
  return fmt::format("{:.0f}h{:02.0f}m", std::floor(whole / 3600), std::floor(std::fmod(whole, 3600) / 60));
}

}  // namespace

Screen::Screen(Options options) : options_(std::move(options)) {
  terminal_ = options_.stream && ::isatty(::fileno(options_.stream));
  if (options_.log_file.empty()) return;
  refuse_to_replace_input(options_.log_file);
  log_ = std::make_unique<AtomicFile>(options_.log_file);
  log_->write(
      "iteration,samples,stage,phase,objective,objective_error,feasibility,stationarity,error,tau,seconds");
  log_->write(options_.diagnose ? ",envelope,envelope_gradient,potential\n" : "\n");
}

Screen::~Screen() { clear_line(); }

void Screen::print(const std::string& text) {
  if (!options_.stream) return;
  clear_line();
  print_checked(options_.stream, text);
}

void Screen::clear_line() {
  if (!line_open_) return;
  std::fputs("\r\033[K", options_.stream);
  line_open_ = false;
}

void Screen::banner(std::FILE* stream) {
  if (!stream) return;
  fmt::print(stream, "Bridle {}: stochastic nonconvex optimisation with linear constraints, certified\n\n",
             version);
  std::fflush(stream);
}

void Screen::problem(const Problem& problem, const std::string& description,
                     const std::vector<std::string>& notes, double load_seconds) {
  Index equalities = 0;
  for (Index i = 0; i < problem.rows().count(); ++i) equalities += problem.rows().is_equality(i);
  std::string text = fmt::format("problem     {}\n            {}", description,
                                 counted(problem.dimension(), "variable", "variables"));
  if (const Index rows = problem.rows().count(); rows > 0)
    text += fmt::format(", {} ({}, {}), {}", counted(rows, "row", "rows"),
                        counted(equalities, "equality", "equalities"),
                        counted(rows - equalities, "inequality", "inequalities"),
                        counted(problem.rows().matrix.nonZeros(), "nonzero", "nonzeros"));
  if (const Index smooth = problem.smooth_rows().count(); smooth > 0)
    text += fmt::format(", {}", counted(smooth, "smooth row", "smooth rows"));
  text += load_seconds > 0 ? fmt::format("; read in {}\n", duration(load_seconds)) : "\n";
  for (const auto& entry : notes) text += "note        " + entry + "\n";
  print(text);
}

void Screen::started(const RunInfo& info) {
  if (info.round > 1 && started_) return;  // an event has said it
  started_ = true;
  if (log_) log_->put_in_place();  // the input is sound: from here on the log can be watched
  const std::string budget = info.seconds > 0 ? fmt::format("{:.4g} s", info.seconds)
                                              : fmt::format("{:.4g} sample gradients", info.budget);
  print(fmt::format("algorithm   {}, {}{}{}\n", info.algorithm, info.regime,
                    info.budget > 0 || info.seconds > 0 ? ", budget " + budget : "",
                    info.resumed ? ", resumed from the checkpoint" : ""));
}

void Screen::stage(int number, const Stage&, const Reasons& reasons) {
  last_stage_ = number;
  if (first_stage_ > 0) return;
  first_stage_ = number;
  std::string text = "parameters\n";
  for (const auto& reason : reasons)
    text += fmt::format("  {:<5} = {:<10.4g} {}\n", reason.symbol, reason.value, reason.why);
  print(text);
}

void Screen::event(const std::string& text) { print("noticed     " + text + "\n"); }

void Screen::warning(const std::string& text) {
  clear_line();
  fmt::print(stderr, "bridle: warning: {}\n", text);
}

void Screen::log(const Progress& p) {
  std::string row = fmt::format("{},{:.0f},{},{},{:.10g},{:.3e},{:.6e},{:.6e},{:.6e},{:.6e},{:.6g}",
                                p.iterations, p.samples, p.stage, p.phase, p.objective, p.objective_error,
                                p.feasibility, p.stationarity, p.error, p.step, p.seconds);
  if (options_.diagnose)
    row += fmt::format(",{:.12g},{:.6e},{:.12g}", p.envelope, p.envelope_gradient, p.potential);
  try {
    log_->write(row + "\n");
    log_->flush();
  } catch (const InputError& error) {  // a full disk ends the log, not a run that may be hours old
    log_.reset();
    clear_line();
    report_lost_output(error.what() + std::string("; the log ends here"));
  }
}

void Screen::progress(const Progress& p) {
  if (log_) log(p);
  if (!options_.stream) return;
  const auto now = std::chrono::steady_clock::now();
  const bool due = p.phase == "result" || p.phase == "round" ||
                   (terminal_ ? now - last_update_ > std::chrono::milliseconds(100) : p.samples >= next_row_);
  if (!due) return;
  last_update_ = now;
  next_row_ = p.samples + p.budget / 20;
  if (!header_shown_) {
    print(fmt::format("\n{:>12} {:>11} {:>19} {:>11} {:>12} {:>8} {:>5} {:>8}\n", "iteration", "samples",
                      "objective", "feasibility", "stationarity", "time", "done", "left"));
    header_shown_ = true;
  }
  const std::string figures = fmt::format("{:>12} {:>11.4g} {:>19} {:>11} {:>12}", p.iterations, p.samples,
                                          objective_text(p), figure(p.feasibility), figure(p.stationarity));
  const auto share = share_.at(p.seconds, p.seconds_left);
  const std::string done = share ? fmt::format("{:.0f}%", 100 * *share) : "-";
  if (p.phase == "round") share_.begin_again();
  if (last_row_ == figures + done) return;  // a last look before the first step, say
  last_row_ = figures + done;
  const std::string row =
      fmt::format("{} {:>8} {:>5} {:>8}", figures, duration(p.seconds), done, duration(p.seconds_left));
  if (!terminal_) return print(row + "\n");
  fmt::print(options_.stream, "\r\033[K{}", row);
  std::fflush(options_.stream);
  line_open_ = true;
}

void Screen::bar(std::size_t done, std::size_t total) {
  if (!options_.stream || !terminal_) return;
  constexpr std::size_t cells = 40;
  const std::size_t filled = cells * done / total;
  fmt::print(options_.stream, "\r\033[K[{}{}] {} of {} runs", std::string(filled, '#'),
             std::string(cells - filled, '.'), done, total);
  std::fflush(options_.stream);
  line_open_ = true;
}

Observer::Wants Screen::wants() {
  if (log_) return Wants::figures;
  return options_.stream || options_.keeps_rows ? Wants::progress : Wants::nothing;
}

bool Screen::interrupted() {
  solver_listens = true;
  if (interrupt_count == 0) return false;
  if (!stop_said_.exchange(true)) print("stopping    " + options_.stopping + "\n");
  return true;
}

void Screen::catch_interrupts() {
  handle(SIGINT, on_interrupt);
  handle(SIGTERM, on_interrupt);
}

void Screen::leave_nothing_behind() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) handle(signal, end_on_signal);
  std::signal(SIGXFSZ, SIG_IGN);  // beyond `ulimit -f` a write fails, and its reason is told
}

namespace {

// Which phase found the point, what each took, and how the second-order steps ended.
std::string found_by(const Result& result) {
  const bool missed = result.infeasibility && result.found_by == FoundBy::polish;
  std::string out = missed ? "found by a projection onto the rows" : found_by_text(result.found_by);
  out += "\n\n" + result.phases.text();
  if (const auto& t = result.theory_output) {
    out += fmt::format("output at t* = {} of {} iterations: error {:.2e} of x, {:.2e} of z", t->time,
                       t->iterations, t->x_error, t->z_error);
    if (t->batch > 0)
      out += fmt::format(", {:.2e} post-processed with {} samples", t->post_processed_error, t->batch);
    out += "\n";
  }
  const SecondOrderFigures& s = result.second_order;
  if (!s.ran) return out;
  out += fmt::format("second order: {} steps, ended: {}", s.iterations, s.ended);
  if (s.least_curvature) out += fmt::format("; least curvature on the face {:+.1e}", *s.least_curvature);
  return out + "\n";
}

}  // namespace

void Screen::verdict(const Result& result) {
  std::string text = "\n" + result.brief_report() + "\n";
  if (!result.advice.empty()) text += "stopped: " + result.advice + "\n";
  if (result.infeasibility) text += result.conflict() + "\n";
  if (result.unboundedness) text += result.endless_fall() + "\n";
  text += found_by(result) + "\n" + certificate_text(result.certificate);
  // Parameters move from stage to stage; the first ones are above.
  if (!result.reasons.empty() && (first_stage_ == 0 || last_stage_ > first_stage_)) {
    text += "\nparameters of the last stage\n ";
    for (const auto& reason : result.reasons)
      text += fmt::format(" {} = {:.4g}", reason.symbol, reason.value);
    text += "\n";
  }
  print(text);
}

}  // namespace bridle
