#include "task/native_store.h"

#include <time.h>

#include <algorithm>
#include <cstdio>
#include <set>

#include "base/ids.h"
#include "base/text.h"
#include "engine/bead_context.h"
#include "json/places.h"
#include "json/text.h"
#include "task/native_json.h"

namespace capsule::task {
namespace {

constexpr const char* kFile = "issues.jsonl";
constexpr const char* kSettings = "config.yaml";

std::string now() {
  timespec time{};
  clock_gettime(CLOCK_REALTIME, &time);
  tm parts{};
  gmtime_r(&time.tv_sec, &parts);
  char text[64];
  const std::size_t length = strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
  std::snprintf(text + length, sizeof text - length, ".%06ldZ", time.tv_nsec / 1000);
  return text;
}

// The value of a top-level setting in bd's config.yaml: plain scalars are all that we look for.
std::string setting(std::string_view yaml, std::string_view key) {
  for (std::string_view line : split(yaml, '\n')) {
    if (!line.starts_with(key) || line.size() == key.size() || line[key.size()] != ':') continue;
    std::string_view value = trimmed(line.substr(key.size() + 1));
    if (!value.empty() && (value.front() == '"' || value.front() == '\'')) {
      const std::size_t end = value.find(value.front(), 1);
      return std::string(value.substr(1, end == value.npos ? value.npos : end - 1));
    }
    return std::string(trimmed(value.substr(0, value.find(" #"))));
  }
  return {};
}

std::string setting(const BeadsFolder& folder, std::string_view key) {
  const auto text = folder.read(kSettings);
  return text && *text ? setting(**text, key) : std::string{};
}

Result<std::string> checked_prefix(std::string_view prefix) {
  while (prefix.ends_with('-')) prefix.remove_suffix(1);
  if (!valid_id(prefix) || prefix.size() > 50 || prefix.find('.') != prefix.npos)
    return fail(Reason::usage, "'" + printable(prefix.substr(0, 200)) + "' cannot be a prefix",
                "1 to 50 letters, digits, '_' and '-', beginning with a letter or digit");
  return std::string(prefix);
}

Result<void> write_settings(const BeadsFolder& folder, std::string_view prefix) {
  const auto before = TRY(folder.read(kSettings));
  std::string text = before.value_or("");
  if (!text.empty() && !text.ends_with('\n')) text += '\n';
  text += "# Beads are kept in issues.jsonl, one a line; there is no database.\n";
  text += "issue-prefix: " + json::quoted(prefix) + "\nno-db: true\n";
  return folder.replace(kSettings, text);
}

}  // namespace

NativeStore::NativeStore(std::string project_dir, OnDamage on_damage, std::string actor)
    : project_dir_(std::move(project_dir)), on_damage_(on_damage), actor_(std::move(actor)) {}

Result<void> NativeStore::init(const std::string& project_dir, std::string_view asked) {
  const std::string prefix = TRY(checked_prefix(asked));
  BeadsFolder folder = TRY(BeadsFolder::create(project_dir));
  TRY_VOID(folder.lock());
  const std::string existing = setting(folder, "issue-prefix");
  if (!existing.empty() || setting(folder, "no-db") == "true")
    return fail(Reason::exists,
                folder.path("") + " already exists, with the prefix '" + existing + "'",
                "'capsule bead list --all' shows what is in it");
  if (folder.has_file_ending(".db"))
    return fail(Reason::exists, folder.path("") + " already exists, with a database of bd's",
                "use bd there, or remove its database");
  if (!TRY(folder.read(kFile))) TRY_VOID(folder.replace(kFile, ""));
  return write_settings(folder, prefix);
}

bool NativeStore::declared(const std::string& project_dir) {
  const auto folder = BeadsFolder::open(project_dir);
  return folder && setting(*folder, "no-db") == "true";
}

std::string NativeStore::file_path() const { return project_dir_ + "/.beads/" + kFile; }

Result<void> NativeStore::load() {
  const auto folder = BeadsFolder::open(project_dir_);
  if (!folder && folder.error().reason != Reason::not_found) return tl::unexpected(folder.error());
  const std::string stamp = folder ? folder->stamp(kFile) : std::string{};
  if (!stamp.empty() && stamp == stamp_) return {};
  const auto text = folder ? TRY(folder->read(kFile)) : std::nullopt;
  file_ = IssuesFile::parse(text.value_or(""));
  stamp_ = stamp;
  return {};
}

tl::unexpected<Error> NativeStore::damaged() const {
  const auto& all = damage();
  const std::string line = std::to_string(all.front().line);
  std::string message = file_path() + ", line " + line + ": " + all.front().why;
  if (all.size() > 1) message += " (and " + std::to_string(all.size() - 1) + " more damaged lines)";
  return fail(Reason::damaged, std::move(message),
              "repair or remove line " + line + "; nothing was changed");
}

Result<void> NativeStore::load_readable() {
  TRY_VOID(load());
  if (on_damage_ == OnDamage::refuse && !damage().empty()) return damaged();
  return {};
}

Result<const engine::Bead*> NativeStore::find(std::string_view id) const {
  TRY_VOID(check_id("bead id", id));
  const engine::Bead* bead = file_.find(id);
  if (bead != nullptr && bead->status != "tombstone") return bead;
  if (!damage().empty()) {
    auto error = damaged();
    error.value().message = "bead '" + std::string(id) + "' not found; " + error.value().message;
    return error;
  }
  return fail(Reason::not_found, "bead '" + std::string(id) + "' not found in " + file_path(),
              "list them: capsule bead list --all");
}

Result<engine::Bead> NativeStore::show(std::string_view id) {
  TRY_VOID(check_id("bead id", id));
  TRY_VOID(load_readable());
  return file_.resolved(*TRY(find(id)));
}

Result<std::vector<engine::Bead>> NativeStore::list(const engine::BeadFilter& filter) {
  TRY_VOID(load_readable());
  std::vector<engine::Bead> result;
  for (const engine::Bead* bead : file_.beads()) {
    const bool wanted = filter.status.empty() ? filter.all || bead->status != "closed"
                                              : bead->status == filter.status;
    if (!wanted || bead->status == "tombstone") continue;
    if (!filter.parent.empty() && bead->parent != filter.parent) continue;
    result.push_back(file_.resolved(*bead));
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const auto& a, const auto& b) { return a.priority < b.priority; });
  return result;
}

bool NativeStore::waits(const engine::Bead& bead) const {
  std::set<std::string_view> seen;
  for (const engine::Bead* at = &bead; at != nullptr && seen.insert(at->id).second;
       at = file_.find(at->parent))
    for (const engine::BeadDependency& dependency : at->dependencies) {
      const engine::Bead* other = file_.find(dependency.id);
      if (dependency.type == "blocks" && other != nullptr && !engine::is_closed(other->status))
        return true;
    }
  return false;
}

Result<std::vector<engine::Bead>> NativeStore::ready() {
  auto beads = TRY(list({.status = "open"}));
  std::erase_if(beads, [&](const engine::Bead& bead) { return waits(bead); });
  return beads;
}

Result<BeadsFolder> NativeStore::locked(bool create) {
  auto opened = create ? BeadsFolder::create(project_dir_) : BeadsFolder::open(project_dir_);
  if (!opened && opened.error().reason == Reason::not_found)
    return fail(Reason::not_found, project_dir_ + " has no beads",
                "capsule bead init --prefix=NAME");
  BeadsFolder folder = TRY(std::move(opened));
  TRY_VOID(folder.lock());
  stamp_.clear();  // a stamp can stand still within one tick of the clock
  TRY_VOID(load());
  return folder;
}

Result<void> NativeStore::save(const BeadsFolder& folder) {
  stamp_.clear();
  return folder.replace(kFile, file_.text());
}

Result<void> NativeStore::close(std::string_view id, std::string_view reason) {
  TRY_VOID(check_id("bead id", id));
  const BeadsFolder folder = TRY(locked(false));
  if (TRY(find(id))->status == "closed") return {};
  TRY_VOID(file_.put(closed(file_.object(id), reason, now())));
  return save(folder);
}

Result<void> NativeStore::reopen(std::string_view id, std::string_view reason) {
  TRY_VOID(check_id("bead id", id));
  TRY_VOID(check_text(reason));
  const BeadsFolder folder = TRY(locked(false));
  if (TRY(find(id))->status == "open") return {};
  const std::string time = now();
  std::string object = reopened(file_.object(id), time);
  if (!trimmed(reason).empty())
    object = commented(object, new_comment(id, "Reopened: " + std::string(reason), time), time);
  TRY_VOID(file_.put(object));
  return save(folder);
}

Result<void> NativeStore::update(std::string_view id, const BeadChange& change) {
  TRY_VOID(check_id("bead id", id));
  TRY_VOID(check_change(change));
  const BeadsFolder folder = TRY(locked(false));
  TRY_VOID(find(id));
  TRY_VOID(file_.put(changed(file_.object(id), change, now())));
  return save(folder);
}

Result<std::string> NativeStore::create(const NewBead& bead) {
  TRY_VOID(check_title(bead.title));
  for (const std::string* text : {&bead.description, &bead.acceptance}) TRY_VOID(check_text(*text));
  const BeadsFolder folder = TRY(locked(true));
  std::string stem;
  if (!bead.parent.empty()) {
    stem = TRY(find(bead.parent))->id + ".";
  } else {
    std::string prefix = setting(folder, "issue-prefix");
    if (prefix.empty()) prefix = file_.common_prefix();
    if (prefix.empty())
      return fail(Reason::not_found, folder.path("") + " names no prefix for new ids",
                  "capsule bead init --prefix=NAME");
    stem = TRY(checked_prefix(prefix)) + "-";
  }
  const std::string id = stem + std::to_string(file_.highest_number(stem) + 1);
  TRY_VOID(check_id("bead id", id));
  TRY_VOID(file_.put(line_of_new_bead(bead, id, actor_, now())));
  TRY_VOID(save(folder));
  return id;
}

std::string NativeStore::new_comment(std::string_view id, std::string_view text,
                                     std::string_view time) const {
  std::size_t number = 1;
  for (const engine::Bead* bead : file_.beads()) number += bead->comments.size();
  return comment_json(number, id, actor_, text, time);
}

Result<void> NativeStore::add_comment(std::string_view id, std::string_view text) {
  TRY_VOID(check_id("bead id", id));
  if (trimmed(text).empty()) return fail(Reason::usage, "a comment needs a text");
  TRY_VOID(check_text(text));
  const BeadsFolder folder = TRY(locked(false));
  TRY_VOID(find(id));
  const std::string time = now();
  TRY_VOID(file_.put(commented(file_.object(id), new_comment(id, text, time), time)));
  return save(folder);
}

Result<ImportCount> NativeStore::import(std::string_view text, std::string_view source) {
  const IssuesFile incoming = IssuesFile::parse(text);
  if (!incoming.damage().empty()) {
    const Damage& first = incoming.damage().front();
    return fail(Reason::damaged,
                std::string(source) + ", line " + std::to_string(first.line) + ": " + first.why,
                "nothing was imported");
  }
  const bool fresh = !BeadsFolder::open(project_dir_);
  const BeadsFolder folder = TRY(locked(true));
  ImportCount count;
  for (const engine::Bead* bead : incoming.beads()) {
    const std::string_view object = incoming.object(bead->id);
    if (file_.find(bead->id) == nullptr) {
      TRY_VOID(file_.put(object));
      ++count.created;
      continue;
    }
    const std::string before(file_.object(bead->id));
    std::string merged = before;
    for (const auto& member : json::object_at(object, 0).value_or(json::Container()).items)
      merged = json::with_member(merged, member.key, member.value.in(object));
    ++(merged == before ? count.unchanged : count.updated);
    TRY_VOID(file_.put(merged));
  }
  if (count.created + count.updated > 0) TRY_VOID(save(folder));
  const std::string prefix = file_.common_prefix();
  if (fresh && checked_prefix(prefix)) TRY_VOID(write_settings(folder, prefix));
  return count;
}

Result<std::string> NativeStore::show_json(std::string_view id) {
  TRY_VOID(show(id));
  return task::show_json(file_, id);
}

Result<std::string> NativeStore::list_json(const std::vector<engine::Bead>& beads) {
  return task::list_json(file_, beads);
}

Result<std::string> NativeStore::object_json(std::string_view id) {
  TRY_VOID(show(id));
  return task::object_json(file_, id);
}

Result<std::string> NativeStore::array_json(std::string_view id) {
  TRY_VOID(show(id));
  return task::array_json(file_, id);
}

Result<std::string> NativeStore::last_comment_json(std::string_view id) {
  TRY_VOID(show(id));
  return task::last_comment_json(file_, id);
}

}  // namespace capsule::task
