// The face of one run on a terminal, pipe or program, whatever its workflow: it owns what is
// written to stdout while the run goes on, and how it ends.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/world.h"
#include "process/tree.h"
#include "ui/activity_text.h"
#include "ui/board.h"
#include "ui/narrator.h"
#include "ui/terminal.h"
#include "ui/view/one_run.h"

namespace capsule::ui {

class Face : public engine::Listener {
 public:
  // `loop`, which must outlive it, turns the live picture; null: it is drawn only by facts.
  Face(Look look, const engine::RunHead& head, Style style, process::Loop* loop,
       Terminal terminal = standard_terminal());
  ~Face() override;

  void recall(const std::vector<event::Fact>& facts) override;
  void on_facts(std::span<const event::NewFact> facts) override;
  // The last line of --json tells of it.
  void on_cut_off(const Error& error) override;
  // Tasks of the plan that earlier runs completed: --json tells them at the end.
  void completed_before(std::vector<std::string> tasks) { completed_before_ = std::move(tasks); }
  // What an agent printed, for the picture.
  void on_output(int agent, std::string_view bytes);
  // What it does now, by the events of its client; one without any: it begins. --json has it as
  // agent_activity, at most once a second for each agent.
  void on_activity(const WhichAgent& agent, const dialect::Activity& activity);
  // One of the project's own commands begins, or has ended.
  void on_check(const workflow::CheckProgress& check);
  // A text for the person at the terminal, such as a question; not for programs.
  void tell(const std::string& text);
  // Before anything else is printed. The last picture stays.
  void close();

  // What all facts so far come to, those of earlier processes too.
  const view::Run& run() { return shown_.run(); }
  view::OneRun& shown() { return shown_; }

  // The last line of --json, and nothing otherwise; closes it.
  struct Ending {
    int exit_code = 0;
    std::string at;
  };
  void finish(const Ending& ending);

 private:
  struct Doing {
    WhichAgent who;
    dialect::Activity activity;
    std::string told;          // what --json had last, or a line of ours
    std::int64_t told_ms = 0;  // when; 0: never
  };
  std::string json_line(const event::NewFact& fact);
  // Those that differ from what was told; without `all` those whose second is over.
  std::string activity_lines(bool all);
  void tell_activities();
  void tell_waiting(Doing& doing);
  void write(const std::string& text);
  void write_lines(const std::string& text);
  void leave_line();
  bool holds_back() const;
  void draw();
  void wipe();
  void tick();
  void keep_ticking();

  Look look_;
  std::string run_;
  std::string task_;  // of agents and checks whose facts name none; empty: there is none
  view::OneRun shown_;
  std::unique_ptr<Narrator> narrator_;
  Style style_;
  process::Loop* loop_;
  Terminal terminal_;
  std::vector<std::string> completed_before_;
  std::map<int, LastLine> output_;
  std::map<int, Doing> doing_;
  bool activity_due_ = false;  // the timer is set
  std::map<std::uint64_t, RunningCheck> checks_;
  process::TimerId timer_{};  // of the picture, or of what is to be told of activities
  bool ticking_ = false;      // the timer of the picture is set
  int drawn_ = 0;             // lines of the picture that stands on the terminal
  bool asked_ = false;        // a person may be typing below what was written last
  std::string held_;          // told once the person has answered
  bool in_line_ = false;      // what was told last is a prompt: the line behind it is open
};

}  // namespace capsule::ui
