#include "run/attach.h"

#include <unistd.h>

#include <set>

#include "base/print.h"
#include "base/text.h"
#include "event/pipeline.h"
#include "ui/face.h"
#include "world/run_watch.h"

namespace capsule::run {
namespace {

constexpr std::size_t kLinesBefore = 20;
constexpr int kInterrupted = 130;

std::string last_lines(const std::string& text) {
  std::size_t at = text.size(), lines = 0;
  while (at > 0 && lines <= kLinesBefore)
    if (text[--at] == '\n') ++lines;
  return at == 0 ? text : "…\n" + text.substr(at + 1);
}

// What a person is asked, once for each question as long as it is open.
class NewQuestions {
 public:
  bool any(const view::Run& run) {
    std::set<int> open;
    for (const view::Wait& wait : run.waits)
      if (wait.question > 0) open.insert(wait.question);
    bool fresh = false;
    for (const int question : open) fresh |= !told_.contains(question);
    told_ = std::move(open);
    return fresh;
  }

 private:
  std::set<int> told_;
};

}  // namespace

Result<Followed> follow(const world::Project& project, engine::Records& store,
                        const world::Run& run, const Attachment& attachment) {
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
  ui::Face face(attachment.look, run.head, ui::style_for(STDOUT_FILENO), nullptr, terminal);
  world::RunWatch watch(project.root());
  NewQuestions questions;
  Followed followed;
  std::uint64_t last = 0;
  std::string last_at;
  for (;;) {
    // Asked before the facts are read: what a process recorded before it ended is never missed.
    const auto holder = TRY(store.holder(run.head.subject));
    const bool live = holder && holder->run == run.head.run;
    if (live) watch.look_at(holder->process);
    const std::vector<event::Fact> facts = TRY(store.read(run.head.run, last));
    // All facts of a step have its time; a narrator tells them by the view after all of them.
    for (std::size_t i = 0; i < facts.size();) {
      std::vector<event::NewFact> step;
      const std::size_t first = i;
      for (; i < facts.size() && facts[i].at == facts[first].at; ++i)
        step.push_back({facts[i].kind, facts[i].at, facts[i].body});
      last = facts[i - 1].seq;
      last_at = facts[i - 1].at;
      face.on_facts(step);
    }
    if (!face.run().unreadable.empty()) return fail(Reason::damaged, face.run().unreadable);
    if (std::exchange(catching_up, false)) print(last_lines(before));
    if (attachment.look != ui::Look::json && live && questions.any(face.run()))
      print(attachment.questions(TRY(world::read_run(store, TRY(store.head(run.head.run))))));
    if (!live) break;
    watch.wait(attachment.leave);
    if ((followed.left = attachment.leave())) break;
  }
  followed.run = TRY(world::read_run(store, TRY(store.head(run.head.run))));
  const bool interrupted = face.run().outcome == event::name_of(event::Outcome::interrupted);
  followed.exit_code = followed.left || interrupted ? kInterrupted : face.run().exit_code;
  if (!followed.left) face.finish({followed.exit_code, last_at});
  return followed;
}

}  // namespace capsule::run
