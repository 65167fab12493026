// Dialogs: how they are opened, and what keys do in them. Pure.
#pragma once

#include "ui/tui/press.h"
#include "ui/view/view.h"

namespace capsule::tui {

// Each puts a dialog over the screen when there is something to ask.
void ask_to_run(Focus& focus, const Shown& shown);                 // the chosen bead
void ask_verb(Focus& focus, const Shown& shown, view::Verb verb);  // abort, retry, go on, merge
void ask_answer(Focus& focus, const Shown& shown, bool reject);
void ask_tell(Focus& focus, const Shown& shown);

// The action of a verb about what is chosen; what it starts goes on without us.
std::optional<view::Action> action_for(const Focus& focus, const Shown& shown, view::Verb verb);

// Requires: there is a dialog.
Step press_dialog(Focus focus, const canvas::Key& key, const Shown& shown);

}  // namespace capsule::tui
