// Agents as machines tell one another of them.
#include <algorithm>
#include <utility>

#include "world/elsewhere.h"
#include "world/providers.h"
#include "world/walls.h"
#include "world/walls_asked.h"

namespace capsule::world {

using namespace workflow;
namespace wire = event::work;

wire::Order order_of(const Project& project, const StartAgent& start, std::string prompt,
                     std::string ref) {
  wire::Order order;
  order.role = start.role;
  order.configured = start.configured;
  order.by_phase = start.settings == Settings::phase;
  order.provider = start.provider;
  order.model = start.model;
  order.timeout_seconds = start.timeout_seconds;
  // What is configured here holds, by its name; how that is called there is the worker's to say.
  if (const auto settings = agent_settings(project, start)) {
    order.provider = settings->provider.name;
    order.model = settings->provider.model;
    order.timeout_seconds =
        static_cast<int>(std::chrono::ceil<std::chrono::seconds>(settings->timeout).count());
  }
  order.task = start.task;
  order.attempt = start.attempt;
  order.judges = start.judges || start.settle == Settle::take_back;
  order.dialect = static_cast<int>(start.dialect);
  for (const auto& [name, text] : start.env) order.env.push_back({name, text});
  order.prompt = std::move(prompt);
  order.tree = start.tree;
  order.ref = std::move(ref);
  order.walls = walls_asked(project, start);
  return order;
}

Result<StartAgent> agent_of(const wire::Order& order) {
  if (order.dialect < 0 || order.dialect > static_cast<int>(Dialect::verdict) ||
      order.attempt < 1 || order.timeout_seconds < 0 || order.role.empty())
    return fail(Reason::damaged, "what another machine wants cannot be read");
  StartAgent start;
  start.role = order.role;
  start.configured = order.configured;
  start.settings = order.by_phase ? Settings::phase : Settings::role;
  start.provider = order.provider;
  start.model = order.model;
  start.timeout_seconds = order.timeout_seconds;
  start.task = order.task;
  start.attempt = order.attempt;
  start.judges = order.judges;
  start.dialect = static_cast<Dialect>(order.dialect);
  // A worker's environment is its own: a run may only say what is Capsule's.
  for (const wire::Pair& pair : order.env)
    if (pair.name.starts_with("CAPSULE_")) start.env[pair.name] = pair.text;
  start.prompt.appended = order.prompt;
  return start;
}

wire::Report report_of(const AgentFinished& finished) {
  wire::Report report;
  report.fault = finished.fault;
  report.detail = finished.detail;
  report.exit_code = finished.exit_code;
  report.dialect = static_cast<int>(finished.words.index());
  if (const auto* contract = std::get_if<ContractWords>(&finished.words)) {
    report.status = contract->signal.status;
    report.feedback = contract->signal.feedback;
    report.files_changed = contract->signal.files_changed;
    report.summary = contract->signal.summary;
    report.json = contract->signal.json;
  } else if (const auto* line = std::get_if<LineWords>(&finished.words)) {
    report.signal = line->signal;
    report.argument = line->argument;
    report.more = line->more;
    for (const Field& field : line->fields) report.fields.push_back({field.label, field.text});
  } else if (const auto* block = std::get_if<BlockWords>(&finished.words)) {
    report.signals = block->signals;
    report.error = block->error;
    report.recoverable = block->recoverable;
    report.text = block->text;
  } else if (const auto* verdict = std::get_if<VerdictWords>(&finished.words)) {
    report.text = verdict->text;
  }
  report.miss = finished.missed.why;
  report.missed_line = finished.missed.line;
  report.preview = finished.preview;
  report.began_at = finished.began_at;
  report.ended_at = finished.ended_at;
  report.duration_ms = finished.duration_ms;
  report.cost_micros = finished.cost_micros;
  report.provider = finished.facts.provider;
  report.client = finished.facts.client;
  report.asked_model = finished.facts.asked_model;
  report.model = finished.facts.model;
  report.use = finished.facts.use;
  report.service_words = finished.facts.words;
  report.reset_at = finished.facts.reset_at;
  report.redacted = finished.facts.redacted;
  return report;
}

namespace {

// An agent says what its workflow can read; whatever a report holds, the words are of that dialect.
Words words_in(const wire::Report& report, Dialect dialect) {
  switch (dialect) {
    case Dialect::contract: {
      if (report.dialect != 0 || report.json.empty())
        return ContractWords{signal::synthetic_error(report.detail)};
      ContractWords words;
      words.signal = {report.status, report.feedback, report.files_changed, report.summary,
                      report.json};
      return words;
    }
    case Dialect::line: {
      LineWords words{report.signal, report.argument, report.more, {}};
      for (const wire::Pair& field : report.fields)
        words.fields.push_back({field.name, field.text});
      return words;
    }
    case Dialect::block:
      return BlockWords{report.signals, report.error, report.recoverable, report.text};
    case Dialect::verdict:
      break;
  }
  return VerdictWords{report.text};
}

}  // namespace

std::vector<SupplyNews> walls_told(const Project& project, const StartAgent& start,
                                   const wire::Report& report) {
  constexpr std::size_t kMost = 8, kMostHosts = 64, kMostGaps = 16;
  std::vector<SupplyNews> news;
  for (const Contained& one : report.contained) {
    if (news.size() == kMost) break;
    Contained told = one;
    if (told.gaps.size() > kMostGaps) told.gaps.resize(kMostGaps);
    news.push_back({std::move(told)});
  }
  // One that was lost may not have begun.
  if (news.empty() && report.fault != event::Fault::lost && any_walls(project)) {
    Contained told;
    told.who = start.role;
    told.preset = "off";
    told.network = "open";
    if (!walls_asked(project, start).preset.empty())
      told.gaps = {"an agent worked on another machine, and nothing was said of its walls"};
    news.push_back({std::move(told)});
  }
  for (const HostsRefused& one : report.refused) {
    HostsRefused told = one;
    if (told.hosts.size() > kMostHosts) told.hosts.resize(kMostHosts);
    told.agent = start.agent;
    told.task = start.task;
    told.role = start.role;
    news.push_back({std::move(told)});
    if (news.size() >= 2 * kMost) break;
  }
  return news;
}

// Sessions are on the machine where the agent was: nobody else goes on with them.
AgentFinished finished_of(const StartAgent& start, const wire::Report& report) {
  AgentFinished finished;
  finished.agent = start.agent;
  finished.fault = report.fault;
  finished.detail = report.detail;
  finished.exit_code = report.exit_code;
  finished.words = words_in(report, start.dialect);
  finished.missed = {report.miss, report.missed_line.substr(0, signal::kMaxMissedBytes)};
  finished.preview = report.preview;
  finished.began_at = report.began_at;
  finished.ended_at = report.ended_at;
  finished.duration_ms = std::max<std::int64_t>(0, report.duration_ms);
  finished.cost_micros = std::max<std::int64_t>(0, report.cost_micros);
  finished.facts.provider = report.provider;
  finished.facts.client = report.client;
  finished.facts.asked_model = report.asked_model;
  finished.facts.model = report.model;
  finished.facts.use = report.use;
  finished.facts.words = report.service_words;
  finished.facts.reset_at = report.reset_at;
  finished.facts.redacted = report.redacted;
  return finished;
}

}  // namespace capsule::world
