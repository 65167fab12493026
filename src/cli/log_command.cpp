// capsule log: what the agents of a bead's newest run printed, from its worktree or its archive.
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/files.h"
#include "base/ids.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/project_args.h"
#include "ui/run_view.h"
#include "ui/view.h"
#include "workspace/workspace.h"

namespace capsule::cli {
namespace {

namespace fs = std::filesystem;

constexpr Positional kPositionals[] = {{"BEAD", "Whose agents"}};
constexpr Option kOptions[] = {
    {"phase", "PHASE", "Only this phase, such as execute"},
    {"follow", "", "Go on while the run goes on; Ctrl-C ends it"},
    kProjectDir,
};
constexpr int kPollMilliseconds = 200;
constexpr std::size_t kLongestHeldLine = 64 * 1024;

// A log file is called <phase>-<YYYYMMDD-HHMMSS>-<pid>.log, with .stderr behind it for the other
// stream. Nothing else in the folder is one.
struct LogName {
  std::string phase, stamp, pid;
  bool err = false;
};

std::optional<LogName> log_name(std::string name) {
  LogName result;
  constexpr std::string_view kErr = ".stderr", kLog = ".log";
  if (name.ends_with(kErr)) result.err = true, name.resize(name.size() - kErr.size());
  if (!name.ends_with(kLog)) return std::nullopt;
  name.resize(name.size() - kLog.size());
  const std::size_t last = name.rfind('-');
  const std::size_t time = last == name.npos || last == 0 ? name.npos : name.rfind('-', last - 1);
  const std::size_t day = time == name.npos || time == 0 ? name.npos : name.rfind('-', time - 1);
  if (day == name.npos) return std::nullopt;
  result.phase = name.substr(0, day);
  result.stamp = name.substr(day + 1, last - day - 1);
  result.pid = name.substr(last + 1);
  if (!valid_id(result.phase)) return std::nullopt;
  return result;
}

// Where the logs are: the worktree while there is one, the archive afterwards.
struct Place {
  std::string root, below;  // opened beneath `root`, for an agent can write there
};

Place place_of(const world::Project& project, const std::string& bead) {
  const std::string worktree = workspace::worktree_path(project.repository, bead);
  if (is_folder(worktree + "/.capsule/output")) return {worktree, ".capsule/output/"};
  return {workspace::archive_path(project.repository, bead), ""};
}

// Writes to stdout: the bytes as they are into a pipe or file; on a terminal whole lines, harmless.
class Printer {
 public:
  Printer() : terminal_(::isatty(STDOUT_FILENO) == 1) {}

  Result<void> heading(const std::string& text) {
    TRY_VOID(flush());
    const std::string line = (first_ ? "" : "\n") + std::string("==> ") + text + " <==\n";
    first_ = false;
    return write_all(STDOUT_FILENO, line, "stdout");
  }
  Result<void> bytes(std::string_view text) {
    at_line_start_ = text.empty() ? at_line_start_ : text.back() == '\n';
    if (!terminal_) return write_all(STDOUT_FILENO, text, "stdout");
    held_ += text;
    std::string out;
    std::size_t from = 0;
    for (std::size_t end; (end = held_.find('\n', from)) != held_.npos; from = end + 1)
      out += harmless(std::string_view(held_).substr(from, end - from)) + "\n";
    held_.erase(0, from);
    if (held_.size() > kLongestHeldLine) out += harmless(held_), held_.clear();
    return write_all(STDOUT_FILENO, out, "stdout");
  }
  // Ends a line that the agent did not end, so that what follows stands by itself.
  Result<void> flush() {
    std::string out = harmless(held_);
    held_.clear();
    if (!at_line_start_) out += "\n";
    at_line_start_ = true;
    return write_all(STDOUT_FILENO, out, "stdout");
  }

 private:
  static std::string harmless(std::string_view line) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    return printable(replace_all(line, "\t", "    "));
  }
  bool terminal_;
  bool first_ = true;
  bool at_line_start_ = true;
  std::string held_;
};

class Reader {
 public:
  Reader(const world::Project& project, std::string bead, std::string phase)
      : project_(project), bead_(std::move(bead)), phase_(std::move(phase)) {}

  // Shows what has come since the last call. Files that a run moved to the archive meanwhile go on
  // where they were left.
  Result<void> show(const ui::RunView& run) {
    const Place place = place_of(project_, bead_);
    for (const std::string& name : names(place, run)) TRY_VOID(show_file(place, name));
    return {};
  }
  bool shown_anything() const { return !offsets_.empty(); }
  Result<void> finish() { return printer_.flush(); }

 private:
  // In the order in which the phases ran: the journal's, then the newest by their time.
  std::vector<std::string> names(const Place& place, const ui::RunView& run) const {
    std::map<std::string, std::size_t> order;
    for (const event::PipelineFact& fact : run.facts)
      if (const auto* finished = std::get_if<event::PhaseFinished>(&fact))
        order.emplace(finished->log.substr(finished->log.rfind('/') + 1), order.size());
    using Key = std::tuple<std::size_t, std::string, std::size_t, std::string, std::string>;
    std::vector<Key> found;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(place.root + "/" + place.below, error)) {
      const std::string name = entry.path().filename().string();
      const auto parts = log_name(name);
      if (!parts || (!phase_.empty() && parts->phase != phase_)) continue;
      const auto known = order.find(name.substr(0, name.find(".log") + 4));
      found.emplace_back(known == order.end() ? order.size() : known->second, parts->stamp,
                         parts->pid.size(), parts->pid, name);
    }
    std::sort(found.begin(), found.end());
    std::vector<std::string> result;
    for (const Key& key : found) result.push_back(std::get<4>(key));
    return result;
  }

  Result<void> show_file(const Place& place, const std::string& name) {
    const auto file = open_beneath(place.root, place.below + name, O_RDONLY);
    if (!file) return {};  // gone, or no file
    off_t& offset = offsets_.try_emplace(name, 0).first->second;
    std::string buffer(1 << 16, '\0');
    for (;;) {
      const ssize_t n = ::pread(file->fd(), buffer.data(), buffer.size(), offset);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return {};
      if (current_ != name) TRY_VOID(printer_.heading(name));
      current_ = name;
      TRY_VOID(printer_.bytes({buffer.data(), static_cast<std::size_t>(n)}));
      offset += n;
    }
  }

  const world::Project& project_;
  std::string bead_, phase_;
  std::map<std::string, off_t> offsets_;
  std::string current_;
  Printer printer_;
};

Result<int> log(const Args& args) {
  const std::string bead = TRY(bead_argument(args));
  const std::string phase(args.option("phase").value_or(""));
  if (args.option("phase") && !valid_id(phase))
    return fail(Reason::usage, "'" + printable(phase.substr(0, 120)) + "' is not a phase name",
                "phases: test-writer, test-review, execute, execute-review, sign-off, merge");
  const world::Project project = TRY(open_project(args));
  const auto store = TRY(world::journal_of(project));
  ui::RunView none;
  Reader reader(project, bead, phase);
  for (;;) {
    // Asked before the files are read: what a run wrote before it ended is never missed.
    const auto run = store == nullptr ? std::nullopt : TRY(ui::newest_run(*store, *store, bead));
    TRY_VOID(reader.show(run ? *run : none));
    if (!args.flag("follow") || !run || !run->live()) break;
    ::poll(nullptr, 0, kPollMilliseconds);
  }
  TRY_VOID(reader.finish());
  if (!reader.shown_anything())
    return fail(Reason::not_found,
                "there is no output of " + bead + (phase.empty() ? "" : " in " + phase),
                "see what there is: capsule status" + project.option);
  return 0;
}

int log_main(const Args& args) {
  const auto code = log(args);
  return code ? *code : report(code.error(), code.error().reason == Reason::usage ? 2 : 1);
}

}  // namespace

Command log_command() {
  return {.path = "log",
          .summary = "Print what the agents of a bead's newest run printed",
          .details =
              "One heading a file, in the order in which the phases ran: from the worktree while "
              "there is one, from the archive afterwards. What an agent wrote to stderr follows "
              "what it wrote to stdout. On a terminal control characters are shown as \\xNN; into "
              "a pipe or file the bytes go as they are.\n\n"
              "Exit codes: 0 shown; 1 there is none; 2 wrong usage.",
          .positionals = kPositionals,
          .options = kOptions,
          .run = log_main,
          .examples =
              "  capsule log demo-1.1.1\n  capsule log demo-1.1.1 --phase=execute\n"
              "  capsule log demo-1.1.1 --follow"};
}

}  // namespace capsule::cli
