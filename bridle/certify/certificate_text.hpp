// A certificate as a table for people: every figure in the user's units and relative. Result::full_report
// and the command show the same one.
#pragma once

#include <string>

#include "bridle/certify/certificate.hpp"

namespace bridle {

std::string certificate_text(const Certificate& certificate);

}  // namespace bridle
