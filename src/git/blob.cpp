#include "git/blob.h"

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

Result<std::string> tree_of(const Repository& repository, const std::string& commit) {
  if (!is_object_id(repository, commit))
    return fail(Reason::usage, "'" + printable(commit) + "' is no commit id");
  return std::string(
      trimmed(TRY(tell(repository, {.args = {"rev-parse", "--verify", commit + "^{tree}"}}))));
}

}  // namespace capsule::git
