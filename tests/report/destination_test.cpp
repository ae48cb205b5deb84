// Where results go, and the frame of the pages.
#include "bridle/report/destination.hpp"

#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "bridle/report/page/page.hpp"

#include "tests/io/files.hpp"
#include "tests/properties.hpp"

namespace bridle {
namespace {

TEST(Destination, FileStandardOutputOrNowhere) {
  const std::string file = testing::write_file("output.txt", "old");
  ::testing::internal::CaptureStdout();
  Destination nowhere(""), standard("-"), to_file(file);
  EXPECT_FALSE(nowhere.wanted());
  EXPECT_TRUE(standard.wanted() && to_file.wanted());
  nowhere.write("a");
  standard.write("b\n");
  to_file.write("c");
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "b\n");
  std::ifstream read(file);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(read), {}), "c");
  EXPECT_THROW(Destination("/no/such/folder/file"), InputError);
}

// Names from a user's data may look like the frame's marks, or like the end of a script.
TEST(Page, FiguresAreNothingButFigures) {
  const Json figures = {{"name", "@SCRIPT@ </script><!-- @BODY@"}};
  const std::string page = html_page(
      {.title = "a title", .body = "<p>@FIGURES@</p>", .style = "p {}", .script = "go();"}, figures);
  test::expect_contains(page, "<title>Bridle: a title</title>");
  test::expect_contains(page, "<p>@FIGURES@</p>");
  test::expect_contains(page, R"(id="figures">{"name":"@SCRIPT@ \u003c/script>\u003c!-- @BODY@"}</script>)");
  test::expect_contains(page, "go();");
  EXPECT_EQ(page.find("@TITLE@"), std::string::npos);
  EXPECT_EQ(page.find("@STYLE@"), std::string::npos);
}

}  // namespace
}  // namespace bridle
