#include "ui/tui/asking.h"

#include <algorithm>

#include "base/text.h"
#include "canvas/width.h"
#include "ui/tui/commanding.h"
#include "ui/tui/key_table.h"
#include "ui/tui/parts.h"
#include "ui/tui/rows.h"
#include "ui/tui/typing.h"

namespace capsule::tui {
namespace {

using Kind = canvas::Key::Kind;
using view::Verb;

std::string name_for_people(const view::Run& run) {
  return run.name.substr(run.name.rfind('/') + 1);
}

// However long it is: what will happen stands below, and is to be seen.
std::string short_title(std::string_view title) {
  constexpr int kColumns = 160;
  return canvas::fitted(one_line(title), kColumns);
}

void ask(Focus& focus, Dialog dialog) { focus.dialog = std::move(dialog); }

Dialog confirm(std::string title, std::vector<std::string> lines, std::string yes,
               view::Action action) {
  Dialog dialog;
  dialog.kind = Dialog::Kind::confirm;
  dialog.title = std::move(title);
  dialog.lines = std::move(lines);
  dialog.yes = std::move(yes);
  dialog.action = std::move(action);
  return dialog;
}

}  // namespace

void ask_to_run(Focus& focus, const Shown& shown) {
  const Bead* const bead = chosen_bead(focus, shown);
  if (bead == nullptr) return;
  const int tasks = open_tasks(shown, *bead);
  if (tasks == 0) {
    focus.note = bead->status == "closed" ? bead->id + " is closed: nothing to run"
                                          : "nothing below " + bead->id + " is open";
    return;
  }
  const std::string provider = focus.provider < shown.providers.size()
                                   ? shown.providers[focus.provider]
                                   : "the provider of the configuration";
  const std::string what =
      is_group(*bead)
          ? "Delivers the " + counted(tasks, "open task") + " below it with " + provider +
                ": each in a worktree of its own, reviewed, checked and merged to " +
                shown.main_branch + "."
          : "Makes a worktree, runs " + counted(shown.pipeline_phases, "phase") + " with " +
                provider + ", and merges to " + shown.main_branch + " when it is signed off.";
  ask(focus, confirm("Run " + bead->id + "?",
                     {short_title(bead->title), "", what, "It goes on when you leave.", ""},
                     " r  Run " + counted(tasks, "task") + " ", run_action(focus, shown, *bead)));
}

std::optional<view::Action> action_for(const Focus& focus, const Shown& shown, Verb verb) {
  const auto all = actions(focus, shown);
  const view::Action* const found = find_action(all, verb);
  if (found == nullptr) return {};
  view::Action action = *found;
  if (!view::can_detach(action)) return action;
  // Somebody looks on who can answer.
  if (action.words.front() == "deliver") action.words.push_back("--wait");
  action.words.push_back("--detach");
  return action;
}

void ask_verb(Focus& focus, const Shown& shown, Verb verb) {
  const std::optional<view::Action> action = action_for(focus, shown, verb);
  const view::Run* const run = chosen_run(focus, shown);
  if (!action || run == nullptr) return;
  const std::string name = name_for_people(*run);
  const std::string title = short_title(run->title);
  if (verb == Verb::abort)
    ask(focus, confirm("Abort " + name + "?",
                       {title, "",
                        "Its " + counted(run->at_work, "agent") +
                            " and all their processes are ended now. What they did is kept, in the "
                            "worktree and as a snapshot; the run can go on later.",
                        ""},
                       " x  Abort the run ", *action));
  else if (verb == Verb::retry)
    ask(focus, confirm("Try " + name + " again?",
                       {title, "",
                        run->failed > 0 && !run->tasks.empty()
                            ? "Its " + counted(run->failed, "failed task") +
                                  " and what waits for them are tried again; what is merged stays."
                            : "It goes on at its first phase that is not done.",
                        ""},
                       run->failed > 0 && !run->tasks.empty()
                           ? " r  Try " + counted(run->failed, "task") + " again "
                           : " r  Try it again ",
                       *action));
  else if (verb == Verb::go_on)
    ask(focus,
        confirm("Go on with " + name + "?",
                {title, "", "It is taken up where it was left, and goes on when you leave.", ""},
                " R  Go on with " + name + " ", *action));
  else if (verb == Verb::merge)
    ask(focus, confirm("Merge " + name + "?",
                       {title, "", "Its checks run again, and then it is merged.", ""},
                       " M  Merge it ", *action));
}

// A question, with what one should know to answer it.
void ask_answer(Focus& focus, const Shown& shown, bool reject) {
  const view::Item* const item = chosen_item(focus, shown);
  const auto all = actions(focus, shown);
  if (item != nullptr && item->kind == view::Attention::approval && !reject) {
    if (const view::Action* approve = find_action(all, Verb::approve))
      ask(focus, confirm("Approve?", {short_title(item->title), "", item->text, item->context, ""},
                         " a  Approve it ", *approve));
    return;
  }
  const view::Action* const action = find_action(all, reject ? Verb::reject : Verb::answer);
  if (item == nullptr || action == nullptr) return;
  Dialog dialog;
  dialog.kind = Dialog::Kind::input;
  dialog.use = Dialog::Use::answer;
  dialog.title = reject ? "What has to be different?"
                        : "Question " + std::to_string(item->question) +
                              (item->task.empty() ? "" : " of " + item->task);
  dialog.lines = {item->text};
  if (!item->context.empty()) {
    dialog.lines.push_back("");
    dialog.lines.push_back(item->context);
  }
  dialog.lines.push_back("");
  dialog.action = *action;
  if (!reject && !item->options.empty()) {
    dialog.options = item->options;
    dialog.action.words.pop_back();  // the option itself
    dialog.action.wants = "TEXT";
  }
  dialog.draft = item->key + (reject ? "/reject" : "");
  if (const auto draft = focus.drafts.find(dialog.draft); draft != focus.drafts.end())
    dialog.text = draft->second;
  ask(focus, std::move(dialog));
}

void ask_tell(Focus& focus, const Shown& shown) {
  const auto all = actions(focus, shown);
  const view::Action* const action = find_action(all, Verb::tell);
  if (action == nullptr) return;
  Dialog dialog;
  dialog.kind = Dialog::Kind::input;
  dialog.use = Dialog::Use::answer;
  dialog.title = "Tell " + joined(std::span(action->words).subspan(1), " ");
  dialog.lines = {"Whoever works is told at once, where its client can hear; else the next one.",
                  ""};
  dialog.action = *action;
  dialog.draft = "tell/" + joined(action->words, "/");
  if (const auto draft = focus.drafts.find(dialog.draft); draft != focus.drafts.end())
    dialog.text = draft->second;
  ask(focus, std::move(dialog));
}

namespace {

Step send(Focus focus, const Dialog& dialog) {
  focus.drafts.erase(dialog.draft);
  focus.dialog.reset();
  if (focus.screen == Screen::beads && dialog.action.verb == Verb::go_on &&
      dialog.action.words.size() > 1) {
    focus.started = dialog.action.words[1];
    focus.chosen.erase(Screen::beads);
  }
  Effect effect{Effect::Kind::command, {}, {}};
  effect.words = dialog.action.wants.empty()
                     ? dialog.action.words
                     : view::words_with(dialog.action, std::string(trimmed(dialog.text)));
  focus.note = "…";
  return {std::move(focus), std::move(effect)};
}

Step press_input(Focus focus, const canvas::Key& key) {
  Dialog& dialog = *focus.dialog;
  const bool filter = dialog.use == Dialog::Use::filter;
  const bool find = dialog.use == Dialog::Use::find;
  const bool sends = key.kind == Kind::enter || (key.kind == Kind::control && key.text == "s");
  if (key.kind == Kind::control && key.text == "c") {
    focus.dialog.reset();
    return {std::move(focus)};
  }
  if (key.kind == Kind::escape) {
    if (filter)
      focus.filter.clear();
    else if (find)
      focus.find.clear();
    else if (!dialog.text.empty())
      focus.drafts[dialog.draft] = dialog.text;
    focus.dialog.reset();
    return {std::move(focus)};
  }
  if (sends && (filter || find)) {
    focus.dialog.reset();
    return {std::move(focus)};
  }
  if (sends) {
    if (trimmed(dialog.text).empty()) return {std::move(focus)};
    const Dialog sent = dialog;
    return send(std::move(focus), sent);
  }
  if (key.kind == Kind::up || key.kind == Kind::wheel_up)
    dialog.scroll = std::max(0, dialog.scroll - 1);
  else if (key.kind == Kind::down || key.kind == Kind::wheel_down)
    ++dialog.scroll;
  else if (dialog.text.empty() && key.kind == Kind::text && key.text.size() == 1 &&
           is_digit(key.text[0]) && key.text[0] != '0' &&
           static_cast<std::size_t>(key.text[0] - '1') < dialog.options.size())
    set_text(dialog, dialog.options[static_cast<std::size_t>(key.text[0] - '1')]);
  else
    type(dialog, key);
  if (filter) focus.filter = dialog.text;
  if (find) focus.find = dialog.text;
  return {std::move(focus)};
}

}  // namespace

Step press_dialog(Focus focus, const canvas::Key& key, const Shown& shown) {
  Dialog& dialog = *focus.dialog;
  if (dialog.kind == Dialog::Kind::output) return press_output(std::move(focus), key);
  if (dialog.use == Dialog::Use::line && dialog.kind == Dialog::Kind::input)
    return press_command(std::move(focus), key, shown);
  if (dialog.kind == Dialog::Kind::input) return press_input(std::move(focus), key);
  constexpr int kMostLines = 200;
  const int last =
      dialog.kind == Dialog::Kind::help ? static_cast<int>(key_table().size()) - 1 : kMostLines;
  if (scroll(dialog, key, last)) return {std::move(focus)};
  if (dialog.kind == Dialog::Kind::confirm) {
    const bool letter =
        key.kind == Kind::text && dialog.yes.size() > 1 && key.text == dialog.yes.substr(1, 1);
    // What ends something wants its own key: Enter may have been meant for what was there before.
    if (letter || (key.kind == Kind::enter && dialog.action.verb != Verb::abort)) {
      const Dialog sent = dialog;
      return send(std::move(focus), sent);
    }
    const bool leaves = key.kind == Kind::escape || key.kind == Kind::backspace ||
                        (key.kind == Kind::text && key.text == "q") ||
                        (key.kind == Kind::control && key.text == "c");
    if (leaves) focus.dialog.reset();
    return {std::move(focus)};
  }
  if (key.kind != Kind::press) focus.dialog.reset();  // help: any key
  return {std::move(focus)};
}

}  // namespace capsule::tui
