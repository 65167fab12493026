// Random workflows of phases, as a user could write them.
#include <map>

#include "tests/simulation/phases.h"
#include "workflow/phases/check.h"

namespace capsule::simulation {
namespace {

using event::Definition;
using event::PhaseRule;
using event::Route;

constexpr int kMostRuns = 60;  // of one sample

PhaseRule phase(int number) {
  PhaseRule rule;
  rule.name = "p" + std::to_string(number);
  rule.prompt = "prompts/" + rule.name + ".md";
  rule.stage = number + 2;
  return rule;
}

Route back(Random& random, const Definition& d) {
  const int count = static_cast<int>(d.phases.size());
  const int to = random.below(count);
  Route route{d.phases[static_cast<std::size_t>(to)].name, "", random.below(4)};
  if (to + 1 < count && random.chance(25))
    route.then = d.phases[static_cast<std::size_t>(to + 1 + random.below(count - to - 1))].name;
  return route;
}

void add_group(Random& random, Definition& d, int group) {
  const int first = static_cast<int>(d.phases.size());
  const bool any = random.chance(40);
  const bool judges = first > 0 && random.chance(80);
  Route route;
  if (judges) route = back(random, d);
  for (int i = 2 + random.below(2); i > 0; --i) {
    PhaseRule rule = phase(static_cast<int>(d.phases.size()));
    rule.group = group;
    rule.any = any;
    rule.writes = false;
    rule.needs_work = route;
    d.phases.push_back(rule);
  }
}

void add_phase(Random& random, Definition& d) {
  const int at = static_cast<int>(d.phases.size());
  PhaseRule rule = phase(at);
  rule.writes = at == 0 || random.chance(60);
  rule.writes_tests = rule.writes && random.chance(20);
  rule.signs_off = at > 0 && random.chance(25);
  rule.clean = rule.signs_off;
  rule.approval = random.chance(20);
  for (const char* name : {"build", "lint", "green"})
    if (random.chance(30)) rule.checks.emplace_back(name);
  d.phases.push_back(rule);
  PhaseRule& placed = d.phases.back();
  if (random.chance(50)) placed.needs_work = back(random, d);
  if (random.chance(20)) placed.error = back(random, d);
}

Definition random_definition(Random& random) {
  Definition d;
  d.name = "sample";
  d.finish = static_cast<event::Finish>(random.below(event::kFinishes));
  for (int steps = 1 + random.below(4), group = 0; steps > 0; --steps)
    if (random.chance(25))
      add_group(random, d, ++group);
    else
      add_phase(random, d);
  PhaseRule& last = d.phases.back();
  if (last.group == 0 && random.chance(40)) {
    last.commits = last.writes = true;
    last.signs_off = false;
    last.needs = {"signed-off"};
  }
  // What is sent back may lead past its judge.
  for (PhaseRule& rule : d.phases)
    if (rule.group == 0 && !rule.needs_work.to.empty() && random.chance(15))
      rule.needs_work.then = last.name;
  for (std::size_t i = 0; i + 2 < d.phases.size(); ++i)
    if (d.phases[i].group == 0 && random.chance(10)) d.phases[i].pass.to = d.phases[i + 2].name;
  return d;
}

Sample make(int n) {
  Sample sample;
  if (n == 0) {
    sample.definition = phases::pipeline();
  } else {
    Random random(static_cast<std::uint64_t>(n));
    do {
      sample.definition = random_definition(random);
    } while (!phases::runnable(phases::check(sample.definition)) ||
             phases::most_runs(sample.definition, kSampleAttempts) > kMostRuns);
  }
  for (int attempts = 1; attempts <= kSampleAttempts; ++attempts)
    sample.most_runs.push_back(phases::most_runs(sample.definition, attempts));
  return sample;
}

}  // namespace

const Sample& sample(int n) {
  static std::map<int, Sample> made;
  const auto found = made.find(n);
  return found != made.end() ? found->second : made.emplace(n, make(n)).first->second;
}

}  // namespace capsule::simulation
