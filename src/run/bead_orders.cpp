#include "run/bead_orders.h"

#include <algorithm>
#include <set>

#include "base/listed.h"
#include "base/text.h"
#include "git/paths.h"
#include "git/refs.h"
#include "run/bead_run.h"
#include "ui/report.h"
#include "ui/run_text.h"
#include "workflow/delivery/workflow.h"
#include "world/discard.h"
#include "world/runs.h"
#include "world/workflows.h"

namespace capsule::run {
namespace {

// What to say when the bead has a worktree already: in which state it is, and how to go on.
Error already_exists(BeadRun& run, const std::optional<BeadRun::Newest>& newest) {
  const std::string what = "worktree " + printable(run.worktree()) + " already exists: ";
  const std::string bead = run.bead().id + run.project().option;
  if (const auto holder = run.conductor().store().holder(run.bead().id); holder && *holder)
    return {Reason::exists, what + words_of(**holder) + " is working on it",
            "wait for it, or: capsule abort " + bead};
  std::string state = "it was not made by a run of Capsule";
  if (newest) {
    const workflow::RunSummary summary = phases::summary(newest->state);
    state = "its run ended: " +
            ui::outcome_words(summary.workflow, summary.outcome, summary.standing).text;
  }
  if (newest && newest->state.outcome == event::Outcome::prepared)
    state = "it was prepared, and no run has used it";
  if (newest && !newest->ended()) state = "its run has not ended";
  const std::string again = "capsule run " + bead + run.project().provider_option;
  return {Reason::exists, what + state,
          "go on with it: " + again + " --resume; start over: " + again +
              (newest ? ui::start_options(newest->state.definition.name, newest->state.on_branch)
                      : "") +
              " --clean"};
}

// Error blocked, naming them: the bead has `blocks` dependencies that are not closed.
Result<void> refuse_blocked(BeadRun& run) {
  const std::vector<engine::BeadDependency> blockers =
      TRY(engine::open_blockers(run.tracker(), run.bead()));
  if (blockers.empty()) return {};
  const auto name_of = [](const engine::BeadDependency& blocker) {
    return blocker.id + (blocker.title.empty() ? "" : " (" + printable(blocker.title) + ")");
  };
  return fail(Reason::blocked, run.bead().id + " is blocked by " + listed(blockers, name_of),
              "finish these first");
}

// Error refused: a delivery has merged it, and has not closed it yet. Delivering again closes it;
// opened again after that, it is new work.
Result<void> refuse_delivered(BeadRun& run) {
  engine::Records& store = run.conductor().store();
  std::set<std::string> seen;
  const std::vector<engine::RunHead> heads = TRY(store.runs());
  for (auto head = heads.rbegin(); head != heads.rend(); ++head) {
    if (!head->subject.starts_with(engine::kDeliveredBead) || !seen.insert(head->subject).second)
      continue;
    const auto delivered = world::replayed<delivery::Rules>(store, head->run);
    if (!delivered) continue;  // damaged: said by whoever delivers, and no reason against this bead
    const std::vector<std::string> open = delivery::unclosed(delivered->state());
    if (std::find(open.begin(), open.end(), run.bead().id) == open.end()) continue;
    const std::string feature = head->subject.substr(engine::kDeliveredBead.size());
    return fail(Reason::refused,
                run.bead().id + " was merged by the delivery of " + printable(feature) +
                    ", which has not closed it",
                "close it: capsule deliver " + shell_word(feature) + run.project().option);
  }
  return {};
}

// What the caller wants of a run that goes on, where that is another end than it began with.
Result<std::vector<event::PipelineFact>> chosen(const phases::State& state,
                                                event::Integrate integrate) {
  if (integrate == event::Integrate::unsaid || integrate == state.integrate)
    return std::vector<event::PipelineFact>{};
  if (state.definition.finish == event::Finish::nothing)
    return fail(Reason::usage, state.definition.name + " keeps nothing: it takes no --integrate");
  if (!state.merge_commit.empty())
    return fail(Reason::refused, "its work is integrated already: --integrate comes too late",
                "leave it out");
  return std::vector<event::PipelineFact>{event::IntegrationChosen{integrate}};
}

// Goes on with an ended run at its first unfinished phase.
Result<void> resume(BeadRun& run, const BeadRun::Newest& newest, bool bring_back,
                    event::Integrate integrate) {
  std::vector<event::PipelineFact> facts = TRY(chosen(newest.state, integrate));
  phases::Present present;
  present.bring_back = bring_back;
  TRY_VOID(run.take(newest.run, newest.state.definition, std::move(present)));
  TRY_VOID(run.preflight());
  facts.insert(facts.begin(), event::RunResumed{run.project().config.max_retries, false});
  return run.give(std::move(facts));
}

// A run keeps what it was started with.
Result<void> refuse_other(BeadRun& run, const BeadRun::Newest& newest, const BeadOrder& order) {
  const auto refuse = [&](const std::string& what, const std::string& has, const std::string& asked,
                          const std::string& options) {
    const std::string again = "capsule run " + run.bead().id + run.project().option;
    return fail(Reason::usage,
                "the run of " + run.bead().id + " that goes on " + what + " " + printable(has) +
                    ", not " + printable(asked),
                "go on with it: " + again + (newest.ended() ? " --resume" : "") +
                    "; start over: " + again + options + " --clean");
  };
  const std::string& workflow = newest.state.definition.name;
  if (!order.workflow.empty() && order.workflow != workflow)
    return refuse("uses the workflow", workflow, order.workflow, " --workflow=" + order.workflow);
  const std::string& branch = newest.state.on_branch;
  if (!order.branch.empty() && order.branch != branch)
    return refuse("looks at", branch.empty() ? "no branch" : branch, order.branch,
                  " --workflow=" + workflow + " --branch=" + order.branch);
  return {};
}

// The workflow that a new run is to follow, looked up before anything is recorded or removed.
Result<event::Definition> wanted(BeadRun& run, const BeadOrder& order) {
  event::Definition definition = TRY(world::find_workflow(
      run.project(), order.workflow.empty() ? phases::kPipeline : order.workflow));
  if (definition.on_branch && order.branch.empty())
    return fail(Reason::usage, definition.name + " needs a branch to look at",
                "name it with --branch=NAME");
  if (!definition.on_branch && !order.branch.empty())
    return fail(Reason::usage, definition.name + " starts from HEAD: it takes no --branch");
  if (definition.finish == event::Finish::nothing && order.integrate != event::Integrate::unsaid)
    return fail(Reason::usage, definition.name + " keeps nothing: it takes no --integrate");
  if (definition.on_branch) {
    const std::string ref = "refs/heads/" + order.branch;
    if (TRY(git::resolve_refs(run.project().repository, {ref})).empty())
      return fail(Reason::not_found, "there is no branch called " + printable(order.branch),
                  "see which there are: git branch");
  }
  return definition;
}

Result<void> start(BeadRun& run, const event::Definition& definition, const BeadOrder& order) {
  TRY_VOID(run.take(world::new_run_id(), definition));
  TRY_VOID(run.preflight(definition.on_branch ? BeadRun::Begins::with_what_there_is
                                              : BeadRun::Begins::at_head));
  return run.give({run.started(definition, order.branch, order.integrate)});
}

// Starting over means the same once more, unless the caller says otherwise.
BeadOrder as_before(BeadOrder order, const BeadRun::Newest& newest) {
  if (order.workflow.empty()) order.workflow = newest.state.definition.name;
  if (order.workflow != newest.state.definition.name) return order;
  if (order.branch.empty()) order.branch = newest.state.on_branch;
  return order;
}

// Which run is to be carried on: a cut-off one by itself, and one that is on main but could not be
// cleared up; an ended one only when asked; else a new one.
Result<void> choose_run(BeadRun& run, const BeadOrder& order) {
  const auto newest = TRY(run.newest());
  const bool cut_off = newest && !newest->ended();
  const std::string bead = run.bead().id;
  if (order.clean) {
    const BeadOrder anew = newest ? as_before(order, *newest) : order;
    const event::Definition definition = TRY(wanted(run, anew));
    if (run.has_worktree() || cut_off || (newest && !newest->merged()))
      TRY_VOID(world::discard_worktree(run.project(), run.conductor().store(), bead));
    return start(run, definition, anew);
  }
  if (cut_off) {
    TRY_VOID(refuse_other(run, *newest, order));
    const auto facts = TRY(chosen(newest->state, order.integrate));
    if (!newest->home.empty()) TRY_VOID(run.bring_here(*newest));
    phases::Present present;
    present.taken_up = !facts.empty();
    // Before its first snapshot it begins on a fresh worktree.
    present.bring_back = !newest->home.empty() && newest->state.snapshot.commit.empty();
    TRY_VOID(run.take(newest->run, newest->state.definition, std::move(present)));
    TRY_VOID(run.preflight());
    TRY_VOID(run.arrive());
    return facts.empty() ? run.conductor().runner().take_up() : run.give(facts);
  }
  const bool resumable = newest && phases::summary(newest->state).can_go_on;
  if (resumable && (order.resume || !newest->state.merge_commit.empty()))
    TRY_VOID(refuse_other(run, *newest, order));
  if (resumable && !newest->state.merge_commit.empty())
    return resume(run, *newest, false, order.integrate);
  if (run.has_worktree()) {
    // The commit is there, and only its merge is missing: no agent is paid for that.
    if (resumable && phases::merges_again(newest->state)) {
      TRY_VOID(refuse_other(run, *newest, order));
      return resume(run, *newest, false, order.integrate);
    }
    if (!order.resume) return tl::unexpected(already_exists(run, newest));
    // An agent may have put something else in its place.
    if (resumable)
      return resume(run, *newest,
                    !newest->state.worktree.empty() && !git::is_plain_folder(run.worktree()),
                    order.integrate);
    if (!order.workflow.empty() && order.workflow != phases::kPipeline)
      return fail(Reason::usage,
                  "a worktree that was made by hand is taken up by the pipeline only",
                  "start over: capsule run " + bead + run.project().option +
                      " --workflow=" + order.workflow + " --clean");
    TRY_VOID(run.take(world::new_run_id(), TRY(wanted(run, order))));
    TRY_VOID(run.preflight());
    return run.adopt_worktree();
  }
  if (!order.resume) return start(run, TRY(wanted(run, order)), order);
  // The folder is gone, but the work is not.
  if (resumable && !newest->state.snapshot.commit.empty())
    return resume(run, *newest, true, order.integrate);
  return fail(Reason::not_found, "there is nothing to resume for " + bead,
              "start it: capsule run " + bead + run.project().option);
}

}  // namespace

Result<int> run_bead(world::Project project, const std::string& bead, const BeadOrder& order,
                     ui::Look look) {
  const auto run = TRY(BeadRun::open(std::move(project), bead, look));
  const auto newest = TRY(run->newest());
  const bool cut_off = newest && !newest->ended();
  if (engine::is_closed(run->bead().status) && !cut_off) {
    if (!newest || newest->state.outcome != event::Outcome::merged)
      return fail(Reason::refused, bead + " is closed",
                  "open it again to run it: capsule bead reopen " + bead + run->project().option);
    TRY_VOID(run->show_merged(*newest));
    return 0;
  }
  if (newest && newest->state.outcome == event::Outcome::on_branch && !order.clean &&
      git::read_ref(run->project().repository, "refs/heads/" + newest->state.branch) ==
          newest->state.merge_commit) {
    TRY_VOID(run->show_on_branch(*newest));
    return 0;
  }
  TRY_VOID(refuse_delivered(*run));
  TRY_VOID(refuse_blocked(*run));
  TRY_VOID(choose_run(*run, order));
  return run->carry_on();
}

Result<phases::State> prepare_bead(world::Project project, const std::string& bead, ui::Look look) {
  const auto run = TRY(BeadRun::open(std::move(project), bead, look));
  if (engine::is_closed(run->bead().status)) return fail(Reason::refused, bead + " is closed");
  TRY_VOID(refuse_delivered(*run));
  TRY_VOID(refuse_blocked(*run));
  if (run->has_worktree()) return tl::unexpected(already_exists(*run, TRY(run->newest())));
  phases::Present present;
  present.only_prepare = true;
  const event::Definition definition = TRY(wanted(*run, {}));
  TRY_VOID(run->take(world::new_run_id(), definition, std::move(present)));
  TRY_VOID(run->give({run->started(definition)}));
  TRY_VOID(run->carry_on());
  const phases::State& state = run->state();
  if (state.outcome != event::Outcome::prepared) {
    const std::size_t line = std::min(state.detail.find('\n'), state.detail.size());
    if (line == 0) return fail(Reason::failed, "the worktree was not made");
    const bool hint = line < state.detail.size();
    return fail(Reason::failed, state.detail.substr(0, line),
                hint ? state.detail.substr(line + 1) : "");
  }
  return state;
}

Result<int> merge_bead(world::Project project, const std::string& bead, ui::Look look) {
  const auto run = TRY(BeadRun::open(std::move(project), bead, look));
  const auto newest = TRY(run->newest());
  if (newest && newest->merged() && !run->has_worktree()) {
    TRY_VOID(run->show_merged(*newest));
    return 0;
  }
  TRY_VOID(refuse_delivered(*run));
  const bool known = newest && !newest->merged();
  if (!run->has_worktree() && !(known && !newest->state.merge_commit.empty()))
    return fail(Reason::not_found, "there is no worktree at " + printable(run->worktree()),
                "make one and run the phases: capsule run " + bead + run->project().option);
  TRY_VOID(run->take(known ? newest->run : world::new_run_id(),
                     known ? newest->state.definition : TRY(wanted(*run, {}))));
  TRY_VOID(run->preflight());
  // At once: an adopted worktree alone is one that its first phase begins in.
  const event::RunResumed at_merge{run->project().config.max_retries, true};
  TRY_VOID(known ? run->give({at_merge}) : run->adopt_worktree({at_merge}));
  return run->carry_on();
}

}  // namespace capsule::run
