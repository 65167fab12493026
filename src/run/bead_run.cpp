#include "run/bead_run.h"

#include <unistd.h>

#include "base/clock.h"
#include "base/files.h"
#include "base/print.h"
#include "base/text.h"
#include "git/refs.h"
#include "ui/pull_request.h"
#include "ui/report.h"
#include "ui/run_json.h"
#include "ui/run_text.h"
#include "world/logs.h"
#include "world/preflight.h"
#include "world/providers.h"
#include "world/runs.h"
#include "world/supply_policy.h"

namespace capsule::run {
namespace {

using event::PhaseRule;

std::string progress_line(engine::Tracker& tracker, const char* kind, const engine::Bead& bead) {
  const auto progress = engine::progress(tracker, bead.id);
  if (!progress || progress->total == 0) return {};
  return std::string(kind) + " " + bead.id + " (" + bead.title +
         "): " + std::to_string(progress->closed) + " of " + std::to_string(progress->total) +
         " closed";
}

workspace::Briefing briefing_of(const engine::Bead& bead, const engine::Ancestry& ancestry) {
  workspace::Briefing b;
  if (const auto& epic = ancestry.epic)
    b.epic_id = epic->id, b.epic_title = epic->title, b.epic_goal = epic->description;
  if (const auto& feature = ancestry.feature)
    b.feature_id = feature->id, b.feature_title = feature->title,
    b.feature_goal = feature->description;
  b.task_id = bead.id;
  b.task_title = bead.title;
  b.task_description = bead.description;
  b.acceptance_criteria = engine::acceptance_criteria(bead);
  return b;
}

// The agent of a phase, as far as the configuration and the definition go.
workflow::StartAgent agent_of(const PhaseRule& phase, const std::string& bead) {
  workflow::StartAgent start;
  start.role = phase.name;
  start.settings = workflow::Settings::phase;
  start.provider = phase.provider;
  start.model = phase.model;
  start.task = bead;
  start.prompt.file = phase.prompt;
  start.judges = !phase.writes || (phases::judges(phase) && !phase.edits);
  return start;
}

}  // namespace

BeadRun::~BeadRun() = default;

Result<std::unique_ptr<BeadRun>> BeadRun::open(world::Project project, const std::string& bead,
                                               ui::Look look) {
  std::unique_ptr<BeadRun> self(new BeadRun());
  self->look_ = look;
  self->tracker_ = TRY(open_tracker(project));
  self->bead_ = TRY(self->tracker_->show(bead));
  self->conductor_ = TRY(Conductor::open(std::move(project)));
  return self;
}

Result<std::optional<BeadRun::Newest>> BeadRun::newest() {
  const std::vector<engine::RunHead> heads = TRY(conductor_->store().runs_of(bead_.id));
  if (heads.empty()) return std::nullopt;
  auto workflow = TRY(world::replayed<phases::Rules>(conductor_->store(), heads.back().run));
  return Newest{heads.back().run, workflow.state(), heads.back().home};
}

std::string BeadRun::worktree() const {
  return workspace::worktree_path(project().repository, bead_.id);
}
bool BeadRun::has_worktree() const { return exists(worktree()); }

Result<world::WorldSettings> BeadRun::settings(const std::string& run) {
  ancestry_ = TRY(engine::ancestry(*tracker_, bead_));
  world::WorldSettings settings;
  settings.run = run;
  settings.tracker = tracker_.get();
  settings.trees.main_branch = project().config.main_branch;
  settings.trees.exclude = project().config.exclude;
  settings.trees.advice = workspace::Advice::bead;
  settings.trees.subject = bead_.id;
  // Whole seconds, as people write a time.
  settings.trees.worklog =
      workspace::Worklog{TRY(project().assets.read("templates/worklog.md.template")),
                         briefing_of(bead_, ancestry_), utc_second};
  settings.people.terminal = look_ != ui::Look::json && ::isatty(STDIN_FILENO) == 1;
  settings.people.tell = [this](const std::string& text) { face_->tell(text); };
  return settings;
}

Result<void> BeadRun::take(const std::string& run, const event::Definition& definition,
                           phases::Present present) {
  run_ = run;
  definition_ = definition;
  TRY_VOID(conductor_->claim(bead_.id, run));
  TRY_VOID(conductor_->keep_words(run));
  for (const PhaseRule& phase : definition_.phases) {
    const agent::PhaseSettings settings =
        TRY(world::agent_settings(project(), agent_of(phase, bead_.id)));
    const auto configured = project().config.phases.find(phase.name);
    present.agents[phase.name] = {settings.provider.name, settings.provider.model,
                                  configured == project().config.phases.end()
                                      ? event::Session::unsaid
                                      : configured->second.session};
  }
  present.attended = look_ != ui::Look::json && ::isatty(STDIN_FILENO) == 1;
  phases::State state;
  state.run = run;
  state.present = std::move(present);
  workflow_ = std::make_unique<engine::WorkflowOf<phases::Rules>>(
      std::move(state), world::policy_for(project(), definition_));
  face_ = std::make_unique<ui::Face>(look_, head_of(run, definition_.name, bead_.id),
                                     ui::style_for(STDOUT_FILENO), &conductor_->loop());
  TRY_VOID(conductor_->connect(
      {*workflow_, *face_, face_->shown(), definition_.name, bead_.id, TRY(settings(run))}));
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

// What would cost every attempt is found before the first agent is paid.
Result<void> BeadRun::preflight(Begins begins) {
  for (const PhaseRule& phase : definition_.phases)
    TRY_VOID(conductor_->world().preflight(agent_of(phase, bead_.id),
                                           project().config.fallbacks_of(phase.name)));
  return world::preflight(project(), {.merges = definition_.finish == event::Finish::merge,
                                      .from_head = begins == Begins::at_head});
}

Result<void> BeadRun::give(std::vector<event::PipelineFact> facts) {
  std::vector<workflow::Observation> standing = conductor_->world().standing();
  // Who waited then goes on where it was.
  if (workflow_->state().present.taken_up) standing.emplace_back(workflow::TakenUp{});
  return conductor_->runner().take(workflow_->given(std::move(facts), conductor_->now(), standing));
}

Result<void> BeadRun::bring_here(const Newest& newest) {
  const std::string branch = workspace::branch_name(bead_.id);
  const bool in_the_way =
      has_worktree() || !git::read_ref(project().repository, "refs/heads/" + branch).empty();
  const std::string& snapshot = newest.state.snapshot.commit;
  if (in_the_way)
    return fail(Reason::exists,
                "the run of " + bead_.id + " is on " + printable(newest.home) +
                    ", and a worktree or branch of an earlier one is here",
                "to go on with it here: capsule teardown " + bead_.id + project().option +
                    ", or delete the branch " + branch + ", then again");
  if (TRY(conductor_->bring_here(newest.run, bead_.id, snapshot)))
    print_error("capsule: " + bead_.id + " goes on here; it was on " + printable(newest.home) +
                "\n");
  return {};
}

Result<void> BeadRun::arrive() {
  const event::SnapshotTaken& snapshot = state().snapshot;
  if (snapshot.commit.empty()) return {};
  return conductor_->arrive(bead_.id, state().base, snapshot.ref, snapshot.commit);
}

Result<void> BeadRun::adopt_worktree(const std::vector<event::PipelineFact>& decided) {
  const workflow::TreeOpened tree = TRY(conductor_->world().trees().adopt(bead_.id));
  std::vector<event::PipelineFact> facts{started(definition_),
                                         event::WorktreeReady{tree.folder, tree.branch, tree.base}};
  facts.insert(facts.end(), decided.begin(), decided.end());
  return give(std::move(facts));
}

event::RunStarted BeadRun::started(const event::Definition& definition, std::string branch,
                                   event::Integrate integrate) const {
  const config::Config& config = project().config;
  // The pipeline is built in: its rules need not be kept with every run.
  event::RunStarted started;
  started.bead = bead_.id;
  started.title = bead_.title;
  started.provider = config.provider;
  started.max_retries = config.max_retries;
  started.convergence = config.convergence;
  if (definition != phases::pipeline()) started.definition = definition;
  started.branch = std::move(branch);
  started.request = bead_.description + "\n" + engine::acceptance_criteria(bead_);
  started.red_allowed = config.verify.red_allowed;
  // The caller's word goes before the workflow's, and that before the project's.
  using event::Integrate;
  if (integrate == Integrate::unsaid) integrate = definition.integrate;
  if (integrate == Integrate::unsaid && definition.finish == event::Finish::branch)
    integrate = Integrate::branch;
  started.integrate = integrate == Integrate::unsaid ? config.integrate : integrate;
  return started;
}

Result<int> BeadRun::carry_on() {
  const engine::End end = TRY(conductor_->carry_on());
  const phases::State& state = workflow_->state();
  int code = phases::exit_code(state.outcome);
  if (end == engine::End::for_a_person) code = 1;
  if (end == engine::End::stopped || state.outcome == event::Outcome::interrupted)
    code = conductor_->interrupt().exit_code();
  if (state.outcome == event::Outcome::on_branch) TRY_VOID(describe(run_, state));
  face_->finish({code, conductor_->now()});
  if (look_ != ui::Look::json && look_ != ui::Look::quiet) print(summary());
  return code;
}

Result<void> BeadRun::describe(const std::string& run, const phases::State& state) {
  ui::Described described;
  described.run = TRY(view_of(run));
  described.request = state.request;
  described.signed_off = state.signed_off;
  for (const event::Fact& fact : TRY(conductor_->store().read(run, 0)))
    if (const auto read = event::read_fact(fact.kind, fact.body))
      if (const auto* done = std::get_if<event::MergeDone>(&*read)) {
        described.commit = done->commit;
        described.onto = done->onto;
        described.runs = done->runs;
      }
  const std::string path = world::description_path(project(), run, bead_.id);
  return write_file(path, ui::pull_request(described));
}

Result<void> BeadRun::show_on_branch(const Newest& newest) {
  const std::string path = world::description_path(project(), newest.run, bead_.id);
  if (!exists(path)) TRY_VOID(describe(newest.run, newest.state));
  if (look_ == ui::Look::json) {
    print(ui::already_on_branch_lines(TRY(view_of(newest.run)), path, conductor_->now()));
    return {};
  }
  print(bead_.id + " is on the branch " + printable(newest.state.branch) +
        "\n  description: " + printable(path) + "\n");
  return {};
}

Result<void> BeadRun::show_merged(const Newest& newest) {
  if (look_ == ui::Look::json) {
    print(ui::already_merged_lines(TRY(view_of(newest.run)), conductor_->now()));
    return {};
  }
  print(bead_.id + " is already merged as " + newest.state.merge_commit + "\n");
  return {};
}

Result<view::Run> BeadRun::view_of(const std::string& run) {
  return TRY(world::read_run(conductor_->store(), TRY(conductor_->store().head(run)))).view;
}

std::string BeadRun::summary() {
  ui::Surroundings around;
  around.project_option = project().option;
  around.provider_option = project().provider_option;
  around.main_branch = world::main_branch_of(project());
  around.worktree_gone = !has_worktree();
  face_->shown().leave();
  const view::Run& ended = face_->run();
  if (const view::Attempt* const last = view::newest_ended(ended))
    around.last_words = world::last_words(worktree(), last->fault, last->log);
  if (const auto& feature = ancestry_.feature)
    around.progress.push_back(progress_line(*tracker_, "feature", *feature));
  if (const auto& epic = ancestry_.epic)
    around.progress.push_back(progress_line(*tracker_, "epic", *epic));
  std::erase(around.progress, "");
  if (ended.outcome == event::name_of(event::Outcome::on_branch))
    around.notes.push_back("description: " + world::description_path(project(), run_, bead_.id));
  const auto& left_out = conductor_->world().left_out();
  if (!left_out.empty())
    around.notes.push_back("left out: " + counted(left_out.size(), "file") + ", such as " +
                           printable(left_out.front()));
  return ui::summary(ended, around, ui::style_for(STDOUT_FILENO));
}

}  // namespace capsule::run
