#include "world/journal.h"

#include "store/store.h"

namespace capsule::world {
namespace {

DatabasePart* part_in_use = nullptr;

std::string& address_in_use() {
  static std::string address;
  return address;
}

}  // namespace

void use_database(DatabasePart& part, std::string address) {
  part_in_use = &part;
  address_in_use() = std::move(address);
}

DatabasePart* database_part() { return part_in_use; }
const std::string& journal_address() { return address_in_use(); }

Result<std::unique_ptr<engine::Records>> open_journal_in(const std::string& root,
                                                         const std::string& locks) {
  if (!journal_address().empty()) return part_in_use->open(root, locks);
  auto store = TRY(store::Store::open(root, store::Access::read_write));
  if (!locks.empty()) store->also_lock_in(locks);
  return store;
}

Result<std::unique_ptr<engine::Records>> journal_in(const std::string& root) {
  if (!journal_address().empty()) return part_in_use->open(root, "");
  auto store = store::Store::open(root, store::Access::read_only);
  if (!store && store.error().reason == Reason::not_found) return nullptr;
  return store;
}

}  // namespace capsule::world
