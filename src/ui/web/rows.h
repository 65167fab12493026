// The view as JSON, row by row, as the API and its stream send it: docs/dashboard-web.md names the
// members. Pure.
#pragma once

#include <string>
#include <string_view>

#include "event/fact.h"
#include "ui/view/view.h"

namespace capsule::web {

// The inbox and the runs without what belongs to them; with a run, all rows of that one. `options`
// such as " --project-dir=…" stand behind the commands that people paste. Requires: `run` is empty
// or one of the project's.
std::string view_json(const view::Project& project, std::string_view run,
                      std::string_view options = {});

// The rows that differ: {"seq":7,"at":"…","rows":[{"key":"run/R/task/T","row":{…}},…]}, a row that
// is gone without "row". Empty when nothing differs.
std::string changes_json(const view::Project& before, const view::Project& after,
                         std::string_view options = {});

// A fact as --json tells it: {"event":"…","at":"…","run":"…","seq":7,…}, with the members of its
// body.
std::string fact_json(const event::Fact& fact);

}  // namespace capsule::web
