#include "workflow/pipeline/pipeline.h"

#include <utility>

namespace capsule::pipeline {
namespace {

using namespace event;

// The two pairs and the two single phases, as a table: who writes, who comes next.
struct Row {
  Phase phase;
  int stage;
  bool review;
  Phase writer;  // who mends what this phase finds
  Phase next;    // after PASS; merge's is itself
};
constexpr Row kRows[] = {
    {Phase::test_writer, 2, false, Phase::test_writer, Phase::test_review},
    {Phase::test_review, 2, true, Phase::test_writer, Phase::execute},
    {Phase::execute, 3, false, Phase::execute, Phase::execute_review},
    {Phase::execute_review, 3, true, Phase::execute, Phase::sign_off},
    {Phase::sign_off, 4, true, Phase::execute, Phase::merge},
    {Phase::merge, 5, false, Phase::merge, Phase::merge},
};

const Row& row_of(Phase phase) { return kRows[static_cast<int>(phase)]; }

void end(State& s, Outcome outcome, std::string detail, Step after) {
  s.step = Step::end;
  s.after = after;
  s.outcome = outcome;
  s.detail = std::move(detail);
}

void go_to(State& s, Phase phase, int attempt, std::string feedback) {
  s.step = Step::run_phase;
  s.phase = phase;
  s.attempt = attempt;
  s.feedback = std::move(feedback);
}

// PASS: the next phase, in a new loop unless it belongs to this one.
void advance(State& s) {
  const Row& row = row_of(s.phase);
  if (s.phase == Phase::merge) {
    s.step = Step::integrate;
  } else if (s.mending) {
    s.mending = false;
    go_to(s, Phase::sign_off, s.attempt, "");
  } else {
    const bool same_loop = !row.review && row_of(row.next).stage == row.stage;
    go_to(s, row.next, same_loop ? s.attempt : 1, "");
  }
}

// The same words about the same tree, twice in a row: another attempt would be spent for nothing.
bool converged(State& s, const std::string& feedback) {
  s.repeated = s.reviewed_by == s.phase && s.reviewed_feedback == feedback &&
               s.reviewed_tree == s.snapshot.tree && !s.snapshot.tree.empty();
  s.reviewed_by = s.phase;
  s.reviewed_feedback = feedback;
  s.reviewed_tree = s.snapshot.tree;
  return s.repeated && s.convergence == "stop";
}

// NEEDS_WORK of a review, or of a check: the writer goes again while attempts are left.
void retry(State& s, const std::string& feedback) {
  const bool by_sign_off = s.phase == Phase::sign_off || s.mending;
  const bool stuck = row_of(s.phase).review && converged(s, feedback);
  const std::string who(name_of(s.phase));
  const Phase writer = row_of(s.phase).writer;
  if (stuck || s.attempt >= s.max_retries) {
    go_to(s, writer, 1, feedback);  // where a resumed run goes on, with attempts of its own
    s.mending = by_sign_off;
    end(s, stuck ? Outcome::converged : Outcome::retries_exhausted,
        stuck ? who + " said the same twice about the same files"
              : who + " still needs work after " + std::to_string(s.max_retries) +
                    (s.max_retries == 1 ? " attempt" : " attempts"),
        Step::run_phase);
    return;
  }
  // A mending execute counts as the beginning of the sign-off attempt that follows it.
  go_to(s, writer, s.attempt + 1, feedback);
  s.mending = by_sign_off;
}

void judge(State& s, Status status, const std::string& feedback, bool checked_false) {
  s.repeated = false;
  if (s.phase == Phase::sign_off) {
    s.asked_sign_off = true;
    s.signed_off = status == Status::pass;
    s.signed_commit = s.signed_off ? s.snapshot.commit : "";
  }
  const std::string who(name_of(s.phase));
  switch (status) {
    case Status::pass:
      return advance(s);
    case Status::error:
      return end(s, Outcome::phase_error, who + ": " + feedback, Step::run_phase);
    case Status::needs_work:
      break;
  }
  if (s.phase == Phase::merge)
    return end(s, Outcome::merge_needs_work, who + ": " + feedback, Step::run_phase);
  if (!row_of(s.phase).review && !checked_false)
    return end(s, Outcome::writer_needs_work, who + ": " + feedback, Step::run_phase);
  retry(s, feedback);
}

// A phase that a person ran by hand, outside a run: it counts for where a resumed run goes on.
void count_by_hand(State& s) {
  const Step step = s.step;
  s.phase = s.last.phase;
  s.attempt = 1;
  s.mending = false;
  const int limit = std::exchange(s.max_retries, 2);
  judge(s, s.last.status, s.last.feedback, false);
  s.max_retries = limit;
  s.attempt = 1;
  s.after = s.step == Step::end ? s.after : s.step;
  s.step = step;
  s.outcome = Outcome::prepared;
}

struct Apply {
  State& s;
  void operator()(const RunStarted& f) {
    s.bead = f.bead;
    s.title = f.title;
    s.provider = f.provider;
    s.max_retries = f.max_retries;
    s.convergence = f.convergence;
    s.step = Step::prepare;
  }
  void operator()(const WorktreeIntended& f) {
    s.worktree = f.worktree;
    s.branch = f.branch;
    s.base = f.base;
  }
  void operator()(const WorktreeReady& f) {
    s.worktree = f.worktree;
    s.branch = f.branch;
    s.base = f.base;
    go_to(s, Phase::test_writer, 1, "");
  }
  void operator()(const PhaseStarted& f) {
    s.number = f.number;
    s.open = true;
  }
  void operator()(const PhaseFinished& f) {
    s.number = f.number;
    s.open = false;
    s.last = f;
    if (f.phase == Phase::test_writer || f.phase == Phase::execute)
      s.claimed.insert(f.files_changed.begin(), f.files_changed.end());
    if (s.step == Step::run_phase)
      s.step = Step::snapshot;
    else
      count_by_hand(s);
  }
  void operator()(const SnapshotTaken& f) {
    s.previous_commit = s.snapshot.commit.empty() ? s.base : s.snapshot.commit;
    s.snapshot = f;
    if (f.phase == Phase::test_writer) s.tests_commit = f.commit;
    if (s.step != Step::snapshot) return;
    if (s.last.status == Status::error)
      judge(s, Status::error, s.last.feedback, false);
    else
      s.step = Step::check;
  }
  void operator()(const PhaseChecked& f) {
    if (s.step != Step::check) return;
    const bool lied = !f.passed && s.last.status == Status::pass;
    judge(s, lied ? Status::needs_work : s.last.status, lied ? f.feedback : s.last.feedback, lied);
  }
  void operator()(const MergeIntended& f) { s.merge_intent = f; }
  void operator()(const MergeDone& f) {
    s.merge_intent = {};
    s.merge_commit = f.commit;
    s.step = Step::archive;
  }
  void operator()(const MergeRefused& f) {
    s.merge_intent = {};
    s.phase = Phase::merge;
    end(s, Outcome::merge_refused, f.detail, Step::run_phase);
    if (f.why != event::MergeRefusal::no_sign_off || !s.before_merge) return;
    s.after = s.before_merge->step;
    s.phase = s.before_merge->phase;
    s.attempt = s.before_merge->attempt;
    s.mending = s.before_merge->mending;
    s.feedback = std::move(s.before_merge->feedback);
    s.before_merge.reset();
  }
  void operator()(const RunArchived&) { s.step = Step::remove_worktree; }
  void operator()(const WorktreeRemoved&) { s.step = Step::close_bead; }
  void operator()(const BeadClosed&) { end(s, Outcome::merged, s.merge_commit, Step::ended); }
  void operator()(const RunEnded& f) {
    // An end from outside (Ctrl-C, pause, a failure that is no phase's) keeps the place.
    if (s.step != Step::end && s.step != Step::ended) s.after = s.step;
    s.step = Step::ended;
    // What an agent left when a person ended it, and what the person did since, is where the phase
    // goes on.
    s.open = false;
    s.outcome = f.outcome;
    s.detail = f.detail;
  }
  void operator()(const RunResumed& f) {
    if (s.outcome == Outcome::merged) return;
    if (s.step == Step::ended) s.step = s.after == Step::start ? Step::prepare : s.after;
    s.max_retries = f.max_retries;
    s.outcome = Outcome::none;
    s.detail.clear();
    s.reviewed_feedback.clear();
    s.reviewed_tree.clear();
    // Work that is on main already is cleaned up, not merged again.
    if (f.at_merge && s.merge_commit.empty() && s.step != Step::integrate) {
      s.open = false;
      if (!s.signed_off) s.before_merge = {s.step, s.phase, s.attempt, s.mending, s.feedback};
      s.mending = false;
      go_to(s, Phase::merge, 1, "");
    }
  }
};

}  // namespace

State apply(State state, const PipelineFact& fact) {
  std::visit(Apply{state}, fact);
  return state;
}

int stage_of(Phase phase) { return row_of(phase).stage; }
bool is_review(Phase phase) { return row_of(phase).review; }

int stage_of(const State& s) {
  switch (s.step) {
    case Step::start:
    case Step::prepare:
      return 1;
    case Step::run_phase:
    case Step::snapshot:
    case Step::check:
      return s.mending ? 4 : stage_of(s.phase);
    default:
      return 5;
  }
}

int exit_code(Outcome outcome) {
  switch (outcome) {
    case Outcome::merged:
    case Outcome::prepared:
      return 0;
    case Outcome::retries_exhausted:
    case Outcome::converged:
    case Outcome::merge_needs_work:
    case Outcome::merge_refused:
    case Outcome::paused:
      return 1;
    case Outcome::none:
    case Outcome::writer_needs_work:
    case Outcome::phase_error:
    case Outcome::merge_error:
    case Outcome::prep_failed:
    case Outcome::interrupted:
    case Outcome::aborted:
      return 2;
  }
  return 2;
}

}  // namespace capsule::pipeline
