// Files that somebody's program runs, or obeys, without being told to once they are in a checkout:
// when a folder is entered or opened, at the next commit, install or push. What an agent put there
// runs with the user's rights after the merge, so a person is to know of it. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "event/common.h"
#include "gate/rewritten.h"
#include "git/diff.h"

namespace capsule::gate {

// Who does so, for people: "direnv"; empty: nobody.
std::string_view run_by(std::string_view path);

// Of the changes from one commit to another those that bring such files, or change them. Of a file
// that is mostly about other things, such as package.json, only what is run counts.
Result<std::vector<event::SelfRunning>> self_running(const std::vector<git::Change>& changes,
                                                     const std::string& from, const std::string& to,
                                                     const TextOf& text_of);

}  // namespace capsule::gate
