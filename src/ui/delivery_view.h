// Which face of a delivery is shown on stdout: a live board, plain lines, or JSON lines.
#pragma once

#include <string>

#include "engine/delivery_ports.h"
#include "process/tree.h"
#include "ui/board.h"
#include "ui/delivery_lines.h"
#include "ui/view.h"

namespace capsule::ui {

class DeliveryView : public engine::DeliveryListener {
 public:
  DeliveryView(Face face, std::string run, process::Loop& loop);
  ~DeliveryView() override;
  void on_facts(const std::vector<engine::DeliveryFact>& facts, const delivery::State& after,
                const std::string& at) override;
  // A text for the person at the terminal, above the board.
  void tell(const std::string& text);
  void close();  // before anything else is printed

  std::function<std::string(int)> last_line = [](int) { return std::string(); };

 private:
  void tick();
  void draw();
  void wipe();

  Face face_;
  std::string run_;
  process::Loop& loop_;
  Style style_;
  Narrator narrator_;
  BoardTimes times_;
  const delivery::State* state_ = nullptr;
  process::TimerId timer_{};
  int drawn_ = 0;
};

}  // namespace capsule::ui
