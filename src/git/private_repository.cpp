#include "git/private_repository.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "base/text.h"
#include "git/paths.h"
#include "git/refs.h"
#include "git/settings.h"
#include "git/worktree.h"

namespace capsule::git {
namespace {

constexpr const char* kBorrowed = "borrowed";  // where the project's objects are, inside
constexpr std::size_t kMaxIgnoreBytes = 1024UL * 1024;
constexpr int kMaxLenders = 8;

// A value of git's configuration, whatever it holds.
std::string quoted_value(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n')
      out += "\\n";
    else if (c != '\0')
      out += c;
  }
  return out + "\"";
}

std::string config_of(const Repository& repository, Hooks hooks) {
  const Settings& settings = settings_of(repository);
  std::string text = repository.sha256 ? "[core]\n\trepositoryformatversion = 1\n"
                                         "[extensions]\n\tobjectFormat = sha256\n"
                                       : "[core]\n\trepositoryformatversion = 0\n";
  // Borrowed objects cannot be packed, and what it leaves is thrown away.
  text += "[core]\n\tbare = false\n\tlogAllRefUpdates = true\n";
  if (hooks == Hooks::none)
    text += "\thooksPath = /dev/null\n";
  else if (!settings.hooks.empty())
    text += "\thooksPath = " + quoted_value(settings.hooks) + "\n";
  for (const std::string& one : settings.conversions) {
    const std::size_t equals = one.find('=');
    const std::string key = one.substr(0, equals);
    if (!key.ends_with("file"))
      text += "\t" + key.substr(key.find('.') + 1) + " = " + one.substr(equals + 1) + "\n";
  }
  return text + "[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n[user]\n\tname = " +
         quoted_value(settings.name) + "\n\temail = " + quoted_value(settings.email) + "\n";
}

// What the user keeps out of all repositories is a file of the home, which is not there inside.
std::string ignored_by_user(const Repository& repository) {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  const std::string home = variable("HOME");
  std::string path = variable("XDG_CONFIG_HOME");
  path = (path.empty() ? home + "/.config" : path) + "/git/ignore";
  constexpr std::string_view kKey = "core.excludesfile=";
  for (const std::string& one : settings_of(repository).conversions)
    if (one.starts_with(kKey)) path = one.substr(kKey.size());
  if (path.starts_with("~/")) path = home + path.substr(1);
  return path.starts_with('/') ? read_file(path, kMaxIgnoreBytes).value_or("") : "";
}

std::string ignored(const Repository& repository) {
  std::string text =
      read_file(repository.common_dir + "/info/exclude", kMaxIgnoreBytes).value_or("");
  if (!text.empty() && !text.ends_with('\n')) text += '\n';
  return text + ignored_by_user(repository);
}

// main, the same of remotes, and tags: what builds and prompts ask for. Branches of others and what
// Capsule keeps are nobody's business here.
bool is_shown(std::string_view name, std::string_view main_ref) {
  if (name == main_ref || name.starts_with("refs/tags/")) return true;
  constexpr std::string_view kPrivateHeads = "refs/heads/";
  if (!main_ref.starts_with(kPrivateHeads) || !name.starts_with("refs/remotes/")) return false;
  return name.ends_with("/" + std::string(main_ref.substr(kPrivateHeads.size())));
}

void add_loose_refs(const Repository& repository, const std::string& name,
                    const std::string& main_ref, std::vector<Ref>& refs, int depth) {
  constexpr int kMaxDepth = 10;
  const std::string path = repository.common_dir + "/" + name;
  if (is_plain_folder(path)) {
    if (depth > kMaxDepth) return;
    for (const std::string& inner : names_in(path))
      add_loose_refs(repository, within(name, inner), main_ref, refs, depth + 1);
  } else if (is_shown(name, main_ref) && is_plain_file(path)) {
    if (std::string id = read_ref(repository, name); !id.empty()) refs.push_back({name, id});
  }
}

// The shown ones as a file of packed refs, sorted. What a tag leads to is not said: git finds out.
std::string shown_refs(const Repository& repository, const std::string& main_ref) {
  std::vector<Ref> refs;
  if (!main_ref.empty()) add_loose_refs(repository, main_ref, main_ref, refs, 0);
  for (const char* name : {"refs/tags", "refs/remotes"})
    add_loose_refs(repository, name, main_ref, refs, 0);
  const std::string packed = read_file(repository.common_dir + "/packed-refs").value_or("");
  for (const std::string_view line : split(packed, '\n')) {
    const std::size_t blank = line.find(' ');
    if (blank == line.npos || !is_object_id(repository, line.substr(0, blank))) continue;
    if (is_shown(line.substr(blank + 1), main_ref))
      refs.push_back({std::string(line.substr(blank + 1)), std::string(line.substr(0, blank))});
  }
  // A loose one counts for more than a packed one, and comes first.
  std::stable_sort(refs.begin(), refs.end(),
                   [](const Ref& a, const Ref& b) { return a.name < b.name; });
  std::string text = "# pack-refs with: sorted \n";
  std::string before;
  for (const Ref& ref : refs)
    if (std::exchange(before, ref.name) != ref.name) text += ref.id + " " + ref.name + "\n";
  return text;
}

// Folders of objects that the project itself borrows from, by the paths that its file names.
void add_lenders(const std::string& objects, std::vector<std::string>& lenders) {
  const std::string text = read_file(objects + "/info/alternates", kMaxIgnoreBytes).value_or("");
  for (const std::string_view line : split(text, '\n')) {
    if (line.empty() || line.starts_with('#') || line.starts_with('"')) continue;
    const std::string name(line);
    const auto path = real_path(name.starts_with('/') ? name : within(objects, name));
    if (!path || name_of(*path) != "objects" || lenders.size() >= kMaxLenders ||
        std::find(lenders.begin(), lenders.end(), *path) != lenders.end())
      continue;
    lenders.push_back(*path);
    add_lenders(*path, lenders);
  }
}

bool has_hooks(const std::string& folder) {
  const std::vector<std::string> names = names_in(folder);
  return std::any_of(names.begin(), names.end(),
                     [](const std::string& name) { return !name.ends_with(".sample"); });
}

struct Draft {
  const Repository& repository;
  PrivateRepository made;

  Result<void> put(const std::string& name, std::string_view text) const {
    TRY_VOID(make_folders_beneath(made.folder, parent_of("/" + name).substr(1)));
    return create_file(within(made.folder, name), text);
  }
  Result<void> folder(const std::string& name) const {
    return make_folders_beneath(made.folder, name);
  }
};

Result<void> put_objects(Draft& draft) {
  const std::string objects = draft.repository.common_dir + "/objects";
  draft.made.seen.push_back({draft.repository.common_dir + "/" + kBorrowed, objects});
  // Those are named by the project's own file, which git reads inside, too.
  std::vector<std::string> lenders;
  add_lenders(objects, lenders);
  for (const std::string& lender : lenders) draft.made.seen.push_back({lender, lender});
  TRY_VOID(draft.folder(kBorrowed));
  TRY_VOID(draft.folder("objects/pack"));
  return draft.put("objects/info/alternates", "../" + std::string(kBorrowed) + "\n");
}

Result<void> put_worktree(Draft& draft, const std::string& git_dir, const std::string& worktree) {
  const std::string head = TRY(read_file(git_dir + "/HEAD"));
  const std::string& record = draft.made.record;
  const std::string start = record.empty() ? "" : record + "/";
  TRY_VOID(draft.put(start + "HEAD", head));
  if (!record.empty()) {
    TRY_VOID(draft.put(start + "commondir", "../..\n"));
    TRY_VOID(draft.put(start + "gitdir", worktree + "/.git\n"));
  }
  // Of submodules that a set-up has brought into the worktree; else git stops at each of them.
  if (const std::string modules = git_dir + "/modules"; is_plain_folder(modules)) {
    TRY_VOID(draft.folder(start + "modules"));
    draft.made.seen.push_back({draft.repository.common_dir + "/" + start + "modules", modules});
  }
  if (!is_plain_file(git_dir + "/index")) return {};
  return copy_file(git_dir + "/index", within(draft.made.folder, start + "index"));
}

}  // namespace

Result<PrivateRepository> make_private_repository(const Repository& repository,
                                                  const std::string& worktree,
                                                  const std::string& folder,
                                                  const std::string& main_ref, Hooks hooks) {
  const std::string place = TRY(real_path(worktree));
  const std::string record = record_of(repository, place);
  const bool is_main = record.empty() && place == repository.top;
  if (record.empty() && !is_main)
    return fail(Reason::not_found, "there is no worktree at " + printable(place));
  const std::string git_dir = is_main ? repository.git_dir : record;
  if (::mkdir(folder.c_str(), 0700) != 0) {
    if (errno == EEXIST) return fail(Reason::exists, printable(folder) + " is there already");
    return tl::unexpected(system_error("create", folder));
  }
  Draft draft{repository, {}};
  PrivateRepository& made = draft.made;
  made.folder = folder;
  made.record = is_main ? "" : "worktrees/" + name_of(record);
  made.branch = branch_of_head(git_dir);
  if (!made.branch.starts_with("refs/heads/") || made.branch.find("..") != made.branch.npos)
    made.branch.clear();
  TRY_VOID(draft.put("config", config_of(repository, hooks)));
  TRY_VOID(draft.put("info/exclude", ignored(repository)));
  TRY_VOID(draft.put("packed-refs", shown_refs(repository, main_ref)));
  TRY_VOID(draft.folder("refs/heads"));
  if (!made.branch.empty()) {
    made.tip = read_ref(repository, made.branch);
    if (!made.tip.empty()) TRY_VOID(draft.put(made.branch, made.tip + "\n"));
  }
  // The one of the checkout that is not there: a branch that nobody works on.
  if (!is_main)
    TRY_VOID(draft.put("HEAD", "ref: " + (main_ref.empty() ? "refs/heads/main" : main_ref) + "\n"));
  TRY_VOID(put_objects(draft));
  TRY_VOID(put_worktree(draft, git_dir, place));
  if (const auto shallow = read_file(repository.common_dir + "/shallow"))
    TRY_VOID(draft.put("shallow", *shallow));
  if (const std::string own = repository.common_dir + "/hooks";
      hooks == Hooks::run && has_hooks(own)) {
    TRY_VOID(draft.folder("hooks"));
    made.seen.push_back({own, own});
  }
  return std::move(draft.made);
}

}  // namespace capsule::git
