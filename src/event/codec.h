// The text form of facts in the journal, for the files of this folder alone. A namespace of facts
// says what its own types look like, once for both directions, and is found by argument-dependent
// lookup (so none of it can stand in an unnamed namespace):
//   members(v, fact)   calls v("name", fact.member) for each member, in the order of the text
//   names(enumerator)  the names of an enum's values, in their order
#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"
#include "json/text.h"
#include "signal/contract.h"
#include "signal/miss.h"
#include "signal/vocabulary.h"

namespace capsule::event {

using Names = std::span<const std::string_view>;

template <class E>
std::string_view text_of(E value) {
  return names(value)[static_cast<std::size_t>(value)];
}
inline std::string_view text_of(signal::Status value) { return signal::name_of(value); }
inline std::string_view text_of(signal::Phase value) { return signal::name_of(value); }
inline std::string_view text_of(signal::Role value) { return signal::name_of(value); }
inline std::string_view text_of(signal::Signal value) { return signal::row(value).name; }
inline std::string_view text_of(signal::Miss value) { return signal::name_of(value); }

template <class E>
bool assign(std::optional<E> from, E& to) {
  if (from) to = *from;
  return from.has_value();
}
template <class E>
bool find_value(std::string_view text, E& to) {
  const Names list = names(to);
  const auto found = std::find(list.begin(), list.end(), text);
  if (found == list.end()) return false;
  to = static_cast<E>(found - list.begin());
  return true;
}
inline bool find_value(std::string_view text, signal::Status& to) {
  return assign(signal::status_of(text), to);
}
inline bool find_value(std::string_view text, signal::Phase& to) {
  return assign(signal::phase_named(text), to);
}
inline bool find_value(std::string_view text, signal::Role& to) {
  return assign(signal::role_named(text), to);
}
inline bool find_value(std::string_view text, signal::Signal& to) {
  const signal::Row* row = signal::find_signal(text);
  if (row != nullptr) to = row->signal;
  return row != nullptr;
}
inline bool find_value(std::string_view text, signal::Miss& to) {
  for (int i = 0; i < signal::kMisses; ++i)
    if (signal::name_of(static_cast<signal::Miss>(i)) == text) {
      to = static_cast<signal::Miss>(i);
      return true;
    }
  return false;
}

// Writes text at once: a tree of a plan with ten thousand tasks would fill the memory first.
struct Writer {
  std::string& out;
  bool first = true;
  template <class T>
  void operator()(std::string_view key, T& value) {
    name(key);
    write(value);
  }
  void name(std::string_view key) {
    if (!std::exchange(first, false)) out += ',';
    (out += '"').append(key) += "\":";
  }
  // Agent text may hold bytes that are not UTF-8: they are stored as U+FFFD, never refused.
  void write(std::string& value) { json::append_quoted(out, value); }
  void write(bool value) { out += value ? "true" : "false"; }
  template <class T>
    requires std::is_integral_v<T>
  void write(T value) {
    out += std::to_string(value);
  }
  template <class E>
    requires std::is_enum_v<E>
  void write(E value) {
    (out += '"').append(text_of(value)) += '"';
  }
  template <class T>
  void write(std::vector<T>& list) {
    out += '[';
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (i > 0) out += ',';
      write(list[i]);
    }
    out += ']';
  }
  template <class T>
    requires std::is_class_v<T>
  void write(T& record) {
    out += '{';
    Writer inner{out};
    members(inner, record);
    out += '}';
  }
};

// A member that is missing keeps its default; one of another type makes the whole fact damaged.
struct Reader {
  using Json = nlohmann::ordered_json;
  const Json& json;
  bool good = true;
  template <class T>
  void operator()(const char* key, T& value) {
    const auto found = json.find(key);
    if (found != json.end()) read(*found, value);
  }
  void read(const Json& from, std::string& to) {
    if ((good &= from.is_string())) to = from.get_ref<const std::string&>();
  }
  void read(const Json& from, bool& to) {
    if ((good &= from.is_boolean())) to = from.get<bool>();
  }
  template <class T>
    requires std::is_integral_v<T>
  void read(const Json& from, T& to) {
    if ((good &= from.is_number_integer())) to = from.get<T>();
  }
  template <class E>
    requires std::is_enum_v<E>
  void read(const Json& from, E& to) {
    good = good && from.is_string() && find_value(from.get_ref<const std::string&>(), to);
  }
  template <class T>
  void read(const Json& from, std::vector<T>& to) {
    if (!(good &= from.is_array())) return;
    for (const Json& item : from) read(item, to.emplace_back());
  }
  template <class T>
    requires std::is_class_v<T>
  void read(const Json& from, T& to) {
    if (!(good &= from.is_object())) return;
    Reader inner{from};
    members(inner, to);
    good &= inner.good;
  }
};

template <class Fact>
std::string written(const Fact& fact) {
  constexpr std::size_t kMostAreShorter = 512;
  std::string out;
  out.reserve(kMostAreShorter);
  out += '{';
  Writer writer{out};
  // The list of members wants something it could write to; nothing is written here.
  std::visit([&](auto& typed) { members(writer, typed); }, const_cast<Fact&>(fact));
  return out += '}';
}

template <class Fact, std::size_t... I>
Fact empty_fact(std::size_t index, std::index_sequence<I...>) {
  using Make = Fact (*)();
  constexpr Make makes[] = {[] { return Fact(std::in_place_index<I>); }...};
  return makes[index]();
}

// `kinds`: the name of each alternative of the variant, in their order.
template <class Fact, std::size_t N>
Result<Fact> read_written(const std::string_view (&kinds)[N], std::string_view kind,
                          std::string_view body) {
  static_assert(N == std::variant_size_v<typename Fact::variant>);
  const auto found = std::find(std::begin(kinds), std::end(kinds), kind);
  const auto json = Reader::Json::parse(body, nullptr, false);
  if (found != std::end(kinds) && json.is_object()) {
    Fact fact = empty_fact<Fact>(static_cast<std::size_t>(found - std::begin(kinds)),
                                 std::make_index_sequence<N>());
    Reader reader{json};
    std::visit([&](auto& typed) { members(reader, typed); }, fact);
    if (reader.good) return fact;
  }
  return fail(Reason::damaged,
              "the journal holds a fact that cannot be read: " + std::string(kind));
}

}  // namespace capsule::event
