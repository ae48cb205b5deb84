#include <algorithm>

#include "bridle/core/error.hpp"
#include "bridle/core/nearest.hpp"
#include "bridle/io/csv.hpp"
#include "bridle/io/text.hpp"

namespace bridle::io {

const Column* Table::find(std::string_view name) const {
  const auto found =
      std::find_if(columns.begin(), columns.end(), [&](const Column& c) { return c.name == name; });
  return found != columns.end() ? &*found : nullptr;
}

const Column& Table::column(std::string_view name) const {
  if (const Column* const found = find(name)) return *found;
  Names names;
  for (const Column& c : columns) names.push_back(c.name);
  const bool split = names.size() > 1 || name.find_first_of(";\t ") != std::string_view::npos;
  throw InputError(
      file, 0,
      "no column is named " + in_quotes(name) + did_you_mean(name, names) +
          (split ? "" : "; the file has one column only: is another separator meant? (separator)"));
}

const Column& Table::only_column(std::string_view name) const {
  const Column& found = column(name);
  for (const Column& other : columns)
    if (other.position != found.position && other.header == found.header)
      throw InputError(file, 0,
                       "column " + in_quotes(found.header) + " is there twice, at positions " +
                           std::to_string(std::min(found.position, other.position)) + " and " +
                           std::to_string(std::max(found.position, other.position)) +
                           ", and one of them would be a feature; rename one, or list " +
                           in_quotes(other.position > found.position ? other.name : found.name) +
                           " under ignore");
  return found;
}

}  // namespace bridle::io
