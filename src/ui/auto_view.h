// What a person, or a program, sees of a headless run of auto mode.
#pragma once

#include <string>

#include "engine/auto_ports.h"
#include "ui/style.h"

namespace capsule::ui {

class AutoView : public engine::AutoListener {
 public:
  enum class Face { plain, live, json };
  AutoView(Face face, std::string run, Style style)
      : face_(face), run_(std::move(run)), style_(style) {}
  void on_fact(const event::auto_run::Fact& fact, const auto_mode::Run& before,
               const auto_mode::Run& after) override;

 private:
  void line(const std::string& text);
  void phase_ended(const auto_mode::Run& before, const auto_mode::Run& after);
  Face face_;
  std::string run_;
  Style style_;
  bool drawn_ = false;  // the line of a phase that is under way stands on the terminal
};

// What it came to, and what to do next.
std::string auto_summary(const auto_mode::Run& run, const Style& style);

// "[4/9] execution … ✓ (12s)"
std::string phase_line(auto_mode::Phase phase, const auto_mode::PhaseRecord& record,
                       const Style& style);

}  // namespace capsule::ui
