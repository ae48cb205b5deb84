// The model file: written after training, read by `bridle predict`.

#include "bridle/core/error.hpp"
#include "bridle/core/input_file.hpp"
#include "bridle/report/fair/fair_json.hpp"
#include "bridle/report/version.hpp"

namespace bridle {
namespace {

constexpr const char* format_name = "bridle fair classifier";

// Weights of a linear model stand beside its columns; those of a network in layers.
Json encoding_json(const Encoding& encoding, const Vector* weights) {
  Json columns = Json::array();
  for (const auto& column : encoding.columns) {
    Json entry = {{"source", column.source}, {"numeric", column.numeric}};
    if (column.numeric) {
      const auto j = column.first;
      entry["mean"] = column.mean;
      entry["scale"] = column.scale;
      entry["name"] = encoding.names[static_cast<std::size_t>(j)];
      if (weights) entry["weight"] = (*weights)[j];
    } else {
      entry["categories"] = Json::array();
      for (std::size_t k = 0; k < column.categories.size(); ++k) {
        const Index j = column.first + static_cast<Index>(k);
        Json category = {{"category", column.categories[k]},
                         {"name", encoding.names[static_cast<std::size_t>(j)]}};
        if (weights) category["weight"] = (*weights)[j];
        entry["categories"].push_back(std::move(category));
      }
    }
    columns.push_back(std::move(entry));
  }
  return columns;
}

// A layer's weights by input, and its biases. The last input of the first layer is the intercept's column.
Json layers_json(const NeuralNetwork& network, const Vector& w) {
  Json out = Json::array();
  for (const auto& layer : network.layers()) {
    Json rows = Json::array();
    for (Index j = 0; j < layer.inputs; ++j) {
      const double* first = w.data() + layer.first + j * layer.units;
      rows.push_back(std::vector<double>(first, first + layer.units));
    }
    Json bias = rows.back();
    rows.erase(rows.size() - 1);
    out.push_back({{"inputs", layer.inputs - 1},
                   {"units", layer.units},
                   {"weights", std::move(rows)},
                   {"bias", std::move(bias)}});
  }
  return out;
}

void read_layers(const Json& layers, Classifier& out) {
  std::vector<double> weights;
  std::size_t inputs = static_cast<std::size_t>(out.encoding.width());
  const auto take = [&](const Json& numbers, std::size_t units) {
    if (numbers.size() != units) throw InputError("a layer's weights and units are not as many");
    for (const Json& number : numbers) weights.push_back(number.get<double>());
  };
  for (const Json& layer : layers) {
    const Json& rows = layer.at("weights");
    const std::size_t units = layer.at("bias").size();
    if (rows.size() != inputs || units == 0)
      throw InputError("a layer's inputs are not those of the one before");
    for (const Json& row : rows) take(row, units);
    take(layer.at("bias"), units);
    out.hidden.push_back(static_cast<Index>(units));
    inputs = units;
  }
  if (out.hidden.size() < 2 || out.hidden.back() != 1)
    throw InputError("the last layer has one unit, the score");
  out.hidden.pop_back();
  out.weights = Eigen::Map<const Vector>(weights.data(), static_cast<Index>(weights.size()));
}

void read_columns(const Json& columns, bool with_weights, Classifier& out) {
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
      if (with_weights) weights.push_back(entry.at("weight").get<double>());
    } else {
      for (const Json& category : entry.at("categories")) {
        column.categories.push_back(category.at("category").get<std::string>());
        out.encoding.names.push_back(category.at("name").get<std::string>());
        if (with_weights) weights.push_back(category.at("weight").get<double>());
      }
    }
    out.encoding.columns.push_back(std::move(column));
  }
  out.weights = Eigen::Map<const Vector>(weights.data(), static_cast<Index>(weights.size()));
}

Classifier classifier_from(const Json& root) {
  Classifier out;
  const std::string kind = root.value("model", "linear");
  if (kind != "linear" && kind != "network") throw InputError("'model' is neither linear nor network");
  read_columns(root.at("encoding"), kind == "linear", out);
  if (kind == "network") {
    if (root.at("activation").get<std::string>() != "tanh") throw InputError("'activation' is not tanh");
    read_layers(root.at("layers"), out);
  } else {
    out.weights.conservativeResize(out.weights.size() + 1);
    out.weights[out.weights.size() - 1] = root.at("intercept").get<double>();
  }
  out.encoding.intercept = true;
  out.encoding.names.emplace_back(intercept_name);
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
  const NeuralModel* network = s.problem.network();
  Json out = {{"format", format_name},
              {"version", version},
              {"target", training.target.column},
              {"classes", training.target.classes},
              {"loss", loss_name(s.problem.statement().loss)},
              {"ridge", s.problem.statement().ridge},
              {"model", network ? "network" : "linear"},
              {"encoding", encoding_json(training.encoding, network ? nullptr : &fit.result.x)},
              {"fills", std::move(fills)},
              {"columns", s.data.csv.columns},
              {"categorical", s.data.csv.categorical},
              {"missing_values", s.data.csv.missing_values},
              {"sensitive", s.data.sensitive},
              {"rows", to_json(fit.rows)},
              {"status", to_string(fit.result.status)},
              {"certificate", to_json(fit.result.certificate)}};
  if (network) {
    out["activation"] = "tanh";
    out["layers"] = layers_json(network->network(), fit.result.x);
  } else {
    out["intercept"] = fit.result.x[fit.result.x.size() - 1];
  }
  if (fit.rates) out["decisions"] = {{"request", fit.rates->request.text()}, {"reached", fit.rates->reached}};
  return out;
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
