// What a person is told when something has come to need one: which of the inbox is new, whom it
// concerns, and how it is written for each way of telling. Pure.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "ui/view/view.h"

namespace capsule::notify {

struct Notice {
  std::string kind;     // as notify.*.on names it: "question", …, "complete"
  std::string project;  // the name of its folder
  std::string run;      // its id
  std::string name;     // by which commands find the run
  std::string task;     // of a plan; empty: the whole run
  std::string since;    // UTC, ISO 8601
  std::string command;  // that settles it, or shows it
  // Words of agents and people. Told only where it is asked for.
  std::string title, text;
  std::vector<std::string> options;
};

// Remembers what the inbox held, so that each thing is told once, when it comes.
class Watch {
 public:
  // Of one run. `project` names its folder.
  Watch(std::string project, std::string run)
      : project_(std::move(project)), run_(std::move(run)) {}
  // What has come since the last call; the first call tells nothing: it was there before.
  std::vector<Notice> look(const view::Project& now);

 private:
  std::string project_, run_;
  bool looked_ = false, complete_ = false;
  std::set<std::string, std::less<>> there_;  // keys of items
};

// Whether this way of telling is for it. Without `on` it is for all that needs a person.
bool is_for(const config::Notify& way, std::string_view kind);
// Whether the minute of the day lies in these hours; the last one does not.
bool within(const config::Hours& hours, int minute_of_day);

// "Question: C-4 of PLAN.md waits for an answer"; with words what is asked behind it. Printable, on
// one line, bounded.
std::string headline(const Notice& notice, bool words);
// What the command gets on its standard input; ends with a line feed.
std::string body_of(const Notice& notice, config::Body body, bool words);
// An example, for --test.
Notice sample(std::string project, std::string_view kind);
// A ready entry for .capsule/config.yaml and what else has to be done; empty: no such service.
std::string ready_entry(std::string_view service);
inline constexpr std::string_view kServices = "slack|ntfy|discord|teams";

}  // namespace capsule::notify
