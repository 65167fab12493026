// How many members a plain struct has, without a list that could forget one. For structs without
// bases or constructors.
#pragma once

#include <concepts>
#include <cstddef>
#include <utility>

namespace capsule::test {

// Can be anything but the whole that it is to be a part of.
template <class Whole>
struct Part {
  template <class T>
    requires(!std::same_as<T, Whole>)
  operator T() const;  // NOLINT: never called, and implicit on purpose
};

template <class T, std::size_t... I>
constexpr bool takes(std::index_sequence<I...>) {
  return requires { T{(static_cast<void>(I), Part<T>{})...}; };
}

template <class T, std::size_t N = 0>
consteval std::size_t member_count() {
  if constexpr (takes<T>(std::make_index_sequence<N + 1>()))
    return member_count<T, N + 1>();
  else
    return N;
}

}  // namespace capsule::test
