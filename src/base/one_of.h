// A variant with many alternatives as a type of its own, whose copies, moves and end are compiled
// once.
//
// For a plain std::variant every source that copies one makes the tables of functions for that
// anew, which for some forty alternatives takes seconds each time. Instead:
//
//   struct Fact : std::variant<A, B, …> {   // in the header
//     using variant::variant;
//     CAPSULE_COMPILED_ONCE(Fact);
//   };
//   CAPSULE_COMPILE(Fact)                   // in one source
//
// It is used like any variant: std::visit, std::get_if and the like take it. What wants the variant
// itself, such as std::variant_size, takes Fact::variant.
#pragma once

#include <variant>

#define CAPSULE_COMPILED_ONCE(Name) \
  Name(const Name&);                \
  Name(Name&&) noexcept;            \
  Name& operator=(const Name&);     \
  Name& operator=(Name&&) noexcept; \
  ~Name()

#define CAPSULE_COMPILE(Name)                       \
  Name::Name(const Name&) = default;                \
  Name::Name(Name&&) noexcept = default;            \
  Name& Name::operator=(const Name&) = default;     \
  Name& Name::operator=(Name&&) noexcept = default; \
  Name::~Name() = default;
