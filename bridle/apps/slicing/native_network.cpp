// SNDlib's native format: sections NODES ( ... ), LINKS ( ... ), DEMANDS ( ... ) with one entry per line.
#include <cmath>
#include <sstream>
#include <utility>

#include "bridle/apps/slicing/network_formats.hpp"
#include "bridle/core/error.hpp"
#include "bridle/io/number.hpp"
#include "bridle/io/text.hpp"

namespace bridle {
namespace {

// A line in words; brackets are words of their own.
std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> out;
  std::string word;
  for (const char c : line + ' ') {
    const bool bracket = c == '(' || c == ')';
    if (!bracket && !std::isspace(static_cast<unsigned char>(c))) {
      word += c;
      continue;
    }
    if (!word.empty()) out.push_back(std::exchange(word, {}));
    if (bracket) out.emplace_back(1, c);
  }
  return out;
}

class NativeReader {
 public:
  NativeReader(const std::string& text, Network& network) : lines_(text), network_(network) {}

  void read() {
    std::string line, section;
    while (std::getline(lines_, line)) {
      ++line_;
      if (line_ == 1 && line.find("SNDlib") != std::string::npos) continue;
      words_ = words_of(line.substr(0, line.find('#')));
      if (words_.empty()) continue;
      if (section.empty()) {
        if (words_.size() != 2 || words_[1] != "(")
          fail("expected the start of a section, such as 'NODES ('");
        section = words_[0];
        open_brackets_ = 1;
      } else if (section == "ADMISSIBLE_PATHS") {  // sections within the section; Bridle finds its own paths
        for (const auto& word : words_) open_brackets_ += word == "(" ? 1 : word == ")" ? -1 : 0;
        if (open_brackets_ <= 0) section.clear();
      } else if (words_[0] == ")") {
        section.clear();
      } else if (section == "NODES") {
        node();
      } else if (section == "LINKS") {
        link();
      } else if (section == "DEMANDS") {
        demand();
      }
    }
    if (!section.empty()) fail("the file ends within the section " + section);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw InputError(network_.file, line_, what); }

  void expect(std::size_t at, const char* bracket, const char* form) const {
    if (at >= words_.size() || words_[at] != bracket) fail(std::string("expected ") + form);
  }
  double number(std::size_t at, const char* what) const {
    double value = 0;
    if (at >= words_.size()) fail(std::string(what) + " is missing");
    if (!io::parse_number(words_[at], value) || !std::isfinite(value))
      fail(std::string(what) + " " + io::in_quotes(words_[at]) + " is no number");
    return value;
  }
  double amount(std::size_t at, const char* what) const {
    const double value = number(at, what);
    if (value < 0)
      fail(std::string(what) + " " + io::in_quotes(words_[at]) + " is negative; it must be >= 0");
    return value;
  }
  std::size_t known_node(std::size_t at) const {
    return network_.node_called(words_[at], network_.file, line_);
  }

  void node() {
    Network::Node node{words_[0]};
    if (words_.size() > 1) {
      expect(1, "(", "a node as: name ( longitude latitude )");
      node.x = number(2, "the longitude");
      node.y = number(3, "the latitude");
    }
    network_.nodes.push_back(node);
  }
  void link() {
    const char* form = "a link as: id ( source target ) installed cost cost cost ( {module cost}* )";
    expect(1, "(", form);
    expect(4, ")", form);
    Network::Link link{known_node(2), known_node(3)};
    link.line = line_;
    if (const double installed = amount(5, "the pre-installed capacity"); installed > 0)
      link.installed = installed;
    for (std::size_t at = 10; at < words_.size() && words_[at] != ")"; at += 2)
      link.modules.push_back(amount(at, "a module's capacity"));
    network_.links.push_back(link);
  }
  void demand() {
    const char* form = "a demand as: id ( source target ) routing_unit value max_path_length";
    expect(1, "(", form);
    expect(4, ")", form);
    network_.demands.push_back({known_node(2), known_node(3), amount(6, "the demand")});
  }

  std::istringstream lines_;
  Network& network_;
  std::vector<std::string> words_;
  long line_ = 0;
  int open_brackets_ = 0;
};

}  // namespace

void read_native_network(const std::string& text, Network& network) { NativeReader(text, network).read(); }

}  // namespace bridle
