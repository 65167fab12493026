#include <algorithm>
#include <utility>

#include "base/text.h"
#include "workflow/approval.h"
#include "workflow/delivery/parts.h"

namespace capsule::delivery {
namespace {

using Step = Remediation::Step;

std::string both(const Question& q) {
  return "Question: " + q.text + "\n\nAnswer: " + q.answer + "\n\n" + q.context;
}

// What a person says before work reaches main.
void approval_given(State& s, const Question& q) {
  TaskState& t = s.tasks[q.task];
  const workflow::Approved given = workflow::approved_by(q.answer);
  if (q.kind == QuestionKind::guard) {
    if (!given.yes)
      return merge_failed(s, q.task, name_of(MergeRefusal::verify_failed),
                          "A person did not let these changes pass. Put the files back as they are "
                          "on the main branch: " +
                              short_list(t.guarded) + "\n" + given.words);
    t.allowed.insert(t.allowed.end(), t.guarded.begin(), t.guarded.end());
    t.edited = true;
    return enqueue_merge(s, q.task);
  }
  t.approved = given.yes;
  if (given.yes) return enqueue_merge(s, q.task);
  if (!given.words.empty())
    return ask_for(s, q.task, Stage::development, Why::not_approved,
                   "A person looked at the work before it was merged, and says:\n\n" + given.words,
                   true);
  t.to_merge = true;
  fail_task(s, q.task, FailCause::limit, FailureKind::merge, "", "a person did not approve it");
}

void answered_task(State& s, const Question& q) {
  TaskState& t = s.tasks[q.task];
  if (t.hold != Hold::person) return;
  if (q.kind == QuestionKind::merge)
    return signal::same_letters(q.answer, "retry") ? enqueue_merge(s, q.task)
                                                   : merge_failed(s, q.task, "refused", q.context);
  if (q.kind == QuestionKind::approval || q.kind == QuestionKind::guard)
    return approval_given(s, q);
  const bool expanded = q.kind == QuestionKind::low_confidence;
  s.questions[q.number - 1].work_bytes = t.task.work.size();
  s.questions[q.number - 1].stage = t.stage;
  // Part of the task from now on: whoever reviews and audits it has to know it too.
  if (expanded)
    t.task.work += "\n\nThe business analyst proposes, without being sure:\n\n" + q.context +
                   "A person was asked whether that is right. This answer overrides the "
                   "proposal:\n\n" +
                   q.answer;
  ask_for(s, q.task, expanded ? Stage::development : t.stage, Why::answered, both(q), !expanded);
  t.answer = q.number;
}

void halt(State& s) {
  s.halted = true;
  for (auto& [number, agent] : s.agents)
    if (!std::exchange(agent.ending, true)) s.to_end.push_back(number);
}

void answered_remediation(State& s, const Question& q) {
  Remediation& r = s.remediation;
  if (r.step != Step::person) return;
  if (q.kind != QuestionKind::remediation) {
    r.step = r.after;
    r.why = Why::answered;
    r.context = both(q);
    r.resume = true;
    r.talk.requests = 0;
    return;
  }
  if (signal::same_letters(q.answer, "retry")) return retry_remediation(s);
  if (signal::same_letters(q.answer, "override")) return leave_remediation(s, true);
  halt(s);
}

void answered_red_main(State& s, const Question& q) {
  if (s.red_main.empty()) return;
  if (signal::same_letters(q.answer, "halt")) return halt(s);
  s.red_main.clear();
  if (signal::same_letters(q.answer, "remedy")) enter_remediation(s, -1, q.context);
}

}  // namespace

void ask_person(State& s, QuestionKind kind, int task, int agent, std::string text,
                std::string context, std::vector<std::string> options) {
  const bool parks = kind != QuestionKind::removed_task && kind != QuestionKind::main_moved &&
                     kind != QuestionKind::main_red;
  // Who has to approve is not asked by agents, however often.
  const bool ours = kind == QuestionKind::approval || kind == QuestionKind::guard;
  if (parks && !ours && task >= 0 && ++s.tasks[task].questions > s.limits.questions)
    return fail_task(s, task, FailCause::limit, FailureKind::questions, "",
                     "it asked people too often");
  Question q;
  q.number = s.questions.count() + 1;
  q.kind = kind;
  q.task = task;
  q.agent = agent;
  q.text = std::move(text);
  q.context = std::move(context);
  q.options = std::move(options);
  q.since = s.at;
  s.to_ask.push_back(q.number);
  if (task >= 0) s.tasks[task].asked.push_back(q.number);
  s.questions.push_back(std::move(q));
  if (!parks) return;
  if (task >= 0) {
    set_hold(s, task, Hold::person);
  } else {
    s.remediation.step = Step::person;
  }
}

void merge_tried(State& s, int task, const MergeTried& f) {
  ask_person(s, QuestionKind::approval, task, 0, workflow::merge_question(f.folder),
             workflow::merge_evidence(f.onto, f.files, f.changed, f.runs));
}

void answered(State& s, const QuestionAnswered& f) {
  if (f.question < 1 || f.question > s.questions.count()) return;
  Question& q = s.questions[f.question - 1];
  if (q.closed || !accepts(q, f.text)) return;  // the first answer wins
  q.closed = true;
  q.answer = f.text;
  q.by = f.by;
  const Question copy = q;
  if (copy.kind == QuestionKind::removed_task) {
    signal::same_letters(copy.answer, "remove") ? remove_task(s, copy.task)
                                                : keep_task(s, copy.task);
  } else if (copy.kind == QuestionKind::main_moved) {
    s.ground.looked();
  } else if (copy.kind == QuestionKind::main_red) {
    answered_red_main(s, copy);
  } else if (copy.task >= 0) {
    answered_task(s, copy);
  } else {
    answered_remediation(s, copy);
  }
}

bool is_unseen(const State& s, int question, const std::set<int>& unbegun) {
  if (question < 1 || question > s.questions.count()) return false;
  const Question& q = s.questions[question - 1];
  if (!q.closed || q.task < 0 || s.tasks[q.task].answer != question) return false;
  const TaskState& t = s.tasks[q.task];
  if (!is_open(t)) return false;
  if (t.agent == 0) return t.told == 0 && t.hold == Hold::none;
  const auto agent = s.agents.find(t.agent);
  // One before it may have been called, and cut off.
  return t.told == 1 && agent != s.agents.end() && !agent->second.ending &&
         unbegun.contains(t.agent);
}

// Whoever would be told and has not begun is ended first.
void answer_taken_back(State& s, const AnswerTakenBack& f) {
  if (f.question < 1 || f.question > s.questions.count()) return;
  const Question& q = s.questions[f.question - 1];
  if (q.task < 0 || s.tasks[q.task].answer != f.question) return;
  const auto agent = s.agents.find(s.tasks[q.task].agent);
  if (agent == s.agents.end()) return reopen(s, f.question);
  agent->second.regretted = f.question;
  if (!std::exchange(agent->second.ending, true)) s.to_end.push_back(agent->first);
}

void reopen(State& s, int question) {
  Question& q = s.questions[question - 1];
  TaskState& t = s.tasks[q.task];
  if (!is_open(t)) return;
  if (t.stage == Stage::development && !t.unsettled.empty()) t.unsettled.pop_back();
  t.task.work.resize(std::min(t.task.work.size(), q.work_bytes));
  t.stage = q.stage;
  t.answer = 0;
  set_hold(s, q.task, Hold::person);
  q.closed = false;
  q.answer.clear();
  q.by.clear();
  s.to_ask.push_back(question);
}

std::string agent_words(const State& s, int number) {
  const std::string text = "agent " + std::to_string(number);
  const auto found =
      std::find_if(s.history.begin(), s.history.end(),
                   [&](const AgentRecord& record) { return record.number == number; });
  if (found == s.history.end()) return text;
  const std::string task(id_of(s, found->task));
  return std::string(signal::name_of(found->role)) + (task.empty() ? "" : " of " + task) + " (" +
         text + ")";
}

// No merge until a person has looked; everything else goes on.
void ground_moved(State& s, const GroundMoved& f) {
  const bool known = s.ground.doubted();
  const auto name = [&](int number) { return agent_words(s, number); };
  s.ground.apply(f, name);
  if (known || !s.ground.doubted()) return;
  ask_person(
      s, QuestionKind::main_moved, -1, 0,
      "Main was moved while agents ran, and Capsule did not do that. Nothing is merged until "
      "you have looked: put main back if it should not be there, then answer 'keep'.",
      workflow::main_moved_text(f, name, "answer 'keep'"), {"keep"});
}

void main_turned_red(State& s, const MergeRefused& f) {
  if (!s.red_main.empty()) return;
  if (is_remedying(s)) return enter_remediation(s, -1, f.detail);  // it mends this, too
  s.red_main = f.main.empty() ? "main" : f.main;
  // Whoever always says 'retry' is not asked for ever.
  if (++s.red_main_asked > s.limits.questions) return halt(s);
  if (!s.can_ask) {
    s.red_main.clear();
    return enter_remediation(s, -1, f.detail);
  }
  ask_person(s, QuestionKind::main_red, -1, 0,
             "The checks fail on main itself, whatever is merged. No task is to blame. Nothing is "
             "merged until you have looked: mend main and answer 'retry', have an agent mend it "
             "('remedy'), or 'halt'.",
             f.detail, {"retry", "remedy", "halt"});
}

void close_questions(State& s, int task) {
  for (const int number : s.tasks[task].asked) s.questions[number - 1].closed = true;
}

bool accepts(const Question& q, std::string_view text) {
  if (q.options.empty()) return text.find_first_not_of(" \t\r\n") != std::string_view::npos;
  return std::any_of(q.options.begin(), q.options.end(),
                     [&](const std::string& option) { return signal::same_letters(option, text); });
}

std::vector<int> open_questions(const State& s) {
  std::vector<int> open;
  for (const Question& q : s.questions)
    if (!q.closed) open.push_back(q.number);
  return open;
}

}  // namespace capsule::delivery
