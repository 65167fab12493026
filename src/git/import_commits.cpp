#include "git/import_commits.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>

#include "base/text.h"
#include "git/command.h"
#include "git/lock.h"
#include "git/paths.h"
#include "git/private_dir.h"
#include "git/refs.h"
#include "git/remove_tree.h"
#include "git/worktree.h"

namespace capsule::git {
namespace {

constexpr std::size_t kMaxRefBytes = 4096;
constexpr const char* kStreamed = "core.bigFileThreshold=64m";  // larger files are not held whole
constexpr int kMaxSteps = 5;                                    // of refs that lead to refs

bool is_hex(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789abcdef") == text.npos;
}

tl::unexpected<Error> refuse(const std::string& why) {
  return fail(Reason::refused, "its commits cannot be taken over: " + why,
              "its files are in the worktree as it left them");
}

// ---- Refs, as text

class Refs {
 public:
  Refs(const Repository& repository, const PrivateRepository& from)
      : repository_(repository), from_(from) {}

  // The id that `name` leads to; empty: there is no such ref.
  Result<std::string> id_of(std::string name) const {
    for (int i = 0; i < kMaxSteps; ++i) {
      if (name.find("..") != name.npos) break;
      const std::string text = TRY(text_of(name));
      constexpr std::string_view kSymbolic = "ref:";
      if (!text.starts_with(kSymbolic)) {
        if (text.empty() || is_object_id(repository_, text)) return text;
        break;
      }
      name = trimmed(std::string_view(text).substr(kSymbolic.size()));
      if (!name.starts_with("refs/")) break;
    }
    return refuse(printable(name) + " is not written as git writes it");
  }
  Result<std::string> text_of(const std::string& name) const {
    const auto loose = read_file_beneath(from_.folder, name, kMaxRefBytes);
    if (loose) return std::string(trimmed(*loose));
    if (loose.error().reason != Reason::not_found)
      return refuse(printable(name) + " is not written as git writes it");
    const auto packed = read_file_beneath(from_.folder, "packed-refs");
    if (!packed) return std::string();
    for (const std::string_view line : split(*packed, '\n'))
      if (const std::size_t blank = line.find(' ');
          blank != line.npos && line.substr(blank + 1) == name)
        return std::string(line.substr(0, blank));
    return std::string();
  }

 private:
  const Repository& repository_;
  const PrivateRepository& from_;
};

// ---- Objects

// Counts what holds objects and removes everything else: links, files by which git would find its
// way faster, names of more folders to look into.
class Objects {
 public:
  Objects(const Repository& repository, std::string folder, const ImportLimits& limits)
      : digits_(repository.sha256 ? 62 : 38), folder_(std::move(folder)), limits_(limits) {}

  Result<void> hold_to_form() {
    if (!is_plain_folder(folder_)) return refuse("it has no folder of objects any more");
    for (const std::string& name : names_in(folder_)) {
      const std::string path = within(folder_, name);
      const bool loose = name.size() == 2 && is_hex(name);
      if ((loose || name == "pack") && is_plain_folder(path))
        TRY_VOID(hold_folder(path, loose));
      else
        TRY_VOID(remove_tree(path));
    }
    return {};
  }

 private:
  Result<void> hold_folder(const std::string& folder, bool loose) {
    for (const std::string& name : names_in(folder)) {
      const std::string path = within(folder, name);
      struct stat info {};
      const bool known = loose ? name.size() == digits_ && is_hex(name) : is_pack(name);
      if (!known || ::lstat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) {
        TRY_VOID(remove_tree(path));
        continue;
      }
      bytes_ += static_cast<std::uint64_t>(info.st_size);
      if (++files_ > limits_.files || bytes_ > limits_.bytes) return refuse("they are too large");
    }
    return {};
  }
  static bool is_pack(std::string_view name) {
    constexpr std::string_view kStart = "pack-";
    const std::size_t dot = name.rfind('.');
    return name.starts_with(kStart) && dot != name.npos &&
           (name.substr(dot) == ".pack" || name.substr(dot) == ".idx") &&
           is_hex(name.substr(kStart.size(), dot - kStart.size()));
  }

  std::size_t digits_;
  std::string folder_;
  const ImportLimits& limits_;
  std::size_t files_ = 0;
  std::uint64_t bytes_ = 0;
};

// A path in a list of folders that are parted by colons.
std::string list_entry(const std::string& path) {
  return "\"" + replace_all(replace_all(path, "\\", "\\\\"), "\"", "\\\"") + "\"";
}

// Files of ours with one beginning, gone with the value.
struct Spare {
  std::string start;
  ~Spare() {
    const std::string folder = parent_of(start);
    for (const std::string& name : names_in(folder))
      if (name.starts_with(name_of(start) + "-")) (void)remove_tree(within(folder, name));
  }
};

class Importing {
 public:
  Importing(const Repository& repository, const PrivateRepository& from, const ImportLimits& limits)
      : repository_(repository), from_(from), limits_(limits) {}

  // With the agent's objects in sight, and those of the project behind them.
  Call among_theirs(std::vector<std::string> args, std::string input = {}) const {
    Call call{.args = std::move(args), .input = std::move(input)};
    call.env = {
        {"GIT_OBJECT_DIRECTORY", from_.folder + "/objects"},
        {"GIT_ALTERNATE_OBJECT_DIRECTORIES", list_entry(repository_.common_dir + "/objects")},
        {"GIT_ALLOC_LIMIT", std::to_string(limits_.object_bytes)}};
    return call;
  }

  Result<bool> leads_to(const std::string& earlier, const std::string& later) const {
    return TRY(ask(repository_, among_theirs({"merge-base", "--is-ancestor", earlier, later})))
               .code == 0;
  }

  // What `tip` brings that the project has not, into the project.
  Result<void> bring(const std::string& tip, const std::vector<std::string>& had) const {
    const Spare spare{TRY(spare_file(repository_))};
    std::string wanted = tip + "^{commit}\n";
    for (const std::string& id : had)
      if (!id.empty()) wanted += "^" + id + "\n";
    const Call pack = among_theirs(
        {"pack-objects", "--revs", "--local", "--non-empty", "-q", spare.start}, std::move(wanted));
    const Answer packed = TRY(ask(repository_, pack));
    if (packed.code != 0) return refuse(printable(first_complaint(packed.err)));
    const std::string name(trimmed(packed.out));
    if (name.empty()) return {};  // the project has all of it
    if (!is_hex(name)) return fail(Reason::failed, "git pack-objects printed no name");
    return adopt(spare.start + "-" + name, name);
  }

 private:
  // The names that the pack's objects are said to have are found out anew, from what they hold.
  Result<void> adopt(const std::string& made, const std::string& name) const {
    struct stat info {};
    if (::lstat((made + ".pack").c_str(), &info) != 0)
      return tl::unexpected(system_error("read", made + ".pack"));
    if (static_cast<std::uint64_t>(info.st_size) > limits_.bytes)
      return refuse("they are too large");
    TRY_VOID(remove_tree(made + ".idx"));
    TRY_VOID(remove_tree(made + ".rev"));
    Call call{.args = {"index-pack", "--strict", made + ".pack"}};
    call.settings = {kStreamed};
    call.env = {{"GIT_ALLOC_LIMIT", std::to_string(limits_.object_bytes)}};
    const Answer indexed = TRY(ask(repository_, call));
    if (indexed.code != 0) return refuse(printable(first_complaint(indexed.err)));
    const std::string folder = repository_.common_dir + "/objects/pack";
    TRY_VOID(make_folders(folder));
    // Git looks for the index: that comes last.
    for (const char* part : {".pack", ".idx"}) {
      const std::string from = made + part;
      ::chmod(from.c_str(), 0444);
      if (::rename(from.c_str(), (folder + "/pack-" + name + part).c_str()) != 0)
        return tl::unexpected(system_error("move", from));
    }
    return sync_folder(folder);
  }

  const Repository& repository_;
  const PrivateRepository& from_;
  const ImportLimits& limits_;
};

Result<void> follow_branch(const Repository& repository, const std::string& worktree,
                           const PrivateRepository& from, const std::string& tip) {
  const RepositoryLock lock = TRY(RepositoryLock::take(repository));
  const std::string was = from.tip.empty() ? zero_id(repository) : from.tip;
  const auto moved =
      move_ref(repository, from.branch, was, tip, "capsule: what the agent committed");
  // Not the branch of an object that is there as git sees it: a tag, say.
  if (!moved && moved.error().reason == Reason::failed) return refuse(moved.error().message);
  if (!TRY(moved))
    return fail(Reason::conflict,
                printable(from.branch) + " has been moved by somebody else meanwhile",
                "what the agent committed was not taken over; its files are in the worktree");
  // What was staged is staged no more; git looks at the files when it is next asked.
  const bool is_main = from.record.empty();
  const std::string git_dir = is_main ? repository.git_dir : record_of(repository, worktree);
  if (git_dir.empty()) return {};
  TRY_VOID(clear_stale_lock(git_dir + "/index.lock", is_main ? Owner::user : Owner::ours,
                            is_main ? repository.top : ""));
  TRY_VOID(remove_tree(git_dir + "/index"));
  TRY_VOID(tell(repository, {.args = {"read-tree", tip}, .index = git_dir + "/index"}));
  return {};
}

}  // namespace

Result<Imported> import_commits(const Repository& repository, const std::string& worktree,
                                const PrivateRepository& from, const std::string& main_ref,
                                const ImportLimits& limits) {
  Imported imported;
  imported.tip = from.tip;
  if (from.branch.empty()) return imported;
  const Refs refs(repository, from);
  std::string tip = TRY(refs.id_of(from.branch));
  const std::string head_file = (from.record.empty() ? "" : from.record + "/") + "HEAD";
  const std::string head_text = TRY(refs.text_of(head_file));
  const bool elsewhere = head_text != "ref: " + from.branch;
  if (tip.empty()) {
    imported.odd.emplace_back("its branch was gone");
    tip = from.tip;
  }
  std::string head;
  if (elsewhere) {
    imported.odd.emplace_back("it was not on its own branch any more");
    head = refs.id_of(head_file).value_or("");
  }
  if (tip == from.tip && (head.empty() || head == tip)) return imported;
  TRY_VOID(Objects(repository, from.folder + "/objects", limits).hold_to_form());
  const Importing importing(repository, from, limits);
  if (!head.empty() && head != tip && TRY(importing.leads_to(tip, head))) tip = head;
  if (tip == from.tip) return imported;
  const std::string main = main_ref.empty() ? "" : read_ref(repository, main_ref);
  TRY_VOID(importing.bring(tip, {from.tip, main}));
  TRY_VOID(follow_branch(repository, worktree, from, tip));
  imported.moved = true;
  imported.tip = tip;
  return imported;
}

}  // namespace capsule::git
