// The text of `.beads/issues.jsonl`, one bead a line, as bd writes it. Pure: text in, text out.
// Every line keeps its bytes until it is replaced: blank lines, carriage returns, a byte order
// mark, unknown fields and damaged lines all survive a rewrite. Of several lines with one id the
// last counts, since whoever appended it came later; the others stay where they are.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/tracker.h"

namespace capsule::task {

struct Damage {
  std::size_t line;  // counted from 1
  std::string why;
};

class IssuesFile {
 public:
  static IssuesFile parse(std::string_view text);

  std::string text() const;
  const std::vector<Damage>& damage() const { return damage_; }

  // The beads that count, in the order of their lines. Deleted ones (bd's tombstones) are among
  // them.
  std::vector<const engine::Bead*> beads() const;
  const engine::Bead* find(std::string_view id) const;  // nullptr: none

  // The bead with the titles and statuses of what it depends on filled in.
  engine::Bead resolved(const engine::Bead& bead) const;

  // The JSON object of a bead as it stands in its line. Requires: find(id) is not nullptr.
  std::string_view object(std::string_view id) const;

  // Takes one JSON object as a line: in the place of the bead with its id, or at the end.
  // Reason: damaged, when it is no bead.
  Result<void> put(std::string_view object);

  // The highest N among the ids `stem` + N, with or without more after a dot: with the stem "demo-"
  // 7 for "demo-7.1". Damaged lines are searched too, so that no id in them is given out again.
  std::size_t highest_number(std::string_view stem) const;

  // What the beads have in common before their last dash: "demo" for "demo-1.1"; empty when they
  // disagree or there are none.
  std::string common_prefix() const;

 private:
  struct Line {
    std::string text;  // without its end
    std::string end;   // "\n", "\r\n" or nothing
    std::optional<engine::Bead> bead;
  };

  std::vector<Line> lines_;
  std::vector<Damage> damage_;
  std::map<std::string, std::size_t, std::less<>> last_;  // id → line
};

}  // namespace capsule::task
