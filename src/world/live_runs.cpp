#include "world/live_runs.h"

#include <signal.h>
#include <unistd.h>

#include <cstdlib>

#include "base/clock.h"
#include "base/ids.h"
#include "base/text.h"

namespace capsule::world {
namespace {

constexpr int kWaitMilliseconds = 30'000;
// A run that goes on takes a message up at once, and a client mostly hears it soon.
constexpr int kTakenUpMilliseconds = 5'000;
constexpr int kHeardMilliseconds = 1'000;

std::string person() {
  for (const char* name : {"USER", "LOGNAME"})
    if (const char* value = std::getenv(name); value != nullptr && *value != '\0') return value;
  return "a person";
}

Result<void> refuse_where_nobody_hears(const Project& project, const Found& found) {
  const std::string name = word_for(found.run);
  if (found.run.head.workflow == engine::kAutoSession)
    return fail(Reason::refused, "auto mode works in a session of its client",
                "say it there, in the session");
  const bool over = engine::state_of(found.run) == engine::RunState::ended;
  if (over && !found.run.summary.can_go_on)
    return fail(Reason::refused, "the run of " + name + " has ended: nobody would hear it",
                "see: capsule status " + name + project.option);
  return {};
}

// The message as the run has recorded it, as far as it got in a short time.
Result<workflow::MessageSummary> followed(engine::Records& store, const Run& run,
                                          const std::string& id, bool for_next) {
  const std::int64_t began = monotonic_ms();
  workflow::MessageSummary known;
  known.recorded = false;
  while (run.live()) {
    const Run now = TRY(read_run(store, run.head));
    for (const workflow::MessageSummary& message : now.summary.messages)
      if (message.id == id) known = message;
    const std::int64_t waited = monotonic_ms() - began;
    if (known.agent != 0 || !now.live() || (for_next && known.recorded)) break;
    if (waited > (known.recorded ? kHeardMilliseconds : kTakenUpMilliseconds)) break;
    ::usleep(50'000);
  }
  return known;
}

// Whether somebody is at work on it whose client hears words meanwhile.
bool somebody_hears(const Project& project, const Found& found) {
  for (const workflow::AgentSummary& agent : found.run.summary.agents) {
    if (!agent.running || (!found.task.empty() && agent.task != found.task)) continue;
    const auto row = project.config.providers.find(agent.provider);
    if (row != project.config.providers.end() && row->second.steer) return true;
  }
  return false;
}

}  // namespace

Result<Run> only_live_run(const Project& project, engine::Records* store) {
  std::vector<Run> living;
  std::vector<std::string> names;
  if (store != nullptr)
    for (Run& run : TRY(newest_runs(*store)))
      if (run.live() && run.head.workflow != engine::kAutoSession) {
        names.push_back(word_for(run));
        living.push_back(std::move(run));
      }
  if (living.size() == 1) return std::move(living.front());
  if (living.empty())
    return fail(Reason::not_found, "no run goes on now",
                "'capsule status" + project.option + "' lists all runs");
  return fail(Reason::usage, "several runs go on: " + short_list(names),
              "name one of them: capsule attach " + names.front() + project.option);
}

Result<void> refuse_one_task(const Project& project, const Found& found, std::string_view doing,
                             const std::string& instead) {
  if (found.task.empty()) return {};
  const std::string plan = word_for(found.run);
  return fail(Reason::usage,
              "one task of a plan cannot be " + std::string(doing) +
                  " alone: " + printable(found.task) + " of " + plan,
              instead + " " + plan + project.option);
}

Result<Run> find_live_run(const Project& project, engine::Records& store,
                          const std::vector<std::string>& words, Request request) {
  const std::string command = request == Request::pause ? "pause" : "abort";
  auto found = find_run(project, &store, words);
  if (!found && (found.error().reason != Reason::not_found || words.size() > 1))
    return tl::unexpected(found.error());
  std::string go_on;
  if (found) {
    TRY_VOID(refuse_one_task(project, *found, request == Request::pause ? "paused" : "aborted",
                             command + " the whole plan: capsule " + command));
    TRY_VOID(check_home(found->run.head));
    if (found->run.live()) return std::move(found->run);
    go_on = go_on_command(project, found->run);
  }
  return fail(Reason::not_found, "no run of " + printable(words.front()) + " is in progress",
              go_on.empty() ? "'capsule status" + project.option + "' lists all runs"
                            : "go on with it: " + go_on);
}

std::string go_on_once_stopped(const Project& project, Run run) {
  run.holder.reset();
  run.summary.can_go_on = true;
  std::string command = go_on_command(project, run);
  if (engine::is_phases(run.head) && !command.ends_with(" --resume")) command += " --resume";
  return command;
}

Result<void> abort_run(const Project& project, engine::Records& store, const Run& run) {
  const auto works = [&]() -> Result<bool> {
    const auto holder = TRY(store.holder(run.head.subject));
    return holder && holder->run == run.head.run;
  };
  TRY_VOID(leave_request(project.root(), run.head.run, Request::abort));
  // To the very process that holds the claim: pid, start time and boot were compared.
  ::kill(static_cast<pid_t>(run.holder->process.pid), SIGTERM);
  const std::int64_t began = monotonic_ms();
  while (TRY(works()) && monotonic_ms() - began < kWaitMilliseconds) ::usleep(50'000);
  if (TRY(works()))
    return fail(Reason::timed_out, "the run of " + word_for(run) + " (pid " +
                                       std::to_string(run.holder->process.pid) + ") did not end");
  return {};
}

Result<LeftMessage> leave_words(const Project& project, engine::Records& store, Found& found,
                                const Message& message) {
  TRY_VOID(refuse_where_nobody_hears(project, found));
  TRY_VOID(check_home(found.run.head));
  const std::string run = found.run.head.run;
  const std::string id = utc_stamp() + "-" + random_hex(4);
  TRY_VOID(leave_message(project.root(), run,
                         {id, found.task, message.text, person(), message.for_next}));
  LeftMessage left{id, TRY(followed(store, found.run, id, message.for_next)), false};
  left.heard_at_once = somebody_hears(project, found);
  if (left.state.recorded) return left;
  // It may have ended meanwhile.
  found.run = TRY(read_run(store, TRY(store.head(run))));
  if (auto late = refuse_where_nobody_hears(project, found); !late) {
    drop_message(project.root(), run, id);
    return tl::unexpected(late.error());
  }
  return left;
}

}  // namespace capsule::world
