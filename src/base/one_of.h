// A variant with many alternatives as a type of its own, whose beginning, copies, moves and end are
// compiled once.
//
// For a plain std::variant every source that makes or copies one makes the tables and the nested
// constructors for that anew, which for some forty alternatives takes seconds each time. Instead:
//
//   struct Fact : std::variant<A, B, …> {   // in the header
//     CAPSULE_COMPILED_ONCE(Fact);
//   };
//   CAPSULE_COMPILE(Fact)                   // in one source
//
// It is made from any of its alternatives, and used like any variant: std::visit, std::get_if and
// the like take it. What wants the variant itself, such as std::variant_size, takes Fact::variant.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>
#include <variant>

namespace capsule::one_of {

// The place of T among the alternatives, or how many they are.
template <class T, class Variant>
inline constexpr std::size_t index_of = 0;
template <class T, class... Alternatives>
inline constexpr std::size_t index_of<T, std::variant<Alternatives...>> = [] {
  std::size_t index = 0;
  (void)((std::is_same_v<T, Alternatives> || (++index, false)) || ...);
  return index;
}();

template <class T, class Variant>
concept AlternativeOf = index_of<T, Variant> < std::variant_size_v<Variant>;

// The alternative at that place, moved from where `from` points. Requires: it is one of that type.
template <class Variant, std::size_t... I>
Variant moved(std::size_t index, void* from, std::index_sequence<I...>) {
  using Make = Variant (*)(void*);
  static constexpr Make kMakes[] = {[](void* alternative) {
    using T = std::variant_alternative_t<I, Variant>;
    return Variant(std::in_place_index<I>, std::move(*static_cast<T*>(alternative)));
  }...};
  return kMakes[index](from);
}

}  // namespace capsule::one_of

#define CAPSULE_COMPILED_ONCE(Name)                                                           \
  Name();                                                                                     \
  template <::capsule::one_of::AlternativeOf<variant> T>                                      \
  Name(T alternative) : Name(::capsule::one_of::index_of<T, variant>, &alternative) {}        \
  template <std::size_t I>                                                                    \
  explicit Name(std::in_place_index_t<I>) : Name(std::variant_alternative_t<I, variant>{}) {} \
  Name(const Name&);                                                                          \
  Name(Name&&) noexcept;                                                                      \
  Name& operator=(const Name&);                                                               \
  Name& operator=(Name&&) noexcept;                                                           \
  ~Name();                                                                                    \
                                                                                              \
 private:                                                                                     \
  Name(std::size_t index, void* alternative)

#define CAPSULE_COMPILE(Name)                                                                 \
  Name::Name() = default;                                                                     \
  Name::Name(std::size_t index, void* alternative)                                            \
      : variant(::capsule::one_of::moved<variant>(                                            \
            index, alternative, std::make_index_sequence<std::variant_size_v<variant>>())) {} \
  Name::Name(const Name&) = default;                                                          \
  Name::Name(Name&&) noexcept = default;                                                      \
  Name& Name::operator=(const Name&) = default;                                               \
  Name& Name::operator=(Name&&) noexcept = default;                                           \
  Name::~Name() = default;
