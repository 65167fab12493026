#include "ui/run_view.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <ranges>

#include "base/files.h"
#include "base/text.h"
#include "engine/run_log.h"

namespace capsule::ui {
namespace {

Result<RunView> view_of(engine::Journal& journal, engine::Claims& claims,
                        const engine::RunHead& head) {
  RunView view;
  view.head = head;
  view.facts = TRY(engine::pipeline_facts(TRY(journal.read(head.run, 0))));
  view.report = report_of(view.facts);
  view.holder = TRY(claims.holder(head.subject));
  return view;
}

// The last line of a file that is not blank; at most its last 4 KiB are read.
std::string last_line(const std::string& root, const std::string& name) {
  constexpr off_t kBytes = 4096;
  const auto file = open_beneath(root, name, O_RDONLY);
  struct stat status {};
  if (!file || ::fstat(file->fd(), &status) != 0) return {};
  std::string end(kBytes, '\0');
  const ssize_t got =
      ::pread(file->fd(), end.data(), end.size(), std::max<off_t>(0, status.st_size - kBytes));
  end.resize(static_cast<std::size_t>(std::max<ssize_t>(0, got)));
  for (const std::string_view line : split(end, '\n') | std::views::reverse)
    if (!trimmed(line).empty()) return std::string(trimmed(line));
  return {};
}

}  // namespace

std::string last_words(const std::string& worktree, const std::vector<event::PipelineFact>& facts) {
  using event::PhaseFault;
  const event::PhaseFinished* last = nullptr;
  for (const event::PipelineFact& fact : facts)
    if (const auto* finished = std::get_if<event::PhaseFinished>(&fact)) last = finished;
  if (last == nullptr ||
      (last->fault != PhaseFault::no_signal && last->fault != PhaseFault::exit_status))
    return {};
  const std::string log = ".capsule/output/" + last->log.substr(last->log.rfind('/') + 1);
  const std::string out = last_line(worktree, log), err = last_line(worktree, log + ".stderr");
  const bool failed = last->exit_code != 0;
  return (failed ? !err.empty() : out.empty()) ? err : out;
}

Result<std::optional<RunView>> newest_run(engine::Journal& journal, engine::Claims& claims,
                                          const std::string& bead) {
  const std::vector<engine::RunHead> heads = TRY(journal.runs_of(bead));
  if (heads.empty()) return std::nullopt;
  return TRY(view_of(journal, claims, heads.back()));
}

Result<std::vector<RunView>> newest_runs(engine::Journal& journal, engine::Claims& claims) {
  std::vector<engine::RunHead> newest;
  for (engine::RunHead& head : TRY(journal.runs())) {
    if (head.workflow != "pipeline") continue;
    std::erase_if(newest, [&](const engine::RunHead& h) { return h.subject == head.subject; });
    newest.push_back(std::move(head));
  }
  std::vector<RunView> views;
  for (const engine::RunHead& head : newest) views.push_back(TRY(view_of(journal, claims, head)));
  return views;
}

std::string words_of(const engine::Holder& holder) {
  return "pid " + std::to_string(holder.process.pid) + " on " + printable(holder.process.host);
}

std::string minute_of(std::string_view utc) {
  return replace_all(utc.substr(0, std::string_view("2026-01-31T23:59").size()), "T", " ");
}

}  // namespace capsule::ui
