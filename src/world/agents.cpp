#include "world/agents.h"

#include <algorithm>

#include "agent/report.h"
#include "agent/run.h"
#include "base/clock.h"
#include "base/files.h"
#include "base/text.h"
#include "gate/verify.h"
#include "world/environment.h"
#include "world/prompts.h"

namespace capsule::world {
namespace {

using workflow::Dialect;
using workflow::StartAgent;

constexpr std::size_t kHistoryRunBytes = 8'000;
constexpr std::size_t kHistoryBytes = 60'000;

// A log in the agent's own folder may be a link by now.
std::string read_log(const AgentPlace& place, const std::string& log) {
  if (log.empty()) return {};
  const std::string root = place.folder + "/";
  return (log.starts_with(root)
              ? read_file_beneath(place.folder, log.substr(root.size()), agent::kMaxLogBytes)
              : read_file(log, agent::kMaxLogBytes))
      .value_or("");
}

}  // namespace

Agents::Agents(process::Loop& loop, AgentParts parts, AgentEvents& events)
    : loop_(loop), parts_(std::move(parts)), events_(events), crew_(loop, parts_.interrupted) {}

Agents::~Agents() {
  for (const auto& [number, running] : running_) loop_.cancel(running.look);
}

Result<std::string> Agents::prompt_for(const StartAgent& start, const AgentPlace& place,
                                       bool has_sessions) {
  Surroundings around;
  around.conflicts = place.conflicts;
  if (start.resume && has_sessions && !start.prompt.follow_up.empty())
    return compose_follow_up(start.prompt, around);
  around.base = place.base;
  if (parts_.verify) around.verify = parts_.verify();
  if (!start.expert.empty() && parts_.expertise) around.expertise = parts_.expertise(start.expert);
  if (start.resume && !has_sessions) around.history = history_of(start.session, place);
  return compose_prompt(TRY(parts_.prompt_file(start.prompt.file)), start.prompt, around);
}

Result<agent::Task> Agents::task_for(const StartAgent& start, const AgentPlace& place) {
  agent::PhaseSettings settings = TRY(parts_.settings(start));
  agent::Task task;
  task.prompt = TRY(prompt_for(start, place, settings.provider.has_sessions()));
  task.provider = std::move(settings.provider);
  if (!start.session.empty())
    task.provider =
        agent::in_session(std::move(task.provider), start.session,
                          start.resume ? agent::SessionUse::resume : agent::SessionUse::begin);
  task.folder = place.folder;
  task.env = environment_of(parts_.run, start, place.folder);
  task.timeout = settings.timeout;
  if (place.log_folder.empty()) {
    task.log_folder = place.folder;
    task.log_beneath = agent::kOutputFolder;
    task.log_name = start.role + "-" + utc_stamp();
    task.log_has_pid = true;
  } else {
    task.log_folder = place.log_folder;
    task.log_name = std::to_string(start.agent) + "-" + start.role;
  }
  task.on_log = [this, agent = start.agent](const std::string& path) { logged(agent, path); };
  task.on_output = [this, agent = start.agent](std::string_view bytes) { printed(agent, bytes); };
  return task;
}

Result<void> Agents::start(const StartAgent& start, const AgentPlace& place) {
  if (running_.contains(start.agent))
    return fail(Reason::usage, "agent " + std::to_string(start.agent) + " is at work already");
  const agent::Task task = TRY(task_for(start, place));
  Running running;
  running.start = start;
  running.place = place;
  running.began_at = utc_now();
  running.began_ms = monotonic_ms();
  running.member = TRY(
      crew_.start(task, [this, agent = start.agent](agent::MemberId, const agent::Ending& ending) {
        finished(agent, ending);
      }));
  Running& kept = running_.emplace(start.agent, std::move(running)).first->second;
  if (start.watched) look_later(start.agent, kept);
  return {};
}

void Agents::end(int agent) {
  if (const auto found = running_.find(agent); found != running_.end())
    crew_.end(found->second.member);
}

std::vector<std::string> Agents::trees() const {
  std::vector<std::string> trees;
  for (const auto& [number, running] : running_) trees.push_back(running.start.tree);
  return trees;
}

void Agents::end_all() {
  for (const auto& [number, running] : running_)
    crew_.end(running.member, agent::Ending::How::interrupted);
}

void Agents::recall(const std::string& session, int agent, const std::string& log) {
  if (!session.empty() && !log.empty()) sessions_[session].push_back({agent, log});
}

std::vector<int> Agents::numbers() const {
  std::vector<int> numbers;
  for (const auto& [number, running] : running_) numbers.push_back(number);
  return numbers;
}

std::string Agents::last_line(int agent) const {
  const auto found = running_.find(agent);
  if (found == running_.end()) return {};
  const agent::Pulse* pulse = crew_.pulse(found->second.member);
  return pulse == nullptr ? std::string() : pulse->last_line;
}

std::string Agents::log_of(int agent) const {
  const auto found = running_.find(agent);
  return found == running_.end() ? std::string() : found->second.log;
}

std::string Agents::history_of(const std::string& session, const AgentPlace& place) const {
  std::string text;
  const auto found = sessions_.find(session);
  if (found == sessions_.end()) return text;
  for (const Earlier& earlier : found->second) {
    const std::string log = read_log(place, earlier.log);
    if (log.empty()) continue;
    // Indented: what was a signal once must not look like one that is quoted at column 0.
    text += "What you printed as agent " + std::to_string(earlier.agent) + ":\n\n    " +
            replace_all(gate::useful_end(log, kHistoryRunBytes), "\n", "\n    ") + "\n\n";
  }
  if (text.size() > kHistoryBytes) text.erase(0, text.size() - kHistoryBytes);
  return text;
}

void Agents::printed(int agent, std::string_view bytes) {
  const auto found = running_.find(agent);
  if (found == running_.end()) return;
  Running& running = found->second;
  if (running.start.dialect == Dialect::contract) running.scanner.feed(bytes);
  if (running.beginning.size() < kPreviewBytes)
    running.beginning += bytes.substr(0, kPreviewBytes - running.beginning.size());
  events_.on_output(agent, bytes);
}

void Agents::logged(int agent, const std::string& path) {
  const auto found = running_.find(agent);
  if (found == running_.end()) return;
  found->second.log = path;
  recall(found->second.start.session, agent, path);
  events_.on_log(agent, path);
}

void Agents::finished(int agent, const agent::Ending& ending) {
  auto node = running_.extract(agent);
  Running& running = node.mapped();
  loop_.cancel(running.look);
  if (ending.how == agent::Ending::How::not_logged)
    return events_.on_failed(running.start, *ending.error);
  workflow::AgentFinished finished;
  finished.agent = agent;
  finished.began_at = running.began_at;
  finished.ended_at = utc_now();
  finished.duration_ms = monotonic_ms() - running.began_ms;
  finished.preview = preview_of(running.beginning);
  finished.log = ending.log;
  finished.exit_code = ending.exit_code;
  finished.fault = agent::fault_of(ending);
  finished.detail = agent::describe(ending);
  if (running.start.dialect == Dialect::contract) {
    agent::Report report = agent::report_of(ending, running.scanner.finish(), running.start.role);
    finished.fault = report.fault;
    finished.detail = std::move(report.detail);
    finished.words = workflow::ContractWords{std::move(report.signal)};
    if (report.fault == event::Fault::no_signal) finished.missed.why = report.miss;
  } else {
    finished.words = words_of(running, ending, finished.missed);
  }
  events_.on_finished(running.start, std::move(finished));
}

workflow::Words Agents::words_of(const Running& running, const agent::Ending& ending,
                                 signal::Missed& missed) const {
  const std::string text = read_log(running.place, ending.log);
  switch (running.start.dialect) {
    case Dialect::line:
      return line_words(text, running.start.role, running.start.task, parts_.experts_created,
                        &missed);
    case Dialect::block:
      return block_words(text, &missed);
    case Dialect::verdict:
    case Dialect::contract:
      break;
  }
  return verdict_words(text);
}

void Agents::look_later(int agent, Running& running) {
  running.look = loop_.after(parts_.idle_after, [this, agent] { look_at(agent); });
}

void Agents::look_at(int agent) {
  const auto found = running_.find(agent);
  if (found == running_.end()) return;
  Running& running = found->second;
  look_later(agent, running);
  const agent::Pulse* pulse = crew_.pulse(running.member);
  if (pulse == nullptr || pulse->pid == 0) return;
  const bool silent = process::Clock::now() - pulse->last_output >= parts_.idle_after;
  const agent::Signs signs = agent::signs_of(pulse->pid, running.place.folder, pulse->bytes);
  const bool idle = silent && signs == running.signs;
  running.signs = signs;
  if (idle) events_.on_idle(agent);
}

workflow::AgentFinished not_started(const StartAgent& start, const Error& error) {
  agent::Ending ending;
  ending.how = agent::Ending::How::not_started;
  ending.error = error;
  workflow::AgentFinished finished;
  finished.agent = start.agent;
  finished.fault = agent::fault_of(ending);
  finished.detail = agent::describe(ending);
  finished.began_at = finished.ended_at = utc_now();
  switch (start.dialect) {
    case Dialect::contract:
      finished.words = workflow::ContractWords{
          agent::report_of(ending, signal::ContractScanner().finish(), start.role).signal};
      break;
    case Dialect::line:
      finished.words = workflow::LineWords{};
      break;
    case Dialect::block:
      finished.words = workflow::BlockWords{};
      break;
    case Dialect::verdict:
      finished.words = workflow::VerdictWords{};
      break;
  }
  return finished;
}

}  // namespace capsule::world
