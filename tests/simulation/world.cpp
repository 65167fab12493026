// How the simulated world carries commands out.
#include <algorithm>
#include <cstdlib>

#include "tests/simulation/harness.h"

namespace capsule::simulation {

using namespace workflow;
using event::Fault;
using event::MergeRefusal;

namespace {

constexpr Fault kFaults[] = {Fault::no_signal, Fault::exit_status, Fault::timed_out,
                             Fault::not_started, Fault::lost};
constexpr MergeRefusal kRefusals[] = {MergeRefusal::conflict, MergeRefusal::verify_failed,
                                      MergeRefusal::checkout_in_the_way, MergeRefusal::error,
                                      MergeRefusal::main_red};

std::string commit_of(int version) { return "c" + std::to_string(version); }
int version_of(const std::string& commit) {
  return commit.size() < 2 ? 0 : std::atoi(commit.c_str() + 1);
}

}  // namespace

void Simulation::carry_out(const Command& command) {
  if (const auto* order = std::get_if<SupplyOrder>(&command)) return carry_out(*order);
  const auto* question = std::get_if<Ask>(&command);
  const auto* ended = std::get_if<EndAgent>(&command);
  const bool of_supply =
      question != nullptr ? question->question >= event::supply::kFirstQuestion
                          : ended != nullptr && !intended(command) && supply_.may_end(ended->agent);
  if (question != nullptr && of_supply)
    claim(supply_.has_asked(question->question), "what is about to be done is recorded first");
  if (!of_supply) {
    claim(intended(command), "what is about to be done is recorded first");
    before(command);
    if (ended != nullptr) supply_.ended(ended->agent);
  }
  if (const auto* start = std::get_if<StartAgent>(&command); start != nullptr && has_supply()) {
    supply_.before_start(*start, ms_ / 1000, day(), elsewhere_);
    if (!supply_.broken.empty()) claim(false, supply_.broken.c_str());
  }
  if (!broken_.empty()) throw Broken{};
  if (const auto* end = std::get_if<EndAgent>(&command)) {
    const auto job = std::find_if(jobs_.begin(), jobs_.end(), [&](const Job& one) {
      return one.what == Job::What::agent && one.number == end->agent;
    });
    if (job == jobs_.end()) return;
    // Its worktree may still be set up: then it is not started after that.
    if (!of_supply || !random_.chance(25)) {
      job->ending = true;
      return;
    }
    supply_.not_started(end->agent);
    inbox_.emplace_back(CommandFailed{*job->command, Reason::failed, "simulated: not begun"});
    jobs_.erase(job);
    return;
  }
  // Not done; or done, and the reply was lost.
  const bool fails = command_fails();
  // A question that could not be put can be answered all the same.
  if (!fails || std::holds_alternative<Ask>(command) || random_.chance(40)) {
    if (const auto* agent = std::get_if<StartAgent>(&command)) {
      if (!fails) return start(*agent);
    } else if (auto done = at_once(command)) {
      if (!fails) inbox_.push_back(*std::move(done));
    } else if (fails && jobs_.back().what != Job::What::question) {
      if (jobs_.back().what == Job::What::merge && jobs_.back().into != Merge::Into::nowhere)
        land(jobs_.back());
      jobs_.pop_back();
    }
  }
  if (!fails) return;
  if (const auto* agent = std::get_if<StartAgent>(&command)) supply_.not_started(agent->agent);
  inbox_.emplace_back(CommandFailed{command, Reason::io, "simulated: it failed"});
}

void Simulation::nobody_works_in(const std::string& tree) {
  for (const Job& job : jobs_)
    claim(job.what != Job::What::agent || job.tree != tree,
          "a tree is left alone while an agent works in it");
}

void Simulation::start(const StartAgent& command) {
  ++finding_.agents;
  Job job;
  job.what = Job::What::agent;
  job.number = command.agent;
  job.tree = command.tree;
  job.role = command.role;
  job.task = command.task;
  job.attempt = command.attempt;
  job.settle = command.settle;
  job.dialect = command.dialect;
  job.watched = command.watched;
  job.writes = command.settle == Settle::keep ||
               (command.settle == Settle::leave && command.dialect != Dialect::verdict);
  job.stopping = stop_ && *stop_ != Stop::paused;
  job.has_session = !command.session.empty();
  job.command = command;
  job.provider = providers_[command.agent] = supply_.provider_of(command);
  for (const Job& other : jobs_) {
    if (other.what != Job::What::agent) continue;
    claim(other.number != job.number, "every agent has a number of its own");
    claim(other.tree != job.tree || !(other.writes || job.writes),
          "who writes in a tree is alone in it");
  }
  Tree& place = trees_[job.tree];
  if (!place.exists) {
    place.exists = true;
    place.now = place.kept;
  }
  jobs_.push_back(std::move(job));
}

void Simulation::add(Job job) {
  for (const Job& other : jobs_)
    claim(other.what != job.what || other.number != job.number || other.tree != job.tree ||
              other.task != job.task,
          "nothing is asked for again before it is answered");
  jobs_.push_back(std::move(job));
}

// What is done at once; nullopt: it takes its time.
std::optional<Observation> Simulation::at_once(const Command& command) {
  if (const auto* plan = std::get_if<PlanTree>(&command)) {
    if (trees_[plan->tree].exists) return CommandFailed{command, Reason::exists, "it is there"};
    return TreePlanned{plan->tree, "folder", "branch", "c0"};
  }
  if (const auto* open = std::get_if<OpenTree>(&command)) {
    Tree& place = trees_[open->tree];
    place.exists = true;
    return TreeOpened{open->tree, "folder", "branch", "c0"};
  }
  if (const auto* keep = std::get_if<Keep>(&command)) {
    nobody_works_in(keep->tree);
    Tree& place = trees_[keep->tree];
    place.kept = place.now;
    return Kept{keep->tree, "ref", commit_of(place.kept), "t" + std::to_string(place.kept), "h"};
  }
  if (const auto* back = std::get_if<TakeBack>(&command)) {
    nobody_works_in(back->tree);
    Tree& place = trees_[back->tree];
    const int to = back->to.empty() ? place.kept : version_of(back->to);
    TakenBack taken{back->tree, {}};
    // The user's own checkout is never put back.
    if (back->keep_only || back->tree == "checkout") return taken;
    if (place.now != to) taken.paths.emplace_back("a.c");
    place.exists = true;
    place.now = place.kept = to;
    return taken;
  }
  if (const auto* archive = std::get_if<Archive>(&command)) {
    trees_[archive->tree].archived = true;
    return TreeArchived{archive->tree, "logs"};
  }
  if (const auto* remove = std::get_if<RemoveTree>(&command)) {
    nobody_works_in(remove->tree);
    trees_[remove->tree].exists = false;
    return TreeRemoved{remove->tree};
  }
  if (const auto* close = std::get_if<CloseTask>(&command)) {
    closed_.insert(close->task);
    return TaskClosed{close->task};
  }
  Job job;
  job.stopping = stop_ && *stop_ != Stop::paused;
  if (const auto* check = std::get_if<Check>(&command)) {
    job.what = Job::What::check;
    job.number = check->number;
    job.tree = check->tree;
    job.role = check->phase;
    job.clean = check->clean;
    job.options = check->names;
    job.command = command;
    if (!check->tree.empty()) nobody_works_in(check->tree);
  } else if (const auto* merge = std::get_if<Merge>(&command)) {
    job.what = Job::What::merge;
    job.tree = merge->tree;
    job.task = merge->task;
    job.into = merge->into;
    if (merge->edited) trees_[merge->tree].kept = trees_[merge->tree].now;
    claim(!doubted_ || job.into == Merge::Into::branch,
          "nobody merges on a main that an agent moved");
    job.command = command;
    nobody_works_in(merge->tree);
  } else if (const auto* ask = std::get_if<Ask>(&command)) {
    job.what = Job::What::question;
    job.number = ask->question;
    job.task = ask->task;
    job.options = ask->options;
    job.text = ask->text;
  } else if (const auto* timer = std::get_if<SetTimer>(&command)) {
    job.what = Job::What::timer;
    job.number = timer->wait;
    job.task = timer->task;
  }
  add(std::move(job));
  return std::nullopt;
}

void Simulation::finish(Job job) {
  switch (job.what) {
    case Job::What::agent:
      return finish_agent(std::move(job));
    case Job::What::merge:
      return finish_merge(job);
    case Job::What::check: {
      if (job.stopping && random_.chance(70)) {
        inbox_.emplace_back(CommandFailed{*job.command, Reason::interrupted, "interrupted"});
        return;
      }
      Checked checked;
      checked.number = job.number;
      Random random = roll(job);
      examine(job, checked, random);
      inbox_.emplace_back(std::move(checked));
      return;
    }
    case Job::What::question: {
      ++finding_.answers;
      Random random = roll(job);
      const bool looked = job.options == std::vector<std::string>{"keep"};
      if (looked) doubted_ = false;
      const bool of_supply = job.number >= event::supply::kFirstQuestion;
      if (!of_supply) answered_ = job.number;
      inbox_.emplace_back(Answered{job.number,
                                   looked      ? "keep"
                                   : of_supply ? answer_supply(job)
                                               : answer(job, random),
                                   "somebody"});
      return;
    }
    case Job::What::timer:
      inbox_.emplace_back(TimerFired{job.task, job.number});
      return;
  }
}

void Simulation::finish_agent(Job job) {
  // The real world tells it then, too.
  if (weather_.budgets) inbox_.push_back(spent());
  AgentFinished finished;
  finished.agent = job.number;
  finished.preview = "p";
  if (has_supply()) finished.facts.use = some_use();
  Random random = roll(job);
  if (job.stopping && random_.chance(90)) {
    finished.fault = Fault::interrupted;
  } else if (!job.ending && meets_a_fault(job, finished)) {
    inbox_.emplace_back(std::move(finished));
    return;
  } else if (job.ending) {
    finished.fault = Fault::idle;
    // In a scripted run it has changed what it would have changed, had it not been ended.
    if (scripted()) (void)random.below(100);
  } else if (random.below(100) < weather_.agent_faults) {
    finished.fault = random.one_of(kFaults);
    if (finished.fault == Fault::exit_status) finished.exit_code = 1;
  }
  if (finished.fault != Fault::none) finished.detail = name_of(finished.fault);
  // One that may only look may write all the same.
  if (random.chance(job.writes ? weather_.diligence : 8)) trees_[job.tree].now = new_version();
  settle(job, finished);
  speak(job, finished, random);
  if (weather_.ground_moves > 0 && random_.below(100) < weather_.ground_moves) {
    GroundMoved moved{{"simulated"}, {job.number}, "", "", ""};
    if (random_.chance(50)) moved = {{"simulated"}, {job.number}, "refs/heads/main", "a", "b"};
    doubted_ |= !moved.main.empty();
    inbox_.emplace_back(std::move(moved));
  }
  inbox_.emplace_back(std::move(finished));
}

void Simulation::settle(const Job& job, AgentFinished& finished) {
  Tree& place = trees_[job.tree];
  if (job.settle == Settle::keep && finished.fault != Fault::interrupted) {
    place.kept = place.now;
    finished.snapshot = "s";
  } else if (job.settle == Settle::take_back && place.now != place.kept) {
    place.now = place.kept;
    finished.took_back.emplace_back("a.c");
  }
}

void Simulation::finish_merge(const Job& job) {
  if (job.stopping && random_.chance(50)) {
    inbox_.emplace_back(CommandFailed{*job.command, Reason::interrupted, "interrupted"});
    return;
  }
  const Tree& place = trees_[job.tree];
  const bool done = place.kept != 0 && place.merged == place.kept;
  if (!done && random_.below(100) < weather_.main_moves) {
    main_.push_back({});
    ++others_;
    if (bug_ != WorldBug::main_overwritten) {
      inbox_.emplace_back(MainMoved{job.tree});
      return;
    }
    main_.pop_back();
  }
  if (!done && random_.below(100) < weather_.refusals) {
    MergeRefused refused{job.tree, random_.one_of(kRefusals), "simulated", {}};
    if (refused.why == MergeRefusal::verify_failed || refused.why == MergeRefusal::main_red)
      refused.failed = {"test"};
    if (refused.why == MergeRefusal::verify_failed && random_.chance(50))
      refused.guarded = {"Makefile"};
    inbox_.emplace_back(std::move(refused));
    return;
  }
  if (bug_ == WorldBug::adopted_merge_never_happened && random_.chance(50)) {
    Merged merged;
    merged.tree = job.tree;
    merged.commit = "m";
    merged.adopted = true;
    inbox_.emplace_back(std::move(merged));
    return;
  }
  if (job.into == Merge::Into::nowhere && !done && place.kept != 0) {
    inbox_.emplace_back(MergeTried{job.tree, "folder", "main", {"a.c"}, {}});
    return;
  }
  inbox_.emplace_back(land(job));
}

Merged Simulation::land(const Job& job) {
  Merged merged;
  merged.tree = job.tree;
  Tree& place = trees_[job.tree];
  merged.commit = "m" + std::to_string(place.kept);
  const bool to_branch = job.into == Merge::Into::branch;
  if (place.kept == 0 || to_branch) {
    merged.nothing = !to_branch;
    return merged;
  }
  if (place.merged == place.kept && bug_ != WorldBug::merged_again) {
    merged.adopted = true;
    return merged;
  }
  on_merged(job, place.kept);
  place.merged = place.kept;
  main_.push_back({job.tree, place.kept});
  return merged;
}

}  // namespace capsule::simulation
