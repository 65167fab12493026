#include "workflow/approval.h"

#include "base/text.h"
#include "signal/vocabulary.h"

namespace capsule::workflow {
namespace {

constexpr std::size_t kFilesShown = 12;

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  for (const std::string_view word : words)
    if (signal::same_letters(text, word)) return true;
  return false;
}

}  // namespace

Approved approved_by(std::string_view text) {
  text = trimmed(text);
  if (is_one_of(text, {"approve", "approved", "yes", "y", "ok", "allow"})) return {true, ""};
  if (is_one_of(text, {"reject", "rejected", "no", "n"})) return {};
  // What follows the word and a colon is meant for whoever mends it, even if it says "ok".
  const std::size_t colon = text.find(':');
  if (colon != text.npos && is_one_of(trimmed(text.substr(0, colon)), {"reject", "rejected"}))
    return {false, std::string(trimmed(text.substr(colon + 1)))};
  return {false, std::string(text)};
}

std::string merge_question(std::string_view folder) {
  std::string text =
      "Everything is ready, and was tested as it would be merged. Shall it be merged? 'approve' "
      "merges it; 'reject: WHY' sends it back with your words.";
  if (!folder.empty())
    text += " You may change files in " + std::string(folder) +
            " first: what you changed is kept, checked again and merged with it.";
  return text;
}

std::vector<std::string> check_lines(const std::vector<event::CheckRun>& runs) {
  std::vector<std::string> lines;
  for (const event::CheckRun& run : runs) {
    std::string line = run.name + " (" + run.command + "): " + std::string(name_of(run.ending));
    if (run.by_name) {
      line += ", " + counted(static_cast<std::size_t>(run.passed), "test") +
              (run.passed == 1 ? " passes" : " pass");
      if (run.failed > 0) line += ", " + std::to_string(run.failed) + " fail";
      if (run.skipped > 0) line += ", " + std::to_string(run.skipped) + " skipped";
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

std::string merge_evidence(std::string_view onto, const std::vector<std::string>& files,
                           int changed, const std::vector<event::CheckRun>& runs) {
  std::string text =
      counted(static_cast<std::size_t>(changed), "file") + (changed == 1 ? " changes" : " change");
  if (!onto.empty()) text += ", on main at " + std::string(onto.substr(0, 12));
  text += ":\n";
  const std::size_t shown = std::min(files.size(), kFilesShown);
  for (std::size_t i = 0; i < shown; ++i) text += "- " + files[i] + "\n";
  if (static_cast<std::size_t>(changed) > shown)
    text += "- and " + std::to_string(static_cast<std::size_t>(changed) - shown) + " more\n";
  if (runs.empty())
    text += "No check was run on them: none is set, or these very files passed before.\n";
  for (const std::string& line : check_lines(runs)) text += line + "\n";
  return text;
}

bool voids_approval(event::MergeRefusal why) {
  using enum event::MergeRefusal;
  return why != checkout_in_the_way && why != refused && why != error && why != main_moved;
}

std::string guard_question(std::string_view who, const std::vector<std::string>& files) {
  return std::string(who) +
         " changed what the project's checks do, and the task does not ask for "
         "that: " +
         short_list(files) +
         ". 'approve' lets the change stand; 'reject', or words, have it put back.";
}

}  // namespace capsule::workflow
