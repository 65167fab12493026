#include "cli/auto_session.h"

#include <unistd.h>

#include "auto_state/state_file.h"
#include "base/clock.h"
#include "cli/session.h"
#include "engine/auto_log.h"
#include "world/auto_agents.h"
#include "world/auto_files.h"
#include "world/auto_place.h"
#include "world/crash_probe.h"
#include "world/gate_world.h"

namespace capsule::cli {
namespace {

namespace fact = event::auto_run;

struct SystemClock : engine::Clock {
  std::string utc_now() override { return capsule::utc_now(); }
  std::int64_t monotonic_ms() override { return capsule::monotonic_ms(); }
};

struct Checks : engine::AutoChecks {
  process::Loop& loop;
  gate::Verify verify;
  std::function<bool()> interrupted;
  Checks(process::Loop& l, gate::Verify v, std::function<bool()> i)
      : loop(l), verify(std::move(v)), interrupted(std::move(i)) {}
  Result<std::string> run(const std::string& folder) override {
    const gate::Verdict verdict = TRY(gate::run_all_checks(loop, verify, folder));
    if (interrupted()) return fail(Reason::interrupted, "interrupted while the checks ran");
    if (verdict.ending == gate::Ending::passed) return std::string();
    return verdict.command + ": " + describe(verdict) + "\n" + verdict.tail;
  }
};

struct Stops : engine::AutoStops {
  world::Interrupt& interrupt;
  explicit Stops(world::Interrupt& i) : interrupt(i) {}
  bool requested() override { return interrupt.requested(); }
};

std::unique_ptr<engine::AutoPlace> place_for(const world::Project& project, const std::string& run,
                                             bool in_place, process::Loop& loop,
                                             const std::function<bool()>& interrupted) {
  if (in_place) return world::checkout_place(project, run);
  return world::worktree_place(project, run, world::verify_merged(project, loop, interrupted));
}

}  // namespace

struct AutoSession::Parts {
  SystemClock clock;
  engine::JournalAutoLog log;
  world::AutoAgentsPort agents;
  Checks checks;
  std::unique_ptr<engine::AutoPlace> place;
  world::AutoFilesPort files;
  ui::AutoView view;
  Stops stops;

  Parts(AutoSession& session, const std::string& run, bool in_place,
        const std::function<bool()>& interrupted)
      : log(*session.store_, run),
        agents(session.project_, *session.loop_,
               session.project_.root() + "/.capsule/logs/auto/" + run, interrupted),
        checks(*session.loop_, world::verify_of(session.project_.config), interrupted),
        place(place_for(session.project_, run, in_place, *session.loop_, interrupted)),
        files(session.project_.root(), run),
        view(session.face_, run, ui::style_for(STDOUT_FILENO)),
        stops(*session.interrupt_) {}
};

AutoSession::AutoSession(world::Project project) : project_(std::move(project)) {}
AutoSession::~AutoSession() = default;

Result<std::unique_ptr<AutoSession>> AutoSession::open(world::Project project,
                                                       ui::AutoView::Face face) {
  std::unique_ptr<AutoSession> session(new AutoSession(std::move(project)));
  session->face_ = face;
  TRY_VOID(git::exclude_capsule_dir(session->project_.repository,
                                    {std::string(auto_state::kFolder) + "/"}));
  session->store_ = TRY(store::Store::open(session->project_.root(), store::Access::read_write));
  session->loop_ = TRY(process::Loop::create());
  session->interrupt_ = TRY(world::Interrupt::create(*session->loop_));
  return session;
}

Result<std::optional<AutoSession::Newest>> AutoSession::newest() {
  std::optional<Newest> newest;
  for (const engine::RunHead& head : TRY(store_->runs_of(engine::kAutoSubject)))
    if (head.workflow == engine::kAutoWorkflow) newest = Newest{head.run, {}};
  if (!newest) return newest;
  for (const fact::Fact& one : TRY(engine::auto_facts(TRY(store_->read(newest->run, 0)))))
    newest->state = auto_mode::apply(std::move(newest->state), one);
  return newest;
}

Result<void> AutoSession::take(const std::string& run, bool in_place) {
  claim_ = TRY(store_->claim(engine::kAutoSubject, run, utc_now()));
  probe_ = world::crash_probe();
  parts_ =
      std::make_unique<Parts>(*this, run, in_place, [this] { return interrupt_->requested(); });
  runner_ = std::make_unique<engine::AutoRunner>(
      run,
      engine::AutoPorts{parts_->clock, parts_->log, parts_->agents, parts_->checks, *parts_->place,
                        parts_->files, parts_->view, parts_->stops, probe_.get()});
  return runner_->replay();
}

Result<void> AutoSession::preflight() { return parts_->agents.preflight(); }

bool AutoSession::has_checks() const {
  const gate::Verify verify = world::verify_of(project_.config);
  return !verify.test.empty() || !verify.lint.empty() || !verify.build.empty();
}

int AutoSession::exit_code(const auto_mode::Run& run) const {
  if (run.outcome == auto_mode::Outcome::interrupted) return interrupt_->exit_code();
  return auto_mode::exit_code(run.outcome);
}

Result<void> record_session(const std::string& folder) {
  const auto repository = git::open_repository(folder);
  if (!repository) return {};
  const auto text = read_file_beneath(folder, auto_state::kFile, auto_state::kMaxBytes);
  if (!text) return {};
  const auto document = auto_state::read_document(*text);
  if (!document || !world::run_of_state(folder).empty()) return {};
  TRY_VOID(git::exclude_capsule_dir(*repository, {std::string(auto_state::kFolder) + "/"}));
  const auto store = TRY(store::Store::open(repository->top, store::Access::read_write));
  const std::string compact = document->json.compact();
  // The same workflow has the same start and task; another one is another run.
  std::string run;
  for (const engine::RunHead& head : TRY(store->runs_of(engine::kAutoSubject))) {
    if (head.workflow != engine::kAutoSessionWorkflow) continue;
    const auto facts = TRY(engine::auto_facts(TRY(store->read(head.run, 0))));
    const auto* seen = facts.empty() ? nullptr : std::get_if<fact::SessionSeen>(&facts.back());
    if (seen == nullptr) continue;
    if (seen->state == compact) return {};
    const auto before = auto_state::read_document(seen->state);
    if (before && before->state.started_at == document->state.started_at &&
        before->state.task == document->state.task)
      run = head.run;
  }
  engine::JournalAutoLog log(*store, run.empty() ? new_run_id() : run,
                             engine::kAutoSessionWorkflow);
  if (!run.empty()) TRY(log.read());
  return log.append(fact::SessionSeen{compact, utc_now()});
}

}  // namespace capsule::cli
