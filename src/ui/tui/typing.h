// A line that is typed, with a cursor in it. Pure.
#pragma once

#include "canvas/keys.h"
#include "ui/tui/focus.h"

namespace capsule::tui {

// Whether the key is one that changes the line or moves in it; then that is done. The keys are
// those of a shell: Ctrl-A, E, B, F, D, K, U and W, too.
bool type(Dialog& dialog, const canvas::Key& key);

// Whether the key scrolls what a dialog shows; then that is done, as far as `last`.
bool scroll(Dialog& dialog, const canvas::Key& key, int last);

void type_text(Dialog& dialog, std::string_view text);  // at the cursor; bounded
void set_text(Dialog& dialog, std::string text);        // with the cursor at its end
std::string_view before_cursor(const Dialog& dialog);
std::string_view behind_cursor(const Dialog& dialog);

}  // namespace capsule::tui
