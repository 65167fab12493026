// The port through which the engine sees tasks ("beads"). Beads are plain values that own their
// text; all of it is written by others and hostile. A Tracker belongs to one thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace capsule::engine {

// Something that a bead depends on. Title and status are empty where the tracker does not say.
struct BeadDependency {
  std::string id;
  std::string type;  // "blocks", "parent-child", "related", "discovered-from", …
  std::string title = {};
  std::string status = {};
};

struct BeadComment {
  std::string author;
  std::string text;
  std::string created_at;
};

struct Bead {
  std::string id;  // valid_id() holds
  std::string title;
  std::string type;    // "task", "feature", "epic", "bug", "chore", …
  std::string status;  // "open", "in_progress", "blocked", "deferred", "closed", …
  int priority = 2;    // 0 is the most urgent
  std::string description;
  std::string acceptance;
  std::string design;
  std::string notes;
  std::string assignee;
  std::string parent;  // id; empty: none
  std::vector<std::string> labels;
  std::vector<BeadDependency> dependencies;
  std::vector<BeadComment> comments;
  std::string created_at;  // times as the tracker writes them, RFC 3339
  std::string updated_at;
  std::string closed_at;
  std::string close_reason;
};

// Empty members do not restrict. Closed beads are left out unless `all`, or asked for by status.
struct BeadFilter {
  std::string parent = {};
  std::string status = {};
  bool all = false;
};

class Tracker {
 public:
  virtual ~Tracker() = default;

  // For people and the journal: "native" or "bd".
  virtual std::string_view name() const = 0;

  // Reasons: usage (not an id), not_found, damaged, io, failed, missing_program, timed_out.
  virtual Result<Bead> show(std::string_view id) = 0;

  virtual Result<std::vector<Bead>> list(const BeadFilter& filter) = 0;

  // Closing a closed bead succeeds and changes nothing.
  virtual Result<void> close(std::string_view id, std::string_view reason) = 0;
};

}  // namespace capsule::engine
