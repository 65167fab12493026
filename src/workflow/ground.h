// What people are told when something around a run changed that Capsule did not do. Pure.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "event/common.h"
#include "workflow/summary.h"

namespace capsule::workflow {

// "execute (agent 4)"; "agent 4" when it is not known.
std::string agent_words(const std::vector<AgentSummary>& agents, int number);
using AgentNamed = std::function<std::string(int number)>;

// One line: "while execute (agent 4) ran: .git/config was changed".
std::string ground_line(const event::GroundMoved& moved, const AgentNamed& name);

// Why nothing is merged, what to look at and what to do then. Its first line stands alone.
// `then`: "capsule merge demo-1".
std::string main_moved_text(const event::GroundMoved& moved, const AgentNamed& name,
                            std::string_view then);

// What a run keeps of it. One that is told again goes on from where the first began.
struct GroundState {
  std::vector<std::string> lines;
  std::vector<event::GroundMoved> main;  // at most one: a person has to look before a merge
  bool refused = false;                  // and was told so

  void apply(const event::GroundMoved& moved, const AgentNamed& name);
  bool doubted() const { return !main.empty(); }
  void looked() {
    main.clear();
    refused = false;
  }
};

}  // namespace capsule::workflow
