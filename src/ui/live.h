// The run as a live picture on a terminal: five stages with attempts and elapsed time, and the last
// line of the agent's output. The picture is a pure function of the model; the view only writes it.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>

#include "engine/ports.h"
#include "ui/style.h"

namespace capsule::ui {

struct LiveStage {
  enum class Look { waiting, running, passed, failed } look = Look::waiting;
  std::string detail;  // "test-review: NEEDS_WORK (attempt 1/3)"
  std::int64_t began_ms = 0, took_ms = 0;
};

struct LiveModel {
  std::string title;
  std::array<LiveStage, 5> stages;
  std::string last_line;
  bool ended = false;
};

// Lines, each fitted into `columns`, every one ended by a line feed.
std::string picture(const LiveModel& model, std::size_t columns, std::int64_t now_ms,
                    const Style& style);

// The newest complete line of output that comes in pieces. Keeps a bounded tail.
class LastLine {
 public:
  void feed(std::string_view bytes);
  std::string take() const { return shown_; }

 private:
  std::string partial_, shown_;
};

class LiveView : public engine::Listener {
 public:
  struct Terminal {
    std::function<void(const std::string&)> write;
    std::function<std::size_t()> columns;
    std::function<std::int64_t()> now_ms;
  };
  LiveView(Style style, Terminal terminal) : style_(style), terminal_(std::move(terminal)) {}
  void on_fact(const event::PipelineFact& fact, const pipeline::State& after,
               const std::string& at) override;
  void on_output(std::string_view bytes) { line_.feed(bytes); }
  void draw();   // call about ten times a second
  void close();  // leaves the last picture standing

 private:
  LiveStage& enter(int stage);
  Style style_;
  Terminal terminal_;
  LiveModel model_;
  LastLine line_;
  int current_ = 0;
  int drawn_lines_ = 0;
};

}  // namespace capsule::ui
