#include "ui/tui/commanding.h"

#include <algorithm>

#include "base/text.h"
#include "ui/tui/parts.h"
#include "ui/tui/rows.h"
#include "ui/tui/typing.h"

namespace capsule::tui {
namespace {

using command_line::Completion;
using Kind = canvas::Key::Kind;

constexpr std::string_view kDraft = ":";
constexpr std::size_t kMaxHistory = 200;
constexpr std::size_t kMaxProposals = 400;

constexpr Elsewhere kElsewhere[] = {
    {"ui", "", "this is it"},
    {"attach", "", "b shows the board of a run, and 3 there what its agents print"},
    {"serve", "", "it works until it is ended: give it a terminal of its own"},
    {"demo", "", "it plays for a while: give it a terminal of its own"},
    {"run-phase", "", "its agent would end with the dashboard: give it a terminal of its own"},
    {"log", "follow", "without --follow it is shown here; 3 on the board follows an agent"},
    {"hook stop", "", "a client calls it, people do not"},
    {"rehearse", "", "Capsule calls it, people do not"},
};

void add(Completion& to, const std::string& word, std::string_view help) {
  const std::size_t equals = to.typed.starts_with("--") ? to.typed.find('=') : to.typed.npos;
  const std::string before = equals == to.typed.npos ? "" : to.typed.substr(0, equals + 1);
  if (to.proposals.size() >= kMaxProposals || !(before + word).starts_with(to.typed)) return;
  const command_line::Proposal one{before + shell_word(word), one_line(help)};
  if (std::find(to.proposals.begin(), to.proposals.end(), one) == to.proposals.end())
    to.proposals.push_back(one);
}

void add_runs(Completion& to, const Shown& shown, bool plans) {
  for (const view::Run* run : current_runs(*shown.project))
    if (!plans || !run->tasks.empty()) add(to, run->name, run->title);
}

void add_beads(Completion& to, const Shown& shown, bool groups) {
  for (const Bead& bead : shown.beads)
    if (bead.status != "closed" && (!groups || is_group(bead))) add(to, bead.id, bead.title);
}

// Of the run that was named before it.
void add_tasks(Completion& to, const Shown& shown) {
  for (const view::Run* run : current_runs(*shown.project)) {
    if (to.words.empty() || (run->name != to.words.back() && run->run != to.words.back())) continue;
    for (const view::Task& task : run->tasks) add(to, task.id, task.title);
  }
}

void add_questions(Completion& to, const Shown& shown) {
  for (const view::Item& item : shown.project->inbox)
    if (item.question > 0) add(to, std::to_string(item.question), item.text);
}

void add_providers(Completion& to, const Shown& shown) {
  for (const std::string& name : shown.providers) add(to, name, "");
}

std::string shared_beginning(const std::vector<command_line::Proposal>& proposals) {
  std::string_view shared = proposals.front().word;
  for (const command_line::Proposal& one : proposals) {
    const auto [end, other] =
        std::mismatch(shared.begin(), shared.end(), one.word.begin(), one.word.end());
    shared = shared.substr(0, static_cast<std::size_t>(end - shared.begin()));
  }
  while (!shared.empty() && (static_cast<unsigned char>(shared.back()) & 0x80U) != 0)
    shared.remove_suffix(1);  // not half a character
  return std::string(shared);
}

void replace_word(Dialog& dialog, std::size_t from, const std::string& word) {
  const std::string behind(behind_cursor(dialog));
  dialog.text.resize(from);
  dialog.text += word + behind;
  dialog.behind = behind.size();
}

// Tab: as much as is sure; then one proposal after the other.
void complete_word(Dialog& dialog, const Shown& shown, int by) {
  if (dialog.cycle < 0) {
    const Completion found = completion_of(before_cursor(dialog), shown);
    if (found.proposals.empty()) return;
    if (found.proposals.size() == 1) {
      const std::string& word = found.proposals.front().word;
      replace_word(dialog, found.from, word + (word.ends_with('=') ? "" : " "));
      return;
    }
    const std::string shared = shared_beginning(found.proposals);
    if (shared.size() > before_cursor(dialog).size() - found.from) {
      replace_word(dialog, found.from, shared);
      return;
    }
    dialog.base = before_cursor(dialog);
  }
  const Completion found = completion_of(dialog.base, shown);
  const int count = static_cast<int>(found.proposals.size());
  if (count == 0) return;
  dialog.cycle = dialog.cycle < 0 && by < 0 ? count - 1 : (dialog.cycle + by + count) % count;
  replace_word(dialog, found.from, found.proposals[static_cast<std::size_t>(dialog.cycle)].word);
}

void recall(Focus& focus, int by) {
  Dialog& dialog = *focus.dialog;
  const int count = static_cast<int>(focus.history.size());
  if (dialog.recalled == count) focus.drafts[std::string(kDraft)] = dialog.text;
  const int to = std::clamp(dialog.recalled + by, 0, count);
  if (to == dialog.recalled) return;
  dialog.recalled = to;
  set_text(dialog, to == count ? focus.drafts[std::string(kDraft)]
                               : focus.history[static_cast<std::size_t>(to)]);
}

Step run_line(Focus focus, const Shown& shown) {
  const std::string line = one_line(focus.dialog->text);
  const Meant what = meant(line, shown);
  if (!what.why_not.empty()) {
    focus.dialog->lines = {what.why_not};
    return {std::move(focus)};
  }
  if (what.words.empty()) return {std::move(focus)};
  if (focus.history.empty() || focus.history.back() != line) focus.history.push_back(line);
  if (focus.history.size() > kMaxHistory) focus.history.erase(focus.history.begin());
  focus.drafts.erase(std::string(kDraft));
  Dialog output;
  output.kind = Dialog::Kind::output;
  output.title = view::command_of({view::Verb::show, what.words, ""});
  output.lines = {"…"};
  output.number = ++focus.commands;
  focus.dialog = std::move(output);
  Effect effect{Effect::Kind::command, what.words, {}};
  effect.number = focus.commands;
  return {std::move(focus), std::move(effect)};
}

}  // namespace

std::span<const Elsewhere> elsewhere() { return kElsewhere; }

void ask_command(Focus& focus) {
  Dialog dialog;
  dialog.kind = Dialog::Kind::input;
  dialog.use = Dialog::Use::line;
  dialog.title = "capsule";
  dialog.recalled = static_cast<int>(focus.history.size());
  if (const auto draft = focus.drafts.find(std::string(kDraft)); draft != focus.drafts.end())
    dialog.text = draft->second;
  focus.dialog = std::move(dialog);
}

Completion completion_of(std::string_view before_cursor, const Shown& shown) {
  Completion to = command_line::complete(shown.commands, before_cursor);
  if (to.command == nullptr || to.wanted.empty()) return to;
  const std::string_view path = to.command->path;
  if (to.typed.starts_with("--provider=") || path == "agents resume")
    add_providers(to, shown);
  else if (to.wanted == "RUN")
    add_runs(to, shown, false);
  else if (to.wanted == "TASK")
    add_tasks(to, shown);
  else if (to.wanted == "BEAD" || (to.wanted == "ID" && path.starts_with("bead ")))
    add_beads(to, shown, false);
  else if (to.wanted == "ID")
    add_questions(to, shown);
  if (to.wanted == "PLAN") {
    add_beads(to, shown, true);
    add_runs(to, shown, true);
  }
  return to;
}

Meant meant(std::string_view line, const Shown& shown) {
  auto parted = command_line::words_of_line(line);
  if (!parted) return {{}, parted.error().message};
  std::vector<std::string> words = std::move(*parted);
  if (!words.empty() && words.front() == "capsule") words.erase(words.begin());
  if (words.empty()) return {};
  std::vector<const char*> pointers;
  for (const std::string& word : words) pointers.push_back(word.c_str());
  const command_line::Match match = command_line::match_command(shown.commands, pointers);
  const auto has = [&](std::string_view option) {
    return std::find(words.begin(), words.end(), "--" + std::string(option)) != words.end();
  };
  if (match.command == nullptr) {
    const Completion known = command_line::complete(shown.commands, "");
    std::vector<std::string_view> names;
    for (const command_line::Proposal& one : known.proposals) names.push_back(one.word);
    const std::string& first = words.front();
    const bool group = std::find(names.begin(), names.end(), first) != names.end();
    if (group || first == "--help" || first == "--version") return {std::move(words), ""};
    const std::string_view near = command_line::nearest(first, names);
    return {{},
            "There is no command '" + printable(cut(first, 40)) + "'" +
                (near.empty() ? "." : ": is it " + std::string(near) + "?")};
  }
  if (has("help")) return {std::move(words), ""};
  for (const Elsewhere& row : kElsewhere)
    if (row.path == match.command->path && (row.option.empty() || has(row.option)))
      return {{}, "Not here: " + std::string(row.instead) + "."};
  // It would end with the dashboard otherwise.
  for (const command_line::Option& option : match.command->options)
    if (option.name == "detach" && !has("detach"))
      words.insert(words.begin() + static_cast<std::ptrdiff_t>(match.words), "--detach");
  return {std::move(words), ""};
}

Step press_command(Focus focus, const canvas::Key& key, const Shown& shown) {
  Dialog& dialog = *focus.dialog;
  const bool completes = key.kind == Kind::tab || key.kind == Kind::back_tab;
  if (completes) {
    complete_word(dialog, shown, key.kind == Kind::tab ? 1 : -1);
    return {std::move(focus)};
  }
  dialog.cycle = -1;
  if (key.kind == Kind::enter) return run_line(std::move(focus), shown);
  if (key.kind == Kind::escape || (key.kind == Kind::control && key.text == "c")) {
    focus.drafts[std::string(kDraft)] = key.kind == Kind::escape ? dialog.text : "";
    focus.dialog.reset();
  } else if (key.kind == Kind::up || key.kind == Kind::down) {
    recall(focus, key.kind == Kind::up ? -1 : 1);
  } else if (key.kind == Kind::control && (key.text == "p" || key.text == "n")) {
    recall(focus, key.text == "p" ? -1 : 1);
  } else {
    dialog.lines.clear();
    if (key.kind == Kind::backspace && dialog.text.empty())
      focus.dialog.reset();
    else
      type(dialog, key);
  }
  return {std::move(focus)};
}

Step press_output(Focus focus, const canvas::Key& key) {
  Dialog& dialog = *focus.dialog;
  const bool text = key.kind == Kind::text;
  const int last = std::max(0, static_cast<int>(dialog.lines.size()) - 1);
  if (scroll(dialog, key, last)) return {std::move(focus)};
  if (text && key.text == ":")
    ask_command(focus);
  else if (text && key.text == "y")
    return {focus, Effect{Effect::Kind::copy, {}, focus.dialog->title}};
  else if (key.kind == Kind::escape || key.kind == Kind::enter || key.kind == Kind::backspace ||
           (text && key.text == "q") || (key.kind == Kind::control && key.text == "c"))
    focus.dialog.reset();
  return {std::move(focus)};
}

void show_output(Focus& focus, int number, const std::string& command,
                 std::vector<std::string> lines, int exit_code) {
  while (!lines.empty() && trimmed(lines.back()).empty()) lines.pop_back();
  if (!focus.dialog || focus.dialog->kind != Dialog::Kind::output ||
      focus.dialog->number != number) {
    focus.note = command + ": " +
                 (!lines.empty()   ? one_line(exit_code == 0 ? lines.front() : lines.back())
                  : exit_code == 0 ? "done"
                                   : "failed");
    return;
  }
  focus.dialog->ended = true;
  focus.dialog->exit_code = exit_code;
  focus.dialog->lines = std::move(lines);
}

}  // namespace capsule::tui
