#include "world/ground.h"

#include <algorithm>
#include <ctime>
#include <map>

#include "base/text.h"
#include "event/auto.h"
#include "event/delivery.h"
#include "event/pipeline.h"
#include "git/command.h"
#include "git/commit.h"
#include "git/lock.h"
#include "world/journal.h"

namespace capsule::world {
namespace {

using workflow::GroundMoved;

// Of a merge: "run-1" or "run-1/T-2".
std::string run_in(const git::Commit& commit) {
  constexpr std::string_view kTrailer = "Capsule-Run: ";
  for (const std::string_view line : split(commit.message, '\n')) {
    if (!line.starts_with(kTrailer)) continue;
    const std::string_view value = line.substr(kTrailer.size());
    if (git::has_run_trailer(commit.message, value))
      return std::string(value.substr(0, value.find('/')));
  }
  return {};
}

bool same(const git::Ground& a, const git::Ground& b) {
  return a.refs == b.refs && a.head == b.head && a.settings == b.settings && a.staged == b.staged &&
         a.dirty == b.dirty && a.untracked == b.untracked;
}

// By the clock that files are stamped with: what is written from now on has no earlier time.
std::int64_t stamping_now() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

// When the file was last written to; 0: it is not there, or not known.
std::int64_t written_at(const git::Ground& ground, const std::string& path) {
  for (const auto* files : {&ground.dirty, &ground.untracked})
    if (const auto found = files->find(path); found != files->end()) return found->second.ctime_ns;
  return 0;
}

}  // namespace

void GroundWatch::in_place() {
  if (extent_ == git::Extent::all) last_.reset();
  extent_ = git::Extent::settings;
}

std::vector<GroundMoved> GroundWatch::look(const std::vector<int>& agents) {
  return compare(agents, nullptr);
}

std::vector<GroundMoved> GroundWatch::look_before(const std::vector<int>& agents) {
  const std::int64_t now = stamping_now();
  if (!last_ || !git::glance(parts_.repository, extent_, *last_)) return compare(agents, nullptr);
  glances_.push_back({now, agents});
  return {};
}

std::vector<GroundMoved> GroundWatch::look_after(const workflow::Merged& merged,
                                                 const std::vector<int>& agents) {
  return compare(agents, merged.nothing || merged.adopted ? nullptr : &merged);
}

std::string GroundWatch::main_ref() const {
  const std::string heads = "refs/heads/";
  if (!parts_.main_branch.empty())
    return (parts_.main_branch.starts_with(heads) ? "" : heads) + parts_.main_branch;
  return heads + (last_->refs.contains(heads + "main") ? "main" : "master");
}

// Every commit that main went forward by is a merge that a Capsule has, or is about to have, in
// the journal.
bool GroundWatch::by_capsules(const std::string& from, const std::string& to) const {
  if (from == to || (parts_.followed && parts_.followed(to))) return true;
  if (from.empty() || to.empty() || !parts_.merged_by) return false;
  const auto answer =
      git::ask(parts_.repository,
               {.args = {"rev-list", "--header", "--first-parent", to, "^" + from, "--"}});
  if (!answer || answer->code != 0) return false;
  const std::vector<git::Commit> commits = git::parse_commits(answer->out);
  if (commits.empty() || commits.back().parents.empty() || commits.back().parents.front() != from)
    return false;
  return std::all_of(commits.begin(), commits.end(), [&](const git::Commit& commit) {
    const std::string run = commit.parents.size() == 2 ? run_in(commit) : "";
    return !run.empty() && parts_.merged_by(run, commit.id);
  });
}

// Only what is written into a file escapes a glance, and that leaves the time with the file.
std::vector<GroundMoved> GroundWatch::by_time(std::vector<std::string> files,
                                              const git::Ground& now,
                                              const std::vector<int>& agents) {
  std::erase_if(files, [&](const std::string& path) { return !told_.insert(path).second; });
  std::map<std::vector<int>, std::vector<std::string>> by_agents;
  for (const std::string& path : files) {
    const std::int64_t at = written_at(now, path);
    const auto glance = std::find_if(glances_.begin(), glances_.end(), [&](const Glance& one) {
      return at != 0 && at < one.until_ns;
    });
    by_agents[glance == glances_.end() ? agents : glance->agents].push_back(path);
  }
  std::vector<GroundMoved> all;
  for (const auto& [ran, paths] : by_agents) {
    GroundMoved moved;
    moved.agents = ran;
    moved.what.push_back("files of the checkout changed: " + short_list(paths));
    all.push_back(std::move(moved));
  }
  return all;
}

std::vector<GroundMoved> GroundWatch::compare(const std::vector<int>& agents,
                                              const workflow::Merged* merged) {
  git::Ground now = git::look(parts_.repository, extent_, last_ ? &*last_ : nullptr);
  if (!last_ || same(*last_, now)) {
    last_ = std::move(now);
    glances_.clear();
    return {};
  }
  // Another Capsule may be in the middle of a merge: then it holds the lock.
  {
    const auto lock = git::RepositoryLock::take(parts_.repository);
    now = git::look(parts_.repository, extent_, &now);
  }
  const std::string main = main_ref();
  git::Differences found = git::differences(parts_.repository, *last_, now, main, parts_.exclude);
  GroundMoved moved;
  moved.agents = agents;
  std::string to = found.main_to;
  if (merged != nullptr && to == merged->commit) {
    to = merged->onto;
    std::erase_if(found.files, [&](const std::string& path) {
      return std::find(merged->files.begin(), merged->files.end(), path) != merged->files.end();
    });
  }
  if (found.main_moved && !by_capsules(found.main_from, to)) {
    moved.what.push_back(found.main_what);
    if (parts_.asks && !agents.empty()) {
      moved.main = main;
      moved.from = found.main_from;
      moved.to = to;
    }
  }
  moved.what.insert(moved.what.end(), found.what.begin(), found.what.end());
  std::vector<GroundMoved> all = by_time(std::move(found.files), now, agents);
  last_ = std::move(now);
  glances_.clear();
  // What the same agents did is one.
  const auto same_agents = std::find_if(
      all.begin(), all.end(), [&](const GroundMoved& one) { return one.agents == agents; });
  if (same_agents != all.end()) {
    moved.what.insert(moved.what.end(), same_agents->what.begin(), same_agents->what.end());
    all.erase(same_agents);
  }
  if (!moved.what.empty()) all.push_back(std::move(moved));
  return all;
}

namespace {

// In every workflow.
bool says_merged(const event::Fact& fact) {
  return fact.kind == kind_of(event::MergeDone{}) ||
         fact.kind == kind_of(event::delivery::MergeDone{}) ||
         fact.kind == kind_of(event::delivery::RepairDone{}) ||
         fact.kind == kind_of(event::auto_run::MergeDone{});
}

}  // namespace

bool journal_has_merge(const std::string& project, const std::string& own_run,
                       const std::string& run, const std::string& commit) {
  const auto store = journal_in(project);
  if (!store || *store == nullptr) return false;
  const auto head = (*store)->head(run);
  if (!head) return false;
  if (run != own_run && head->outcome.empty()) return true;
  const auto facts = (*store)->read(run, 0);
  return facts && std::any_of(facts->begin(), facts->end(), [&](const event::Fact& fact) {
           return says_merged(fact) && fact.body.find("\"" + commit + "\"") != std::string::npos;
         });
}

}  // namespace capsule::world
