#include "git/transfer.h"

#include <algorithm>

#include "base/text.h"
#include "git/command.h"
#include "git/refs.h"

namespace capsule::git {
namespace {

Call to_remote(std::vector<std::string> args) {
  return {.args = std::move(args),
          .settings = {"transfer.fsckObjects=true", "fetch.recurseSubmodules=false",
                       "push.recurseSubmodules=no", "push.followTags=false", "gc.auto=0",
                       "maintenance.auto=false"},
          .remote = true};
}

// One ref, and nothing that a refspec could make of it.
Result<void> check_ref(const std::string& ref) {
  const bool plain = std::all_of(ref.begin(), ref.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '/' ||
           c == '-' || c == '_' || c == '.';
  });
  if (plain && ref.starts_with("refs/capsule/") && ref.find("..") == ref.npos) return {};
  return fail(Reason::usage, "not a ref of ours: " + printable(ref));
}

// What git said of an address may hold a password that was written into it.
Result<std::string> tell_remote(const Repository& repository, const Call& call,
                                const std::string& remote) {
  Answer answer = TRY(ask(repository, call));
  if (answer.code == 0) return std::move(answer.out);
  Error error = git_failed(call, answer);
  error.message = replace_all(error.message, remote, "the shared remote");
  error.hint = "see: git ls-remote origin";
  return tl::unexpected(std::move(error));
}

}  // namespace

Result<std::string> shared_remote(const Repository& repository) {
  const Answer answer = TRY(ask_plainly(repository.top, {"config", "--get", "remote.origin.url"}));
  std::string url(trimmed(answer.out));
  if (answer.code != 0 || url.empty() || url.starts_with('-') || url.find('\n') != url.npos)
    return fail(Reason::not_found, "this clone has no remote called origin",
                "machines share work by it: git remote add origin URL");
  const bool is_path = url.find(':') == url.npos;
  return is_path && !url.starts_with('/') ? repository.top + "/" + url : url;
}

Result<void> push_commit(const Repository& repository, const std::string& remote,
                         const std::string& commit, const std::string& ref) {
  if (!is_object_id(repository, commit)) return fail(Reason::usage, "not a commit: " + commit);
  TRY_VOID(check_ref(ref));
  TRY_VOID(tell_remote(repository,
                       to_remote({"push", "--quiet", "--no-verify", "--force", "--no-signed", "--",
                                  remote, commit + ":" + ref}),
                       remote));
  return {};
}

Result<std::string> fetch_commit(const Repository& repository, const std::string& remote,
                                 const std::string& ref) {
  TRY_VOID(check_ref(ref));
  TRY_VOID(tell_remote(repository,
                       to_remote({"fetch", "--quiet", "--no-tags", "--no-write-fetch-head",
                                  "--no-auto-maintenance", "--", remote, "+" + ref + ":" + ref}),
                       remote));
  std::string id = read_ref(repository, ref);
  if (!is_object_id(repository, id))
    return fail(Reason::failed, "what the shared remote has as " + ref + " is no commit");
  return id;
}

Result<void> drop_remote_refs(const Repository& repository, const std::string& remote,
                              const std::vector<std::string>& refs) {
  if (refs.empty()) return {};
  std::vector<std::string> args{"push", "--quiet", "--no-verify", "--", remote};
  for (const std::string& ref : refs) {
    TRY_VOID(check_ref(ref));
    args.push_back(":" + ref);
  }
  TRY_VOID(tell_remote(repository, to_remote(std::move(args)), remote));
  return {};
}

}  // namespace capsule::git
