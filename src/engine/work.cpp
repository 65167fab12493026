#include "engine/work.h"

#include <algorithm>

namespace capsule::engine {

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
