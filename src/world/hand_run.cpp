#include "world/hand_run.h"

#include <cstdlib>
#include <filesystem>
#include <vector>

#include "agent/clients.h"
#include "agent/defaults.h"
#include "agent/run.h"
#include "agent/scratch.h"
#include "base/clock.h"
#include "base/files.h"
#include "base/ids.h"
#include "base/text.h"
#include "workflow/phases/phases.h"
#include "workflow/summary.h"
#include "workflow/supply/policy.h"
#include "worklog/prompt.h"
#include "world/agent_words.h"
#include "world/enclosure.h"
#include "world/environment.h"
#include "world/interrupt.h"
#include "world/providers.h"
#include "world/run_walls.h"
#include "world/supply_policy.h"
#include "world/wall_clock.h"
#include "world/walls.h"
#include "world/workflows.h"

namespace capsule::world {
namespace {

namespace fs = std::filesystem;

struct Owner {
  std::string project, bead;
};

std::optional<Owner> owner_of(const std::string& folder) {
  const fs::path path(folder);
  const fs::path worktrees = path.parent_path(), capsule = worktrees.parent_path();
  const std::string bead = path.filename().string();
  if (worktrees.filename() != "worktrees" || capsule.filename() != ".capsule" || !valid_id(bead))
    return std::nullopt;
  return Owner{capsule.parent_path().string(), bead};
}

// A run that is going on notes its phases itself.
Result<void> note(const Project& project, const std::string& bead, const std::string& phase,
                  const agent::Report& report, std::int64_t duration_ms, const HandFacts& known) {
  const auto store = TRY(open_journal(project));
  const std::vector<engine::RunHead> heads = TRY(store->runs_of(bead));
  if (heads.empty() || heads.back().outcome.empty() || !heads.back().home.empty()) return {};
  phases::State state;
  for (const event::Fact& fact : TRY(store->read(heads.back().run, 0)))
    if (!event::supply::is_supply(fact.kind))
      phases::apply(state, TRY(event::read_fact(fact.kind, fact.body)));
  if (state.outcome == event::Outcome::merged) return {};
  // Only what the run would do itself can be done for it.
  if (phases::find_phase(state.definition, phase) == nullptr) return {};
  const int number = state.number + 1;
  event::PhaseFinished finished;
  finished.phase = phase;
  finished.number = number;
  finished.status =
      report.fault == event::Fault::none ? report.signal.status : signal::Status::error;
  finished.feedback = report.fault == event::Fault::exit_status ? "the agent " + report.detail
                                                                : report.signal.feedback;
  finished.summary = report.signal.summary;
  finished.files_changed = report.signal.files_changed;
  finished.signal = report.signal.json;
  finished.fault = report.fault;
  finished.exit_code = report.exit_code;
  finished.log = report.log;
  finished.duration_ms = duration_ms;
  const event::PipelineFact started =
      event::PhaseStarted{phase, number, 1, "", project.config.provider_of(phase), "", true};
  std::vector<event::NewFact> facts;
  const std::string now = utc_now();
  const auto add = [&](const auto& fact) {
    facts.push_back({std::string(kind_of(fact)), now, body_of(fact)});
  };
  for (const event::supply::Fact& fact : known.walls) add(fact);
  add(started);
  if (known.call) {
    event::supply::AgentUsed call = *known.call;
    call.agent = number;
    const supply::Policy policy = policy_of(project.config, state.definition);
    call.use = supply::priced(policy, call.use, call.model.empty() ? call.asked_model : call.model,
                              call.provider);
    add(event::supply::Fact(std::move(call)));
  }
  add(event::PipelineFact(finished));
  TRY_VOID(store->append(heads.back().run, heads.back().last_seq, facts, std::nullopt));
  return {};
}

// Who only looks has changed nothing that is merged.
bool only_judges(const event::PhaseRule& phase) {
  return !phase.writes || (phases::judges(phase) && !phase.edits);
}

// What is known of a call before it has ended; the rest is added when it has.
event::supply::AgentUsed call_of(const event::PhaseRule& phase, const std::string& bead,
                                 const agent::Provider& provider) {
  event::supply::AgentUsed call;
  call.task = bead;
  call.role = phase.name;
  call.provider = provider.name;
  call.client = provider.client;
  call.asked_model = provider.model;
  if (!only_judges(phase)) call.tree = bead;
  return call;
}

void add_ending(event::supply::AgentUsed& call, const agent::Ending& ending,
                const dialect::Reading& reading, const agent::Outcome& outcome) {
  if (!call.client.empty() && !reading.version.empty())
    call.client += " " + printable(reading.version);
  if (!reading.models.empty()) call.model = model_of(reading, call.asked_model);
  call.session = printable(reading.session);
  call.fault = outcome.fault;
  call.words = outcome.words;
  call.log = ending.log;
  call.use = reading.use;
  call.redacted = ending.redacted;
  call.at = utc_now();
  call.day = local_day(epoch_ms() / 1000);
}

struct Inside {
  contain::Wish wish;
  Enclosure enclosure;
};

// None: nobody has chosen walls.
Result<std::optional<Inside>> inside_walls(const Project& project, const event::PhaseRule& phase,
                                           const agent::Provider& provider,
                                           const std::string& folder) {
  workflow::StartAgent start;
  start.role = phase.name;
  start.settings = workflow::Settings::phase;
  start.judges = only_judges(phase);
  if (!walls_chosen(project.config)) return std::nullopt;
  auto wish = TRY(walls_of_agent(project, start, provider, folder));
  if (!wish) return std::nullopt;
  TRY_VOID(can_contain(wish));
  const auto repository = git::open_repository(project.root());
  if (!repository)
    return fail(
        Reason::refused,
        "walls were chosen, and " + printable(folder) + " is in no project that has a repository",
        "--contain=off does without them for once");
  Occupant occupant;
  occupant.role = phase.name;
  occupant.folder = folder;
  occupant.main_branch = project.config.main_branch;
  occupant.client = client_behind(provider);
  // By hand it is the caller who says how the work is to be committed.
  wish->env.emplace_back("CAPSULE_COMMIT_MSG");
  Instructions instructions(*repository);
  auto enclosure = TRY(Enclosure::make(*repository, occupant, instructions, *wish));
  return Inside{std::move(*wish), std::move(enclosure)};
}

Result<void> take_over(Inside& inside, const std::string& phase, HandRun& run) {
  const Released released = TRY(inside.enclosure.release());
  for (const std::string& odd : released.odd)
    run.odd.push_back("the repository of " + phase + ": " + odd);
  if (!released.tried.empty())
    run.odd.push_back(phase + " tried to change " + short_list(released.tried, 5) +
                      "; nothing of that was kept");
  return {};
}

}  // namespace

std::optional<std::string> owner_of_worktree(const std::string& folder) {
  const auto place = owner_of(folder);
  return place ? std::optional(place->project) : std::nullopt;
}

std::optional<std::string> bead_of_worktree(const std::string& folder) {
  const auto place = owner_of(folder);
  return place ? std::optional(place->bead) : std::nullopt;
}

Result<Project> open_loose_project(const ProjectWords& words, const std::string& folder) {
  const std::vector<config::Flag> flags = flags_of(words);
  Project project{
      {},
      TRY(config::load({folder, [](const char* name) { return std::getenv(name); }, flags})),
      Assets(words.scripts_dir, folder),
      ""};
  project.repository.top = folder;
  return project;
}

Result<void> note_hand_run(const Project& project, const std::string& bead,
                           const std::string& phase, const agent::Report& report,
                           std::int64_t duration_ms, const HandFacts& known) {
  const bool has_journal =
      !journal_address().empty() || exists(project.root() + "/.capsule/journal.db");
  if (bead.empty() || !has_journal) return {};
  return note(project, bead, phase, report, duration_ms, known);
}

Result<event::PhaseRule> phase_by_hand(const Project& project, const std::string& name) {
  const event::Definition pipeline = TRY(find_workflow(project, phases::kPipeline));
  if (const event::PhaseRule* rule = phases::find_phase(pipeline, name)) return *rule;
  event::PhaseRule rule;
  rule.name = name;
  rule.prompt = "prompts/" + name + ".md";
  return rule;
}

Result<HandRun> run_by_hand(const Project& project, const event::PhaseRule& phase,
                            const std::string& folder, const std::string& prompt,
                            std::string_view feedback) {
  agent::Assignment assignment;
  assignment.phase = phase.name;
  assignment.folder = folder;
  assignment.prompt = worklog::compose_prompt(prompt, feedback);
  assignment.stamp = utc_stamp();
  // Outside a run there is none, and no bead, even when an agent's own environment says otherwise.
  workflow::StartAgent start;
  start.role = phase.name;
  assignment.env = environment_of("", start, folder);
  const std::string bead = bead_of_worktree(folder).value_or("");
  const agent::PhaseSettings settings = TRY(settings_of(project, phase, bead));
  const agent::Scratch scratch = TRY(agent::Scratch::create());
  std::vector<process::EnvChange> env = settings.provider.env;
  env.push_back({"TMPDIR", scratch.path()});
  if (const agent::Client* client = agent::client_named(settings.provider.client))
    TRY_VOID(agent::add_defaults(
        *client, scratch.path(), [](const char* name) -> const char* { return std::getenv(name); },
        env));
  assignment.env.insert(assignment.env.begin(), env.begin(), env.end());
  assignment.secrets = secrets_of(assignment.env);
  assignment.timeout = settings.timeout;
  auto inside = TRY(inside_walls(project, phase, settings.provider, folder));
  if (inside) {
    mount_scratch(inside->wish, scratch.path(), assignment.env);
    assignment.walls = inside->wish;
  }
  const auto loop = TRY(process::Loop::create());
  const auto interrupt = TRY(Interrupt::create(*loop));
  assignment.interrupted = [&] { return interrupt->requested(); };
  HandRun run;
  HandFacts known;
  known.call = call_of(phase, bead, settings.provider);
  assignment.on_contained = [&](const contain::Report& report) {
    const event::Contained told = contained_of(phase.name, report);
    if (const std::string weaker = workflow::weaker_words({told}); !weaker.empty())
      run.odd.push_back("the walls of " + phase.name + " are less than they could be: " + weaker);
    known.walls.emplace_back(told);
  };
  assignment.on_refused = [&](const contain::Refusals& refused) {
    event::HostsRefused told = refused_of(refused);
    told.task = bead;
    told.role = phase.name;
    run.odd.push_back(phase.name + " was refused " +
                      workflow::refused_words(told.hosts, told.others));
    known.walls.emplace_back(std::move(told));
  };
  assignment.on_ended = [&](const agent::Ending& ending, const dialect::Reading& reading,
                            const agent::Outcome& outcome) {
    add_ending(*known.call, ending, reading, outcome);
  };
  agent::Watch nobody;
  const std::int64_t began = monotonic_ms();
  run.report = TRY(agent::run_agent(*loop, settings.provider, assignment, nobody));
  if (inside) TRY_VOID(take_over(*inside, phase.name, run));
  if (run.report.fault == event::Fault::interrupted) {
    run.exit_code = interrupt->exit_code();
    return run;
  }
  known.call->duration_ms = monotonic_ms() - began;
  // An answer without a signal is known only now.
  known.call->fault = run.report.fault;
  if (const auto noted =
          note_hand_run(project, bead, phase.name, run.report, known.call->duration_ms, known);
      !noted)
    run.not_noted = noted.error().message;
  return run;
}

}  // namespace capsule::world
