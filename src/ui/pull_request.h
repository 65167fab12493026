// The description of work that waits on a branch, for a pull request: what was done, and what shows
// it. Pure; what agents and trackers wrote is escaped, so that it is text and nothing else.
#pragma once

#include <string>
#include <vector>

#include "ui/view/view.h"

namespace capsule::ui {

struct Described {
  view::Run run;
  std::string request;       // the words of the task
  std::string commit, onto;  // of the branch; the main that it was tested on
  std::vector<event::CheckRun> runs;
  bool signed_off = false;
};
std::string pull_request(const Described& described);

}  // namespace capsule::ui
