// What is printed as the reason for a parameter is the expression that computed it, and every constant of the
// rules stands in docs/parameters.md.
#include "bridle/params/formula.hpp"

#include <fstream>
#include <iterator>
#include <set>

#include <gtest/gtest.h>

#include "bridle/params/theory.hpp"

namespace bridle {
namespace {

TEST(Formula, SaysWhatItComputes) {
  const Formula L("L", 2), R("R", 10), rho = kept_in(1.4 * R - L, 2 * L, 8 * L);
  EXPECT_EQ(rho.text(), "1.4 R - L, kept in [2 L, 8 L]");
  EXPECT_EQ(rho.value(), 12);
  const Formula tau = smallest_of({0.5 / R, 0.7 / (rho.as("rho") + L)});
  EXPECT_EQ(tau.text(), "min(0.5/R, 0.7/(rho + L))");
  EXPECT_DOUBLE_EQ(tau.value(), 0.05);
  const Formula eta = tau.as("tau") * squared(L + rho.as("rho")) / 4;
  EXPECT_EQ(eta.text(), "tau (L + rho)^2/4");
  EXPECT_DOUBLE_EQ(eta.value(), 0.05 * 14 * 14 / 4);
}

TEST(Formula, BracketsWhereTheyAreNeeded) {
  const Formula a("a", 7), b("b", 3), c("c", 2);
  EXPECT_EQ((a - (b - c)).text(), "a - (b - c)");
  EXPECT_EQ((a - (b - c)).value(), 6);
  EXPECT_EQ((a / (b * c)).text(), "a/(b c)");
  EXPECT_EQ((a / b / c).text(), "a/b/c");
  EXPECT_EQ(squared(2 * a).text(), "(2 a)^2");
  EXPECT_EQ((1 / (4 * b + a)).text(), "1/(4 b + a)");
  EXPECT_EQ(largest_of({2, 4 * a}).value(), 28);
}

TEST(Formula, TheTheorysTextsAreThoseOfThePaper) {
  const TheoryConstants constants{.smoothness = 3, .mean_smoothness = 4, .row_norm = 2, .error_bound = 5};
  const ParameterFormulas p = TheoryFormulas(constants).plain(100);
  EXPECT_EQ(p.mu.text(), "max(2, 4 L_f)");
  EXPECT_EQ(p.tau.text(), "1/(6 lambda^2 sqrt T)");
  EXPECT_EQ(p.beta.text(), "min(tau/100, 1/(50 lambda), eta/(36 mu sbar^2))");
  EXPECT_EQ(p.tau.value(), 1 / (6 * std::pow(3 + 4 + 12, 2) * 10));
}

TEST(Constants, StandInTheDocsWithTheirValues) {
  std::ifstream file(BRIDLE_SOURCE "/docs/parameters.md");
  const std::string page((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  ASSERT_FALSE(page.empty());
  std::set<std::string_view> names;
  for (const auto& [name, constant] : all_constants) {
    EXPECT_TRUE(names.insert(name).second) << name << " is listed twice";
    char row[200];
    std::snprintf(row, sizeof row, "| `%s` | %.4g | %s |", std::string(name).c_str(), constant.value,
                  std::string(constant.meaning).c_str());
    EXPECT_NE(page.find(row), std::string::npos) << "docs/parameters.md lacks " << row;
  }
}

}  // namespace
}  // namespace bridle
