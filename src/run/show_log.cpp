#include "run/show_log.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/ids.h"
#include "base/text.h"
#include "ui/attempt_text.h"
#include "world/activities.h"
#include "world/logs.h"
#include "world/run_watch.h"

namespace capsule::run {
namespace {

// What is printed meanwhile is read together, and who follows takes half a processor at most.
constexpr std::chrono::milliseconds kGather{50};

std::vector<world::LogFile> files_of(const world::Project& project, const world::Found& found,
                                     const LogOrder& order) {
  return order.agent > 0 ? world::logs_of_agent(project, found.run, order.agent)
                         : world::logs_of(project, found.run, {order.role, found.task});
}

}  // namespace

Result<void> show_log(const world::Project& project, engine::Records* store, const LogOrder& order,
                      ui::LogPrinter::Write write) {
  world::LogFollower follower;
  ui::LogPrinter printer(order.look, std::move(write));
  const auto sink = [&](const std::string& name, std::string_view bytes) {
    return printer.bytes(name, bytes);
  };
  const std::string& word = order.words.front();
  world::RunWatch watch(project.root());
  std::string findings;
  for (;;) {
    const auto began = std::chrono::steady_clock::now();
    // Asked before the files are read: what a run wrote before it ended is never missed.
    const auto found = world::find_run(project, store, order.words);
    if (!found) {
      // Phases that were run by hand have no run.
      if (found.error().reason != Reason::not_found || !valid_id(word) || order.words.size() > 1)
        return tl::unexpected(found.error());
      if (order.agent == 0)
        TRY_VOID(follower.read(world::logs_of_bead(project, word, order.role), sink));
      break;
    }
    const bool follows = order.look.follow && found->run.live();
    if (follows) {
      watch.look_at(found->run.holder->process);
      watch.look_at_logs(world::log_folders(project, found->run.head));
    }
    TRY_VOID(follower.read(files_of(project, *found, order), sink));
    findings = ui::findings_text(found->run.view, {order.role, found->task, order.agent},
                                 order.look.style);
    if (!follows) break;
    const auto took = std::chrono::steady_clock::now() - began;
    watch.wait();
    std::this_thread::sleep_for(std::max<std::chrono::nanoseconds>(kGather, took));
  }
  TRY_VOID(printer.flush());
  if (follower.found_any())
    return findings.empty() ? Result<void>() : printer.section("said and checked", findings);
  return fail(Reason::not_found,
              "there is no output of " + printable(word) +
                  (order.role.empty() ? "" : " in " + order.role) +
                  (order.agent == 0 ? "" : " by its agent " + std::to_string(order.agent)),
              "see the runs: capsule status" + project.option);
}

}  // namespace capsule::run
