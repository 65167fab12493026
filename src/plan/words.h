// Small readings of plan text that several files of this folder share. Pure; views of the argument.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace capsule::plan {

bool is_blank(char c);  // space or tab
// Whether `text` begins with `start`, whatever the case of its ASCII letters.
bool begins_with(std::string_view text, std::string_view start);
// Whether the phrase stands in the text between word borders; `text` and `phrase` in lower case.
bool holds_phrase(std::string_view text, std::string_view phrase);

// "none", "n/a", "nothing", "-" and the like, alone or as the first word of a remark.
bool says_none(std::string_view text);

// Without the mark of a list item ("- ", "* ", "+ ", "1. ", "- [ ] "); sets `item` when it had one.
std::string_view without_bullet(std::string_view line, bool& item);

// Whether a word looks like a file or folder: a slash inside, or a name with a short extension.
bool looks_like_path(std::string_view word);
// All such words of a text, in their order, each once.
std::vector<std::string> paths_in(std::string_view text);
// The path at the start of a list item such as "`src/a.cpp`: the parser" or "src/a.cpp (new)".
std::string path_of_item(std::string_view item);

}  // namespace capsule::plan
