// CHECK(condition, "a sentence"): what can only be false when the program itself is wrong. It stays
// in the release: a broken invariant ends the program before it writes anything that follows from
// it. The sentence may be left out. Safe wherever write(2) is: on any thread, and between fork and
// exec.
#pragma once

namespace capsule {

// Prints what broke to stderr, and aborts.
[[noreturn]] void broken(const char* condition, const char* file, int line, const char* why = "");

}  // namespace capsule

#define CHECK(condition, ...) \
  ((condition) ? void()       \
               : ::capsule::broken(#condition, __FILE__, __LINE__ __VA_OPT__(, ) __VA_ARGS__))
