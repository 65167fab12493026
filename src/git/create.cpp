#include "git/create.h"

#include "base/files.h"
#include "git/command.h"

namespace capsule::git {
namespace {

Result<void> do_alone(const std::string& folder, const std::vector<std::string>& args) {
  const Answer answer = TRY(ask_alone(folder, args));
  if (answer.code != 0) return tl::unexpected(git_failed({.args = args}, answer));
  return {};
}

}  // namespace

bool holds_repository(const std::string& folder) {
  const bool bare =
      exists(folder + "/HEAD") && is_folder(folder + "/objects") && is_folder(folder + "/refs");
  return bare || exists(folder + "/.git");
}

Result<void> create_repository(const std::string& folder, const std::string& name,
                               const std::string& email) {
  TRY_VOID(do_alone(folder, {"init", "-q", "--template=", "--initial-branch=main"}));
  TRY_VOID(do_alone(folder, {"config", "user.name", name}));
  TRY_VOID(do_alone(folder, {"config", "user.email", email}));
  // The user's wish to sign everything needs a key for an identity that has none.
  return do_alone(folder, {"config", "commit.gpgSign", "false"});
}

Result<void> commit_everything(const std::string& folder, const std::string& message) {
  TRY_VOID(do_alone(folder, {"add", "--all"}));
  return do_alone(folder, {"commit", "-q", "-m", message});
}

}  // namespace capsule::git
