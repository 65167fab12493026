// What checks found, in words.
#include <algorithm>
#include <iterator>

#include "base/enum_count.h"
#include "base/text.h"
#include "workflow/progress.h"
#include "workflow/summary.h"

namespace capsule::workflow {
namespace {

constexpr std::size_t kNamedTests = 3;
constexpr std::size_t kFoundBytes = 300;
constexpr std::size_t kWhyBytes = 2000;

void add_part(std::string& text, const std::string& more) {
  if (!more.empty()) text += (text.empty() ? "" : "; ") + more;
}

// "3 new tests", "1 other".
std::string tests_of(int count, std::string_view kind, std::string_view one) {
  return counted(static_cast<std::size_t>(count),
                 std::string(kind) + (kind.empty() ? "" : " ") + std::string(one));
}
const char* fails(int count) { return count == 1 ? "fails" : "fail"; }
const char* passes(int count) { return count == 1 ? "passes" : "pass"; }

std::string first_line_of(std::string_view text) {
  return std::string(text.substr(0, text.find('\n')));
}

}  // namespace

std::string_view name_of(Finding finding) {
  constexpr std::string_view kNames[] = {"none", "held", "refused"};
  static_assert(std::size(kNames) == enum_count<Finding>());
  return kNames[static_cast<std::size_t>(finding)];
}

std::string_view name_of(CheckFor what) {
  constexpr std::string_view kNames[] = {"work", "baseline", "merge",  "health",
                                         "tree", "before",   "without"};
  static_assert(std::size(kNames) == enum_count<CheckFor>());
  return kNames[static_cast<std::size_t>(what)];
}

std::string evidence_words(const event::TestEvidence& e) {
  if (!e.by_name) return {};
  std::string text;
  if (e.failing > 0) text = tests_of(e.failing, "new", "test") + " " + fails(e.failing);
  if (e.passing > 0)
    add_part(text, tests_of(e.passing, "new", "test") +
                       (e.failed_before ? " failed before, " : " ") + passes(e.passing) +
                       (e.failed_before ? " now" : ""));
  if (e.others_pass > 0)
    add_part(text, (text.empty() ? tests_of(e.others_pass, "", "test")
                                 : tests_of(e.others_pass, "", "other")) +
                       " still " + passes(e.others_pass));
  if (e.others_fail > 0)
    add_part(text, tests_of(e.others_fail, "", "test") + " failed before, and still " +
                       (e.others_fail == 1 ? "does" : "do"));
  return text;
}

Finding finding_of(const std::vector<event::Claim>& claims) {
  Finding finding = Finding::none;
  for (const event::Claim& claim : claims) {
    if (claim.verdict == event::Verdict::broken) return Finding::refused;
    if (claim.verdict == event::Verdict::held) finding = Finding::held;
  }
  return finding;
}

event::Claim tried_to_change(const std::vector<std::string>& paths, const std::string& who) {
  return {"it only looked",
          event::Verdict::differs,
          who + (who.empty() ? "" : " ") + "tried to change " + short_list(paths) +
              "; nothing of that was kept",
          {}};
}

std::string found_words(const std::vector<event::Claim>& claims,
                        const std::vector<event::CheckRun>& runs) {
  std::string text;
  const bool refused = finding_of(claims) == Finding::refused;
  for (const event::CheckRun& run : runs)
    if (refused && run.by_name && run.failed > 0)
      add_part(text, tests_of(run.failed, "", "test") + " " + fails(run.failed) + ": " +
                         short_list(run.failing, kNamedTests));
  const bool by_name = !text.empty();
  for (const event::Claim& claim : claims) {
    // The names of the tests say it already.
    if (refused && by_name && claim.evidence.by_name) continue;
    if (refused && claim.verdict == event::Verdict::broken)
      add_part(text, claim.detail.empty() ? claim.what : first_line_of(claim.detail));
    if (!refused && claim.evidence.by_name)
      add_part(text,
               claim.detail.empty() ? evidence_words(claim.evidence) : first_line_of(claim.detail));
  }
  for (const event::CheckRun& run : runs)
    if (text.empty() && !refused && run.by_name)
      text = tests_of(run.passed, "", "test") + " " + passes(run.passed);
  return printable(cut(text, kFoundBytes));
}

std::string self_running_words(const SelfRunningSummary& changed) {
  std::vector<std::string> named;
  for (const event::SelfRunning& file : changed.files)
    named.push_back(file.path + " (" + file.by + ")");
  constexpr std::size_t kNamed = 6;
  std::string text = short_list(named, kNamed);
  if (static_cast<std::size_t>(changed.count) > named.size())
    text += " of " + std::to_string(changed.count);
  return printable("agents changed files that run by themselves at yours: " + text);
}

std::int64_t time_of(const std::vector<event::CheckRun>& runs) {
  std::int64_t total = 0;
  for (const event::CheckRun& run : runs) total += run.known ? 0 : run.duration_ms;
  return total;
}

std::string bounded_end(std::string_view text) {
  text = trimmed(text);
  if (text.size() <= kWhyBytes) return std::string(text);
  std::size_t from = text.size() - kWhyBytes;
  if (const std::size_t line = text.find('\n', from); line != text.npos) from = line + 1;
  return "…\n" + std::string(text.substr(from));
}

}  // namespace capsule::workflow
