// Errors a user can cause and mend: one line that says where, what, and which rule was broken.
#pragma once

#include <stdexcept>
#include <string>

namespace bridle {

// Thrown before any iteration runs. The command prints what() as one line and exits with 2.
class InputError : public std::runtime_error {
 public:
  explicit InputError(const std::string& message) : std::runtime_error(message) {}
  // "file:line: message"; line 0 leaves the line out.
  InputError(const std::string& file, long line, const std::string& message)
      : std::runtime_error(file + (line > 0 ? ":" + std::to_string(line) : "") + ": " + message) {}
};

// A projection that rounding keeps from its end. A run ends with the best point it has.
class NotSettled : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace bridle
