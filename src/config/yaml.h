// YAML text as a small tree that remembers lines. The only place that knows the YAML library: its
// exceptions end here. Bounded in bytes, depth and nodes, so that no file can exhaust us (an alias
// counts as everything that it stands for). Refused: tags, several documents, keys that stand twice
// in one map, keys that are not plain texts.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace capsule::config {

inline constexpr std::size_t kMaxFileBytes = 262'144;
inline constexpr std::size_t kMaxNodes = 10'000;
inline constexpr std::size_t kMaxDepth = 16;

struct YamlNode {
  enum class Kind { null, scalar, list, map };
  struct Name {
    std::string text;
    int line = 0;
  };
  Kind kind = Kind::null;
  int line = 0;                 // from 1
  bool flow = false;            // a list or map written with brackets
  std::string text;             // of a scalar
  std::vector<YamlNode> items;  // of a list, or the values of a map
  std::vector<Name> names;      // of a map: as many as items
};

struct YamlError {
  int line = 0;  // from 1; 0: the whole file
  std::string message;
  std::string hint = {};
};

// An empty text is a null node.
tl::expected<YamlNode, YamlError> parse_yaml(std::string_view text);

}  // namespace capsule::config
