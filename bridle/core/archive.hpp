// Plain values to bytes and back, for checkpoints. A struct takes part by a member
//   template <class Archive> void transfer(Archive& archive) { archive(a, b, c); }
// and an enumeration, whose values count from 0, by a function beside it that knows its last value:
//   constexpr Colour last_value(Colour) { return Colour::blue; }
#pragma once

#include <cstring>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "bridle/core/error.hpp"
#include "bridle/core/types.hpp"

namespace bridle {

template <class T>
concept PlainBytes = std::is_arithmetic_v<T> || std::is_enum_v<T>;

class ArchiveWriter {
 public:
  static constexpr bool reading = false;
  template <class... T>
  void operator()(const T&... values) {
    (write(values), ...);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  template <PlainBytes T>
  void write(const T& value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void write(const std::string& value) {
    write(value.size());
    bytes_ += value;
  }
  void write(const Vector& value) {
    write(value.size());
    bytes_.append(reinterpret_cast<const char*>(value.data()),
                  sizeof(double) * static_cast<std::size_t>(value.size()));
  }
  void write(const Matrix& value) {
    write(value.rows());
    write(Vector(value.reshaped()));
  }
  template <class T>
  void write(const std::vector<T>& values) {
    write(values.size());
    for (const auto& value : values) write(value);
  }
  template <class T>
  void write(const std::optional<T>& value) {
    write(value.has_value());
    if (value) write(*value);
  }
  template <class T>
  requires requires(T& t, ArchiveWriter& a) { t.transfer(a); }
  void write(const T& value) {
    const_cast<T&>(value).transfer(*this);  // transfer reads its members when the archive writes
  }

  std::string bytes_;
};

class ArchiveReader {
 public:
  static constexpr bool reading = true;
  // `file` is where the bytes come from, for messages.
  explicit ArchiveReader(std::string bytes, std::string file = {})
      : bytes_(std::move(bytes)), file_(std::move(file)) {}
  template <class... T>
  void operator()(T&... values) {
    (read(values), ...);
  }
  bool at_end() const { return position_ == bytes_.size(); }
  [[noreturn]] void refuse(const std::string& why) const {
    const std::string message = "the checkpoint is damaged (" + why + "); delete it to start anew";
    throw file_.empty() ? InputError(message) : InputError(file_, 0, message);
  }

 private:
  const char* take(std::size_t count) {
    if (count > bytes_.size() - position_) refuse("it ends too early");
    const char* here = bytes_.data() + position_;
    position_ += count;
    return here;
  }
  template <class T>
  requires std::is_arithmetic_v<T>
  void read(T& value) { std::memcpy(&value, take(sizeof value), sizeof value); }
  // Bytes that are no value of their type must not become one: that would be undefined behaviour.
  void read(bool& value) {
    const char byte = *take(sizeof value);
    if (byte != 0 && byte != 1) refuse("a truth value is neither true nor false");
    value = byte == 1;
  }
  template <class T>
  requires std::is_enum_v<T>
  void read(T& value) {
    std::underlying_type_t<T> number{};
    read(number);
    if (number < 0 || number > static_cast<std::underlying_type_t<T>>(last_value(T{})))
      refuse("there is no choice number " + std::to_string(number));
    value = static_cast<T>(number);
  }
  void read(std::string& value) {
    std::size_t size = 0;
    read(size);
    const char* data = take(size);
    value.assign(data, size);
  }
  void read(Vector& value) {
    Index size = 0;
    read(size);
    const auto count = static_cast<std::size_t>(size);
    if (count > bytes_.size() / sizeof(double)) take(bytes_.size() + 1);  // refused before it can overflow
    const char* data = take(sizeof(double) * count);
    value.resize(size);
    if (size) std::memcpy(value.data(), data, sizeof(double) * count);
  }
  void read(Matrix& value) {
    Index rows = 0;
    Vector entries;
    read(rows);
    read(entries);
    if (rows < 0 || (rows == 0 ? entries.size() != 0 : entries.size() % rows != 0))
      refuse("a matrix has no shape");
    value = entries.reshaped(rows, rows == 0 ? 0 : entries.size() / rows);
  }
  template <class T>
  void read(std::vector<T>& values) {
    std::size_t size = 0;
    read(size);
    values.clear();
    for (std::size_t k = 0; k < size; ++k) {
      values.emplace_back();
      read(values.back());
    }
  }
  template <class T>
  void read(std::optional<T>& value) {
    bool has = false;
    read(has);
    value.reset();
    if (has) read(value.emplace());
  }
  template <class T>
  requires requires(T& t, ArchiveReader& a) { t.transfer(a); }
  void read(T& value) { value.transfer(*this); }

  std::string bytes_, file_;
  std::size_t position_ = 0;
};

// FNV-1a, 64 bits: notices damage; it is not meant to resist an attacker.
inline std::uint64_t checksum(const std::string& bytes, std::uint64_t hash = 0xCBF29CE484222325ULL) {
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
  return hash;
}

}  // namespace bridle
