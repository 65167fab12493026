#include "world/auto_files.h"

#include "auto_state/state_file.h"
#include "base/files.h"
#include "base/text.h"
#include "json/value.h"

namespace capsule::world {
namespace {

using Json = json::Value;
namespace fact = event::auto_run;

constexpr const char* kRun = "run";
constexpr std::size_t kTitleBytes = 100;

}  // namespace

std::string run_of_state(const std::string& project) {
  const auto text = read_file_beneath(project, auto_state::kFile, auto_state::kMaxBytes);
  if (!text) return {};
  const auto document = auto_state::read_document(*text);
  return document ? document->json.text(kRun).value_or("") : std::string();
}

Result<void> AutoFiles::write(const auto_mode::Run& run) {
  TRY_VOID(write_state(run));
  if (run.rounds.size() != rounds_) TRY_VOID(write_rounds(run.rounds));
  rounds_ = run.rounds.size();
  return run.learnings.empty() ? Result<void>() : add_learnings(run);
}

Result<void> AutoFiles::write_state(const auto_mode::Run& run) const {
  json::Object json;
  json.set_text("schema_version", auto_state::kSchemaVersion);
  json.set_text(kRun, run_);
  auto_mode::State state = run.file;
  // Bound to a session that no hook will ever be called for by anybody else.
  state.session = run.session.empty() ? "capsule-" + run_ : run.session;
  return auto_state::save(project_, json, state);
}

Result<void> AutoFiles::write_rounds(const std::vector<fact::Reviewed>& rounds) const {
  Json list = Json::array();
  for (const fact::Reviewed& round : rounds) {
    Json verdicts = Json::array();
    for (const fact::ReviewVerdict& verdict : round.verdicts)
      verdicts.push_back({{"type", verdict.type},
                          {"verdict", fact::name_of(verdict.verdict)},
                          {"issues", verdict.issues},
                          {"timestamp", verdict.timestamp},
                          {"started_at", verdict.started_at},
                          {"ended_at", verdict.ended_at}});
    Json entry{{"verdicts", verdicts}, {"all_approved", auto_mode::all_approved(round)}};
    if (!round.note.empty()) entry["note"] = round.note;
    list.push_back(std::move(entry));
  }
  TRY_VOID(make_folders_beneath(project_, auto_state::kFolder));
  return write_file(project_ + "/" + auto_state::kFolder + "/validation-results.json",
                    Json{{"rounds", list}}.pretty());
}

Result<void> AutoFiles::add_learnings(const auto_mode::Run& run) const {
  const std::string name = std::string(auto_state::kFolder) + "/learnings.md";
  TRY_VOID(make_folders_beneath(project_, auto_state::kFolder));
  const auto before = read_file_beneath(project_, name);
  if (!before && before.error().reason != Reason::not_found) return tl::unexpected(before.error());
  std::string text = before.value_or("# Learnings\n");
  const std::string mark = " (run " + run_ + ")\n";
  if (text.find(mark) != text.npos) return {};  // a turn that was done again
  if (!text.ends_with('\n')) text += '\n';
  const std::string title =
      printable(run.begun.task.substr(0, run.begun.task.find('\n'))).substr(0, kTitleBytes);
  text += "\n## " + run.begun.at.substr(0, 10) + " " + title + mark + "\n" + run.learnings;
  return write_file(project_ + "/" + name, text);
}

}  // namespace capsule::world
