#include "ui/delivery_view.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

#include "base/clock.h"
#include "base/print.h"

namespace capsule::ui {
namespace {

constexpr std::chrono::milliseconds kFrame{200};

winsize terminal_size() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) size = {24, 80, 0, 0};
  return size;
}

}  // namespace

DeliveryView::DeliveryView(Face face, std::string run, process::Loop& loop)
    : face_(face),
      run_(std::move(run)),
      loop_(loop),
      style_(style_for(STDOUT_FILENO)),
      narrator_(style_) {
  if (face_ == Face::live) timer_ = loop_.after(kFrame, [this] { tick(); });
}

DeliveryView::~DeliveryView() { close(); }

void DeliveryView::on_facts(const std::vector<engine::DeliveryFact>& facts,
                            const delivery::State& after, const std::string& at) {
  state_ = &after;
  std::string text;
  for (const engine::DeliveryFact& fact : facts) {
    if (const auto* started = std::get_if<event::delivery::AgentDispatched>(&fact))
      times_.began_ms[started->agent] = monotonic_ms();
    if (const auto* ended = std::get_if<event::delivery::AgentFinished>(&fact))
      times_.began_ms.erase(ended->agent);
    if (face_ == Face::quiet) continue;
    text += face_ == Face::json ? delivery_json(fact, run_, at) : narrator_.line(fact, after);
  }
  if (face_ == Face::live) wipe();
  print(text);
  if (face_ == Face::live) draw();
}

void DeliveryView::tell(const std::string& text) {
  if (face_ == Face::json || face_ == Face::quiet) return;
  if (face_ == Face::live) wipe();
  print(text);
  if (face_ == Face::live) draw();
}

void DeliveryView::tick() {
  wipe();
  draw();
  timer_ = loop_.after(kFrame, [this] { tick(); });
}

void DeliveryView::draw() {
  if (state_ == nullptr) return;
  const winsize size = terminal_size();
  times_.now_ms = monotonic_ms();
  const std::string picture =
      board(*state_, times_, last_line, size.ws_col, std::max<int>(size.ws_row / 2, 4), style_);
  drawn_ = static_cast<int>(std::count(picture.begin(), picture.end(), '\n'));
  print(picture);
}

// The board is drawn anew below what was told meanwhile.
void DeliveryView::wipe() {
  if (drawn_ > 0) print("\x1b[" + std::to_string(drawn_) + "A\x1b[J");
  drawn_ = 0;
}

void DeliveryView::close() {
  if (face_ != Face::live) return;
  loop_.cancel(timer_);
  wipe();
  face_ = Face::plain;
}

}  // namespace capsule::ui
