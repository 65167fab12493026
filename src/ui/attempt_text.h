// What agents said beside what the checks found, attempt by attempt, and what the project's own
// commands do meanwhile: one wording for all workflows. Pure. Every text of agents and commands is
// made harmless.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ui/style.h"
#include "ui/view/view.h"
#include "workflow/progress.h"

namespace capsule::ui {

// What agents of one role did, in the order of their first run.
struct RoleLine {
  std::string role;
  int runs = 0;
  std::int64_t duration_ms = 0;
  std::string last = {};  // what the newest that ended said, or its fault; empty: none has ended
  bool good = false;      // it ended well, and what it said was not refused
  std::vector<view::Attempt> attempts = {};
};
std::vector<RoleLine> role_lines(const std::vector<view::Attempt>& attempts);
// Each role on a line; below it what there is to say about each attempt.
std::string role_table(const std::vector<RoleLine>& lines, const Style& style);

// Whether it deserves a tick: by what it said, and by what was found.
signal::Status status_of(const view::Attempt& attempt);

// "said PASS · checked: 2 tests fail: a, b → refused", "said nothing that counts: …".
std::string said_and_checked(const view::Attempt& attempt, const Style& style);
// The beginning and the end of a text of several lines, each behind `indent`: findings stand at the
// beginning, what failed at the end.
std::string excerpt(std::string_view text, std::string_view indent);

struct Agents {
  std::string role, task;  // empty: all
  int number = 0;          // 0: all
};
// Of these agents those that were checked, or gave a reason: each on a line with its reason below;
// then, of all roles, what a person is asked. Empty: nothing of that.
std::string findings_text(const view::Run& run, const Agents& of, const Style& style);

// "running the tests", "setting the worktree up".
std::string progress_words(const workflow::CheckProgress& check);
// "tests: 131 pass, 4.2s", "tests: 2 fail, 129 pass, 4.2s", "build: exit status 2, 0.3s".
std::string result_words(const workflow::CheckProgress& check);
std::string result_words(const event::CheckRun& run);
// Tests that fail without the new code are good.
Tone tone_of(const workflow::CheckProgress& check);

}  // namespace capsule::ui
