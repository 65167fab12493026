#include "git/checkout.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <set>

#include "base/text.h"
#include "git/command.h"
#include "git/lock.h"
#include "git/paths.h"
#include "git/private_dir.h"
#include "git/settings.h"
#include "git/worktree.h"

namespace capsule::git {
namespace {

constexpr std::string_view kTracker = ".beads/";

struct Move {
  const Repository& repository;
  const Checkout& checkout;
  const std::string& from;
  const std::string& to;
  const std::vector<Change>& changes;
};

Call in_checkout(const Repository& repository, const Checkout& checkout,
                 std::vector<std::string> args, const std::string& index = {}) {
  const Settings& settings = settings_of(repository);
  std::vector<std::string> values = settings.conversions;
  values.insert(values.end(), settings.sparse.begin(), settings.sparse.end());
  values.insert(values.end(), settings.user_filters.begin(), settings.user_filters.end());
  return {.args = std::move(args),
          .work_tree = checkout.top,
          .index = index.empty() ? checkout.git_dir + "/index" : index,
          .settings = std::move(values)};
}

enum class Doing { really, trial };

Call read_tree(const Move& move, Doing doing, const std::string& index = {}) {
  std::vector<std::string> args{"read-tree", "-m", "-u"};
  if (doing == Doing::trial) args.emplace_back("-n");
  args.push_back(move.from);
  args.push_back(move.to);
  return in_checkout(move.repository, move.checkout, std::move(args), index);
}

// The path that stands in `file` behind `label`; a relative one starts at `folder`. Empty: none.
std::string path_in(const std::string& file, std::string_view label, const std::string& folder) {
  const Result<std::string> text = read_file(file);
  if (!text || !text->starts_with(label)) return {};
  const std::string path(trimmed(std::string_view(*text).substr(label.size())));
  if (path.empty() || path.starts_with('/')) return path;
  return absolute_path(folder + "/" + path);
}

// Files whose filter stands in .git/config, where an agent may have put it. It is not run, and
// without it the file would come out wrong, so that a person has to move this checkout.
Result<std::vector<std::string>> filtered(const Move& move) {
  const Settings& settings = settings_of(move.repository);
  std::vector<std::string> found;
  if (settings.repository_filter_names.empty()) return found;
  Call call =
      in_checkout(move.repository, move.checkout, {"check-attr", "-z", "--stdin", "filter"});
  for (const Change& change : move.changes) {
    if (change.status != 'D') call.input += change.path + '\0';
  }
  const std::string out = TRY(tell(move.repository, call));
  const std::vector<std::string_view> parts = split(out, '\0');
  for (std::size_t i = 0; i + 2 < parts.size(); i += 3) {
    const std::string name(parts[i + 2]);
    if (settings.repository_filter_names.contains(name) &&
        !settings.user_filter_names.contains(name)) {
      found.emplace_back(parts[i]);
    }
  }
  return found;
}

// Files in the place of those that the merge adds. git would write over ignored ones. (A folder in
// such a place is left to git, which looks into it.)
Result<std::set<std::string>> untracked(const Move& move) {
  std::set<std::string> found;
  for (const Change& change : move.changes) {
    const std::string path = move.checkout.top + "/" + change.path;
    if (change.status == 'A' && exists(path) && !is_plain_folder(path)) {
      found.insert(change.path);
    }
  }
  if (found.empty()) return found;
  // Those in the index are tracked or staged: for git to judge.
  const std::string out =
      TRY(tell(move.repository, in_checkout(move.repository, move.checkout, {"ls-files", "-z"})));
  for (const std::string_view name : split(out, '\0')) found.erase(std::string(name));
  return found;
}

// Of the files that the merge changes, those that differ from `from` in the index or on disk.
Result<std::set<std::string>> changed(const Move& move) {
  std::set<std::string> touched;
  for (const Change& change : move.changes) touched.insert(change.path);
  const std::string out =
      TRY(tell(move.repository, in_checkout(move.repository, move.checkout,
                                            {"diff-index", "--name-only", "-z", move.from, "--"})));
  std::set<std::string> found;
  for (const std::string_view name : split(out, '\0')) {
    if (touched.contains(std::string(name))) found.emplace(name);
  }
  return found;
}

// Puts the merge's version of the tracker's files into the index and leaves the files alone: what
// the tracker has written there is newer than any commit.
Result<void> keep_files(const Move& move, const std::set<std::string>& paths,
                        const std::string& index) {
  Call call =
      in_checkout(move.repository, move.checkout, {"update-index", "-z", "--index-info"}, index);
  for (const Change& change : move.changes) {
    if (!paths.contains(change.path)) continue;
    call.input += change.status == 'D' ? "0 " + zero_id(move.repository)
                                       : change.new_mode + " " + change.new_id;
    call.input += "\t" + change.path + '\0';
  }
  TRY_VOID(tell(move.repository, call));
  return {};
}

bool of_the_tracker(const std::set<std::string>& paths) {
  return std::all_of(paths.begin(), paths.end(),
                     [](const std::string& path) { return path.starts_with(kTracker); });
}

// Would the move succeed with those files kept? Tried on a copy of the index.
Result<bool> trial(const Move& move, const std::set<std::string>& kept) {
  const std::string index = TRY(spare_file(move.repository));
  const auto steps = [&]() -> Result<bool> {
    TRY_VOID(copy_file(move.checkout.git_dir + "/index", index));
    TRY_VOID(keep_files(move, kept, index));
    return TRY(ask(move.repository, read_tree(move, Doing::trial, index))).code == 0;
  };
  Result<bool> result = steps();
  ::unlink(index.c_str());
  return result;
}

Result<Forwarded> forward(const Move& move, Doing doing) {
  Forwarded result;
  if (move.changes.empty()) return result;
  TRY_VOID(clear_stale_lock(move.checkout.git_dir + "/index.lock", Owner::user, move.checkout.top));
  result.in_the_way = TRY(filtered(move));
  if (!result.in_the_way.empty()) return result;
  std::set<std::string> blockers = TRY(untracked(move));
  const Call call = read_tree(move, doing);
  Answer answer;
  if (blockers.empty()) {
    answer = TRY(ask(move.repository, call));
    if (answer.code == 0) return result;
    // Perhaps a file was only touched: compare contents, as git does before it refuses.
    TRY_VOID(ask(move.repository,
                 in_checkout(move.repository, move.checkout, {"update-index", "-q", "--refresh"})));
    answer = TRY(ask(move.repository, call));
    if (answer.code == 0) return result;
  }
  blockers.merge(TRY(changed(move)));
  if (blockers.empty()) return tl::unexpected(git_failed(call, answer));
  if (of_the_tracker(blockers) && TRY(trial(move, blockers))) {
    if (doing == Doing::really) {
      TRY_VOID(keep_files(move, blockers, {}));
      TRY_VOID(tell(move.repository, call));
    }
    result.kept.assign(blockers.begin(), blockers.end());
    return result;
  }
  for (const std::string& path : blockers) {
    if (!path.starts_with(kTracker)) result.in_the_way.push_back(path);
  }
  if (result.in_the_way.empty()) return tl::unexpected(git_failed(call, answer));
  return result;
}

}  // namespace

std::vector<Checkout> checkouts_of(const Repository& repository, const std::string& ref) {
  std::vector<Checkout> found;
  const auto consider = [&](const std::string& top, const std::string& git_dir) {
    if (branch_of_head(git_dir) != ref || !is_folder(top)) return;
    for (const Checkout& other : found) {
      if (other.git_dir == git_dir) return;
    }
    found.push_back({top, git_dir});
  };
  consider(repository.top, repository.git_dir);
  if (name_of(repository.common_dir) == ".git") {
    consider(parent_of(repository.common_dir), repository.common_dir);
  }
  const std::string records = repository.common_dir + "/worktrees";
  for (const std::string& name : names_in(records)) {
    const std::string record = within(records, name);
    const std::string pointer = path_in(record + "/gitdir", "", record);
    if (pointer.empty()) continue;
    const std::string top = parent_of(pointer);
    // Agents' own worktrees go away with their run.
    if (exists(own_notes(repository, top))) continue;
    // The folder must claim the record as well: a planted record must not lead us to write
    // anywhere.
    const Result<std::string> back = real_path(path_in(pointer, "gitdir:", top));
    const Result<std::string> own = real_path(record);
    if (back && own && *back == *own) consider(top, record);
  }
  return found;
}

Result<std::string> shown_in(const Repository& repository, const Checkout& checkout,
                             const std::string& main) {
  const std::string log = read_file(checkout.git_dir + "/logs/HEAD").value_or("");
  const std::string_view lines = trimmed(log);
  const std::string_view last = lines.substr(lines.rfind('\n') + 1);
  const std::vector<std::string_view> words = split(last, ' ');
  if (words.size() < 2 || words[1] == main || !is_object_id(repository, words[1])) return main;
  const std::string shown(words[1]);
  const Call staged =
      in_checkout(repository, checkout, {"diff-index", "--cached", "--quiet", shown, "--"});
  return TRY(ask(repository, staged)).code == 0 ? shown : main;
}

Result<Forwarded> forward_checkout(const Repository& repository, const Checkout& checkout,
                                   const std::string& from, const std::string& to,
                                   const std::vector<Change>& changes) {
  return forward({repository, checkout, from, to, changes}, Doing::really);
}

Result<std::vector<std::string>> checkout_blockers(const Repository& repository,
                                                   const Checkout& checkout,
                                                   const std::string& from, const std::string& to,
                                                   const std::vector<Change>& changes) {
  return TRY(forward({repository, checkout, from, to, changes}, Doing::trial)).in_the_way;
}

void back_checkout(const Repository& repository, const Checkout& checkout, const std::string& from,
                   const std::string& to) {
  const std::vector<Change> none;
  (void)ask(repository, read_tree({repository, checkout, from, to, none}, Doing::really));
}

void note_move(const Repository& repository, const Checkout& checkout, const std::string& from,
               const std::string& to) {
  const std::string path = checkout.git_dir + "/logs/HEAD";
  const File file(::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!file) return;  // the user keeps none
  const Settings& settings = settings_of(repository);
  std::string line = from + " " + to + " " + settings.name + " <" + settings.email + "> " +
                     std::to_string(std::time(nullptr)) + " +0000\tcapsule: merge";
  std::replace(line.begin(), line.end(), '\n', ' ');
  (void)write_all(file.fd(), line + "\n", path);
}

}  // namespace capsule::git
