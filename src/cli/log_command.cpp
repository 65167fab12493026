// capsule log: what the agents of a run printed, from its worktree, its archive or its folder of
// logs.
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <map>

#include "base/files.h"
#include "base/ids.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/run_args.h"
#include "world/logs.h"

namespace capsule::cli {
namespace {

constexpr Positional kLogPositionals[] = {kRun, kTask};
constexpr Option kLogOptions[] = {
    {"phase", "PHASE", "Only this phase, such as execute"},
    {"role", "ROLE", "Only agents of this role, such as developer; the same as --phase"},
    {"follow", "", "Go on while the run goes on; Ctrl-C ends it"},
    kProjectDir,
};
constexpr int kPollMilliseconds = 200;
constexpr std::size_t kLongestHeldLine = 64 * 1024;

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
  // Shows what has come since the last call. Files that a run moved to the archive meanwhile go on
  // where they were left.
  Result<void> show(const std::vector<world::LogFile>& files) {
    for (const world::LogFile& file : files) TRY_VOID(show_file(file));
    return {};
  }
  bool shown_anything() const { return !offsets_.empty(); }
  Result<void> finish() { return printer_.flush(); }

 private:
  Result<void> show_file(const world::LogFile& log) {
    const auto file = open_beneath(log.root, log.name, O_RDONLY);
    if (!file) return {};  // gone, or no file
    const std::string name = log.name.substr(log.name.rfind('/') + 1);
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

  std::map<std::string, off_t> offsets_;
  std::string current_;
  Printer printer_;
};

Result<std::string> wanted_role(const Args& args) {
  for (const char* name : {"phase", "role"}) {
    const auto given = args.option(name);
    if (!given) continue;
    if (valid_id(*given)) return std::string(*given);
    return fail(Reason::usage, "'" + printable(given->substr(0, 120)) + "' is no phase and no role",
                "phases: test-writer, test-review, execute, execute-review, sign-off, merge; "
                "roles: developer, critic, auditor, …");
  }
  return std::string();
}

Result<int> log(const Args& args) {
  const std::string role = TRY(wanted_role(args));
  const world::Project project = TRY(open_project(args));
  const auto store = TRY(world::journal_of(project));
  const std::string word(args.positional(0).value_or(""));
  Reader reader;
  for (;;) {
    // Asked before the files are read: what a run wrote before it ended is never missed.
    const auto found = find_run(args, project, store.get());
    if (!found) {
      // Phases that were run by hand have no run.
      if (found.error().reason != Reason::not_found || !valid_id(word) || args.positional(1))
        return tl::unexpected(found.error());
      TRY_VOID(reader.show(world::logs_of_bead(project, word, role)));
      break;
    }
    TRY_VOID(reader.show(world::logs_of(project, found->run, {role, found->task})));
    if (!args.flag("follow") || !found->run.live()) break;
    ::poll(nullptr, 0, kPollMilliseconds);
  }
  TRY_VOID(reader.finish());
  if (!reader.shown_anything())
    return fail(Reason::not_found,
                "there is no output of " + printable(word) + (role.empty() ? "" : " in " + role),
                "see what there is: capsule status" + project.option);
  return 0;
}

}  // namespace

Command log_command() {
  return {.path = "log",
          .summary = "Print what the agents of a run printed",
          .details =
              "One heading a file, in the order in which the agents were started: of a bead's "
              "newest run from the worktree while there is one, from the archive afterwards; of a "
              "delivery or auto mode from .capsule/logs/. With a plan and one of its tasks, only "
              "that task's agents. What an agent wrote to stderr follows what it wrote to stdout. "
              "On a terminal control characters are shown as \\xNN; into a pipe or file the bytes "
              "go as they are.\n\n"
              "Exit codes: 0 shown; 1 there is none; 2 an error.",
          .positionals = kLogPositionals,
          .options = kLogOptions,
          .run = log,
          .examples =
              "  capsule log demo-1.1.1 --phase=execute\n  capsule log demo-1.1.1 --follow\n"
              "  capsule log PLAN.md T-3 --role=critic\n  capsule log auto"};
}

}  // namespace capsule::cli
