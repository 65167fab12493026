// The time, for adapters. Pure code never asks: it is told.
#pragma once

#include <cstdint>
#include <string>

namespace capsule {

std::string utc_now();              // 2026-01-31T23:59:59.123Z
std::string utc_second();           // 2026-01-31T23:59:59Z
std::string utc_stamp();            // 20260131-235959, for file names
std::int64_t monotonic_ms();        // goes on while the machine sleeps, never jumps
std::string random_hex(int bytes);  // from the kernel; for ids

}  // namespace capsule
