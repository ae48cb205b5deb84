#include "bridle/apps/statement/objective_section.hpp"

#include <algorithm>
#include <filesystem>
#include <span>

#include <fmt/format.h>

#include "bridle/apps/data/many_files.hpp"
#include "bridle/apps/data/number_notes.hpp"
#include "bridle/apps/data/target.hpp"
#include "bridle/core/input_file.hpp"
#include "bridle/problem/objectives/quadratic.hpp"

namespace bridle {
namespace {

Loss read_loss(TomlSection& section) {
  const std::string name = section.required_text("loss");
  auto loss = find_loss(name);
  if (!loss) {
    Names known;
    for (const auto& entry : all_losses()) known.emplace_back(entry.name);
    throw section.error(*section.find("loss"), "loss",
                        "'" + name + "' is unknown" + did_you_mean(name, known));
  }
  const auto positive = [&](const char* key) {
    const auto value = section.number(key);
    if (value && !(*value > 0 && is_finite(*value)))
      throw section.error(*section.find(key), key, "must be finite and > 0");
    return value;
  };
  if (const auto shift = positive("shift")) {
    if (auto* l = std::get_if<LogisticDifferenceLoss>(&*loss))
      *l = LogisticDifferenceLoss(*shift);
    else
      throw section.error(*section.find("shift"), "shift", "belongs to the loss logistic-difference");
  }
  if (const auto width = positive("width")) {
    if (auto* huber = std::get_if<HuberLoss>(&*loss))
      huber->width = *width;
    else if (auto* tukey = std::get_if<TukeyLoss>(&*loss))
      tukey->width = *width;
    else
      throw section.error(*section.find("width"), "width", "belongs to the losses huber and tukey");
  }
  return *loss;
}

// A string, or a number for numeric targets.
PositiveClass read_positive(TomlSection& section) {
  PositiveClass out{.option = "the key positive"};
  if (const auto* node = section.find("positive")) {
    if (node->is_string())
      out.text = node->as_string()->get();
    else
      out.number = section.number(*node, "positive");
  }
  return out;
}

Vector labels_from(const io::Table& table, const std::string& target, const Loss& loss,
                   const PositiveClass& positive, const FileShare* share, Names& notes) {
  if (is_classification(loss)) {
    const Target found = find_target(table, target, positive, share);
    if (!found.note.empty()) notes.push_back(found.note);
    return labels_of(table, found);
  }
  const io::Column& column = table.only_column(target);
  if (!column.numeric)
    throw InputError(
        table.file, 0,
        "target '" + target + "' is text, but the loss " + std::string(loss_name(loss)) + " is for numbers");
  return Eigen::Map<const Vector>(column.numbers.data(), static_cast<Index>(column.numbers.size()));
}

std::string size_text(const Features& features, Index samples) {
  return fmt::format("{} samples, {} {} columns", samples, features.columns(),
                     features.sparse() ? "sparse" : "dense");
}

StatedObjective from_libsvm(TomlSection& section, const Names& files, const Loss& loss, double ridge,
                            const FileShare* share) {
  const std::string& file = files.front();
  const PositiveClass positive = read_positive(section);
  const bool intercept = section.flag("intercept").value_or(true);
  for (const char* key :
       {"target", "standardise", "columns", "categorical", "ignore", "missing", "separator"})
    if (const auto* node = section.find(key))
      throw section.error(*node, key, "belongs to CSV data, but " + file + " is read as LIBSVM");
  section.refuse_unknown_keys();
  auto [data, file_rows, samples] = read_libsvm_files(files, intercept, share);
  Vector labels = std::move(data.labels);
  if (is_classification(loss)) {
    const std::span<const double> numbers(labels.data(), static_cast<std::size_t>(labels.size()));
    labels = labels_of(numbers, numeric_target(numbers, "label", file, positive, share));
  }
  Names names;
  const Index stated = data.features.cols() - (intercept ? 1 : 0);
  for (Index j = 0; j < stated; ++j) names.push_back("x" + std::to_string(j + 1));
  if (intercept) names.emplace_back(intercept_name);
  Features features(std::move(data.features));
  const std::string description = fmt::format("{} loss, {}", loss_name(loss), size_text(features, samples));
  Vector weights = ridge_weights(ridge, names);
  return {LinearModel(std::move(features), std::move(labels), loss, std::move(weights), std::move(names)),
          description,
          {},
          {},
          {},
          std::move(file_rows),
          samples};
}

StatedObjective from_csv(TomlSection& section, const Names& files, const Loss& loss, double ridge,
                         const Names& sensitive, const FileShare* share) {
  io::CsvOptions csv;
  csv.separator = io::find_separator;
  csv.columns = section.texts("columns").value_or(Names{});
  csv.categorical = section.texts("categorical").value_or(Names{});
  csv.ignore = section.texts("ignore").value_or(Names{});
  const std::string missing = section.text("missing").value_or("drop");
  if (missing != "drop" && missing != "error")
    throw section.error(*section.find("missing"), "missing", "must be \"drop\" or \"error\"");
  csv.missing = missing == "drop" ? io::Missing::drop : io::Missing::error;
  if (const auto separator = section.text("separator")) {
    if (separator->size() != 1)
      throw section.error(*section.find("separator"), "separator", "must be one character");
    csv.separator = separator->front();
  }
  const std::string target = section.required_text("target");
  const PositiveClass positive = read_positive(section);
  EncodingOptions options;
  options.standardise = section.flag("standardise").value_or(false);
  options.intercept = section.flag("intercept").value_or(true);
  options.exclude = sensitive;
  options.exclude.push_back(target);
  section.refuse_unknown_keys();

  // File by file, so that it does not matter who reads which.
  const bool standardise_together = options.standardise && (share || files.size() > 1);
  if (standardise_together) options.standardise = false;
  auto joined = read_csv_files(files, csv, share);
  auto& [table, file_rows, samples] = joined;
  Names told = csv.categorical;
  told.insert(told.end(), options.exclude.begin(), options.exclude.end());
  Names notes = notes_on_numbers(table, told);
  Vector labels = labels_from(table, target, loss, positive, share, notes);
  Encoding encoding = make_encoding(table, options);
  for (auto& note : notes_on_many_columns(encoding)) notes.push_back(std::move(note));
  if (standardise_together) standardise_over_files(joined, share, encoding);
  Features features = encode_and_drop(encoding, table);
  if (table.dropped_rows > 0)
    notes.push_back(
        fmt::format("{}: {} rows with missing values dropped", fmt::join(files, ", "), table.dropped_rows));
  const std::string description = fmt::format("{} loss, {}", loss_name(loss), size_text(features, samples));
  Vector weights = ridge_weights(ridge, encoding.names);
  LinearModel model(std::move(features), std::move(labels), loss, std::move(weights), encoding.names);
  return {std::move(model),     description, std::move(notes), std::move(table), {},
          std::move(file_rows), samples};
}

// `data`: a file, or a list of files that are read as one.
Names read_data_files(TomlSection& section, const std::string& folder) {
  const toml::node* node = section.find("data");
  Names files = node && node->is_array() ? *section.texts("data") : Names{section.required_text("data")};
  if (files.empty()) throw section.error(*node, "data", "must name a file");
  for (auto& file : files) file = resolve(folder, file);
  return files;
}

// Of a file that is not there it is said who names it, and whether that one has more to say.
void refuse_what_is_not_there(TomlSection& section, const std::string& key, const std::string& file) {
  std::error_code trouble;
  if (std::filesystem::status(file, trouble).type() != std::filesystem::file_type::not_found) return;
  const bool comments = read_input(section.file()).starts_with('#');
  throw InputError(file, 0,
                   fmt::format("cannot open: No such file or directory; {}:{} names it{}", section.file(),
                               section.find(key)->source().begin.line,
                               comments ? ", and the comments there may say how to get it" : ""));
}

// From the first file; a process that does not read it takes the word of the one that does.
std::string guess_format(const Names& files, const FileShare* share) {
  const auto own = static_cast<std::size_t>(share ? share->first : 0);
  return values_of_all(share, std::string(io::looks_like_libsvm(files[own]) ? "libsvm" : "csv")).front();
}

}  // namespace

std::string resolve(const std::string& folder, const std::string& file) {
  const std::filesystem::path path(file);
  return path.is_absolute() || folder.empty() ? file : (std::filesystem::path(folder) / path).string();
}

StatedObjective objective_of(io::LinearProgram program, const std::string& file, double noise) {
  const Index n = static_cast<Index>(program.variables.size());
  SparseColumns hessian = program.hessian.size() ? program.hessian : SparseColumns(n, n);
  std::vector<std::string> notes;
  const double sign = program.maximise ? -1 : 1;
  if (program.maximise)
    notes.push_back(file + ": maximisation turned into minimisation of the negative objective");
  if (std::find(program.integer.begin(), program.integer.end(), true) != program.integer.end())
    notes.push_back(file + ": integer variables are treated as continuous");
  Quadratic objective(sign * hessian, sign * program.cost, sign * program.offset, {noise, 0});
  const std::string description =
      fmt::format("quadratic, {} variables, {} entries in Q{}", n, hessian.nonZeros(),
                  noise > 0 ? fmt::format(", gradient noise {}", noise) : "");
  return {std::move(objective), description, std::move(notes), {}, std::move(program)};
}

StatedObjective read_objective(TomlSection& section, const std::string& folder, const Names& sensitive,
                               const FileShare* share) {
  const std::string kind = section.required_text("kind");
  if (kind == "quadratic") {
    const std::string file = resolve(folder, section.required_text("file"));
    refuse_what_is_not_there(section, "file", file);
    const double noise = section.number("noise").value_or(0);
    if (!(noise >= 0) || !is_finite(noise))
      throw section.error(*section.find("noise"), "noise", "must be finite and >= 0");
    section.refuse_unknown_keys();
    return objective_of(io::read_linear_program(file), file, noise);
  }
  if (kind != "linear-model")
    throw section.error(*section.find("kind"), "kind",
                        "'" + kind + "' is unknown" + did_you_mean(kind, {"linear-model", "quadratic"}));
  const Names files = read_data_files(section, folder);
  if (share && static_cast<Index>(files.size()) != share->files)
    throw section.error(
        *section.find("data"), "data",
        fmt::format("must name a file per node: {} data files for {} nodes", files.size(), share->files));
  for (const auto& file : files)
    if (!share) refuse_what_is_not_there(section, "data", file);  // else other ranks may have it
  const Loss loss = read_loss(section);
  const double ridge = section.number("ridge").value_or(0);
  if (!(ridge >= 0) || !is_finite(ridge))
    throw section.error(*section.find("ridge"), "ridge", "must be finite and >= 0");
  const std::string format = section.text("format").value_or(guess_format(files, share));
  if (format == "libsvm") return from_libsvm(section, files, loss, ridge, share);
  if (format == "csv") return from_csv(section, files, loss, ridge, sensitive, share);
  throw section.error(*section.find("format"), "format", "must be \"csv\" or \"libsvm\"");
}

}  // namespace bridle
