// What people want of beads, as the words that bd takes. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/tracker.h"
#include "task/bead_edit.h"
#include "task/bead_json.h"

namespace capsule::task {

using Words = std::vector<std::string>;

Words words_to_create(const NewBead& bead);
Words words_to_list(const engine::BeadFilter& filter);
// What is given as nothing is removed.
Words words_to_update(std::string_view id, const BeadChange& change);
// A reason that is empty is left out.
Words words_to_close(std::string_view id, std::string_view reason);
Words words_to_reopen(std::string_view id, std::string_view reason);

// "2" or "P2". Error usage.
Result<int> priority_in(std::string_view text);

}  // namespace capsule::task
