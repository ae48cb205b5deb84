// Graduate admissions at Berkeley, autumn 1973, six largest departments: 4,526 applicants by department, sex,
// outcome, and a made-up mark.
#pragma once

#include <array>
#include <string>

#include "bridle/core/random.hpp"
#include "bridle/io/csv.hpp"

namespace bridle {

struct Department {
  const char* name;
  int men_admitted, men_rejected, women_admitted, women_rejected;
};

inline constexpr std::array<Department, 6> berkeley_departments = {{{"A", 512, 313, 89, 19},
                                                                    {"B", 353, 207, 17, 8},
                                                                    {"C", 120, 205, 202, 391},
                                                                    {"D", 138, 279, 131, 244},
                                                                    {"E", 53, 138, 94, 299},
                                                                    {"F", 22, 351, 24, 317}}};

// One row per applicant: department, mark, sex, admitted. The mark is made up, from a fixed seed, since six
// departments alone tell few applicants apart: normal with deviation 1, its mean higher by 1.2 for those who
// were admitted, men and women alike.
inline io::Table berkeley_table() {
  io::Table table;
  table.file = "Berkeley 1973";
  table.columns = {{.name = "department"},
                   {.name = "sex", .categories = {"male", "female"}},
                   {.name = "admitted", .categories = {"yes", "no"}}};
  for (const auto& d : berkeley_departments) {
    const auto code = static_cast<std::int32_t>(table.columns[0].categories.size());
    table.columns[0].categories.emplace_back(d.name);
    const auto add = [&](int count, std::int32_t sex, std::int32_t admitted) {
      table.columns[0].codes.insert(table.columns[0].codes.end(), static_cast<std::size_t>(count), code);
      table.columns[1].codes.insert(table.columns[1].codes.end(), static_cast<std::size_t>(count), sex);
      table.columns[2].codes.insert(table.columns[2].codes.end(), static_cast<std::size_t>(count), admitted);
      table.rows += count;
    };
    add(d.men_admitted, 0, 0);
    add(d.men_rejected, 0, 1);
    add(d.women_admitted, 1, 0);
    add(d.women_rejected, 1, 1);
  }
  const Stream stream(1973, Purpose::generator);
  io::Column marks{.name = "mark", .numeric = true};
  for (std::size_t i = 0; i < table.columns[2].codes.size(); ++i)
    marks.numbers.push_back(stream.normal(i) + (table.columns[2].codes[i] == 0 ? 1.2 : 0.0));
  table.columns.insert(table.columns.begin() + 1, std::move(marks));
  return table;
}

}  // namespace bridle
