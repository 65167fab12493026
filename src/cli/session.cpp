#include "cli/session.h"

#include <unistd.h>

#include "agent/phases.h"
#include "base/clock.h"
#include "base/files.h"
#include "base/print.h"
#include "base/text.h"
#include "git/branch.h"
#include "git/repository.h"
#include "git/worktree.h"
#include "json/text.h"
#include "ui/report.h"
#include "ui/run_view.h"
#include "world/crash_probe.h"
#include "world/gate_world.h"
#include "world/programs.h"
#include "world/providers.h"
#include "world/requests.h"

namespace capsule::cli {
namespace {

struct SystemClock : engine::Clock {
  std::string utc_now() override { return capsule::utc_now(); }
  std::int64_t monotonic_ms() override { return capsule::monotonic_ms(); }
};

struct Closer : engine::BeadCloser {
  engine::Tracker& tracker;
  explicit Closer(engine::Tracker& t) : tracker(t) {}
  Result<void> close(const std::string& bead) override {
    return tracker.close(bead, "Merged by Capsule");
  }
};

struct Stops : engine::StopRequests {
  world::Interrupt& interrupt;
  std::string project, bead;
  Stops(world::Interrupt& i, std::string p, std::string b)
      : interrupt(i), project(std::move(p)), bead(std::move(b)) {}
  std::optional<event::Outcome> requested() override {
    const auto request = world::pending_request(project, bead);
    if (interrupt.requested())
      return request == event::Outcome::aborted ? *request : event::Outcome::interrupted;
    return request;
  }
};

constexpr event::Phase kPhases[] = {event::Phase::test_writer, event::Phase::test_review,
                                    event::Phase::execute,     event::Phase::execute_review,
                                    event::Phase::sign_off,    event::Phase::merge};

std::string progress_line(engine::Tracker& tracker, const char* kind, const engine::Bead& bead) {
  const auto progress = engine::progress(tracker, bead.id);
  if (!progress || progress->total == 0) return {};
  return std::string(kind) + " " + bead.id + " (" + bead.title +
         "): " + std::to_string(progress->closed) + " of " + std::to_string(progress->total) +
         " closed";
}

}  // namespace

struct Session::Parts {
  SystemClock clock;
  engine::RunLog log;
  ui::View view;
  agent::AgentPhases phases;
  workspace::RunWorkspace workspace;
  gate::Gates checks;
  Closer closer;
  Stops stops;

  Parts(Session& session, agent::Equipment equipment, workspace::Settings settings,
        gate::World world)
      : log(*session.store_, clock, session.run_),
        view(session.face_, session.run_, *session.loop_),
        phases(*session.loop_, std::move(equipment), view),
        workspace(session.project_.repository, std::move(settings)),
        checks(std::move(world)),
        closer(*session.tracker_),
        stops(*session.interrupt_, session.project_.root(), session.bead_.id) {}
};

Session::Session(world::Project project) : project_(std::move(project)) {}
Session::~Session() = default;

std::string new_run_id() { return utc_stamp() + "-" + random_hex(3); }

Result<std::unique_ptr<Session>> Session::open(world::Project project, const std::string& bead,
                                               ui::Face face) {
  std::unique_ptr<Session> session(new Session(std::move(project)));
  session->face_ = face;
  session->tracker_ = TRY(world::open_tracker(session->project_));
  session->bead_ = TRY(session->tracker_->show(bead));
  // Even a run that is refused leaves a journal; the user's checkout must not show it.
  TRY_VOID(git::exclude_capsule_dir(session->project_.repository));
  session->store_ = TRY(store::Store::open(session->project_.root(), store::Access::read_write));
  session->loop_ = TRY(process::Loop::create());
  session->interrupt_ = TRY(world::Interrupt::create(*session->loop_));
  return session;
}

Result<std::optional<Session::Newest>> Session::newest() {
  const std::vector<engine::RunHead> heads = TRY(store_->runs_of(bead_.id));
  if (heads.empty()) return std::nullopt;
  Newest newest;
  newest.run = heads.back().run;
  newest.facts = TRY(engine::pipeline_facts(TRY(store_->read(newest.run, 0))));
  for (const event::PipelineFact& fact : newest.facts)
    newest.state = pipeline::apply(std::move(newest.state), fact);
  return newest;
}

std::string Session::worktree() const {
  return workspace::worktree_path(project_.repository, bead_.id);
}
bool Session::has_worktree() const { return exists(worktree()); }

Result<workspace::Briefing> Session::briefing() {
  ancestry_ = TRY(engine::ancestry(*tracker_, bead_));
  workspace::Briefing b;
  if (const auto& epic = ancestry_.epic)
    b.epic_id = epic->id, b.epic_title = epic->title, b.epic_goal = epic->description;
  if (const auto& feature = ancestry_.feature)
    b.feature_id = feature->id, b.feature_title = feature->title,
    b.feature_goal = feature->description;
  b.task_id = bead_.id;
  b.task_title = bead_.title;
  b.task_description = bead_.description;
  b.acceptance_criteria = engine::acceptance_criteria(bead_);
  return b;
}

Result<void> Session::take(const std::string& run) {
  run_ = run;
  claim_ = TRY(store_->claim(bead_.id, run, utc_now()));
  world::drop_requests(project_.root(),
                       bead_.id);  // what an earlier run did not hear is not meant for this one
  probe_ = world::crash_probe();
  agent::Equipment equipment;
  for (event::Phase phase : kPhases)
    equipment.settings.emplace(phase, TRY(world::settings_of(project_, name_of(phase), bead_.id)));
  equipment.prompt = [assets = project_.assets](std::string_view phase) {
    return assets.read("prompts/" + std::string(phase) + ".md");
  };
  equipment.stamp = utc_stamp;
  const world::Interrupted interrupted = [this] { return interrupt_->requested(); };
  equipment.interrupted = interrupted;
  workspace::Settings settings;
  settings.main_branch = project_.config.main_branch;
  settings.exclude = project_.config.exclude;
  settings.worklog_template = TRY(project_.assets.read("templates/worklog.md.template"));
  settings.briefing = TRY(briefing());
  // Whole seconds, as people write a time.
  settings.utc_now = [] { return utc_now().substr(0, 19) + "Z"; };
  settings.verify_merged = world::verify_merged(project_, *loop_, interrupted);
  parts_ = std::make_unique<Parts>(*this, std::move(equipment), std::move(settings),
                                   world::gate_world(project_, *loop_, interrupted));
  runner_ = std::make_unique<engine::PipelineRunner>(
      run_,
      engine::Ports{parts_->clock, parts_->log, parts_->phases, parts_->workspace, parts_->checks,
                    parts_->closer, parts_->view, parts_->stops, probe_.get()});
  TRY_VOID(runner_->replay());
  return {};
}

// What would cost every attempt is found before the first agent is paid.
Result<void> Session::preflight() {
  TRY_VOID(parts_->phases.preflight());
  TRY_VOID(world::check_main_branch(project_));
  return world::check_test_program(project_.config);
}

void Session::tell_merged(const std::string& commit) const {
  if (face_ == ui::Face::json)
    print("{\"event\":\"already_merged\",\"bead\":" + json::quoted(bead_.id) +
          ",\"commit\":" + json::quoted(commit) + "}\n");
  else
    print(bead_.id + " is already merged as " + commit + "\n");
}

event::RunStarted Session::started() const {
  constexpr const char* kConvergence[] = {"stop", "warn", "off"};
  return {bead_.id, bead_.title, project_.config.provider, project_.config.max_retries,
          kConvergence[static_cast<int>(project_.config.convergence)]};
}

Result<void> Session::adopt_worktree() {
  event::WorktreeReady ready{worktree(), workspace::branch_name(bead_.id), ""};
  if (const auto noted = git::find_worktree(project_.repository, ready.worktree)) {
    ready.base = noted->base;
  } else {
    // Made by other means, such as the original scripts: it began where it left main.
    const git::Tips tips =
        TRY(git::find_tips(project_.repository, project_.config.main_branch, ready.branch));
    if (tips.tip.empty())
      return fail(
          Reason::refused,
          printable(ready.worktree) + " is no worktree: there is no branch " + ready.branch,
          "move it away, or start over: capsule run " + bead_.id + project_.option + " --clean");
    ready.base = TRY(git::branch_state(project_.repository, tips, "", run_)).fork;
  }
  TRY_VOID(runner_->start(started()));
  return runner_->adopt(ready);
}

Result<void> Session::bring_worktree_back(const pipeline::State& state) {
  return parts_->workspace.rewind(run_, state);
}

void Session::close_view() {
  if (parts_ != nullptr) parts_->view.close();
}

std::string Session::summary() {
  close_view();
  const auto facts = parts_->log.read();
  if (!facts) return {};
  ui::Surroundings around;
  around.project_option = project_.option;
  around.provider_option = project_.provider_option;
  around.main_branch = "main";
  around.worktree_gone = !has_worktree();
  around.last_words =
      ui::last_words(workspace::worktree_path(project_.repository, bead_.id), *facts);
  for (const event::PipelineFact& fact : *facts)
    if (const auto* intended = std::get_if<event::MergeIntended>(&fact))
      around.main_branch = intended->main_branch;
  if (const auto& feature = ancestry_.feature)
    around.progress.push_back(progress_line(*tracker_, "feature", *feature));
  if (const auto& epic = ancestry_.epic)
    around.progress.push_back(progress_line(*tracker_, "epic", *epic));
  std::erase(around.progress, "");
  const auto& left_out = parts_->workspace.left_out();
  if (!left_out.empty())
    around.notes.push_back("kept out of main: " + std::to_string(left_out.size()) +
                           (left_out.size() == 1 ? " file" : " files") + ", such as " +
                           left_out.front());
  if (!project_.config.verify.test)
    around.notes.emplace_back("no test command is configured: RED and GREEN were not checked");
  return ui::summary(ui::report_of(*facts), around, ui::style_for(STDOUT_FILENO));
}

int Session::exit_code(const pipeline::State& state) const {
  if (state.outcome == event::Outcome::interrupted) return interrupt_->exit_code();
  return pipeline::exit_code(state.outcome);
}

}  // namespace capsule::cli
