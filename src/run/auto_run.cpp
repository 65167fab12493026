#include "run/auto_run.h"

#include <signal.h>
#include <unistd.h>

#include <map>
#include <string>

#include "agent/provider.h"
#include "auto_state/state_file.h"
#include "base/files.h"
#include "base/print.h"
#include "base/text.h"
#include "engine/run.h"
#include "ui/auto_text.h"
#include "ui/pull_request.h"
#include "workflow/auto/texts.h"
#include "world/preflight.h"
#include "world/programs.h"
#include "world/providers.h"
#include "world/runs.h"
#include "world/supply_policy.h"
#include "world/verify.h"

namespace capsule::run {

namespace fact = event::auto_run;

namespace {

// What cannot be had preflight() refuses.
std::map<std::string, auto_mode::Run::Worker> workers_of(const world::Project& project) {
  std::map<std::string, auto_mode::Run::Worker> workers;
  for (std::size_t i = 0; i < auto_mode::kPhases; ++i) {
    workflow::StartAgent agent;
    agent.role = signal::name_of(static_cast<auto_mode::Phase>(i));
    auto_mode::Run::Worker& worker = workers[agent.role];
    if (const auto settings = world::agent_settings(project, agent)) {
      worker.provider = settings->provider.name;
      worker.model = settings->provider.model;
    }
    if (const auto found = project.config.phases.find(agent.role);
        found != project.config.phases.end())
      worker.session = found->second.session;
  }
  return workers;
}

}  // namespace

class AutoRun::Audience : public engine::Listener {
 public:
  Audience(ui::Look look, const std::string& run, const auto_mode::Run& state,
           const world::Project& project, process::Loop& loop)
      : face(look, head_of(run, engine::kAuto, engine::kAutoSubject), ui::style_for(STDOUT_FILENO),
             &loop),
        state_(state),
        files_(project.root(), run) {}

  void recall(const std::vector<event::Fact>& facts) override { face.recall(facts); }
  void on_facts(std::span<const event::NewFact> facts) override {
    face.on_facts(facts);
    // Files follow the journal: what cannot be written now is written with the next fact.
    if (const auto written = files_.write(state_); !written)
      face.tell("capsule: warning: " + printable(written.error().message) + "\n");
  }

  void on_cut_off(const Error& error) override { face.on_cut_off(error); }

  ui::Face face;

 private:
  const auto_mode::Run& state_;
  world::AutoFiles files_;
};

AutoRun::~AutoRun() = default;

Result<std::unique_ptr<AutoRun>> AutoRun::open(world::Project project, ui::Look look) {
  std::unique_ptr<AutoRun> self(new AutoRun());
  self->look_ = look;
  self->conductor_ =
      TRY(Conductor::open(std::move(project), {std::string(auto_state::kFolder) + "/"}));
  return self;
}

Result<std::optional<AutoRun::Newest>> AutoRun::newest() {
  const std::string run = TRY(world::newest_auto_run(conductor_->store()));
  if (run.empty()) return std::nullopt;
  auto workflow = TRY(world::replayed<auto_mode::Rules>(conductor_->store(), run));
  return Newest{run, workflow.state()};
}

Result<void> AutoRun::take(const std::string& run) {
  const std::string subject(engine::kAutoSubject);
  TRY_VOID(conductor_->claim(subject, run));
  TRY_VOID(conductor_->keep_words(run));
  auto_mode::Run state;
  state.id = run;
  run_ = run;
  const bool terminal = look_ != ui::Look::json && ::isatty(STDIN_FILENO) == 1;
  state.attended = terminal;
  state.workers = workers_of(project());
  workflow_ = std::make_unique<engine::WorkflowOf<auto_mode::Rules>>(std::move(state),
                                                                     world::policy_for(project()));
  audience_ =
      std::make_unique<Audience>(look_, run, workflow_->state(), project(), conductor_->loop());
  world::WorldSettings settings;
  settings.run = run;
  settings.log_folder = project().root() + "/.capsule/logs/auto/" + run;
  settings.trees.main_branch = project().config.main_branch;
  settings.trees.exclude = project().config.exclude;
  settings.trees.exclude.push_back("/" + std::string(auto_state::kFolder) + "/");
  settings.trees.advice = workspace::Advice::auto_run;
  settings.trees.checkout = auto_mode::kCheckout;
  settings.people.terminal = terminal;
  settings.people.tell = [this](const std::string& text) { audience_->face.tell(text); };
  for (const char* note : {"spec.md", "context.md", "task_plan.md"})
    settings.trees.notes.push_back(std::string(auto_state::kFolder) + "/" + note);
  TRY_VOID(conductor_->connect({*workflow_, *audience_, audience_->face.shown(),
                                std::string(engine::kAuto), subject, std::move(settings)}));
  conductor_->world().output = [this](int agent, std::string_view bytes) {
    audience_->face.on_output(agent, bytes);
  };
  conductor_->world().activity = [this](const workflow::StartAgent& start, const auto& now) {
    audience_->face.on_activity({start.agent, start.task, start.role, start.attempt}, now);
  };
  conductor_->world().progress = [this](const workflow::CheckProgress& check) {
    audience_->face.on_check(check);
  };
  return {};
}

Result<void> AutoRun::preflight(bool in_place) {
  for (std::size_t i = 0; i < auto_mode::kPhases; ++i) {
    workflow::StartAgent agent;
    agent.role = signal::name_of(static_cast<auto_mode::Phase>(i));
    agent.prompt.file = auto_mode::prompt_file(static_cast<auto_mode::Phase>(i));
    TRY_VOID(conductor_->world().preflight(agent, project().config.fallbacks_of(agent.role)));
  }
  if (!in_place) return world::preflight(project(), {});
  TRY_VOID(world::check_programs(project().config));
  world::warn_of_budgets(project(), world::print_warning);
  return {};
}

Result<void> AutoRun::has_place(const auto_mode::Run& state) {
  using auto_mode::Step;
  const bool at_work = state.after == Step::turn || state.after == Step::checks ||
                       state.after == Step::review || state.after == Step::merge ||
                       state.after == Step::approve;
  if (!at_work || state.begun.in_place) return {};
  TRY_VOID(conductor_->world().trees().folder_of(std::string(auto_mode::kTree)));
  return {};
}

Result<void> AutoRun::give(fact::Fact fact) {
  return give(std::vector<fact::Fact>{std::move(fact)});
}
Result<void> AutoRun::give(std::vector<fact::Fact> facts) {
  // Whoever waited when the run was left, cut off or ended, is told of in any case.
  std::vector<workflow::Observation> standing = conductor_->world().standing();
  standing.emplace_back(workflow::TakenUp{});
  return conductor_->runner().take(workflow_->given(std::move(facts), conductor_->now(), standing));
}

Result<std::string> AutoRun::describe() {
  ui::Described described;
  described.run = audience_->face.run();
  described.request = workflow_->state().begun.task;
  for (const event::Fact& one : TRY(conductor_->store().read(run_, 0)))
    if (const auto read = fact::read_fact(one.kind, one.body))
      if (const auto* done = std::get_if<fact::MergeDone>(&*read)) {
        described.commit = done->commit;
        described.onto = done->onto;
        described.runs = done->runs;
      }
  const std::string path =
      world::description_path(project(), run_, std::string(engine::kAutoSubject));
  TRY_VOID(make_folders(path.substr(0, path.rfind('/'))));
  TRY_VOID(write_file(path, ui::pull_request(described)));
  return path;
}

Result<int> AutoRun::carry_on() {
  const engine::End end = TRY(conductor_->carry_on());
  const auto_mode::Run& state = workflow_->state();
  int code = state.outcome == auto_mode::Outcome::interrupted ? conductor_->interrupt().exit_code()
                                                              : auto_mode::exit_code(state.outcome);
  if (end == engine::End::for_a_person) code = 1;
  if (end == engine::End::stopped) code = conductor_->interrupt().exit_code();
  const workflow::RunSummary summary = workflow_->summary();
  const bool on_branch = end == engine::End::over && !summary.on_branch.empty();
  const std::string description = on_branch ? TRY(describe()) : "";
  audience_->face.finish({code, conductor_->now()});
  if (look_ != ui::Look::json)
    print(ui::auto_summary(audience_->face.run(), {state.begun.in_place, state.folder, description},
                           ui::style_for(STDOUT_FILENO)));
  return code;
}

bool AutoRun::has_checks() const { return !world::verify_of(project().config).commands.empty(); }

bool AutoRun::keeps_sessions() const {
  workflow::StartAgent agent;
  agent.role = signal::name_of(auto_mode::Phase::execution);
  const auto settings = world::agent_settings(project(), agent);
  return settings && settings->provider.has_sessions();
}

namespace {

// In the checkout itself there is nothing to integrate.
Result<void> refuse_in_place(bool in_place, event::Integrate integrate) {
  if (!in_place || integrate == event::Integrate::unsaid) return {};
  return fail(Reason::usage, "a run in place merges nothing: it takes no --integrate");
}

// A run that was cut off.
Result<int> take_up(AutoRun& run, const AutoRun::Newest& newest, event::Integrate integrate) {
  TRY_VOID(refuse_in_place(newest.state.begun.in_place, integrate));
  TRY_VOID(run.take(newest.run));
  TRY_VOID(run.preflight(newest.state.begun.in_place));
  if (integrate == event::Integrate::unsaid || integrate == newest.state.integrate)
    TRY_VOID(run.conductor().runner().take_up());
  else
    TRY_VOID(run.give(fact::IntegrationChosen{integrate, ""}));
  return run.carry_on();
}

}  // namespace

Result<int> run_auto(AutoRun& run, const AutoOrder& order, const world::Warn& warn) {
  const std::string& root = run.project().root();
  const auto newest = TRY(run.newest());
  if (newest && !newest->ended()) {
    if (newest->state.begun.task != order.task)
      return fail(Reason::refused,
                  "a run of auto mode was cut off, or is still running: " +
                      printable(newest->state.begun.task.substr(0, 200)),
                  "go on with it: capsule auto continue; or end it: capsule auto cancel");
    return take_up(run, *newest, order.integrate);
  }
  TRY_VOID(refuse_in_place(order.in_place, order.integrate));
  TRY_VOID(world::record_session(root));
  if (!order.force) TRY_VOID(world::refuse_active_session(root, warn));
  fact::Started started;
  started.task = order.task;
  started.provider = run.project().config.provider;
  started.in_place = order.in_place;
  started.has_checks = run.has_checks();
  started.red_allowed = run.project().config.verify.red_allowed;
  started.integrate = order.integrate == event::Integrate::unsaid ? run.project().config.integrate
                                                                  : order.integrate;
  started.sessions = run.keeps_sessions();
  started.skip_expansion = order.config.skip_expansion;
  started.skip_qa = order.config.skip_qa;
  started.skip_review = order.config.skip_review;
  started.skip_reflect = order.config.skip_reflect;
  started.parallel = order.config.parallel_validation;
  started.max_iterations = order.max_iterations;
  TRY_VOID(run.take(world::new_run_id()));
  TRY_VOID(run.preflight(started.in_place));
  TRY_VOID(run.give(started));
  return run.carry_on();
}

Result<int> continue_auto(AutoRun& run, event::Integrate integrate) {
  const auto newest = TRY(run.newest());
  if (!newest)
    return fail(Reason::not_found, "there is no auto mode to continue",
                "start it: capsule auto run \"TASK\"");
  if (!newest->ended()) return take_up(run, *newest, integrate);
  if (newest->state.outcome == auto_mode::Outcome::complete)
    return fail(Reason::refused, "auto mode is complete: there is nothing to continue");
  TRY_VOID(refuse_in_place(newest->state.begun.in_place, integrate));
  TRY_VOID(run.take(newest->run));
  TRY_VOID(run.preflight(newest->state.begun.in_place));
  TRY_VOID(run.has_place(newest->state));
  std::vector<fact::Fact> facts;
  if (integrate != event::Integrate::unsaid && integrate != newest->state.integrate)
    facts.emplace_back(fact::IntegrationChosen{integrate, ""});
  facts.emplace_back(fact::Resumed{});
  TRY_VOID(run.give(std::move(facts)));
  return run.carry_on();
}

Result<std::string> cancel_auto(AutoRun& run) {
  const auto newest = TRY(run.newest());
  if (!newest || newest->ended()) return "auto mode is not active";
  if (const auto holder = TRY(run.conductor().store().holder(engine::kAutoSubject))) {
    const std::string pid = std::to_string(holder->process.pid);
    if (::kill(static_cast<pid_t>(holder->process.pid), SIGTERM) != 0)
      return fail(Reason::blocked, "pid " + pid + " is running it and could not be told to stop");
    return "told pid " + pid + " to stop";
  }
  TRY_VOID(run.take(newest->run));
  TRY_VOID(run.give(fact::Ended{auto_mode::Outcome::cancelled, "", ""}));
  return "auto mode is cancelled; to take it up again: capsule auto continue";
}

}  // namespace capsule::run
