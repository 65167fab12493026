#include "run/delivery_run.h"

#include <unistd.h>

#include "base/check.h"
#include "base/files.h"
#include "base/print.h"
#include "base/text.h"
#include "engine/bead_context.h"
#include "engine/run.h"
#include "git/branch.h"
#include "git/command.h"
#include "git/lock.h"
#include "git/refs.h"
#include "run/conductor.h"
#include "ui/delivery_report.h"
#include "ui/face.h"
#include "ui/plan_text.h"
#include "ui/pull_request.h"
#include "ui/run_json.h"
#include "workflow/delivery/prompts.h"
#include "workspace/names.h"
#include "world/delivery_record.h"
#include "world/experts.h"
#include "world/preflight.h"
#include "world/runs.h"
#include "world/supply_policy.h"

namespace capsule::run {
namespace {

using event::delivery::Task;

class Delivery {
 public:
  Delivery(DeliveryOrder order, ui::Look look) : order_(std::move(order)), look_(look) {}
  Result<int> take_to_end(world::Project project);

 private:
  bool has_beads() const { return !source_.bead.empty(); }
  const world::Project& project() const { return conductor_->project(); }
  Result<void> accept_plan();
  Result<void> claim();
  Result<void> connect();
  Result<void> preflight();
  void recall();
  Result<void> begin();
  Result<void> go_on();
  Result<int> carry_on();
  Result<void> choose_integration();
  Result<void> ready_branch();
  Result<void> describe();
  Result<int> show_delivered();
  std::string report_path(const std::string& run) const;
  Result<void> write_report(const std::string& run, const std::string& plan) const;
  world::WorldSettings settings();
  bool at_terminal() const;

  DeliveryOrder order_;
  const ui::Look look_;
  world::PlanSource source_;
  plan::Checked checked_;
  world::EarlierDeliveries earlier_;
  std::string run_;
  bool attended_ = false;  // somebody is there to answer, or has answered beforehand
  event::Integrate integrate_{};
  std::string branch_;  // integrate: branch: that takes the tasks in turn
  std::unique_ptr<Conductor> conductor_;
  std::unique_ptr<engine::Tracker> tracker_;  // of a bead's tasks; else null
  std::unique_ptr<engine::WorkflowOf<delivery::Rules>> workflow_;
  std::unique_ptr<ui::Face> face_;
};

// Problems are shown; with errors it is refused. A bead that is complete is closed, and so no
// longer in its plan.
Result<void> Delivery::accept_plan() {
  const bool all_done = has_beads() && checked_.plan.tasks.empty();
  const bool known = earlier_.ended || earlier_.unfinished;
  if (!checked_.ok() && !(all_done && known)) {
    print_error(ui::plan_problems(source_.named, checked_));
    return fail(Reason::refused, printable(order_.plan) + " cannot be delivered as it is",
                "see: capsule plan check " + shell_word(order_.plan));
  }
  if (look_ != ui::Look::json && !all_done) print_error(ui::plan_problems(source_.named, checked_));
  return {};
}

Result<void> Delivery::claim() {
  run_ = earlier_.unfinished ? earlier_.unfinished->run : world::new_run_id();
  TRY_VOID(conductor_->claim(source_.subject, run_));
  // Whoever had the claim until now may have gone on meanwhile.
  earlier_ = TRY(world::earlier_deliveries(conductor_->store(), source_, checked_.plan.tasks));
  if (earlier_.unfinished) run_ = earlier_.unfinished->run;
  TRY_VOID(conductor_->keep_words(run_));
  // The report comes last: without it the process was cut off after the end of the delivery.
  if (earlier_.ended && !exists(report_path(earlier_.ended->run)))
    TRY_VOID(write_report(earlier_.ended->run, earlier_.ended->state.plan));
  TRY_VOID(choose_integration());
  delivery::State state;
  state.run = run_;
  state.attended = order_.wait || (look_ != ui::Look::json && ::isatty(STDIN_FILENO) == 1);
  workflow_ = std::make_unique<engine::WorkflowOf<delivery::Rules>>(std::move(state),
                                                                    world::policy_for(project()));
  face_ = std::make_unique<ui::Face>(look_, head_of(run_, engine::kDelivery, source_.subject),
                                     ui::style_for(STDOUT_FILENO), &conductor_->loop());
  face_->completed_before(earlier_.completed);
  return {};
}

// What the tasks are merged into is one thing for all of them.
Result<void> Delivery::choose_integration() {
  using event::Integrate;
  if (!earlier_.unfinished) {
    integrate_ =
        order_.integrate == Integrate::unsaid ? project().config.integrate : order_.integrate;
    if (integrate_ == Integrate::branch)
      branch_ = workspace::plan_branch(source_.named, source_.subject);
    return {};
  }
  const delivery::State& state = earlier_.unfinished->state;
  integrate_ = order_.integrate == Integrate::unsaid ? state.integrate : order_.integrate;
  branch_ = state.branch;
  if ((integrate_ == Integrate::branch) == (state.integrate == Integrate::branch)) return {};
  return fail(Reason::refused,
              "this delivery began with integrate: " + std::string(name_of(state.integrate)) +
                  ", and what is merged cannot move",
              "leave --integrate out, or finish it first");
}

// Made from main, and gone on with when an earlier delivery of the plan left it. What was merged
// from it meanwhile is no reason to stay behind.
Result<void> Delivery::ready_branch() {
  if (branch_.empty()) return {};
  const git::Repository& repository = project().repository;
  const git::RepositoryLock lock = TRY(git::RepositoryLock::take(repository));
  const git::Tips tips = TRY(git::find_tips(repository, project().config.main_branch, branch_));
  if (tips.tip.empty() && earlier_.unfinished)
    return fail(Reason::not_found,
                "the branch " + branch_ + ", which takes the tasks of this delivery, is gone",
                "put it back: git branch " + branch_ + " COMMIT");
  if (!tips.tip.empty() && tips.tip == tips.main) return {};
  bool behind = tips.tip.empty();
  if (!behind && !earlier_.unfinished)
    behind =
        TRY(git::ask(repository, {.args = {"merge-base", "--is-ancestor", tips.tip, tips.main}}))
            .code == 0;
  if (!behind) return {};
  return git::put_ref(repository, "refs/heads/" + branch_, tips.main, "capsule: begin a delivery");
}

Result<void> Delivery::describe() {
  const workflow::RunSummary summary = workflow_->summary();
  if (summary.on_branch.empty()) return {};
  ui::Described described;
  described.run =
      TRY(world::read_run(conductor_->store(), TRY(conductor_->store().head(run_)))).view;
  described.request = checked_.plan.overview;
  const std::string path = world::description_path(project(), run_, source_.subject);
  TRY_VOID(make_folders(path.substr(0, path.rfind('/'))));
  TRY_VOID(write_file(path, ui::pull_request(described)));
  if (look_ != ui::Look::json)
    print("  branch: " + branch_ + "\n  description: " + printable(path) + "\n");
  return {};
}

std::string Delivery::report_path(const std::string& run) const {
  return project().root() + "/.capsule/logs/delivery-" + run + ".md";
}

Result<void> Delivery::write_report(const std::string& run, const std::string& plan) const {
  TRY_VOID(make_folders(project().root() + "/.capsule/logs"));
  const std::vector<event::Fact> facts = TRY(conductor_->store().read(run, 0));
  return write_file(report_path(run),
                    ui::delivery_report(
                        {plan, run, facts, world::checks_of(project().config), project().root()}));
}

// By the run that did it last: the one that was to begin is in no journal.
Result<int> Delivery::show_delivered() {
  if (look_ != ui::Look::json) {
    print("Everything in " + printable(order_.plan) + " is delivered already.\n");
    return 0;
  }
  CHECK(earlier_.ended.has_value());  // without one, not all tasks are completed
  const world::Run ended =
      TRY(world::read_run(conductor_->store(), TRY(conductor_->store().head(earlier_.ended->run))));
  print(ui::finished_lines(ended.view, 0, conductor_->now(), earlier_.completed));
  return 0;
}

bool Delivery::at_terminal() const {
  return look_ != ui::Look::json && ::isatty(STDIN_FILENO) == 1;
}

world::WorldSettings Delivery::settings() {
  attended_ = at_terminal() || order_.wait || order_.answers.has_value();
  world::WorldSettings settings;
  settings.run = run_;
  settings.log_folder = project().root() + "/.capsule/logs/" + run_;
  settings.trees.main_branch = branch_.empty() ? project().config.main_branch : branch_;
  settings.trees.exclude = project().config.exclude;
  settings.trees.advice = workspace::Advice::plan;
  settings.tracker = tracker_.get();
  settings.trees_fail_alone = true;
  settings.people.answers = std::move(order_.answers);
  settings.people.wait = order_.wait;
  settings.people.terminal = at_terminal();
  settings.people.tell = [this](const std::string& text) { face_->tell(text); };
  if (tracker_ != nullptr)
    settings.people.closed = [this](const std::string& task) {
      const auto bead = tracker_->show(task);
      return bead && engine::is_closed(bead->status);
    };
  return settings;
}

Result<void> Delivery::connect() {
  if (has_beads()) tracker_ = TRY(open_tracker(project()));
  TRY_VOID(conductor_->connect({*workflow_, *face_, face_->shown(), std::string(engine::kDelivery),
                                source_.subject, settings()}));
  conductor_->world().output = [this](int agent, std::string_view bytes) {
    face_->on_output(agent, bytes);
  };
  conductor_->world().activity = [this](const workflow::StartAgent& start, const auto& now) {
    face_->on_activity({start.agent, start.task, start.role, start.attempt}, now);
  };
  conductor_->world().progress = [this](const workflow::CheckProgress& check) {
    face_->on_check(check);
  };
  return {};
}

Result<void> Delivery::preflight() {
  for (std::size_t i = 0; i < signal::kRoleCount; ++i) {
    const auto role = static_cast<signal::Role>(i);
    if (role == signal::Role::plan_analyst && !order_.experts) continue;
    workflow::StartAgent agent;
    agent.role = signal::name_of(role);
    agent.settings = workflow::Settings::role;
    agent.prompt.file = delivery::prompt_file(role);
    TRY_VOID(conductor_->world().preflight(agent, project().config.fallbacks_of_role(agent.role)));
  }
  return world::preflight(project(), {});
}

// Sessions that agents of an earlier process began go on.
void Delivery::recall() {
  const std::string folder = project().root() + "/.capsule/logs/" + run_;
  for (const event::delivery::DeliveryFact& fact : earlier_.unfinished->facts)
    if (const auto* started = std::get_if<event::delivery::AgentDispatched>(&fact))
      conductor_->world().agents().recall(workflow::session_id(run_, started->session),
                                          started->agent,
                                          folder + "/" + std::to_string(started->agent) + "-" +
                                              std::string(signal::name_of(started->role)) + ".log");
}

Result<void> Delivery::begin() {
  event::delivery::DeliveryStarted started;
  started.plan = source_.subject;
  started.title = checked_.plan.title;
  started.overview = checked_.plan.overview;
  started.provider = project().config.provider;
  started.tasks = checked_.plan.tasks;
  started.slots = world::slots_of(project().config);
  started.limits = world::limits_of(project().config);
  started.experts = order_.experts;
  started.known_experts = world::known_experts(project().root());
  started.tracked = has_beads();
  started.red_allowed = project().config.verify.red_allowed;
  started.integrate = integrate_;
  started.branch = branch_;
  started.agents = TRY(world::agents_of(project()));
  started.attended = attended_;
  return conductor_->runner().take(
      workflow_->given({started}, conductor_->now(), conductor_->world().standing()));
}

Result<void> Delivery::go_on() {
  recall();
  event::delivery::DeliveryResumed resumed;
  resumed.slots = world::slots_of(project().config);
  resumed.limits = world::limits_of(project().config);
  resumed.tracked = has_beads();
  resumed.red_allowed = project().config.verify.red_allowed;
  resumed.integrate = order_.integrate;
  resumed.retry_failed = earlier_.retry;
  resumed.agents = TRY(world::agents_of(project()));
  resumed.attended = attended_;
  return conductor_->runner().take(
      workflow_->given(world::facts_to_go_on(*earlier_.unfinished, checked_.plan.tasks, resumed),
                       conductor_->now(), conductor_->world().standing()));
}

Result<int> Delivery::carry_on() {
  const engine::End end = TRY(conductor_->carry_on());
  const delivery::State& state = workflow_->state();
  int code = delivery::exit_code(state);
  if (end == engine::End::stopped && conductor_->interrupt().requested())
    code = conductor_->interrupt().exit_code();
  TRY_VOID(write_report(run_, state.plan));
  face_->finish({code, conductor_->now()});
  if (look_ == ui::Look::json) {
    TRY_VOID(describe());
    return code;
  }
  const std::string again = "capsule deliver " + shell_word(order_.plan) + project().option;
  print(ui::delivery_summary(face_->run(), ui::style_for(STDOUT_FILENO)));
  TRY_VOID(describe());
  print("  report: " + printable(report_path(run_)) + "\n");
  if (end != engine::End::over || state.outcome == event::delivery::Outcome::halted)
    print("Go on with: " + again + "\n");
  else if (code != 0)
    print("Try what failed again: " + again + "\n");
  return code;
}

Result<int> Delivery::take_to_end(world::Project project) {
  source_ = TRY(world::find_plan(order_.plan));
  checked_ = TRY(world::load_plan(project, source_));
  conductor_ = TRY(Conductor::open(std::move(project)));
  earlier_ = TRY(world::earlier_deliveries(conductor_->store(), source_, checked_.plan.tasks));
  TRY_VOID(accept_plan());
  TRY_VOID(claim());
  world::leave_out(checked_.plan.tasks, earlier_.completed);
  if (!earlier_.unfinished && checked_.plan.tasks.empty()) return show_delivered();
  TRY_VOID(ready_branch());
  TRY_VOID(connect());
  TRY_VOID(preflight());
  TRY_VOID(earlier_.unfinished ? go_on() : begin());
  return carry_on();
}

}  // namespace

Result<int> deliver(world::Project project, DeliveryOrder order, ui::Look look) {
  return Delivery(std::move(order), look).take_to_end(std::move(project));
}

}  // namespace capsule::run
