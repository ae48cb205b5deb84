// The statements, in the order of the collection.
#include "tests/support/hock_schittkowski.hpp"

#include <cmath>

#include "tests/support/hock_schittkowski_making.hpp"

namespace bridle::hock_schittkowski {
namespace {

const double inf = infinity, root2 = std::sqrt(2.0);

// x_1 is x[0].
#define HS_F [=](const auto& x)
#define HS_C [=](const auto& x) -> List<std::decay_t<decltype(x[0])>>
using Maker = Instance (*)(const Request&);

Instance make6(const Request& request) {
  return make(
      {6, 0, {-1.2, 1}, 0, 1, {}, {}}, request, HS_F { return pow(1 - x[0], 2); },
      HS_C { return {10 * (x[1] - x[0] * x[0])}; });
}

Instance make7(const Request& request) {
  return make(
      {7, -std::sqrt(3.0), {2, 2}, 0, 1, {}, {}}, request, HS_F { return log(1 + x[0] * x[0]) - x[1]; },
      HS_C { return {pow(1 + x[0] * x[0], 2) + x[1] * x[1] - 4}; });
}

Instance make8(const Request& request) {
  return make(
      {8, -1, {2, 1}, 0, 2, {}, {}}, request, HS_F { return 0 * x[0] - 1; },
      HS_C {
        return {x[0] * x[0] + x[1] * x[1] - 25, x[0] * x[1] - 9};
      });
}

Instance make10(const Request& request) {
  return make(
      {10, -1, {-10, 10}, 1, 0, {}, {}}, request, HS_F { return x[0] - x[1]; },
      HS_C { return {-3 * x[0] * x[0] + 2 * x[0] * x[1] - x[1] * x[1] + 1}; });
}

Instance make11(const Request& request) {
  return make(
      {11, -8.498464223, {4.9, 0.1}, 1, 0, {}, {}}, request,
      HS_F { return pow(x[0] - 5, 2) + x[1] * x[1] - 25; }, HS_C { return {x[1] - x[0] * x[0]}; });
}

Instance make12(const Request& request) {
  return make(
      {12, -30, {0, 0}, 1, 0, {}, {}}, request,
      HS_F { return 0.5 * x[0] * x[0] + x[1] * x[1] - x[0] * x[1] - 7 * x[0] - 7 * x[1]; },
      HS_C { return {25 - 4 * x[0] * x[0] - x[1] * x[1]}; });
}

Instance make14(const Request& request) {
  return make(
      {14, 9 - 2.875 * std::sqrt(7.0), {2, 2}, 1, 1, {}, {}}, request,
      HS_F { return pow(x[0] - 2, 2) + pow(x[1] - 1, 2); },
      HS_C {
        return {1 - 0.25 * x[0] * x[0] - x[1] * x[1], x[0] - 2 * x[1] + 1};
      });
}

Instance make15(const Request& request) {
  return make(
      {15, 306.5, {-2, 1}, 2, 0, {}, {0.5, inf}, false}, request,
      HS_F { return 100 * pow(x[1] - x[0] * x[0], 2) + pow(1 - x[0], 2); },
      HS_C {
        return {x[0] * x[1] - 1, x[0] + x[1] * x[1]};
      });
}

Instance make16(const Request& request) {
  return make(
      {16, 0.25, {-2, 1}, 2, 0, {-0.5, -inf}, {0.5, 1}, false}, request,
      HS_F { return 100 * pow(x[1] - x[0] * x[0], 2) + pow(1 - x[0], 2); },
      HS_C {
        return {x[0] + x[1] * x[1], x[0] * x[0] + x[1]};
      });
}

Instance make17(const Request& request) {
  return make(
      {17, 1, {-2, 1}, 2, 0, {-0.5, -inf}, {0.5, 1}, false}, request,
      HS_F { return 100 * pow(x[1] - x[0] * x[0], 2) + pow(1 - x[0], 2); },
      HS_C {
        return {x[1] * x[1] - x[0], x[0] * x[0] - x[1]};
      });
}

Instance make18(const Request& request) {
  return make(
      {18, 5, {2, 2}, 2, 0, {2, 0}, {50}}, request, HS_F { return 0.01 * x[0] * x[0] + x[1] * x[1]; },
      HS_C {
        return {x[0] * x[1] - 25, x[0] * x[0] + x[1] * x[1] - 25};
      });
}

Instance make19(const Request& request) {
  return make(
      {19, -6961.81381, {20.1, 5.84}, 2, 0, {13, 0}, {100}}, request,
      HS_F { return pow(x[0] - 10, 3) + pow(x[1] - 20, 3); },
      HS_C {
        return {pow(x[0] - 5, 2) + pow(x[1] - 5, 2) - 100, 82.81 - pow(x[1] - 5, 2) - pow(x[0] - 6, 2)};
      });
}

Instance make20(const Request& request) {
  return make(
      {20, 81.5 - 25 * std::sqrt(3.0), {-2, 1}, 3, 0, {-0.5, -inf}, {0.5, inf}, false}, request,
      HS_F { return 100 * pow(x[1] - x[0] * x[0], 2) + pow(1 - x[0], 2); },
      HS_C {
        return {x[0] + x[1] * x[1], x[0] * x[0] + x[1], x[0] * x[0] + x[1] * x[1] - 1};
      });
}

Instance make22(const Request& request) {
  return make(
      {22, 1, {2, 2}, 2, 0, {}, {}}, request, HS_F { return pow(x[0] - 2, 2) + pow(x[1] - 1, 2); },
      HS_C {
        return {2 - x[0] - x[1], x[1] - x[0] * x[0]};
      });
}

Instance make23(const Request& request) {
  return make(
      {23, 2, {3, 1}, 5, 0, {-50}, {50}, false}, request, HS_F { return x[0] * x[0] + x[1] * x[1]; },
      HS_C {
        return {x[0] + x[1] - 1, x[0] * x[0] + x[1] * x[1] - 1, 9 * x[0] * x[0] + x[1] * x[1] - 9,
                x[0] * x[0] - x[1], x[1] * x[1] - x[0]};
      });
}

Instance make26(const Request& request) {
  return make(
      {26, 0, {-2.6, 2, 2}, 0, 1, {}, {}}, request,
      HS_F { return pow(x[0] - x[1], 2) + pow(x[1] - x[2], 4); },
      HS_C { return {(1 + x[1] * x[1]) * x[0] + pow(x[2], 4) - 3}; });
}

Instance make27(const Request& request) {
  return make(
      {27, 0.04, {2, 2, 2}, 0, 1, {}, {}}, request,
      HS_F { return 0.01 * pow(x[0] - 1, 2) + pow(x[1] - x[0] * x[0], 2); },
      HS_C { return {x[0] + x[2] * x[2] + 1}; });
}

Instance make29(const Request& request) {
  return make(
      {29, -16 * root2, {1, 1, 1}, 1, 0, {}, {}}, request, HS_F { return -1 * x[0] * x[1] * x[2]; },
      HS_C { return {48 - x[0] * x[0] - 2 * x[1] * x[1] - 4 * x[2] * x[2]}; });
}

Instance make30(const Request& request) {
  return make(
      {30, 1, {1, 1, 1}, 1, 0, {1, -10, -10}, {10}}, request,
      HS_F { return x[0] * x[0] + x[1] * x[1] + x[2] * x[2]; },
      HS_C { return {x[0] * x[0] + x[1] * x[1] - 1}; });
}

Instance make31(const Request& request) {
  return make(
      {31, 6, {1, 1, 1}, 1, 0, {-10, 1, -10}, {10, 10, 1}}, request,
      HS_F { return 9 * x[0] * x[0] + x[1] * x[1] + 9 * x[2] * x[2]; }, HS_C { return {x[0] * x[1] - 1}; });
}

Instance make32(const Request& request) {
  return make(
      {32, 1, {0.1, 0.7, 0.2}, 1, 1, {0}, {inf}}, request,
      HS_F { return pow(x[0] + 3 * x[1] + x[2], 2) + 4 * pow(x[0] - x[1], 2); },
      HS_C {
        return {6 * x[1] + 4 * x[2] - pow(x[0], 3) - 3, 1 - x[0] - x[1] - x[2]};
      });
}

Instance make33(const Request& request) {
  return make(
      {33, root2 - 6, {0, 0, 3}, 2, 0, {0}, {inf, inf, 5}, false}, request,
      HS_F { return (x[0] - 1) * (x[0] - 2) * (x[0] - 3) + x[2]; },
      HS_C {
        return {x[2] * x[2] - x[1] * x[1] - x[0] * x[0], x[0] * x[0] + x[1] * x[1] + x[2] * x[2] - 4};
      });
}

Instance make34(const Request& request) {
  return make(
      {34, -std::log(std::log(10.0)), {0, 1.05, 2.9}, 2, 0, {0}, {100, 100, 10}}, request,
      HS_F { return -1 * x[0]; },
      HS_C {
        return {x[1] - exp(x[0]), x[2] - exp(x[1])};
      });
}

Instance make39(const Request& request) {
  return make(
      {39, -1, {2, 2, 2, 2}, 0, 2, {}, {}}, request, HS_F { return -1 * x[0]; },
      HS_C {
        return {x[1] - pow(x[0], 3) - x[2] * x[2], x[0] * x[0] - x[1] - x[3] * x[3]};
      });
}

Instance make40(const Request& request) {
  return make(
      {40, -0.25, {0.8, 0.8, 0.8, 0.8}, 0, 3, {}, {}}, request,
      HS_F { return -1 * x[0] * x[1] * x[2] * x[3]; },
      HS_C {
        return {pow(x[0], 3) + x[1] * x[1] - 1, x[0] * x[0] * x[3] - x[2], x[3] * x[3] - x[1]};
      });
}

Instance make42(const Request& request) {
  return make(
      {42, 28 - 10 * root2, {1, 1, 1, 1}, 0, 2, {}, {}}, request,
      HS_F { return pow(x[0] - 1, 2) + pow(x[1] - 2, 2) + pow(x[2] - 3, 2) + pow(x[3] - 4, 2); },
      HS_C {
        return {x[0] - 2, x[2] * x[2] + x[3] * x[3] - 2};
      });
}

Instance make43(const Request& request) {
  return make(
      {43, -44, {0, 0, 0, 0}, 3, 0, {}, {}}, request,
      HS_F {
        return x[0] * x[0] + x[1] * x[1] + 2 * x[2] * x[2] + x[3] * x[3] - 5 * x[0] - 5 * x[1] - 21 * x[2] +
               7 * x[3];
      },
      HS_C {
        return {8 - x[0] * x[0] - x[1] * x[1] - x[2] * x[2] - x[3] * x[3] - x[0] + x[1] - x[2] + x[3],
                10 - x[0] * x[0] - 2 * x[1] * x[1] - x[2] * x[2] - 2 * x[3] * x[3] + x[0] + x[3],
                5 - 2 * x[0] * x[0] - x[1] * x[1] - x[2] * x[2] - 2 * x[0] + x[1] + x[3]};
      });
}

Instance make46(const Request& request) {
  return make(
      {46, 0, {root2 / 2, 1.75, 0.5, 2, 2}, 0, 2, {}, {}}, request,
      HS_F { return pow(x[0] - x[1], 2) + pow(x[2] - 1, 2) + pow(x[3] - 1, 4) + pow(x[4] - 1, 6); },
      HS_C {
        return {x[0] * x[0] * x[3] + sin(x[3] - x[4]) - 1, x[1] + pow(x[2], 4) * x[3] * x[3] - 2};
      });
}

Instance make47(const Request& request) {
  return make(
      {47, 0, {2, root2, -1, 2 - root2, 0.5}, 0, 3, {}, {}, false}, request,
      HS_F { return pow(x[0] - x[1], 2) + pow(x[1] - x[2], 3) + pow(x[2] - x[3], 4) + pow(x[3] - x[4], 4); },
      HS_C {
        return {x[0] + x[1] * x[1] + pow(x[2], 3) - 3, x[1] - x[2] * x[2] + x[3] - 1, x[0] * x[4] - 1};
      });
}

Instance make56(const Request& request) {
  return make(
      {56,
       -3.456,
       {1, 1, 1, std::asin(std::sqrt(1 / 4.2)), std::asin(std::sqrt(1 / 4.2)), std::asin(std::sqrt(1 / 4.2)),
        std::asin(std::sqrt(5 / 7.2))},
       0,
       4,
       {},
       {},
       false},
      request, HS_F { return -1 * x[0] * x[1] * x[2]; },
      HS_C {
        return {x[0] - 4.2 * pow(sin(x[3]), 2), x[1] - 4.2 * pow(sin(x[4]), 2),
                x[2] - 4.2 * pow(sin(x[5]), 2), x[0] + 2 * x[1] + 2 * x[2] - 7.2 * pow(sin(x[6]), 2)};
      });
}

Instance make60(const Request& request) {
  return make(
      {60, 0.03256820025, {2, 2, 2}, 0, 1, {-10}, {10}}, request,
      HS_F { return pow(x[0] - 1, 2) + pow(x[0] - x[1], 2) + pow(x[1] - x[2], 4); },
      HS_C { return {x[0] * (1 + x[1] * x[1]) + pow(x[2], 4) - 4 - 3 * root2}; });
}

Instance make61(const Request& request) {
  return make(
      {61, -143.6461422, {0, 0, 0}, 0, 2, {}, {}, false}, request,
      HS_F {
        return 4 * x[0] * x[0] + 2 * x[1] * x[1] + 2 * x[2] * x[2] - 33 * x[0] + 16 * x[1] - 24 * x[2];
      },
      HS_C {
        return {3 * x[0] - 2 * x[1] * x[1] - 7, 4 * x[0] - x[2] * x[2] - 11};
      });
}

Instance make63(const Request& request) {
  return make(
      {63, 961.7151721, {2, 2, 2}, 0, 2, {0}, {inf}, false}, request,
      HS_F { return 1000 - x[0] * x[0] - 2 * x[1] * x[1] - x[2] * x[2] - x[0] * x[1] - x[0] * x[2]; },
      HS_C {
        return {8 * x[0] + 14 * x[1] + 7 * x[2] - 56, x[0] * x[0] + x[1] * x[1] + x[2] * x[2] - 25};
      });
}

Instance make64(const Request& request) {
  return make(
      {64, 6299.842428, {1, 1, 1}, 1, 0, {1e-5}, {inf}}, request,
      HS_F { return 5 * x[0] + 50000 / x[0] + 20 * x[1] + 72000 / x[1] + 10 * x[2] + 144000 / x[2]; },
      HS_C { return {1 - 4 / x[0] - 32 / x[1] - 120 / x[2]}; });
}

Instance make65(const Request& request) {
  return make(
      {65, 0.9535288567, {-5, 5, 0}, 1, 0, {-4.5, -4.5, -5}, {4.5, 4.5, 5}}, request,
      HS_F { return pow(x[0] - x[1], 2) + 1.0 / 9 * pow(x[0] + x[1] - 10, 2) + pow(x[2] - 5, 2); },
      HS_C { return {48 - x[0] * x[0] - x[1] * x[1] - x[2] * x[2]}; });
}

Instance make66(const Request& request) {
  return make(
      {66, 0.5181632741, {0, 1.05, 2.9}, 2, 0, {0}, {100, 100, 10}}, request,
      HS_F { return 0.2 * x[2] - 0.8 * x[0]; },
      HS_C {
        return {x[1] - exp(x[0]), x[2] - exp(x[1])};
      });
}

Instance make71(const Request& request) {
  return make(
      {71, 17.0140173, {1, 5, 5, 1}, 1, 1, {1}, {5}}, request,
      HS_F { return x[0] * x[3] * (x[0] + x[1] + x[2]) + x[2]; },
      HS_C {
        return {x[0] * x[1] * x[2] * x[3] - 25, x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3] - 40};
      });
}

Instance make72(const Request& request) {
  return make(
      {72, 727.67937, {1, 1, 1, 1}, 2, 0, {0.001}, {4e5, 3e5, 2e5, 1e5}}, request,
      HS_F { return 1 + x[0] + x[1] + x[2] + x[3]; },
      HS_C {
        return {0.0401 - 4 / x[0] - 2.25 / x[1] - 1 / x[2] - 0.25 / x[3],
                0.010085 - 0.16 / x[0] - 0.36 / x[1] - 0.64 / x[2] - 0.64 / x[3]};
      });
}

Instance make77(const Request& request) {
  return make(
      {77, 0.24150513, {2, 2, 2, 2, 2}, 0, 2, {}, {}}, request,
      HS_F {
        return pow(x[0] - 1, 2) + pow(x[0] - x[1], 2) + pow(x[2] - 1, 2) + pow(x[3] - 1, 4) +
               pow(x[4] - 1, 6);
      },
      HS_C {
        return {x[0] * x[0] * x[3] + sin(x[3] - x[4]) - 2 * root2,
                x[1] + pow(x[2], 4) * x[3] * x[3] - 8 - root2};
      });
}

Instance make78(const Request& request) {
  return make(
      {78, -2.91970041, {-2, 1.5, 2, -1, -1}, 0, 3, {}, {}, false}, request,
      HS_F { return x[0] * x[1] * x[2] * x[3] * x[4]; },
      HS_C {
        return {x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3] + x[4] * x[4] - 10,
                x[1] * x[2] - 5 * x[3] * x[4], pow(x[0], 3) + pow(x[1], 3) + 1};
      });
}

Instance make79(const Request& request) {
  return make(
      {79, 0.0787768209, {2, 2, 2, 2, 2}, 0, 3, {}, {}, false}, request,
      HS_F {
        return pow(x[0] - 1, 2) + pow(x[0] - x[1], 2) + pow(x[1] - x[2], 2) + pow(x[2] - x[3], 4) +
               pow(x[3] - x[4], 4);
      },
      HS_C {
        return {x[0] + x[1] * x[1] + pow(x[2], 3) - 2 - 3 * root2, x[1] - x[2] * x[2] + x[3] + 2 - 2 * root2,
                x[0] * x[4] - 2};
      });
}

Instance make80(const Request& request) {
  return make(
      {80,
       0.0539498478,
       {-2, 2, 2, -1, -1},
       0,
       3,
       {-2.3, -2.3, -3.2, -3.2, -3.2},
       {2.3, 2.3, 3.2, 3.2, 3.2},
       false},
      request, HS_F { return exp(x[0] * x[1] * x[2] * x[3] * x[4]); },
      HS_C {
        return {x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3] + x[4] * x[4] - 10,
                x[1] * x[2] - 5 * x[3] * x[4], pow(x[0], 3) + pow(x[1], 3) + 1};
      });
}

Instance make81(const Request& request) {
  return make(
      {81,
       0.0539498478,
       {-2, 2, 2, -1, -1},
       0,
       3,
       {-2.3, -2.3, -3.2, -3.2, -3.2},
       {2.3, 2.3, 3.2, 3.2, 3.2},
       false},
      request,
      HS_F { return exp(x[0] * x[1] * x[2] * x[3] * x[4]) - 0.5 * pow(pow(x[0], 3) + pow(x[1], 3) + 1, 2); },
      HS_C {
        return {x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3] + x[4] * x[4] - 10,
                x[1] * x[2] - 5 * x[3] * x[4], pow(x[0], 3) + pow(x[1], 3) + 1};
      });
}

Instance make100(const Request& request) {
  return make(
      {100, 680.6300573, {1, 2, 0, 4, 0, 1, 1}, 4, 0, {}, {}}, request,
      HS_F {
        return pow(x[0] - 10, 2) + 5 * pow(x[1] - 12, 2) + pow(x[2], 4) + 3 * pow(x[3] - 11, 2) +
               10 * pow(x[4], 6) + 7 * x[5] * x[5] + pow(x[6], 4) - 4 * x[5] * x[6] - 10 * x[5] - 8 * x[6];
      },
      HS_C {
        return {127 - 2 * x[0] * x[0] - 3 * pow(x[1], 4) - x[2] - 4 * x[3] * x[3] - 5 * x[4],
                282 - 7 * x[0] - 3 * x[1] - 10 * x[2] * x[2] - x[3] + x[4],
                196 - 23 * x[0] - x[1] * x[1] - 6 * x[5] * x[5] + 8 * x[6],
                -4 * x[0] * x[0] - x[1] * x[1] + 3 * x[0] * x[1] - 2 * x[2] * x[2] - 5 * x[5] + 11 * x[6]};
      });
}

Instance make104(const Request& request) {
  return make(
      {104, 3.9511634396, {6, 3, 0.4, 0.2, 6, 6, 1, 0.5}, 6, 0, {0.1}, {10}}, request,
      HS_F { return 0.4 * pow(x[0] / x[6], 0.67) + 0.4 * pow(x[1] / x[7], 0.67) + 10 - x[0] - x[1]; },
      HS_C {
        return {1 - 0.0588 * x[4] * x[6] - 0.1 * x[0],
                1 - 0.0588 * x[5] * x[7] - 0.1 * x[0] - 0.1 * x[1],
                1 - 4 * x[2] / x[4] - 2 * pow(x[2], -0.71) / x[4] - 0.0588 * pow(x[2], -1.3) * x[6],
                1 - 4 * x[3] / x[5] - 2 * pow(x[3], -0.71) / x[5] - 0.0588 * pow(x[3], -1.3) * x[7],
                0.4 * pow(x[0] / x[6], 0.67) + 0.4 * pow(x[1] / x[7], 0.67) + 9 - x[0] - x[1],
                x[0] + x[1] - 0.4 * pow(x[0] / x[6], 0.67) - 0.4 * pow(x[1] / x[7], 0.67) - 5.8};
      });
}

Instance make113(const Request& request) {
  return make(
      {113, 24.3062091, {2, 3, 5, 5, 1, 2, 7, 3, 6, 10}, 8, 0, {}, {}}, request,
      HS_F {
        return x[0] * x[0] + x[1] * x[1] + x[0] * x[1] - 14 * x[0] - 16 * x[1] + pow(x[2] - 10, 2) +
               4 * pow(x[3] - 5, 2) + pow(x[4] - 3, 2) + 2 * pow(x[5] - 1, 2) + 5 * x[6] * x[6] +
               7 * pow(x[7] - 11, 2) + 2 * pow(x[8] - 10, 2) + pow(x[9] - 7, 2) + 45;
      },
      HS_C {
        return {105 - 4 * x[0] - 5 * x[1] + 3 * x[6] - 9 * x[7],
                -10 * x[0] + 8 * x[1] + 17 * x[6] - 2 * x[7],
                8 * x[0] - 2 * x[1] - 5 * x[8] + 2 * x[9] + 12,
                120 - 3 * pow(x[0] - 2, 2) - 4 * pow(x[1] - 3, 2) - 2 * x[2] * x[2] + 7 * x[3],
                40 - 5 * x[0] * x[0] - 8 * x[1] - pow(x[2] - 6, 2) + 2 * x[3],
                30 - 0.5 * pow(x[0] - 8, 2) - 2 * pow(x[1] - 4, 2) - 3 * x[4] * x[4] + x[5],
                -1 * x[0] * x[0] - 2 * pow(x[1] - 2, 2) + 2 * x[0] * x[1] - 14 * x[4] + 6 * x[5],
                3 * x[0] - 6 * x[1] - 12 * pow(x[8] - 8, 2) + 7 * x[9]};
      });
}

struct Entry {
  int number;
  Maker maker;
};
constexpr Entry entries[] = {
    {6, make6},   {7, make7},     {8, make8},     {10, make10},  {11, make11}, {12, make12}, {14, make14},
    {15, make15}, {16, make16},   {17, make17},   {18, make18},  {19, make19}, {20, make20}, {22, make22},
    {23, make23}, {26, make26},   {27, make27},   {29, make29},  {30, make30}, {31, make31}, {32, make32},
    {33, make33}, {34, make34},   {39, make39},   {40, make40},  {42, make42}, {43, make43}, {46, make46},
    {47, make47}, {56, make56},   {60, make60},   {61, make61},  {63, make63}, {64, make64}, {65, make65},
    {66, make66}, {71, make71},   {72, make72},   {77, make77},  {78, make78}, {79, make79}, {80, make80},
    {81, make81}, {100, make100}, {104, make104}, {113, make113}};

#undef HS_F
#undef HS_C

}  // namespace

std::vector<int> numbers() {
  std::vector<int> out;
  for (const auto& entry : entries) out.push_back(entry.number);
  return out;
}

Instance instance(int number, Gradients gradients, double noise) {
  for (const auto& entry : entries)
    if (entry.number == number) return entry.maker({gradients, noise});
  throw InputError("there is no problem " + std::to_string(number) + " here");
}

}  // namespace bridle::hock_schittkowski
