// What processes of this same binary tell each other about containment, as bytes: plain lengths and
// numbers without a version. What is cut short, too long or out of range is noticed. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "contain/policy.h"
#include "contain/report.h"

namespace capsule::contain {

std::string bytes_of(const Wish& wish);
std::string bytes_of(const Report& report);
std::string bytes_of(const Refusals& refusals);
std::string bytes_of(const Excess& excess);
std::string bytes_of(const Error& error);

// Error damaged.
Result<Wish> read_wish(std::string_view bytes);
Result<Report> read_report(std::string_view bytes);
Result<Refusals> read_refusals(std::string_view bytes);
Result<Excess> read_excess(std::string_view bytes);
Result<Error> read_error(std::string_view bytes);

}  // namespace capsule::contain
