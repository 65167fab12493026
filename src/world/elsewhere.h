// Agents of a run that workers on other machines carry out: which ones, where their files are
// meanwhile, and what came of them. The run itself stays here, with its trees, checks and merges.
//
// Single-threaded, on the thread of the Loop, but for a thread of its own that asks the database
// what is done. git runs while a call waits.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/result.h"
#include "engine/work.h"
#include "event/work.h"
#include "process/tree.h"
#include "workflow/step.h"
#include "world/project.h"

namespace capsule::world {

struct ElsewhereParts {
  std::string run;
  // A connection to the work that machines share, each time another; none: there is only this
  // machine.
  std::function<std::unique_ptr<engine::Work>()> work = {};
  std::string log_folder;
  std::function<void(const std::string&)> tell = [](const std::string&) {};
  // The walls that one of them had, and what it was refused; before it has finished.
  std::function<void(workflow::SupplyNews)> news = [](auto&&) {};
  // Exactly once for each that was started. Called from a turn of the loop, from end() or
  // end_all().
  std::function<void(const workflow::StartAgent&, workflow::AgentFinished)> finished;
};

class Elsewhere {
 public:
  Elsewhere(const Project& project, process::Loop& loop, ElsewhereParts parts);
  ~Elsewhere();
  Elsewhere(const Elsewhere&) = delete;
  Elsewhere& operator=(const Elsewhere&) = delete;

  // Whether such an agent can be done here at all: by its labels.
  bool only_elsewhere(const workflow::StartAgent& start) const;
  // Nobody is to work here, or it cannot.
  bool never_here(const workflow::StartAgent& start) const {
    return only_elsewhere(start) || (!remote_.empty() && slots_here_ == 0);
  }
  // Whether it goes elsewhere, when so many work here.
  bool takes(const workflow::StartAgent& start, std::size_t here);

  // `prompt` is all that it is told. Errors: those of the remote and of the database; then it is
  // not on its way.
  Result<void> start(const workflow::StartAgent& start, const std::string& folder,
                     const std::string& branch, const std::string& base, std::string prompt);
  // Nobody waits for it any more: it is finished, with that fault. False: it is not out.
  bool end(int agent, event::Fault fault);
  void end_all();
  std::vector<std::string> trees() const;

 private:
  struct Out {
    workflow::StartAgent start;
    std::string folder, branch, given, began_at;
    std::int64_t began_ms = 0, not_before_ms = 0;
  };
  class Mail;

  std::vector<std::string> needs_of(const workflow::StartAgent& start) const;
  std::vector<std::string> labels_for(const workflow::StartAgent& start) const;
  bool lacks(const std::vector<std::string>& needs) const;
  void collect();
  void arrived(const engine::WorkDone& done);
  Result<void> bring_home(Out& out, const std::string& ref);
  std::string keep_log(const Out& out, const std::string& text);
  void finish(Out out, workflow::AgentFinished finished);
  void tidy(std::size_t more_than);

  const Project& project_;
  process::Loop& loop_;
  const ElsewhereParts parts_;
  std::unique_ptr<engine::Work> work_;
  std::string remote_;  // empty: none, and everything is done here
  std::vector<std::string> labels_;
  int slots_here_ = 0;
  std::map<int, Out> out_;
  std::vector<std::string> old_refs_;  // nobody needs them any more
  std::unique_ptr<Mail> mail_;
  process::WatchId watch_{};
};

// What a machine has by itself: "os:linux", "arch:x86_64", "client:NAME" for each agent client that
// is found, and "walls:PRESET" for those that its kernel holds. Sorted.
std::vector<std::string> labels_here();
// With those of a text, "gpu,big". Error usage.
Result<std::vector<std::string>> with_labels(std::vector<std::string> labels,
                                             std::string_view text);

// How many agents a run has work here before others are asked, and which labels this machine has
// besides those that are found. Both are the caller's, never the project's.
inline constexpr const char* kHereVariable = "CAPSULE_HERE";
inline constexpr const char* kLabelsVariable = "CAPSULE_LABELS";
inline constexpr int kSlotsHere = 2;

// Between what agents are to a workflow and what machines tell one another of them.
event::work::Order order_of(const Project& project, const workflow::StartAgent& start,
                            std::string prompt, std::string ref);
Result<workflow::StartAgent> agent_of(const event::work::Order& order);
event::work::Report report_of(const workflow::AgentFinished& finished);
workflow::AgentFinished finished_of(const workflow::StartAgent& start,
                                    const event::work::Report& report);

// What a report says of walls, bounded, as facts of the run. Where it asked for walls and hears of
// none, that is said.
std::vector<workflow::SupplyNews> walls_told(const Project& project,
                                             const workflow::StartAgent& start,
                                             const event::work::Report& report);

}  // namespace capsule::world
