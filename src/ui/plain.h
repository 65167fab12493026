// The run as plain lines, for pipes and logs: the five stages, and each phase's verdict.
#pragma once

#include <functional>
#include <string>

#include "engine/ports.h"
#include "ui/style.h"

namespace capsule::ui {

class PlainView : public engine::Listener {
 public:
  using Write = std::function<void(const std::string&)>;
  PlainView(Style style, Write write) : style_(style), write_(std::move(write)) {}
  void on_fact(const event::PipelineFact& fact, const pipeline::State& after,
               const std::string& at) override;

 private:
  void stage(int number);
  Style style_;
  Write write_;
  int shown_stage_ = 0;
};

// The fact as one JSON object on a line: {"event":kind,"at":time,"run":id, …members}.
std::string json_line(const event::PipelineFact& fact, const std::string& run,
                      const std::string& at);

class JsonView : public engine::Listener {
 public:
  JsonView(std::string run, PlainView::Write write)
      : run_(std::move(run)), write_(std::move(write)) {}
  void on_fact(const event::PipelineFact& fact, const pipeline::State& after,
               const std::string& at) override;

 private:
  std::string run_;
  PlainView::Write write_;
};

// "[2/5] Phase pair: test-writer → test-review"
std::string stage_title(int stage, const Style& style);

}  // namespace capsule::ui
