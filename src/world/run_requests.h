// What other processes ask of the run that this one carries on: to stop, to tell an agent
// something, to take an answer back. Each is told once, and its file goes when the run has recorded
// what came of it. requests.h has the files.
//
// Single-threaded, on the thread of the Loop, which must outlive it.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "process/tree.h"
#include "workflow/step.h"
#include "world/folder_watch.h"

namespace capsule::world {

class RunRequests {
 public:
  RunRequests(process::Loop& loop, std::string project, std::string run);

  // `appeared` is called from turns of the loop: something may have been asked.
  void follow(std::function<void()> appeared);

  // A stop to be told. Each kind is told once; an abort, or Ctrl-C (`interrupted`), also after a
  // pause.
  std::optional<workflow::Stop> new_stop(bool interrupted);
  // Whether the newest that was told is more than a pause.
  bool ends() const { return stop_ && *stop_ != workflow::Stop::paused; }

  // Messages, and answers to be taken back, that were not told yet; for the inbox.
  std::vector<workflow::Observation> news();
  // The same for a run that begins, to be recorded at once.
  std::vector<workflow::Observation> standing();
  // The inbox was handed to the runner.
  void handed_over();
  // What was handed over is recorded: the files that asked for it go.
  void forget_recorded();

 private:
  std::vector<workflow::MessageLeft> new_messages();
  std::vector<int> new_take_backs();

  const std::string project_, run_;
  FolderWatch watch_;
  std::optional<workflow::Stop> stop_;           // the newest that was told
  std::set<std::string> told_;                   // messages, by their ids
  std::vector<std::string> telling_, recorded_;  // of these: in the inbox; handed to the runner
  std::set<int> taking_back_, taken_back_;       // answers: in the inbox; handed to the runner
};

}  // namespace capsule::world
