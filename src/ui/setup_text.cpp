#include "ui/setup_text.h"

#include "base/enum_count.h"
#include "base/text.h"
#include "json/value.h"

namespace capsule::ui {
namespace {

using Json = json::Value;

}  // namespace

std::string findings_text(const world::Findings& findings, const Style& style) {
  constexpr signal::Status kTones[] = {signal::Status::pass, signal::Status::needs_work,
                                       signal::Status::error};
  constexpr std::string_view kMarks[] = {"✓", "!", "✗"};
  constexpr std::string_view kAscii[] = {"+", "!", "x"};
  static_assert(std::size(kTones) == enum_count<world::Health>() &&
                std::size(kMarks) == std::size(kTones) && std::size(kAscii) == std::size(kTones));
  std::string text;
  for (const world::Finding& finding : findings) {
    const auto i = static_cast<std::size_t>(finding.health);
    text += toned(style, tone_of(kTones[i]),
                  std::string(style.unicode ? kMarks[i] : kAscii[i]) + " " +
                      padded(name_of(finding.health), 8)) +
            padded(finding.what, 16) + printable(finding.text) + "\n";
    for (const std::string& line : finding.mend)
      text += std::string(26, ' ') + printable(line) + "\n";
  }
  return text + (is_ready(findings)
                     ? "\nA run can start: capsule run BEAD\n"
                     : "\nFix the problems (" + std::string(style.unicode ? kMarks[2] : kAscii[2]) +
                           ") before you start a run.\n");
}

std::string findings_json(const world::Findings& findings) {
  Json list = Json::array();
  for (const world::Finding& finding : findings)
    list.push_back({{"what", finding.what},
                    {"state", name_of(finding.health)},
                    {"text", finding.text},
                    {"mend", finding.mend}});
  return Json{{"ready", is_ready(findings)}, {"checks", list}}.compact() + "\n";
}

std::string steps_text(const world::InitSteps& steps, const std::string& option) {
  std::string text;
  bool changed = false;
  for (const world::InitStep& step : steps) {
    changed |= step.changed;
    text += std::string(step.changed ? "wrote  " : "kept   ") +
            (step.note.empty() ? step.what : padded(step.what, 30) + printable(step.note)) + "\n";
  }
  return text + (changed ? "\nReady. Next:\n" : "\nNothing was missing. Next:\n") +
         "  capsule doctor" + option + "\n  capsule bead create --title=\"…\"" + option +
         "\n  capsule run BEAD" + option + "\n";
}

std::string steps_json(const world::InitSteps& steps, const std::string& root) {
  Json list = Json::array();
  for (const world::InitStep& step : steps)
    list.push_back({{"what", step.what}, {"changed", step.changed}, {"note", step.note}});
  return Json{{"project", root}, {"steps", list}}.compact() + "\n";
}

}  // namespace capsule::ui
