// The numbered steps that make the journal's tables. A step is never edited once it was released:
// a change is a new step. Docs: docs/journal.md describes the tables.
#pragma once

#include <span>

#include "store/sqlite.h"

namespace capsule::store {

// The n-th step leads from version n to n + 1.
std::span<const char* const> migrations();

// Brings the file to the newest version that `steps` know: a new file gets its tables; an older one
// is copied to PATH.v<version>.backup first, then changed in one transaction.
// Error refused: a newer Capsule made it. Error damaged: it is no journal at all.
Result<void> migrate(Database& database, std::span<const char* const> steps);

// The same checks without changing anything; check_version refuses an older version too. Error
// not_found: it has no tables, such as one that another process is just making.
Result<void> check_origin(Database& database, std::span<const char* const> steps);
Result<void> check_version(Database& database, std::span<const char* const> steps);

}  // namespace capsule::store
