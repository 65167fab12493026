#include "workflow/phases/check.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <set>
#include <unordered_map>

#include "base/ids.h"
#include "base/text.h"

namespace capsule::phases {
namespace {

using event::Finish;
using event::Route;

constexpr std::string_view kChecks[] = {"red",   "green", "only-tests", "tests-untouched",
                                        "build", "lint",  "signed-off", "as-signed-off"};
constexpr std::string_view kSignedOff = "signed-off";
// What is played: beyond that it takes too long, or too much of the stack.
constexpr std::size_t kMostWays = 200'000, kMostPhases = 64;
constexpr int kLongestWay = 250;
constexpr int kMostAttempts = 100;

// The place of a phase, which is that of the first of those that run with it; -1: there is none.
std::ptrdiff_t place_of(const Definition& definition, std::string_view name) {
  if (find_phase(definition, name) == nullptr) return -1;
  return group_of(definition, name).front() - definition.phases.data();
}

class Checker {
 public:
  explicit Checker(const Definition& definition) : d_(definition) {}

  std::vector<Problem> all() {
    if (d_.phases.empty()) {
      say("", "there are no phases");
      return problems_;
    }
    names();
    for (std::size_t i = 0; i < d_.phases.size(); ++i) phase(i);
    groups();
    if (runnable(problems_)) reach();
    whole();
    return problems_;
  }

 private:
  void say(std::string phase, std::string text, bool error = true) {
    problems_.push_back({std::move(phase), std::move(text), error});
  }

  void names() {
    std::set<std::string> seen;
    for (const PhaseRule& phase : d_.phases) {
      if (!valid_id(phase.name))
        say(phase.name, "'" + printable(phase.name) +
                            "' cannot be the name of a phase: letters, digits, '.', '_' and '-'");
      if (!seen.insert(phase.name).second) say(phase.name, "there are two phases of this name");
    }
  }

  void route(const PhaseRule& from, std::ptrdiff_t at, const Route& route, const char* status) {
    if (route.to.empty()) {
      if (!route.then.empty()) say(from.name, std::string(status) + ": 'then' without 'retry'");
      return;
    }
    const std::ptrdiff_t to = place_of(d_, route.to);
    if (to < 0)
      return say(from.name, std::string(status) + " leads to '" + printable(route.to) +
                                "', which is not a phase");
    if (to > at)
      say(from.name, std::string(status) + " can only retry this phase or an earlier one, not '" +
                         route.to + "'");
    if (route.limit < 0)
      say(from.name, std::string(status) + ": a loop without a limit never ends");
    if (route.limit > kMostAttempts)
      say(from.name,
          std::string(status) + ": the limit must be at most " + std::to_string(kMostAttempts));
    if (route.then.empty()) return;
    const std::ptrdiff_t then = place_of(d_, route.then);
    if (then < 0)
      say(from.name, std::string(status) + ": 'then' names '" + printable(route.then) +
                         "', which is not a phase");
    else if (then <= to)
      say(from.name, std::string(status) + ": 'then' must come after '" + route.to + "'");
  }

  void phase(std::size_t at) {
    const PhaseRule& p = d_.phases[at];
    const std::ptrdiff_t place = place_of(d_, p.name);
    route(p, place, p.needs_work, "NEEDS_WORK");
    route(p, place, p.error, "ERROR");
    if (!p.pass.to.empty()) {
      const std::ptrdiff_t to = place_of(d_, p.pass.to);
      if (to < 0)
        say(p.name, "PASS leads to '" + printable(p.pass.to) + "', which is not a phase");
      else if (to <= place)
        say(p.name, "PASS leads back to '" + p.pass.to + "': a loop without a limit never ends");
    }
    for (const auto* list : {&p.checks, &p.needs})
      for (const std::string& name : *list)
        if (std::find(std::begin(kChecks), std::end(kChecks), name) == std::end(kChecks))
          say(p.name, "there is no check '" + printable(name) + "'");
    for (const std::string& name : p.needs)
      if (name != kSignedOff)
        say(p.name,
            "'needs' accepts only '" + std::string(kSignedOff) + "'; the others go into 'checks'");
    const auto has = [&](std::string_view name) {
      return std::find(p.checks.begin(), p.checks.end(), name) != p.checks.end() ||
             std::find(p.needs.begin(), p.needs.end(), name) != p.needs.end();
    };
    const auto earlier = [&](auto member) {
      return std::any_of(d_.phases.begin(), d_.phases.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                         [&](const PhaseRule& other) { return other.*member; });
    };
    if (has("tests-untouched") && !earlier(&PhaseRule::writes_tests))
      say(p.name, "'tests-untouched' needs an earlier phase with 'tests: true'");
    if ((has(kSignedOff) || has("as-signed-off")) && !earlier(&PhaseRule::signs_off))
      say(p.name, "nothing before it signs off ('signs_off: true')");
    if (has("as-signed-off") && !p.commits)
      say(p.name, "'as-signed-off' is about the commit of a phase with 'commits: true'");
    if (p.commits && at + 1 != d_.phases.size())
      say(p.name, "only the last phase can commit the work");
    if (p.timeout_seconds < 0) say(p.name, "a time limit must be positive");
  }

  void groups() {
    for (const PhaseRule& p : d_.phases) {
      if (p.group == 0) continue;
      const auto group = group_of(d_, p.name);
      if (group.size() < 2) say(p.name, "a parallel step needs at least two phases");
      if (static_cast<std::size_t>(group.back() - group.front()) + 1 != group.size())
        say(p.name, "the phases of a parallel step must be next to each other");
      if (p.writes)
        say(p.name,
            "phases that run at once share one worktree: they can only look "
            "('write: false')");
      if (p.approval || p.commits || p.signs_off || p.writes_tests)
        say(p.name,
            "a phase that runs beside others cannot commit, sign off, write tests or "
            "be approved");
    }
  }

  void reach() {
    std::set<std::string> seen;
    const std::function<void(const std::string&)> go = [&](const std::string& name) {
      const auto group = group_of(d_, name);
      if (!seen.insert(group.front()->name).second) return;
      const PhaseRule& first = *group.front();
      for (const Route* route : {&first.pass, &first.needs_work, &first.error})
        for (const std::string* to : {&route->to, &route->then})
          if (!to->empty()) go(*to);
      const std::size_t next = static_cast<std::size_t>(group.back() - d_.phases.data()) + 1;
      if (first.pass.to.empty() && next < d_.phases.size()) go(d_.phases[next].name);
    };
    go(d_.phases.front().name);
    for (const PhaseRule& p : d_.phases)
      if (!seen.contains(group_of(d_, p.name).front()->name)) say(p.name, "it is never reached");
  }

  void whole() {
    const bool judged = std::any_of(d_.phases.begin(), d_.phases.end(), [](const PhaseRule& p) {
      return judges(p) || p.approval || p.signs_off || !p.checks.empty();
    });
    if (d_.finish != Finish::nothing && !judged)
      say("", "nothing reviews, checks or approves its work", false);
    const bool writes = std::any_of(d_.phases.begin(), d_.phases.end(),
                                    [](const PhaseRule& p) { return p.writes; });
    if (d_.finish != Finish::nothing && !writes)
      say("", "no phase may write, so there is nothing to " +
                  std::string(d_.finish == Finish::merge ? "merge" : "keep") + " ('end: nothing')");
  }

  const Definition& d_;
  std::vector<Problem> problems_;
};

// ---- What it can cost

std::string key_of(const State& s) {
  std::string key = s.phase + "\n" + std::to_string(s.attempt) + "\n" + s.then;
  for (const auto& [phase, times] : s.sent_back) key += "\n" + phase + "=" + std::to_string(times);
  return key;
}

// The longest way from here, agents counted; every status and every failed check is tried.
class Ways {
 public:
  int longest(const State& s) {
    if (s.step != Step::run_phase || !all_) return 0;
    all_ = known_.size() < kMostWays && depth_ < kLongestWay;
    const std::string key = key_of(s);
    if (const auto found = known_.find(key); found != known_.end()) return found->second;
    known_.emplace(key, 0);  // a way that comes back here would have no end; attempts forbid it
    const auto group = group_of(s.definition, s.phase);
    ++depth_;
    int most = 0;
    for (const Status status : {Status::pass, Status::needs_work, Status::error})
      for (const bool passed : {true, false}) {
        if (!passed && (status != Status::pass || group.front()->checks.empty())) continue;
        most = std::max(most, longest(after(s, group, status, passed, true)));
        if (group.front()->approval)
          most = std::max(most, longest(after(s, group, status, passed, false)));
      }
    --depth_;
    return known_[key] = static_cast<int>(group.size()) + most;
  }
  bool all() const { return all_; }

 private:
  // A review says something new every time, about another tree.
  State after(State s, const std::vector<const PhaseRule*>& group, Status status, bool passed,
              bool approved) {
    const std::string phase = s.phase;
    for (const PhaseRule* rule : group) {
      event::PhaseFinished finished;
      finished.phase = rule->name;
      finished.number = ++s.number;
      finished.status = status;
      finished.feedback = "feedback " + std::to_string(s.number);
      phases::apply(s, finished);
    }
    event::SnapshotTaken kept;
    kept.phase = phase;
    kept.commit = "c";
    kept.tree = "t" + std::to_string(s.number);
    phases::apply(s, kept);
    if (s.step == Step::check)
      phases::apply(s, event::PhaseChecked{phase, s.number, passed, "f", {}});
    if (s.step == Step::approve) {
      phases::apply(s, event::ApprovalAsked{phase, s.number, s.questions + 1});
      phases::apply(s, event::ApprovalGiven{s.question, approved, "otherwise", ""});
    }
    return s;
  }
  std::unordered_map<std::string, int> known_;
  int depth_ = 0;
  bool all_ = true;
};

// No run costs more: work that is sent back costs every phase at most once more, and a phase that
// is repeated by itself is so within one visit.
int estimate(const Definition& definition, int max_retries) {
  std::int64_t visits = 1, agents = 0;
  for (const PhaseRule& phase : definition.phases) {
    if (group_of(definition, phase.name).front() != &phase) {
      ++agents;  // where it leads is said by the first of those that run at once
      continue;
    }
    std::int64_t most = 0;
    // A check that refutes it, or a person, has a writer without a route begin again.
    bool repeats = phase.needs_work.to.empty() && (!phase.checks.empty() || phase.approval);
    bool sends_back = false;
    for (const Route* route : {&phase.needs_work, &phase.error}) {
      most = std::max<std::int64_t>(most, route->limit > 0 ? route->limit : max_retries);
      repeats |= route->to == phase.name;
      sends_back |= !route->to.empty() && route->to != phase.name;
    }
    visits += sends_back ? most - 1 : 0;
    agents += repeats ? most : 1;
  }
  return static_cast<int>(std::min<std::int64_t>(visits * agents, std::numeric_limits<int>::max()));
}

std::string attempts(int limit, int max_retries) {
  const int times = limit > 0 ? limit : max_retries;
  return " (" + counted(times, "attempt") + " in all)";
}

}  // namespace

std::vector<std::string_view> known_checks() { return {std::begin(kChecks), std::end(kChecks)}; }

std::vector<Problem> check(const Definition& definition) { return Checker(definition).all(); }

bool runnable(const std::vector<Problem>& problems) {
  return std::none_of(problems.begin(), problems.end(),
                      [](const Problem& problem) { return problem.error; });
}

// Agents that are started again because they failed by themselves.
static int after_faults(const Definition& definition) {
  std::size_t most = 0;
  for (const PhaseRule& phase : definition.phases)
    if (!phase.error.to.empty()) most = std::max(most, group_of(definition, phase.name).size());
  return static_cast<int>(most) * (workflow::kOwnFaults - 1);
}

int most_runs(const Definition& definition, int max_retries) {
  if (definition.phases.size() > kMostPhases)
    return estimate(definition, max_retries) + after_faults(definition);
  State s;
  event::RunStarted started;
  started.max_retries = max_retries;
  started.convergence = event::Convergence::off;
  started.definition = definition;
  phases::apply(s, started);
  phases::apply(s, event::WorktreeReady{"w", "b", "c"});
  Ways ways;
  const int most = ways.longest(s);
  return (ways.all() ? most : estimate(definition, max_retries)) + after_faults(definition);
}

std::string picture(const Definition& definition, int max_retries) {
  std::size_t width = 8;
  for (const PhaseRule& phase : definition.phases) width = std::max(width, phase.name.size());
  std::string text;
  int group = 0;
  for (const PhaseRule& phase : definition.phases) {
    const bool beside = phase.group != 0 && phase.group == group;
    group = phase.group;
    text += (phase.group == 0 ? "  " : beside ? "│ " : "┌ ") + padded(phase.name, width + 2);
    text += padded(phase.writes ? "writes" : "looks", 8);
    std::vector<std::string> rest;
    if (!phase.needs.empty()) rest.push_back("needs " + joined(phase.needs));
    if (!phase.checks.empty())
      rest.push_back("checked: " + joined(phase.checks) +
                     (phase.clean ? " (in a clean checkout)" : ""));
    if (phase.approval) rest.emplace_back("a person approves");
    if (phase.group != 0 && !beside)
      rest.emplace_back(phase.any ? "one PASS is enough" : "all must PASS");
    if (!beside) {
      for (const auto& [route, status] :
           {std::pair(&phase.needs_work, "NEEDS_WORK"), {&phase.error, "ERROR"}})
        if (!route->to.empty())
          rest.push_back(std::string(status) + " → " + route->to +
                         (route->then.empty() ? "" : " → " + route->then) +
                         attempts(route->limit, max_retries));
      if (!phase.pass.to.empty()) rest.push_back("PASS → " + phase.pass.to);
    }
    text += joined(rest);
    while (text.ends_with(' ')) text.pop_back();
    text += "\n";
  }
  constexpr const char* kEnds[] = {"merged to main, and the task is closed",
                                   "the work stays on its branch", "nothing is kept but logs"};
  static_assert(std::size(kEnds) == event::kFinishes);
  return text + "  ▼ " + kEnds[static_cast<std::size_t>(definition.finish)] + "\n";
}

}  // namespace capsule::phases
