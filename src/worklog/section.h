// The sections of a worklog: Markdown headings that begin with # (one to six of them), and what
// follows each. Pure; views point into the text.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace capsule::worklog {

// The five phases that have a section, in order.
struct Phase {
  std::string_view name;   // "test-writer"
  std::string_view title;  // "Phase 1: test-writer"
  bool has_verdict;        // reviews and sign-off
};

// nullptr for merge and for phases of one's own: they leave no entry.
const Phase* find_phase(std::string_view name);

struct Section {
  std::string_view heading;  // without its #s, trimmed
  std::size_t begin;         // of the first line after the heading
  std::size_t end;           // one past the section's last byte
};

// A section runs to the next heading of its own or a higher level, or to a heading that names
// another phase ("Phase 2: test-review …"), whichever comes first; so it holds its own subsections.
// Headings inside a code fence end no section. A fence never reaches over the heading of a phase,
// and one that does not close is none: a careless task text cannot hide what follows it.
//
// Every section whose heading names `phase` as a whole word, in any case, from the first to the
// last; "execute" does not name "execute-review". A subsection that names it too is part of the one
// around it.
std::vector<Section> sections_of(std::string_view worklog, std::string_view phase);

// The last section whose heading contains `part`, in any case, as a subsection or not, fenced or
// not.
std::optional<Section> last_section_containing(std::string_view worklog, std::string_view part);

}  // namespace capsule::worklog
