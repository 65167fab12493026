// The beads as a tree, and what is chosen in it.
#include <algorithm>

#include "base/text.h"
#include "canvas/width.h"
#include "ui/tui/draw.h"
#include "ui/tui/rows.h"

namespace capsule::tui {
namespace {

Sign sign_of_bead(const Bead& bead) {
  if (bead.status == "closed") return {Mark::done, kGood};
  if (bead.status == "in_progress") return {Mark::working, kBusy};
  if (bead.status == "blocked") return {Mark::waits, kWarn};
  return {Mark::open, kPlain};
}

// How far it is, on the right of its row.
struct Progress {
  Sign sign;
  std::string words;
};

// What is done about it, and else what its tracker says. Of a closed one that is enough.
Progress progress_of(const Bead& bead, const BeadWork& work, int children, int open) {
  Progress progress{sign_of_bead(bead), ""};
  if (children > 0)
    progress.words = open == 0 ? std::to_string(children) + "/" + std::to_string(children)
                               : "[" + std::to_string(open) + "]";
  if (work.run == nullptr || bead.status == "closed") return progress;
  if (work.task != nullptr) {
    // A task that has not begun is as open as any other once nobody works on its run.
    if (goes_on(*work.run) || !work.task->attempts.empty())
      return {sign_of(*work.run, *work.task), view::state_words(*work.run, *work.task)};
    return progress;
  }
  const view::Run& run = *work.run;
  const std::string done = std::to_string(run.done) + "/" + std::to_string(run.all);
  if (!run.tasks.empty())
    return {sign_of(run), done + (run.failed > 0 ? ", " + std::to_string(run.failed) + " failed"
                                  : goes_on(run) ? ""
                                                 : ", " + life_words(run))};
  for (const view::Phase& phase : run.phases)
    if (phase.state == view::Phase::State::working && goes_on(run))
      return {sign_of(run),
              phase.name +
                  (phase.attempts.size() > 1 ? " " + std::to_string(phase.attempts.size()) : "")};
  if (goes_on(run)) return {sign_of(run), done};
  return {sign_of(run), life_words(run)};
}

// A feature inside an epic that is delivered has no run: it is as its tasks are.
Sign sign_of_those_below(const Shown& shown, const Bead& bead,
                         const std::map<std::string_view, BeadWork>& works, Sign sign) {
  constexpr Mark kUrgent[] = {Mark::asks, Mark::working, Mark::failed};
  std::size_t best = std::size(kUrgent);
  for (const Bead& other : shown.beads) {
    if (other.parent != bead.id || other.status == "closed") continue;
    const auto found = works.find(other.id);
    if (found == works.end()) continue;
    const auto& [run, task] = found->second;
    const Sign below = task != nullptr ? sign_of(*run, *task) : sign_of(*run);
    for (std::size_t i = 0; i < best; ++i)
      if (below.is == kUrgent[i]) {
        best = i;
        sign = below;
      }
  }
  return sign;
}

void draw_tree(Canvas& canvas, const Area& area, const Focus& focus, const Shown& shown) {
  const std::vector<TreeRow> rows = bead_rows(focus, shown);
  const auto works = work_on_beads(*shown.project);
  const int chosen = chosen_row(focus, shown, row_keys(focus, shown));
  const int count = static_cast<int>(rows.size());
  if (rows.empty()) {
    const std::string why = !shown.no_beads.empty() ? shown.no_beads
                            : !focus.filter.empty()
                                ? "No bead holds that text."
                                : "No beads. Make one: capsule bead create --title=TEXT";
    std::vector<Line> lines = wrapped(why, area.columns - 2, kDim);
    draw_lines(canvas, {area.x + 1, area.y, area.columns - 2, area.rows}, lines, 0);
    return;
  }
  const int first = first_shown(chosen, count, area.rows);
  for (int i = 0; i < area.rows && first + i < count; ++i) {
    const TreeRow& row = rows[static_cast<std::size_t>(first + i)];
    const Bead& bead = *row.bead;
    const bool here = first + i == chosen;
    const bool over = bead.status == "closed";
    const int y = area.y + i;
    if (here) canvas.put(area.x, y, "▸", kFocused);
    int x = area.x + 1 + std::min(row.depth, 12) * 2;
    x = canvas.put(x, y, row.children == 0 ? "•" : row.unfolded ? "▼" : "▶", kDim) + 1;
    const auto work = works.find(bead.id);
    Progress progress =
        progress_of(bead, work == works.end() ? BeadWork{} : work->second, row.children, row.open);
    if (row.children > 0 && work == works.end())
      progress.sign = sign_of_those_below(shown, bead, works, progress.sign);
    x = canvas.put(x, y, progress.sign.mark(), progress.sign.paint) + 1;
    int end = area.x + area.columns;
    if (!progress.words.empty()) {
      const int columns = std::min(canvas::width_of(progress.words), area.columns / 3);
      canvas.put(end - 1 - columns, y, canvas::fitted(progress.words, columns),
                 row.children > 0 || over ? kDim : progress.sign.paint, columns);
      end -= columns + 2;
    }
    x = canvas.put(x, y, bead.id, here ? kStrong : over ? kDim : kPlain, end - x) + 1;
    canvas.put(x, y, one_line(bead.title), here ? kStrong : over ? kDim : kPlain, end - x);
  }
  if (count > area.rows)
    canvas.put_right(area.x + area.columns - 1, area.y + area.rows,
                     " " + std::to_string(chosen + 1) + "/" + std::to_string(count) + " ", kDim);
}

// What becomes of it, and why it failed.
void add_work(std::vector<Line>& lines, const Focus& focus, const Shown& shown, int columns) {
  const view::Run* const run = chosen_run(focus, shown);
  if (run == nullptr) return;
  const view::Task* const task = chosen_task(focus, shown);
  const Sign sign = task != nullptr ? sign_of(*run, *task) : sign_of(*run);
  std::string words = task != nullptr     ? view::state_words(*run, *task)
                      : !goes_on(*run)    ? life_words(*run)
                      : !run->now.empty() ? one_line(run->now)
                                          : life_words(*run);
  if (task != nullptr) words += ", in the delivery of " + run->name;
  lines.push_back({});
  lines.push_back({{std::string(sign.mark()) + " ", sign.paint}, {words, sign.paint}});
  if (task != nullptr) {
    for (Line& line : evidence_lines(focus, shown, columns)) lines.push_back(std::move(line));
    return;
  }
  if (!run->detail.empty() && run->standing != view::Standing::succeeded)
    for (Line& line : wrapped(trimmed(run->detail), columns, kBad))
      lines.push_back(std::move(line));
  for (const view::Task& failed : run->tasks)
    if (failed.stage == view::Stage::failed)
      for (Line& line : wrapped(failed.id + ": " + one_line(failed.detail), columns, kBad))
        lines.push_back(std::move(line));
}

}  // namespace

std::vector<Line> bead_lines(const Focus& focus, const Shown& shown, int columns) {
  const Bead* const chosen = chosen_bead(focus, shown);
  if (chosen == nullptr) return {};
  const Bead& bead = *chosen;
  std::vector<Line> lines = wrapped(one_line(bead.title), columns, kStrong);
  lines.push_back(plain("P" + std::to_string(bead.priority) + " " + bead.type + ", " + bead.status +
                            (bead.parent.empty() ? "" : ", below " + bead.parent),
                        kDim));
  add_work(lines, focus, shown, columns);
  const auto add = [&](std::string_view name, std::string_view text) {
    if (trimmed(text).empty()) return;
    lines.push_back({});
    lines.push_back(plain(std::string(name), kStrong));
    for (Line& line :
         wrapped(trimmed(text.substr(0, std::min<std::size_t>(text.size(), 32768))), columns))
      lines.push_back(std::move(line));
  };
  add("Acceptance", bead.acceptance);
  add("Description", bead.description);
  lines.push_back({});
  if (const view::Run* run = chosen_run(focus, shown); run != nullptr && goes_on(*run)) {
    lines.push_back(plain("Enter: its board", kFocused));
    return lines;
  }
  const int tasks = open_tasks(shown, bead);
  if (tasks == 0) {
    lines.push_back(
        plain(bead.status == "closed" ? "It is closed." : "Nothing below it is open.", kDim));
    return lines;
  }
  const std::string provider =
      focus.provider < shown.providers.size() ? shown.providers[focus.provider] : "the provider";
  lines.push_back(plain(
      is_group(bead)
          ? "Enter: deliver its " + counted(tasks, "open task") + " with " + provider
          : "Enter: run it (" + counted(shown.pipeline_phases, "phase") + ", " + provider + ")",
      kFocused));
  lines.push_back(plain(view::command_of(run_action(focus, shown, bead), shown.options), kDim));
  return lines;
}

void draw_beads(Canvas& canvas, const Focus& focus, const Shown& shown) {
  const Panes both = panes(focus, canvas.columns(), canvas.rows());
  if (both.list.columns > 0) {
    draw_pane(canvas, both.list, "Beads", focus.pane == 0);
    draw_tree(canvas, both.list.inner(), focus, shown);
  }
  if (both.detail.columns == 0) return;
  const Bead* const bead = chosen_bead(focus, shown);
  draw_pane(canvas, both.detail, bead == nullptr ? "" : bead->id, focus.pane == 1);
  if (bead == nullptr) return;
  Area inner = both.detail.inner();
  inner.x += 1;
  inner.columns -= 2;
  draw_lines(canvas, inner, bead_lines(focus, shown, inner.columns), focus.scroll);
}

}  // namespace capsule::tui
