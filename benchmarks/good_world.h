// The world of a delivery in which all goes well, for measuring what deciding and recording cost.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/world.h"
#include "workflow/step.h"

namespace capsule::bench {

// Every agent does well, at once.
class GoodWorld : public engine::World {
 public:
  void carry_out(const workflow::Command& command) override {
    if (const auto* start = std::get_if<workflow::StartAgent>(&command)) {
      workflow::LineWords words;
      words.argument = start->task;
      words.signal = start->role == "developer" ? signal::Signal::ready_for_review
                     : start->role == "critic"  ? signal::Signal::review_passed
                                                : signal::Signal::audit_passed;
      workflow::AgentFinished done;
      done.agent = start->agent;
      done.words = std::move(words);
      inbox_.emplace_back(std::move(done));
    } else if (const auto* merge = std::get_if<workflow::Merge>(&command)) {
      workflow::Merged merged;
      merged.tree = merge->tree;
      merged.commit = "0123456789abcdef";
      inbox_.emplace_back(std::move(merged));
    } else if (const auto* check = std::get_if<workflow::Check>(&command)) {
      workflow::Checked checked;
      checked.number = check->number;
      inbox_.emplace_back(std::move(checked));
    } else if (const auto* remove = std::get_if<workflow::RemoveTree>(&command)) {
      inbox_.emplace_back(workflow::TreeRemoved{remove->tree});
    }
  }
  Result<std::vector<workflow::Observation>> wait() override { return std::exchange(inbox_, {}); }
  bool attended() override { return false; }

 private:
  std::vector<workflow::Observation> inbox_;
};

}  // namespace capsule::bench
