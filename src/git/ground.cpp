#include "git/ground.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <ctime>
#include <set>
#include <system_error>
#include <thread>
#include <unordered_set>

#include "base/hash.h"
#include "base/text.h"
#include "git/command.h"
#include "git/exclusion.h"
#include "git/paths.h"

namespace capsule::git {
namespace {

constexpr std::size_t kMaxFiles = 200'000;  // of a checkout; more are not looked at
constexpr std::size_t kMaxRefs = 100'000;
constexpr std::size_t kMaxSettingBytes = std::size_t{1} << 20;
constexpr std::size_t kFilesAtOnce = 256;           // that a thread takes, see tracked()
constexpr std::size_t kMaxThreads = 8;              // of the whole process, for the time of a look
constexpr std::int64_t kSettledNs = 2'000'000'000;  // clocks of file systems are coarse
constexpr std::size_t kRefsNamed = 5;
// Capsule's own, and the tracker's: they are written while agents run.
constexpr std::string_view kOwnFolders[] = {".git", ".capsule", ".beads", ".caw"};
constexpr std::string_view kOwnExcludes[] = {".capsule/", ".caw/", ".claude/agents/experts/"};

std::int64_t in_ns(const timespec& time) {
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

Stamp stamp_at(int folder, const std::string& path) {
  struct stat info {};
  if (::fstatat(folder, path.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return {};
  return {info.st_ino, static_cast<std::uint64_t>(info.st_size), in_ns(info.st_ctim),
          in_ns(info.st_mtim), info.st_mode};
}
Stamp stamp_of(const std::string& path) { return stamp_at(AT_FDCWD, path); }

// ---- Refs

bool is_own_ref(std::string_view name) {
  return name.starts_with("refs/capsule/") || name.starts_with("refs/heads/capsule-");
}

void read_loose(const Repository& repository, const std::string& name, Ground& ground) {
  for (const std::string& entry : names_in(repository.common_dir + "/" + name)) {
    const std::string ref = within(name, entry);
    if (is_own_ref(ref + "/") || entry.ends_with(".lock") || ground.refs.size() > kMaxRefs)
      continue;
    const std::string path = repository.common_dir + "/" + ref;
    if (is_plain_folder(path))
      read_loose(repository, ref, ground);
    else if (const auto text = read_file(path, 4096); text && is_plain_file(path))
      ground.refs[ref] = trimmed(*text);
  }
}

void read_packed(const Repository& repository, Ground& ground, const Ground* before) {
  const std::string path = repository.common_dir + "/packed-refs";
  ground.packed_stamp = stamp_of(path);
  if (before != nullptr && before->packed && before->packed_stamp == ground.packed_stamp) {
    ground.packed = before->packed;
  } else {
    std::map<std::string, std::string> refs;
    const std::string text = read_file(path).value_or("");
    for (const std::string_view line : split(text, '\n')) {
      const std::size_t blank = line.find(' ');
      if (blank == line.npos || !is_object_id(repository, line.substr(0, blank))) continue;
      const std::string name(line.substr(blank + 1));
      if (!is_own_ref(name)) refs.emplace(name, line.substr(0, blank));
    }
    ground.packed = std::make_shared<const std::map<std::string, std::string>>(std::move(refs));
  }
  ground.refs.insert(ground.packed->begin(), ground.packed->end());  // loose ones win
}

// ---- Settings

// What Capsule itself adds to info/exclude is no difference.
std::string without_own_lines(const std::string& text) {
  std::string kept;
  for (const std::string_view line : split(text, '\n')) {
    bool own = line.empty();
    for (const std::string_view pattern : kOwnExcludes) own = own || line == pattern;
    if (!own) kept += std::string(line) + "\n";
  }
  return kept;
}

void note_settings(const Repository& repository, Ground& ground) {
  const auto note_at = [&](const std::string& shown, const std::string& path, bool exclude) {
    const Stamp stamp = stamp_of(path);
    if (stamp == Stamp{}) return;
    const std::string text = read_file(path, kMaxSettingBytes).value_or("");
    if (exclude && without_own_lines(text).empty()) return;
    ground.settings[shown] =
        hash_of(exclude ? without_own_lines(text) : text, hash_step(kHashStart, stamp.mode));
  };
  const auto note = [&](const std::string& name, bool exclude = false) {
    note_at(".git/" + name, repository.common_dir + "/" + name, exclude);
  };
  const auto note_own = [&](const std::string& name) {
    note_at(name, repository.top + "/" + name, false);
  };
  note("config");
  note("config.worktree");
  note("info/exclude", true);
  note("info/attributes");
  note("info/grafts");
  note("objects/info/alternates");
  for (const std::string& hook : names_in(repository.common_dir + "/hooks")) note("hooks/" + hook);
  // What the next run goes by; git may ignore it.
  note_own(".capsule/config.yaml");
  for (const std::string& name : names_in(repository.top + "/.capsule/workflows"))
    note_own(".capsule/workflows/" + name);
}

// ---- Files of the checkout

bool is_clean(const IndexEntry& entry, const Stamp& stamp) {
  constexpr std::uint32_t kKind = S_IFMT, kRun = S_IXUSR;
  if ((stamp.mode & kKind) != (entry.mode & kKind)) return false;
  if ((entry.mode & kKind) == S_IFREG && (stamp.mode & kRun) != (entry.mode & kRun)) return false;
  return static_cast<std::uint32_t>(stamp.size) == entry.size && stamp.mtime_ns == entry.mtime_ns &&
         stamp.ctime_ns == entry.ctime_ns;
}

bool is_own_folder(std::string_view path) {
  for (const std::string_view own : kOwnFolders)
    if (path == own || (path.starts_with(own) && path.substr(own.size()).starts_with('/')))
      return true;
  return false;
}

class Files {
 public:
  Files(const Repository& repository, Ground& ground, const Ground* before)
      : repository_(repository), ground_(ground), before_(before) {}

  void look() {
    const std::string path = repository_.git_dir + "/index";
    ground_.index_stamp = stamp_of(path);
    same_index_ =
        before_ != nullptr && before_->index && before_->index_stamp == ground_.index_stamp;
    if (same_index_) {
      ground_.index = before_->index;
    } else if (auto index = read_index(read_file(path, std::size_t{1} << 29).value_or(""),
                                       repository_.sha256)) {
      ground_.index = std::make_shared<const IndexFile>(*std::move(index));
    }
    if (!ground_.index) return;
    ground_.staged = ground_.index->staged;
    if (ground_.index->entries.size() > kMaxFiles) return;
    const File top(::open(repository_.top.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!top) return;
    top_ = top.fd();
    ground_.knows_files = true;
    tracked();
    untracked();
  }

 private:
  using Dirty = std::vector<std::pair<std::size_t, Stamp>>;

  // Nothing but asking for each file tells that it was written to, and the answer takes longer than
  // all else of a look: every core asks for a share, as git itself does. A core that is busy
  // otherwise takes less.
  void tracked() {
    const std::vector<IndexEntry>& entries = ground_.index->entries;
    std::atomic<std::size_t> next = 0;
    const auto ask = [&](Dirty& dirty) {
      for (std::size_t at = 0; (at = next.fetch_add(kFilesAtOnce)) < entries.size();)
        for (std::size_t i = at; i < std::min(at + kFilesAtOnce, entries.size()); ++i) {
          if (!entries[i].watched || is_own_folder(entries[i].path)) continue;
          const Stamp stamp = stamp_at(top_, entries[i].path);
          if (!is_clean(entries[i], stamp)) dirty.emplace_back(i, stamp);
        }
    };
    const std::size_t shares =
        std::min({kMaxThreads, std::size_t{std::thread::hardware_concurrency()},
                  entries.size() / kFilesAtOnce});
    std::vector<Dirty> found(std::max(shares, std::size_t{1}));
    {
      std::vector<std::jthread> others;
      try {
        for (std::size_t i = 1; i < found.size(); ++i)
          others.emplace_back([&ask, &mine = found[i]] { ask(mine); });
      } catch (const std::system_error&) {
        // No more threads are to be had: those that are here ask for all.
      }
      ask(found.front());
    }
    for (const Dirty& dirty : found)
      for (const auto& [i, stamp] : dirty) ground_.dirty.emplace(entries[i].path, stamp);
  }

  void untracked() {
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    const std::set<std::string> folders = folders_of_tracked();
    for (const std::string& folder : folders) {
      Ground::Folder seen;
      seen.stamp = stamp_at(top_, folder.empty() ? "." : folder);
      const auto known = same_index_ ? before_->folders.find(folder) : ground_.folders.end();
      if (same_index_ && known != before_->folders.end() && known->second.settled &&
          known->second.stamp == seen.stamp) {
        seen = known->second;
      } else {
        seen.settled = seen.stamp.mtime_ns < in_ns(now) - kSettledNs;
        seen.untracked = untracked_in(folder, folders);
      }
      for (const std::string& path : seen.untracked) {
        Stamp stamp = stamp_at(top_, path);
        // What is inside is not looked at.
        if (S_ISDIR(stamp.mode)) stamp = {.mode = S_IFDIR};
        ground_.untracked.emplace(path, stamp);
      }
      ground_.folders.emplace(folder, std::move(seen));
    }
  }

  std::set<std::string> folders_of_tracked() const {
    std::set<std::string> folders{""};
    if (same_index_ && before_->knows_files) {
      for (const auto& [folder, seen] : before_->folders) folders.insert(folders.end(), folder);
      return folders;
    }
    for (const IndexEntry& entry : ground_.index->entries)
      for (std::size_t slash = entry.path.rfind('/'); slash != std::string::npos && slash > 0;
           slash = entry.path.rfind('/', slash - 1))
        if (!folders.insert(entry.path.substr(0, slash)).second) break;
    return folders;
  }

  std::vector<std::string> untracked_in(const std::string& folder,
                                        const std::set<std::string>& folders) {
    if (names_.empty())
      for (const IndexEntry& entry : ground_.index->entries) names_.insert(entry.path);
    std::vector<std::string> found;
    for (const std::string& name : names_in(within(repository_.top, folder))) {
      std::string path = folder.empty() ? name : within(folder, name);
      if (!is_own_folder(path) && !names_.contains(path) && !folders.contains(path))
        found.push_back(std::move(path));
    }
    return found;
  }

  const Repository& repository_;
  Ground& ground_;
  const Ground* before_;
  bool same_index_ = false;
  int top_ = -1;
  std::unordered_set<std::string_view> names_;
};

// ---- Comparing

std::string short_id(const std::string& id) { return printable(id.substr(0, 12)); }

// "refs/heads/x was made", for the first few of them.
void compare_refs(const Ground& before, const Ground& after, const std::string& main_ref,
                  Differences& found) {
  std::vector<std::string> told;
  const auto compare = [&](const std::string& name, const std::string& was, const std::string& is) {
    if (was == is) return;
    const std::string shown = printable(name);
    std::string text = was.empty() ? shown + " was made at " + short_id(is)
                       : is.empty()
                           ? shown + " was removed (it was at " + short_id(was) + ")"
                           : shown + " moved from " + short_id(was) + " to " + short_id(is);
    if (name != main_ref) return told.push_back(std::move(text));
    found.main_moved = true;
    found.main_from = was;
    found.main_to = is;
    found.main_what = std::move(text);
  };
  for (const auto& [name, id] : before.refs) {
    const auto now = after.refs.find(name);
    compare(name, id, now == after.refs.end() ? "" : now->second);
  }
  for (const auto& [name, id] : after.refs)
    if (!before.refs.contains(name)) compare(name, "", id);
  const std::size_t more = told.size() > kRefsNamed ? told.size() - kRefsNamed : 0;
  told.resize(told.size() - more);
  found.what.insert(found.what.end(), told.begin(), told.end());
  if (more > 0) found.what.push_back("and " + counted(more, "other ref") + " changed");
}

void compare_settings(const Ground& before, const Ground& after, Differences& found) {
  for (const auto& [name, hash] : before.settings) {
    const auto now = after.settings.find(name);
    if (now == after.settings.end())
      found.what.push_back(printable(name) + " was removed");
    else if (now->second != hash)
      found.what.push_back(printable(name) + " was changed");
  }
  for (const auto& [name, hash] : after.settings)
    if (!before.settings.contains(name)) found.what.push_back(printable(name) + " was made");
}

// The commit that the checkout shows, as far as it can be told from what was read.
std::string shown_commit(const Ground& ground) {
  if (!ground.head.starts_with("ref:")) return ground.head;
  const auto found =
      ground.refs.find(std::string(trimmed(std::string_view(ground.head).substr(4))));
  return found == ground.refs.end() ? "" : found->second;
}

Call in_the_checkout(const Repository& repository, std::vector<std::string> args) {
  return {.args = std::move(args),
          .work_tree = repository.top,
          .index = repository.git_dir + "/index",
          .env = {{"GIT_OPTIONAL_LOCKS", "0"}}};
}

// Of the paths, those that git has something to say about: changed or untracked, and not ignored.
std::set<std::string> as_git_sees(const Repository& repository) {
  std::set<std::string> seen;
  const auto answer =
      ask(repository,
          in_the_checkout(repository, {"status", "--porcelain=v1", "-z", "--no-renames",
                                       "--untracked-files=normal", "--ignore-submodules=all"}));
  if (!answer || answer->code != 0) return seen;
  for (const std::string_view line : split(answer->out, '\0')) {
    if (line.size() < 4 || line[1] == ' ') continue;
    std::string_view path = line.substr(3);
    if (path.ends_with('/')) path.remove_suffix(1);
    seen.emplace(path);
  }
  return seen;
}

std::set<std::string> ignored_of(const Repository& repository,
                                 const std::vector<std::string>& paths) {
  std::set<std::string> ignored;
  // It takes no literal names: "./" keeps a name that begins with a colon what it is.
  Call call = in_the_checkout(
      repository, {"--no-literal-pathspecs", "check-ignore", "--no-index", "-z", "--stdin"});
  for (const std::string& path : paths) call.input += "./" + path + '\0';
  if (const auto answer = ask(repository, call))
    for (const std::string_view path : split(answer->out, '\0'))
      if (path.size() > 2) ignored.emplace(path.substr(2));
  return ignored;
}

void compare_files(const Repository& repository, const Ground& before, const Ground& after,
                   const std::vector<std::string>& exclude, Differences& found) {
  if (!before.knows_files || !after.knows_files) return;
  std::vector<std::string> ask_git, gone;  // gone: there is nothing left that git could look at
  for (const auto& [path, stamp] : after.dirty) {
    const auto was = before.dirty.find(path);
    if (was != before.dirty.end() && was->second == stamp) continue;
    if (const auto fresh = before.untracked.find(path);
        fresh != before.untracked.end() && fresh->second == stamp)
      continue;
    ask_git.push_back(path);
  }
  // One that differed and does no longer: was it written, or only staged?
  for (const auto& [path, stamp] : before.dirty)
    if (!after.dirty.contains(path) && stamp_of(within(repository.top, path)) != stamp)
      found.files.push_back(path);
  for (const auto& [path, stamp] : after.untracked) {
    const auto was = before.untracked.find(path);
    if ((was == before.untracked.end() || was->second != stamp) && !is_excluded(path, exclude))
      ask_git.push_back(path);
  }
  for (const auto& [path, stamp] : before.untracked)
    if (!after.untracked.contains(path) && !is_excluded(path, exclude) &&
        !exists(within(repository.top, path)))
      gone.push_back(path);
  if (!ask_git.empty()) {
    const std::set<std::string> seen = as_git_sees(repository);
    for (std::string& path : ask_git)
      if (seen.contains(path)) found.files.push_back(std::move(path));
  }
  if (!gone.empty()) {
    const std::set<std::string> ignored = ignored_of(repository, gone);
    for (std::string& path : gone)
      if (!ignored.contains(path)) found.files.push_back(std::move(path));
  }
}

// All but the files of the checkout.
Ground look_at_git(const Repository& repository, Extent extent, const Ground* before) {
  Ground ground;
  note_settings(repository, ground);
  if (extent == Extent::settings) return ground;
  read_loose(repository, "refs", ground);
  read_packed(repository, ground, before);
  ground.head = trimmed(read_file(repository.git_dir + "/HEAD", 4096).value_or(""));
  return ground;
}

}  // namespace

Ground look(const Repository& repository, Extent extent, const Ground* before) {
  Ground ground = look_at_git(repository, extent, before);
  if (extent == Extent::all) Files(repository, ground, before).look();
  return ground;
}

bool glance(const Repository& repository, Extent extent, const Ground& before) {
  const Ground now = look_at_git(repository, extent, &before);
  if (now.settings != before.settings || now.refs != before.refs || now.head != before.head)
    return false;
  if (extent == Extent::settings) return true;
  if (before.index_stamp != stamp_of(repository.git_dir + "/index")) return false;
  if (!before.knows_files) return true;
  const File top(::open(repository.top.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!top) return false;
  return std::all_of(before.folders.begin(), before.folders.end(), [&](const auto& folder) {
    const auto& [path, seen] = folder;
    return seen.settled && seen.stamp == stamp_at(top.fd(), path.empty() ? "." : path);
  });
}

Differences differences(const Repository& repository, const Ground& before, const Ground& after,
                        const std::string& main_ref, const std::vector<std::string>& exclude) {
  Differences found;
  compare_refs(before, after, main_ref, found);
  if (before.head != after.head)
    found.what.push_back("HEAD of the checkout was '" + printable(before.head) + "' and is '" +
                         printable(after.head) + "'");
  // What is staged moves with the commit that is checked out.
  else if (before.staged != after.staged && before.staged != 0 && after.staged != 0 &&
           shown_commit(before) == shown_commit(after))
    found.what.emplace_back("what is staged in the checkout changed");
  compare_settings(before, after, found);
  compare_files(repository, before, after, exclude, found);
  return found;
}

}  // namespace capsule::git
