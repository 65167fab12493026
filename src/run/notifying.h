// Stands between the runner and the face of a run: looks at what is shown of it, and tells people
// what has come to need one of them. Decides nothing about the run.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "engine/journal.h"
#include "engine/world.h"
#include "notify/sender.h"
#include "ui/view/one_run.h"
#include "world/project.h"

namespace capsule::run {

// Where the words of a run go besides its face: the environment, clock and terminal of this
// process.
notify::Sender::Surroundings surroundings_of(const std::string& root);

// Sends a sample of that kind by every way that the configuration names, one after the other;
// `tell` hears it line by line. Whether all went well.
Result<bool> send_samples(const world::Project& project, std::string_view kind,
                          const std::function<void(const std::string&)>& tell);

class Notifying : public engine::Listener {
 public:
  // `face`, what it shows, and `loop` must outlive it. `tell` is for words to the person at the
  // terminal.
  Notifying(engine::Listener& face, view::OneRun& shown, process::Loop& loop,
            const world::Project& project, const std::string& run,
            std::function<void(const std::string&)> tell);
  // Waits, a few seconds at most, for what is under way; whoever does not call it leaves that
  // undone. Requires: the face is still there.
  void finish() { sender_.finish(); }

  // Nobody is told of it.
  void recall(const std::vector<event::Fact>& facts) override;
  void on_facts(std::span<const event::NewFact> facts) override;
  void on_cut_off(const Error& error) override;

 private:
  void look();

  engine::Listener& face_;
  view::OneRun& shown_;
  notify::Watch watch_;
  notify::Sender sender_;
};

}  // namespace capsule::run
