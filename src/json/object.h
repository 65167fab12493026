// A JSON object whose members keep the text that they were written with, for files that other tools
// write too: what we do not know is carried along, digit by digit. Pure; owns its bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace capsule::json {

class Object {
 public:
  Object() = default;
  // nullopt: it is not one whole object (RFC 8259, within the limits of json/scan.h). A byte
  // order mark before it is passed over.
  static std::optional<Object> parse(std::string_view text);

  // The canonical text of a member; null when there is none.
  const std::string* find(std::string_view key) const;
  // Its value, when it is of that kind.
  std::optional<std::string> text(std::string_view key) const;
  std::optional<bool> boolean(std::string_view key) const;
  std::optional<std::int64_t> integer(std::string_view key) const;  // out of range: the nearest
  Object object(std::string_view key) const;                        // empty when it is not one
  std::vector<std::string> elements(std::string_view key) const;    // empty when it is no array
  bool is_null_or_absent(std::string_view key) const;

  // Replaces it in its place, or adds it at the end. `raw` is JSON.
  void set(std::string_view key, std::string raw);
  void set_text(std::string_view key, std::string_view value);
  void set_text_or_null(std::string_view key, std::string_view value);  // null when empty
  void set_boolean(std::string_view key, bool value);
  void set_integer(std::string_view key, std::int64_t value);

  std::string compact() const;
  std::string pretty() const;  // two blanks a level, ends with a line feed

 private:
  std::vector<std::pair<std::string, std::string>> members_;  // quoted key, canonical value
};

std::string array(const std::vector<std::string>& elements);

}  // namespace capsule::json
