#include "world/held_session.h"

#include "base/clock.h"
#include "base/files.h"
#include "base/text.h"
#include "engine/log.h"
#include "engine/run.h"
#include "event/auto.h"
#include "git/worktree.h"
#include "world/auto_files.h"
#include "world/auto_prompt.h"
#include "world/journal.h"
#include "world/runs.h"

namespace capsule::world {

namespace fact = event::auto_run;

Result<void> record_session(const std::string& folder) {
  const auto repository = git::open_repository(folder);
  if (!repository) return {};
  const auto text = read_file_beneath(folder, auto_state::kFile, auto_state::kMaxBytes);
  if (!text) return {};
  const auto document = auto_state::read_document(*text);
  if (!document || !run_of_state(folder).empty()) return {};
  TRY_VOID(git::exclude_capsule_dir(*repository, {std::string(auto_state::kFolder) + "/"}));
  const auto store = TRY(open_journal_in(repository->top));
  const std::string compact = document->json.compact();
  // The same workflow has the same start and task; another one is another run.
  std::string run;
  for (const engine::RunHead& head : TRY(store->runs_of(engine::kAutoSubject))) {
    if (head.workflow != engine::kAutoSession) continue;
    const std::vector<event::Fact> facts = TRY(store->read(head.run, 0));
    if (facts.empty()) continue;
    const auto newest = fact::read_fact(facts.back().kind, facts.back().body);
    const auto* seen = newest ? std::get_if<fact::SessionSeen>(&*newest) : nullptr;
    if (seen == nullptr) continue;
    if (seen->state == compact) return {};
    const auto before = auto_state::read_document(seen->state);
    if (before && before->state.started_at == document->state.started_at &&
        before->state.task == document->state.task)
      run = head.run;
  }
  engine::Log log(*store, run.empty() ? new_run_id() : run, std::string(engine::kAutoSession),
                  std::string(engine::kAutoSubject));
  if (!run.empty()) TRY(log.read());
  const std::string now = utc_now();
  const fact::Fact seen = fact::SessionSeen{compact, now};
  const event::NewFact envelope{std::string(fact::kind_of(seen)), now, fact::body_of(seen)};
  return log.append({&envelope, 1});
}

std::string session_state(const std::string& folder) {
  const auto text = read_file_beneath(folder, auto_state::kFile, auto_state::kMaxBytes);
  if (!text) return {};
  const auto document = auto_state::read_document(*text);
  return document && document->json.text("run").value_or("").empty() ? *text : std::string();
}

std::string state_folder(const std::string& folder) { return folder + "/" + auto_state::kFolder; }

tl::unexpected<Error> no_auto_mode(const std::string& folder) {
  return fail(Reason::not_found, "there is no auto mode in " + printable(folder),
              "start it: capsule auto start \"TASK\"");
}

Result<std::optional<auto_state::Document>> load_state(const std::string& folder,
                                                       const Warn& warn) {
  auto document = auto_state::load(folder);
  if (document || document.error().reason != Reason::damaged) return document;
  warn(document.error().message + "; " + document.error().hint);
  return std::nullopt;
}

Result<std::string> start_session(const std::string& folder, const SessionStart& start,
                                  const Warn& warn) {
  TRY_VOID(make_folders_beneath(folder, auto_state::kFolder));
  const auto lock = TRY(auto_state::Lock::take(folder));
  const auto before = TRY(load_state(folder, warn));
  if (before && before->state.active && !start.force)
    return fail(Reason::refused,
                "auto mode is already active, in phase " + printable(before->state.phase) + ": " +
                    printable(before->state.task.substr(0, 200)),
                "end it: capsule auto cancel; or replace it with --force");
  auto_mode::State state =
      auto_mode::started(start.task, start.config, start.max_iterations, utc_second());
  state.session = start.session;
  // Of the one that is replaced nothing is heard any more.
  if (before && before->state.active && run_of_state(folder).empty())
    TRY_VOID(
        auto_state::save(folder, before->json, auto_mode::cancelled(before->state, utc_second())));
  TRY_VOID(record_session(folder));
  TRY_VOID(auto_state::save(folder, {}, state));
  TRY_VOID(record_session(folder));
  return next_phase_prompt(folder, state, *auto_mode::current_phase(state));
}

Result<std::string> continue_session(const std::string& folder, const std::string& session) {
  const auto lock = TRY(auto_state::Lock::take(folder));
  const auto document = TRY(auto_state::load(folder));
  if (!document) return fail(Reason::not_found, "there is no auto mode to continue");
  const auto phase = auto_mode::unfinished_phase(document->state);
  if (!phase) return fail(Reason::refused, "auto mode is complete: there is nothing to continue");
  auto_mode::State state = document->state;
  if (state.active && !session.empty() && !state.session.empty() && state.session != session)
    return fail(Reason::refused,
                "auto mode is active in another session, " + printable(state.session),
                "go on there; or take it over: capsule auto cancel, then capsule auto continue");
  if (!state.active || (state.session.empty() && !session.empty())) {
    if (!state.active) state = auto_mode::continued(std::move(state), utc_second());
    state.session = session;
    TRY_VOID(auto_state::save(folder, document->json, state));
  }
  TRY_VOID(record_session(folder));
  return next_phase_prompt(folder, state, *phase);
}

Result<bool> cancel_session(const std::string& folder, const Warn& warn) {
  {
    const auto lock = TRY(auto_state::Lock::take(folder));
    const auto document = TRY(load_state(folder, warn));
    if (!document) return no_auto_mode(folder);
    if (!document->state.active) return false;
    TRY_VOID(auto_state::save(folder, document->json,
                              auto_mode::cancelled(document->state, utc_second())));
  }
  TRY_VOID(record_session(folder));
  return true;
}

Result<void> refuse_active_session(const std::string& folder, const Warn& warn) {
  const auto document = TRY(load_state(folder, warn));
  if (!document || !document->state.active || !run_of_state(folder).empty()) return {};
  return fail(Reason::refused,
              "auto mode is active in a session: " + printable(document->state.task.substr(0, 200)),
              "end it: capsule auto cancel; or replace it with --force");
}

}  // namespace capsule::world
