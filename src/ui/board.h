// The picture of a run that goes on in this process: the view, drawn in lines below what was told.
// Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "dialect/activity.h"
#include "ui/style.h"
#include "ui/view/view.h"
#include "workflow/progress.h"

namespace capsule::ui {

// One of the project's own commands that runs now.
struct RunningCheck {
  workflow::CheckProgress check;
  std::int64_t began_ms = 0;
};

// What a picture is drawn for.
struct Frame {
  std::size_t columns = 80, rows = 24;              // rows: half of the terminal's
  std::int64_t now_ms = 0;                          // on the clock of checks and activities
  std::int64_t epoch_ms = 0;                        // the same moment since 1970
  std::function<std::string(int agent)> last_line;  // that it printed; empty: none
  std::map<int, dialect::Activity> doing = {};      // of agents whose clients tell it
  std::vector<RunningCheck> checks = {};
};

// Lines, each fitted into the columns, every one ended by a line feed; empty: nothing goes on.
std::string board(const view::Run& run, const Frame& frame, const Style& style);

// "[2/5] Phase pair: test-writer → test-review"
std::string step_title(int step, int steps, const std::vector<std::string>& phases, bool together,
                       const Style& style);
// "[4/9] execution …", of auto mode
std::string phase_head(std::string_view phase, int number, const Style& style);

// The newest complete line of output that comes in pieces. Keeps a bounded tail.
class LastLine {
 public:
  void feed(std::string_view bytes);
  std::string take() const { return shown_; }

 private:
  std::string partial_, shown_;
};

}  // namespace capsule::ui
