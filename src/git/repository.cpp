#include "git/repository.h"

#include <algorithm>

#include "base/text.h"
#include "git/command.h"
#include "git/lock.h"
#include "git/paths.h"
#include "git/settings.h"

namespace capsule::git {
namespace {

// rev-parse prints options that it does not know as they are. These lines part the answers, which
// are paths and may hold line feeds themselves.
constexpr std::string_view kCommon = "--capsule-common";
constexpr std::string_view kOwn = "--capsule-own";
constexpr std::string_view kHeadMark = "--capsule-head";

// The text between the lines `from` and `to`, or up to the end when `to` is empty.
std::string_view between(std::string_view text, std::string_view from, std::string_view to) {
  const std::string start = std::string(from) + "\n";
  const std::size_t begin = text.find(start);
  if (begin == text.npos) return {};
  text.remove_prefix(begin + start.size());
  const std::size_t end = to.empty() ? text.size() : text.find("\n" + std::string(to) + "\n");
  text = text.substr(0, end);
  if (to.empty() && text.ends_with('\n')) text.remove_suffix(1);
  return text;
}

Error unusable(const std::string& folder, std::string_view git_words) {
  return Error{Reason::not_found,
               "not a git repository: " + printable(folder) +
                   (git_words.empty() ? "" : " (" + printable(git_words) + ")"),
               "run `git init` and make a first commit there, or name the project with "
               "--project-dir=DIR"};
}

bool lies_in(const std::string& path, const std::string& folder) {
  return (path + "/").starts_with(folder + "/");
}

// Where `<folder>/.git` leads; empty when that is no git dir.
std::string git_dir_at(const std::string& folder) {
  const std::string entry = within(folder, ".git");
  if (is_folder(entry))
    return exists(entry + "/HEAD") ? real_path(entry).value_or("") : std::string();
  const std::string text = read_file(entry).value_or("");
  constexpr std::string_view kLink = "gitdir:";
  if (!text.starts_with(kLink)) return {};
  const std::string target(trimmed(std::string_view(text).substr(kLink.size())));
  return real_path(target.starts_with('/') ? target : within(folder, target)).value_or("");
}

// The checkout that `path` lies in, found as git does, but without its configuration: by
// core.worktree and core.bare an agent could show us another folder as the project, or none.
std::string checkout_of(std::string path) {
  for (; git_dir_at(path).empty(); path = parent_of(path))
    if (path.size() <= 1) return {};
  return path;
}

}  // namespace

std::string branch_of_head(const std::string& git_dir) {
  const Result<std::string> head = read_file(git_dir + "/HEAD");
  if (!head || !head->starts_with("ref:")) return {};
  return std::string(trimmed(std::string_view(*head).substr(4)));
}

Result<Repository> open_repository(const std::string& folder) {
  const std::string path = TRY(real_path(folder.empty() ? "." : folder));

  const std::string top = checkout_of(path);
  const Answer answer =
      TRY(ask_plainly(path,
                      {"rev-parse", "--show-object-format", std::string(kCommon),
                       "--path-format=absolute", "--git-common-dir", std::string(kOwn),
                       "--absolute-git-dir", std::string(kHeadMark), "HEAD^{commit}"},
                      Patience::little, top));
  const std::vector<std::string_view> lines = split(answer.out, '\n');
  if (lines.size() < 2) return tl::unexpected(unusable(path, first_complaint(answer.err)));
  const std::string common(between(answer.out, kCommon, kOwn));
  const std::string git_dir(between(answer.out, kOwn, kHeadMark));
  if (!git_dir.empty() &&
      (top.empty() || git_dir_at(top) != real_path(git_dir).value_or(git_dir))) {
    return fail(Reason::refused, printable(path) + " is a bare repository, without a working tree",
                "work in a clone of it: git clone " + printable(path));
  }
  if (lies_in(path, git_dir) || lies_in(path, common)) {
    return fail(Reason::refused, printable(path) + " lies inside a .git folder",
                "name the folder of the project itself");
  }
  Repository result;
  result.sha256 = lines[0] == "sha256";
  result.top = top;
  result.common_dir = common;
  result.git_dir = git_dir;
  result.head = between(answer.out, kHeadMark, "");
  result.once = std::make_shared<SettingsOnce>();
  if (!is_folder(result.top) || !exists(result.common_dir) || !exists(result.git_dir)) {
    return tl::unexpected(unusable(path, first_complaint(answer.err)));
  }
  if (exists(result.common_dir + "/reftable")) {
    return fail(Reason::refused,
                printable(path) + " keeps its refs as a reftable, which is not supported",
                "convert it: git refs migrate --ref-format=files");
  }
  if (answer.code != 0 || !is_object_id(result, result.head)) {
    return fail(Reason::refused, printable(path) + " has no commits yet",
                "make a first commit, for instance: git commit --allow-empty -m Start");
  }
  result.branch = branch_of_head(result.git_dir);
  return result;
}

Result<void> exclude_capsule_dir(const Repository& repository,
                                 const std::vector<std::string>& more) {
  const std::string path = repository.common_dir + "/info/exclude";
  const RepositoryLock lock = TRY(RepositoryLock::take(repository));
  // A link is replaced by a file of the same content: writing through it could reach any file.
  const Result<std::string> read = read_file(path);
  if (!read && read.error().reason != Reason::not_found) return tl::unexpected(read.error());
  std::string content = read.value_or("");
  const std::size_t before = content.size();
  std::vector<std::string> wanted{".capsule/"};
  wanted.insert(wanted.end(), more.begin(), more.end());
  for (const std::string& pattern : wanted) {
    const std::vector<std::string_view> lines = split(content, '\n');
    if (std::find(lines.begin(), lines.end(), pattern) != lines.end()) continue;
    if (!content.empty() && !content.ends_with('\n')) content += '\n';
    content += pattern + "\n";
  }
  if (content.size() == before && is_plain_file(path)) return {};
  TRY_VOID(make_folders(repository.common_dir + "/info"));
  return write_file(path, content);
}

bool is_object_id(const Repository& repository, std::string_view text) {
  return text.size() == (repository.sha256 ? 64 : 40) &&
         text.find_first_not_of("0123456789abcdef") == text.npos;
}

std::string zero_id(const Repository& repository) {
  return std::string(repository.sha256 ? 64 : 40, '0');
}

}  // namespace capsule::git
