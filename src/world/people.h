// Questions to a person: answered from a file that was given beforehand, by `capsule answer` from
// another process, or on the terminal. The first answer wins. Single-threaded, on the thread of the
// Loop, which must outlive it.
//
// On the terminal a line answers the question that the prompt before it names; "2: text" answers
// question 2. What was typed before a prompt stood there is no answer to it, and is discarded.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "process/tree.h"
#include "workflow/step.h"
#include "world/answers.h"
#include "world/folder_watch.h"

namespace capsule::world {

struct PeopleParts {
  std::string project, run;
  std::optional<AnswersFile> answers;
  bool terminal = false;  // a person sits there: questions are asked on it
  bool wait = false;      // stay when only a person can go on
  // A question to be shown, or an answer that was not accepted; drawn by whoever has the terminal.
  std::function<void(const std::string&)> tell = [](const std::string&) {};
  // Whether a person has closed the task where it comes from.
  std::function<bool(const std::string& task)> closed = [](const std::string&) { return false; };
};

class People {
 public:
  // `answered` is called from within ask() or from a turn of the loop, once for each question.
  People(process::Loop& loop, PeopleParts parts, std::function<void(workflow::Answered)> answered);
  ~People();
  People(const People&) = delete;
  People& operator=(const People&) = delete;

  // Asking what is open already does nothing.
  void ask(const workflow::Ask& question);
  // Takes what other processes have left.
  void collect();
  // Whether somebody is there, or has said, what is waited for.
  bool attended() const { return parts_.terminal || parts_.wait; }

 private:
  void answer(int question, const std::string& text, const std::string& by);
  void read_terminal();
  void take_line(std::string_view line);
  void prompt();
  void forget_typed();

  process::Loop& loop_;
  PeopleParts parts_;
  std::function<void(workflow::Answered)> answered_;
  std::map<int, workflow::Ask> open_;
  FolderWatch watch_;
  std::optional<process::WatchId> terminal_watch_;
  std::string typed_;
  int prompted_ = 0;  // the question that the line answers; 0: none
  int highest_ = 0;   // number that was asked
};

}  // namespace capsule::world
