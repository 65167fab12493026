#include "run/worker.h"

#include <sys/utsname.h>

#include <algorithm>
#include <map>

#include "base/clock.h"
#include "base/files.h"
#include "base/print.h"
#include "base/text.h"
#include "git/refs.h"
#include "git/snapshot.h"
#include "git/temporary_folder.h"
#include "git/transfer.h"
#include "run/worker_calls.h"
#include "store/subject_lock.h"
#include "world/elsewhere.h"
#include "world/private_home.h"
#include "world/world.h"

namespace capsule::run {
namespace {

using namespace workflow;

constexpr const char* kWorkerRun = "worker";
constexpr std::chrono::seconds kAgain{3};
constexpr int kFetches = 10;

class Worker {
 public:
  Worker(const world::Project& project, std::string remote, const WorkerOrder& order)
      : project_(project), remote_(std::move(remote)), order_(order) {}
  Result<int> until_the_end(engine::Records& records);

 private:
  // One claim, from its files to its report.
  struct Job {
    engine::WorkClaim claim;
    event::work::Order order;
    int agent = 0;
    std::string slot, folder, given, left;
    bool wanted = true;  // the claim is ours; otherwise nobody hears of it
    bool begun = false;  // its agent was started, and has not ended
    int tries = 0;
    std::vector<event::Contained> contained;  // what is told of its walls
    std::vector<event::HostsRefused> refused;
  };

  void hear();
  void take(engine::WorkClaim claim);
  void begin(std::int64_t token);
  Result<void> open(Job& job);
  void finished(AgentFinished finished);
  void send(std::int64_t token, event::work::Report report);
  void forget(std::int64_t token);
  void end_of(std::int64_t token);
  Job* of_agent(int agent);
  std::string free_slot() const;
  void wake();
  void say(const std::string& text) const { print(text + "\n"); }

  const world::Project& project_;
  const std::string remote_;
  const WorkerOrder& order_;
  std::unique_ptr<process::Loop> loop_;
  std::unique_ptr<world::Interrupt> interrupt_;
  std::unique_ptr<world::RealWorld> world_;
  std::unique_ptr<WorkerCalls> calls_;
  std::map<std::int64_t, Job> jobs_;  // by token
  int agents_ = 0;
  bool draining_ = false;
};

std::string host_name() {
  utsname system{};
  return ::uname(&system) == 0 ? system.nodename : "?";
}

std::string end_of_log(const std::string& path) {
  std::string log = read_file(path).value_or("");
  if (log.size() > event::work::kMaxLogBytes) log.erase(0, log.size() - event::work::kMaxLogBytes);
  return log;
}

// Whoever waits in the world hears of an order's end.
void Worker::wake() { world_->carry_out(Command{SupplyOrder{WakeAt{}}}); }

Worker::Job* Worker::of_agent(int agent) {
  for (auto& [token, job] : jobs_)
    if (job.agent == agent) return &job;
  return nullptr;
}

std::string Worker::free_slot() const {
  for (int i = 1;; ++i) {
    const std::string slot = std::to_string(i);
    bool taken = false;
    for (const auto& [token, job] : jobs_) taken = taken || job.slot == slot;
    if (!taken) return slot;
  }
}

void Worker::hear() {
  using What = WorkerNews::What;
  for (WorkerNews& news : calls_->news()) {
    switch (news.what) {
      case What::taken:
        take(std::move(news.claim));
        break;
      case What::lost:
        end_of(news.token);
        break;
      case What::refused:
        if (const auto job = jobs_.find(news.token); job != jobs_.end()) {
          say(printable(job->second.claim.what) + ": nobody wants what came of it any more");
          (void)git::drop_remote_refs(project_.repository, remote_, {job->second.left});
        }
        forget(news.token);
        break;
      case What::counted:
        forget(news.token);
        break;
      case What::away:
        say("the database is away; agents go on: " + printable(news.text));
        break;
      case What::back:
        say("the database is there again");
        break;
      case What::reborn:
        say("this worker was silent for too long; it begins anew");
        break;
    }
  }
}

void Worker::take(engine::WorkClaim claim) {
  const std::int64_t token = claim.token;
  Job job;
  job.slot = free_slot();
  job.agent = ++agents_;
  job.left = "refs/capsule/elsewhere/" + claim.run + "/" + std::to_string(claim.agent) + "-left-" +
             std::to_string(token);
  say("takes " + printable(claim.what) + " (run " + printable(claim.run) + ")");
  job.claim = std::move(claim);
  jobs_.emplace(token, std::move(job));
  begin(token);
}

// Its files, as the run has them, in a tree of ours.
Result<void> Worker::open(Job& job) {
  job.order = TRY(event::work::read_order(job.claim.spec));
  if (!job.order.ref.starts_with("refs/capsule/elsewhere/"))
    return fail(Reason::damaged,
                "the order names a ref that is not a run's: " + printable(job.order.ref));
  job.given = TRY(git::fetch_commit(project_.repository, remote_, job.order.ref));
  const std::string head = TRY(git::snapshot_head(project_.repository, job.given));
  // What a worker that was killed left there goes.
  TRY_VOID(world_->trees().remove({job.slot, "", ""}));
  const TreeOpened opened = TRY(world_->trees().open({job.slot, "", "", head}));
  job.folder = opened.folder;
  TRY_VOID(world_->hold_to(job.slot, job.order.walls));
  return git::rewind_worktree(project_.repository, opened.folder, opened.branch, job.given);
}

void Worker::begin(std::int64_t token) {
  const auto found = jobs_.find(token);
  if (found == jobs_.end()) return;
  Job& job = found->second;
  if (!job.wanted) return forget(token);
  auto opened = open(job);
  if (!opened && opened.error().reason != Reason::damaged && ++job.tries < kFetches) {
    if (job.tries == 1)
      say(printable(job.claim.what) + " cannot begin yet: " + printable(opened.error().message));
    loop_->after(kAgain, [this, token] { begin(token); });
    return;
  }
  Result<StartAgent> start =
      opened ? world::agent_of(job.order) : Result<StartAgent>(tl::unexpected(opened.error()));
  if (!start) {
    event::work::Report report;
    report.fault = event::Fault::lost;
    report.detail = "on " + host_name() + ": " + start.error().message;
    return send(token, std::move(report));
  }
  start->agent = job.agent;
  start->tree = job.slot;
  job.begun = true;
  world_->carry_out(Command{*start});
}

void Worker::finished(AgentFinished finished) {
  Job* job = of_agent(finished.agent);
  if (job == nullptr) return;
  job->begun = false;
  const std::int64_t token = job->claim.token;
  if (!job->wanted) return forget(token);
  // Ended by us: somebody else is to do it.
  if (finished.fault == event::Fault::interrupted) {
    calls_->give_back(token);
    return;
  }
  event::work::Report report = world::report_of(finished);
  report.log = end_of_log(finished.log);
  report.contained = job->contained;
  report.refused = job->refused;
  send(token, std::move(report));
}

// The files before the report: who hears of it can have them.
void Worker::send(std::int64_t token, event::work::Report report) {
  const auto found = jobs_.find(token);
  if (found == jobs_.end()) return;
  Job& job = found->second;
  if (!job.wanted) return forget(token);
  const auto sent = [&]() -> Result<void> {
    if (job.folder.empty()) return {};
    const git::Snapshot taken =
        TRY(git::take_snapshot(project_.repository, job.folder, job.left,
                               "As " + printable(job.claim.what) + " left it\n", job.given));
    TRY_VOID(git::push_commit(project_.repository, remote_, taken.commit, job.left));
    report.ref = job.left;
    return {};
  }();
  if (!sent) {
    say("what came of " + printable(job.claim.what) +
        " cannot be handed in yet: " + printable(sent.error().message));
    loop_->after(kAgain, [this, token, report] { send(token, report); });
    return;
  }
  say("done: " + printable(job.claim.what) +
      (report.fault == event::Fault::none ? "" : " (" + std::string(name_of(report.fault)) + ")"));
  calls_->report(token, event::work::written(report));
}

// Nobody waits for it any more.
void Worker::end_of(std::int64_t token) {
  const auto found = jobs_.find(token);
  if (found == jobs_.end()) return;
  say(printable(found->second.claim.what) + " is wanted here no more");
  found->second.wanted = false;
  if (!found->second.begun) return forget(token);
  world_->carry_out(Command{EndAgent{found->second.agent}});
}

void Worker::forget(std::int64_t token) {
  const auto found = jobs_.extract(token);
  if (found.empty()) return;
  const Job& job = found.mapped();
  if (!job.order.ref.empty())
    (void)git::delete_refs(project_.repository, {{job.left, ""}, {job.order.ref, ""}});
  world_->carry_out(Command{RemoveTree{job.slot, "", ""}});
}

Result<int> Worker::until_the_end(engine::Records& records) {
  loop_ = TRY(process::Loop::create());
  interrupt_ = TRY(world::Interrupt::create(*loop_, [this] {
    if (calls_) calls_->drain();
    draining_ = true;
    say("ends when its agents have; once more ends them");
    if (world_) wake();
  }));
  TRY_VOID(git::exclude_capsule_dir(project_.repository));
  git::sweep_temporary_folders(project_.repository);
  world::sweep_homes(project_.root());
  auto work = records.work();
  WorkerCalls::Wish wish{host_name(), world::labels_here(), order_.slots};
  for (const std::string& label : order_.labels) wish.labels.push_back(label);
  std::sort(wish.labels.begin(), wish.labels.end());
  const std::int64_t number = TRY(work->enlist(wish.name, wish.labels, wish.slots));
  world::WorldSettings settings;
  settings.run = kWorkerRun;
  settings.log_folder = project_.root() + "/.capsule/logs/worker-" + std::to_string(number);
  settings.trees.main_branch = project_.config.main_branch;
  settings.trees.exclude = project_.config.exclude;
  settings.trees_fail_alone = true;
  settings.people.tell = [](const std::string& text) { print_error("capsule: " + text + "\n"); };
  world_ = std::make_unique<world::RealWorld>(project_, *loop_, *interrupt_, std::move(settings));
  world_->contained = [this](int agent, const event::Contained& walls) {
    if (Job* job = of_agent(agent)) job->contained.push_back(walls);
  };
  std::string list;
  for (const std::string& label : wish.labels) list += (list.empty() ? "" : ", ") + label;
  say("worker " + std::to_string(number) + ": " + std::to_string(order_.slots) +
      (order_.slots == 1 ? " slot, " : " slots, ") + list);
  calls_ =
      std::make_unique<WorkerCalls>(std::move(work), number, std::move(wish), order_.once ? 1 : 0);
  if (draining_) calls_->drain();
  const process::WatchId watch = TRY(loop_->watch(calls_->fd(), [this] {
    hear();
    wake();
  }));
  while (!(calls_->idle() && jobs_.empty())) {
    bool stopped = false;
    for (Observation& one : TRY(world_->wait())) {
      if (auto* done = std::get_if<AgentFinished>(&one)) {
        finished(std::move(*done));
      } else if (const auto* news = std::get_if<SupplyNews>(&one)) {
        const auto* refused = std::get_if<HostsRefused>(&news->what);
        Job* job = refused != nullptr ? of_agent(refused->agent) : nullptr;
        if (job != nullptr) job->refused.push_back(*refused);
      } else if (const auto* failed = std::get_if<CommandFailed>(&one)) {
        if (const auto* start = std::get_if<StartAgent>(&failed->command))
          finished(world::not_started(*start, {failed->reason, failed->detail, ""}));
      }
      stopped = stopped || std::holds_alternative<StopAsked>(one);
    }
    if (stopped) break;
  }
  loop_->unwatch(watch);
  calls_.reset();
  for (const auto& [token, job] : jobs_) (void)world_->trees().remove({job.slot, "", ""});
  return interrupt_->requested() ? interrupt_->exit_code() : 0;
}

}  // namespace

Result<int> work(const world::Project& project, engine::Records& records,
                 const WorkerOrder& order) {
  std::string remote = TRY(git::shared_remote(project.repository));
  // Two of them would work in the same folders.
  const std::unique_ptr<engine::Claim> alone =
      TRY(store::lock_subject({project.repository.common_dir + "/capsule/locks"}, "worker", 0));
  return Worker(project, std::move(remote), order).until_the_end(records);
}

}  // namespace capsule::run
