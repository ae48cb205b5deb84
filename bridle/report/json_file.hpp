// JSON files that others wrote, read with words on what is wrong in them.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace bridle {

// A tree that finds names fast, unlike the one that keeps their order. Throws InputError with the line and
// the character of what is no JSON.
nlohmann::json read_json(const std::string& path);

}  // namespace bridle
