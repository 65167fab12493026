// Which of the three faces of a run is shown, and the terminal that it is shown on.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "agent/run.h"
#include "engine/ports.h"
#include "process/tree.h"
#include "ui/live.h"
#include "ui/style.h"

namespace capsule::ui {

enum class Face { plain, live, json, quiet };

// --json; else live on a terminal that can move its cursor; else plain.
Face face_for(bool json);
// Colours on a terminal, unless NO_COLOR is set or TERM is dumb; ASCII symbols where the locale is
// not UTF-8.
Style style_for(int fd);

// A view of one run on stdout. Draws by itself while `loop` turns.
class View : public engine::Listener, public agent::Watch {
 public:
  View(Face face, std::string run, process::Loop& loop);
  ~View() override;
  void on_fact(const event::PipelineFact& fact, const pipeline::State& after,
               const std::string& at) override;
  void on_output(std::string_view bytes) override;
  void close();  // before anything else is printed

 private:
  void tick();
  process::Loop& loop_;
  std::unique_ptr<engine::Listener> listener_;
  LiveView* live_ = nullptr;  // owned by listener_
  process::TimerId timer_{};
};

}  // namespace capsule::ui
