#include "world/auto_agents.h"

#include "base/clock.h"
#include "base/files.h"
#include "base/text.h"
#include "signal/block.h"
#include "signal/transcript.h"
#include "workflow/auto/texts.h"
#include "world/auto_prompt.h"
#include "world/providers.h"

namespace capsule::world {
namespace {

using auto_mode::Phase;
using engine::TurnReport;
using engine::TurnRequest;
namespace fact = event::auto_run;

constexpr std::size_t kMaxLogBytes = std::size_t{64} << 20;

// A random UUID, as clients take it for a session.
std::string uuid() {
  std::string hex = random_hex(16);
  hex[12] = '4';
  hex[16] = "89ab"[static_cast<unsigned char>(hex[16]) % 4];
  for (const std::size_t at : {20U, 16U, 12U, 8U}) hex.insert(at, "-");
  return hex;
}

// The assistant's words: of a transcript its decoded texts, else the text as it is.
std::string words_of(const std::string& printed) {
  if (!signal::is_transcript(printed)) return printed;
  std::string words;
  for (const std::string_view line : split(printed, '\n')) {
    const auto record = signal::read_record(line);
    if (!record || record->speaker != signal::Speaker::assistant) continue;
    for (const signal::RawText raw : record->texts)
      signal::for_each_line(raw, [&](std::string_view part) { words += std::string(part) + "\n"; });
  }
  return words;
}

fact::Fault fault_of(const agent::Ending& ending) {
  switch (ending.how) {
    case agent::Ending::How::exited:
      return ending.exit_code == 0 ? fact::Fault::none : fact::Fault::exit_status;
    case agent::Ending::How::timed_out:
      return fact::Fault::timed_out;
    case agent::Ending::How::not_started:
      return fact::Fault::not_started;
    case agent::Ending::How::ended:
      return fact::Fault::interrupted;
    case agent::Ending::How::lost:
      break;
  }
  return fact::Fault::lost;
}

std::string prompt_for(const auto_mode::Run& run, const TurnRequest& request,
                       const std::string& phase_prompt) {
  const bool goes_on = request.turn.why == fact::Why::go_on;
  const std::string continuation =
      auto_mode::continuation_prompt({run.phase, run.file.iteration, run.file.max_iterations,
                                      run.begun.task, run.file.config.skips()});
  if (!request.with_prompt) return continuation;
  return goes_on ? phase_prompt + "\n" + continuation : phase_prompt;
}

AutoPrompt values_of(const auto_mode::Run& run) {
  AutoPrompt values;
  values.phase = run.phase;
  values.skips = run.file.config.skips();
  values.task = run.begun.task;
  values.feedback = run.feedback;
  values.headless = true;
  values.parallel = run.begun.parallel;
  return values;
}

}  // namespace

AutoAgentsPort::AutoAgentsPort(const Project& project, process::Loop& loop, std::string log_folder,
                               std::function<bool()> interrupted)
    : project_(project),
      loop_(loop),
      crew_(loop),
      log_folder_(std::move(log_folder)),
      interrupted_(std::move(interrupted)) {}

Result<void> AutoAgentsPort::preflight() {
  for (std::size_t i = 0; i < auto_mode::kPhases; ++i) {
    const std::string_view phase = signal::name_of(static_cast<Phase>(i));
    const agent::PhaseSettings settings = TRY(settings_of(project_, phase, ""));
    TRY_VOID(agent::find_agent(settings.provider));
    TRY_VOID(project_.assets.find("prompts/auto/" + std::string(phase) + ".md"));
  }
  return {};
}

std::string AutoAgentsPort::new_session() {
  const auto settings = settings_of(project_, "execution", "");
  return settings && settings->provider.has_sessions() ? uuid() : std::string();
}

Result<agent::Task> AutoAgentsPort::task_for(const TurnRequest& request, std::string_view phase,
                                             int attempt, std::string prompt) {
  const auto_mode::Run& run = *request.state;
  const agent::PhaseSettings settings = TRY(settings_of(project_, signal::name_of(run.phase), ""));
  agent::Task task;
  task.provider = settings.provider;
  task.folder = request.folder;
  task.prompt = std::move(prompt);
  task.timeout = settings.timeout;
  task.log_folder = log_folder_;
  task.log_name = std::string(phase) + "-" + utc_stamp();
  task.env = {{"CAPSULE_RUN", request.run},
              {"CAPSULE_BEAD", ""},
              {"CAPSULE_PHASE", std::string(phase)},
              {"CAPSULE_ATTEMPT", std::to_string(attempt)},
              {"CAPSULE_WORKTREE", request.folder}};
  return task;
}

Result<AutoAgentsPort::Spoken> AutoAgentsPort::heard(const agent::Ending& ending) const {
  Spoken spoken;
  spoken.ending = ending;
  if (!ending.log.empty()) spoken.raw = read_file(ending.log, kMaxLogBytes).value_or("");
  spoken.text = words_of(spoken.raw);
  return spoken;
}

Result<void> AutoAgentsPort::wait(const std::function<bool()>& pending) {
  loop_.run_while(pending);
  return {};
}

Result<TurnReport> AutoAgentsPort::turn(const TurnRequest& request) {
  const auto_mode::Run& run = *request.state;
  const std::string phase(signal::name_of(run.phase));
  AutoPrompt values = values_of(run);
  const std::string prompt =
      request.with_prompt ? TRY(render_auto_prompt(project_.assets, values)) : std::string();
  agent::Task task =
      TRY(task_for(request, phase, request.turn.attempt, prompt_for(run, request, prompt)));
  if (!request.turn.session.empty())
    task.provider = agent::in_session(
        std::move(task.provider), request.turn.session,
        request.turn.resumes ? agent::SessionUse::resume : agent::SessionUse::begin);
  std::optional<agent::Ending> ending;
  TRY(crew_.start(task, [&](agent::MemberId, const agent::Ending& end) { ending = end; }));
  TRY_VOID(wait([&] { return !ending.has_value(); }));
  const Spoken spoken = TRY(heard(*ending));
  TurnReport report;
  report.fault = interrupted_() ? fact::Fault::interrupted : fault_of(*ending);
  if (report.fault == fact::Fault::not_started)
    return fail(Reason::missing_program, ending->error, "capsule doctor says what is missing");
  report.exit_code = ending->exit_code;
  report.log = ending->log;
  signal::BlockReader reader;
  reader.read(spoken.raw);
  const signal::BlockResult result = reader.result();
  for (const signal::BlockSighting& sighting : result.sequence)
    report.signals.emplace_back(signal::row(sighting.signal).wire);
  if (result.signal && signal::row(*result.signal).kind == signal::BlockKind::transition)
    report.signals.emplace_back(signal::row(*result.signal).wire);
  if (result.signal == signal::Signal::phase_error) {
    const std::string* error = result.field("ERROR");
    const std::string* recoverable = result.field("RECOVERABLE");
    report.error = error != nullptr ? *error : "the agent gave no reason";
    report.recoverable = recoverable != nullptr && signal::same_letters(*recoverable, "true");
  }
  if (run.phase == Phase::reflect) report.learnings = auto_mode::learnings_in(spoken.text);
  return report;
}

Result<engine::AutoAgents::Reviews> AutoAgentsPort::review(const TurnRequest& request) {
  const auto_mode::Run& run = *request.state;
  struct Seat {
    fact::ReviewVerdict verdict;
    std::optional<agent::Ending> ending;
  };
  std::vector<Seat> seats(std::size(fact::kReviewers));
  for (std::size_t i = 0; i < seats.size(); ++i) {
    Seat& seat = seats[i];
    seat.verdict.type = fact::kReviewers[i];
    AutoPrompt values = values_of(run);
    values.reviewer = fact::kReviewers[i];
    const agent::Task task = TRY(task_for(request, "review-" + seat.verdict.type, run.round + 1,
                                          TRY(render_auto_prompt(project_.assets, values))));
    seat.verdict.started_at = utc_now();
    TRY(crew_.start(task, [&seat](agent::MemberId, const agent::Ending& ending) {
      seat.ending = ending;
      seat.verdict.ended_at = utc_now();
    }));
    if (!run.begun.parallel) TRY_VOID(wait([&] { return !seat.ending.has_value(); }));
    if (interrupted_()) break;
  }
  TRY_VOID(wait([&] { return crew_.running() > 0; }));
  Reviews reviews;
  reviews.interrupted = interrupted_();
  if (reviews.interrupted) return reviews;
  for (Seat& seat : seats) {
    const Spoken spoken = TRY(heard(*seat.ending));
    seat.verdict.log = seat.ending->log;
    seat.verdict.timestamp = seat.verdict.ended_at;
    const fact::Fault fault = fault_of(*seat.ending);
    if (fault == fact::Fault::none) {
      auto_mode::Judgement judgement = auto_mode::judgement_in(spoken.text);
      seat.verdict.verdict = judgement.verdict;
      seat.verdict.issues = std::move(judgement.issues);
    } else {
      // A program that failed has approved nothing.
      seat.verdict.verdict = fact::Verdict::needs_fix;
      seat.verdict.issues = {"the reviewer ended without a verdict (" +
                             std::string(fact::name_of(fault)) + ")"};
    }
    reviews.verdicts.push_back(std::move(seat.verdict));
  }
  return reviews;
}

}  // namespace capsule::world
