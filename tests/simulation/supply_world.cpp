// The services of agents, budgets, the clock and people's words, in the simulated world.
#include <algorithm>
#include <ctime>

#include "tests/simulation/harness.h"

namespace capsule::simulation {

using namespace workflow;
using event::Fault;

namespace {

constexpr Fault kServiceFaults[] = {Fault::rate_limited, Fault::overloaded,  Fault::overloaded,
                                    Fault::unreachable,  Fault::usage_limit, Fault::usage_limit,
                                    Fault::unauthorised, Fault::no_credit,   Fault::context_full,
                                    Fault::no_answer};
// Of the agent's program, and not of its service.
constexpr Fault kOwnFaults[] = {Fault::exit_status, Fault::timed_out, Fault::lost, Fault::policy,
                                Fault::no_words};
constexpr const char* kProviders[] = {"p0", "p1"};

// A new day has new money, for the others as well.
void set_clock(std::int64_t& clock, std::int64_t ms, std::int64_t& elsewhere) {
  constexpr std::int64_t kDay = 86'400'000;
  if (ms / kDay != clock / kDay) elsewhere = 0;
  clock = ms;
}

}  // namespace

void add_supply(Weather& weather, std::uint64_t seed) {
  Random choose(seed ^ 0x50FF1ULL);
  weather.service_faults = 5 + choose.below(60);
  weather.service_most = 1 + choose.below(30);
  weather.others = choose.below(3) * 10;
  weather.walls = choose.below(3) * 20;
  weather.tells = choose.below(3) * 10;
  weather.fallback = choose.chance(50);
  weather.budgets = choose.chance(40);
  weather.regrets = choose.below(3) * 40;
  weather.disk = choose.below(3) * 15;
}

void Simulation::make_policy() {
  supply::Policy& policy = supply_.policy;
  if (!has_supply()) return;
  Random choose(seed_ ^ 0x50FFULL);
  policy.other_phases = {{kProviders[0], ""}};
  if (weather_.fallback) policy.other_phases.push_back({kProviders[1], "m"});
  policy.other_roles = policy.other_phases;
  // One who shares its slots with others may ask somebody else.
  if (Random(seed_ ^ 0xBAULL).chance(30)) policy.roles["business-analyst"] = {{kProviders[1], ""}};
  policy.tries = 2 + choose.below(4);
  if (!weather_.budgets) return;
  const auto some = [&](int most) { return choose.chance(40) ? 1 + choose.below(most) : 0; };
  policy.budget.run = some(20'000);
  policy.budget.task = some(8'000);
  policy.budget.day = some(30'000);
  policy.budget.tokens = some(40'000);
  policy.budget.hard = choose.chance(30);
}

// As the real clock writes it.
std::string Simulation::time_text() const {
  const std::time_t seconds = ms_ / 1000;
  std::tm time{};
  ::gmtime_r(&seconds, &time);
  char text[40];
  const std::size_t size = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &time);
  return std::string(text, size) + ".000Z";
}

std::string Simulation::utc_now() { return time_text(); }

std::vector<Observation> Simulation::standing() {
  std::vector<Observation> news;
  if (!has_supply()) return news;
  for (const auto& [provider, until] : machine_)
    if (until == 0 || until * 1000 > ms_)
      news.emplace_back(
          SupplyNews{ParkedElsewhere{provider, until, false, Fault::usage_limit, "w"}});
  if (weather_.budgets) news.push_back(spent());
  news.push_back(disk());
  return news;
}

Observation Simulation::disk() const { return SupplyNews{DiskStands{room_, "/project", 1, 2}}; }

void Simulation::room_becomes(event::supply::Room room) {
  finding_.squeezes += room == event::supply::Room::enough ? 0 : 1;
  room_ = room;
  inbox_.push_back(disk());
}

Observation Simulation::spent() const {
  const std::int64_t midnight = (ms_ / 86'400'000 + 1) * 86'400;
  return SupplyNews{SpentElsewhere{elsewhere_, day(), midnight}};
}

void Simulation::carry_out(const SupplyOrder& order) {
  if (const auto* wake = std::get_if<WakeAt>(&order.what)) {
    claim(!alarms_.contains(wake->id), "every alarm has a number of its own");
    alarms_[wake->id] = wake->epoch_ms;
  } else if (const auto* park = std::get_if<Park>(&order.what)) {
    ++finding_.parkings;
    machine_[park->provider] = park->until;
    // A run hears of what it did itself, too.
    if (random_.chance(30))
      inbox_.emplace_back(SupplyNews{
          ParkedElsewhere{park->provider, park->until, park->guessed, park->fault, park->words}});
  } else if (const auto* unpark = std::get_if<Unpark>(&order.what)) {
    machine_.erase(unpark->provider);
    if (random_.chance(30))
      inbox_.emplace_back(SupplyNews{FreedElsewhere{unpark->provider, "somebody"}});
  } else if (const auto* steer = std::get_if<Steer>(&order.what)) {
    ++finding_.messages;
    inbox_.emplace_back(SupplyNews{
        Steered{steer->agent, steer->message, is_running(steer->agent) && random_.chance(50)}});
  }
}

// What comes from outside, at any time.
void Simulation::supply_happens() {
  set_clock(ms_, ms_ + random_.below(20'000), elsewhere_);
  if (random_.below(1000) < weather_.others) {
    const std::string provider = random_.one_of(kProviders);
    if (random_.chance(60)) {
      const std::int64_t until = random_.chance(80) ? ms_ / 1000 + random_.below(5000) : 0;
      machine_[provider] = until;
      inbox_.emplace_back(SupplyNews{
          ParkedElsewhere{provider, until, random_.chance(50), Fault::usage_limit, "elsewhere"}});
    } else {
      machine_.erase(provider);
      inbox_.emplace_back(SupplyNews{FreedElsewhere{provider, "somebody"}});
    }
  }
  if (random_.below(1000) < weather_.walls) {
    Contained walls;
    walls.who = random_.chance(50) ? "writer" : "gate";
    walls.preset = "worktree";
    walls.namespaces = random_.chance(80);
    inbox_.emplace_back(SupplyNews{walls});
    // By one that began, or by a command.
    const int agent = random_.below(4);
    if (random_.chance(30))
      inbox_.emplace_back(SupplyNews{HostsRefused{providers_.contains(agent) ? agent : 0,
                                                  "",
                                                  "r",
                                                  {{"host:443", 1 + random_.below(5), "", ""}}}});
  }
  if (random_.below(1000) < weather_.disk)
    room_becomes(static_cast<event::supply::Room>(random_.below(event::supply::kRooms)));
  if (random_.below(1000) < weather_.tells) {
    const bool again = messages_ > 0 && random_.chance(20);
    const int number = again ? messages_ : ++messages_;
    inbox_.emplace_back(
        SupplyNews{MessageLeft{"m" + std::to_string(number), "", "words", "somebody"}});
  }
  if (!scripted() && random_.below(1000) < weather_.regrets)
    inbox_.emplace_back(
        TakeBackAsked{answered_ > 0 && random_.chance(70) ? answered_ : 1 + random_.below(5)});
  if (!weather_.budgets) return;
  if (random_.below(1000) < 20) {
    elsewhere_ += random_.below(2000);
    inbox_.push_back(spent());
  }
  for (const Job& job : jobs_)
    if (job.what == Job::What::agent && random_.below(1000) < 50)
      inbox_.emplace_back(SupplyNews{AgentSpends{job.number, some_use()}});
}

void Simulation::wake() {
  const auto earliest =
      std::min_element(alarms_.begin(), alarms_.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  ++finding_.alarms;
  set_clock(ms_, std::max(ms_, earliest->second) + random_.below(3) * 1000, elsewhere_);
  // Somebody sets the clock, between the alarm and the look at it.
  if (random_.chance(2)) set_clock(ms_, ms_ - 1'800'000, elsewhere_);
  if (weather_.budgets) inbox_.push_back(spent());
  inbox_.emplace_back(SupplyNews{Woken{earliest->first}});
  alarms_.erase(earliest);
}

event::TokenUse Simulation::some_use() {
  event::TokenUse use;
  use.tokens_known = random_.chance(85);
  use.cost_known = use.tokens_known && random_.chance(90);
  if (use.tokens_known) use.output = random_.below(3) * 400, use.input = 1000;
  if (use.cost_known) use.cost_micros = random_.below(3000);
  return use;
}

// Instead of what it would have said and done.
bool Simulation::meets_a_fault(const Job& job, AgentFinished& finished) {
  if (weather_.service_most <= 0 || random_.below(100) >= weather_.service_faults) return false;
  --weather_.service_most;
  const bool own = weather_.scripted && random_.chance(40) && may_fail(job);
  const Fault fault = own ? random_.one_of(kOwnFaults) : random_.one_of(kServiceFaults);
  // Twice in a row it is the agent's own.
  if (fault == Fault::context_full && (!job.has_session || !too_long_.insert(job.number).second))
    return false;
  ++finding_.faults;
  finished.fault = fault;
  finished.detail = name_of(fault);
  finished.facts.provider = job.provider;
  finished.facts.words = "API Error";
  if (fault == Fault::usage_limit && random_.chance(70))
    finished.facts.reset_at = ms_ / 1000 + 60 + random_.below(20'000);
  if (!weather_.scripted && random_.chance(job.writes ? 50 : 8))
    trees_[job.tree].now = new_version();
  settle(job, finished);
  return true;
}

std::string Simulation::answer_supply(const Job& job) {
  if (!scripted() && random_.chance(8)) return "stop";
  if (!job.options.empty()) return "go on";
  if (!scripted() && random_.chance(10)) return "a lot";
  ++finding_.raises;
  if (job.text.find("budget.tokens") != job.text.npos) return "20k";
  return random_.chance(50) ? "0.01" : "1";
}

}  // namespace capsule::simulation
