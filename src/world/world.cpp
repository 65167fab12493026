#include "world/world.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/text.h"
#include "contain/abilities.h"
#include "contain/wish_wire.h"
#include "git/paths.h"
#include "world/experts.h"
#include "world/private_home.h"
#include "world/providers.h"
#include "world/setup.h"
#include "world/verify.h"
#include "world/wall_clock.h"
#include "world/walls.h"

namespace capsule::world {
namespace {

using namespace workflow;

std::string sentences(const Error& error) {
  return error.message + (error.hint.empty() ? "" : "\n" + error.hint);
}

PeopleParts people_of(const Project& project, const WorldSettings& settings) {
  PeopleParts parts = settings.people;
  parts.project = project.root();
  parts.run = settings.run;
  return parts;
}

AgentParts parts_of(const Project& project, Interrupt& interrupt, const std::string& run,
                    RunWalls& walls, const workspace::Trees& trees) {
  AgentParts parts;
  parts.run = run;
  parts.settings = [&walls, &trees](const StartAgent& start) {
    return agent_settings(walls.project_in(trees.path_of(start.tree)), start);
  };
  // A prompt without a file is told as it is.
  parts.prompt_file = [&project](const std::string& file) -> Result<std::string> {
    if (file.empty()) return std::string();
    return project.assets.read(file);
  };
  parts.expertise = [&project](const std::string& expert) {
    return read_expert(project.root(), expert);
  };
  parts.verify = [&project] { return verify_text(project.config); };
  parts.experts_created = [&project](signal::LineResult& created) {
    const auto written = write_experts(project.repository, created);
    return written && *written;
  };
  parts.interrupted = [&interrupt] { return interrupt.requested(); };
  parts.enclose = [&walls](const StartAgent& start, const AgentPlace& place,
                           const agent::Provider& provider) {
    return walls.enclose(start, place, provider);
  };
  parts.idle_after = project.config.checkpoint_interval;
  const config::Budget& budget = project.config.budget;
  if (budget.run > 0 || budget.task > 0 || budget.day > 0 || budget.tokens > 0)
    parts.spending_every = std::chrono::seconds(1);
  return parts;
}

// The tree that must be there for a command; empty: none, or one that the command itself brings
// back.
std::string needed_tree(const Command& command) {
  if (const auto* agent = std::get_if<StartAgent>(&command)) return agent->tree;
  if (const auto* keep = std::get_if<Keep>(&command)) return keep->tree;
  if (const auto* check = std::get_if<Check>(&command)) return check->tree;
  if (const auto* merge = std::get_if<Merge>(&command)) return merge->tree;
  return {};
}

// What an answer of a command hangs on besides its files.
std::string surroundings_of(const Project& project) {
  const auto wish = walls_of_checks(project, "");
  return gate::lasting_environment(environ) + (wish ? "\n" + contain::bytes_of(*wish) : "");
}

// What a check is for, as people see it.
gate::Watch::About about(const Check& check) {
  if (check.names == std::vector<std::string>{"baseline"}) return {"", CheckFor::baseline};
  if (check.tree.empty()) return {"", CheckFor::health};
  return {check.tree, CheckFor::work};
}

gate::ProjectFiles project_files(const Project& project, const WorldSettings& settings) {
  return {settings.trees.main_branch, settings.trees.exclude, project.config.test_files,
          project.config.verify.guard};
}

GroundParts ground_parts(const Project& project, const WorldSettings& settings) {
  GroundParts parts;
  parts.repository = project.repository;
  parts.run = settings.run;
  parts.main_branch = project.config.main_branch;
  parts.exclude = settings.trees.exclude;
  parts.asks = project.config.on_main_moved == config::MainMoved::ask;
  parts.merged_by = [root = project.root(), own = settings.run](const std::string& run,
                                                                const std::string& commit) {
    return journal_has_merge(root, own, run, commit);
  };
  if (settings.shared_main)
    parts.followed = [shared = settings.shared_main](const std::string& commit) {
      return shared->was_at(commit);
    };
  return parts;
}

// Who only looks works in a layer. Where there are no namespaces, that is decided elsewhere.
Result<void> can_lay_over(const std::optional<contain::Wish>& wish) {
  if (!wish || wish->role == contain::Role::writer || contain::namespaces_missing()) return {};
  if (const auto& why = contain::overlay_missing()) return tl::unexpected(*why);
  return {};
}

}  // namespace

RealWorld::RealWorld(const Project& project, process::Loop& loop, Interrupt& interrupt,
                     WorldSettings settings)
    : project_(project),
      loop_(loop),
      interrupt_(interrupt),
      settings_(std::move(settings)),
      trees_(project.repository, settings_.run, settings_.trees),
      ground_(ground_parts(project, settings_)),
      walls_(project, settings_.trees.main_branch,
             [this](Observation observation) { happened(std::move(observation)); }),
      setup_(loop, setup_of(project.config), project.config.worktree.setup_timeout,
             [&interrupt] { return interrupt.requested(); }),
      checks_(loop, verify_of(project.config), [&interrupt] { return interrupt.requested(); }),
      seen_(project.root() + "/.capsule/checks", verify_of(project.config),
            surroundings_of(project),
            project.config.verify.recheck ? gate::Seen::Known::is_run_again
                                          : gate::Seen::Known::saves_a_run),
      gates_(gate::world_of(project.repository, checks_, project_files(project, settings_),
                            [this](const std::string& tree) { return trees_.folder_of(tree); }),
             seen_),
      merges_(
          trees_, checks_, seen_, project_files(project, settings_),
          [this] { return settings_.intact(); }, settings_.shared_main),
      requests_(loop, project.root(), settings_.run),
      parkings_(loop, parkings_folder(::getenv), [] { return epoch_ms() / 1000; }),
      space_(loop, written_folders(project),
             static_cast<std::uint64_t>(project.config.disk_reserve)),
      people_(loop, people_of(project, settings_),
              [this](Answered answered) { happened(answered); }),
      readiness_(project.repository, setup_, setup_inputs(project.config), settings_.people.tell),
      agents_(loop, parts_of(project, interrupt, settings_.run, walls_, trees_), *this),
      elsewhere_(project, loop,
                 {settings_.run, settings_.work, settings_.log_folder, settings_.people.tell,
                  [this](SupplyNews news) { happened(std::move(news)); },
                  [this](const StartAgent& start, AgentFinished finished) {
                    finished_elsewhere(start, std::move(finished));
                  }}) {
  if (setup_.any()) checks_.ready_by(setup_);
  checks_.contained_by(walls_.around_checks());
  setup_.contained_by(walls_.around_setup());
  checks_.watched_by(&watch_);
  setup_.watched_by(&watch_);
  watch_.tell = [this](const CheckProgress& one) {
    set_up_once_ |=
        one.ended && one.name == gate::kSetup && one.run.ending == event::CheckEnding::passed;
    progress(one);
  };
  requests_.follow([this] { look_for_requests(); });
}

RealWorld::~RealWorld() = default;

Result<void> RealWorld::start_agent(const StartAgent& start, const AgentPlace& place) {
  StartAgent known = start;
  // Its client here knows nothing of a session that was begun elsewhere.
  if (start.resume && sessions_elsewhere_.contains(start.session) &&
      !sessions_here_.contains(start.session))
    known.anew = true;
  auto started = agents_.start(known, place);
  if (!started) walls_.drop(start.agent);
  if (started && !start.session.empty()) sessions_here_.insert(start.session);
  return started;
}

Result<void> RealWorld::start_elsewhere(const StartAgent& start, const AgentPlace& place) {
  TRY_VOID(elsewhere_.start(start, place.folder, trees_.text_of(start.tree).branch, place.base,
                            TRY(agents_.prompt_elsewhere(start, place))));
  activity(start, {});
  return {};
}

void RealWorld::finished_elsewhere(const StartAgent& start, AgentFinished finished) {
  if (!start.session.empty()) {
    sessions_elsewhere_.insert(start.session);
    agents_.recall(start.session, start.agent, finished.log, "", finished.facts.provider);
  }
  on_finished(start, std::move(finished));
}

Result<void> RealWorld::preflight(const StartAgent& agent,
                                  const std::vector<config::Fallback>& fallbacks) {
  const agent::Provider provider = TRY(agent_settings(project_, agent)).provider;
  // Checks are always here.
  const config::Verify& checks = project_.config.verify;
  if (checks.test || checks.lint || checks.build)
    TRY_VOID(can_lay_over(walls_of_checks(project_, project_.root())));
  // Its walls are what its worker's labels say, or it is given to none.
  if (elsewhere_.only_elsewhere(agent)) {
    TRY_VOID(project_.assets.read(agent.prompt.file));
    return {};
  }
  TRY_VOID(agent::find_agent(provider));
  const auto walls = TRY(walls_of_agent(project_, agent, provider, project_.root()));
  TRY_VOID(can_contain(walls));
  TRY_VOID(can_lay_over(walls));
  for (const config::Fallback& fallback : fallbacks) {
    StartAgent other = agent;
    other.provider = fallback.provider;
    other.model = fallback.model;
    const agent::Provider another = TRY(agent_settings(project_, other)).provider;
    TRY_VOID(agent::find_agent(another));
    TRY_VOID(can_contain(TRY(walls_of_agent(project_, other, another, project_.root()))));
  }
  TRY_VOID(project_.assets.read(agent.prompt.file));
  return {};
}

// A step may fail because its tree went meanwhile: the run stops for that, not for the step.
void RealWorld::failed(const Command& command, const Error& error) {
  look_for_tree(needed_tree(command));
  happened(CommandFailed{command, error.reason, sentences(error)});
}

template <class T>
void RealWorld::answer(const Command& command, Result<T> result) {
  if (result)
    happened(*std::move(result));
  else
    failed(command, result.error());
}

// A check that finds no room says nothing about the work, and what it writes may be the rest.
void RealWorld::carry_out(const Command& command) {
  const bool writes = std::holds_alternative<Check>(command) ||
                      std::holds_alternative<Merge>(command) ||
                      std::holds_alternative<OpenTree>(command);
  if (writes && !space_.has_room() && !stopping_)
    for_room_.push_back(command);
  else
    do_now(command);
}

// There is room again; or the run is to stop, and nobody will wait for that.
void RealWorld::do_what_waits_for_room() {
  for (const Command& command : std::exchange(for_room_, {})) do_now(command);
}

void RealWorld::do_now(const Command& command) {
  look_for_tree(needed_tree(command));
  if (!vanished_.empty())
    return failed(command, workspace::tree_vanished(trees_.text_of(vanished_)));
  const auto done = [this](Observation observation) {
    if (const auto* merged = std::get_if<Merged>(&observation)) {
      left_out_.insert(left_out_.end(), merged->left_out.begin(), merged->left_out.end());
      tell_of(ground_.look_after(*merged, agents_.numbers()));
    }
    // Checks that pass in a fresh checkout show that it can be set up, also when they were known.
    if (const auto* checked = std::get_if<Checked>(&observation))
      set_up_once_ |= checked->baseline == event::Baseline::green;
    happened(std::move(observation));
  };
  if (const auto* order = std::get_if<SupplyOrder>(&command)) {
    carry_out(*order);
  } else if (const auto* agent = std::get_if<StartAgent>(&command)) {
    if (const auto started = start(*agent); !started) failed(command, started.error());
  } else if (const auto* end = std::get_if<EndAgent>(&command)) {
    if (const auto waits = waiting_.find(end->agent); waits != waiting_.end()) waits->second = true;
    if (!elsewhere_.end(end->agent, event::Fault::idle)) agents_.end(end->agent);
  } else if (const auto* plan = std::get_if<PlanTree>(&command)) {
    answer(command, trees_.plan(*plan));
  } else if (const auto* open = std::get_if<OpenTree>(&command)) {
    answer(command, trees_.open(*open));
  } else if (const auto* keep = std::get_if<Keep>(&command)) {
    answer(command, trees_.keep(*keep));
  } else if (const auto* back = std::get_if<TakeBack>(&command)) {
    answer(command, trees_.take_back(*back));
  } else if (const auto* check = std::get_if<Check>(&command)) {
    const gate::Watch::Scope scope(&watch_, about(*check));
    const auto filled = with_base(*check);
    if (filled)
      gates_.check(*filled, done);
    else
      failed(command, filled.error());
  } else if (const auto* merge = std::get_if<Merge>(&command)) {
    // Somebody else's main is for a person to look at first.
    const gate::Watch::Scope scope(&watch_, {merge->task, CheckFor::merge});
    if (tell_of(ground_.look_before(agents_.numbers())))
      happened(MainMoved{merge->tree});
    else
      merges_.merge(*merge, done);
  } else if (const auto* archive = std::get_if<Archive>(&command)) {
    answer(command, trees_.archive(*archive));
  } else if (const auto* remove = std::get_if<RemoveTree>(&command)) {
    const std::string tree = trees_.is_checkout(remove->tree)
                                 ? std::string(kCheckoutHomes)
                                 : git::name_of(trees_.path_of(remove->tree));
    auto removed = trees_.remove(*remove);
    if (removed) remove_homes(project_.root(), tree);
    answer(command, std::move(removed));
  } else if (const auto* task = std::get_if<CloseTask>(&command)) {
    if (const auto closed = close(*task))
      happened(TaskClosed{task->task});
    else
      failed(command, closed.error());
  } else if (const auto* question = std::get_if<Ask>(&command)) {
    if (const auto noted = trees_.add_notes(question->tree, question->notes); !noted)
      return failed(command, noted.error());
    people_.ask(*question);
  } else if (const auto* timer = std::get_if<SetTimer>(&command)) {
    loop_.after(project_.config.limits.file_wait, [this, timer = *timer] {
      happened(TimerFired{timer.task, timer.wait});
    });
  }
}

void RealWorld::carry_out(const SupplyOrder& order) {
  if (const auto* wake = std::get_if<WakeAt>(&order.what)) {
    at_wall_time(loop_, wake->epoch_ms, [this, id = wake->id] {
      if (settings_.spent_elsewhere) happened(spent());
      happened(SupplyNews{Woken{id}});
    });
  } else if (const auto* park = std::get_if<Park>(&order.what)) {
    parkings_.park(*park);
  } else if (const auto* unpark = std::get_if<Unpark>(&order.what)) {
    parkings_.unpark(unpark->provider);
  } else if (const auto* steer = std::get_if<Steer>(&order.what)) {
    agents_.steer(steer->agent, steer->message, steer->text);
  }
}

SupplyNews RealWorld::spent() const {
  const std::int64_t now = epoch_ms() / 1000;
  const std::string day = local_day(now);
  return {workflow::SpentElsewhere{settings_.spent_elsewhere(day), day, local_day_end(now)}};
}

std::vector<Observation> RealWorld::standing() {
  std::vector<Observation> news = parkings_.standing(settings_.heard);
  if (auto missing = walls_missing(project_)) news.emplace_back(*std::move(missing));
  if (settings_.spent_elsewhere) news.emplace_back(spent());
  for (workflow::CutOff& one : std::exchange(cut_off_, {}))
    news.emplace_back(SupplyNews{std::move(one)});
  // Who starts first is told.
  for (Observation& one : requests_.standing()) news.push_back(std::move(one));
  parkings_.follow([this](SupplyNews one) { happened(std::move(one)); });
  // Also when there is enough: an earlier process may have left it otherwise.
  news.emplace_back(SupplyNews{space_.standing()});
  space_.follow([this](DiskStands stands) {
    happened(SupplyNews{std::move(stands)});
    if (space_.has_room()) do_what_waits_for_room();
  });
  return news;
}

Result<Check> RealWorld::with_base(Check check) {
  const bool of_the_tree = check.base.empty() && check.commit.empty() && !check.clean;
  if (!of_the_tree || check.tree.empty() || trees_.is_checkout(check.tree)) return check;
  const auto work = TRY(trees_.work_of(check.tree));
  check.base = work.base;
  check.commit = work.commit;
  return check;
}

bool RealWorld::tell_of(std::vector<GroundMoved> all) {
  bool stops = false;
  for (GroundMoved& moved : all) {
    stops = stops || !moved.main.empty();
    happened(std::move(moved));
  }
  return stops;
}

// Nobody works in a tree whose git dir is another's.
Result<void> RealWorld::pin(const StartAgent& start, std::vector<int> agents) {
  GroundMoved moved;
  for (const std::string& wrong : TRY(trees_.pin(start.tree)))
    moved.what.push_back("the worktree of " + printable(start.tree) + ": " + wrong + "; put back");
  if (moved.what.empty()) return {};
  moved.agents = std::move(agents);
  happened(std::move(moved));
  return {};
}

Result<void> RealWorld::start(const StartAgent& start) {
  if (trees_.is_checkout(start.tree)) ground_.in_place();
  tell_of(ground_.look_before(agents_.numbers()));
  TRY_VOID(pin(start, agents_.numbers()));
  AgentPlace place;
  place.folder = TRY(trees_.prepare(start));
  place.log_folder = settings_.log_folder;
  place.base = trees_.base_of(start.tree);
  if (start.settle == Settle::keep) place.conflicts = trees_.unresolved(start.tree);
  if (!trees_.is_checkout(start.tree) &&
      elsewhere_.takes(start, agents_.running() + waiting_.size())) {
    const auto started = start_elsewhere(start, place);
    if (started || elsewhere_.never_here(start)) return started;
    settings_.people.tell("agent " + std::to_string(start.agent) +
                          " works here, and not elsewhere: " + sentences(started.error()));
  }
  if (!setup_.any() || trees_.is_checkout(start.tree)) return start_agent(start, place);
  waiting_[start.agent] = false;
  const gate::Watch::Scope scope(&watch_, {start.task, CheckFor::tree});
  readiness_.ready(
      place.folder, place.log_folder, place.base,
      [this, start, place](const Result<void>& ready) { start_ready(start, place, ready); });
  return {};
}

void RealWorld::start_ready(const StartAgent& start, const AgentPlace& place,
                            const Result<void>& ready) {
  const bool alone = settings_.trees_fail_alone && set_up_once_;
  if (!ready && ready.error().reason != Reason::interrupted && !alone) unready_ = ready.error();
  Result<void> started = ready;
  const bool given_up = waiting_[start.agent];
  waiting_.erase(start.agent);
  if (started && given_up) started = fail(Reason::failed, "it was ended before it began");
  if (started && (requests_.ends() || interrupt_.requested()))
    started = fail(Reason::interrupted, "interrupted while the worktree was set up");
  if (started) started = start_agent(start, place);
  if (!started) failed(start, started.error());
}

Result<void> RealWorld::close(const CloseTask& command) {
  if (settings_.tracker == nullptr)
    return fail(Reason::refused,
                "cannot close " + printable(command.task) + ": there is no tracker");
  return settings_.tracker->close(command.task, command.reason);
}

// What the agent left is settled before anybody hears that it has ended.
void RealWorld::on_finished(const StartAgent& start, AgentFinished finished) {
  look_for_tree(start.tree);
  std::vector<int> ran = agents_.numbers();
  ran.insert(std::lower_bound(ran.begin(), ran.end(), start.agent), start.agent);
  tell_of(ground_.look(ran));
  auto tried = walls_.release(start);
  Result<void> pinned;
  if (tried)
    pinned = pin(start, {start.agent});
  else
    pinned = tl::unexpected(tried.error());
  if (!pinned) {
    finished.fault = event::Fault::lost;
    finished.detail = sentences(pinned.error());
    return happened(std::move(finished));
  }
  const bool asked_to_stop = finished.fault == event::Fault::interrupted;
  if (start.settle != Settle::leave && !(asked_to_stop && start.settle == Settle::keep)) {
    auto settled = trees_.settle(start);
    if (!settled) {
      finished.fault = event::Fault::lost;
      finished.detail = "its worktree could not be saved: " + sentences(settled.error());
    } else {
      finished.snapshot = std::move(settled->snapshot);
      finished.took_back = std::move(settled->took_back);
    }
  }
  finished.took_back.insert(finished.took_back.end(), tried->begin(), tried->end());
  if (settings_.spent_elsewhere) happened(spent());
  const auto* words = std::get_if<LineWords>(&finished.words);
  if (finished.fault == event::Fault::none && words != nullptr &&
      words->signal == signal::Signal::ready_for_review) {
    const std::vector<std::string> left = trees_.unresolved(start.tree);
    if (!left.empty()) {
      finished.fault = event::Fault::refuted;
      finished.detail = "there are still conflict markers in " + printable(left.front());
    }
  }
  happened(std::move(finished));
}

void RealWorld::on_failed(const StartAgent& start, const Error& error) {
  walls_.drop(start.agent);
  failed(start, error);
}

void RealWorld::look_for_stop() {
  const std::optional<Stop> asked = requests_.new_stop(interrupt_.requested());
  if (!asked) return;
  // A request that came without a knock: the agents are to be ended all the same.
  if (*asked == Stop::aborted && !interrupt_.requested()) agents_.end_all();
  stopping_ = true;
  do_what_waits_for_room();
  // Until the agents are gone and what they left is kept.
  if (*asked != Stop::paused) {
    elsewhere_.end_all();
    loop_.run();
  }
  happened(StopAsked{*asked});
}

void RealWorld::look_for_requests() {
  look_for_stop();
  for (Observation& one : requests_.news()) happened(std::move(one));
}

Result<std::vector<Observation>> RealWorld::wait() {
  // What was handed over when this was last called is recorded by now.
  forget_recorded();
  people_.collect();
  look_for_requests();
  if (inbox_.empty()) walls_.tidy();
  loop_.run_while([this] {
    if (inbox_.empty() && interrupt_.requested()) look_for_stop();
    return inbox_.empty();
  });
  requests_.handed_over();
  // Whatever follows from that, it is decided by what the disk is like now.
  space_.look();
  return std::exchange(inbox_, {});
}

// The journal first: it is saved even when everything is gone.
Result<void> RealWorld::intact() {
  TRY_VOID(settings_.intact());
  if (unready_) return tl::unexpected(*unready_);
  for (const std::string& tree : agents_.trees()) look_for_tree(tree);
  for (const std::string& tree : elsewhere_.trees()) look_for_tree(tree);
  if (vanished_.empty()) return {};
  return tl::unexpected(workspace::tree_vanished(trees_.text_of(vanished_)));
}

void RealWorld::look_for_tree(const std::string& tree) {
  if (vanished_.empty() && trees_.vanished(tree)) vanished_ = tree;
}

bool RealWorld::attended() {
  people_.collect();
  return !inbox_.empty() || people_.attended();
}

}  // namespace capsule::world
