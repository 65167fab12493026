#include "git/refs.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "base/ids.h"
#include "base/text.h"
#include "git/command.h"
#include "git/lock.h"
#include "git/paths.h"

namespace capsule::git {
namespace {

constexpr std::string_view kOwnRefs = "refs/capsule/";
constexpr std::string_view kUnsynced = "core.fsync=none";
constexpr std::string_view kOwnBranches = "refs/heads/capsule-";

Owner owner_of(std::string_view name) {
  return name.starts_with(kOwnRefs) || name.starts_with(kOwnBranches) ? Owner::ours : Owner::shared;
}

std::string lock_of(const Repository& repository, const std::string& name) {
  return repository.common_dir + "/" + name + ".lock";
}

// What for-each-ref prints for a format whose fields all end in %00.
std::vector<Ref> parse(std::string_view out, std::size_t fields) {
  std::vector<Ref> refs;
  const std::vector<std::string_view> parts = split(out, '\0');
  for (std::size_t i = 0; i + fields < parts.size(); i += fields) {
    Ref ref;
    ref.name = i == 0 ? parts[i] : parts[i].substr(1);  // behind the line feed of the last record
    ref.id = parts[i + 1];
    if (fields > 2) {
      ref.time = std::strtol(std::string(parts[i + 2]).c_str(), nullptr, 10);
      ref.subject = parts[i + 3];
      ref.tree = parts[i + 4];
      ref.parent = parts[i + 5].substr(0, parts[i + 5].find(' '));
    }
    refs.push_back(std::move(ref));
  }
  return refs;
}

Result<void> check_own_name(const std::string& name) {
  if (!name.starts_with(kOwnRefs)) return fail(Reason::usage, "not a ref of Capsule: " + name);
  for (const std::string_view part : split(std::string_view(name).substr(kOwnRefs.size()), '/')) {
    TRY_VOID(check_id("ref name", part));
  }
  return {};
}

}  // namespace

Result<std::vector<Ref>> list_refs(const Repository& repository, const std::string& prefix) {
  Call call{.args = {"for-each-ref",
                     "--format=%(refname)%00%(objectname)%00%(committerdate:unix)%00"
                     "%(contents:subject)%00%(tree)%00%(parent)%00",
                     prefix}};
  Answer answer = TRY(ask(repository, call));
  if (answer.code == 0) return parse(answer.out, 6);
  // A planted ref to an object that does not exist ends the above; names and ids can still be had.
  call.args[1] = "--format=%(refname)%00%(objectname)%00";
  return parse(TRY(tell(repository, call)), 2);
}

Result<std::map<std::string, std::string>> resolve_refs(const Repository& repository,
                                                        const std::vector<std::string>& names) {
  Call call{.args = {"for-each-ref", "--format=%(refname)%00%(objectname)%00"}};
  call.args.insert(call.args.end(), names.begin(), names.end());
  std::map<std::string, std::string> found;
  // A name is a pattern for git, so that more may come back than was asked for.
  for (Ref& ref : parse(TRY(tell(repository, call)), 2)) {
    if (std::find(names.begin(), names.end(), ref.name) == names.end()) continue;
    found.emplace(std::move(ref.name), std::move(ref.id));
  }
  return found;
}

std::string read_ref(const Repository& repository, const std::string& name) {
  if (const Result<std::string> loose = read_file(repository.common_dir + "/" + name)) {
    const std::string_view id = trimmed(*loose);
    return is_object_id(repository, id) ? std::string(id) : "";
  }
  const Result<std::string> packed = read_file(repository.common_dir + "/packed-refs");
  if (!packed) return {};
  for (const std::string_view line : split(*packed, '\n')) {
    const std::size_t blank = line.find(' ');
    if (blank == line.npos || line.substr(blank + 1) != name) continue;
    if (is_object_id(repository, line.substr(0, blank))) return std::string(line.substr(0, blank));
  }
  return {};
}

Result<void> delete_refs(const Repository& repository, const std::vector<Ref>& refs) {
  if (refs.empty()) return {};
  TRY_VOID(clear_stale_lock(repository.common_dir + "/packed-refs.lock", Owner::shared));
  std::string input;
  for (const Ref& ref : refs) {
    TRY_VOID(clear_stale_lock(lock_of(repository, ref.name), owner_of(ref.name)));
    input += std::string("option no-deref") + '\0' + "delete " + ref.name + '\0' + ref.id + '\0';
  }
  const Call call{.args = {"update-ref", "--stdin", "-z"},
                  .input = std::move(input),
                  .settings = {std::string(kUnsynced)}};
  const Answer answer = TRY(ask(repository, call));
  if (answer.code == 0) return {};
  // Was it because some are gone? Then the others remain to be deleted.
  std::vector<std::string> names;
  names.reserve(refs.size());
  for (const Ref& ref : refs) names.push_back(ref.name);
  const auto found = TRY(resolve_refs(repository, names));
  std::vector<Ref> rest;
  for (const Ref& ref : refs) {
    const auto it = found.find(ref.name);
    if (it == found.end()) continue;
    if (!ref.id.empty() && it->second != ref.id) {
      return fail(Reason::conflict,
                  printable(ref.name) + " has moved in the meantime, so it was not deleted");
    }
    rest.push_back(ref);
  }
  if (rest.size() == refs.size()) return tl::unexpected(git_failed(call, answer));
  return delete_refs(repository, rest);
}

Result<bool> move_ref(const Repository& repository, const std::string& name,
                      const std::string& from, const std::string& to, const std::string& reason,
                      Sync sync) {
  TRY_VOID(clear_stale_lock(lock_of(repository, name), owner_of(name)));
  Call call{.args = {"update-ref", "-m", reason, "--stdin", "-z"},
            .input = std::string("option no-deref") + '\0' + "update " + name + '\0' + to + '\0' +
                     from + '\0'};
  if (sync == Sync::no) call.settings.emplace_back(kUnsynced);
  const Answer answer = TRY(ask(repository, call));
  if (answer.code == 0) {
    if (sync == Sync::yes) TRY_VOID(sync_folder(parent_of(repository.common_dir + "/" + name)));
    return true;
  }
  const auto found = TRY(resolve_refs(repository, {name}));
  const auto it = found.find(name);
  const std::string now = it == found.end() ? zero_id(repository) : it->second;
  if (now != from) return false;
  return tl::unexpected(git_failed(call, answer));
}

Result<void> put_ref(const Repository& repository, const std::string& name, const std::string& id,
                     const std::string& reason) {
  TRY_VOID(clear_stale_lock(lock_of(repository, name), owner_of(name)));
  TRY_VOID(tell(repository, {.args = {"update-ref", "--no-deref", "-m", reason, name, id}}));
  return {};
}

Result<void> write_own_ref(const Repository& repository, const std::string& name,
                           const std::string& id) {
  TRY_VOID(check_own_name(name));
  const std::string path = repository.common_dir + "/" + name;
  const std::string lock = path + ".lock";
  TRY_VOID(make_folders_beneath(repository.common_dir, parent_of(name)));
  TRY_VOID(clear_stale_lock(lock, Owner::ours));
  const auto undo = [&](Error error) {
    ::unlink(lock.c_str());
    return tl::unexpected(std::move(error));
  };
  {
    const File file(
        ::open(lock.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644));
    if (!file) return tl::unexpected(system_error("create", lock));
    if (const auto done = write_all(file.fd(), id + "\n", lock); !done) return undo(done.error());
    if (::fsync(file.fd()) != 0) return undo(system_error("sync", lock));
  }
  if (::rename(lock.c_str(), path.c_str()) != 0) return undo(system_error("write", path));
  return sync_folder(parent_of(path));
}

}  // namespace capsule::git
