// What a fallible function returns. Errors are values: a closed set of reasons that code may branch
// on, and two sentences for a person that nothing branches on. A broken invariant is not an error:
// it ends the program (check.h).
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace capsule {

enum class Reason {
  usage,            // the caller's words are off
  not_found,        // what was named does not exist
  exists,           // what was to be made is there already
  refused,          // a rule forbids it
  blocked,          // something else has to be finished first
  conflict,         // two changes exclude each other
  damaged,          // stored data or a file does not follow its format
  io,               // the operating system failed a read, write or sync
  missing_program,  // a program that is needed is not installed
  failed,           // a program that was run reported a failure
  timed_out,        // a limit in time was reached
  interrupted,      // a person or a signal asked to stop
};

struct Error {
  Reason reason;
  std::string message;    // what happened, and where
  std::string hint = {};  // what to do next; may be empty
};

template <class T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> fail(Reason reason, std::string message, std::string hint = {}) {
  return tl::unexpected<Error>(Error{reason, std::move(message), std::move(hint)});
}

}  // namespace capsule

#define CAPSULE_JOIN_(a, b) a##b
#define CAPSULE_JOIN(a, b) CAPSULE_JOIN_(a, b)

// Each use names its variable anew, so that one TRY can stand inside another.
#define CAPSULE_TRY(name, ...)                                   \
  ({                                                             \
    auto&& name = (__VA_ARGS__);                                 \
    if (!name) return ::tl::unexpected(std::move(name).error()); \
    *std::move(name);                                            \
  })
#define CAPSULE_TRY_VOID(name, ...)                              \
  do {                                                           \
    auto&& name = (__VA_ARGS__);                                 \
    if (!name) return ::tl::unexpected(std::move(name).error()); \
  } while (false)

// TRY(expr): the value of a Result, or return its error from the enclosing function.
#define TRY(...) CAPSULE_TRY(CAPSULE_JOIN(try_result_, __COUNTER__), __VA_ARGS__)

// TRY_VOID(expr): the same for a Result<void>.
#define TRY_VOID(...) CAPSULE_TRY_VOID(CAPSULE_JOIN(try_result_, __COUNTER__), __VA_ARGS__)
