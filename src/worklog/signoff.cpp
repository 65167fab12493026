#include "worklog/signoff.h"

#include <optional>

#include "base/text.h"
#include "worklog/section.h"

namespace capsule::worklog {
namespace {

// X of a line "Verdict: X"; nullopt for any other line.
std::optional<std::string> verdict_of(std::string_view line) {
  constexpr std::string_view kLabel = "Verdict:";
  if (line.find("erdict") == line.npos) return std::nullopt;  // most lines, without a copy
  std::string plain;
  for (char c : line)
    if (c != '*' && c != '_' && c != '`') plain += c;
  std::string_view text = trimmed(plain);
  if (text.starts_with("- ") || text.starts_with("+ ")) text = trimmed(text.substr(2));
  if (!text.starts_with(kLabel)) return std::nullopt;
  return std::string(trimmed(text.substr(kLabel.size())));
}

}  // namespace

SignOff sign_off_of(std::string_view worklog) {
  const auto section = last_section_containing(worklog, "sign-off");
  if (!section) return SignOff::no_section;
  std::optional<std::string> last;
  for (std::string_view line :
       split(worklog.substr(section->begin, section->end - section->begin), '\n'))
    if (auto verdict = verdict_of(line)) last = std::move(verdict);
  if (!last) return SignOff::no_verdict;
  return *last == "PASS" ? SignOff::passed : SignOff::not_passed;
}

std::string_view describe(SignOff result) {
  switch (result) {
    case SignOff::passed:
      return "the worklog's sign-off section ends with 'Verdict: PASS'";
    case SignOff::no_section:
      return "the worklog has no sign-off section";
    case SignOff::no_verdict:
      return "the worklog's sign-off section has no verdict";
    case SignOff::not_passed:
      return "the last verdict in the worklog's sign-off section is not PASS";
  }
  return {};
}

}  // namespace capsule::worklog
