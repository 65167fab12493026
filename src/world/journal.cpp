#include "world/journal.h"

#include "store/store.h"

namespace capsule::world {

Result<std::unique_ptr<engine::Records>> open_journal_in(const std::string& root,
                                                         const std::string& locks) {
  auto store = TRY(store::Store::open(root, store::Access::read_write));
  if (!locks.empty()) store->also_lock_in(locks);
  return store;
}

Result<std::unique_ptr<engine::Records>> journal_in(const std::string& root) {
  auto store = store::Store::open(root, store::Access::read_only);
  if (!store && store.error().reason == Reason::not_found) return nullptr;
  return store;
}

}  // namespace capsule::world
