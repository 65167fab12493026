// The messages between Loop and guardian, one packet each. Both sides are the same binary, so plain
// structs do.
#pragma once

#include <cstdint>

namespace capsule::process {

inline constexpr int kChannelFd = 3;
// What is wished of the walls around a contained agent (contain/wish_wire.h).
inline constexpr int kWishFd = 4;

// Loop → guardian: TERM now, KILL after the grace. The earliest of several requests counts.
struct EndRequest {
  std::int64_t grace_ms;
};

// Guardian → Loop: of a contained agent contained or not_contained; then started or not_started,
// and after started perhaps excess, and when the tree is gone perhaps refused, and one of the
// others.
struct Report {
  enum class Kind : std::int32_t {
    contained,      // bytes of a contain::Report follow
    not_contained,  // bytes of an Error follow; nothing else comes
    refused,        // bytes of contain::Refusals follow
    excess,         // bytes of a contain::Excess follow: the tree is ended for that
    started,
    not_started,
    exited,
    signalled,
  };
  Kind kind;
  std::int32_t value;        // pid, errno, exit code, signal number
  std::int32_t left_behind;  // processes that could not be killed
};

}  // namespace capsule::process
