#include "bridle/io/csv.hpp"

#include <cmath>
#include <numeric>

#include "tests/io/files.hpp"

namespace bridle::io {
namespace {

using bridle::testing::error_of;
using bridle::testing::ErrorCase;
using bridle::testing::gzip;
using bridle::testing::shared;
using bridle::testing::write_file;

// The values of a text column as text again.
Names texts(const Column& column) {
  Names all;
  for (const auto code : column.codes) all.push_back(column.categories[static_cast<std::size_t>(code)]);
  return all;
}

TEST(Csv, SeparatorsAreFoundOut) {
  CsvOptions options;
  options.separator = find_separator;
  const auto read = [&](const std::string& text) { return read_csv(write_file("s.csv", text), options); };
  for (const std::string text : {"a,b c\n1,x y\n2,z\n", "a;b c\n1;x y\n2;z\n", "a\tb c\n1\tx y\n2\tz\n"}) {
    const Table table = read(text);
    EXPECT_EQ(table.separator, text[1]);
    ASSERT_EQ(table.columns.size(), 2U) << text;
    EXPECT_EQ(texts(table.column("b c")), (Names{"x y", "z"}));
  }
  const Table blanks = read("  a   b\n 1  x\n22 \t \"y z\"  \n");
  EXPECT_EQ(blanks.separator, ' ');
  EXPECT_EQ(texts(blanks.column("b")), (Names{"x", "y z"}));
  // A quoted header that makes no sense with commas, and decimal commas where the number of columns decides.
  EXPECT_EQ(read("\"a,b\";\"c\"\nx;y\n").separator, ';');
  options.columns = {"first", "second"};
  EXPECT_EQ(read("1,5;2,5\n").separator, ';');
  options = {};
  EXPECT_NE(error_of([&] { read_csv(write_file("s.csv", "a;b\n1;2\n")).column("b"); }).find("separator"),
            std::string::npos);
}

TEST(Csv, MissingValuesAreWhatTheOptionsSay) {
  CsvOptions options;
  options.missing_values = {"NA", "-"};
  const Table table = read_csv(write_file("m.csv", "a,b\n1,x\nNA,x\n2,-\n,x\n3,?\n"), options);
  EXPECT_EQ(table.rows, 2);
  EXPECT_EQ(table.dropped_rows, 3);
  EXPECT_EQ(texts(table.column("b")), (Names{"x", "?"}));
}

TEST(Csv, NumbersAndCategories) {
  const Table table =
      read_csv(write_file("a.csv", "age, job ,pay\n 39,clerk , +1.5e3\n\n40,  cook,2\n41,clerk,-3\n"));
  EXPECT_EQ(table.rows, 3);
  EXPECT_EQ(table.dropped_rows, 0);
  ASSERT_EQ(table.columns.size(), 3U);
  EXPECT_TRUE(table.column("age").numeric);
  EXPECT_EQ(table.column("age").numbers, (std::vector<double>{39, 40, 41}));
  EXPECT_FALSE(table.column("job").numeric);
  EXPECT_EQ(table.column("job").categories, (Names{"clerk", "cook"}));
  EXPECT_EQ(table.column("job").codes, (std::vector<std::int32_t>{0, 1, 0}));
  EXPECT_EQ(table.column("pay").numbers, (std::vector<double>{1500, 2, -3}));
}

TEST(Csv, Quotes) {
  const Table table = read_csv(write_file("a.csv",
                                          "\"the name\",\"a,b\",c\n\"x, \"\"y\"\"\", \"1\" "
                                          ",z\r\n\"two\r\nlines\",2,\" kept \"\nplain \"q\",3,\"\"\"\"\n"));
  EXPECT_EQ(texts(table.column("the name")), (Names{"x, \"y\"", "two\nlines", "plain \"q\""}));
  EXPECT_EQ(table.column("a,b").numbers, (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(texts(table.column("c")), (Names{"z", " kept ", "\""}));
}

TEST(Csv, LineNumbersCountQuotedLines) {
  const std::string path = write_file("a.csv", "a,b\n\"1\n2\n3\",x\n\"y\",z,w\n");
  EXPECT_EQ(error_of([&] { read_csv(path); }), path + ":5: 3 fields, but the header has 2");
}

TEST(Csv, CrLfByteOrderMarkAndGzip) {
  const std::string text =
      "\xEF\xBB\xBF"
      "a;b\r\n1;x\r\n2;y\r\n";
  for (const std::string& path : {write_file("a.csv", text), write_file("a.csv.gz", gzip(text))}) {
    CsvOptions options;
    options.separator = ';';
    const Table table = read_csv(path, options);
    EXPECT_EQ(table.column("a").numbers, (std::vector<double>{1, 2}));
    EXPECT_EQ(texts(table.column("b")), (Names{"x", "y"}));
  }
}

TEST(Csv, TabsAreSeparatorsNotBlanks) {
  CsvOptions options;
  options.separator = '\t';
  const Table table = read_csv(write_file("a.tsv", "a\tb\n 1\t\n\t\n2 \tx\n"), options);
  EXPECT_EQ(table.rows, 1);
  EXPECT_EQ(table.dropped_rows, 2);
  EXPECT_EQ(table.column("a").numbers, (std::vector<double>{2}));
}

TEST(Csv, HeaderNames) {
  const Table table = read_csv(write_file("a.csv", ",x,x,x.2,x,\n1,2,3,4,5,6\n"));
  Names names;
  for (const Column& c : table.columns) names.push_back(c.name);
  EXPECT_EQ(names, (Names{"column_1", "x", "x.3", "x.2", "x.4", "column_6"}));
}

TEST(Csv, MissingValuesDropTheRow) {
  // A category seen in dropped rows only does not appear; the first kept row decides on numbers.
  const Table table = read_csv(write_file("a.csv", "a,b\n?,lost\n1,\n2,kept\n \"?\" ,lost\n3,kept\n"));
  EXPECT_EQ(table.rows, 2);
  EXPECT_EQ(table.dropped_rows, 3);
  EXPECT_EQ(table.column("a").numbers, (std::vector<double>{2, 3}));
  EXPECT_EQ(table.column("b").categories, (Names{"kept"}));
}

TEST(Csv, Options) {
  CsvOptions options;
  options.columns = {"a", "zip", "note"};
  options.categorical = {"zip"};
  options.ignore = {"note"};
  const Table table =
      read_csv(write_file("a.csv", "|first line is a comment\n1,0501,?\n2,501,nan\n"), options);
  ASSERT_EQ(table.columns.size(), 2U);
  EXPECT_EQ(table.rows, 2);
  EXPECT_EQ(texts(table.column("zip")), (Names{"0501", "501"}));
  EXPECT_EQ(table.find("note"), nullptr);
  EXPECT_NE(error_of([&] { table.column("zap"); }).find("no column is named 'zap'; did you mean 'zip'?"),
            std::string::npos);
}

TEST(Csv, Errors) {
  const std::vector<ErrorCase> cases = {
      {"", ": the file is empty: a header line with column names is needed"},
      {"\n  \n", ": the file is empty"},
      {"a,b\n", ": no data rows"},
      {"a,b\n1,\n?,2\n", ": no data: every row has a missing value (an empty field or '?'), 2 rows dropped"},
      {"1,2\n3,4\n", ":1: the first line has numbers, not column names"},
      {"a,b\n1,2\n3\n", ":3: 1 fields, but the header has 2"},
      {"a,b\n1,2,\n", ":2: 3 fields, but the header has 2"},
      {"age,b\n39,x\n\nabc,y\n",
       ":4: column 'age' is numeric (its first value is 39) but has 'abc'; list it under categorical to read "
       "it as text"},
      {"a,b\n1,2\n3,nan\n", ":3: column 'b': 'nan' is not a finite number"},
      {"a,b\n1,2\n3,-INF\n", ":3: column 'b': '-INF' is not a finite number"},
      {"a,b\n1,NaN\n", ":2: column 'b': 'NaN' is not a finite number"},
      {"a,b\n1,1e999\n", ":2: column 'b': '1e999' is not a finite number"},
      {"a,b\n1,\"x\n2,3\n", ":2: a quoted field opens here and is never closed"},
      {"a,b\n1,\"x\"y\n", ":2: text follows the closing quote of 'x'"},
      {std::string("a,b\n1,\0\n", 8), ":2: has a NUL byte"},
  };
  for (const ErrorCase& c : cases) {
    const std::string path = write_file("bad.csv", c.content);
    const std::string message = error_of([&] { read_csv(path); });
    EXPECT_TRUE(message.starts_with(path + c.message)) << c.content << "\ngave: " << message;
    EXPECT_EQ(message.find('\n'), std::string::npos);
  }
}

TEST(Csv, ErrorsFromOptions) {
  const std::string path = write_file("a.csv", "age,job\n1,x\n2,\n");
  const auto message = [&](auto change) {
    CsvOptions options;
    change(options);
    return error_of([&] { read_csv(path, options); });
  };
  EXPECT_EQ(message([](CsvOptions& o) { o.missing = Missing::error; }),
            path + ":3: column 'job' has a missing value (an empty field or '?')");
  EXPECT_EQ(message([](CsvOptions& o) { o.categorical = {"agee"}; }),
            path + ": categorical: no column is named 'agee'; did you mean 'age'?");
  EXPECT_EQ(message([](CsvOptions& o) { o.ignore = {"jobs"}; }),
            path + ": ignore: no column is named 'jobs'; did you mean 'job'?");
  EXPECT_EQ(message([](CsvOptions& o) {
              o.ignore = {"age", "job"};
            }),
            path + ": ignore: every column is ignored");
  EXPECT_EQ(message([](CsvOptions& o) {
              o.columns = {"a", "b", "a"};
            }),
            path + ": columns: the name 'a' is listed twice");
  EXPECT_EQ(message([](CsvOptions& o) {
              o.columns = {"a", "b", "c"};
            }),
            path + ":1: 2 fields, but the columns named are 3");
  EXPECT_NE(message([](CsvOptions& o) { o.separator = '"'; }).find("cannot separate fields"),
            std::string::npos);
}

TEST(Csv, DecimalCommasBetweenSemicolons) {
  CsvOptions options;
  options.separator = find_separator;
  options.missing = Missing::keep;
  const auto read = [&](const std::string& text) { return read_csv(write_file("d.csv", text), options); };
  const Table table = read("pay;age;word\n3,14;2;x,5\n-0,5;?;1,5\n;2,5e1;y\n7;3;1,5\n");
  ASSERT_TRUE(table.column("pay").numeric && table.column("age").numeric);
  EXPECT_EQ(table.column("pay").numbers[0], 3.14);
  EXPECT_EQ(table.column("pay").numbers[1], -0.5);
  EXPECT_TRUE(std::isnan(table.column("pay").numbers[2]));
  EXPECT_EQ(table.column("pay").numbers[3], 7);
  EXPECT_EQ(table.column("pay").comma_example, "3,14");
  EXPECT_TRUE(std::isnan(table.column("age").numbers[1]));
  EXPECT_EQ(table.column("age").numbers[2], 25);
  EXPECT_FALSE(table.column("word").numeric) << "one value is no number";
  const auto point = [&](const std::string& last) {
    return read("a;b\n1,5;1.234\n2;2\n3;" + last + "\n").column("b").point_example;
  };
  EXPECT_EQ(point("-103.141"), "1.234") << "all of them could be thousands";
  for (const char* plain : {"0.234", "1234.567", "1.5", "2.3456"}) EXPECT_EQ(point(plain), plain);
  // Points and commas in one column, thousands, and two commas are no decimal commas.
  for (const std::string values : {"3,14\n2.5", "1.234,5\n2,5", "1,234,567\n1,5", "1,5\n,5", "1,5\n1e999"})
    EXPECT_FALSE(read("a;b\n0;" + values.substr(0, values.find('\n')) + "\n0;" +
                      values.substr(values.find('\n') + 1) + "\n")
                     .column("b")
                     .numeric)
        << values;
  const auto refusal = [&](const std::string& text) { return error_of([&] { read(text); }); };
  EXPECT_NE(refusal("a;b\n0;2.5\n0;3,14\n")
                .find("d.csv:3: column 'b' is numeric (its first value is 2.5) but has '3,14'"),
            std::string::npos);
  EXPECT_NE(refusal("a;b\n0;2\n0;3,14\n0;2.5\n")
                .find("d.csv:4: column 'b' has decimal commas ('3,14') but also '2.5'"),
            std::string::npos);
  // Elsewhere a comma is a comma; and what is said to be categories is.
  EXPECT_FALSE(read("a,b\n\"3,14\",1\n").column("a").numeric);
  EXPECT_FALSE(read("a\tb\n3,14\t1\n").column("a").numeric);
  options.separator = ';';
  EXPECT_NE(refusal("1,5;2,5\n1;2\n").find("the first line has numbers, not column names"),
            std::string::npos);
  options.categorical = {"a"};
  EXPECT_EQ(read("a;b\n3,14;2,5\n").column("a").categories, Names{"3,14"});
}

TEST(Csv, ManyRowsAcrossBuffers) {
  std::string text = "i,half,name\n";
  for (int i = 0; i < 150000; ++i)
    text += std::to_string(i) + "," + std::to_string(i) + ".5,n" + std::to_string(i % 7) + "\n";
  const Table table = read_csv(write_file("a.csv", text));
  ASSERT_EQ(table.rows, 150000);
  for (std::size_t i = 0; i < 150000; ++i) {
    ASSERT_EQ(table.columns[0].numbers[i], static_cast<double>(i));
    ASSERT_EQ(table.columns[1].numbers[i], static_cast<double>(i) + 0.5);
    ASSERT_EQ(table.columns[2].codes[i], static_cast<std::int32_t>(i % 7));
  }
}

CsvOptions adult_options() {
  CsvOptions options;
  options.columns = {"age",          "workclass",    "fnlwgt",       "education", "education-num",
                     "marital",      "occupation",   "relationship", "race",      "sex",
                     "capital-gain", "capital-loss", "hours",        "country",   "income"};
  return options;
}

TEST(Csv, SharedAdult) {
  SKIP_WITHOUT_SHARED_DATA();
  const Table train = read_csv(shared("adult/adult.data.gz"), adult_options());
  EXPECT_EQ(train.rows, 30162);
  EXPECT_EQ(train.rows + train.dropped_rows, 32561);
  EXPECT_TRUE(train.column("age").numeric);
  EXPECT_EQ(train.column("age").numbers.front(), 39);
  EXPECT_EQ(train.column("sex").categories, (Names{"Male", "Female"}));
  EXPECT_EQ(train.column("income").categories, (Names{"<=50K", ">50K"}));
  const Table test = read_csv(shared("adult/adult.test.gz"), adult_options());
  EXPECT_EQ(test.rows, 15060);
  EXPECT_EQ(test.rows + test.dropped_rows, 16281);
  EXPECT_EQ(test.column("income").categories, (Names{"<=50K.", ">50K."}));
}

// One name 100,000 times: the time grows with the width, not with its square.
TEST(Csv, WideHeaderOfEqualNames) {
  std::string header = "a", row = "1";
  for (int k = 1; k < 100000; ++k) header += ",a", row += ",2";
  const Table table = read_csv(write_file("wide.csv", header + "\n" + row + "\n"));
  ASSERT_EQ(table.columns.size(), 100000U);
  EXPECT_EQ(table.columns.back().name, "a.100000");
}

TEST(Csv, SharedCompas) {
  SKIP_WITHOUT_SHARED_DATA();
  const Table table = read_csv(shared("compas/compas-scores-two-years.csv.gz"));
  EXPECT_EQ(table.columns.size(), 14U);
  EXPECT_EQ(table.rows + table.dropped_rows, 7214);
  EXPECT_EQ(table.column("two_year_recid").numbers.size(), static_cast<std::size_t>(table.rows));
  EXPECT_EQ(table.column("score_text").categories.size(), 3U);
  EXPECT_EQ(table.column("days_b_screening_arrest").numbers.front(), -1);
}

}  // namespace
}  // namespace bridle::io
