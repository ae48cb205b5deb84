#include <cmath>

#include <gtest/gtest.h>

#include "bridle/report/fair/fair_html.hpp"
#include "bridle/report/fair/fair_json.hpp"

#include "tests/apps/people.hpp"
#include "tests/io/files.hpp"

namespace bridle {
namespace {

using testing::people_csv;
using testing::write_file;

TEST(FairModel, PredictsWhatItWasTrainedToAfterBeingWrittenAndRead) {
  const std::string file = write_file("people.csv", people_csv());
  DataStatement data;
  data.target = "income";
  data.positive = "high";
  data.sensitive = {"sex"};
  const FairProblem problem(read_training(file, data), data, {});
  const Fit fitted = fit(problem, nullptr, Vector::Constant(1, 0.01), {.epochs = 5});
  const std::string model =
      write_file("model.json", to_text(model_json({problem, data, nullptr, 0}, fitted)));
  const Classifier classifier = read_classifier(model);
  const Predictions predictions = predict(classifier, file);
  ASSERT_EQ(predictions.scores.size(), 400);
  for (Index i = 0; i < 400; ++i) {
    EXPECT_NEAR(predictions.scores[i], problem.model().features().dot(i, fitted.result.x), 1e-12);
    EXPECT_EQ(predictions.labels[static_cast<std::size_t>(i)], predictions.scores[i] > 0 ? "high" : "low");
  }
  EXPECT_EQ(predictions.unseen + predictions.imputed, 0);
  // Other columns, in another order, without target and group; a new town; a gap in each kind of column.
  const std::string other =
      write_file("other.csv", "town,more,race,education,hours\nfar,1,a,3,40\n?,2,b,,30\n");
  const Predictions there = predict(classifier, other);
  EXPECT_EQ(there.labels.size(), 2u);
  EXPECT_EQ(there.unseen, 1);
  EXPECT_EQ(there.imputed, 2);
  EXPECT_THROW(predict(classifier, write_file("few.csv", "town,race\nnorth,a\n")), InputError);
}

TEST(FairModel, ForeignAndDamagedFilesAreRefused) {
  EXPECT_THROW(read_classifier("/nowhere/model.json"), InputError);
  EXPECT_THROW(read_classifier(write_file("m.json", "not json")), InputError);
  EXPECT_THROW(read_classifier(write_file("m.json", "{}")), InputError);
  EXPECT_THROW(read_classifier(write_file("m.json", R"({"format": "bridle fair classifier"})")), InputError);
  EXPECT_THROW(
      read_classifier(write_file("m.json", R"({"format": "bridle fair classifier", "encoding": 3})")),
      InputError);
}

TEST(FairReport, IsOneFileWithoutLinks) {
  const std::string page = fair_html(Json{{"setting", "</script><b>"}});
  EXPECT_EQ(page.find("@FIGURES@"), std::string::npos);
  EXPECT_EQ(page.find("</script><b>"), std::string::npos) << "text of the data cannot leave its element";
  EXPECT_NE(page.find("Chart.js v"), std::string::npos);
  for (const char* link : {" src=", "<link", "@import", "url("})
    EXPECT_EQ(page.find(link), std::string::npos) << link;
}

}  // namespace
}  // namespace bridle
