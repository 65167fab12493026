// What a page wants done: turned into the words of the command that does it. The words come from
// the view, never from the page, which gives only what a person typed. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ui/view/view.h"

namespace capsule::web {

struct ActionRequest {
  std::string verb, run, task, text;
  int question = 0;
  std::string item = {};  // of the inbox, by its key; empty: the first that fits
};

// {"verb":"answer","run":"…","task":"…","question":1,"text":"…","item":"…"}. Error usage: it is
// none.
Result<ActionRequest> read_action(std::string_view body);

// The words behind the program's name; what has a run go on does it with --detach, so that the run
// outlives the page. Errors: not_found (nothing of the kind can be done now, for example because it
// was settled meanwhile), usage (the text is missing, or is no option).
Result<std::vector<std::string>> command_for(const view::Project& project,
                                             const ActionRequest& request,
                                             const std::string& project_dir);

// The verbs that a page can have done; for the others it shows the command.
bool can_do(view::Verb verb);

}  // namespace capsule::web
