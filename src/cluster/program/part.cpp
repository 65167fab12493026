#include "cluster/program/part.h"

#include "base/print.h"
#include "base/text.h"
#include "cluster/records.h"
#include "cluster/schema.h"
#include "git/command.h"
#include "store/identity.h"
#include "store/subject_lock.h"

namespace capsule::cluster {
namespace {

constexpr int kChildrenMilliseconds = 3'000;  // as the store in a folder waits

// The first commit of the history, which all clones have and no other project.
Result<std::string> origin_of(const std::string& root) {
  const git::Answer shallow = TRY(git::ask_plainly(root, {"rev-parse", "--is-shallow-repository"}));
  if (trimmed(shallow.out) == "true")
    return fail(Reason::refused, "this clone has only a part of the history",
                "a project is known by its first commit: git fetch --unshallow");
  const git::Answer answer = TRY(git::ask_plainly(
      root, {"rev-list", "--max-parents=0", "--first-parent", "HEAD"}, git::Patience::much));
  const std::string_view origin = trimmed(answer.out);
  if (answer.code != 0 || origin.empty() || origin.find('\n') != origin.npos)
    return fail(Reason::refused, "the first commit of this project cannot be told",
                "commit something, then try again");
  return std::string(origin);
}

Result<Address> address_of(const std::string& given) {
  return Address::parse(given.empty() ? world::journal_address() : given);
}

Result<Settings> settings_of(const std::string& root) {
  Settings settings;
  settings.project = root;
  settings.origin = TRY(origin_of(root));
  settings.self = store::this_process();
  // Of a process before the last start of a machine its number says that it is gone; but machines
  // that are made from one picture may have one number, and work at the same time.
  settings.has_ended = [boot = settings.self.boot_id](const engine::ProcessIdentity& process) {
    return process.boot_id == boot && store::life_of(process) == store::Life::dead;
  };
  settings.tell = [](const std::string& text) { print_error("capsule: " + text + "\n"); };
  return settings;
}

}  // namespace

Result<std::unique_ptr<engine::Records>> Part::open(const std::string& root,
                                                    const std::string& locks) {
  Settings settings = TRY(settings_of(root));
  if (!locks.empty())
    settings.lock_here = [locks](std::string_view subject) {
      return store::lock_subject({locks}, subject, kChildrenMilliseconds);
    };
  return open_records(TRY(address_of("")), std::move(settings));
}

Result<std::unique_ptr<engine::Records>> Part::open_copy(const std::string& root) {
  Settings settings = TRY(settings_of(root));
  settings.in_folder = true;
  return open_records(TRY(address_of("")), std::move(settings));
}

Result<std::size_t> Part::bring_home(const std::string& root, bool in_folder) {
  Settings settings = TRY(settings_of(root));
  settings.in_folder = in_folder;
  return cluster::bring_home(TRY(address_of("")), settings);
}

Result<world::Database> Part::set_up(const std::string& address, const std::string& root) {
  const Address where = TRY(address_of(address));
  const std::string name = root.substr(root.rfind('/') + 1);
  const Made made = TRY(cluster::set_up(where, TRY(origin_of(root)), name));
  world::Database found = TRY(look(address, root));
  found.set_up = made.before < made.now || made.added;
  return found;
}

Result<world::Database> Part::look(const std::string& address, const std::string& root) {
  const Address where = TRY(address_of(address));
  Found found = TRY(cluster::look(where, TRY(origin_of(root))));
  return world::Database{where.shown(),
                         std::move(found.server),
                         found.version,
                         newest_version(),
                         std::move(found.project),
                         std::move(found.synchronous),
                         found.runs,
                         std::move(found.at_work),
                         std::move(found.workers),
                         std::move(found.queue),
                         false};
}

}  // namespace capsule::cluster
