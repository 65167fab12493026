// From the words of a client that says it failed to the fault that this is: one table for all
// clients. Pure. Only words that are a failure's are given to it: an agent may speak of rate limits
// as it likes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "dialect/event.h"

namespace capsule::dialect {

// When and where words such as "resets 3pm" are read.
struct Moment {
  std::int64_t now = 0;         // seconds since 1970
  std::int64_t utc_offset = 0;  // of the local time, in seconds
};

// `status`: of HTTP; 0: not told, then one that the words name counts. `code`: the client's or the
// service's own word for it, such as "insufficient_quota"; may be empty.
Failure failure_of(std::string_view words, int status, std::string_view code, Moment moment);

// A client that prints text and ended with a failure: the last line of its stdout, or else of its
// stderr, that reads like an error of a client. exit_status, with the last line there is, where
// none does.
Failure failure_in_text(std::string_view out_end, std::string_view err_end, Moment moment);

// When the words say that a limit ends: "|1790000000", "try again at Nov 18th, 2026 3:05 PM",
// "try again in 2 hours 5 minutes", "resets 3pm (Europe/Berlin)", "retry in 34.5s",
// "2026-11-18T03:00:00Z". 0: they do not.
std::int64_t reset_in(std::string_view words, Moment moment);

// Printable, on one line, at most kWordsBytes.
std::string one_line(std::string_view words);

}  // namespace capsule::dialect
