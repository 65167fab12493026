// What a face asks of a workflow, to tell its facts to people. One for each workflow; they read the
// typed state, by a reference to that of the workflow that runs, and never change it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include <vector>

#include "dialect/activity.h"
#include "event/fact.h"
#include "ui/activity_text.h"
#include "workflow/progress.h"
#include "workflow/summary.h"

namespace capsule::ui {

// One of the project's own commands that runs now.
struct RunningCheck {
  workflow::CheckProgress check;
  std::int64_t began_ms = 0;
};

// An agent whose client tells what it does.
struct SeenAgent {
  WhichAgent who;
  dialect::Activity activity;
};

// What a picture is drawn for.
struct Frame {
  std::size_t columns = 80, rows = 24;  // rows: half of the terminal's
  std::int64_t now_ms = 0;
  std::function<std::string(int agent)> last_line;  // that it printed; empty: none
  std::vector<SeenAgent> agents = {};               // by their numbers; also those that have ended
  std::vector<RunningCheck> checks = {};
  // What an agent does now; nullptr: its client does not tell.
  const dialect::Activity* activity(int agent) const;
};

class Narrator {
 public:
  virtual ~Narrator() = default;
  // Takes a fact in, in the order of the journal, and returns the lines that tell it, each ended by
  // a line feed; nothing when it is not worth one. The state is that after the whole step.
  virtual std::string on_fact(const event::NewFact& fact, std::int64_t now_ms) = 0;
  // The same for one of the project's own commands, when it begins and when it has ended.
  virtual std::string on_check(const workflow::CheckProgress& check) = 0;
  // The picture of what goes on: lines, each fitted into the columns, every one ended by a line
  // feed.
  virtual std::string board(const Frame& frame) = 0;
  // Whether the lines are told above the picture too; otherwise the picture says it all.
  virtual bool lines_above_board() const { return true; }
  // A person is asked something, and may be typing.
  virtual bool asks() const = 0;
  virtual workflow::RunSummary summary() const = 0;
  // The task of agents whose facts name none; empty: there is none.
  virtual std::string task() const { return {}; }
};

// What an agent does now, in one line: by the events of its client, or the newest line it printed.
// Fitted; ends with the tokens that it used so far, where they are known and there is room.
std::string doing_line(const Frame& frame, int agent, std::size_t columns, Said said = Said::here);

// The newest complete line of output that comes in pieces. Keeps a bounded tail.
class LastLine {
 public:
  void feed(std::string_view bytes);
  std::string take() const { return shown_; }

 private:
  std::string partial_, shown_;
};

}  // namespace capsule::ui
