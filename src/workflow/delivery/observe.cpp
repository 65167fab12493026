// What the world tells, as facts of a delivery.
#include <algorithm>
#include <utility>

#include "base/text.h"
#include "workflow/approval.h"
#include "workflow/delivery/parts.h"

namespace capsule::delivery {
namespace {

using Facts = std::vector<DeliveryFact>;
using Step = Remediation::Step;

bool is_repair(const State& s, const std::string& tree) {
  return s.remediation.step == Step::merging && tree == tree_for(s, Role::remediation, -1);
}

VerifyFinished health(std::vector<std::string> failures, std::string detail) {
  return {VerifyPurpose::health, std::move(failures), std::move(detail)};
}

void add(std::string& detail, const std::string& more) {
  detail += (detail.empty() ? "" : "; ") + more;
}

struct Translate {
  const State& s;

  Facts operator()(const workflow::AgentFinished& o) const {
    AgentFinished fact;
    fact.agent = o.agent;
    // Without a signal it is asked again: that is the talk's business, and no fault.
    fact.fault = o.fault == Fault::no_signal ? Fault::none : o.fault;
    fact.detail = workflow::in_words(o);
    fact.exit_code = o.exit_code;
    fact.preview = o.preview;
    fact.log = o.log;
    fact.duration_ms = o.duration_ms;
    fact.cost_micros = o.cost_micros;
    fact.snapshot = o.snapshot;
    fact.miss = o.missed.why;
    fact.missed_line = o.missed.line;
    if (const auto* words = std::get_if<workflow::LineWords>(&o.words)) {
      fact.signal = words->signal;
      fact.argument = words->argument;
      fact.more = words->more;
      for (const workflow::Field& field : words->fields)
        fact.fields.push_back({field.label, field.text});
    }
    if (!o.took_back.empty()) {
      fact.wrote = true;
      add(fact.detail, workflow::tried_to_change(o.took_back).detail);
    }
    if (fact.fault == Fault::none && fact.signal == Signal::ready_for_review &&
        !o.unresolved.empty()) {
      fact.fault = Fault::refuted;
      add(fact.detail, "there are still conflict markers in " + printable(o.unresolved.front()));
    }
    return {std::move(fact)};
  }
  Facts operator()(const GroundMoved& o) const {
    if (!s.started || s.outcome != Outcome::none) return {};
    return {o};
  }
  Facts operator()(const workflow::AgentIdle& o) const { return {AgentIdle{o.agent}}; }

  Facts operator()(const workflow::Merged& o) const {
    if (!is_repair(s, o.tree))
      return {
          MergeDone{o.tree, o.commit, o.files, o.adopted, o.nothing, o.runs, o.claims, o.evidence}};
    // One that was found done was tested by nobody whose answer we know.
    const bool untested = o.adopted || o.nothing;
    Facts facts{RepairDone{s.remediation.round, o.commit, o.files, untested}};
    if (!untested) facts.emplace_back(health(o.failed, ""));
    return facts;
  }
  Facts operator()(const workflow::MergeRefused& o) const {
    if (!is_repair(s, o.tree))
      return {MergeRefused{o.tree, o.why, o.detail, o.guarded, o.guard_stat,
                           s.attended || s.integrate == event::Integrate::ask, o.failed, o.main}};
    switch (o.why) {
      case MergeRefusal::main_red:  // which is what the repair is for
      case MergeRefusal::verify_failed:
        return {health(o.failed.empty() ? std::vector<std::string>{"checks"} : o.failed, o.detail)};
      case MergeRefusal::nothing_to_merge:
        return {RepairDone{s.remediation.round, "", {}, true}};
      case MergeRefusal::error:
        return {health({"repository"}, o.detail)};
      default:
        return {health({"merge"}, o.detail)};
    }
  }
  Facts operator()(const workflow::MergeTried& o) const {
    MergeTried fact{o.tree, o.folder, o.onto, o.files, static_cast<int>(o.files.size()), o.runs};
    if (fact.files.size() > workflow::kFilesNamed) fact.files.resize(workflow::kFilesNamed);
    return {std::move(fact)};
  }
  Facts operator()(const workflow::MainMoved& o) const {
    constexpr std::string_view kAgain = "others kept moving main";
    if (is_repair(s, o.tree)) {
      if (s.remediation.merge_tries + 1 >= workflow::kMergeTries)
        return {health({"merge"}, std::string(kAgain))};
      return {MainMoved{o.tree}};
    }
    const auto found = s.index.find(o.tree);
    if (found == s.index.end() || s.merging != found->second) return {};
    if (s.tasks[found->second].merge_tries + 1 >= workflow::kMergeTries)
      return {MergeRefused{o.tree, MergeRefusal::error, std::string(kAgain)}};
    return {MainMoved{o.tree}};
  }

  Facts operator()(const workflow::Checked& o) const {
    VerifyFinished fact;
    fact.purpose = o.number == kBaselineCheck ? VerifyPurpose::baseline : VerifyPurpose::health;
    fact.failures = o.failed;
    fact.state = o.baseline;
    fact.runs = o.runs;
    fact.detail =
        o.any ? o.feedback
              : "no checks are configured (verify.test, verify.lint, …), so merges are not checked";
    return {std::move(fact)};
  }
  Facts operator()(const workflow::Kept& o) const { return settled(o.tree, {}, ""); }
  Facts operator()(const workflow::TakenBack& o) const { return settled(o.tree, o.paths, ""); }
  Facts settled(const std::string& tree, std::vector<std::string> paths, std::string detail) const {
    if (!s.settling.contains(tree)) return {};
    return {TreeSettled{tree, std::move(paths), std::move(detail)}};
  }
  Facts operator()(const workflow::TreeRemoved& o) const { return {TreeRemoved{o.tree}}; }
  Facts operator()(const workflow::TaskClosed& o) const { return {TaskClosed{o.task}}; }
  Facts operator()(const workflow::Answered& o) const {
    return {QuestionAnswered{o.question, o.text, o.by}};
  }
  Facts operator()(const workflow::TakeBackAsked& o) const {
    if (!is_unseen(s, o.question, o.unbegun)) return {};
    return {AnswerTakenBack{o.question}};
  }
  Facts operator()(const workflow::TimerFired& o) const {
    return {FileWaitExpired{o.task, o.wait}};
  }

  Facts operator()(const workflow::CommandFailed& o) const {
    if (o.reason == Reason::interrupted) return interrupted(o);
    return std::visit([&](const auto& command) { return failed(command, o.detail); }, o.command);
  }
  // A person did that. What was asked for stays open, and is asked for again when the delivery is
  // taken up.
  Facts interrupted(const workflow::CommandFailed& o) const {
    const auto* start = std::get_if<StartAgent>(&o.command);
    if (start == nullptr) return {};
    AgentFinished fact;
    fact.agent = start->agent;
    fact.fault = Fault::interrupted;
    fact.detail = o.detail;
    return {std::move(fact)};
  }
  Facts failed(const StartAgent& command, const std::string& detail) const {
    AgentFinished fact;
    fact.agent = command.agent;
    fact.fault = Fault::not_started;
    fact.detail = detail;
    return {std::move(fact)};
  }
  Facts failed(const Merge& command, const std::string& detail) const {
    workflow::MergeRefused refused;
    refused.tree = command.tree;
    refused.why = MergeRefusal::error;
    refused.detail = detail;
    return (*this)(refused);
  }
  Facts failed(const Check& command, const std::string& detail) const {
    workflow::Checked checked;
    checked.number = command.number;
    checked.failed = {"checks"};
    checked.feedback = detail;
    return (*this)(checked);
  }
  Facts failed(const CloseTask& command, const std::string& detail) const {
    return {TaskCloseFailed{command.task, detail}};
  }
  Facts failed(const RemoveTree& command, const std::string& detail) const {
    return {TreeRemoveFailed{command.tree, detail}};
  }
  // What is half done stays where it is: only the state that counts is ever merged, and whoever
  // works there next settles it.
  Facts failed(const Keep& command, const std::string& detail) const {
    return settled(command.tree, {}, detail);
  }
  Facts failed(const TakeBack& command, const std::string& detail) const {
    return settled(command.tree, {}, detail);
  }
  // A timer that never fires must not hold its task for ever.
  Facts failed(const SetTimer& command, const std::string&) const {
    return {FileWaitExpired{command.task, command.wait}};
  }
  // A question that could not be put is open all the same, and can be answered.
  template <class Other>
  Facts failed(const Other&, const std::string&) const {
    return {};
  }

  template <class Other>
  Facts operator()(const Other&) const {
    return {};
  }
};

}  // namespace

std::vector<DeliveryFact> facts_of(const State& s, const Observation& observation) {
  return std::visit(Translate{s}, observation);
}

}  // namespace capsule::delivery
