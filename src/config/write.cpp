#include "config/write.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/check.h"
#include "base/files.h"
#include "base/listed.h"
#include "base/text.h"
#include "config/layer.h"

namespace capsule::config {
namespace {

// The row of a path as the user writes it: its names fit `*`. A name may hold dots.
const Key& row_of(std::string_view path) {
  for (const Key& row : keys()) {
    const std::size_t star = row.path.find('*');
    if (star == row.path.npos ? row.path == path
                              : path.starts_with(row.path.substr(0, star)) &&
                                    path.ends_with(row.path.substr(star + 1)))
      return row;
  }
  CHECK(false, "no such key");
}

// The words of a path: "providers", "a.b", "command".
std::vector<std::string_view> words_of(std::string_view path) {
  const std::string_view row = row_of(path).path;
  const std::size_t star = row.find('*');
  if (star == row.npos) return split(path, '.');
  const std::size_t name = path.size() - (row.size() - 1);
  std::vector<std::string_view> words = split(path.substr(0, star - 1), '.');
  words.push_back(path.substr(star, name));
  for (const std::string_view word : split(path.substr(star + name + 1), '.'))
    words.push_back(word);
  return words;
}

// The assignments as lines of a block map; those of one group stand together.
std::string block(std::span<const Assignment> assignments) {
  std::vector<const Assignment*> sorted;
  for (const Assignment& assignment : assignments) sorted.push_back(&assignment);
  std::stable_sort(sorted.begin(), sorted.end(), [](const Assignment* a, const Assignment* b) {
    return words_of(a->path) < words_of(b->path);
  });
  std::string text;
  std::vector<std::string_view> open;
  for (const Assignment* assignment : sorted) {
    const auto words = words_of(assignment->path);
    std::size_t depth = 0;
    while (depth + 1 < words.size() && depth < open.size() && open[depth] == words[depth]) ++depth;
    open.assign(words.begin(), words.end() - 1);
    for (; depth + 1 < words.size(); ++depth)
      text += std::string(depth * 2, ' ') + yaml_scalar(words[depth]) + ":\n";
    text += std::string(depth * 2, ' ') + std::string(words.back()) + ": " +
            written(row_of(assignment->path), assignment->value) + "\n";
  }
  return text;
}

// "contain.net: " of {"phases", "*", "contain", "net"}.
std::string label_of(const std::vector<std::string_view>& words) {
  std::string label;
  for (std::size_t i = 1; i < words.size(); ++i)
    if (words[i] != "*") label += (label.empty() ? "" : ".") + std::string(words[i]);
  return label.empty() ? label : label + ": ";
}

// One top-level key with all that is below it: the help as comments, then what is given, or
// suggestions that count once their # is removed.
std::string group_text(std::string_view top, std::span<const Assignment> assignments) {
  std::vector<Assignment> given;
  for (const Assignment& assignment : assignments)
    if (words_of(assignment.path).front() == top) given.push_back(assignment);
  std::string help;
  std::string suggested;
  std::vector<std::string_view> open;  // the groups of the line before
  for (const Key& row : keys()) {
    const auto words = split(row.path, '.');
    if (words.front() != top) continue;
    if (row.tighter == Tighter::subset) continue;  // nothing that a project could say
    help += "# " + label_of(words) + std::string(row.help) + ".\n";
    std::size_t depth = 0;
    while (depth + 1 < words.size() && depth < open.size() && open[depth] == words[depth]) ++depth;
    open.assign(words.begin(), words.end() - 1);
    for (; depth + 1 < words.size(); ++depth)
      suggested += "#" + std::string(depth * 2, ' ') +
                   (words[depth] != "*" ? std::string(words[depth])
                    : top == "phases"   ? std::string(pipeline_phases().front())
                    : top == "roles"    ? std::string(roles().front())
                                        : std::string("mine")) +
                   ":\n";
    suggested += "#" + std::string((words.size() - 1) * 2, ' ') + std::string(words.back()) + ": " +
                 (row.example.empty() ? written(row, default_of(row)) : std::string(row.example)) +
                 "\n";
  }
  return help + (given.empty() ? suggested : block(given));
}

std::string one_line(std::span<const Assignment> assignments) {
  return listed(assignments, [](const Assignment& assignment) {
    return assignment.path + ": " + written(row_of(assignment.path), assignment.value);
  });
}

// The entry of `path` in `entries`, or nullptr.
const Entry* find(const std::vector<Entry>& entries, std::string_view path) {
  for (const Entry& entry : entries)
    if (entry.path == path) return &entry;
  return nullptr;
}

Result<std::vector<Entry>> read_entries(const std::string& text, const std::string& file) {
  std::vector<Entry> entries;
  std::vector<Problem> problems;
  const auto root = parse_yaml(text);
  if (!root)
    return fail(Reason::damaged,
                file + ":" + std::to_string(root.error().line) + ": " + root.error().message,
                root.error().hint);
  read_tree(*root, file, Layer::project, entries, problems);
  if (!problems.empty())
    return fail(Reason::damaged, problems.front().where + ": " + problems.front().message,
                problems.front().hint);
  return entries;
}

// Appending is safe when the result says exactly what the old text said, and the new values: the
// reader itself is the judge, whatever style the file is written in.
bool adds_exactly(const std::vector<Entry>& before, const std::vector<Entry>& after,
                  std::span<const Assignment> added) {
  const auto has = [&](std::string_view path, const Value& value) {
    const Entry* entry = find(after, path);
    return entry != nullptr && entry->value == value;
  };
  return after.size() == before.size() + added.size() &&
         std::all_of(before.begin(), before.end(),
                     [&](const Entry& entry) { return has(entry.path, entry.value); }) &&
         std::all_of(added.begin(), added.end(),
                     [&](const Assignment& a) { return has(a.path, a.value); });
}

Result<Recorded> append(const std::string& file, const std::string& text,
                        std::span<const Assignment> assignments) {
  const std::vector<Entry> before = TRY(read_entries(text, file));
  std::vector<Assignment> missing;
  for (const Assignment& assignment : assignments) {
    const Entry* entry = find(before, assignment.path);
    if (entry == nullptr) {
      missing.push_back(assignment);
    } else if (entry->value != assignment.value) {
      return fail(Reason::exists,
                  entry->origin.where + ": " + assignment.path + " is " +
                      written(*entry->key, entry->value) + " already",
                  "it stays as it is; to change it, edit the file: " + one_line({&assignment, 1}));
    }
  }
  if (missing.empty()) return Recorded::unchanged;
  std::string longer = text;
  if (!longer.empty() && longer.back() != '\n') longer += '\n';
  longer += block(missing);
  const auto after = read_entries(longer, file);
  if (!after || !adds_exactly(before, *after, missing))
    return fail(Reason::exists, "cannot add to " + file + " safely",
                "add this to it yourself: " + one_line(missing));
  // The file behind a symbolic link is the one to replace, not the link.
  const std::string target = TRY(real_path(file));
  struct stat info {};
  if (::stat(target.c_str(), &info) != 0) return tl::unexpected(io_error("read", target, errno));
  TRY_VOID(write_file(target, longer, info.st_mode & 07777));
  return Recorded::appended;
}

}  // namespace

std::string fresh_file(std::span<const Assignment> assignments) {
  std::string text =
      "# Capsule's configuration of this project; 'capsule config show' shows what is in effect "
      "and why.\n"
      "# Lines that begin with # and no space are suggestions: remove the # to use them.\n";
  std::string_view group;
  for (const Key& row : keys()) {
    const std::string_view top = row.path.substr(0, row.path.find('.'));
    if (top == group) continue;
    group = top;
    text += '\n' + group_text(top, assignments);
  }
  return text;
}

Result<Recorded> record(const std::string& project_dir, std::span<const Assignment> assignments) {
  const std::string file = project_file(project_dir);
  const std::optional<std::string> text = TRY(read_if_there(file));
  if (text) return append(file, *text, assignments);
  TRY_VOID(make_folders(file.substr(0, file.rfind('/'))));
  // A link, unlike a renaming, never replaces a file that appeared meanwhile.
  const std::string aside = file + "." + std::to_string(::getpid());
  TRY_VOID(write_file(aside, fresh_file(assignments)));
  const int linked = ::link(aside.c_str(), file.c_str());
  const int error = errno;
  ::unlink(aside.c_str());
  if (linked != 0) return tl::unexpected(io_error("create", file, error));
  return Recorded::created;
}

}  // namespace capsule::config
