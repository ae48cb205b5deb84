#include "run.hpp"

namespace bridle::python {
namespace {
thread_local Run* current_run = nullptr;
}

Run::Run(py::object callback, bool history)
    : callback_(std::move(callback)),
      wants_(history || !callback_.is_none() ? Wants::progress : Wants::nothing),
      outer_(current_run) {
  current_run = this;
}

Run::~Run() { current_run = outer_; }

Run* Run::current() { return current_run; }

void Run::progress(const Progress& progress) {
  history_.push_back(progress);
  if (callback_.is_none() || interrupted_) return;
  const py::gil_scoped_acquire lock;
  try {
    const py::object answer = callback_(to_dict(progress));
    if (!answer.is_none() && answer.cast<bool>()) stopped_ = true;
  } catch (py::error_already_set& error) {
    if (interrupted_ || !error.matches(PyExc_KeyboardInterrupt)) throw;
    interrupted_ = true;
  }
}

bool Run::takes_error() {
  if (interrupted_ || !PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) return false;
  PyErr_Clear();
  return interrupted_ = true;
}

bool Run::interrupted() {
  if (interrupted_ || stopped_) return true;
  const py::gil_scoped_acquire lock;
  if (PyErr_CheckSignals() != 0 && !takes_error()) throw py::error_already_set();
  return interrupted_;
}

py::dict to_dict(const Progress& p) {
  py::dict out;
  out["nit"] = p.iterations;
  out["samples"] = p.samples;
  out["budget"] = p.budget;
  out["stage"] = p.stage;
  out["fun"] = p.objective;
  out["feasibility"] = p.feasibility;
  out["stationarity"] = p.stationarity;
  out["step"] = p.step;
  out["seconds"] = p.seconds;
  out["seconds_left"] = p.seconds_left;
  return out;
}

}  // namespace bridle::python
