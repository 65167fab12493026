#include "world/delivery_world.h"

#include <algorithm>

#include "agent/phases.h"
#include "base/clock.h"
#include "base/files.h"
#include "base/ids.h"
#include "base/text.h"
#include "signal/line.h"
#include "world/experts.h"
#include "world/gate_world.h"
#include "world/providers.h"

namespace capsule::world {
namespace {

using event::delivery::AgentFinished;
using event::delivery::Fault;
using signal::Role;
using signal::Signal;

constexpr std::size_t kMaxOutputBytes = std::size_t{40} << 20;
constexpr std::size_t kPreviewBytes = 200;
constexpr std::size_t kHistoryRunBytes = 8'000;
constexpr std::size_t kHistoryBytes = 60'000;

// The first 200 characters, whole ones.
std::string preview_of(std::string_view text) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < kPreviewBytes && at < text.size(); ++i)
    at += std::max<std::size_t>(1, utf8_length(text.substr(at)));
  return std::string(text.substr(0, at));
}

std::string told(const Error& error) {
  return error.message + (error.hint.empty() ? "" : "; " + error.hint);
}

}  // namespace

DeliveryHands::DeliveryHands(const Project& project, process::Loop& loop, Interrupt& interrupt,
                             DeliveryOptions options)
    : project_(project),
      loop_(loop),
      interrupt_(interrupt),
      options_(std::move(options)),
      crew_(loop),
      checks_(loop, verify_of(project.config)),
      trees_(project.repository, options_.run,
             {project.config.main_branch, project.config.exclude}) {}

DeliveryHands::~DeliveryHands() {
  if (inotify_watch_) loop_.unwatch(*inotify_watch_);
  if (terminal_watch_) loop_.unwatch(*terminal_watch_);
}

std::string DeliveryHands::log_folder() const {
  return project_.root() + "/.capsule/logs/" + options_.run;
}

Result<void> DeliveryHands::preflight(bool experts) {
  std::set<std::string> found;
  for (std::size_t i = 0; i < signal::kRoleCount; ++i) {
    const auto role = static_cast<Role>(i);
    if (role == Role::plan_analyst && !experts) continue;
    TRY_VOID(project_.assets.read(prompt_file(role)));
    const std::string& name = project_.config.provider_of_role(signal::name_of(role));
    if (!found.insert(name).second) continue;
    TRY_VOID(agent::find_agent(TRY(provider_for_role(project_, signal::name_of(role)))));
  }
  return {};
}

void DeliveryHands::recall(const std::vector<engine::DeliveryFact>& facts) {
  taken_up_ = true;
  for (const engine::DeliveryFact& fact : facts) {
    if (const auto* dispatched = std::get_if<event::delivery::AgentDispatched>(&fact)) {
      sessions_[dispatched->session].push_back(dispatched->agent);
      log_names_[dispatched->agent] =
          std::to_string(dispatched->agent) + "-" + std::string(signal::name_of(dispatched->role));
    }
    if (const auto* entered = std::get_if<event::delivery::RemediationEntered>(&fact))
      remediation_round_ = entered->round;
    if (const auto* verified = std::get_if<event::delivery::VerifyFinished>(&fact)) {
      if (verified->purpose == event::delivery::VerifyPurpose::baseline ||
          failed_before(verified->failures))
        baseline_ = {verified->failures.begin(), verified->failures.end()};
    }
    if (const auto* left = std::get_if<event::delivery::RemediationLeft>(&fact))
      done_with_.push_back("+remediation-" + std::to_string(left->round));
    if (const auto* merged = std::get_if<event::delivery::MergeDone>(&fact))
      done_with_.push_back(merged->task);
  }
}

void DeliveryHands::carry_out(const delivery::Command& command, const delivery::State& state) {
  remediation_round_ = state.remediation.round;
  if (const auto* start = std::get_if<delivery::StartAgent>(&command)) {
    if (const auto started = start_agent(*start, state); !started) {
      AgentFinished fact;
      fact.agent = start->agent;
      fact.fault = Fault::not_started;
      fact.detail = told(started.error());
      happened(fact);
    }
  } else if (const auto* end = std::get_if<delivery::EndAgent>(&command)) {
    end_agent(end->agent);
  } else if (const auto* merge_it = std::get_if<delivery::Merge>(&command)) {
    const auto found = state.index.find(merge_it->task);
    merge(merge_it->task, found == state.index.end()
                              ? std::string()
                              : state.tasks[static_cast<std::size_t>(found->second)].task.title);
  } else if (const auto* run = std::get_if<delivery::RunVerify>(&command)) {
    verify(run->purpose, state);
  } else if (const auto* question = std::get_if<delivery::AskPerson>(&command)) {
    ask(question->question, state);
  } else if (const auto* timer = std::get_if<delivery::SetTimer>(&command)) {
    loop_.after(project_.config.limits.file_wait, [this, timer = *timer] {
      happened(event::delivery::FileWaitExpired{timer.task, timer.wait});
    });
  }
}

Result<void> DeliveryHands::start_agent(const delivery::StartAgent& start,
                                        const delivery::State& state) {
  const std::string role(signal::name_of(start.role));
  const int session = start.continue_session_of == 0 ? start.agent : start.continue_session_of;
  Running running;
  running.start = start;
  running.tree = tree_of(start);
  running.folder = TRY(prepare(start, running.tree));
  agent::Provider provider = TRY(provider_for_role(project_, role));
  PromptSurroundings around;
  around.verify = verify_text();
  around.base = trees_.base_of(running.tree);
  if (start.role == Role::developer) around.conflicts = unresolved(running.tree, running.folder);
  if (start.role == Role::expert) around.expertise = read_expert(project_.root(), start.expert);
  agent::Task task;
  const bool goes_on = start.continue_session_of != 0;
  if (goes_on && provider.has_sessions()) {
    task.prompt = follow_up_prompt(start, state, around);
  } else {
    if (goes_on) around.history = history_of(session);
    task.prompt = TRY(delivery_prompt(project_.assets, start, state, around));
  }
  task.provider = agent::in_session(std::move(provider), uuid_of(session),
                                    goes_on ? agent::SessionUse::resume : agent::SessionUse::begin);
  task.folder = running.folder;
  task.env = {{"CAPSULE_ROLE", role},
              {"CAPSULE_TASK", start.task},
              {"CAPSULE_ATTEMPT", std::to_string(start.attempt)},
              {"CAPSULE_RUN", options_.run},
              {"CAPSULE_WORKTREE", running.folder},
              {"CAPSULE_AGENT", std::to_string(start.agent)}};
  if (start.role == Role::expert) {
    task.env.push_back({"CAPSULE_EXPERT", start.expert});
    task.env.push_back({"CAPSULE_REQUEST", start.request});
  }
  task.timeout = start.role == Role::expert ? project_.config.limits.delegation_timeout
                                            : project_.config.timeout_of_role(role);
  task.log_folder = log_folder();
  task.log_name = std::to_string(start.agent) + "-" + role;
  running.began_ms = monotonic_ms();
  running.member = TRY(
      crew_.start(task, [this, agent = start.agent](agent::MemberId, const agent::Ending& ending) {
        finished(agent, ending);
      }));
  sessions_[session].push_back(start.agent);
  log_names_[start.agent] = task.log_name;
  Running& kept = running_[start.agent] = std::move(running);
  if (start.role == Role::developer)
    kept.look = loop_.after(project_.config.checkpoint_interval,
                            [this, agent = start.agent] { look_at(agent); });
  return {};
}

// A developer that printed nothing, used no processor and changed no file since the last look does
// nothing.
void DeliveryHands::look_at(int agent) {
  const auto found = running_.find(agent);
  if (found == running_.end()) return;
  Running& running = found->second;
  const agent::Pulse* pulse = crew_.pulse(running.member);
  if (pulse == nullptr || pulse->pid == 0) return;
  const auto interval = std::chrono::milliseconds(project_.config.checkpoint_interval);
  const auto silent = std::chrono::duration_cast<std::chrono::milliseconds>(process::Clock::now() -
                                                                            pulse->last_output);
  const agent::Signs signs = agent::signs_of(pulse->pid, running.folder, pulse->bytes);
  if (silent >= interval && signs == running.signs) happened(event::delivery::AgentIdle{agent});
  running.signs = signs;
  running.look = loop_.after(interval, [this, agent] { look_at(agent); });
}

void DeliveryHands::end_agent(int agent) {
  const auto found = running_.find(agent);
  if (found == running_.end()) return;
  found->second.ended_by_us = true;
  crew_.end(found->second.member);
}

void DeliveryHands::finished(int agent, const agent::Ending& ending) {
  const auto node = running_.extract(agent);
  const Running& running = node.mapped();
  loop_.cancel(running.look);
  AgentFinished fact;
  fact.agent = agent;
  fact.duration_ms = monotonic_ms() - running.began_ms;
  using How = agent::Ending::How;
  if (interrupt_.requested()) {
    fact.fault = Fault::interrupted;
  } else if (ending.how == How::timed_out) {
    fact.fault = Fault::timed_out;
    fact.detail = "took longer than its time limit";
  } else if (ending.how == How::lost) {
    fact.fault = Fault::lost;
    fact.detail = "its supervisor was killed";
  } else if (ending.how == How::not_started || !ending.error.empty()) {
    fact.fault = Fault::not_started;
    fact.detail = ending.error;
  } else if (running.ended_by_us) {
    fact.fault = Fault::idle;
    fact.detail = "did nothing";
  } else if (ending.exit_code != 0) {
    fact.fault = Fault::exit_status;
    fact.detail = "ended with exit status " + std::to_string(ending.exit_code);
  }
  read_signal(running, ending, fact);
  if (auto settled = settle_tree(running, fact); !settled) {
    fact.fault = Fault::lost;
    fact.detail = "its worktree cannot be kept: " + told(settled.error());
  }
  if (running.start.role == Role::plan_analyst) done_with_.push_back(running.tree);
  happened(std::move(fact));
}

void DeliveryHands::read_signal(const Running& running, const agent::Ending& ending,
                                AgentFinished& fact) {
  const std::string text = read_file(ending.log, kMaxOutputBytes).value_or("");
  signal::LineOptions options;
  options.role = running.start.role;
  if (!running.start.task.empty()) options.task = running.start.task;
  signal::LineResult result = signal::parse_line(text, options);
  fact.preview = preview_of(text);
  if (result.signal == Signal::expert_created) {
    const auto written = write_experts(project_.repository, result);
    if (!written || !*written) return;  // stays unknown: nobody can be asked by such a name
  }
  const auto add = [&](signal::Fields& fields) {
    for (signal::Field& field : fields)
      fact.fields.push_back({std::string(field.label), std::move(field.text)});
  };
  fact.signal = result.signal;
  fact.argument = result.task_id.value_or("");
  add(result.fields);
  for (signal::Extra& extra : result.more) {
    fact.fields.push_back({std::string(event::delivery::kAlso), extra.id});
    add(extra.fields);
    fact.more.push_back(std::move(extra.id));
  }
}

Result<std::vector<engine::DeliveryFact>> DeliveryHands::wait(const delivery::State&) {
  clean_up();
  collect_answers();
  loop_.run_while([&] { return inbox_.empty() && !interrupt_.requested(); });
  if (interrupt_.requested()) {
    loop_.run();  // the agents are being ended: until they are gone and what they left is kept
    return std::vector<engine::DeliveryFact>();
  }
  for (const engine::DeliveryFact& fact : inbox_)
    if (const auto* merged = std::get_if<event::delivery::MergeDone>(&fact))
      done_with_.push_back(merged->task);
  return std::exchange(inbox_, {});
}

bool DeliveryHands::attended() {
  if (!inbox_.empty() || options_.terminal || options_.wait) return true;
  collect_answers();
  return !inbox_.empty();
}

std::string DeliveryHands::last_line(int agent) const {
  const auto found = running_.find(agent);
  if (found == running_.end()) return {};
  const agent::Pulse* pulse = crew_.pulse(found->second.member);
  return pulse == nullptr ? std::string() : pulse->last_line;
}

std::string DeliveryHands::history_of(int session) const {
  std::string text;
  const auto found = sessions_.find(session);
  if (found == sessions_.end()) return text;
  for (int agent : found->second) {
    const auto name = log_names_.find(agent);
    if (name == log_names_.end()) continue;
    const auto log = read_file(log_folder() + "/" + name->second + ".log", kMaxOutputBytes);
    if (!log) continue;
    // Indented: what was a signal once must not look like one that is quoted at column 0.
    text += "What you printed as agent " + std::to_string(agent) + ":\n\n    " +
            replace_all(gate::useful_end(*log, kHistoryRunBytes), "\n", "\n    ") + "\n\n";
  }
  if (text.size() > kHistoryBytes) text.erase(0, text.size() - kHistoryBytes);
  return text;
}

// A session's id follows from the run and the agent that began it, so that it is known again after
// a crash. In the form of a random UUID, as clients want it.
std::string DeliveryHands::uuid_of(int session) const {
  constexpr char kHex[] = "0123456789abcdef";
  std::string id;
  std::uint64_t hash = 0xCBF29CE484222325ULL;
  for (int i = 0; i < 32; ++i) {
    for (const char c : options_.run + "/" + std::to_string(session) + "/" + std::to_string(i))
      hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
    if (i == 8 || i == 12 || i == 16 || i == 20) id += '-';
    const auto digit = static_cast<unsigned>((hash >> 29) & 15);
    id += i == 12 ? '4' : i == 16 ? kHex[8 | (digit & 3)] : kHex[digit];
  }
  return id;
}

std::string DeliveryHands::verify_text() const {
  std::string text;
  const config::Verify& verify = project_.config.verify;
  for (const auto& [name, command] :
       {std::pair("build", &verify.build), {"lint", &verify.lint}, {"test", &verify.test}}) {
    if (!*command) continue;
    std::string words = (*command)->shell;
    for (const std::string& word : (*command)->argv) words += (words.empty() ? "" : " ") + word;
    text += "- " + std::string(name) + ": `" + words + "`" +
            (verify.dir.empty() || verify.dir == "." ? "" : " in `" + verify.dir + "`") + "\n";
  }
  return text;
}

}  // namespace capsule::world
