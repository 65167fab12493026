#include "run/attach.h"

#include <unistd.h>

#include <set>

#include "base/print.h"
#include "base/text.h"
#include "ui/auto_narrator.h"
#include "ui/delivery_narrator.h"
#include "ui/face.h"
#include "ui/phases_narrator.h"
#include "workflow/auto/workflow.h"
#include "workflow/delivery/workflow.h"
#include "world/journal_watch.h"

namespace capsule::run {
namespace {

constexpr std::size_t kLinesBefore = 20;
// The end of a process writes nothing: it is looked for this often.
constexpr std::chrono::milliseconds kLook{1000};
constexpr int kInterrupted = 130;

std::unique_ptr<ui::Narrator> narrator_of(const phases::State& state, const ui::Style& style) {
  return ui::phases_narrator(state, style);
}
std::unique_ptr<ui::Narrator> narrator_of(const delivery::State& state, const ui::Style& style) {
  return ui::delivery_narrator(state, style);
}
std::unique_ptr<ui::Narrator> narrator_of(const auto_mode::Run& state, const ui::Style& style) {
  return ui::auto_narrator(state, style);
}

// Of a run that nobody carries on any more. Which signal ended it is not recorded.
int code_of(const phases::State& state) {
  if (state.step != phases::Step::ended) return phases::Rules::waits_for_person(state) ? 1 : 2;
  return state.outcome == event::Outcome::interrupted ? kInterrupted
                                                      : phases::exit_code(state.outcome);
}
int code_of(const delivery::State& state) { return delivery::exit_code(state); }
int code_of(const auto_mode::Run& state) {
  if (state.step != auto_mode::Step::ended)
    return auto_mode::Rules::waits_for_person(state) ? 1 : 2;
  return state.outcome == auto_mode::Outcome::interrupted ? kInterrupted
                                                          : auto_mode::exit_code(state.outcome);
}

std::string last_lines(const std::string& text) {
  std::size_t at = text.size(), lines = 0;
  while (at > 0 && lines <= kLinesBefore)
    if (text[--at] == '\n') ++lines;
  return at == 0 ? text : "…\n" + text.substr(at + 1);
}

// What a person is asked, once for each question as long as it is open.
class NewQuestions {
 public:
  bool any(const workflow::RunSummary& summary) {
    std::set<int> open;
    for (const workflow::Waiting& wait : summary.waits)
      if (wait.question > 0) open.insert(wait.question);
    bool fresh = false;
    for (const int question : open) fresh |= !told_.contains(question);
    told_ = std::move(open);
    return fresh;
  }

 private:
  std::set<int> told_;
};

template <class Rules>
Result<Followed> follow_by(const world::Project& project, store::Store& store,
                           const world::Run& run, const Attachment& attachment) {
  typename Rules::State state;
  if constexpr (requires { state.run = run.head.run; }) state.run = run.head.run;
  if constexpr (requires { state.id = run.head.run; }) state.id = run.head.run;
  engine::WorkflowOf<Rules> workflow(std::move(state));
  bool catching_up = attachment.look != ui::Look::json;
  std::string before;
  ui::Terminal terminal = ui::standard_terminal();
  terminal.typed_at = false;
  terminal.write = [&](const std::string& text) {
    if (catching_up)
      before += text;
    else
      print(text);
  };
  const ui::Style style = ui::style_for(STDOUT_FILENO);
  ui::Face face(attachment.look, run.head, narrator_of(workflow.state(), style), style, nullptr,
                terminal);
  world::JournalWatch watch(project.root());
  NewQuestions questions;
  Followed followed;
  std::uint64_t last = 0;
  std::string last_at;
  for (;;) {
    // Asked before the facts are read: what a process recorded before it ended is never missed.
    const auto holder = TRY(store.holder(run.head.subject));
    const bool live = holder && holder->run == run.head.run;
    const std::vector<event::Fact> facts = TRY(store.read(run.head.run, last));
    // All facts of a step have its time; a narrator tells them with the state after all of them.
    for (std::size_t i = 0; i < facts.size();) {
      std::vector<event::NewFact> step;
      const std::size_t first = i;
      for (; i < facts.size() && facts[i].at == facts[first].at; ++i) {
        TRY_VOID(workflow.apply(facts[i]));
        step.push_back({facts[i].kind, facts[i].at, facts[i].body});
      }
      last = facts[i - 1].seq;
      last_at = facts[i - 1].at;
      face.on_facts(step);
    }
    if (std::exchange(catching_up, false)) print(last_lines(before));
    if (attachment.look != ui::Look::json && live && questions.any(workflow.summary()))
      print(attachment.questions(TRY(world::read_run(store, TRY(store.head(run.head.run))))));
    if (!live) break;
    if (!attachment.leave()) watch.wait(kLook);
    if ((followed.left = attachment.leave())) break;
  }
  followed.run = TRY(world::read_run(store, TRY(store.head(run.head.run))));
  followed.exit_code = followed.left ? kInterrupted : code_of(workflow.state());
  if (!followed.left) face.finish({followed.exit_code, last_at, {}});
  return followed;
}

}  // namespace

Result<Followed> follow(const world::Project& project, store::Store& store, const world::Run& run,
                        const Attachment& attachment) {
  if (run.head.workflow == engine::kDelivery)
    return follow_by<delivery::Rules>(project, store, run, attachment);
  if (run.head.workflow == engine::kAuto)
    return follow_by<auto_mode::Rules>(project, store, run, attachment);
  return follow_by<phases::Rules>(project, store, run, attachment);
}

}  // namespace capsule::run
