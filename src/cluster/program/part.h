// The database part, as the commands know it.
#pragma once

#include "cluster/address.h"
#include "world/journal.h"

namespace capsule::cluster {

class Part : public world::DatabasePart {
 public:
  Result<std::unique_ptr<engine::Records>> open(const std::string& root,
                                                const std::string& locks) override;
  Result<world::Database> set_up(const std::string& address, const std::string& root) override;
  Result<world::Database> look(const std::string& address, const std::string& root) override;
  Result<std::unique_ptr<engine::Records>> open_copy(const std::string& root) override;
  Result<std::size_t> bring_home(const std::string& root, bool in_folder) override;
};

}  // namespace capsule::cluster
