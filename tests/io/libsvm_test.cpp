#include "bridle/io/libsvm.hpp"

#include "tests/io/files.hpp"

namespace bridle::io {
namespace {

using bridle::testing::error_of;
using bridle::testing::ErrorCase;
using bridle::testing::gzip;
using bridle::testing::shared;
using bridle::testing::write_file;

TEST(Libsvm, Values) {
  const std::string text = "# heading\n+1 1:0.5 3:-2e1 # note 5:1\n\n-1\t2:+4  \r\n0.25\n";
  for (const std::string& path : {write_file("a", text), write_file("a.gz", gzip(text))}) {
    const SparseData data = read_libsvm(path);
    EXPECT_EQ(data.labels, (Vector{{1.0, -1.0, 0.25}}));
    ASSERT_EQ(data.features.rows(), 3);
    ASSERT_EQ(data.features.cols(), 3);
    EXPECT_EQ(data.features.nonZeros(), 3);
    EXPECT_TRUE(data.features.isCompressed());
    EXPECT_EQ(Matrix(data.features), (Matrix{{0.5, 0, -20}, {0, 4, 0}, {0, 0, 0}}));
  }
}

TEST(Libsvm, InterceptIsTheLastColumn) {
  const std::string path = write_file("a", "1 1:2\n-1\n1 2:5 3:6\n");
  SparseRows features = read_libsvm(path, {.intercept = true}).features;
  EXPECT_EQ(Matrix(features), (Matrix{{2, 0, 0, 1}, {0, 0, 0, 1}, {0, 5, 6, 1}}));
  widen(features, 4, true);
  EXPECT_EQ(Matrix(features), (Matrix{{2, 0, 0, 0, 1}, {0, 0, 0, 0, 1}, {0, 5, 6, 0, 1}}));
}

TEST(Libsvm, ManyRowsAcrossBuffers) {
  std::string text;
  for (int i = 0; i < 60000; ++i)
    text += std::to_string(i) + " " + std::to_string(i % 50 + 1) + ":" + std::to_string(i) + ".5 99:1\n";
  const SparseData data = read_libsvm(write_file("a", text));
  ASSERT_EQ(data.features.rows(), 60000);
  EXPECT_EQ(data.features.cols(), 99);
  EXPECT_EQ(data.features.nonZeros(), 120000);
  for (Index i = 0; i < 60000; ++i) {
    ASSERT_EQ(data.labels[i], static_cast<double>(i));
    SparseRows::InnerIterator entry(data.features, i);
    ASSERT_EQ(entry.col(), i % 50);
    ASSERT_EQ(entry.value(), static_cast<double>(i) + 0.5);
    ++entry;
    ASSERT_EQ(entry.col(), 98);
  }
}

TEST(Libsvm, Errors) {
  const std::vector<ErrorCase> cases = {
      {"", ": no data lines"},
      {"# only\n\n", ": no data lines"},
      {"1\n-1\n", ": no line has a feature (index:value)"},
      {"1 1:2\n-1 0:3\n", ":2: '0:3': indices start at 1"},
      {"1 -4:3\n", ":1: '-4:3': indices start at 1"},
      {"1 2:3 2:4\n", ":1: '2:4': indices must increase along a line, but 2 follows 2"},
      {"1 5:3 2:4\n", ":1: '2:4': indices must increase along a line, but 2 follows 5"},
      {"1 qid:3 1:4\n", ":1: 'qid:3': ranking data (qid) is not supported"},
      {"1 1:2\n\nabc 1:2\n", ":3: the label 'abc' is not a number"},
      {"1x 1:2\n", ":1: the label '1x' is not a number"},
      {"nan 1:2\n", ":1: the label 'nan' is not a finite number"},
      {"1 1:inf\n", ":1: the value of '1:inf' is not a finite number"},
      {"1 1:1e999\n", ":1: the value of '1:1e999' is not a finite number"},
      {"1 1:x\n", ":1: the value of '1:x' is not a number"},
      {"1 1:\n", ":1: the value of '1:' is not a number"},
      {"1 1:2:3\n", ":1: the value of '1:2:3' is not a number"},
      {"1 1 2\n", ":1: '1' is not of the form index:value"},
      {"1,2:3\n", ":1: the label '1,2:3' is not a number"},
      {"1 a:3\n", ":1: 'a:3' is not of the form index:value"},
      {"1 99999999999:3\n", ":1: '99999999999:3': the index is too large"},
  };
  for (const ErrorCase& c : cases) {
    const std::string path = write_file("bad", c.content);
    EXPECT_EQ(error_of([&] { read_libsvm(path); }), path + c.message) << c.content;
  }
}

TEST(Libsvm, PartsAreTheWhole) {
  const std::string path = write_file("a", "1 1:2\n-1 2:1\n1 2:5 3:6\n-1 1:x\n");
  const auto part = [&](std::size_t number) {
    return read_libsvm(path, {.part = *part_of_file(path, number, 3)}).labels;
  };
  EXPECT_EQ(part(0), (Vector{{1.0, -1.0}}));
  EXPECT_EQ(part(1), (Vector{{1.0}}));
  const std::string error = error_of([&] { part(2); });
  EXPECT_NE(error.find("a:4:"), std::string::npos) << "a line's number is that in the file: " << error;
}

TEST(Libsvm, LooksLike) {
  EXPECT_TRUE(looks_like_libsvm(write_file("a", "# x\n\n+1 3:1 11:0.5\n")));
  EXPECT_TRUE(looks_like_libsvm(write_file("b", "1 qid:3 1:2\n")));
  for (const char* text : {"", "1\n", "1,2,3\n", "age,job\n39,x\n", "x 1:2\n", "1 2\n", "1 a:b\n", "1 :2\n"})
    EXPECT_FALSE(looks_like_libsvm(write_file("c", text))) << text;
}

TEST(Libsvm, SharedA9a) {
  SKIP_WITHOUT_SHARED_DATA();
  EXPECT_TRUE(looks_like_libsvm(shared("a9a/a9a.gz")));
  EXPECT_FALSE(looks_like_libsvm(shared("adult/adult.data.gz")));
  const SparseData train = read_libsvm(shared("a9a/a9a.gz"));
  EXPECT_EQ(train.features.rows(), 32561);
  EXPECT_EQ(train.features.cols(), 123);
  EXPECT_EQ(train.features.nonZeros(), 451592);
  EXPECT_EQ((train.labels.array() == 1).count(), 7841);
  EXPECT_EQ((train.labels.array() == -1).count(), 24720);
  SparseData test = read_libsvm(shared("a9a/a9a.t.gz"));
  EXPECT_EQ(test.features.cols(), 122);
  widen(test.features, 123, false);
  EXPECT_EQ(test.features.rows(), 16281);
  EXPECT_EQ(test.features.cols(), 123);
}

// A slip in one index must not make a problem of ten million columns.
TEST(Libsvm, IndexFarBeyondTheDataIsRefused) {
  const std::string path = testing::write_file("slip.svm", "+1 1:1 2:1\n-1 1:0.5 10000000:1\n");
  EXPECT_NE(
      testing::error_of([&] { read_libsvm(path); }).find(":2: the index 10000000 makes 10000000 columns"),
      std::string::npos);
  const std::string wide = testing::write_file("wide.svm", "+1 1:1 2:1\n-1 1:0.5 900000:1\n");
  EXPECT_EQ(read_libsvm(wide).features.cols(), 900000);
}

}  // namespace
}  // namespace bridle::io
