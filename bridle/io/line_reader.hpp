// Lines of a text file, plain or gzip, without a copy per line.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <zlib.h>

namespace bridle::io {

// Bytes of a plain file, and the lines that begin in them: ranges that follow each other share the lines of a
// file out, each line to one.
struct ByteRange {
  std::size_t begin = 0, end = ~std::size_t{0};
};
// Part `number` of `count` of a file. Nothing for one that is compressed, or no regular file.
std::optional<ByteRange> part_of_file(const std::string& path, std::size_t number, std::size_t count);

class LineReader {
 public:
  // Throws InputError if the file cannot be opened or is a directory.
  explicit LineReader(std::string path, ByteRange range = {});

  // The next line without its \n or \r\n; it stays valid until the next call. False at the end of the file.
  // Throws InputError for damaged compressed data and for NUL bytes. A UTF-8 byte order mark is skipped.
  bool next(std::string_view& line);

  // Number of the line that next() gave last; the first of the range is 1.
  long line() const { return line_; }
  // The number that a line of the range has in the whole file: reads all of it that is before. For errors.
  long line_in_file(long line_of_range) const;
  // The byte of the file at which the line that comes begins.
  std::size_t position() const { return position_; }
  const std::string& path() const { return path_; }

  // What a count over the lines handed out so far comes to for the whole file, a little generously: lets
  // readers reserve memory once. The count itself if the size of the file is not known.
  std::size_t extrapolate(std::size_t count) const;

 private:
  struct CloseFile {
    void operator()(gzFile file) const { gzclose_r(file); }
  };

  void refill();
  void look_at_memory();
  void check_end_of_data();
  void tell_meter(std::size_t bytes);
  void refuse_nul(const char* first, const char* last) const;

  std::string path_;
  ByteRange range_;
  std::size_t position_ = 0;  // in the file, of the line that comes
  std::size_t mark_ = 0;      // bytes that it begins with and that are not handed out
  std::unique_ptr<std::remove_pointer_t<gzFile>, CloseFile> file_;
  std::vector<char> buffer_;
  std::size_t file_bytes_ = 0;                    // on disk; 0 if that is not known
  std::size_t unpacked_ = 0;                      // so far
  std::size_t next_look_ = std::size_t{1} << 25;  // at the memory that is free, when so much is unpacked
  std::size_t begin_ = 0;                         // first byte not handed out yet
  std::size_t end_ = 0;                           // past the last byte read
  std::size_t disk_counted_ = 0;                  // bytes on disk, told to the meter
  long line_ = 0, lines_counted_ = 0;
  bool at_end_ = false;
};

// The whole file as one string, with the same checks; \r\n becomes \n.
std::string read_text(const std::string& path);

}  // namespace bridle::io
