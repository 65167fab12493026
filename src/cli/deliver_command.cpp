// capsule deliver: a whole plan, by parallel Developers, Critics and Auditors.
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "base/clock.h"
#include "base/files.h"
#include "base/print.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/conductor.h"
#include "cli/project_args.h"
#include "engine/bead_context.h"
#include "engine/run.h"
#include "ui/delivery_narrator.h"
#include "ui/delivery_report.h"
#include "ui/face.h"
#include "ui/terminal.h"
#include "workflow/delivery/prompts.h"
#include "workflow/delivery/workflow.h"
#include "world/delivery_plan.h"
#include "world/experts.h"
#include "world/preflight.h"
#include "world/runs.h"

namespace capsule::cli {
namespace {

using event::delivery::DeliveryFact;
using event::delivery::Task;
using Workflow = engine::WorkflowOf<delivery::Rules>;

constexpr Positional kDeliverPositionals[] = {
    {"PLAN", "A Markdown plan, or a feature or epic bead: its beads are the tasks"}};
constexpr Option kDeliverOptions[] = {
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

// The tasks as the plan had them when it was last read, whatever became of them.
std::vector<Task> tasks_before(const std::vector<DeliveryFact>& facts) {
  std::vector<Task> tasks;
  for (const DeliveryFact& fact : facts) {
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

// A delivery of the journal.
struct Record {
  std::string run;
  std::vector<DeliveryFact> facts;
  delivery::State state;
};

Result<Record> read_record(store::Store& store, const std::string& run) {
  Record record{run, {}, {}};
  record.state.run = run;
  for (const event::Fact& fact : TRY(store.read(run, 0))) {
    record.facts.push_back(TRY(event::delivery::read_fact(fact.kind, fact.body)));
    delivery::apply(record.state, record.facts.back());
  }
  return record;
}

// What earlier deliveries of this plan have merged needs not be done again.
struct Earlier {
  std::vector<std::string> completed;
  std::optional<Record> unfinished;
  std::optional<Record> ended;  // the newest
};

// Work that is on main although its bead is open: the delivery is not over before that is closed.
bool left_open(const delivery::State& state, const std::vector<Task>& open_beads) {
  const std::vector<std::string> completed = delivery::summary_of(state).completed;
  return std::any_of(open_beads.begin(), open_beads.end(), [&](const Task& task) {
    return std::find(completed.begin(), completed.end(), task.id) != completed.end();
  });
}

Result<Earlier> look_back(store::Store& store, const world::PlanSource& source,
                          const std::vector<Task>& tasks) {
  Earlier earlier;
  for (const engine::RunHead& head : TRY(store.runs_of(source.subject))) {
    if (head.workflow != engine::kDelivery) continue;
    Record record = TRY(read_record(store, head.run));
    earlier.unfinished.reset();
    const event::delivery::Outcome outcome = record.state.outcome;
    const bool beads_open = !source.bead.empty() && left_open(record.state, tasks);
    if (outcome == event::delivery::Outcome::none || outcome == event::delivery::Outcome::halted ||
        beads_open || !delivery::unclosed(record.state).empty()) {
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

void leave_out(std::vector<Task>& tasks, const std::vector<std::string>& completed) {
  const std::set<std::string> done(completed.begin(), completed.end());
  std::erase_if(tasks, [&](const Task& task) { return done.contains(task.id); });
  for (Task& task : tasks)
    std::erase_if(task.blocked_by, [&](const std::string& id) { return done.contains(id); });
}

Result<world::WorldSettings> settings_for(const Args& args, const world::Project& project,
                                          const std::string& run, ui::Look look) {
  world::WorldSettings settings;
  settings.run = run;
  settings.log_folder = project.root() + "/.capsule/logs/" + run;
  settings.trees.main_branch = project.config.main_branch;
  settings.trees.exclude = project.config.exclude;
  settings.trees.advice = workspace::Advice::plan;
  if (const auto file = args.option("answers"))
    settings.people.answers = TRY(world::AnswersFile::read(std::string(*file)));
  settings.people.wait = args.flag("wait");
  settings.people.terminal = look != ui::Look::json && ::isatty(STDIN_FILENO) == 1;
  return settings;
}

Result<void> preflight(world::RealWorld& world, bool experts) {
  for (std::size_t i = 0; i < signal::kRoleCount; ++i) {
    const auto role = static_cast<signal::Role>(i);
    if (role == signal::Role::plan_analyst && !experts) continue;
    workflow::StartAgent agent;
    agent.role = signal::name_of(role);
    agent.settings = workflow::Settings::role;
    agent.prompt.file = delivery::prompt_file(role);
    TRY_VOID(world.preflight(agent));
  }
  return {};
}

// Sessions that agents of an earlier process began go on.
void recall(world::Agents& agents, const std::string& run, const std::string& log_folder,
            const std::vector<DeliveryFact>& facts) {
  for (const DeliveryFact& fact : facts)
    if (const auto* started = std::get_if<event::delivery::AgentDispatched>(&fact))
      agents.recall(workflow::session_id(run, started->session), started->agent,
                    log_folder + "/" + std::to_string(started->agent) + "-" +
                        std::string(signal::name_of(started->role)) + ".log");
}

// What is given to a delivery that goes on: with what has changed in the plan.
std::vector<DeliveryFact> taken_up(const Record& record, const std::vector<Task>& tasks,
                                   const event::delivery::DeliveryResumed& resumed) {
  plan::Changes changes = plan::compare(tasks_before(record.facts), tasks);
  // Beads that are complete were closed by us: they are not removed from the plan.
  const std::vector<std::string> done = delivery::summary_of(record.state).completed;
  if (resumed.tracked)
    std::erase_if(changes.removed, [&](const std::string& id) {
      return std::find(done.begin(), done.end(), id) != done.end();
    });
  std::vector<DeliveryFact> facts{resumed};
  if (changes.any())
    facts.emplace_back(
        event::delivery::PlanChanged{changes.added, changes.changed, changes.removed});
  return facts;
}

Result<int> deliver(const Args& args) {
  const ui::Look look = ui::look_for(args.flag("json"));
  const std::string word(args.positional(0).value_or(""));
  world::Project project = TRY(open_project(args));
  event::delivery::Slots slots = world::slots_of(project.config);
  TRY_VOID(read_count(args, "developers", slots.developers));
  TRY_VOID(read_count(args, "critics", slots.critics));
  TRY_VOID(read_count(args, "auditors", slots.auditors));
  const world::PlanSource source = TRY(world::find_plan(word));
  const bool beads = !source.bead.empty();
  plan::Checked checked = TRY(world::load_plan(project, source));
  const auto conductor = TRY(Conductor::open(std::move(project)));
  store::Store& store = conductor->store();
  Earlier earlier = TRY(look_back(store, source, checked.plan.tasks));
  // A bead that is complete is closed, and so no longer in its plan.
  const bool all_done = beads && checked.plan.tasks.empty();
  if (!checked.ok() && !(all_done && (earlier.ended || earlier.unfinished))) {
    print_error(world::told_problems(source, checked));
    return fail(Reason::refused, printable(word) + " cannot be delivered as it is",
                "see: capsule plan check " + shell_word(word));
  }
  if (look != ui::Look::json && !all_done) print_error(world::told_problems(source, checked));

  std::string run = earlier.unfinished ? earlier.unfinished->run : new_run_id();
  TRY_VOID(conductor->claim(source.subject, run));
  // Whoever had the claim until now may have gone on meanwhile.
  earlier = TRY(look_back(store, source, checked.plan.tasks));
  if (earlier.unfinished) run = earlier.unfinished->run;
  // The report comes last: without it the process was cut off after the end of the delivery.
  if (earlier.ended && !exists(report_path(conductor->project(), earlier.ended->run)))
    TRY_VOID(write_report(conductor->project(), earlier.ended->run, earlier.ended->state));

  delivery::State state;
  state.run = run;
  Workflow workflow(std::move(state));
  ui::Face face(look, run, ui::delivery_narrator(workflow.state(), ui::style_for(STDOUT_FILENO)),
                &conductor->loop());
  std::vector<Task> tasks = checked.plan.tasks;
  if (!earlier.unfinished) {
    leave_out(tasks, earlier.completed);
    if (tasks.empty()) {
      if (look == ui::Look::json)
        face.finish({0, utc_now(), earlier.completed});
      else
        print("Everything in " + printable(word) + " is delivered already.\n");
      return 0;
    }
  }

  std::unique_ptr<engine::Tracker> tracker;
  if (beads) tracker = TRY(open_tracker(conductor->project()));
  world::WorldSettings settings = TRY(settings_for(args, conductor->project(), run, look));
  const std::string log_folder = settings.log_folder;
  settings.tracker = tracker.get();
  settings.people.tell = [&](const std::string& text) { face.tell(text); };
  if (tracker != nullptr)
    settings.people.closed = [&](const std::string& task) {
      const auto bead = tracker->show(task);
      return bead && engine::is_closed(bead->status);
    };
  const bool known = TRY(conductor->connect(
      {workflow, face, std::string(engine::kDelivery), source.subject, std::move(settings)}));
  conductor->world().output = [&](int agent, std::string_view bytes) {
    face.on_output(agent, bytes);
  };
  TRY_VOID(preflight(conductor->world(), args.flag("experts")));
  TRY_VOID(world::preflight(conductor->project(), {}));
  const event::delivery::Limits limits = world::limits_of(conductor->project().config);
  if (known) {
    recall(conductor->world().agents(), run, log_folder, earlier.unfinished->facts);
    event::delivery::DeliveryResumed resumed;
    resumed.slots = slots;
    resumed.limits = limits;
    resumed.tracked = beads;
    TRY_VOID(conductor->runner().take(
        workflow.given(taken_up(*earlier.unfinished, tasks, resumed), utc_now())));
  } else {
    event::delivery::DeliveryStarted started;
    started.plan = source.subject;
    started.title = checked.plan.title;
    started.overview = checked.plan.overview;
    started.provider = conductor->project().config.provider;
    started.tasks = std::move(tasks);
    started.slots = slots;
    started.limits = limits;
    started.experts = args.flag("experts");
    started.known_experts = world::known_experts(conductor->project().root());
    started.tracked = beads;
    TRY_VOID(conductor->runner().take(workflow.given({started}, utc_now())));
  }
  const engine::End end = TRY(conductor->runner().carry_on());
  int code = delivery::exit_code(workflow.state());
  if (end == engine::End::stopped && conductor->interrupt().requested())
    code = conductor->interrupt().exit_code();
  TRY_VOID(write_report(conductor->project(), run, workflow.state()));
  face.finish({code, utc_now(), earlier.completed});
  if (look != ui::Look::json) {
    const std::string again = "capsule deliver " + shell_word(word) + conductor->project().option;
    print(ui::delivery_summary(workflow.state(), ui::style_for(STDOUT_FILENO)));
    print("  report: " + printable(report_path(conductor->project(), run)) + "\n");
    if (end != engine::End::over || workflow.state().outcome == event::delivery::Outcome::halted)
      print("Go on with: " + again + "\n");
    else if (code != 0)
      print("Try what failed again: " + again + "\n");
  }
  return code;
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
      .positionals = kDeliverPositionals,
      .options = kDeliverOptions,
      .run = deliver,
      .errors = Errors::two,
      .examples =
          "  capsule plan check PLAN.md\n  capsule deliver PLAN.md --developers=3\n"
          "  capsule deliver PLAN.md --json --answers=answers.txt",
      .people_only = true};
}

}  // namespace capsule::cli
