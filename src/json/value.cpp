#include "json/value.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "json/text.h"

namespace capsule::json {

Value::Value(Scalar scalar) : text_(std::move(scalar.text)) {}
Value::Value(const Value&) = default;
Value::Value(Value&&) noexcept = default;
Value& Value::operator=(const Value&) = default;
Value& Value::operator=(Value&&) noexcept = default;
Value::~Value() = default;

Value::Value(std::nullptr_t) : text_("null") {}
Value::Value(bool value) : text_(value ? "true" : "false") {}
Value::Value(std::string_view text) : text_(quoted(text)) {}

// The shortest text that reads back as the same number, and as no integer. JSON knows no infinity.
Value::Value(double number) : text_("null") {
  if (!std::isfinite(number)) return;
  char digits[64];
  const auto [end, error] = std::to_chars(std::begin(digits), std::end(digits), number);
  text_.assign(digits, end);
  if (text_.find_first_of(".e") == text_.npos) text_ += ".0";
}

Value::Value(std::initializer_list<Member> members) : kind_(Kind::object), items_(members) {}

Value Value::array() {
  Value value;
  value.kind_ = Kind::array;
  return value;
}

Value Value::object() {
  Value value;
  value.kind_ = Kind::object;
  return value;
}

void Value::push_back(Value item) { items_.push_back({{}, std::move(item)}); }

Value& Value::operator[](std::string_view key) {
  const auto found = std::find_if(items_.begin(), items_.end(),
                                  [&](const Member& member) { return member.key == key; });
  if (found != items_.end()) return found->value;
  return items_.emplace_back(Member{std::string(key), {}}).value;
}

void Value::append_to(std::string& out) const {
  if (kind_ == Kind::scalar) {
    out += text_;
    return;
  }
  out += kind_ == Kind::array ? '[' : '{';
  for (const Member& item : items_) {
    if (&item != items_.data()) out += ',';
    if (kind_ == Kind::object) out += quoted(item.key) + ":";
    item.value.append_to(out);
  }
  out += kind_ == Kind::array ? ']' : '}';
}

std::string Value::compact() const {
  std::string out;
  append_to(out);
  return out;
}

std::string Value::pretty() const { return drawn_out(compact()); }

}  // namespace capsule::json
