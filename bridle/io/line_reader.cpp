#include "bridle/io/line_reader.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <new>
#include <system_error>
#include <utility>

#include <sys/stat.h>
#include <unistd.h>

#include "bridle/core/error.hpp"
#include "bridle/core/input_file.hpp"
#include "bridle/core/memory.hpp"
#include "bridle/core/read_meter.hpp"

namespace bridle::io {

namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 20;
// A megabyte takes longer to get than a small file to read.
constexpr std::size_t small_file = std::size_t{1} << 15, small_buffer_bytes = 2 * small_file;
constexpr std::size_t inflate_bytes = std::size_t{1} << 17;
constexpr std::size_t bytes_between_looks = std::size_t{1} << 25;
constexpr double memory_kept_free = 128e6;
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

[[noreturn]] void refuse_damaged(const std::string& path) {
  throw InputError(path, 0, "compressed data is truncated or damaged");
}

}  // namespace

std::optional<ByteRange> part_of_file(const std::string& path, std::size_t number, std::size_t count) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return {};
  const std::size_t bytes = std::filesystem::file_size(path, ignored);
  std::array<char, 2> begin{};
  const int descriptor = open_input(path);
  const bool packed =
      ::read(descriptor, begin.data(), begin.size()) == 2 && begin[0] == '\x1f' && begin[1] == '\x8b';
  ::close(descriptor);
  if (packed || path.ends_with(".gz")) return {};
  const auto at = [&](std::size_t part) {
    return static_cast<std::size_t>(static_cast<double>(bytes) * static_cast<double>(part) /
                                    static_cast<double>(count));
  };
  return ByteRange{at(number), number + 1 == count ? ByteRange{}.end : at(number + 1)};
}

LineReader::LineReader(std::string path, ByteRange range) : path_(std::move(path)), range_(range) {
  const int descriptor = open_input(path_);
  struct stat status {};
  if (::fstat(descriptor, &status) == 0) file_bytes_ = static_cast<std::size_t>(status.st_size);
  if (range_.begin > 0) {  // from the byte before, which may end a line
    position_ = disk_counted_ = range_.begin - 1;
    if (::lseek(descriptor, static_cast<off_t>(position_), SEEK_SET) < 0) {
      ::close(descriptor);
      throw InputError(path_, 0, std::string("cannot be read from its middle: ") + std::strerror(errno));
    }
  }
  file_bytes_ = std::min(file_bytes_, range_.end) - std::min(file_bytes_, range_.begin);
  file_.reset(gzdopen(descriptor, "rb"));
  if (!file_) {
    ::close(descriptor);
    throw std::bad_alloc();
  }
  buffer_.resize(file_bytes_ > 0 && file_bytes_ <= small_file ? small_buffer_bytes : buffer_bytes);
  gzbuffer(file_.get(), static_cast<unsigned>(std::min(buffer_.size(), inflate_bytes)));
  read_meter().on_disk += file_bytes_;
  refill();
  if (range_.begin > 0) {
    std::string_view of_another;
    next(of_another);
    line_ = 0;
  } else if (std::string_view(buffer_.data(), end_).starts_with(byte_order_mark)) {
    begin_ = mark_ = byte_order_mark.size();  // the line that it is before begins with the file
  }
}

long LineReader::line_in_file(long line_of_range) const {
  if (range_.begin == 0) return line_of_range;
  long before = 0;
  LineReader reader(path_);
  for (std::string_view line; reader.position_ < range_.begin && reader.next(line);) ++before;
  return before + line_of_range;
}

bool LineReader::next(std::string_view& line) {
  if (position_ >= range_.end) return false;
  std::size_t searched = 0;
  for (;;) {
    const char* const first = buffer_.data() + begin_;
    const std::size_t size = end_ - begin_;
    const void* const found =
        size > searched ? std::memchr(first + searched, '\n', size - searched) : nullptr;
    if (found == nullptr && !at_end_) {
      searched = size;
      refill();
      continue;
    }
    if (found == nullptr && size == 0) return false;
    std::size_t length = found ? static_cast<std::size_t>(static_cast<const char*>(found) - first) : size;
    begin_ += length + (found ? 1 : 0);
    position_ += std::exchange(mark_, 0) + length + (found ? 1 : 0);
    if (length > 0 && first[length - 1] == '\r') --length;
    line = std::string_view(first, length);
    ++line_;
    return true;
  }
}

// Moves the part of a line that is left to the front and reads behind it, so that lines stay in one piece.
void LineReader::refill() {
  const std::size_t kept = end_ - begin_;
  if (begin_ > 0) std::memmove(buffer_.data(), buffer_.data() + begin_, kept);
  begin_ = 0;
  end_ = kept;
  if (kept > buffer_.size() / 2) {
    require_memory(2.0 * static_cast<double>(buffer_.size()), path_, "a line of this file");
    buffer_.resize(2 * buffer_.size());
  }
  const std::size_t room = std::min(buffer_.size() - kept, std::size_t{1} << 30);
  errno = 0;
  const int got = gzread(file_.get(), buffer_.data() + kept, static_cast<unsigned>(room));
  if (got < 0) {
    int code = Z_OK;
    gzerror(file_.get(), &code);
    if (code == Z_ERRNO) throw InputError(path_, 0, std::string("cannot read: ") + std::strerror(errno));
    refuse_damaged(path_);
  }
  end_ += static_cast<std::size_t>(got);
  tell_meter(static_cast<std::size_t>(got));
  unpacked_ += static_cast<std::size_t>(got);
  if (unpacked_ >= next_look_) look_at_memory();
  refuse_nul(buffer_.data() + kept, buffer_.data() + end_);
  if (static_cast<std::size_t>(got) < room) check_end_of_data();
}

void LineReader::tell_meter(std::size_t bytes) {
  ReadMeter& meter = read_meter();
  meter.bytes += bytes;
  meter.lines += static_cast<std::uint64_t>(line_ - lines_counted_);
  lines_counted_ = line_;
  const auto packed = static_cast<std::size_t>(std::max<z_off_t>(0, gzoffset(file_.get())));
  meter.on_disk_read += packed - disk_counted_;
  disk_counted_ = packed;
  if (meter.watch) meter.watch(path_);
}

// What was unpacked has mostly gone into tables by now. A small file can unpack to more than any machine has:
// better to end in one line than to be ended by the system.
void LineReader::look_at_memory() {
  next_look_ = unpacked_ + bytes_between_looks;
  if (const double free = free_memory(); free < memory_kept_free)
    throw InputError(path_, 0,
                     "too large for this machine: " + bytes_in_words(static_cast<double>(unpacked_)) +
                         " are read, there is more, and only " + bytes_in_words(free) +
                         " of memory are free");
}

// zlib hands out what it could decompress first and reports a cut stream only as a pending Z_BUF_ERROR; a
// file cut inside the two magic bytes does not even count as compressed.
void LineReader::check_end_of_data() {
  int code = Z_OK;
  gzerror(file_.get(), &code);
  if (code != Z_OK && code != Z_STREAM_END) refuse_damaged(path_);
  const bool named_gz = path_.ends_with(".gz");
  if (named_gz && gzdirect(file_.get()) != 0) {
    if (line_ == 0 && end_ - begin_ < 2) refuse_damaged(path_);
    throw InputError(path_, 0, "is named .gz but does not hold gzip data");
  }
  at_end_ = true;
}

void LineReader::refuse_nul(const char* first, const char* last) const {
  const void* const nul = std::memchr(first, '\0', static_cast<std::size_t>(last - first));
  if (nul == nullptr) return;
  if (range_.begin > 0) {  // a reader of the whole file meets it in the line that it has there
    LineReader whole(path_);
    for (std::string_view line; whole.next(line);) continue;
  }
  const long line = line_ + 1 + std::count(buffer_.data(), static_cast<const char*>(nul), '\n');
  throw InputError(path_, line, "has a NUL byte: this is a binary or UTF-16 file, plain text is needed");
}

std::size_t LineReader::extrapolate(std::size_t count) const {
  const double unpacked = static_cast<double>(gztell(file_.get()));
  const double before = range_.begin > 0 ? static_cast<double>(range_.begin - 1) : 0;
  const double packed = static_cast<double>(gzoffset(file_.get())) - before;
  const double done = unpacked - static_cast<double>(end_ - begin_);
  if (file_bytes_ == 0 || packed <= 0 || done <= 0) return count;
  const double total = static_cast<double>(file_bytes_) * unpacked / packed;
  return std::max(count, static_cast<std::size_t>(1.05 * static_cast<double>(count) * total / done));
}

std::string read_text(const std::string& path) {
  LineReader reader(path);
  std::string text;
  for (std::string_view line; reader.next(line);) text.append(line).push_back('\n');
  return text;
}

}  // namespace bridle::io
