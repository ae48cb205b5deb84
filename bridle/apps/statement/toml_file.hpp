// A TOML file, parsed; a mistake in it is an InputError with its line.
#pragma once

#include <string>

#include <toml++/toml.h>

namespace bridle {

toml::table parse_toml(const std::string& path);

}  // namespace bridle
