#include "bridle/io/csv_parts.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "bridle/core/error.hpp"

namespace bridle::io {

namespace {

// How the line after one begins: what CsvRecords makes of quotes, without the fields.
class QuoteRules {
 public:
  explicit QuoteRules(char separator) : separator_(separator) {}

  LineStart after(std::string_view line, LineStart start) const {
    if (start == LineStart::mistake || std::memchr(line.data(), '"', line.size()) == nullptr) return start;
    bool quoted = start == LineStart::quotes;
    for (std::size_t at = 0;; ++at) {
      if (!quoted) {
        while (at < line.size() && before_field(line[at])) ++at;
        quoted = at < line.size() && line[at] == '"';
        if (quoted) ++at;
      }
      if (quoted) {
        at = closing_quote(line, at);
        if (at == line.size()) return LineStart::quotes;
        for (++at; at < line.size() && blank(line[at]);) ++at;
        if (at < line.size() && line[at] != separator_) return LineStart::mistake;
        quoted = false;
      } else {
        at = std::min(line.find(separator_, at), line.size());
      }
      if (at == line.size()) return LineStart::record;
    }
  }

 private:
  bool blank(char c) const { return (c == ' ' || c == '\t') && c != separator_; }
  bool before_field(char c) const { return blank(c) || (c == ' ' && separator_ == ' '); }
  // The one that closes the field which position `at` is in, or the end of the line.
  static std::size_t closing_quote(std::string_view line, std::size_t at) {
    for (;; at += 2) {
      at = std::min(line.find('"', at), line.size());
      if (at + 1 >= line.size() || line[at + 1] != '"') return at;
    }
  }

  char separator_;
};

// Takes up the lines of a part one by one.
class WayThrough {
 public:
  WayThrough(const QuoteRules& rules, LineStart start) : rules_(rules) { way_.end = start; }

  void take(std::string_view line, std::size_t position) {
    if (way_.end == LineStart::record && !way_.first_record) way_.first_record = position;
    if (!way_.first_record) ++way_.lines_before;
    way_.end = rules_.after(line, way_.end);
  }
  const CsvWay& way() const { return way_; }
  void meet_mistake() { way_.end = LineStart::mistake; }

 private:
  const QuoteRules& rules_;
  CsvWay way_;
};

}  // namespace

CsvSummary summary_of(const std::string& path, char separator, const std::string& comment_prefix,
                      ByteRange bytes) {
  const QuoteRules rules(separator);
  WayThrough from_record(rules, LineStart::record), from_quotes(rules, LineStart::quotes);
  long lines = 0;
  try {
    LineReader reader(path, bytes);
    std::string_view line;
    for (std::size_t position = reader.position(); reader.next(line); position = reader.position()) {
      const bool comment = position == 0 && !comment_prefix.empty() && line.starts_with(comment_prefix);
      for (WayThrough* const way : {&from_record, &from_quotes}) way->take(comment ? "" : line, position);
      ++lines;
    }
  } catch (const InputError&) {  // whoever reads the records before it will meet it again
    from_record.meet_mistake();
    from_quotes.meet_mistake();
  }
  return {from_record.way(), from_quotes.way(), lines};
}

CsvPart records_of_part(const std::vector<CsvSummary>& parts, std::size_t number) {
  CsvPart out{{0, 0}};  // none, until one is found
  LineStart start = LineStart::record;
  long lines = 0;
  for (std::size_t k = 0; k < parts.size() && start != LineStart::mistake; ++k) {
    const CsvWay& way = start == LineStart::record ? parts[k].from_record : parts[k].from_quotes;
    if (way.first_record && k == number)
      out = {{*way.first_record, ByteRange{}.end}, lines + way.lines_before};
    if (way.first_record && k > number && out.bytes.end > 0) {
      out.bytes.end = *way.first_record;
      break;
    }
    lines += parts[k].lines;
    start = way.end;
  }
  return out;
}

}  // namespace bridle::io
