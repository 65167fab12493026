// Beads in the JSON that bd writes: a line of issues.jsonl, or what `bd show --json` and
// `bd list --json` print. Pure. Only the .cpp knows the JSON library.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/tracker.h"

namespace capsule::task {

inline constexpr std::size_t kMaxJsonNesting = 128;

// One object. Members that are missing or of another type are left empty; what has no valid id is
// no bead. The only reason is damaged; the message says what is wrong, not where.
Result<engine::Bead> bead_from_json(std::string_view text);

// An array of objects, or a single object. Where bd was asked for one bead, `asked` stands in for
// an id that its answer does not carry. Reasons: damaged; not_found for an object that holds
// nothing but an `error`.
Result<std::vector<engine::Bead>> beads_from_json(std::string_view text,
                                                  std::string_view asked = {});

struct NewBead {
  std::string title;
  std::string type = "task";
  int priority = 2;
  std::string parent = {};
  std::string description = {};
  std::string acceptance = {};
};

// The line that bd would write for a new bead.
std::string line_of_new_bead(const NewBead& bead, std::string_view id, std::string_view actor,
                             std::string_view now);

std::string comment_json(std::size_t number, std::string_view bead, std::string_view author,
                         std::string_view text, std::string_view now);

}  // namespace capsule::task
