// A JSON value that is made to be written: what commands print and files hold. Values are built
// like literals, and read by nobody: what comes from outside is read by the other headers of this
// folder.
//
//   Value all{{"ready", true}, {"checks", Value::array()}};
//   all["checks"].push_back({{"what", "git"}, {"version", 2}});
//
// Members keep their order. A value type; owns its bytes.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace capsule::json {

class Value {
 public:
  struct Member;

  Value() : Value(nullptr) {}
  Value(std::nullptr_t);
  Value(bool value);
  Value(const char* text) : Value(std::string_view(text)) {}
  Value(const std::string& text) : Value(std::string_view(text)) {}
  Value(std::string_view text);  // bytes that are not UTF-8 become U+FFFD
  Value(double number);
  template <std::signed_integral Number>
  Value(Number number) : Value(Scalar{std::to_string(number)}) {}
  template <std::unsigned_integral Number>
  Value(Number number) : Value(Scalar{std::to_string(number)}) {}
  template <class Item>
  Value(const std::vector<Item>& items) : Value(array()) {
    for (const Item& item : items) push_back(item);
  }
  Value(std::initializer_list<Member> members);  // an object
  // Where a Member is known: it holds a value itself.
  Value(const Value&);
  Value(Value&&) noexcept;
  Value& operator=(const Value&);
  Value& operator=(Value&&) noexcept;
  ~Value();
  static Value array();
  static Value object();

  // Requires: it is an array.
  void push_back(Value item);
  // The member of that name; added as null where it is missing. Requires: it is an object.
  Value& operator[](std::string_view key);

  std::string compact() const;  // on one line, without blanks
  std::string pretty() const;   // two blanks a level, ends with a line feed

 private:
  enum class Kind : std::uint8_t { scalar, array, object };
  struct Scalar {
    std::string text;
  };
  explicit Value(Scalar scalar);
  void append_to(std::string& out) const;

  Kind kind_ = Kind::scalar;
  std::string text_;           // of a scalar, as JSON
  std::vector<Member> items_;  // of an array without keys
};

struct Value::Member {
  std::string key;
  Value value;
};

}  // namespace capsule::json
