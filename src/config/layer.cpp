#include "config/layer.h"

#include <algorithm>

#include "base/files.h"
#include "base/ids.h"
#include "base/text.h"

namespace capsule::config {
namespace {

std::string where(const std::string& file, int line) {
  return line > 0 ? file + ":" + std::to_string(line) : file;
}

// One step of the walk: the part of the table's paths that was gone, and the part as the user wrote
// it. The two differ where the table has `*`.
struct Walk {
  const std::string& file;
  Layer layer;
  std::vector<Entry>& entries;
  std::vector<Problem>& problems;
  const ProjectPhases& phases;

  void problem(int line, std::string message, std::string hint) {
    problems.push_back({Reason::damaged, where(file, line), std::move(message), std::move(hint)});
  }
};

std::string path_below(std::string_view prefix, std::string_view word) {
  return prefix.empty() ? std::string(word) : std::string(prefix) + "." + std::string(word);
}

// The words that may follow `prefix` in the table.
std::vector<std::string_view> words_after(std::string_view prefix) {
  std::vector<std::string_view> words;
  for (const Key& row : keys()) {
    std::string_view rest = row.path;
    if (!prefix.empty()) {
      if (!rest.starts_with(prefix) || rest.size() <= prefix.size() || rest[prefix.size()] != '.')
        continue;
      rest.remove_prefix(prefix.size() + 1);
    }
    const std::string_view word = rest.substr(0, rest.find('.'));
    if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
  }
  return words;
}

const Key* row_at(std::string_view path) {
  for (const Key& row : keys())
    if (row.path == path) return &row;
  return nullptr;
}

void read_value(const YamlNode& node, int line, const Key& row, std::string path, Walk& walk) {
  const std::string kind = describe(row);
  tl::expected<Value, Complaint> value;
  std::vector<std::string> items;
  switch (node.kind) {
    case YamlNode::Kind::null:
      walk.problem(line, path + " has no value", "give it " + kind + ", or leave it out");
      return;
    case YamlNode::Kind::map:
      walk.problem(line, path + " cannot have keys below it", "it must be " + kind);
      return;
    case YamlNode::Kind::scalar:
      value = value_of(row, path, node.text);
      break;
    case YamlNode::Kind::list:
      for (const YamlNode& item : node.items) {
        if (item.kind != YamlNode::Kind::scalar) {
          walk.problem(item.line, "an item of " + path + " is not text", "quote it");
          return;
        }
        items.push_back(item.text);
      }
      value = value_of(row, path, std::move(items));
      break;
  }
  if (value) {
    walk.entries.push_back(
        {&row, std::move(path), *std::move(value), {walk.layer, where(walk.file, line)}});
  } else {
    walk.problem(line, std::move(value.error().message), std::move(value.error().hint));
  }
}

bool has_name(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool check_role(const YamlNode::Name& name, Walk& walk) {
  if (has_name(roles(), name.text)) return true;
  const std::string_view near = nearest_name(name.text, roles());
  std::string hint = "did you mean '" + std::string(near) + "'?";
  if (near.empty()) {
    hint = "the roles are:";
    for (std::string_view role : roles()) hint += " " + std::string(role);
  }
  walk.problem(name.line, "unknown role '" + name.text + "'", std::move(hint));
  return false;
}

// Any prompt's name is a phase's name, so whether a name is unknown only the project can tell.
bool check_phase(const YamlNode::Name& name, Walk& walk) {
  const auto ours = pipeline_phases();
  if (has_name(ours, name.text) || has_name(auto_phases(), name.text)) return true;
  const auto others = walk.phases ? walk.phases() : std::nullopt;
  std::vector<std::string_view> known(ours.begin(), ours.end());
  if (others) {
    known.insert(known.end(), auto_phases().begin(), auto_phases().end());
    known.insert(known.end(), others->begin(), others->end());
    if (has_name(known, name.text)) return true;
  }
  const std::string_view near = nearest_name(name.text, known);
  if (!others && (near.empty() || edit_distance(name.text, near) > 2)) return true;
  walk.problem(name.line, "unknown phase '" + name.text + "'",
               near.empty() ? "no workflow of the project has it, and there is no prompts/" +
                                  name.text + ".md"
                            : "did you mean '" + std::string(near) + "'?");
  return false;
}

bool check_chosen_name(std::string_view prefix, const YamlNode::Name& name, Walk& walk) {
  if (!valid_id(name.text)) {
    walk.problem(name.line,
                 "'" + printable(name.text) + "' cannot be a name in " + std::string(prefix),
                 "it must be " + describe(key("provider")));
    return false;
  }
  if (prefix == "roles") return check_role(name, walk);
  return prefix != "phases" || check_phase(name, walk);
}

void unknown_key(std::string_view prefix, const YamlNode::Name& name, Walk& walk) {
  const auto words = words_after(prefix);
  const std::string_view near = nearest_name(name.text, words);
  std::string hint;
  if (!near.empty()) {
    hint = "did you mean '" + std::string(near) + "'?";
  } else {
    hint = "valid here:";
    for (std::string_view word : words) hint += " " + std::string(word);
  }
  const std::string shown = printable(std::string_view(name.text).substr(0, 80));
  walk.problem(name.line, "unknown key '" + path_below(prefix, shown) + "'", std::move(hint));
}

void read_map(const YamlNode& node, const std::string& prefix, const std::string& path, Walk& walk);

// The one group whose members need no names. Those of a list are numbered, in each file on its own:
// what another file lists is not overridden but joined.
constexpr std::string_view kList = "notify";

void read_list(const YamlNode& node, Walk& walk) {
  int number = 0;
  for (const YamlNode& item : node.items) {
    const std::string name = std::string(name_of(walk.layer)) + "-" + std::to_string(++number);
    read_map(item, path_below(kList, "*"), path_below(kList, name), walk);
  }
}

// The key of a group that its value stands for where it is no group: "contain: strict".
constexpr std::string_view kShort = "preset";

// `prefix` in the table's words, `path` in the user's. The table is four words deep at most, so
// the recursion ends there whatever the file holds.
void read_map(const YamlNode& node, const std::string& prefix, const std::string& path,
              Walk& walk) {
  if (node.kind == YamlNode::Kind::null) return;  // "verify:" with all its lines commented out
  if (prefix == kList && node.kind == YamlNode::Kind::list) return read_list(node, walk);
  if (const Key* row = row_at(path_below(prefix, kShort));
      row && node.kind == YamlNode::Kind::scalar)
    return read_value(node, node.line, *row, path_below(path, kShort), walk);
  if (node.kind != YamlNode::Kind::map) {
    walk.problem(node.line, (path.empty() ? "the file" : path) + " must be a map of keys",
                 "write 'key: value', one per line");
    return;
  }
  const auto words = words_after(prefix);
  const bool chosen = words.size() == 1 && words.front() == "*";
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const YamlNode::Name& name = node.names[i];
    if (chosen) {
      if (check_chosen_name(prefix, name, walk))
        read_map(node.items[i], path_below(prefix, "*"), path_below(path, name.text), walk);
      continue;
    }
    const std::string next = path_below(prefix, name.text);
    if (name.text == "*" || std::find(words.begin(), words.end(), name.text) == words.end()) {
      unknown_key(prefix, name, walk);
    } else if (const Key* row = row_at(next)) {
      read_value(node.items[i], name.line, *row, path_below(path, name.text), walk);
    } else {
      read_map(node.items[i], next, path_below(path, name.text), walk);
    }
  }
}

}  // namespace

Result<std::optional<std::string>> read_if_there(const std::string& path) {
  auto text = capsule::read_file(path, kMaxFileBytes);
  if (text) return *std::move(text);
  Error& error = text.error();
  if (error.reason != Reason::not_found) return tl::unexpected(std::move(error));
  if (!exists(path)) return std::nullopt;
  return fail(Reason::io, "cannot read " + path + ": it is a broken symbolic link",
              "repair or remove the link");
}

void read_tree(const YamlNode& root, const std::string& file, Layer layer,
               std::vector<Entry>& entries, std::vector<Problem>& problems,
               const ProjectPhases& phases) {
  Walk walk{file, layer, entries, problems, phases};
  read_map(root, "", "", walk);
}

void read_layer(const std::string& file, Layer layer, std::vector<Entry>& entries,
                std::vector<Problem>& problems, const ProjectPhases& phases) {
  const auto text = read_if_there(file);
  if (!text) {
    problems.push_back({Reason::io, "", text.error().message, text.error().hint});
    return;
  }
  if (!*text) return;
  const auto root = parse_yaml(**text);
  if (root) {
    read_tree(*root, file, layer, entries, problems, phases);
  } else {
    problems.push_back(
        {Reason::damaged, where(file, root.error().line), root.error().message, root.error().hint});
  }
}

}  // namespace capsule::config
