// capsule deliver: a whole plan, by parallel Developers, Critics and Auditors.
#include <unistd.h>

#include <algorithm>
#include <charconv>

#include "base/clock.h"
#include "base/files.h"
#include "base/print.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/project_args.h"
#include "cli/session.h"
#include "engine/delivery_runner.h"
#include "ui/delivery_view.h"
#include "world/crash_probe.h"
#include "world/delivery_plan.h"
#include "world/delivery_world.h"
#include "world/experts.h"

namespace capsule::cli {
namespace {

using event::delivery::Outcome;
using event::delivery::Task;

constexpr Positional kPositionals[] = {
    {"PLAN", "A Markdown plan, or a feature or epic bead: its beads are the tasks"}};
constexpr Option kOptions[] = {
    kProjectDir,
    kProvider,
    {"developers", "N", "How many Developers work at once", "", "5"},
    {"critics", "N", "How many Critics work at once", "", "5"},
    {"auditors", "N", "How many Auditors work at once", "", "5"},
    {"experts", "", "Let a plan analyst create experts whom agents can ask"},
    {"answers", "FILE", "Answers to questions, for a delivery that nobody watches"},
    {"wait", "", "Stay when only a person's answer can bring it on"},
    {"json", "", "One event a line on stdout, nothing else"},
    kScriptsDir,
};

struct SystemClock : engine::Clock {
  std::string utc_now() override { return capsule::utc_now(); }
  std::int64_t monotonic_ms() override { return capsule::monotonic_ms(); }
};

Result<void> read_count(const Args& args, std::string_view name, int& count) {
  const auto text = args.option(name);
  if (!text) return {};
  int value = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  constexpr int kMost = 1000;
  if (error != std::errc() || end != text->data() + text->size() || value < 1 || value > kMost)
    return fail(Reason::usage,
                "--" + std::string(name) + " cannot be '" + printable(text->substr(0, 40)) + "'",
                "it must be a whole number from 1 to 1000");
  count = value;
  return {};
}

// Closes the beads of tasks that are complete, and passes everything on to the view.
class Listener : public engine::DeliveryListener {
 public:
  Listener(ui::DeliveryView& view, engine::Tracker* tracker) : view_(view), tracker_(tracker) {}
  void on_facts(const std::vector<engine::DeliveryFact>& facts, const delivery::State& after,
                const std::string& at) override {
    view_.on_facts(facts, after, at);
    if (tracker_ == nullptr) return;
    for (const engine::DeliveryFact& fact : facts)
      if (const auto* done = std::get_if<event::delivery::TaskCompleted>(&fact))
        if (auto closed = tracker_->close(done->task, "Merged by Capsule"); !closed)
          view_.tell("cannot close " + printable(done->task) + ": " +
                     printable(closed.error().message) + "\n");
  }

 private:
  ui::DeliveryView& view_;
  engine::Tracker* tracker_;
};

// The tasks as the plan had them when it was last read, whatever became of them.
std::vector<Task> tasks_before(const std::vector<engine::DeliveryFact>& facts) {
  std::vector<Task> tasks;
  for (const engine::DeliveryFact& fact : facts) {
    if (const auto* started = std::get_if<event::delivery::DeliveryStarted>(&fact))
      tasks = started->tasks;
    if (const auto* changed = std::get_if<event::delivery::PlanChanged>(&fact)) {
      std::erase_if(tasks, [&](const Task& task) {
        return std::find(changed->removed.begin(), changed->removed.end(), task.id) !=
               changed->removed.end();
      });
      for (const Task& task : changed->changed)
        for (Task& old : tasks)
          if (old.id == task.id) old = task;
      tasks.insert(tasks.end(), changed->added.begin(), changed->added.end());
    }
  }
  return tasks;
}

// What earlier deliveries of this plan have merged needs not be done again.
struct Earlier {
  std::vector<std::string> completed;
  std::optional<engine::DeliveryRecord> unfinished;
  std::optional<engine::DeliveryRecord> ended;  // the newest
};

Result<Earlier> look_back(store::Store& store, const std::string& subject) {
  Earlier earlier;
  for (const engine::RunHead& head : TRY(engine::deliveries(store, subject))) {
    engine::DeliveryRecord record = TRY(engine::read_delivery(store, head));
    earlier.unfinished.reset();
    if (record.state.outcome == Outcome::none || record.state.outcome == Outcome::halted) {
      earlier.unfinished = std::move(record);
      continue;
    }
    for (const std::string& id : delivery::summary_of(record.state).completed)
      earlier.completed.push_back(id);
    earlier.ended = std::move(record);
  }
  return earlier;
}

std::string report_path(const world::Project& project, const std::string& run) {
  return project.root() + "/.capsule/logs/delivery-" + run + ".md";
}

Result<void> write_report(const world::Project& project, const std::string& run,
                          const delivery::State& state) {
  TRY_VOID(make_folders(project.root() + "/.capsule/logs"));
  return write_file(report_path(project, run), ui::delivery_report(state, run));
}

// The report comes last: without it the process was cut off between the end of the delivery and the
// end of its clearing up.
Result<void> finish_clearing_up(const world::Project& project, process::Loop& loop,
                                world::Interrupt& interrupt, const engine::DeliveryRecord& record) {
  const std::string& run = record.head.run;
  if (exists(report_path(project, run))) return {};
  world::DeliveryOptions options;
  options.run = run;
  world::DeliveryHands hands(project, loop, interrupt, std::move(options));
  hands.recall(record.facts);
  hands.clean_up();
  return write_report(project, run, record.state);
}

void leave_out(std::vector<Task>& tasks, const std::vector<std::string>& completed) {
  const std::set<std::string> done(completed.begin(), completed.end());
  std::erase_if(tasks, [&](const Task& task) { return done.contains(task.id); });
  for (Task& task : tasks)
    std::erase_if(task.blocked_by, [&](const std::string& id) { return done.contains(id); });
}

std::string finished_line(delivery::State state, const std::vector<std::string>& completed) {
  std::vector<delivery::TaskState> all;
  for (const std::string& id : completed) {
    delivery::TaskState task;
    task.task.id = id;
    task.stage = delivery::Stage::complete;
    all.push_back(std::move(task));
  }
  all.insert(all.end(), state.tasks.begin(), state.tasks.end());
  state.tasks = std::move(all);
  for (delivery::Question& question : state.questions)
    if (question.task >= 0) question.task += static_cast<int>(completed.size());
  return ui::delivery_finished_json(state);
}

Result<int> deliver(const Args& args, ui::Face face) {
  const std::string word(args.positional(0).value_or(""));
  event::delivery::Slots slots;
  world::Project project = TRY(open_project(args));
  slots = world::slots_of(project.config);
  TRY_VOID(read_count(args, "developers", slots.developers));
  TRY_VOID(read_count(args, "critics", slots.critics));
  TRY_VOID(read_count(args, "auditors", slots.auditors));
  const world::PlanSource source = TRY(world::find_plan(word));
  plan::Checked checked = TRY(world::load_plan(project, source));
  world::DeliveryOptions options;
  if (const auto file = args.option("answers"))
    options.answers = TRY(world::AnswersFile::read(std::string(*file)));
  options.wait = args.flag("wait");
  options.terminal = face != ui::Face::json && ::isatty(STDIN_FILENO) == 1;

  TRY_VOID(git::exclude_capsule_dir(project.repository));
  const auto store = TRY(store::Store::open(project.root(), store::Access::read_write));
  Earlier earlier = TRY(look_back(*store, source.subject));
  // A bead that is complete is closed, and so no longer in its plan.
  const bool all_done = !source.bead.empty() && checked.plan.tasks.empty();
  if (!checked.ok() && !(all_done && (earlier.ended || earlier.unfinished))) {
    print_error(world::told_problems(source, checked));
    return fail(Reason::refused, printable(word) + " cannot be delivered as it is",
                "see: capsule plan check " + shell_word(word));
  }
  if (face != ui::Face::json && !all_done) print_error(world::told_problems(source, checked));

  options.run = earlier.unfinished ? earlier.unfinished->head.run : new_run_id();
  const auto claim = TRY(store->claim(source.subject, options.run, utc_now()));
  // Whoever had the claim until now may have gone on meanwhile.
  earlier = TRY(look_back(*store, source.subject));
  if (earlier.unfinished) options.run = earlier.unfinished->head.run;
  const auto loop = TRY(process::Loop::create());
  const auto interrupt = TRY(world::Interrupt::create(*loop));
  if (earlier.ended) TRY_VOID(finish_clearing_up(project, *loop, *interrupt, *earlier.ended));
  std::vector<Task> tasks = checked.plan.tasks;
  if (!earlier.unfinished) {
    leave_out(tasks, earlier.completed);
    if (tasks.empty()) {
      if (face == ui::Face::json)
        print(finished_line({}, earlier.completed));
      else
        print("Everything in " + printable(word) + " is delivered already.\n");
      return 0;
    }
  }

  SystemClock clock;
  engine::DeliveryLog log(*store, clock, options.run, source.subject);
  ui::DeliveryView view(face, options.run, *loop);
  const std::string run = options.run;
  world::DeliveryHands hands(project, *loop, *interrupt, std::move(options));
  view.last_line = [&](int agent) { return hands.last_line(agent); };
  hands.tell = [&](const std::string& text) { view.tell(text); };
  TRY_VOID(hands.preflight(args.flag("experts")));
  std::unique_ptr<engine::Tracker> tracker;
  if (!source.bead.empty()) tracker = TRY(world::open_tracker(project));
  if (tracker != nullptr)
    hands.closed = [&](const std::string& task) {
      const auto bead = tracker->show(task);
      return bead && engine::is_closed(bead->status);
    };
  Listener listener(view, tracker.get());
  const auto probe = world::crash_probe();
  engine::DeliveryRunner runner({clock, log, hands, listener, probe.get()});

  const auto facts = TRY(runner.replay());
  if (facts.empty()) {
    event::delivery::DeliveryStarted started;
    started.plan = source.subject;
    started.title = checked.plan.title;
    started.overview = checked.plan.overview;
    started.provider = project.config.provider;
    started.tasks = std::move(tasks);
    started.slots = slots;
    started.limits = world::limits_of(project.config);
    started.experts = args.flag("experts");
    started.known_experts = world::known_experts(project.root());
    TRY_VOID(runner.start(started));
  } else {
    hands.recall(facts);
    plan::Changes changes = plan::compare(tasks_before(facts), tasks);
    // Beads that are complete were closed by us: they are not removed from the plan.
    const std::vector<std::string> done = delivery::summary_of(runner.state()).completed;
    if (!source.bead.empty())
      std::erase_if(changes.removed, [&](const std::string& id) {
        return std::find(done.begin(), done.end(), id) != done.end();
      });
    std::optional<event::delivery::PlanChanged> changed;
    if (changes.any())
      changed = event::delivery::PlanChanged{changes.added, changes.changed, changes.removed};
    TRY_VOID(runner.resume({slots, world::limits_of(project.config)}, changed));
    hands.ask_again(runner.state());
    // A process that was cut off may not have come to it; closing twice does no harm.
    if (tracker != nullptr)
      for (const std::string& task : delivery::summary_of(runner.state()).completed)
        (void)tracker->close(task, "Merged by Capsule");
  }
  const engine::DeliveryEnd end = TRY(runner.carry_on());
  hands.clean_up();
  view.close();
  const delivery::State& state = runner.state();
  TRY_VOID(write_report(project, run, state));
  if (face == ui::Face::json) {
    print(finished_line(state, earlier.completed));
  } else {
    print(ui::delivery_summary(state, ui::style_for(STDOUT_FILENO)));
    print("  report: " + printable(report_path(project, run)) + "\n");
    if (end != engine::DeliveryEnd::over || state.outcome == Outcome::halted)
      print("Go on with: capsule deliver " + shell_word(word) + project.option + "\n");
    else if (delivery::exit_code(state) != 0)
      print("Try what failed again: capsule deliver " + shell_word(word) + project.option + "\n");
  }
  if (end == engine::DeliveryEnd::stopped) return interrupt->exit_code();
  return delivery::exit_code(state);
}

int deliver_main(const Args& args) {
  const auto code = deliver(args, ui::face_for(args.flag("json")));
  return code ? *code : report(code.error(), 2);
}

}  // namespace

Command deliver_command() {
  return {
      .path = "deliver",
      .summary = "Take a whole plan to done, many agents at once",
      .details =
          "Each task goes Developer, Critic, Auditor, merge, in a worktree of its own; what fails "
          "goes back to its Developer. Tasks run at the same time as far as the plan allows. Only "
          "what the Auditor passed and what the project's checks accept on the merged files "
          "reaches the main branch.\n\n"
          "Run again after a crash or Ctrl-C, it goes on: what is finished stays finished. "
          "Questions of agents wait for 'capsule answer'; in --answers=FILE each line is KEY: "
          "answer, KEY being a question's number, a task's id, or * for all others.\n\n"
          "Exit codes: 0 all tasks are complete; 1 some failed, or wait for a person; 2 it could "
          "not run.",
      .positionals = kPositionals,
      .options = kOptions,
      .run = deliver_main,
      .examples =
          "  capsule plan check PLAN.md\n  capsule deliver PLAN.md --developers=3\n"
          "  capsule deliver PLAN.md --json --answers=answers.txt",
      .people_only = true};
}

}  // namespace capsule::cli
