// How many enumerators an enum has, counted by the compiler: for tables of names, and for constants
// that say it, which are otherwise forgotten when an enumerator is added. For scoped enums whose
// values are 0, 1, 2 … Only sources use it, in a static_assert: each use costs the compiler a
// function for each enumerator, which headers would cost everybody.
#pragma once

#include <cstddef>
#include <string_view>
#include <type_traits>

namespace capsule {

// More than any of our enums has, and a bound for the compiler's work.
inline constexpr std::size_t kMostEnumerators = 64;

// A compiler spells a value that has no name as "(E)5" in the name of a function.
template <auto kValue>
constexpr bool is_enumerator() {
  constexpr std::string_view kSpelt = __PRETTY_FUNCTION__;
  const std::size_t last = kSpelt.rfind(')');
  if (last == std::string_view::npos || last + 1 == kSpelt.size()) return true;
  const char next = kSpelt[last + 1];
  return next < '0' || next > '9';
}

template <class E, std::size_t kFrom = 0>
  requires(std::is_enum_v<E> && !std::is_convertible_v<E, int>)
consteval std::size_t enum_count() {
  if constexpr (!is_enumerator<static_cast<E>(kFrom)>()) {
    return kFrom;
  } else {
    static_assert(kFrom < kMostEnumerators, "more enumerators than are counted");
    return enum_count<E, kFrom + 1>();
  }
}

}  // namespace capsule
