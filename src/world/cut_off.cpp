#include "world/cut_off.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <ctime>
#include <set>
#include <string>

#include "agent/clients.h"
#include "agent/stream_log.h"
#include "base/files.h"
#include "base/moment.h"
#include "base/text.h"
#include "dialect/reader.h"
#include "event/supply.h"
#include "world/agent_words.h"
#include "world/logs.h"
#include "world/wall_clock.h"

namespace capsule::world {
namespace {

using workflow::AgentSummary;
using workflow::CutOff;

// A worktree is its agents' to write in: files that pass for logs are believed only so far.
constexpr std::size_t kMostCalls = 64;

std::set<std::string> known_logs(const Run& run, const std::vector<event::Fact>& facts) {
  std::set<std::string> known;
  for (const event::Fact& fact : facts) {
    if (fact.kind != kind_of(event::supply::AgentUsed{})) continue;
    const auto read = event::supply::read_fact(fact.kind, fact.body);
    const auto* used = read ? std::get_if<event::supply::AgentUsed>(&*read) : nullptr;
    if (used != nullptr) known.insert(base_name(used->log));
  }
  for (const AgentSummary& agent : run.summary.agents) known.insert(base_name(agent.log));
  return known;
}

// Where the name has no number of an agent, its role says who it was, and its time that it was no
// earlier run.
const AgentSummary* agent_of(const LogFile& file, const Run& run) {
  for (const AgentSummary& agent : run.summary.agents)
    if (agent.running && agent.role == file.role && (file.agent == 0 || file.agent == agent.number))
      return &agent;
  return nullptr;
}

// "20260131-120000" in the name of a log as seconds since 1970; 0: there is none.
std::int64_t began_by(const LogFile& file) {
  constexpr std::size_t kStamp = 15;
  const std::string rest = base_name(file.name);
  if (file.agent != 0 || rest.size() < file.role.size() + 1 + kStamp) return 0;
  const std::string stamp = rest.substr(file.role.size() + 1, kStamp);
  return seconds_of(stamp.substr(0, 4) + "-" + stamp.substr(4, 2) + "-" + stamp.substr(6, 2) + "T" +
                    stamp.substr(9, 2) + ":" + stamp.substr(11, 2) + ":" + stamp.substr(13, 2) +
                    "Z")
      .value_or(0);
}

std::int64_t written_at(const LogFile& file) {
  const auto opened = open_beneath(file.root, file.name, O_RDONLY);
  struct stat status {};
  return opened && ::fstat(opened->fd(), &status) == 0 ? status.st_mtime : 0;
}

std::string utc_text(std::int64_t seconds) {
  const auto then = static_cast<std::time_t>(seconds);
  std::tm parts{};
  char text[32];
  ::gmtime_r(&then, &parts);
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

void read_log(const LogFile& file, workflow::AgentFacts& facts) {
  const auto text = read_file_beneath(file.root, file.name, agent::kMaxLogBytes);
  dialect::Reader reader(text ? dialect::output_of(*text) : dialect::Output::text, {});
  reader.feed(text.value_or(""));
  const dialect::Reading reading = reader.finish();
  facts.use = reading.use;
  if (!reading.streamed) return;
  if (!facts.client.empty() && !reading.version.empty())
    facts.client += " " + printable(reading.version);
  facts.model = model_of(reading, facts.asked_model);
  facts.session = printable(reading.session);
  if (reading.failure) facts.words = reading.failure->words;
  // What a whole session used is not this call's; the next call's difference has it.
  if (reading.use_of_session) facts.use.tokens_known = false;
}

}  // namespace

std::vector<CutOff> cut_off_calls(const Project& project, const Run& run,
                                  const std::vector<event::Fact>& facts) {
  std::vector<CutOff> calls;
  const bool any = std::any_of(run.summary.agents.begin(), run.summary.agents.end(),
                               [](const AgentSummary& agent) { return agent.running; });
  if (!any || facts.empty()) return calls;
  const std::set<std::string> known = known_logs(run, facts);
  const std::int64_t since = seconds_of(facts.front().at).value_or(0);
  for (const LogFile& file : logs_of(project, run, {})) {
    const std::string name = base_name(file.name);
    const AgentSummary* agent = agent_of(file, run);
    if (agent == nullptr || name.ends_with(".stderr") || known.contains(name)) continue;
    if (file.agent == 0 && began_by(file) < since) continue;
    if (calls.size() == kMostCalls) break;
    CutOff call{agent->number, agent->task, agent->role, agent->attempt, {}, {}, {}, {}};
    call.facts.provider = agent->provider;
    call.facts.asked_model = agent->model;
    if (agent::client_named(agent->provider) != nullptr) call.facts.client = agent->provider;
    call.log = file.root + "/" + file.name;
    if (const std::int64_t at = written_at(file); at > 0) {
      call.ended_at = utc_text(at);
      call.day = local_day(at);
    }
    read_log(file, call.facts);
    calls.push_back(std::move(call));
  }
  return calls;
}

}  // namespace capsule::world
