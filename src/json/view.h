// A JSON value where it stands in a text: nothing is copied or built, and a value that nobody asks
// for is passed over. For streams of objects of which a few members count. Pure; a View must not
// outlive its text.
//
// Every question has an answer: what is not there, or is of another kind, is nothing, and nothing
// has no members, no text and no number.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace capsule::json {

class View {
 public:
  View() = default;  // nothing
  // nullopt: it is not one whole object (RFC 8259, within the limits of json/scan.h), blanks around
  // it allowed.
  static std::optional<View> of_object(std::string_view text);

  bool is_object() const { return text_.starts_with('{'); }
  bool is_array() const { return text_.starts_with('['); }
  bool is_string() const { return text_.starts_with('"'); }
  bool is_true() const { return text_ == "true"; }
  // Nothing, and null.
  bool is_nothing() const { return text_.empty() || text_ == "null"; }

  // The member of an object; of several the last.
  View operator[](std::string_view key) const;
  // The elements of an array, or the values of an object, one after the other.
  class Walk;
  Walk begin() const;
  struct End {};
  End end() const { return {}; }

  std::string text() const;  // of a string
  // Whether it is that string. Requires: `wanted` needs no escape in JSON.
  bool is(std::string_view wanted) const;
  std::optional<double> number() const;
  std::int64_t integer() const;  // without its fraction, the nearest that there is; else 0
  std::string_view raw() const { return text_; }  // as it stands in the text

 private:
  friend class Walk;
  explicit View(std::string_view text) : text_(text) {}
  std::string_view text_;  // one valid value, without blanks around it
};

class View::Walk {
 public:
  explicit Walk(View container);
  View operator*() const { return value_; }
  // The key, as it is written between its quotes; empty in an array.
  std::string_view raw_key() const { return key_; }
  Walk& operator++() {
    next();
    return *this;
  }
  bool operator!=(End) const { return !over_; }

 private:
  void next();
  std::string_view text_;
  std::size_t at_ = 0;
  bool object_ = false, over_ = true;
  std::string_view key_;
  View value_;
};

}  // namespace capsule::json
