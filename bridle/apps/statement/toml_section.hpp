// A table of a TOML file that remembers which keys were asked for: every other key is an error that names the
// nearest.
#pragma once

#include <optional>
#include <string>

#include <toml++/toml.h>

#include "bridle/core/error.hpp"
#include "bridle/core/nearest.hpp"
#include "bridle/core/types.hpp"

namespace bridle {

class TomlSection {
 public:
  // `table` may be null for a section that is not there; all its keys are then absent.
  TomlSection(std::string file, std::string name, const toml::table* table)
      : file_(std::move(file)), name_(std::move(name)), table_(table) {}

  bool present() const { return table_ != nullptr; }
  const toml::node* find(const std::string& key) {
    known_.push_back(key);
    return table_ ? table_->get(key) : nullptr;
  }

  std::optional<std::string> text(const std::string& key) {
    const toml::node* node = find(key);
    if (!node) return std::nullopt;
    if (const auto* value = node->as_string()) return value->get();
    throw error(*node, key, "must be a string in quotes");
  }
  std::string required_text(const std::string& key) {
    if (auto value = text(key)) return *value;
    if (table_)
      for (const auto& [other, node] : *table_)  // perhaps it is there, with a slip
        if (const std::string name(other.str()); resembles(name, key) && !asked_for(name))
          throw unknown(name, node);
    throw InputError(file_, line(), "[" + name_ + "] needs the key '" + key + "'");
  }
  std::optional<bool> flag(const std::string& key) {
    const toml::node* node = find(key);
    if (!node) return std::nullopt;
    if (const auto* value = node->as_boolean()) return value->get();
    throw error(*node, key, "must be true or false");
  }
  std::optional<double> number(const std::string& key) {
    const toml::node* node = find(key);
    return node ? std::optional(number(*node, key)) : std::nullopt;
  }
  double number(const toml::node& node, const std::string& key) const {
    const auto value = node.value<double>();
    if (!value || !node.is_number() || *value != *value) throw error(node, key, "must be a number");
    return *value;
  }
  std::optional<std::vector<double>> numbers(const std::string& key) {
    const toml::node* node = find(key);
    if (!node) return std::nullopt;
    const auto* array = node->as_array();
    if (!array) throw error(*node, key, "must be a list of numbers");
    std::vector<double> out;
    for (const auto& item : *array) out.push_back(number(item, key));
    return out;
  }
  std::optional<Names> texts(const std::string& key) {
    const toml::node* node = find(key);
    if (!node) return std::nullopt;
    Names out;
    const auto* array = node->as_array();
    if (!array) throw error(*node, key, "must be a list of strings");
    for (const auto& item : *array) {
      if (!item.is_string()) throw error(item, key, "must be a list of strings");
      out.push_back(item.as_string()->get());
    }
    return out;
  }

  // Call after the last key was asked for.
  void refuse_unknown_keys() const {
    if (!table_) return;
    for (const auto& [key, node] : *table_) {
      const std::string name(key.str());
      if (!asked_for(name)) throw unknown(name, node);
    }
  }

  InputError error(const toml::node& node, const std::string& key, const std::string& rule) const {
    return {file_, line_of(node), "[" + name_ + "] " + key + " " + rule};
  }
  long line() const { return table_ ? line_of(*table_) : 0; }
  const std::string& file() const { return file_; }

 private:
  bool asked_for(const std::string& key) const {
    return std::find(known_.begin(), known_.end(), key) != known_.end();
  }
  InputError unknown(const std::string& key, const toml::node& node) const {
    return {file_, line_of(node), "unknown key '" + key + "' in [" + name_ + "]" + did_you_mean(key, known_)};
  }
  static long line_of(const toml::node& node) { return static_cast<long>(node.source().begin.line); }

  std::string file_, name_;
  const toml::table* table_;
  Names known_;
};

}  // namespace bridle
