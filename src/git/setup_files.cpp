#include "git/setup_files.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <charconv>
#include <cstdio>

#include "base/hash.h"
#include "base/text.h"
#include "git/command.h"
#include "git/exclusion.h"
#include "git/paths.h"
#include "git/remove_tree.h"
#include "git/settings.h"
#include "git/worktree.h"

namespace capsule::git {
namespace {

constexpr std::size_t kMostLeft = 1000;
constexpr std::string_view kLinkEntry = "160000 ";  // the mode of a submodule

std::string notes_file(const Repository& repository, const std::string& worktree) {
  return own_notes(repository, worktree) + "/setup";
}

// A folder that was removed and made anew is another one, although its number may be the same.
std::string identity_of(const std::string& folder) {
  struct statx info {};
  if (::statx(AT_FDCWD, folder.c_str(), AT_SYMLINK_NOFOLLOW, STATX_INO | STATX_BTIME, &info) != 0)
    return {};
  return std::to_string(info.stx_ino) + "." + std::to_string(info.stx_btime.tv_sec) + "." +
         std::to_string(info.stx_btime.tv_nsec);
}

SetupNotes::Changed now_at(const std::string& worktree, const std::string& path) {
  SetupNotes::Changed file{path};
  struct stat info {};
  if (::lstat((worktree + "/" + path).c_str(), &info) != 0) return file;
  file.size = static_cast<std::uint64_t>(info.st_size);
  file.number = info.st_ino;
  file.time = info.st_mtim.tv_sec * 1'000'000'000LL + info.st_mtim.tv_nsec;
  return file;
}

bool is_as_left(const std::string& worktree, const SetupNotes::Changed& file) {
  const SetupNotes::Changed now = now_at(worktree, file.path);
  return now.number == file.number && now.size == file.size && now.time == file.time;
}

template <class Number>
bool take_number(std::string_view& text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end == text.data() + text.size() || *end != ' ') return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()) + 1);
  return true;
}

Result<void> write_setup(const Repository& repository, const std::string& worktree,
                         const SetupNotes& notes) {
  std::string text = notes.key + '\0';
  for (const std::string& path : notes.left) text += "U " + path + '\0';
  for (const SetupNotes::Changed& file : notes.changed)
    text += "T " + std::to_string(file.size) + " " + std::to_string(file.number) + " " +
            std::to_string(file.time) + " " + file.path + '\0';
  return write_file(notes_file(repository, worktree), text);
}

Call by_own_index(const Repository& repository, const std::string& worktree,
                  std::vector<std::string> args) {
  std::vector<std::string> settings = settings_of(repository).conversions;
  settings.emplace_back("core.safecrlf=false");
  return {.args = std::move(args),
          .work_tree = worktree,
          .index = own_index(repository, worktree),
          .settings = std::move(settings)};
}

Result<std::vector<std::string>> names_of(const Repository& repository, const Call& call) {
  std::vector<std::string> names;
  const std::string out = TRY(tell(repository, call));
  for (const std::string_view name : split(out, '\0'))
    if (!name.empty()) names.emplace_back(name);
  return names;
}

}  // namespace

SetupNotes read_setup(const Repository& repository, const std::string& worktree) {
  SetupNotes notes;
  const auto text = read_file(notes_file(repository, worktree));
  if (!text) return notes;
  const std::vector<std::string_view> parts = split(*text, '\0');
  notes.key = parts.front();
  for (std::string_view part : parts) {
    if (part.starts_with("U ")) notes.left.emplace_back(part.substr(2));
    if (!part.starts_with("T ")) continue;
    SetupNotes::Changed file;
    part.remove_prefix(2);
    if (!take_number(part, file.size) || !take_number(part, file.number) ||
        !take_number(part, file.time))
      continue;
    file.path = part;
    notes.changed.push_back(std::move(file));
  }
  return notes;
}

Result<std::string> setup_key(const Repository& repository, const std::string& worktree,
                              const std::string& command,
                              const std::vector<std::string>& patterns) {
  std::string all = command + '\0' + identity_of(worktree) + '\0';
  const auto matches = [&](std::string_view path) {
    for (const std::string& pattern : patterns)
      if (matches_pattern(pattern, path)) return true;
    return false;
  };
  for (const std::string& entry :
       TRY(names_of(repository, by_own_index(repository, worktree, {"ls-files", "-s", "-z"})))) {
    const std::size_t tab = entry.find('\t');
    if (tab == entry.npos) continue;
    if (entry.starts_with(kLinkEntry) || matches(std::string_view(entry).substr(tab + 1)))
      all += entry + '\0';
  }
  Call lfs =
      by_own_index(repository, worktree, {"ls-files", "-s", "-z", "--", ":(attr:filter=lfs)"});
  lfs.magic = true;
  for (const std::string& entry : TRY(names_of(repository, lfs))) all += entry + '\0';
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(hash_of(all)));
  return std::string(digits);
}

Result<void> note_setup(const Repository& repository, const std::string& worktree,
                        const std::string& key) {
  const SetupNotes before = read_setup(repository, worktree);
  SetupNotes notes;
  notes.key = key;
  notes.left =
      TRY(names_of(repository, by_own_index(repository, worktree,
                                            {"ls-files", "--others", "--exclude-standard",
                                             "--directory", "--no-empty-directory", "-z"})));
  if (notes.left.size() > kMostLeft)
    return fail(Reason::failed,
                "the set-up of " + printable(worktree) + " left " +
                    std::to_string(notes.left.size()) +
                    " files that git does not ignore, such as " + printable(notes.left.front()),
                "add them to .gitignore");
  for (const SetupNotes::Changed& file : before.changed)
    if (exists(worktree + "/" + file.path)) notes.changed.push_back(now_at(worktree, file.path));
  for (const std::string& path :
       TRY(names_of(repository, by_own_index(repository, worktree,
                                             {"diff-files", "--name-only",
                                              "--ignore-submodules=all", "--no-renames", "-z"}))))
    if (exists(worktree + "/" + path)) notes.changed.push_back(now_at(worktree, path));
  TRY_VOID(write_setup(repository, worktree, notes));
  return pass_over_changed(repository, worktree, own_index(repository, worktree), notes);
}

Result<void> pass_over_changed(const Repository& repository, const std::string& worktree,
                               const std::string& index, const SetupNotes& notes) {
  if (notes.changed.empty()) return {};
  SetupNotes still = notes;
  std::erase_if(still.changed, [&](const auto& file) { return !is_as_left(worktree, file); });
  const auto mark = [&](const char* how, const std::vector<SetupNotes::Changed>& files,
                        bool as_left) -> Result<void> {
    Call call = by_own_index(repository, worktree, {"update-index", how, "-z", "--stdin"});
    call.index = index;
    for (const SetupNotes::Changed& file : files)
      if (is_as_left(worktree, file) == as_left) call.input += file.path + '\0';
    // One that our index does not have needs no mark.
    if (!call.input.empty()) TRY_VOID(ask(repository, call));
    return {};
  };
  if (still.changed.size() != notes.changed.size()) {
    TRY_VOID(mark("--no-skip-worktree", notes.changed, false));
    TRY_VOID(write_setup(repository, worktree, still));
  }
  return mark("--skip-worktree", still.changed, true);
}

std::string left_out_pathspecs(const SetupNotes& notes) {
  if (notes.left.empty()) return {};
  std::string text = std::string(".") + '\0';
  for (std::string_view path : notes.left) {
    while (path.ends_with('/')) path.remove_suffix(1);
    text += ":(top,exclude,literal)" + std::string(path) + '\0';
  }
  return text;
}

}  // namespace capsule::git
