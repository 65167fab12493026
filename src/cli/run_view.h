// What the journal knows about the newest run of a bead, read without writing: for status, log and
// teardown.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/project.h"
#include "engine/journal.h"
#include "event/pipeline.h"
#include "store/store.h"
#include "ui/report.h"

namespace capsule::cli {

struct RunView {
  engine::RunHead head;
  std::vector<event::PipelineFact> facts;
  ui::Report report;
  std::optional<engine::Holder> holder;  // the living process that works on it

  bool ended() const { return report.state.step == pipeline::Step::ended; }
  bool live() const { return holder.has_value() && holder->run == head.run; }
};

// The journal, to read it; null: there is none yet.
Result<std::unique_ptr<store::Store>> journal_of(const Project& project);

// nullopt: the bead has no run.
Result<std::optional<RunView>> newest_run(store::Store& store, const std::string& bead);
// The newest run of each bead, the newest of all last.
Result<std::vector<RunView>> newest_runs(store::Store& store);

// What the agent of the last phase printed last, when it ended without a valid signal: often the
// reason, such as a login that is missing. Empty otherwise. Read beneath the worktree, which the
// agent can write to.
std::string last_words(const std::string& worktree, const std::vector<event::PipelineFact>& facts);

// "pid 4711 on host"
std::string words_of(const engine::Holder& holder);
// "2026-01-31 23:59" of a time stamp in UTC.
std::string minute_of(std::string_view utc);

}  // namespace capsule::cli
