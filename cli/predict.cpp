#include <memory>

#include <fmt/format.h>

#include "bridle/apps/fair/classifier.hpp"
#include "bridle/report/destination.hpp"
#include "bridle/report/fair/fair_json.hpp"

#include "command.hpp"

namespace bridle::cli {
namespace {

struct PredictArguments {
  std::string model, data, output = "-";
  Names columns;
};

// Quoted where CSV needs it.
std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

int run(const PredictArguments& a) {
  const Classifier classifier = read_classifier(a.model);
  Destination output(a.output);
  const Predictions predictions = predict(classifier, a.data, a.columns);
  std::string text = "score,label\n";
  for (std::size_t i = 0; i < predictions.labels.size(); ++i)
    text +=
        fmt::format("{},{}\n", predictions.scores[static_cast<Index>(i)], csv_field(predictions.labels[i]));
  output.write(text);
  fmt::print(stderr, "{} rows", predictions.labels.size());
  if (predictions.imputed > 0) fmt::print(stderr, "; {} missing values imputed", predictions.imputed);
  if (predictions.unseen > 0)
    fmt::print(stderr, "; {} values of categories that the training data has not, taken as zeros",
               predictions.unseen);
  fmt::print(stderr, "\n");
  return 0;
}

}  // namespace

Action add_predict(CLI::App& app) {
  auto a = std::make_shared<PredictArguments>();
  auto* command =
      app.add_subcommand("predict", "Scores and labels from a model that bridle fair has written");
  command->add_option("MODEL", a->model, "Model file (.json)")->type_name("FILE")->required();
  command->add_option("DATA", a->data, "Data with the columns of the training data (.csv, .csv.gz)")
      ->type_name("FILE")
      ->required();
  command
      ->add_option("--output", a->output,
                   "Where to write score,label, one line per row ('-': standard output)")
      ->type_name("FILE")
      ->capture_default_str();
  command->add_option("--columns", a->columns, "Names of the columns, if the file has no header")
      ->delimiter(',')
      ->type_name("NAME,...");
  return [a] { return run(*a); };
}

}  // namespace bridle::cli
