// The model file: written after training, read by `bridle predict`.

#include "bridle/core/error.hpp"
#include "bridle/core/input_file.hpp"
#include "bridle/report/fair/fair_json.hpp"
#include "bridle/report/version.hpp"

namespace bridle {
namespace {

constexpr const char* format_name = "bridle fair classifier";

Json encoding_json(const Encoding& encoding, const Vector& weights) {
  Json columns = Json::array();
  for (const auto& column : encoding.columns) {
    Json entry = {{"source", column.source}, {"numeric", column.numeric}};
    if (column.numeric) {
      const auto j = column.first;
      entry["mean"] = column.mean;
      entry["scale"] = column.scale;
      entry["name"] = encoding.names[static_cast<std::size_t>(j)];
      entry["weight"] = weights[j];
    } else {
      entry["categories"] = Json::array();
      for (std::size_t k = 0; k < column.categories.size(); ++k) {
        const Index j = column.first + static_cast<Index>(k);
        entry["categories"].push_back({{"category", column.categories[k]},
                                       {"name", encoding.names[static_cast<std::size_t>(j)]},
                                       {"weight", weights[j]}});
      }
    }
    columns.push_back(std::move(entry));
  }
  return columns;
}

void read_columns(const Json& columns, Classifier& out) {
  std::vector<double> weights;
  for (const Json& entry : columns) {
    EncodedColumn column;
    column.source = entry.at("source").get<std::string>();
    column.numeric = entry.at("numeric").get<bool>();
    column.first = out.encoding.width();
    if (column.numeric) {
      column.mean = entry.at("mean").get<double>();
      column.scale = entry.at("scale").get<double>();
      out.encoding.names.push_back(entry.at("name").get<std::string>());
      weights.push_back(entry.at("weight").get<double>());
    } else {
      for (const Json& category : entry.at("categories")) {
        column.categories.push_back(category.at("category").get<std::string>());
        out.encoding.names.push_back(category.at("name").get<std::string>());
        weights.push_back(category.at("weight").get<double>());
      }
    }
    out.encoding.columns.push_back(std::move(column));
  }
  out.weights = Eigen::Map<const Vector>(weights.data(), static_cast<Index>(weights.size()));
}

Classifier classifier_from(const Json& root) {
  Classifier out;
  read_columns(root.at("encoding"), out);
  out.encoding.intercept = true;
  out.encoding.names.emplace_back(intercept_name);
  out.weights.conservativeResize(out.weights.size() + 1);
  out.weights[out.weights.size() - 1] = root.at("intercept").get<double>();
  for (const Json& fill : root.at("fills")) {
    Fill entry;
    entry.column = fill.at("column").get<std::string>();
    entry.numeric = fill.at("value").is_number();
    if (entry.numeric)
      entry.number = fill.at("value").get<double>();
    else
      entry.category = fill.at("value").get<std::string>();
    out.fills.push_back(std::move(entry));
  }
  out.target.column = root.at("target").get<std::string>();
  out.target.classes = root.at("classes").get<Names>();
  if (out.target.classes.empty()) throw InputError("'classes' is empty");
  out.columns = root.at("columns").get<Names>();
  out.categorical = root.at("categorical").get<Names>();
  out.missing_values = root.value("missing_values", Names{"?"});
  out.sensitive = root.value("sensitive", Names{});
  if (root.contains("platt"))
    out.platt = {root["platt"].at("slope").get<double>(), root["platt"].at("shift").get<double>()};
  return out;
}

}  // namespace

Json model_json(const FairSetting& s, const Fit& fit) {
  const TrainingData& training = s.problem.training();
  Json fills = Json::array();
  for (const auto& fill : training.fills)
    fills.push_back(
        {{"column", fill.column}, {"value", fill.numeric ? Json(fill.number) : Json(fill.category)}});
  return {{"format", format_name},
          {"version", version},
          {"target", training.target.column},
          {"classes", training.target.classes},
          {"loss", loss_name(s.problem.statement().loss)},
          {"ridge", s.problem.statement().ridge},
          {"intercept", fit.result.x[fit.result.x.size() - 1]},
          {"encoding", encoding_json(training.encoding, fit.result.x)},
          {"fills", std::move(fills)},
          {"columns", s.data.csv.columns},
          {"categorical", s.data.csv.categorical},
          {"missing_values", s.data.csv.missing_values},
          {"sensitive", s.data.sensitive},
          {"rows", to_json(fit.rows)},
          {"status", to_string(fit.result.status)},
          {"certificate", to_json(fit.result.certificate)}};
}

Classifier read_classifier(const std::string& path) {
  const Json root = Json::parse(read_input(path), nullptr, false);
  if (root.is_discarded() || !root.is_object() || root.value("format", Json()) != format_name)
    throw InputError(path, 0, "is not a model that `bridle fair --model` has written");
  try {
    return classifier_from(root);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    throw InputError(path, 0, std::string("is damaged: ") + error.what());
  }
}

}  // namespace bridle
