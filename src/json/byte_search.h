// Finding the few bytes that matter, sixteen at a time where the processor can (SSE2 is part of
// every x86-64), byte by byte or with memchr elsewhere. Pure; never reads outside [from, end).
#pragma once

namespace capsule::json {

// The first { or [; `end` when there is none.
const char* find_bracket(const char* from, const char* end);

// The first byte that ends a run of plain text in a JSON string: a quote, a backslash, a control
// byte or a byte that is not ASCII; `end` when there is none.
const char* find_string_special(const char* from, const char* end);

// The same without SSE2: for other processors, and for the last bytes before the end.
const char* find_bracket_portable(const char* from, const char* end);
const char* find_string_special_portable(const char* from, const char* end);

}  // namespace capsule::json
