// What people and programs ask of a definition and of a run.
#include <algorithm>

#include "workflow/phases/phases.h"

namespace capsule::phases {

const PhaseRule* find_phase(const Definition& definition, std::string_view name) {
  for (const PhaseRule& phase : definition.phases)
    if (phase.name == name) return &phase;
  return nullptr;
}

std::vector<const PhaseRule*> group_of(const Definition& definition, std::string_view name) {
  std::vector<const PhaseRule*> group;
  const PhaseRule* phase = find_phase(definition, name);
  if (phase == nullptr) phase = &definition.phases.front();
  if (phase->group == 0) return {phase};
  for (const PhaseRule& other : definition.phases)
    if (other.group == phase->group) group.push_back(&other);
  return group;
}

bool judges(const PhaseRule& phase) {
  return !phase.needs_work.to.empty() && phase.needs_work.to != phase.name;
}

bool needs_baseline(const Definition& definition) {
  constexpr std::string_view kWithout[] = {"only-tests", "tests-untouched", "signed-off",
                                           "as-signed-off"};
  for (const PhaseRule& phase : definition.phases)
    for (const std::string& check : phase.checks)
      if (std::find(std::begin(kWithout), std::end(kWithout), check) == std::end(kWithout))
        return true;
  return false;
}

bool merges_again(const State& s) {
  return s.step == Step::ended && s.after == Step::integrate && s.merge_commit.empty();
}

int attempts_of(const Definition& definition, std::string_view phase, int max_retries) {
  const auto group = group_of(definition, phase);
  const auto limit = [&](const PhaseRule& rule) {
    return rule.needs_work.limit > 0 ? rule.needs_work.limit : max_retries;
  };
  if (!group.front()->needs_work.to.empty()) return limit(*group.front());
  for (const PhaseRule& rule : definition.phases)
    for (const PhaseRule* one : group)
      if (rule.needs_work.to == one->name) return limit(rule);
  return max_retries;
}

int stages(const Definition& definition) {
  int most = 1;
  for (const PhaseRule& phase : definition.phases) most = std::max(most, phase.stage);
  return most;
}

int stage_of(const State& s) {
  switch (s.step) {
    case Step::start:
    case Step::prepare:
      return 1;
    case Step::run_phase:
    case Step::snapshot:
    case Step::check:
    case Step::approve:
      return group_of(s.definition, s.then.empty() ? s.phase : s.then).front()->stage;
    default:
      return stages(s.definition);
  }
}

bool is_unseen(const State& s, int question, const std::set<int>& unbegun) {
  // What follows from an approved merge may be done already.
  if (s.step != Step::run_phase && s.step != Step::check) return false;
  if (!s.before_answer || s.before_answer->question != question) return false;
  // One that was started before may have been called, and cut off.
  const auto& running = s.present.running;
  return s.starts - s.before_answer->starts == static_cast<int>(running.size()) &&
         std::all_of(running.begin(), running.end(),
                     [&](const auto& agent) { return unbegun.contains(agent.first); });
}

int exit_code(Outcome outcome) {
  switch (outcome) {
    case Outcome::merged:
    case Outcome::prepared:
    case Outcome::on_branch:
    case Outcome::finished:
      return 0;
    case Outcome::retries_exhausted:
    case Outcome::converged:
    case Outcome::merge_needs_work:
    case Outcome::merge_refused:
    case Outcome::paused:
    case Outcome::rejected:
      return 1;
    case Outcome::none:
    case Outcome::writer_needs_work:
    case Outcome::phase_error:
    case Outcome::merge_error:
    case Outcome::prep_failed:
    case Outcome::interrupted:
    case Outcome::aborted:
      return 2;
  }
  return 2;
}

}  // namespace capsule::phases
