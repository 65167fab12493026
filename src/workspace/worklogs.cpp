// The worklog of the subject's tree: made from its template, and mended where a phase left nothing.
#include "base/files.h"
#include "git/blob.h"
#include "git/paths.h"
#include "signal/contract.h"
#include "worklog/entry.h"
#include "worklog/template.h"
#include "workspace/trees.h"
#include "workspace/worklog_file.h"

namespace capsule::workspace {
namespace {

int times_in(std::string_view text, std::string_view part) {
  int count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != text.npos; at += part.size()) ++count;
  return count;
}

// Of what was checked, or is asked.
std::string entry_text(const workflow::WorklogEntry& entry) {
  if (entry.waits) return worklog::waiting_entry(entry.summary);
  return worklog::finding_entry({entry.phase, entry.attempt, signal::name_of(entry.status),
                                 entry.checked, entry.refused, entry.feedback});
}

}  // namespace

Result<void> put_worklog(const std::string& worktree, const std::string& text) {
  TRY_VOID(make_folders_beneath(worktree, ".capsule"));
  // Not synced: what counts is the snapshot, which is, and after a power cut the tree is put back
  // to it.
  return replace_file(worktree + "/" + kWorklogFile, text, 0644,
                      worktree + "/.capsule/worklog.new");
}

Result<std::string> Trees::fresh_worklog() const {
  if (!settings_.worklog) return std::string();
  const Briefing& b = settings_.worklog->briefing;
  const std::string now = settings_.worklog->utc_now();
  return worklog::render_worklog(
      settings_.worklog->text,
      {b.epic_id, b.epic_title, b.epic_goal, b.feature_id, b.feature_title, b.feature_goal,
       b.task_id, b.task_title, b.task_description, b.acceptance_criteria, now});
}

Result<void> Trees::note(Tree& tree, const workflow::WorklogEntry& entry,
                         const std::string& parent) {
  const std::string after = read_file_beneath(tree.path, kWorklogFile).value_or("");
  // Taken up by another process: what the last snapshot holds is what the phase began with.
  if (!tree.worklog_before && !parent.empty() && parent != tree.base)
    if (auto blob = git::read_blob(repository_, parent, kWorklogFile))
      tree.worklog_before = std::move(*blob);
  if (!tree.worklog_before) tree.worklog_before = TRY(fresh_worklog());
  const std::string& before = *tree.worklog_before;
  const bool finding = !entry.checked.empty() || entry.refused;
  if (!finding && worklog::has_new_entry(before, after, entry.phase)) return {};
  const std::string text =
      finding ? entry_text(entry)
              : worklog::entry_from({entry.phase, entry.attempt, signal::name_of(entry.status),
                                     entry.summary, entry.feedback});
  // Noted already, by a process that was cut off before its snapshot.
  if (times_in(after, text) > times_in(before, text)) return {};
  if (is_folder(tree.path + "/" + kWorklogFile)) return {};  // not ours to mend
  return put_worklog(tree.path,
                     worklog::with_entry(after.empty() ? before : after, entry.phase, text));
}

Result<void> Trees::add_notes(const std::string& name,
                              const std::vector<workflow::WorklogEntry>& notes) {
  if (name.empty() || !settings_.worklog || is_checkout(name)) return {};
  const std::string folder = blank(name).path;
  if (!git::is_plain_folder(folder) || is_folder(folder + "/" + kWorklogFile)) return {};
  for (const workflow::WorklogEntry& entry : notes) {
    const std::string worklog = read_file_beneath(folder, kWorklogFile).value_or("");
    const std::string text = entry_text(entry);
    if (times_in(worklog, text) > 0) continue;
    TRY_VOID(put_worklog(folder, worklog::with_entry(worklog, entry.phase, text)));
  }
  return {};
}

}  // namespace capsule::workspace
