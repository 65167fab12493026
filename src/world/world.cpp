#include "world/world.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <utility>

#include "base/text.h"
#include "contain/abilities.h"
#include "contain/plan.h"
#include "contain/wish_wire.h"
#include "git/branch.h"
#include "git/paths.h"
#include "world/experts.h"
#include "world/private_home.h"
#include "world/providers.h"
#include "world/requests.h"
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

AgentParts parts_of(const Project& project, Interrupt& interrupt, const std::string& run) {
  AgentParts parts;
  parts.run = run;
  parts.settings = [&project](const StartAgent& start) { return agent_settings(project, start); };
  parts.prompt_file = [&project](const std::string& file) { return project.assets.read(file); };
  parts.expertise = [&project](const std::string& expert) {
    return read_expert(project.root(), expert);
  };
  parts.verify = [&project] { return verify_text(project.config); };
  parts.experts_created = [&project](signal::LineResult& created) {
    const auto written = write_experts(project.repository, created);
    return written && *written;
  };
  parts.interrupted = [&interrupt] { return interrupt.requested(); };
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

Contained contained_of(std::string_view who, const contain::Report& report) {
  Contained told;
  told.who = who;
  told.preset = name_of(report.preset);
  told.network = name_of(report.net);
  told.namespaces = report.namespaces;
  told.landlock = report.landlock;
  told.seccomp = report.seccomp;
  told.broker = report.broker;
  for (const contain::Gap gap : report.gaps) told.gaps.emplace_back(sentence_of(gap));
  return told;
}

// Who has chosen nothing has none, on a machine that cannot put them up.
Contained without_walls(const Error& why) {
  Contained told;
  told.who = "all";
  told.preset = "off";
  told.network = "open";
  told.gaps = {why.message + "; " + why.hint};
  return told;
}

int count_of(std::uint64_t count) {
  return static_cast<int>(std::min<std::uint64_t>(count, std::numeric_limits<int>::max()));
}

HostsRefused refused_of(const contain::Refusals& refused) {
  HostsRefused told;
  for (const contain::Refusals::Host& one : refused.hosts)
    told.hosts.push_back({one.host, count_of(one.count), one.leads_to, one.allowed_by});
  told.others = count_of(refused.others);
  return told;
}

// Nothing is made for an agent that will not be started.
Result<void> can_contain(const std::optional<contain::Wish>& wish) {
  if (!wish || wish->missing == contain::Missing::weaker) return {};
  if (const auto why = contain::try_namespaces()) return tl::unexpected(*why);
  contain::Policy policy;
  policy.preset = wish->preset;
  policy.role = wish->role;
  TRY_VOID(contain::plan(policy, contain::look_at_kernel(policy)));
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
  return parts;
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
      merges_(trees_, checks_, seen_, project_files(project, settings_),
              [this] { return settings_.intact(); }),
      requests_(loop),
      parkings_(loop, parkings_folder(::getenv), [] { return epoch_ms() / 1000; }),
      instructions_(project.repository),
      people_(loop, people_of(project, settings_),
              [this](Answered answered) { happened(answered); }),
      readiness_(project.repository, setup_, setup_inputs(project.config), settings_.people.tell),
      agents_(loop, agent_parts(), *this) {
  if (setup_.any()) checks_.ready_by(setup_);
  checks_.contained_by(walls_around(name_of(contain::Role::gate), &walls_of_checks));
  setup_.contained_by(walls_around(gate::kSetup, &walls_of_setup));
  checks_.watched_by(&watch_);
  setup_.watched_by(&watch_);
  watch_.tell = [this](const CheckProgress& one) {
    set_up_once_ |=
        one.ended && one.name == gate::kSetup && one.run.ending == event::CheckEnding::passed;
    progress(one);
  };
  requests_.watch(project.root() + "/.capsule/requests", [this] {
    look_for_stop();
    look_for_messages();
    look_for_take_backs();
  });
}

RealWorld::~RealWorld() = default;

void RealWorld::told_walls(std::string_view who, const contain::Report& report) {
  happened(SupplyNews{contained_of(who, report)});
}

void RealWorld::on_refused(const StartAgent& start, const contain::Refusals& refused) {
  HostsRefused told = refused_of(refused);
  told.agent = start.agent;
  told.task = start.task;
  told.role = start.role;
  happened(SupplyNews{std::move(told)});
}

gate::Walls RealWorld::walls_around(std::string_view who,
                                    std::optional<contain::Wish> (*wish)(const Project&,
                                                                         const std::string&)) {
  gate::Walls walls;
  walls.wish = [this, wish](const std::string& folder) { return wish(project_, folder); };
  walls.repository = project_.repository;
  walls.main_ref = git::main_ref_of(project_.repository, settings_.trees.main_branch);
  walls.on_contained = [this, who](const contain::Report& report) { told_walls(who, report); };
  walls.on_refused = [this](const std::string& command, const contain::Refusals& refused) {
    HostsRefused told = refused_of(refused);
    told.role = command;
    happened(SupplyNews{std::move(told)});
  };
  return walls;
}

AgentParts RealWorld::agent_parts() {
  AgentParts parts = parts_of(project_, interrupt_, settings_.run);
  parts.enclose = [this](const StartAgent& start, const AgentPlace& place,
                         const agent::Provider& provider) {
    return enclose(start, place, provider);
  };
  return parts;
}

Result<std::optional<contain::Wish>> RealWorld::enclose(const StartAgent& start,
                                                        const AgentPlace& place,
                                                        const agent::Provider& provider) {
  auto wish = TRY(walls_of_agent(project_, start, provider, place.folder));
  if (!wish) return wish;
  Occupant occupant;
  occupant.role = start.role;
  occupant.folder = place.folder;
  occupant.base = place.base;
  occupant.main_branch = settings_.trees.main_branch;
  occupant.client = client_behind(provider);
  // What is taken back comes from its words; the worklog is that of the others at work there, too.
  occupant.leaves_worklog = start.settle != Settle::take_back;
  enclosures_.emplace(start.agent,
                      TRY(Enclosure::make(project_.repository, occupant, instructions_, *wish)));
  return wish;
}

Result<void> RealWorld::start_agent(const StartAgent& start, const AgentPlace& place) {
  auto started = agents_.start(start, place);
  if (!started) enclosures_.erase(start.agent);
  return started;
}

Result<std::vector<std::string>> RealWorld::release(const StartAgent& start) {
  auto node = enclosures_.extract(start.agent);
  if (!node) return std::vector<std::string>();
  Released released = TRY(node.mapped().release());
  GroundMoved moved;
  for (const std::string& odd : released.odd)
    moved.what.push_back("the repository of " + printable(start.role) + ": " + printable(odd));
  moved.agents = {start.agent};
  if (!moved.what.empty()) happened(std::move(moved));
  return std::move(released.tried);
}

Result<void> RealWorld::preflight(const StartAgent& agent,
                                  const std::vector<config::Fallback>& fallbacks) {
  const agent::Provider provider = TRY(agent_settings(project_, agent)).provider;
  TRY_VOID(agent::find_agent(provider));
  TRY_VOID(can_contain(TRY(walls_of_agent(project_, agent, provider, project_.root()))));
  for (const config::Fallback& fallback : fallbacks) {
    StartAgent other = agent;
    other.provider = fallback.provider;
    other.model = fallback.model;
    TRY_VOID(agent::find_agent(TRY(agent_settings(project_, other)).provider));
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

void RealWorld::carry_out(const Command& command) {
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
    agents_.end(end->agent);
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
  if (const auto why = no_walls(project_)) news.emplace_back(SupplyNews{without_walls(*why)});
  if (settings_.spent_elsewhere) news.emplace_back(spent());
  // Who starts first is told.
  for (Told& message : pending_messages(project_.root(), settings_.run)) {
    if (!told_.insert(message.message).second) continue;
    recorded_.push_back(message.message);
    news.emplace_back(SupplyNews{std::move(message)});
  }
  parkings_.follow([this](SupplyNews one) { happened(std::move(one)); });
  for (const int question : new_take_backs()) news.emplace_back(TakeBackAsked{question});
  taken_back_ = taking_back_;
  return news;
}

// Each is told once, and its file goes when the runner has recorded what came of it. The file of
// the answer goes at once: the question would be answered by it again.
std::vector<int> RealWorld::new_take_backs() {
  std::vector<int> questions;
  for (const int question : pending_take_backs(project_.root(), settings_.run)) {
    if (!taking_back_.insert(question).second) continue;
    static_cast<void>(take_back_answer(project_.root(), settings_.run, question));
    questions.push_back(question);
  }
  return questions;
}

void RealWorld::look_for_take_backs() {
  for (const int question : new_take_backs()) happened(TakeBackAsked{question});
}

// They are told until the runner has recorded them; whoever hears one twice passes it over.
void RealWorld::look_for_messages() {
  for (Told& message : pending_messages(project_.root(), settings_.run)) {
    if (!told_.insert(message.message).second) continue;
    telling_.push_back(message.message);
    happened(SupplyNews{std::move(message)});
  }
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
  if (started && ((stop_ && *stop_ != Stop::paused) || interrupt_.requested()))
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
  auto tried = release(start);
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
  enclosures_.erase(start.agent);
  failed(start, error);
}

// Each kind of stop is told once; an abort, or Ctrl-C, also after a pause.
void RealWorld::look_for_stop() {
  std::optional<Stop> asked = pending_request(project_.root(), settings_.run);
  if (interrupt_.requested() && asked != Stop::aborted) asked = Stop::interrupted;
  if (!asked || (stop_ && (*stop_ == *asked || *stop_ != Stop::paused))) return;
  // A request that came without a knock: the agents are to be ended all the same.
  if (*asked == Stop::aborted && !interrupt_.requested()) agents_.end_all();
  stop_ = asked;
  // Until the agents are gone and what they left is kept.
  if (*asked != Stop::paused) loop_.run();
  happened(StopAsked{*asked});
}

void RealWorld::forget_recorded() {
  for (const std::string& id : std::exchange(recorded_, {}))
    drop_message(project_.root(), settings_.run, id);
  for (const int question : std::exchange(taken_back_, {})) {
    drop_take_back(project_.root(), settings_.run, question);
    taking_back_.erase(question);
  }
}

Result<std::vector<Observation>> RealWorld::wait() {
  // What was handed over when this was last called is recorded by now.
  forget_recorded();
  people_.collect();
  look_for_stop();
  look_for_messages();
  look_for_take_backs();
  loop_.run_while([this] {
    if (inbox_.empty() && interrupt_.requested()) look_for_stop();
    return inbox_.empty();
  });
  recorded_ = std::exchange(telling_, {});
  taken_back_ = taking_back_;
  return std::exchange(inbox_, {});
}

// The journal first: it is saved even when everything is gone.
Result<void> RealWorld::intact() {
  TRY_VOID(settings_.intact());
  if (unready_) return tl::unexpected(*unready_);
  for (const std::string& tree : agents_.trees()) look_for_tree(tree);
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
