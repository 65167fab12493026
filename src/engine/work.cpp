#include "engine/work.h"

#include <algorithm>
#include <iterator>

#include "base/enum_count.h"

namespace capsule::engine {
namespace {

constexpr std::string_view kWorkerStates[] = {"active", "draining", "gone"};
static_assert(std::size(kWorkerStates) == enum_count<WorkerState>());

}  // namespace

std::string_view name_of(WorkerState state) {
  return kWorkerStates[static_cast<std::size_t>(state)];
}
std::optional<WorkerState> worker_state_named(std::string_view name) {
  const auto* found = std::find(std::begin(kWorkerStates), std::end(kWorkerStates), name);
  if (found == std::end(kWorkerStates)) return std::nullopt;
  return static_cast<WorkerState>(found - std::begin(kWorkerStates));
}

bool valid_label(std::string_view label) {
  constexpr std::size_t kMost = 100;
  constexpr std::string_view kOthers = ":._-+/=@";
  return !label.empty() && label.size() <= kMost &&
         std::all_of(label.begin(), label.end(), [&](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  kOthers.find(c) != kOthers.npos;
         });
}

}  // namespace capsule::engine
