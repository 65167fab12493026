#include "tests/recovery/project.h"

#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <set>

#include "base/text.h"
#include "event/pipeline.h"
#include "event/supply.h"
#include "store/store.h"

namespace capsule::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kAgent = R"SH(#!/bin/sh
set -eu
notes='@NOTES@'
bead=$CAPSULE_BEAD phase=$CAPSULE_PHASE attempt=$CAPSULE_ATTEMPT
entry() { printf '\n## Phase: %s\n\n- attempt %s of the script\n%s\n' "$phase" "$attempt" "${1-}" >>worklog.md; }
say() { printf '{"status":"%s","feedback":"%s","files_changed":[%s],"summary":"did %s"}\n' "$1" "$2" "${3-}" "$phase"; }
[ ! -f "$notes/before-$phase" ] || . "$notes/before-$phase"
test="tests/${bead}_test.sh"
case $phase in
  test-writer)
    mkdir -p tests
    echo "grep -q done $bead.txt # attempt $attempt" >"$test"
    entry
    say PASS 'tests are there' "\"$test\"" ;;
  test-review)
    entry
    case $bead-$attempt in
      retried-*-1) say NEEDS_WORK 'once more' ;;
      *) say PASS fine ;;
    esac ;;
  execute)
    echo done >"$bead.txt"
    say PASS 'all green' "\"$bead.txt\"" ;;
  execute-review) say PASS fine ;;
  sign-off)
    entry 'Verdict: PASS'
    say PASS signed ;;
  merge)
    git add "$test" "$bead.txt"
    git commit -q -m "$CAPSULE_COMMIT_MSG"
    say PASS committed "\"$test\",\"$bead.txt\"" ;;
esac
)SH";

std::string bead_line(const std::string& id) {
  return R"({"id":")" + id + R"(","title":"Make )" + id +
         R"(","issue_type":"task","status":"open","priority":2,"description":"Do it",)"
         R"("acceptance_criteria":"- It is done","created_at":"2026-01-01T00:00:00Z",)"
         R"("updated_at":"2026-01-01T00:00:00Z","dependencies":[]})"
         "\n";
}

// What differs from run to run by its nature.
std::string without_run(std::string text, const std::string& run) {
  return replace_all(text, run, "RUN");
}

// A phase that was cut off starts again, a merge is intended again: these may stand more than once.
// Whatever is counted here must stand exactly as often as in a run that was never cut off.
std::string recorded(const std::vector<event::PipelineFact>& facts) {
  std::string text;
  for (const event::PipelineFact& fact : facts) {
    const std::string kind(event::kind_of(fact));
    if (std::holds_alternative<event::PhaseStarted>(fact) ||
        std::holds_alternative<event::MergeIntended>(fact) ||
        std::holds_alternative<event::RunResumed>(fact))
      continue;
    // An end that was not the last word was taken back by going on.
    if (const auto* ended = std::get_if<event::RunEnded>(&fact))
      if (ended->outcome != event::Outcome::merged) continue;
    text += kind;
    if (const auto* f = std::get_if<event::PhaseFinished>(&fact)) {
      if (f->fault != event::Fault::none) {
        text.resize(text.size() - kind.size());
        continue;
      }
      text += " " + f->phase + " " + std::string(signal::name_of(f->status)) + " attempt " +
              std::to_string(f->attempt);
    }
    if (const auto* f = std::get_if<event::PhaseChecked>(&fact))
      for (const event::Claim& claim : f->claims)
        text += " [" + claim.what + " " + std::string(name_of(claim.verdict)) + "]";
    text += "\n";
  }
  return text;
}

}  // namespace

bool full_tests() {
  const char* full = std::getenv("CAPSULE_TEST_FULL");
  return full != nullptr && std::string(full) == "1";
}

unsigned rotation() {
  const char* seed = std::getenv("CAPSULE_TEST_SEED");
  return seed != nullptr ? static_cast<unsigned>(std::atol(seed)) : 1;
}

std::vector<std::string> lines_in(const std::string& text) {
  std::vector<std::string> lines;
  for (const std::string_view line : split(text, '\n'))
    if (!line.empty()) lines.emplace_back(line);
  return lines;
}

void RecoveryTest::SetUp() {
  ProgramTest::SetUp();
  fs::create_directories(path("notes"));
  write_file(path("agent.sh"), replace_all(kAgent, "@NOTES@", path("notes")));
  write_file(
      path("home/.gitconfig"),
      "[user]\n\tname = A User\n\temail = user@example.org\n[init]\n\tdefaultBranch = main\n");
  env_ = {{"HOME", path("home")},
          {"XDG_CONFIG_HOME", std::nullopt},
          {"XDG_STATE_HOME", std::nullopt},
          {"GIT_CONFIG_NOSYSTEM", "1"},
          {"GIT_CONFIG_GLOBAL", std::nullopt},
          {"CAPSULE_TRACKER", "native"}};
  for (const char* name : {"CAPSULE_PROVIDER", "CAPSULE_PHASE_TIMEOUT", "CAPSULE_MAX_RETRIES",
                           "CAPSULE_MAIN_BRANCH", "CAPSULE_RUN", "CAPSULE_BEAD"})
    env_.emplace(name, std::nullopt);
}

void RecoveryTest::inside_walls_with_notes() {
  inside_walls({"notes"});
  // Else what the project's file names outside is not for everybody to read.
  fs::permissions(path(""), fs::perms::others_exec, fs::perm_options::add);
}

void RecoveryTest::TearDown() {
  release();
  for (const Place& place : places_) expect_sound(place);
  ProgramTest::TearDown();
}

Place RecoveryTest::make_place(const std::string& name, const std::string& more_config) {
  const Place place{path(name)};
  fs::create_directories(place.folder);
  git(place, {"init", "-q", "-b", "main"});
  write_file(place.folder + "/README.md", "A project\n");
  write_file(place.folder + "/.gitignore", "*.log\n");
  git(place, {"add", "."});
  git(place, {"commit", "-q", "-m", "Start"});
  std::string beads;
  for (const char* id : {kRetried, kPlain, "plain-2", "plain-3", "plain-4"}) beads += bead_line(id);
  write_file(place.folder + "/.beads/issues.jsonl", beads);
  write_file(place.folder + "/.capsule/config.yaml",
             "provider: script\n"
             "providers: {script: {command: [sh, " +
                 path("agent.sh") +
                 "], stdin: none}}\n"
                 "verify: {baseline: red-allowed, test: 'for t in tests/*_test.sh; do sh \"$t\" || "
                 "exit 1; done'}\n" +
                 more_config);
  write_file(place.folder + "/.git/info/exclude", ".capsule/\n.beads/\n");
  places_.push_back(place);
  return place;
}

Call RecoveryTest::calling(const Place& place, std::vector<std::string> args) const {
  return prepared({.args = std::move(args), .env = env_, .cwd = place.folder});
}

Outcome RecoveryTest::run_to_end(const Place& place, const std::string& bead) const {
  Outcome outcome = capsule_in(place, {"run", bead});
  if (outcome.exit_code == 2 && outcome.err.find("--resume") != std::string::npos)
    outcome = capsule_in(place, {"run", bead, "--resume"});
  return outcome;
}

void RecoveryTest::before(const std::string& phase, const std::string& script) const {
  write_file(note("before-" + phase), script + "\n");
}

void RecoveryTest::hold(const std::string& phase) const {
  before(phase, ": >\"$notes/waiting\"; while [ ! -e \"$notes/released\" ]; do sleep 0.02; done");
}
bool RecoveryTest::waiting() const {
  return eventually([&] { return fs::exists(note("waiting")); });
}
void RecoveryTest::release() const { write_file(note("released"), ""); }

std::string RecoveryTest::git(const Place& place, const std::vector<std::string>& args) const {
  Outcome outcome = call({.args = args, .env = env_, .cwd = place.folder, .program = "git"});
  EXPECT_EQ(outcome.exit_code, 0) << args.front() << ": " << outcome.err;
  return outcome.out;
}

std::vector<event::PipelineFact> RecoveryTest::facts(const Place& place,
                                                     const std::string& bead) const {
  std::vector<event::PipelineFact> all;
  const auto store = store::Store::open(place.folder, store::Access::read_only);
  if (!store) {
    ADD_FAILURE() << store.error().message;
    return all;
  }
  const auto heads = (*store)->runs_of(bead);
  if (!heads) {
    ADD_FAILURE() << heads.error().message;
    return all;
  }
  for (const engine::RunHead& head : *heads) {
    if (head.outcome == "prep_failed") continue;
    const auto read = (*store)->read(head.run, 0);
    if (!read) {
      ADD_FAILURE() << read.error().message;
      return all;
    }
    for (const event::Fact& fact : *read) {
      // Who the agents were differs from call to call, and is no part of what a run comes to.
      if (event::supply::is_supply(fact.kind)) continue;
      const auto typed = event::read_fact(fact.kind, fact.body);
      if (!typed) {
        ADD_FAILURE() << typed.error().message;
        return all;
      }
      all.push_back(*typed);
    }
  }
  return all;
}

std::string RecoveryTest::final_state(const Place& place, const std::string& bead) const {
  std::string run;
  std::string text;
  {
    const auto store = store::Store::open(place.folder, store::Access::read_only);
    if (!store) return store.error().message;
    const auto heads = (*store)->runs_of(bead);
    if (!heads || heads->empty()) return "no run";
    run = heads->back().run;
    // A run whose worktree could not be prepared has done nothing; the next one starts anew.
    const auto counted = std::count_if(heads->begin(), heads->end(), [](const auto& head) {
      return head.outcome != "prep_failed";
    });
    text += "runs: " + std::to_string(counted) + ", " + heads->back().outcome + "\n";
  }
  for (const std::string& line : lines_in(read_file(place.folder + "/.beads/issues.jsonl")))
    if (line.find("\"" + bead + "\"") != std::string::npos)
      text += std::string("bead: ") +
              (line.find(R"("status":"closed")") != std::string::npos ? "closed" : "not closed") +
              "\n";
  // Commits are numbered from the newest; parents by their numbers, trees by their ids.
  std::map<std::string, std::string> number;
  for (const std::string& id : lines_in(git(place, {"rev-list", "--topo-order", "main"})))
    number.emplace(id, "#" + std::to_string(number.size()));
  std::string history =
      git(place, {"log", "--topo-order", "--format=commit %H tree %T parents %P%n%B", "main"});
  for (const auto& [id, name] : number) history = replace_all(history, id, name);
  text += without_run(history, run) + git(place, {"ls-tree", "-r", "main"});
  text += "branches: " + git(place, {"branch", "--format=%(refname:short)"});
  text += "worktrees: " + std::to_string(lines_in(git(place, {"worktree", "list"})).size()) + "\n";
  const std::string archive = place.folder + "/.capsule/logs/" + bead;
  for (const std::string& line : lines_in(read_file(archive + "/worklog.md")))
    if (!line.starts_with("Started: ")) text += "worklog: " + line + "\n";
  text += "run-id: " + without_run(read_file(archive + "/run-id"), run);
  // A phase that was done twice may have left two logs, never none.
  std::set<std::string> logged;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(archive, error)) {
    const std::string name = entry.path().filename();
    const std::size_t stamp = name.find("-2");
    if (name.ends_with(".log") && stamp != name.npos) logged.insert(name.substr(0, stamp));
    if (entry.is_directory()) text += "archive holds a folder " + name + "\n";
  }
  for (const std::string& phase : logged) text += "log: " + phase + "\n";
  for (const std::string& ref :
       lines_in(git(place, {"for-each-ref", "--format=%(refname)", "refs/capsule/" + run})))
    if (!ref.ends_with("-unfinished")) text += "snapshot: " + without_run(ref, run) + "\n";
  return text + recorded(facts(place, bead));
}

void RecoveryTest::expect_sound(const Place& place) const {
  if (fs::exists(place.folder + "/.capsule/journal.db")) {
    const auto store = store::Store::open(place.folder, store::Access::read_write);
    ASSERT_TRUE(store) << store.error().message;
    const auto verified = (*store)->verify();
    EXPECT_TRUE(verified) << verified.error().message;
  }
  const Outcome fsck = call({.args = {"fsck", "--strict", "--no-dangling"},
                             .env = env_,
                             .cwd = place.folder,
                             .program = "git"});
  EXPECT_EQ(fsck.exit_code, 0) << fsck.out << fsck.err;
  EXPECT_EQ(git(place, {"status", "--porcelain"}), "") << "the user's checkout is not clean";
}

}  // namespace capsule::test
