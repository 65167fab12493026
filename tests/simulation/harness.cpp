#include "tests/simulation/harness.h"
#include "base/hash.h"

#include <algorithm>
#include <cstdlib>
#include <random>

namespace capsule::simulation {
namespace {

constexpr int kMostProcesses = 200;
constexpr int kMostWaits = 200'000;  // of one process
constexpr std::size_t kLastFacts = 80;

}  // namespace

std::uint64_t first_seed() {
  const char* given = std::getenv("CAPSULE_TEST_SEED");
  if (given != nullptr) return std::strtoull(given, nullptr, 10);
  return std::getenv("CAPSULE_TEST_FULL") != nullptr ? std::random_device{}() : 20261116;
}

int rounds(int reduced, int full) {
#ifdef CAPSULE_SANITIZED
  reduced /= 8;  // of which test_rounds() takes a fifth
#endif
  return reference::test_rounds(reduced, full);
}

std::string text_of(const Finding& finding, std::uint64_t seed) {
  std::string text = finding.broken + "\nCAPSULE_TEST_SEED=" + std::to_string(seed) + "\n";
  const std::size_t count = finding.journal.size();
  for (std::size_t i = count > kLastFacts ? count - kLastFacts : 0; i < count; ++i)
    text += "  " + finding.journal[i] + "\n";
  return text;
}

std::string text_of(const workflow::RunSummary& s) {
  std::string out = s.workflow + "|" + s.subject + "|" + s.title + "|" + s.provider + "|" +
                    s.outcome + "|" + s.detail + "|" + s.merged_as + (s.can_go_on ? "|+" : "|-");
  const auto add = [&](std::string_view text) { (out += text) += ','; };
  const auto count = [&](std::int64_t number) { (out += std::to_string(number)) += ','; };
  for (const workflow::TaskSummary& t : s.tasks)
    add(t.id), add(t.stage), add(t.words), add(t.commit), add(t.detail), count(t.agent_runs);
  for (const workflow::TreeSummary& t : s.trees) add(t.task), add(t.folder), add(t.branch);
  for (const workflow::AgentSummary& a : s.agents) {
    count(a.number), add(a.task), add(a.role), count(a.attempt), count(a.running ? 1 : 0);
    add(name_of(a.fault)), add(a.said), add(a.detail), add(a.log), count(a.duration_ms);
    add(a.provider), add(a.model), count(a.faults), count(a.use.cost_micros), count(a.use.output);
  }
  for (const workflow::Waiting& w : s.waits)
    if (w.what == workflow::Waiting::For::provider || w.what == workflow::Waiting::For::budget ||
        w.what == workflow::Waiting::For::disk)
      add(w.task), add(w.on), count(w.until), count(w.question), add(name_of(w.fault));
  count(s.usage.calls), count(s.usage.calls_without_cost);
  for (const workflow::ClaimSummary& c : s.claims)
    count(c.agent), add(c.role), add(c.claim.what), add(name_of(c.claim.verdict));
  add(workflow::walls_words(s.contained));
  add(workflow::refused_words(s.refused, s.refused_others));
  count(s.usage.agent_runs), count(s.usage.duration_ms), count(s.usage.cost_micros);
  return out;
}

Simulation::Simulation(std::uint64_t seed, const Weather& weather, WorldBug bug)
    : seed_(seed),
      random_(seed),
      weather_(weather),
      supplied_(weather.service_most > 0),
      bug_(bug),
      journal_(random_),
      ms_(1'767'225'600'000) {
  journal_.faults = weather_.journal_faults;
  journal_.recorded = [this] {
    on_recorded();
    supply_.recorded(SupplyTap::newest, ms_ / 1000, day());
    if (!supply_.broken.empty()) claim(false, supply_.broken.c_str());
  };
  make_policy();
  if (bug == WorldBug::lost_fact) journal_.bug = MemoryJournal::Bug::lost_fact;
  if (bug == WorldBug::fact_twice) journal_.bug = MemoryJournal::Bug::fact_twice;
}

void Simulation::give_up(const char* what) {
  claim(false, what);
  throw Broken{};
}

Finding Simulation::run(bool all) {
  try {
    while (!over_ && broken_.empty()) {
      if (++finding_.processes > kMostProcesses) give_up("every run ends or waits for a person");
      process();
      over_ |= weather_.one_process;
    }
    if (broken_.empty()) at_end();
  } catch (const Broken&) {
  }
  const auto by_others =
      std::count_if(main_.begin(), main_.end(), [](const Landed& one) { return one.tree.empty(); });
  claim(by_others == others_, "what others brought to main stays there");
  for (std::size_t i = 0; i < main_.size(); ++i)
    for (std::size_t k = 0; k < i && !main_[i].tree.empty(); ++k)
      claim(main_[i].tree != main_[k].tree || main_[i].version != main_[k].version,
            "nothing is merged twice");
  finding_.broken = broken_;
  if (weather_.scripted) finding_.path = path();
  if (all) finding_.facts = journal_.facts();
  if (all || !broken_.empty())
    for (const event::Fact& fact : journal_.facts())
      finding_.journal.push_back(
          (event::supply::is_supply(fact.kind) ? SupplyTap::text_of(fact) : text_of(fact))
              .substr(0, 400));
  return finding_;
}

// A person starts Capsule.
void Simulation::process() {
  workflow_ = &boot();
  stop_.reset();
  doubted_ = false;
  waits_ = 0;
  supply_.restart();
  attended_ = weather_.one_process || finding_.processes % 3 == 0 || random_.chance(70);
  engine::Log log(journal_, kRun, "simulated", "subject");
  engine::Runner runner(*workflow_, {*this, log, *this, *this, this});
  try {
    const auto known = runner.replay();
    if (!known) {
      claim(known.error().reason == Reason::io, "the journal can be read");
      return;
    }
    if (before_crash_) {
      claim(whole_fingerprint() == *before_crash_, "a replay gives the state that was recorded");
      before_crash_.reset();
    }
    if (*known) {
      const auto head = journal_.head(kRun);
      claim(head && head->ended_at.empty() == !workflow_->ended(), "the head says what facts say");
    }
    const auto going = set_going(runner, *known);
    if (!going) return die();  // cut off: what was recorded counts
    if (!*going) {
      over_ = true;
      return;
    }
    const auto end = runner.carry_on();
    if (!end) return die();
    claim(std::none_of(jobs_.begin(), jobs_.end(),
                       [](const Job& job) { return job.what == Job::What::agent; }),
          "no agent is left running");
    claim(workflow_->ended() == (*end == engine::End::over), "what is over has ended");
    if (*end == engine::End::stopped && stop_ == workflow::Stop::paused && notes_pauses()) {
      const auto head = journal_.head(kRun);
      claim(head && head->outcome == engine::kPaused, "who is to pause is not taken for dead");
    }
    // What others read is what this process ended with.
    before_crash_ = whole_fingerprint();
    supply_.at_end(workflow_->summary());
    if (!supply_.broken.empty()) claim(false, supply_.broken.c_str());
  } catch (const Crash&) {
    ++finding_.crashes;
  }
  die();
}

void Simulation::reached(std::string_view) {
  if (weather_.crashes <= 0 || !random_.once_in(static_cast<unsigned>(weather_.crash_one_in)))
    return;
  --weather_.crashes;
  before_crash_ = whole_fingerprint();
  throw Crash{};
}

// Whatever ran ends with its process, and may have got anywhere.
void Simulation::die() {
  for (const Job& job : jobs_) {
    const bool touches = (job.what == Job::What::agent && job.writes) ||
                         (job.what == Job::What::check && !job.clean);
    if (touches && random_.chance(50)) trees_[job.tree].now = new_version();
    if (job.what == Job::What::merge && random_.chance(30) &&
        job.into != workflow::Merge::Into::nowhere)
      land(job);
  }
  jobs_.clear();
  inbox_.clear();
  alarms_.clear();
}

// What supply knows is told by the summary.
std::string Simulation::whole_fingerprint() const {
  return fingerprint() + (has_supply() ? simulation::text_of(workflow_->summary()) : "");
}

// The same for the same agent or check in a scripted run; otherwise new every time.
Random Simulation::roll(const Job& job) {
  if (!weather_.scripted) return Random(random_.next());
  return Random(
      hash_step(hash_of(key_of(job), seed_ ^ kHashStart), static_cast<std::uint64_t>(job.what)));
}

Result<std::vector<workflow::Observation>> Simulation::wait() {
  if (++waits_ > kMostWaits) give_up("every run ends or waits for a person");
  ask_to_stop();
  if (has_supply()) supply_happens();
  if (inbox_.empty() || random_.chance(10)) happen();
  if (!broken_.empty()) throw Broken{};
  for (const workflow::Observation& one : inbox_)
    if (const auto* finished = std::get_if<workflow::AgentFinished>(&one)) {
      supply_.told(*finished, providers_[finished->agent]);
    } else if (const auto* news = std::get_if<workflow::SupplyNews>(&one)) {
      if (const auto* spends = std::get_if<workflow::AgentSpends>(&news->what))
        supply_.told(*spends);
      else if (const auto* walls = std::get_if<event::Contained>(&news->what))
        supply_.told(*walls);
      else if (const auto* refused = std::get_if<event::HostsRefused>(&news->what))
        supply_.told(*refused);
      else if (const auto* disk = std::get_if<workflow::DiskStands>(&news->what))
        supply_.told(*disk);
    }
  return std::exchange(inbox_, {});
}

// Something that is under way comes to its end.
void Simulation::happen() {
  int at_work = 0, questions = 0, timers = 0;
  for (const Job& job : jobs_) {
    questions += job.what == Job::What::question ? 1 : 0;
    timers += job.what == Job::What::timer ? 1 : 0;
  }
  at_work = static_cast<int>(jobs_.size()) - questions - timers;
  if (jobs_.empty() && !inbox_.empty()) return;
  // Time passes when nothing else can happen, and sometimes before.
  const bool idle = at_work == 0 && timers == 0;
  using event::supply::Room;
  if (idle && room_ != Room::enough && (questions == 0 || random_.chance(50)))
    return room_becomes(Room::enough);
  if (!alarms_.empty() && (idle ? questions == 0 || random_.chance(50) : random_.chance(5)))
    return wake();
  if (jobs_.empty()) give_up("every run ends, waits for a person or for a time");
  if (idle && alarms_.empty() && inbox_.empty() && room_ == Room::enough)
    claim(workflow_->waits_for_person(), "a run that waits for a person says so");
  // People are slow: answers come mostly when nothing else can happen.
  const bool answers = questions > 0 && (at_work == 0 || random_.chance(3));
  const bool fires = !answers && timers > 0 && (at_work == 0 || random_.chance(3));
  const auto fits = [&](const Job& job) {
    if (job.what == Job::What::question) return answers;
    if (job.what == Job::What::timer) return fires;
    return !answers && !fires;
  };
  int which = random_.below(answers ? questions : fires ? timers : at_work);
  for (auto job = jobs_.begin(); job != jobs_.end(); ++job) {
    if (!fits(*job) || which-- > 0) continue;
    if (job->watched && !job->idle && !job->stopping && !weather_.scripted && random_.chance(3)) {
      job->idle = true;
      inbox_.emplace_back(workflow::AgentIdle{job->number});
      return;
    }
    Job one = std::move(*job);
    jobs_.erase(job);
    return finish(std::move(one));
  }
}

// Each kind is told once; an abort or Ctrl-C also after a pause. Agents are being ended, but for a
// pause, and may be heard of before it or after it.
void Simulation::ask_to_stop() {
  using workflow::Stop;
  if (weather_.stops <= 0 || !random_.once_in(static_cast<unsigned>(weather_.stop_one_in))) return;
  const Stop how = static_cast<Stop>(random_.below(3));
  if (stop_ && (*stop_ == how || *stop_ != Stop::paused)) return;
  --weather_.stops;
  ++finding_.stops;
  stop_ = how;
  const bool late = random_.chance(30);
  if (late) inbox_.emplace_back(workflow::StopAsked{how});
  if (how != Stop::paused) {
    for (Job& job : jobs_) job.stopping = true;
    while (!late) {
      const auto agent = std::find_if(jobs_.begin(), jobs_.end(),
                                      [](const Job& job) { return job.what == Job::What::agent; });
      if (agent == jobs_.end()) break;
      Job one = std::move(*agent);
      jobs_.erase(agent);
      finish_agent(std::move(one));
    }
  }
  if (!late) inbox_.emplace_back(workflow::StopAsked{how});
}

bool Simulation::is_running(int agent) const {
  return std::any_of(jobs_.begin(), jobs_.end(), [&](const Job& job) {
    return job.what == Job::What::agent && job.number == agent;
  });
}

bool Simulation::is_on_main(const std::string& tree) const { return merges_of(tree) > 0; }

int Simulation::merges_of(const std::string& tree) const {
  return static_cast<int>(std::count_if(main_.begin(), main_.end(),
                                        [&](const Landed& one) { return one.tree == tree; }));
}

}  // namespace capsule::simulation
