// What looks on while the library works without the interpreter's lock: the user's callback, Ctrl-C.
#pragma once

#include <exception>
#include <vector>

#include <pybind11/pybind11.h>

#include "bridle/run/options.hpp"

namespace bridle::python {

namespace py = pybind11;

// One run, in the thread that called solve(). While it lives, a KeyboardInterrupt inside a callable is kept
// for the next question whether to stop, and the callable is called again: the run ends with its best point.
class Run final : public Observer {
 public:
  // Without a callback and a history nothing is measured for looks at the run.
  explicit Run(py::object callback, bool history = true);
  ~Run() override;
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  void started(const RunInfo& info) override { info_ = info; }
  void progress(const Progress& progress) override;
  Wants wants() override { return wants_; }
  bool interrupted() override;

  bool by_user() const { return interrupted_; }  // Ctrl-C
  const RunInfo& info() const { return info_; }
  const std::vector<Progress>& history() const { return history_; }

  // Of this thread; null: there is none.
  static Run* current();
  // Whether the Python error that is set is a first Ctrl-C; it is cleared then.
  bool takes_error();

 private:
  py::object callback_;  // None: nobody
  Wants wants_;
  Run* outer_;  // a callable may solve problems of its own
  RunInfo info_;
  std::vector<Progress> history_;
  bool interrupted_ = false, stopped_ = false;
};

// A look at the run, for the callback.
py::dict to_dict(const Progress& progress);

}  // namespace bridle::python
