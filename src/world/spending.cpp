#include "world/spending.h"

#include <algorithm>
#include <ctime>
#include <iterator>
#include <optional>

#include "base/moment.h"

namespace capsule::world {
namespace {

namespace used = event::supply;

std::optional<used::AgentUsed> used_in(const event::Fact& one) {
  if (!used::is_supply(one.kind)) return std::nullopt;
  auto read = used::read_fact(one.kind, one.body);
  auto* used = read ? std::get_if<used::AgentUsed>(&*read) : nullptr;
  if (used == nullptr) return std::nullopt;
  return std::move(*used);
}

// Times are in UTC, days are the machine's: the two differ by less than a day.
std::string day_before(const std::string& day) {
  const auto seconds = seconds_of(day + "T00:00:00Z");
  if (!seconds) return {};
  const auto before = static_cast<std::time_t>(*seconds - 86'400);
  std::tm parts{};
  ::gmtime_r(&before, &parts);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%d", &parts)};
}

}  // namespace

Result<std::vector<Call>> calls_of(engine::Journal& journal, const engine::RunHead& run) {
  std::vector<Call> calls;
  for (const event::Fact& one : TRY(journal.read(run.run, 0)))
    if (auto used = used_in(one)) calls.push_back({run, *std::move(used)});
  return calls;
}

Result<std::vector<Call>> calls_of(engine::Journal& journal, const std::string& since) {
  std::vector<Call> calls;
  for (const engine::RunHead& head : TRY(journal.runs())) {
    if (!head.ended_at.empty() && head.ended_at < since) continue;
    auto of_run = calls_of(journal, head);
    if (!of_run) continue;
    std::move(of_run->begin(), of_run->end(), std::back_inserter(calls));
  }
  return calls;
}

void add_call(workflow::Usage& usage, const used::AgentUsed& call) {
  event::TokenUse& sum = usage.tokens;
  const event::TokenUse& use = call.use;
  event::add_known(sum, use);
  if (use.cost_known) usage.cost_micros = sum.cost_micros;
  ++usage.calls;
  usage.calls_without_tokens += use.tokens_known ? 0 : 1;
  usage.calls_without_cost += use.cost_known ? 0 : 1;
  sum.tokens_known = usage.calls_without_tokens == 0;
  sum.cost_known = usage.calls_without_cost == 0;
  usage.duration_ms += call.duration_ms;
}

std::int64_t SpentElsewhere::micros(const std::string& day) {
  std::int64_t sum = 0;
  const auto heads = journal_.runs();
  if (!heads) return sum;
  for (const engine::RunHead& head : *heads) {
    // Whatever ended more than a day before this one began somewhere has spent nothing in it.
    if (head.run == own_ || (!head.ended_at.empty() && head.ended_at < day_before(day))) continue;
    Seen& seen = runs_[head.run];
    if (head.last_seq != seen.last)
      if (const auto facts = journal_.read(head.run, seen.last)) {
        for (const event::Fact& one : *facts)
          if (const auto used = used_in(one); used && used->use.cost_known)
            seen.by_day[used->day] += used->use.cost_micros;
        seen.last = head.last_seq;
      }
    if (const auto found = seen.by_day.find(day); found != seen.by_day.end()) sum += found->second;
  }
  return sum;
}

}  // namespace capsule::world
