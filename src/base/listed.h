// A list in a sentence, of things that are no texts yet. Of texts there is joined() in text.h.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace capsule {

// What `name` says of each of them, a function or a member, with `between` between two.
template <class Items, class Name>
std::string listed(const Items& items, const Name& name, std::string_view between = ", ") {
  std::string all;
  bool first = true;
  for (const auto& item : items) {
    if (!std::exchange(first, false)) all += between;
    all += std::invoke(name, item);
  }
  return all;
}

}  // namespace capsule
