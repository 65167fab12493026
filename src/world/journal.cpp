#include "world/journal.h"

#include "base/files.h"
#include "base/text.h"
#include "store/store.h"

namespace capsule::world {
namespace {

DatabasePart* part_in_use = nullptr;

std::string& address_in_use() {
  static std::string address;
  return address;
}

Result<void> refuse_moved(const std::string& root) {
  if (!exists(moved_note(root))) return {};
  return fail(Reason::refused,
              "the journal of this project has moved to the database at " +
                  printable(read_file(moved_note(root), 1024).value_or("?")),
              "export CAPSULE_JOURNAL=postgres://…; 'capsule cluster export' brings it back");
}

}  // namespace

std::string moved_note(const std::string& root) { return root + "/.capsule/journal.moved"; }

void use_database(DatabasePart& part, std::string address) {
  part_in_use = &part;
  address_in_use() = std::move(address);
}

DatabasePart* database_part() { return part_in_use; }
const std::string& journal_address() { return address_in_use(); }

Result<std::unique_ptr<engine::Records>> open_journal_in(const std::string& root,
                                                         const std::string& locks) {
  if (!journal_address().empty()) return part_in_use->open(root, locks);
  TRY_VOID(refuse_moved(root));
  auto store = TRY(store::Store::open(root, store::Access::read_write));
  if (!locks.empty()) store->also_lock_in(locks);
  return store;
}

Result<std::unique_ptr<engine::Records>> journal_in(const std::string& root) {
  if (!journal_address().empty()) return part_in_use->open(root, "");
  TRY_VOID(refuse_moved(root));
  auto store = store::Store::open(root, store::Access::read_only);
  if (!store && store.error().reason == Reason::not_found) return nullptr;
  return store;
}

}  // namespace capsule::world
