// What following and looking once have in common: reads new facts, claims and answers into a fold.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/journal.h"
#include "ui/view/fold.h"
#include "world/project.h"
#include "world/runs.h"

namespace capsule::follow {

// A run that has not ended, as far as its head says.
struct OpenRun {
  engine::RunHead head;
  std::optional<engine::Holder> holder;  // the living process that works on this very run
};

class Reading {
 public:
  // `newest`: only the newest run of each subject, since nothing of the others waits for anybody.
  explicit Reading(std::string root, bool newest = false)
      : root_(std::move(root)), newest_(newest) {}

  view::Fold& fold() { return fold_; }
  const std::vector<OpenRun>& open() const { return open_; }
  const engine::RunHead* head(const std::string& run) const;  // null: it is not known
  // As functions of `world` take it. Requires: it is known.
  world::Run run(const engine::RunHead& head) const;

  // Takes in what is new; whether there was something. Error: the journal itself cannot be read; a
  // run whose facts cannot be says so in the view.
  Result<bool> update(engine::Records& store);
  // Whether the newest run of auto mode is a session's. Then its state file tells what the journal
  // does not know yet; to be read after each update(). Whether it says something else now.
  bool has_session() const { return session_; }
  bool update_session();

 private:
  bool update_holders(engine::Records& store);
  bool update_answers();

  std::string root_;
  bool newest_;
  bool session_ = false;
  view::Fold fold_;
  std::vector<OpenRun> open_;
  std::map<std::string, engine::RunHead> heads_;
  std::map<std::string, std::optional<engine::Holder>> holders_;
  std::map<std::string, std::set<int>> answers_;
};

}  // namespace capsule::follow
