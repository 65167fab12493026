// The terminal of this process while a dashboard is shown: raw, on its other screen, and given back
// as it was on every way out. A keeper (keeper.h) sees to it when the process is killed.
//
// Single-threaded, on the thread of the Loop, which must outlive it. One at a time.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "canvas/canvas.h"
#include "canvas/keys.h"
#include "process/tree.h"
#include "terminal/keeper.h"

namespace capsule::terminal {

struct Size {
  int columns = 80, rows = 24;
};

// What happens at it. Called inside turns of the loop.
struct Events {
  std::function<void(const canvas::Key&)> key;
  std::function<void()> handed;   // all keys that were there: a pasted page is drawn once
  std::function<void()> resized;  // also after it was stopped and goes on: draw everything
  std::function<void()> end;      // asked by a signal, or the terminal is gone
};

class Screen {
 public:
  // Takes the terminal on stdin and stdout. Error refused: they are none, or TERM says that it
  // cannot move its cursor.
  static Result<std::unique_ptr<Screen>> open(process::Loop& loop, Events events);
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  Size size() const;
  // Shows it; what is there already is not sent again.
  void show(const canvas::Canvas& canvas);
  void send(std::string_view bytes);  // a copy to the clipboard, a bell
  // Gives the terminal back and stops this process, as Ctrl-Z does, until it is continued.
  void suspend();
  // Gives the terminal to whatever `work` runs on it, and takes it again.
  // Meanwhile nobody watches over it: it is whoever works there that has to keep it sane.
  void lend(const std::function<void()>& work);

 private:
  Screen(process::Loop& loop, Events events);
  Result<void> take();
  void give_back();
  void read_keys();
  void read_signals();
  void hand(const std::vector<canvas::Key>& keys);

  process::Loop& loop_;
  Events events_;
  Kept modes_{};
  bool taken_ = false;
  std::unique_ptr<Keeper> keeper_;
  File signals_;
  process::WatchId input_watch_{}, signal_watch_{};
  bool watching_ = false;
  canvas::KeyReader reader_;
  std::optional<process::TimerId> escape_;
  canvas::Canvas shown_;
};

// Why a dashboard cannot be shown here; nothing: it can. Error refused, with what to do.
Result<void> can_show();

}  // namespace capsule::terminal
