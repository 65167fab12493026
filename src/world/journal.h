// The one place that knows where the journal of a project is kept.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "engine/journal.h"

namespace capsule::world {

// To write to it; made as needed. `root` is the top of the project. Claims are locked in the folder
// `locks`, too; empty: in no other, for callers that claim nothing.
Result<std::unique_ptr<engine::Records>> open_journal_in(const std::string& root,
                                                         const std::string& locks = {});

// To read it; null: there is none yet.
Result<std::unique_ptr<engine::Records>> journal_in(const std::string& root);

}  // namespace capsule::world
