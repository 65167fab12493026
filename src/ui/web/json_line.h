// Makes JSON objects on one line. What is empty, 0 or false is left out: whoever reads it takes it
// for that. Pure.
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <vector>

#include "json/text.h"

namespace capsule::web {

class JsonLine {
 public:
  JsonLine& text(std::string_view name, std::string_view value) {
    return value.empty() ? *this : raw(name, json::quoted(value));
  }
  JsonLine& number(std::string_view name, std::integral auto value) {
    return value == 0 ? *this : raw(name, std::to_string(value));
  }
  JsonLine& flag(std::string_view name, bool value) { return value ? raw(name, "true") : *this; }
  JsonLine& texts(std::string_view name, const std::vector<std::string>& values) {
    return list(name, values, [](const std::string& one) { return json::quoted(one); });
  }
  // Each element as `form` has it.
  template <class T, class Form>
  JsonLine& list(std::string_view name, const std::vector<T>& values, Form form) {
    if (values.empty()) return *this;
    std::string all = "[";
    for (const T& one : values) all.append(all.size() > 1 ? "," : "").append(form(one));
    return raw(name, all += ']');
  }
  JsonLine& raw(std::string_view name, std::string_view json) {
    line_.append(line_.size() > 1 ? ",\"" : "\"").append(name).append("\":").append(json);
    return *this;
  }
  std::string done() const { return line_ + "}"; }

 private:
  std::string line_ = "{";
};

}  // namespace capsule::web
