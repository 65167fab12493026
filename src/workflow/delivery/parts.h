// What the files of this folder share among themselves. A State is changed in place, by `apply`
// alone; all of it is deterministic.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "workflow/delivery/delivery.h"

namespace capsule::delivery {

// ---- tasks and queues (queue.cpp)

Role role_of(Stage stage);        // requires: analysis, development, review or audit
int slot_class(Role role);        // 0 developers, 1 critics, 2 auditors; -1: takes no slot
bool is_open(const TaskState&);   // neither complete, failed nor removed
bool stop_follows(const State&);  // agents were ended for it, and it is not told yet
bool is_remedying(const State&);  // no dispatch, no merge
std::string_view id_of(const State&, int task);  // empty for -1

void announce(State&, DeliveryFact fact);
// Requires: no hold, no agent, an open stage with a role. A doubted task is held instead.
void enqueue(State&, int task);
void unqueue(State&, int task);
void enqueue_merge(State&, int task);  // behind those that wait to be merged
// The next stint of a task: who goes on follows from its stage.
void ask_for(State&, int task, Stage stage, Why why, std::string context, bool resume);
void set_hold(State&, int task, Hold hold);
void make_ready(State&, int task);  // all blockers are complete
void doubt(State&, int task);       // nobody works on it, nor merges it, until keep_task
void keep_task(State&, int task);
void complete(State&, int task);
void drop(State&, int task);  // removed from the plan
void fail_task(State&, int task, FailCause cause, FailureKind kind, const std::string& blocker,
               const std::string& detail);
// Tried and tested as it would be merged: a person is asked.
void merge_tried(State&, int task, const MergeTried& f);
void merge_failed(State&, int task, std::string_view why, const std::string& detail);
// One more failure of this kind. False: that was the last, and the task has failed.
bool strike(State&, int task, FailureKind kind, const std::string& detail);
// The same for an agent that failed by itself, which is no failure of the task: the attempt is
// repeated.
bool forgive(State&, int task, FailureKind kind, const std::string& detail);
// Whether an agent that is started for this reason repeats the attempt of the one before, which
// failed by itself or said nothing that counts.
bool repeats(Why why);
// Of the next agent, after so many attempts.
inline int attempt_after(int attempts, bool repeats) {
  return attempts + (repeats && attempts > 0 ? 0 : 1);
}
void link(State&);  // blockers and dependants, from blocked_by

// ---- trees and the tracker (tidy.cpp)

bool writes(Role role);  // may change its tree; all others only look
std::string tree_for(const State&, Role role, int task);
void left_half_done(State&, const Agent& agent);  // its tree is settled before anybody works there
void remove_tree(State&, const std::string& tree);  // nobody needs it any more
void close_task(State&, int task);                  // it is complete
void tidy_again(State&);                            // what an earlier process did not come to
bool tidying(const State&);                         // commands of this sort are open

inline constexpr std::string_view kRequest = "request-";  // of an expert; its number follows

// ---- between facts and the world

// What an observation means; none: nothing that is worth a fact.   observe.cpp
std::vector<DeliveryFact> facts_of(const State&, const Observation& observation);

struct Decision {
  std::optional<DeliveryFact> fact;  // none: it follows from facts, and is decided again after a
                                     // crash
  std::optional<Command> command;
};
std::optional<Decision> decide(State&);       // decide.cpp
std::optional<Decision> decide_tidy(State&);  // tidy.cpp

// ---- files (files.cpp)

int intern(State&, const std::string& name);
void want_files(State&, int task, const std::vector<std::string>& names);
void hold_files(State&, int task);  // at the first developer: what is free
void release_files(State&, int task);
std::vector<std::string> notices_of(const State&, int task);  // for its next agent
void refresh_holder(State&, int holder);                      // its stage or hold changed
// The file that keeps a task from beginning, or -1; one whose holder is about to finish if any.
int blocking_file(const State&, int task);
void leave_file(State&, int task);     // does not stand behind a file any more
void forget_wanted(State&, int task);  // what it asked for by FILE CONFLICT
// The task that a developer should begin or go on with; -1: none. Sorts the queue on the way.
int pick_developer(State&);
void file_conflict(State&, int task, const AgentFinished& f, bool writer);
void file_wait_expired(State&, const FileWaitExpired& f);
// Whether `from` waits, through files, dependencies and the plan, for `target`.
bool waits_for(const State&, int from, int target);

// ---- conversations (talk.cpp)

enum class NoSignal { ask_again, gave_up };
// The output was not the signal that is wanted (unknown, or a CHECKPOINT). Sets why to ask with.
NoSignal not_a_signal(State&, Talk&, const AgentFinished& f, const Agent& agent, Why& why);
std::string_view field(const AgentFinished& f, std::string_view label);
// The same for the k-th of several signals, from 0; each but the first begins with a field kAlso.
std::string_view field(const AgentFinished& f, std::size_t k, std::string_view label);
std::string all_fields(const AgentFinished& f);  // "Label:\ntext", for the next prompt
bool may_send(Role role, Signal signal);

// ---- what became of what agents said (findings.cpp)

AgentRecord* record_of(State&, int agent);
const AgentRecord* record_of(const State&, int agent);
void found_at_end(State&, AgentRecord&, const AgentFinished& f);
void found_at_merge(State&, int task, const MergeDone& f);
void found_at_merge(State&, int task, const MergeRefused& f);

// ---- handlers

void task_agent_finished(State&, const Agent& agent, const AgentFinished& f);  // signals.cpp
// Somebody takes over whose predecessor failed, at the same attempt.
inline bool is_restart(Why why) { return why == Why::restarted || why == Why::signal_failed; }
void remedy_agent_finished(State&, const Agent& agent, const AgentFinished& f);  // remedy.cpp
void enter_remediation(State&, int task, const std::string& issue);
void leave_remediation(State&, bool overridden);
void health_checked(State&, const VerifyFinished& f);
void retry_remediation(State&);
void asked_about_remediation(State&, const QuestionAsked& f);

void expert_requested(State&, int task, const Agent& asker, const AgentFinished& f);  // experts.cpp
void forget_delegations(State&, int task);  // nobody waits for their advice any more
void expert_finished(State&, const Agent& agent, const AgentFinished& f);
void analyst_finished(State&, const Agent& agent, const AgentFinished& f);
void register_expert(State&, const std::string& name, std::string supports, std::string gap);

// Asks a person, and parks the task (or remediation, task -1) until the answer.   questions.cpp
void ask_person(State&, QuestionKind kind, int task, int agent, std::string text,
                std::string context, std::vector<std::string> options = {});
void ground_moved(State&, const GroundMoved&);
// Blames no task: merging pauses, and a person is asked, or else remediation.
void main_turned_red(State&, const MergeRefused&);
void answered(State&, const QuestionAnswered& f);
// Whether a question was answered, and no agent has been told: the task waits for a slot or a file,
// or its agent is one of those that were asked for and have never been called.
bool is_unseen(const State&, int question, const std::set<int>& unbegun);
void answer_taken_back(State&, const AnswerTakenBack& f);
void reopen(State&, int question);
void close_questions(State&, int task);

void started(State&, const DeliveryStarted& f);  // recovery.cpp
void resumed(State&, const DeliveryResumed& f);
void choose_integration(State&, event::Integrate how);
void plan_changed(State&, const PlanChanged& f);
void remove_task(State&, int task);
void cut_off(State&, const Agent& agent);  // its run counts as not begun, and begins again

}  // namespace capsule::delivery
