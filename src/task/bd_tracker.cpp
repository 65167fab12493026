#include "task/bd_tracker.h"

#include <chrono>

#include "base/ids.h"
#include "base/text.h"
#include "task/bead_json.h"

namespace capsule::task {
namespace {

constexpr auto kPatience = std::chrono::seconds(60);
constexpr const char* kHint =
    "install beads (npm install -g @beads/bd@0.49.6), or set tracker: native";

// What bd said about its failure, short enough for a message.
std::string complaint(const process::Output& output) {
  const std::string_view said = trimmed(trimmed(output.err).empty() ? output.out : output.err);
  std::string text = said.empty() ? "no explanation" : std::string(said.substr(0, 500));
  return text + (output.term_signal != 0 ? " (signal " + std::to_string(output.term_signal) + ")"
                                         : " (exit " + std::to_string(output.exit_code) + ")");
}

}  // namespace

bool sounds_like_beads(std::string_view version_output) {
  const std::string_view text = trimmed(version_output);
  std::string line;
  for (const char c : text.substr(0, text.find('\n')))
    line += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  // Debian's bd prints a path or "No such occurrence."
  if (line.empty() || line.find('/') < line.find(' ')) return false;
  std::string_view rest = line;
  for (std::string_view word : {"bd", "beads", "version", "v"}) {
    if (rest.starts_with(word)) rest = trimmed(rest.substr(word.size()));
    if (rest.starts_with(':')) rest = trimmed(rest.substr(1));
  }
  return !rest.empty() && is_digit(rest.front()) && rest.find('.') != rest.npos;
}

Result<process::Output> run_bd(const std::string& project_dir, std::vector<std::string> words) {
  process::Spec spec;
  spec.argv = std::move(words);
  spec.argv.insert(spec.argv.begin(), "bd");
  spec.cwd = project_dir;
  // A daemon would outlive us and hold the folder.
  spec.env = {{"BEADS_NO_DAEMON", "1"}, {"BEADS_AUTO_START_DAEMON", "false"}};
  spec.deadline = process::Clock::now() + kPatience;
  auto output = process::run(spec);
  if (!output && output.error().reason == Reason::missing_program)
    return fail(Reason::missing_program, output.error().message, kHint);
  if (!output) return output;
  if (output->timed_out)
    return fail(Reason::timed_out, "bd " + spec.argv[1] + " did not finish within a minute");
  return output;
}

Result<BdKind> identify_bd(const std::string& project_dir) {
  const auto output = run_bd(project_dir, {"version"});
  if (!output && output.error().reason == Reason::missing_program) return BdKind::missing;
  // A file of that name that cannot be run, or hangs, is not beads either.
  if (!output && output.error().reason != Reason::not_found) return BdKind::other;
  if (!output) return tl::unexpected(output.error());
  if (sounds_like_beads(output->out)) return BdKind::beads;
  return !output->ok() || trimmed(output->out).empty() ? BdKind::silent : BdKind::other;
}

Result<Forwarded> forward(const std::string& project_dir, std::vector<std::string> words,
                          bool json) {
  if (json) words.emplace_back("--json");
  const auto output = TRY(run_bd(project_dir, std::move(words)));
  const auto harmless = [](std::string_view text) {
    std::string result;
    for (std::string_view line : split(text, '\n')) result += printable(line) + "\n";
    result.pop_back();
    return result;
  };
  return Forwarded{output.ok(), json ? output.out : harmless(output.out), harmless(output.err)};
}

Result<engine::Bead> BdTracker::show(std::string_view id) {
  TRY_VOID(check_id("bead id", id));
  const std::string name(id);
  const auto output = TRY(run_bd(project_dir_, {"show", name, "--json"}));
  // bd 0.49 answers nothing and exits with 0 when there is no such bead; its words are on stderr.
  if (!output.ok() || trimmed(output.out).empty())
    return fail(Reason::not_found,
                "bead '" + name + "' not found: bd show says: " + complaint(output));
  auto beads = beads_from_json(trimmed(output.out), id);
  if (!beads && beads.error().reason == Reason::not_found)
    return fail(Reason::not_found, "bead '" + name + "' not found: " + beads.error().message);
  if (!beads)
    return fail(Reason::damaged,
                "bd show " + name + " --json did not print a bead: " + beads.error().message);
  if (beads->empty()) return fail(Reason::not_found, "bead '" + name + "' not found by bd");
  engine::Bead bead = std::move(beads->front());
  bead.id = name;  // bd also takes the end of an id; what was asked for names the work
  return bead;
}

Result<std::vector<engine::Bead>> BdTracker::list(const engine::BeadFilter& filter) {
  std::vector<std::string> words{"list", "--json", "--limit=0"};
  if (!filter.parent.empty()) words.push_back("--parent=" + filter.parent);
  if (!filter.status.empty()) words.push_back("--status=" + filter.status);
  if (filter.all) words.emplace_back("--all");
  const auto output = TRY(run_bd(project_dir_, std::move(words)));
  if (!output.ok()) return fail(Reason::failed, "bd list failed: " + complaint(output));
  auto beads = beads_from_json(trimmed(output.out));
  if (!beads)
    return fail(Reason::damaged, "bd list --json did not print beads: " + beads.error().message);
  return beads;
}

Result<void> BdTracker::close(std::string_view id, std::string_view) {
  TRY_VOID(check_id("bead id", id));
  const auto output = TRY(run_bd(project_dir_, {"close", std::string(id)}));
  if (output.ok()) return {};
  return fail(Reason::failed, "bd close " + std::string(id) + " failed: " + complaint(output));
}

}  // namespace capsule::task
