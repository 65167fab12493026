#include "run/conductor.h"

#include "base/clock.h"
#include "base/moment.h"
#include "event/supply.h"
#include "gate/report_run.h"
#include "git/branch.h"
#include "git/merge.h"
#include "git/refs.h"
#include "git/temporary_folder.h"
#include "git/worktree.h"
#include "run/detached.h"
#include "run/notifying.h"
#include "workspace/names.h"
#include "world/crash_probe.h"
#include "world/cut_off.h"
#include "world/private_home.h"
#include "world/requests.h"
#include "world/spending.h"

namespace capsule::run {

struct Conductor::SystemClock : engine::Clock {
  std::string utc_now() override { return capsule::utc_now(); }
};

Conductor::Conductor(world::Project project) : project_(std::move(project)) {}
Conductor::~Conductor() = default;

Result<std::unique_ptr<Conductor>> Conductor::open(world::Project project,
                                                   const std::vector<std::string>& hidden) {
  std::unique_ptr<Conductor> self(new Conductor(std::move(project)));
  // Even a run that is refused leaves a journal; the user's checkout must not show it.
  TRY_VOID(git::exclude_capsule_dir(self->project_.repository, hidden));
  self->store_ = TRY(world::open_journal(self->project_));
  self->loop_ = TRY(process::Loop::create());
  self->interrupt_ = TRY(world::Interrupt::create(*self->loop_));
  self->clock_ = std::make_unique<SystemClock>();
  // What a process that was killed left is in nobody's use, also where nothing is left to do.
  git::sweep_temporary_folders(self->project_.repository);
  world::sweep_homes(self->project_.root());
  gate::sweep_private_folders();
  return self;
}

std::string Conductor::now() { return clock_->utc_now(); }

Result<void> Conductor::claim(const std::string& subject, const std::string& run) {
  claim_ = TRY(store_->claim(subject, run, now()));
  return {};
}

Result<void> Conductor::keep_words(const std::string& run) {
  const auto facts = store_->read(run, 0);
  if (!facts && facts.error().reason == Reason::not_found) return {};  // it is new
  if (!facts) return tl::unexpected(facts.error());
  std::vector<std::string> earlier;
  for (const event::Fact& fact : *facts) {
    if (fact.kind != kind_of(event::supply::WordsGiven{})) continue;
    const auto read = TRY(event::supply::read_fact(fact.kind, fact.body));
    earlier = std::get<event::supply::WordsGiven>(read).words;
  }
  const world::ProjectWords words = with_kept(project_.words, earlier);
  if (kept_words(words) == kept_words(project_.words)) return {};
  world::Project project = TRY(world::open_project(words));
  project.config.verify.recheck = project_.config.verify.recheck;
  project_ = std::move(project);
  return {};
}

namespace {

// When the run recorded something last; 0: it is new.
std::int64_t last_heard(engine::Records& store, const std::string& run) {
  const auto head = store.head(run);
  if (!head || head->last_seq == 0) return 0;
  const auto newest = store.read(run, head->last_seq - 1);
  if (!newest || newest->empty()) return 0;
  return seconds_of(newest->back().at).value_or(0);
}

}  // namespace

Result<bool> Conductor::connect(Parts parts) {
  const std::string run = run_ = parts.settings.run;
  // What an earlier process did not hear is not meant for this one.
  world::drop_requests(project_.root(), run);
  probe_ = world::crash_probe();
  log_ = std::make_unique<engine::Log>(*store_, run, parts.name, parts.subject);
  if (project_.config.budget.day > 0)
    parts.settings.spent_elsewhere =
        [spent = std::make_shared<world::SpentElsewhere>(*store_, run)](const std::string& day) {
          return spent->micros(day);
        };
  parts.settings.heard = last_heard(*store_, run);
  engine::Listener* listener = &parts.listener;
  if (!project_.config.notify.empty()) {
    notifying_ = std::make_unique<Notifying>(parts.listener, parts.shown, *loop_, project_, run,
                                             parts.settings.people.tell);
    listener = notifying_.get();
  }
  parts.settings.intact = [store = store_.get()] { return store->intact(); };
  shared_ = TRY(shared_main(run, parts.settings.people.tell));
  if (shared_) {
    // Who cannot reach it would be paid in vain.
    TRY_VOID(shared_->look(project_.repository,
                           git::main_ref_of(project_.repository, project_.config.main_branch)));
    parts.settings.shared_main = shared_;
    parts.settings.trees.share = [this](const std::string& ref, const std::string& commit) {
      return shared_->keep(project_.repository, ref, commit);
    };
  }
  parts.settings.work = [store = store_.get()] { return store->work(); };
  world_ =
      std::make_unique<world::RealWorld>(project_, *loop_, *interrupt_, std::move(parts.settings));
  runner_ = std::make_unique<engine::Runner>(
      parts.workflow, engine::Ports{*clock_, *log_, *world_, *listener, probe_.get()});
  const std::vector<event::Fact> facts = TRY(log_->read());
  listener->recall(facts);
  // What clients keep of their conversations is where they ran.
  if (!arrived_) recall_sessions(facts);
  const bool found = TRY(runner_->replay());
  if (found) {
    world::Run before;
    before.head = TRY(store_->head(run));
    before.summary = parts.workflow.summary();
    world_->recall(world::cut_off_calls(project_, before, facts));
  }
  return found;
}

engine::RunHead head_of(std::string run, std::string_view workflow, std::string_view subject) {
  engine::RunHead head;
  head.run = std::move(run);
  head.workflow = workflow;
  head.subject = subject;
  return head;
}

Result<std::shared_ptr<workspace::SharedMain>> Conductor::shared_main(
    const std::string& run, const std::function<void(const std::string&)>& tell) {
  const auto remote = TRY(world::shared_remote(project_));
  if (!remote) return nullptr;
  return std::make_shared<workspace::SharedMain>(
      *remote,
      [store = store_.get(), run](const std::string& branch) {
        return store->take_branch(run, branch);
      },
      tell);
}

Result<bool> Conductor::bring_here(const std::string& run, const std::string& tree,
                                   const std::string& snapshot) {
  const auto shared = TRY(shared_main(run, {}));
  if (!shared) return false;
  if (!snapshot.empty()) {
    // What is recorded is there, or the run is not as safe as it should be, and stays where it is.
    const std::string newest =
        TRY(shared->kept(project_.repository, workspace::shared_ref(run, tree)));
    if (newest.empty() || !git::has_all_of(project_.repository, newest, snapshot).value_or(false))
      return false;
  }
  TRY_VOID(store_->bring_here(run));
  arrived_ = true;
  return true;
}

Result<void> Conductor::arrive(const std::string& tree, const std::string& base,
                               const std::string& ref, const std::string& snapshot) {
  if (!shared_ || !git::read_ref(project_.repository, ref).empty()) return {};
  // It may have recorded more since it was looked for.
  const std::string newest =
      TRY(shared_->kept(project_.repository, workspace::shared_ref(run_, tree)));
  if (newest.empty()) return {};
  return world_->trees().arrive(base, ref, snapshot);
}

Result<engine::End> Conductor::carry_on() {
  tell_carried_on(run_);
  const Result<engine::End> end = runner_->carry_on();
  // As long as the face is there to hear what became of it.
  if (notifying_ != nullptr) notifying_->finish();
  if (end) world_->forget_recorded();
  return end;
}

// Conversations that agents of an earlier process had go on as they are.
void Conductor::recall_sessions(const std::vector<event::Fact>& facts) {
  for (const event::Fact& fact : facts) {
    if (fact.kind != kind_of(event::supply::AgentUsed{})) continue;
    const auto read = event::supply::read_fact(fact.kind, fact.body);
    const auto* used = read ? std::get_if<event::supply::AgentUsed>(&*read) : nullptr;
    if (used != nullptr)
      world_->agents().recall(used->conversation, used->agent, used->log, used->session,
                              used->provider, used->use);
  }
}

}  // namespace capsule::run
