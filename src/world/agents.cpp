#include "world/agents.h"

#include <algorithm>
#include <cstdlib>
#include <ctime>

#include "agent/defaults.h"
#include "agent/outcome.h"
#include "agent/redaction.h"
#include "agent/report.h"
#include "agent/run.h"
#include "base/clock.h"
#include "base/files.h"
#include "base/text.h"
#include "gate/verify.h"
#include "signal/contract.h"
#include "world/environment.h"
#include "world/prompts.h"
#include "world/run_walls.h"

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

// What the agent said that printed this: of a client's events its last words.
std::string said_by(std::string log) {
  const dialect::Output output = dialect::output_of(log);
  if (output == dialect::Output::text) return log;
  dialect::Reader reader(output, {});
  reader.feed(log);
  return reader.finish().text;
}

dialect::Moment moment_now() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  ::localtime_r(&now, &local);
  return {now, local.tm_gmtoff};
}

// A client that tells its words in pieces may have told a secret in two. How many there were.
int redact(std::string& text, const std::vector<std::string>& secrets) {
  agent::Redaction redaction(secrets);
  std::string out(redaction.feed(text));
  out += redaction.finish();
  text = std::move(out);
  return redaction.count();
}

// What one run used of what a session used by then.
event::TokenUse without(event::TokenUse total, const event::TokenUse& before) {
  for (const auto field : {&event::TokenUse::input, &event::TokenUse::output,
                           &event::TokenUse::cache_read, &event::TokenUse::cache_written})
    total.*field = std::max<std::int64_t>(0, total.*field - before.*field);
  return total;
}

}  // namespace

Agents::Agents(process::Loop& loop, AgentParts parts, AgentEvents& events)
    : loop_(loop),
      parts_(std::move(parts)),
      events_(events),
      versions_(loop),
      crew_(loop, parts_.interrupted) {}

Agents::~Agents() {
  for (const auto& [number, running] : running_) {
    loop_.cancel(running.look);
    loop_.cancel(running.watch);
    loop_.cancel(running.spending);
  }
}

Result<std::string> Agents::prompt_for(const StartAgent& start, const AgentPlace& place,
                                       bool goes_on) {
  Surroundings around;
  around.conflicts = place.conflicts;
  around.goes_on = goes_on;
  const std::string text = TRY(parts_.prompt_file(start.prompt.file));
  if (goes_on && !start.prompt.follow_up.empty())
    return compose_follow_up(text, start.prompt, around);
  around.base = place.base;
  if (parts_.verify) around.verify = parts_.verify();
  if (!start.expert.empty() && parts_.expertise) around.expertise = parts_.expertise(start.expert);
  // What stands in the worklog need not be told: only templates have a place for it, and one that
  // was cut short has not written it there.
  if (start.resume && !goes_on && (start.again || !start.prompt.values.empty()))
    around.history = history_of(start.session, place);
  return compose_prompt(text, start.prompt, around);
}

void Agents::find_their_session(const StartAgent& start, const AgentPlace& place,
                                const agent::Provider& provider) {
  const auto known = sessions_.find(start.session);
  if (!start.resume || start.anew || !provider.their_session || known == sessions_.end()) return;
  Session& session = known->second;
  if (!session.theirs.empty() || session.earlier.empty()) return;
  if (!session.provider.empty() && session.provider != provider.name) return;
  const std::string log = read_log(place, session.earlier.back().log);
  if (log.empty() || dialect::output_of(log) != provider.output) return;
  dialect::Reader reader(provider.output, {});
  reader.feed(log);
  session.theirs = reader.finish().session;
}

bool Agents::goes_on(const StartAgent& start, const agent::Provider& provider) const {
  if (!start.resume || start.anew || !provider.has_sessions()) return false;
  if (!start.client_session.empty()) return true;
  const auto known = sessions_.find(start.session);
  if (known == sessions_.end()) return !provider.their_session;
  const Session& session = known->second;
  if (!session.provider.empty() && session.provider != provider.name) return false;
  return !provider.their_session || !session.theirs.empty();
}

Result<agent::Task> Agents::task_for(const StartAgent& start, const AgentPlace& place,
                                     Running& running) {
  agent::PhaseSettings settings = TRY(parts_.settings(start));
  agent::Task task;
  find_their_session(start, place, settings.provider);
  const bool resumes = goes_on(start, settings.provider);
  task.prompt = TRY(prompt_for(start, place, resumes));
  task.provider = std::move(settings.provider);
  running.facts.provider = task.provider.name;
  running.facts.client = task.provider.client;
  running.facts.asked_model = task.provider.model;
  running.moment = moment_now();
  running.reader = std::make_unique<dialect::Reader>(
      task.provider.output, running.moment,
      [this, agent = start.agent](const dialect::Event& event) { note_event(agent, event); });
  if (resumes) running.reader->goes_on();
  if (!start.session.empty()) {
    std::string id = start.session;
    if (!start.client_session.empty())
      id = start.client_session;
    else if (resumes && task.provider.their_session)
      id = sessions_[start.session].theirs;
    if (!task.provider.their_session && task.provider.has_sessions()) running.facts.session = id;
    if (resumes) running.before = used_before(start.session, task.provider.name, id);
    task.provider =
        agent::in_session(std::move(task.provider), id,
                          resumes ? agent::SessionUse::resume : agent::SessionUse::begin);
  }
  running.can_be_steered = task.provider.steered;
  task.env = task.provider.env;
  running.scratch = std::make_unique<agent::Scratch>(TRY(agent::Scratch::create()));
  task.env.push_back({"TMPDIR", running.scratch->path()});
  if (const agent::Client* client = agent::client_named(task.provider.client))
    TRY_VOID(agent::add_defaults(
        *client, running.scratch->path(),
        [](const char* name) -> const char* { return std::getenv(name); }, task.env));
  for (process::EnvChange& change : environment_of(parts_.run, start, place.folder))
    task.env.push_back(std::move(change));
  task.secrets = running.secrets = secrets_of(task.env);
  task.folder = place.folder;
  TRY_VOID(enclose(start, place, running, task));
  task.timeout = running.limit = settings.timeout;
  running.answer_limit = settings.answer_timeout;
  if (task.provider.output != dialect::Output::text) {
    const agent::Client* client = agent::client_named(task.provider.client);
    running.silent_at_first = client != nullptr && client->silent_at_first;
    running.silence.emplace((client == nullptr ? agent::Client{} : *client).resting,
                            agent::look_every(running.limit, running.answer_limit));
    task.on_limit = [this, agent = start.agent] { at_limit(agent); };
  }
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

Result<void> Agents::enclose(const StartAgent& start, const AgentPlace& place,
                             const Running& running, agent::Task& task) const {
  if (!parts_.enclose) return {};
  task.walls = TRY(parts_.enclose(start, place, task.provider));
  if (!task.walls) return {};
  mount_scratch(*task.walls, running.scratch->path(), task.env);
  task.on_contained = [this, agent = start.agent](const contain::Report& report) {
    if (const auto found = running_.find(agent); found != running_.end())
      events_.on_contained(found->second.start, report);
  };
  task.on_refused = [this, agent = start.agent](const contain::Refusals& refused) {
    if (const auto found = running_.find(agent); found != running_.end())
      events_.on_refused(found->second.start, refused);
  };
  return {};
}

Result<void> Agents::start(const StartAgent& start, const AgentPlace& place) {
  if (running_.contains(start.agent))
    return fail(Reason::usage, "agent " + std::to_string(start.agent) + " is at work already");
  Running running;
  const agent::Task task = TRY(task_for(start, place, running));
  running.start = start;
  running.place = place;
  running.began_at = utc_now();
  running.began_ms = monotonic_ms();
  running.member = TRY(
      crew_.start(task, [this, agent = start.agent](agent::MemberId, const agent::Ending& ending) {
        finished(agent, ending);
      }));
  versions_.ask(task.provider);
  Running& kept = running_.emplace(start.agent, std::move(running)).first->second;
  look_later(start.agent, kept);
  if (kept.silence) watch_later(start.agent, kept);
  return {};
}

void Agents::end(int agent) {
  if (const auto found = running_.find(agent); found != running_.end()) {
    found->second.can_be_steered = false;
    crew_.end(found->second.member);
  }
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

void Agents::recall(const std::string& session, int agent, const std::string& log,
                    const std::string& client_session, const std::string& provider,
                    const event::TokenUse& used) {
  if (session.empty()) return;
  Session& known = sessions_[session];
  auto& earlier = known.earlier;
  const bool told = std::any_of(earlier.begin(), earlier.end(),
                                [&](const Earlier& one) { return one.log == log; });
  const auto later = std::find_if(earlier.begin(), earlier.end(),
                                  [&](const Earlier& one) { return one.agent > agent; });
  if (!log.empty() && !told) earlier.insert(later, {agent, log});
  if (!client_session.empty()) known.theirs = client_session;
  if (!provider.empty()) known.provider = provider;
  event::TokenUse& sum = known.used[{provider, client_session}];
  sum = sum + used;
}

event::TokenUse Agents::used_before(const std::string& conversation, const std::string& provider,
                                    const std::string& client_session) const {
  const auto known = sessions_.find(conversation);
  if (known == sessions_.end()) return {};
  const auto used = known->second.used.find({provider, printable(client_session)});
  return used == known->second.used.end() ? event::TokenUse{} : used->second;
}

std::vector<int> Agents::numbers() const {
  std::vector<int> numbers;
  for (const auto& [number, running] : running_) numbers.push_back(number);
  return numbers;
}

std::string Agents::log_of(int agent) const {
  const auto found = running_.find(agent);
  return found == running_.end() ? std::string() : found->second.log;
}

std::string Agents::history_of(const std::string& session, const AgentPlace& place) const {
  std::string text;
  const auto found = sessions_.find(session);
  if (found == sessions_.end()) return text;
  for (const Earlier& earlier : found->second.earlier) {
    const std::string log = said_by(read_log(place, earlier.log));
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
  running.reader->feed(bytes);
  if (running.start.dialect == Dialect::contract) running.scanner.feed(bytes);
  if (running.beginning.size() < kPreviewBytes)
    running.beginning += bytes.substr(0, kPreviewBytes - running.beginning.size());
  // Of a client that prints events only those count.
  if (running.activity.events == 0) moves(agent, running);
  events_.on_output(agent, bytes);
}

void Agents::logged(int agent, const std::string& path) {
  const auto found = running_.find(agent);
  if (found == running_.end()) return;
  found->second.log = path;
  recall(found->second.start.session, agent, path, "", found->second.facts.provider);
  events_.on_log(agent, path);
  events_.on_activity(found->second.start, found->second.activity);
}

void Agents::finished(int agent, agent::Ending ending) {
  auto node = running_.extract(agent);
  Running& running = node.mapped();
  ending.silent = running.silent;
  loop_.cancel(running.look);
  loop_.cancel(running.watch);
  loop_.cancel(running.spending);
  for (const auto& [id, message] : running.unheard) events_.on_steered(agent, message, false);
  if (ending.how == agent::Ending::How::not_logged ||
      ending.how == agent::Ending::How::not_contained)
    return events_.on_failed(running.start, *ending.error);
  workflow::AgentFinished finished;
  finished.agent = agent;
  finished.began_at = running.began_at;
  finished.ended_at = utc_now();
  finished.duration_ms = monotonic_ms() - running.began_ms;
  finished.log = ending.log;
  finished.exit_code = ending.exit_code;
  dialect::Reading reading = running.reader->finish();
  ending.redacted += redact(reading.text, running.secrets);
  const agent::Outcome outcome = agent::outcome_of(ending, reading, running.moment);
  finished.preview = preview_of(reading.streamed ? reading.text : running.beginning);
  finished.fault = outcome.fault;
  finished.detail = outcome.detail;
  if (running.start.dialect == Dialect::contract) {
    agent::Report report = agent::report_of(
        ending, outcome,
        reading.streamed ? signal::parse_contract(reading.text) : running.scanner.finish(),
        running.start.role);
    finished.fault = report.fault;
    finished.detail = std::move(report.detail);
    finished.words = workflow::ContractWords{std::move(report.signal)};
    if (report.fault == event::Fault::no_signal) finished.missed.why = report.miss;
  } else {
    finished.words =
        words_of(running, reading.streamed ? reading.text : read_log(running.place, ending.log),
                 finished.missed);
  }
  note_facts(running, reading);
  running.facts.words = outcome.words;
  if (!running.last_told.empty()) running.facts.words += "; before that: " + running.last_told;
  running.facts.reset_at = outcome.reset_at;
  running.facts.redacted = ending.redacted;
  finished.cost_micros = running.facts.use.cost_micros;
  finished.facts = std::move(running.facts);
  events_.on_finished(running.start, std::move(finished));
}

void Agents::note_facts(Running& running, const dialect::Reading& reading) {
  workflow::AgentFacts& facts = running.facts;
  facts.use = reading.use;
  if (!reading.streamed) return;
  const std::string version =
      reading.version.empty() ? versions_.of(facts.client) : printable(reading.version);
  if (!facts.client.empty() && !version.empty()) facts.client += " " + version;
  if (!reading.models.empty()) facts.model = model_of(reading, facts.asked_model);
  if (!reading.session.empty()) facts.session = printable(reading.session);
  if (running.start.session.empty()) return;
  Session& session = sessions_[running.start.session];
  session.theirs = reading.session;
  // A client may have begun another session than the one that it was told to go on with.
  const auto& theirs = facts.session;
  const event::TokenUse before =
      theirs.empty() ? running.before : used_before(running.start.session, facts.provider, theirs);
  if (reading.use_of_session) facts.use = without(reading.use, before);
  if (!theirs.empty()) session.used[{facts.provider, theirs}] = before + facts.use;
}

void Agents::note_event(int agent, const dialect::Event& event) {
  const auto found = running_.find(agent);
  if (found == running_.end()) return;
  Running& running = found->second;
  if (event.of_session)
    return note_event(agent, {.kind = event.kind, .use = without(event.use, running.before)});
  dialect::fold(running.activity, event, monotonic_ms());
  if (running.activity.events == 1) running.first_event_ms = running.activity.heard_ms;
  moves(agent, running);
  if (event.kind == dialect::Event::Kind::model) running.facts.model = event.text;
  if (event.kind == dialect::Event::Kind::tokens) spends(agent, running, event);
  if (event.kind == dialect::Event::Kind::heard) {
    if (const auto message = running.unheard.extract(event.text))
      events_.on_steered(agent, message.mapped(), true);
  }
  // What was sent by now is read before the end of its input, and heard in one more turn.
  if (event.kind == dialect::Event::Kind::ended) {
    running.can_be_steered = false;
    crew_.close_input(running.member);
  }
  tell_activity(running);
}

void Agents::tell_activity(Running& running) {
  dialect::Activity& doing = running.activity;
  if (doing.said != running.said) {
    running.said = running.shown = doing.said;
    redact(running.shown, running.secrets);
  }
  if (running.shown == doing.said) return events_.on_activity(running.start, doing);
  // What follows is a part of the text as it was.
  dialect::Activity shown = doing;
  shown.said = running.shown;
  events_.on_activity(running.start, shown);
}

void Agents::steer(int agent, const std::string& message, const std::string& text) {
  const auto found = running_.find(agent);
  if (found != running_.end() && found->second.can_be_steered) {
    Running& running = found->second;
    const std::string id = workflow::session_id(message, agent);
    if (crew_.write(running.member, agent::user_message(text, id))) {
      running.unheard.emplace(id, message);
      return;
    }
  }
  events_.on_steered(agent, message, false);
}

void Agents::spends(int agent, Running& running, const dialect::Event& event) {
  if (parts_.spending_every.count() == 0) return;
  running.spent = event.use;
  if (!running.told_just_now) tell_spending(agent, running);
}

// The first at once; what comes within the interval after that is told together when it is over.
void Agents::tell_spending(int agent, Running& running) {
  running.told_just_now = false;
  if (running.spent == running.told_of) return;
  running.told_of = running.spent;
  running.told_just_now = true;
  running.spending = loop_.after(parts_.spending_every, [this, agent] {
    if (const auto found = running_.find(agent); found != running_.end())
      tell_spending(agent, found->second);
  });
  events_.on_spending(agent, running.spent, running.facts.model);
}

workflow::Words Agents::words_of(const Running& running, const std::string& said,
                                 signal::Missed& missed) const {
  switch (running.start.dialect) {
    case Dialect::line:
      return line_words(said, running.start.role, running.start.task, parts_.experts_created,
                        &missed);
    case Dialect::block:
      return block_words(said, &missed);
    case Dialect::verdict:
    case Dialect::contract:
      break;
  }
  return verdict_words(said);
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
