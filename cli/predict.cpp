#include <cmath>
#include <memory>

#include <fmt/format.h>

#include "bridle/apps/fair/classifier.hpp"
#include "bridle/report/destination.hpp"
#include "bridle/report/fair/fair_json.hpp"

#include "command.hpp"

namespace bridle::cli {
namespace {

struct PredictArguments {
  std::string model, data, output = "-", separator;
  PredictOptions options;
};

// Quoted where CSV needs it.
std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::string decimal(double v) { return std::isnan(v) ? "not measured" : fmt::format("{:.4f}", v); }
std::string apart(double v) { return decimal(v) + (std::isnan(v) ? "" : " apart"); }

// What the file says of the predictions, where it has the target.
void tell(const Metrics& m) {
  fmt::print(stderr, "accuracy {}, balanced {}, AUC {}, selected {}\n", decimal(m.accuracy),
             decimal(m.balanced_accuracy), decimal(m.auc), decimal(m.selection_rate));
  for (const auto& attribute : m.attributes) {
    for (const auto& g : attribute.groups)
      fmt::print(stderr, "  {} = {}: {} people, selected {}, TPR {}, FPR {}, accuracy {}\n",
                 attribute.attribute, g.group, g.samples, decimal(g.selection_rate),
                 decimal(g.true_positive_rate), decimal(g.false_positive_rate), decimal(g.accuracy));
    fmt::print(stderr, "  {}: selection rates {}, true positive rates {}\n", attribute.attribute,
               apart(attribute.parity_difference), decimal(attribute.opportunity_difference));
  }
}

int run(const PredictArguments& a) {
  const Classifier classifier = read_classifier(a.model);
  Destination output(a.output);
  PredictOptions options = a.options;
  if (!a.separator.empty()) options.separator = separator_called(a.separator);
  const Predictions predictions = predict(classifier, a.data, options);
  std::string text;
  for (const auto& name : options.pass) text += csv_field(name) + ",";
  text += options.probability ? "probability,label\n" : "score,label\n";
  for (std::size_t i = 0; i < predictions.labels.size(); ++i) {
    for (const auto& fields : predictions.passed) text += csv_field(fields[i]) + ",";
    text +=
        fmt::format("{},{}\n", predictions.scores[static_cast<Index>(i)], csv_field(predictions.labels[i]));
  }
  output.write(text);
  fmt::print(stderr, "{} rows", predictions.labels.size());
  if (predictions.imputed > 0) fmt::print(stderr, "; {} missing values imputed", predictions.imputed);
  if (predictions.unseen > 0)
    fmt::print(stderr, "; {} values of categories that the training data has not, taken as zeros",
               predictions.unseen);
  fmt::print(stderr, "\n");
  for (const auto& note : predictions.notes) fmt::print(stderr, "note: {}\n", note);
  if (predictions.moved > 0)
    fmt::print(stderr,
               "note: the threshold changes {} decisions; bounds on rates were counted for the model's own, "
               "scores above 0\n",
               predictions.moved);
  if (predictions.figures) tell(*predictions.figures);
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
  add_list(*command, "--columns", a->options.columns, "Names of the columns, if the file has no header")
      ->type_name("NAME,...");
  command->add_flag("--probability", a->options.probability,
                    "Probabilities in place of scores, of a model trained with --folds");
  command
      ->add_option("--threshold", a->options.threshold,
                   "Positive above this score, or with --probability above this probability (default: the "
                   "model's own decisions, score > 0)")
      ->type_name("T");
  add_list(*command, "--pass", a->options.pass, "Columns of the file to write beside the scores")
      ->type_name("COL,...");
  add_separator(*command, a->separator);
  return [a] { return run(*a); };
}

}  // namespace bridle::cli
