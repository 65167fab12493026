// What must hold of every run of phases, read from its facts and from what really happened, without
// the workflow's own state.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>

#include "event/pipeline.h"
#include "workflow/phases/phases.h"

namespace capsule::simulation {

class PhasesAudit {
 public:
  std::string broken;
  int most_runs = 0;  // from its start; 0: not known

  // What really happened.
  std::map<int, signal::Status> said;   // by agents, as it counts
  std::map<int, bool> checked;          // by the number of the phase
  std::map<int, std::string> answered;  // questions

  int called = 0;  // agents that were really started

  void read(const event::PipelineFact& fact, int merges);
  void claim(bool holds, const char* what) {
    if (!holds && broken.empty()) broken = what;
  }

  bool is_open(int number) const { return open_.contains(number); }
  bool merging() const { return merging_; }
  bool merged() const { return merged_; }
  bool planned() const { return planned_; }
  bool asked(int question) const { return questions_.contains(question); }
  bool worklog_says_so() const { return worklog_; }  // that it is signed off
  bool ended() const { return ended_; }
  bool to_main() const {
    return definition_.finish == event::Finish::merge && integrate_ != event::Integrate::branch;
  }
  int finished(const std::string& phase) const {
    const auto found = times_.find(phase);
    return found == times_.end() ? 0 : found->second;
  }
  int finished() const { return static_cast<int>(finished_.size()); }
  std::string path() const;  // what each phase said, in its order

 private:
  struct Verdict {
    signal::Status status{};
    bool sent_back = false;  // by a check or by a person, not by its own words
    bool complete = false;   // all that ran together have ended
  };
  void started(const event::PhaseStarted& f);
  void finished(const event::PhaseFinished& f);
  void given(const event::ApprovalGiven& f);
  void taken_back(const event::AnswerTakenBack& f);
  Verdict verdict() const;
  bool follows(const Verdict& verdict, const std::string& next) const;
  bool repeats() const;  // whoever failed, failed by itself, and is called again
  const event::PhaseRule& rule(const std::string& phase) const;

  event::Definition definition_;
  std::map<int, std::string> open_;
  std::set<int> finished_, questions_;
  std::map<std::string, int> times_;
  std::map<std::string, signal::Status> results_;
  std::map<std::string, event::AfterFault> faults_;  // of those with ERROR
  int attempt_ = 1;                                  // of the newest phase
  std::string current_;                              // the first of those that run together
  bool check_failed_ = false, approved_ = false, sent_back_ = false;
  bool begun_ = false, resumed_ = false, ended_ = false, planned_ = false, merging_ = false,
       merged_ = false, closing_ = false;
  bool signed_off_ = false, worklog_ = false;
  event::Integrate integrate_{};
  event::Approval about_{};  // the newest question
  bool merge_approved_ = false;
  int limit_ = 1, last_ = 0, runs_ = 0;
  std::shared_ptr<const PhasesAudit> before_answer_;  // the newest, by which question
  int answer_ = 0;
  std::map<std::string, std::string> path_;
};

}  // namespace capsule::simulation
