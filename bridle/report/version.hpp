#pragma once

namespace bridle {
inline constexpr const char* version = "0.2.0";
}
