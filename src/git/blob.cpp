#include "git/blob.h"

#include <charconv>

#include "base/text.h"
#include "git/command.h"

namespace capsule::git {

Result<std::string> read_blob(const Repository& repository, const std::string& commit,
                              const std::string& path) {
  if (!is_object_id(repository, commit)) return fail(Reason::usage, "not a commit id: " + commit);
  const Answer answer = TRY(ask(repository, {.args = {"cat-file", "blob", commit + ":" + path}}));
  if (answer.code != 0) return fail(Reason::not_found, commit + " has no file " + printable(path));
  return answer.out;
}

Result<Entry> read_entry(const Repository& repository, const std::string& commit,
                         const std::string& path) {
  if (!is_object_id(repository, commit)) return fail(Reason::usage, "not a commit id: " + commit);
  const Answer listed =
      TRY(ask(repository, {.args = {"ls-tree", "-z", "--full-tree", commit, "--", path}}));
  unsigned mode = 0;
  // "100644 blob <id>\t<path>"; a folder of that name is a tree, a submodule a commit.
  const std::string_view line = listed.out;
  const bool is_file = line.find(" blob ") == std::string_view("100644").size();
  const auto end = std::from_chars(line.data(), line.data() + (is_file ? 6 : 0), mode, 8);
  if (!is_file || end.ec != std::errc())
    return fail(Reason::not_found, commit + " has no file " + printable(path));
  return Entry{mode, TRY(read_blob(repository, commit, path))};
}

Result<std::string> tree_of(const Repository& repository, const std::string& commit) {
  if (!is_object_id(repository, commit))
    return fail(Reason::usage, "'" + printable(commit) + "' is no commit id");
  return std::string(
      trimmed(TRY(tell(repository, {.args = {"rev-parse", "--verify", commit + "^{tree}"}}))));
}

}  // namespace capsule::git
