// What the journal knows about the newest run of a bead, read without writing: for status, log and
// teardown.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/journal.h"
#include "event/pipeline.h"
#include "ui/report.h"

namespace capsule::ui {

struct RunView {
  engine::RunHead head;
  std::vector<event::PipelineFact> facts;
  Report report;
  std::optional<engine::Holder> holder;  // the living process that works on it

  bool ended() const { return report.state.step == pipeline::Step::ended; }
  bool live() const { return holder.has_value() && holder->run == head.run; }
};

// nullopt: the bead has no run.
Result<std::optional<RunView>> newest_run(engine::Journal& journal, engine::Claims& claims,
                                          const std::string& bead);
// The newest run of each bead, the newest of all last.
Result<std::vector<RunView>> newest_runs(engine::Journal& journal, engine::Claims& claims);

// What the agent of the last phase printed last, when it ended without a valid signal: often the
// reason, such as a login that is missing. Empty otherwise. Read beneath the worktree, which the
// agent can write to.
std::string last_words(const std::string& worktree, const std::vector<event::PipelineFact>& facts);

// "pid 4711 on host"
std::string words_of(const engine::Holder& holder);
// "2026-01-31 23:59" of a time stamp in UTC.
std::string minute_of(std::string_view utc);

}  // namespace capsule::ui
