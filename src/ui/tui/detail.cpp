// What the second pane says about a task or a phase: evidence, diff, transcript, the thing itself.
#include <algorithm>

#include "base/text.h"
#include "canvas/width.h"
#include "ui/activity_text.h"
#include "ui/attempt_text.h"
#include "ui/tui/draw.h"
#include "ui/tui/key_table.h"
#include "ui/tui/rows.h"
#include "ui/usage_text.h"

namespace capsule::tui {
namespace {

using Lines = std::vector<Line>;

void add_text(Lines& lines, std::string_view text, int columns, Paint paint, int indent) {
  constexpr std::size_t kMaxLines = 40;  // of one text; all of it is in the transcript
  Lines more = wrapped(trimmed(text.substr(0, std::min<std::size_t>(text.size(), 8192))),
                       columns - indent, paint);
  if (more.size() > kMaxLines) more.resize(kMaxLines);
  for (Line& line : more) {
    line.insert(line.begin(), {std::string(static_cast<std::size_t>(indent), ' ')});
    lines.push_back(std::move(line));
  }
}

std::string said_of(const view::Attempt& attempt) {
  if (attempt.running && !attempt.idle.empty()) return "stands still";
  if (attempt.running) return attempt.held ? "held" : "works";
  if (!attempt.said.empty())
    return canvas::fitted(lowered(replace_all(attempt.said, "_", " ")), 20);
  if (attempt.fault != event::Fault::none) return replace_all(name_of(attempt.fault), "_", " ");
  return "said nothing";
}

// What came of it in all; where nobody decided by it, what the single claims came to.
Span checked_of(const view::Attempt& attempt) {
  const auto any = [&](event::Verdict verdict) {
    return std::any_of(attempt.claims.begin(), attempt.claims.end(),
                       [&](const event::Claim& claim) { return claim.verdict == verdict; });
  };
  if (attempt.checked == view::Finding::refused) return {"✗ refused", kBad};
  if (attempt.checked == view::Finding::held) return {"✓ holds", kGood};
  if (any(event::Verdict::broken)) return {"✗ is not so", kBad};
  if (any(event::Verdict::differs)) return {"↻ differs", kWarn};
  if (any(event::Verdict::held)) return {"✓ holds", kGood};
  return {attempt.running ? "" : "· not checked", kDim};
}

Sign sign_of_verdict(event::Verdict verdict) {
  switch (verdict) {
    case event::Verdict::held:
      return {Mark::done, kGood};
    case event::Verdict::broken:
      return {Mark::failed, kBad};
    case event::Verdict::differs:
      return {Mark::sent_back, kWarn};
    case event::Verdict::unchecked:
      break;
  }
  return {Mark::silent, kDim};
}

// What an agent said, beside what was found; and how long it took, where there is room for that on
// every line.
constexpr int kTimeColumn = 60;
void add_attempt(Lines& lines, const view::Run& run, const view::Attempt& attempt,
                 const Shown& shown, int columns) {
  const bool left = attempt.running && !goes_on(run);  // whoever it was works no more
  const Sign sign = left ? sign_of(run) : sign_of(attempt);
  const std::string said = left ? life_words(run) : said_of(attempt);
  const std::string who = attempt.role + " " + std::to_string(attempt.attempt);
  Line line{{std::string(sign.mark()), sign.paint}, {" " + who, kStrong}};
  const int pad = std::max(1, 20 - canvas::width_of(who));
  line.push_back({std::string(static_cast<std::size_t>(pad), ' ') + said});
  const int used = 2 + canvas::width_of(who) + pad + canvas::width_of(said);
  Span checked = checked_of(attempt);
  const int after = used + std::max(2, 44 - used) + canvas::width_of(checked.text);
  checked.text.insert(0, static_cast<std::size_t>(std::max(2, 44 - used)), ' ');
  line.push_back(std::move(checked));
  if (columns >= kTimeColumn + 6)
    line.push_back({std::string(static_cast<std::size_t>(std::max(1, kTimeColumn - after)), ' ') +
                        age(attempt.began, attempt.running ? end_of(run, shown) : attempt.ended),
                    kDim});
  lines.push_back(std::move(line));
  if (attempt.doing && attempt.running && !left)
    lines.push_back(plain("    " + ui::activity_words(*attempt.doing), kBusy));
  if (!attempt.found.empty())
    add_text(lines, attempt.found, columns,
             attempt.checked == view::Finding::refused ? kBad : kPlain, 4);
  if (!attempt.sent_back.empty()) add_text(lines, attempt.sent_back, columns, kWarn, 4);
  for (const event::Claim& claim : attempt.claims) {
    const Sign verdict = sign_of_verdict(claim.verdict);
    lines.push_back({{"    "},
                     {std::string(verdict.mark()), verdict.paint},
                     {" " + one_line(claim.what)},
                     {claim.detail.empty() ? "" : "  " + one_line(claim.detail), kDim}});
  }
  for (const event::CheckRun& check : attempt.checks)
    lines.push_back(
        plain("    $ " + one_line(check.command) + "  " + ui::result_words(check), kDim));
}

// "developer 2 (3 of 4)": an attempt, and where it stands among those of its task or phase.
std::string name_of_attempt(const view::Attempt& attempt, const Focus& focus, const Shown& shown) {
  const auto all = chosen_attempts(focus, shown);
  const std::string name = attempt.role + " " + std::to_string(attempt.attempt);
  if (all.size() < 2) return name;
  const auto place = std::find(all.begin(), all.end(), &attempt) - all.begin() + 1;
  return name + " (" + std::to_string(place) + " of " + std::to_string(all.size()) + ")";
}

std::string way_to_others(const Focus& focus, const Shown& shown) {
  return chosen_attempts(focus, shown).size() > 1 ? "   [ ] other attempts" : "";
}

Lines diff_lines(const Focus& focus, const Shown& shown) {
  Lines lines;
  const view::Attempt* const attempt = chosen_attempt(focus, shown);
  const Wish wish = diff_wish(focus, shown);
  if (attempt != nullptr)
    lines.push_back(plain(name_of_attempt(*attempt, focus, shown) +
                              (wish.words.empty()             ? ""
                               : wish.words[0].ends_with('^') ? " against where it began"
                                                              : " against the attempt before") +
                              way_to_others(focus, shown),
                          kDim));
  for (Line& line : page_lines(shown, wish, "This attempt left no snapshot.")) {
    for (Span& span : line) {
      if (span.text.starts_with("+++") || span.text.starts_with("---") ||
          span.text.starts_with("diff "))
        span.paint = kStrong;
      else if (span.text.starts_with('+'))
        span.paint = kGood;
      else if (span.text.starts_with('-'))
        span.paint = kBad;
      else if (span.text.starts_with("@@"))
        span.paint = kBusy;
      span.text = replace_all(span.text, "\t", "    ");
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

Lines transcript_lines(const Focus& focus, const Shown& shown) {
  Lines lines;
  const view::Attempt* const attempt = chosen_attempt(focus, shown);
  if (attempt == nullptr) return {plain("No agent has worked on it.", kDim)};
  std::string who = name_of_attempt(*attempt, focus, shown);
  if (!attempt->client.empty()) who += " · " + attempt->client;
  if (!attempt->answered.empty()) who += " · " + attempt->answered;
  if (const std::string use = ui::agent_use_words(attempt->use); !use.empty()) who += " · " + use;
  lines.push_back({{who, kStrong},
                   {focus.at_end ? "   following" : "   F follows", kDim},
                   {way_to_others(focus, shown), kDim}});
  for (Line& line : page_lines(shown, transcript_wish(focus, shown), "It has printed nothing."))
    lines.push_back(std::move(line));
  for (Line& line : lines)
    for (Span& span : line) span.text = replace_all(span.text, "\t", "    ");
  return lines;
}

void add_row(Lines& lines, std::string_view name, std::string value, Paint paint = {}) {
  if (value.empty()) return;
  lines.push_back({{padded(name, 14), kDim}, {std::move(value), paint}});
}

Lines task_lines(const Focus& focus, const Shown& shown, int columns) {
  Lines lines;
  const view::Run* const run = chosen_run(focus, shown);
  if (run == nullptr) return lines;
  if (const view::Task* task = chosen_task(focus, shown)) {
    add_text(lines, one_line(task->title), columns, kStrong, 0);
    add_row(lines, "stage", std::string(name_of(task->stage)), sign_of(*task).paint);
    for (const view::Wait& wait : task->waits)
      add_row(lines, "waits for", view::short_words(wait), kWarn);
    std::string needs;
    for (const int number : task->needs)
      if (number >= 0 && number < static_cast<int>(run->tasks.size()))
        needs += (needs.empty() ? "" : ", ") + run->tasks[static_cast<std::size_t>(number)].id;
    add_row(lines, "needs", needs);
    if (task->wave > 0) add_row(lines, "wave", std::to_string(task->wave));
    if (task->critical) add_row(lines, "critical path", "yes");
    add_row(lines, "began", task->began);
    add_row(lines, "ended", task->ended);
    if (task->cost_micros > 0) add_row(lines, "cost", ui::money_text(task->cost_micros));
    add_row(lines, "commit", task->commit);
    for (const std::string& file : task->files) add_row(lines, "changed", file);
    if (!task->detail.empty()) add_text(lines, task->detail, columns, kPlain, 0);
  } else if (const view::Phase* phase = chosen_phase(focus, shown)) {
    add_row(lines, "phase", phase->name, kStrong);
    add_row(lines, "state", std::string(name_of(phase->state)), sign_of(phase->state).paint);
    add_row(lines, "attempts", std::to_string(phase->attempts.size()));
  }
  lines.push_back({});
  add_row(lines, "run", run->run);
  add_row(lines, "workflow", run->workflow);
  add_row(lines, "provider", run->provider);
  for (const view::Tree& tree : run->trees)
    if (tree.task.empty() || chosen_task(focus, shown) == nullptr ||
        tree.task == chosen_task(focus, shown)->id) {
      add_row(lines, "worktree", tree.folder);
      add_row(lines, "branch", tree.branch);
    }
  add_row(lines, "merged as", run->merged_as);
  add_row(lines, "on branch", run->on_branch);
  add_row(lines, "walls", workflow::walls_words(run->contained));
  if (run->holder) add_row(lines, "worked on by", "pid " + std::to_string(run->holder->pid));
  for (const view::Message& message : run->messages)
    add_row(lines, "told", one_line(message.text) + (message.heard ? "" : "  (not heard yet)"));
  for (const std::string& moved : run->ground) add_row(lines, "ground", one_line(moved), kWarn);
  for (const std::string& one : run->to_know) add_row(lines, "to know", one_line(one), kWarn);
  lines.push_back({});
  for (const view::Action& action : actions(focus, shown))
    add_text(lines, view::command_of(action, shown.options), columns, kDim, 2);
  return lines;
}

std::size_t place_of(std::string_view text, std::string_view words) {
  return static_cast<std::size_t>(std::search(text.begin(), text.end(), words.begin(), words.end(),
                                              [](char a, char b) { return lower(a) == lower(b); }) -
                                  text.begin());
}

// Paints the words that are looked for.
Line with_hits(const Line& line, std::string_view words, bool here) {
  const Paint paint{Colour::yellow, here, false, true};
  Line painted;
  for (const Span& span : line) {
    std::string_view rest = span.text;
    while (!rest.empty()) {
      const std::size_t at = place_of(rest, words);
      if (at > 0) painted.push_back({std::string(rest.substr(0, at)), span.paint});
      rest.remove_prefix(at);
      if (rest.empty()) break;
      painted.push_back({std::string(rest.substr(0, words.size())), paint});
      rest.remove_prefix(words.size());
    }
  }
  return painted;
}

Lines found_in(const Focus& focus, Lines lines) {
  if (!finding(focus)) return lines;
  for (const int hit : hits(focus, lines)) {
    Line& line = lines[static_cast<std::size_t>(hit)];
    line = with_hits(line, focus.find, hit == focus.hit);
  }
  return lines;
}

}  // namespace

std::vector<int> hits(const Focus& focus, const std::vector<Line>& lines) {
  std::vector<int> found;
  for (std::size_t i = 1; finding(focus) && i < lines.size(); ++i)
    for (const Span& span : lines[i])
      if (passes(span.text, focus.find)) {
        found.push_back(static_cast<int>(i));
        break;
      }
  return found;
}

Lines evidence_lines(const Focus& focus, const Shown& shown, int columns) {
  Lines lines;
  const view::Task* const task = chosen_task(focus, shown);
  if (const view::Item* item = chosen_item(focus, shown);
      item != nullptr && task != nullptr && item->task == task->id) {
    add_text(lines, one_line(item->text), columns, kWarn, 0);
    lines.push_back({});
  } else if (task != nullptr && !task->detail.empty()) {
    add_text(lines, task->detail, columns, task->stage == view::Stage::failed ? kBad : kPlain, 0);
    lines.push_back({});
  }
  const view::Run* const run = chosen_run(focus, shown);
  const auto attempts = chosen_attempts(focus, shown);  // none without a run
  if (!attempts.empty())
    lines.push_back(plain("                      said                  checked", kDim));
  for (auto it = attempts.rbegin(); it != attempts.rend(); ++it)
    add_attempt(lines, *run, **it, shown, columns);
  if (task != nullptr && !task->commit.empty()) {
    lines.push_back({});
    lines.push_back({{"● merged as ", kGood},
                     {task->commit.substr(0, 12), kStrong},
                     {", " + counted(task->files.size(), "file")}});
    for (const event::CheckRun& check : task->checks)
      lines.push_back(
          plain("    $ " + one_line(check.command) + "  " + ui::result_words(check), kDim));
    if (const std::string words = workflow::evidence_words(task->evidence); !words.empty())
      add_text(lines, words, columns, kGood, 4);
  }
  if (lines.empty()) lines.push_back(plain("No agent has worked on it.", kDim));
  return lines;
}

std::vector<Line> detail_lines(const Focus& focus, const Shown& shown, int columns) {
  switch (focus.tab) {
    case Tab::evidence:
      return evidence_lines(focus, shown, columns);
    case Tab::diff:
      return found_in(focus, diff_lines(focus, shown));
    case Tab::transcript:
      return found_in(focus, transcript_lines(focus, shown));
    case Tab::task:
      break;
  }
  return task_lines(focus, shown, columns);
}

}  // namespace capsule::tui
