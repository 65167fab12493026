#include "world/readiness.h"

#include <fcntl.h>

#include <utility>

#include "agent/run.h"
#include "base/clock.h"
#include "base/text.h"
#include "git/paths.h"
#include "git/setup_files.h"
#include "git/snapshot.h"
#include "git/worktree.h"

namespace capsule::world {
namespace {

Error setup_failed(const gate::Verdict& verdict, const std::string& folder,
                   const std::string& log) {
  const bool missing = verdict.ending == gate::Ending::not_run;
  return {missing ? Reason::missing_program : Reason::failed,
          "the set-up of the worktree " + printable(folder) + " failed (" +
              printable(verdict.command) + ": " + describe(verdict) + ")\n" + verdict.output +
              (log.empty() ? "" : "\nall of it: " + printable(log)),
          "no agent was started there; mend it, or change worktree.setup, and start the same "
          "command again" +
              (verdict.walls.empty() ? "" : "\n" + verdict.walls)};
}

// A planted link must not become the log.
File open_log(const std::string& folder, const std::string& log_folder, std::string& path) {
  constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
  const std::string stamp = utc_stamp() + "-" + random_hex(2) + ".log";
  if (!log_folder.empty()) {
    path = log_folder + "/setup-" + git::name_of(folder) + "-" + stamp;
    if (!make_folders(log_folder)) return {};
    return File(::open(path.c_str(), kFlags, 0644));
  }
  const std::string name = std::string(agent::kOutputFolder) + "/setup-" + stamp;
  path = folder + "/" + name;
  if (!make_folders_beneath(folder, std::string(agent::kOutputFolder))) return {};
  auto file = open_beneath(folder, name, kFlags);
  return file ? *std::move(file) : File();
}

}  // namespace

void Readiness::ready(const std::string& folder, const std::string& log_folder,
                      const std::string& base, Ready ready) {
  if (const auto running = jobs_.find(folder); running != jobs_.end()) {
    running->second.waiting.push_back(std::move(ready));
    return;
  }
  Job job;
  const auto needed = begin(folder, base, job);
  if (!needed) return ready(tl::unexpected(needed.error()));
  if (!*needed) return ready({});
  File log = open_log(folder, log_folder, job.log);
  if (!log) job.log.clear();
  job.waiting.push_back(std::move(ready));
  jobs_.emplace(folder, std::move(job));
  setup_.run(folder, std::move(log),
             [this, folder](const Result<gate::Verdict>& verdict) { ended(folder, verdict); });
}

// Whether it has to be set up; then its files are noted, so that what is left can be told apart.
Result<bool> Readiness::begin(const std::string& folder, const std::string& base, Job& job) {
  job.key = TRY(git::setup_key(repository_, folder, spelled(setup_.command()), inputs_));
  const git::SetupNotes before = git::read_setup(repository_, folder);
  if (before.key == job.key) return false;
  job.again = !before.key.empty();
  std::string parent = base.empty() ? git::worktree_head(repository_, folder) : base;
  if (parent.empty()) parent = repository_.head;
  TRY_VOID(git::note_files(repository_, folder, parent));
  return true;
}

void Readiness::ended(const std::string& folder, const Result<gate::Verdict>& verdict) {
  const auto node = jobs_.extract(folder);
  const Result<void> result = judge(folder, node.mapped(), verdict);
  for (const Ready& ready : node.mapped().waiting) ready(result);
}

Result<void> Readiness::judge(const std::string& folder, const Job& job,
                              const Result<gate::Verdict>& verdict) const {
  if (!verdict) return tl::unexpected(verdict.error());
  if (verdict->ending != gate::Ending::passed) {
    const Error error = setup_failed(*verdict, folder, job.log);
    if (!job.again) return tl::unexpected(error);
    if (told_) told_("capsule: warning: " + error.message + "\n");
  }
  return git::note_setup(repository_, folder, job.key);
}

}  // namespace capsule::world
