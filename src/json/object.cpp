#include "json/object.h"

#include <cerrno>
#include <cstdlib>
#include <limits>

#include "base/text.h"
#include "json/text.h"

namespace capsule::json {
std::optional<Object> Object::parse(std::string_view text) {
  text.remove_prefix(text_start(text));
  const auto whole = canonical(text);
  if (!whole || whole->front() != '{') return std::nullopt;
  Object object;
  for (const Member& member : members_of(*whole))
    object.members_.emplace_back(member.key, member.value);
  return object;
}

const std::string* Object::find(std::string_view key) const {
  const std::string wanted = quoted(key);
  for (const auto& [name, value] : members_)
    if (name == wanted) return &value;
  return nullptr;
}

std::optional<std::string> Object::text(std::string_view key) const {
  const std::string* raw = find(key);
  if (raw == nullptr || raw->front() != '"') return std::nullopt;
  return unquoted(*raw);
}

std::optional<bool> Object::boolean(std::string_view key) const {
  const std::string* raw = find(key);
  if (raw == nullptr || (*raw != "true" && *raw != "false")) return std::nullopt;
  return *raw == "true";
}

std::optional<std::int64_t> Object::integer(std::string_view key) const {
  const std::string* raw = find(key);
  if (raw == nullptr || (raw->front() != '-' && (raw->front() < '0' || raw->front() > '9')))
    return std::nullopt;
  char* end = nullptr;
  errno = 0;
  const long long value = std::strtoll(raw->c_str(), &end, 10);  // out of range: the nearest
  if (*end == '\0') return value;
  // Written as a number with a fraction or an exponent, as some languages do: 3.0, 2e1.
  const double real = std::strtod(raw->c_str(), nullptr);
  constexpr double kLimit = 9.0e18;
  if (real >= kLimit) return std::numeric_limits<std::int64_t>::max();
  if (real <= -kLimit) return std::numeric_limits<std::int64_t>::min();
  return static_cast<std::int64_t>(real);
}

Object Object::object(std::string_view key) const {
  const std::string* raw = find(key);
  if (raw == nullptr || raw->front() != '{') return {};
  return parse(*raw).value_or(Object());
}

std::vector<std::string> Object::elements(std::string_view key) const {
  const std::string* raw = find(key);
  if (raw == nullptr || raw->front() != '[') return {};
  std::vector<std::string> result;
  for (const std::string_view element : elements_of(*raw)) result.emplace_back(element);
  return result;
}

bool Object::is_null_or_absent(std::string_view key) const {
  const std::string* raw = find(key);
  return raw == nullptr || *raw == "null";
}

void Object::set(std::string_view key, std::string raw) {
  std::string wanted = quoted(key);
  for (auto& [name, value] : members_) {
    if (name != wanted) continue;
    value = std::move(raw);
    return;
  }
  members_.emplace_back(std::move(wanted), std::move(raw));
}

void Object::set_text(std::string_view key, std::string_view value) { set(key, quoted(value)); }

void Object::set_text_or_null(std::string_view key, std::string_view value) {
  set(key, value.empty() ? "null" : quoted(value));
}

void Object::set_boolean(std::string_view key, bool value) { set(key, value ? "true" : "false"); }

void Object::set_integer(std::string_view key, std::int64_t value) {
  set(key, std::to_string(value));
}

std::string Object::compact() const {
  std::string out = "{";
  for (const auto& [name, value] : members_) {
    if (out.size() > 1) out += ',';
    out += name;
    out += ':';
    out += value;
  }
  return out + "}";
}

std::string Object::pretty() const { return drawn_out(compact()); }

std::string array(const std::vector<std::string>& elements) {
  std::string out = "[";
  for (const std::string& element : elements) {
    if (out.size() > 1) out += ',';
    out += element;
  }
  return out + "]";
}

}  // namespace capsule::json
