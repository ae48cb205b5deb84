// What a result says of itself.
#include "bridle/run/result.hpp"

#include <gtest/gtest.h>

#include "bridle/certify/certificate_text.hpp"

#include "tests/properties.hpp"

namespace bridle {
namespace {

// The command's screen shows the same table: there is one.
TEST(Result, FullReportHasTheCertificatesTable) {
  Result result;
  result.certificate.objective = 1.5;
  result.certificate.feasibility = {1e-3, 1e-4, std::string(2000, 'r')};  // names have any length
  result.certificate.convex = true;
  result.reasons = {{"tau", 0.25, "because"}};
  const std::string table = certificate_text(result.certificate);
  test::expect_contains(result.full_report(), "\n\n" + table + "\nparameters (");
  test::expect_contains(table, "certificate            absolute     relative\n");
  test::expect_contains(table, "  feasibility        1.0000e-03   1.0000e-04  rrr");
  test::expect_contains(table, std::string(2000, 'r') + "\n");
  test::expect_contains(table, "  duality gap  ");
  result.certificate.convex = false;
  EXPECT_EQ(certificate_text(result.certificate).find("duality gap"), std::string::npos);
}

}  // namespace
}  // namespace bridle
