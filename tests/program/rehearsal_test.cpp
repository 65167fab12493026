// The rehearsal agent is an agent like any other.
#include <filesystem>

#include "tests/program/project.h"

namespace capsule::test {
namespace {

class Rehearsal : public ProjectTest {
 protected:
  // What the journal of a whole run says, without what differs from run to run: times, places, ids.
  std::vector<Json> journal_of_a_run(const std::string& provider, const std::string& option,
                                     const std::string& text) {
    make_project(Way::binary, provider);
    const std::string file = path(provider + ".agent");
    write_file(file, text);
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    const bool plays = option == "cassette";
    configure("{provider: " + provider + ", providers: {" + provider + ": {" + option + ": " +
              (plays ? "'" + file + "'" : "['" + file + "']") + "}}}");
    const Outcome outcome = run_bead({"--json"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
    std::vector<Json> facts;
    for (Json fact : events_of(outcome.out)) {
      for (const char* key :
           {"at", "run", "duration_ms", "log", "provider", "commit", "onto", "tree", "head", "ref",
            "worktree", "base", "main_before", "folder", "merged_as"})
        fact.erase(key);
      if (fact["event"] == "run_ended") fact.erase("detail");  // the commit
      if (fact["event"] == "supply_agent_used")                // named after the run
        for (const char* key : {"session", "conversation", "day"}) fact.erase(key);
      if (fact.contains("usage"))
        for (const char* key : {"duration_ms", "checks_ms"}) fact["usage"].erase(key);
      facts.push_back(std::move(fact));
    }
    return facts;
  }
};

constexpr const char* kCassette = R"(
cassette: 1
takes:
  - phase: test-writer
    steps:
      - write: tests/feature_test.sh
        text: "grep -q done feature.txt\n"
      - signal: {status: PASS, feedback: red, files_changed: [tests/feature_test.sh], summary: s}
  - phase: test-review
    steps:
      - signal: {status: NEEDS_WORK, feedback: more, files_changed: [], summary: s}
  - phase: test-review
    attempt: 2
    steps:
      - signal: {status: PASS, feedback: fine, files_changed: [], summary: s}
  - phase: test-writer
    attempt: 2
    steps:
      - write: tests/feature_test.sh
        text: "grep -qx done feature.txt\n"
      - signal: {status: PASS, feedback: red, files_changed: [tests/feature_test.sh], summary: s}
  - phase: execute
    steps:
      - write: feature.txt
        text: "done\n"
      - signal: {status: PASS, feedback: green, files_changed: [feature.txt], summary: s}
  - phase: execute-review
    steps:
      - signal: {status: PASS, feedback: fine, files_changed: [], summary: s}
  - phase: sign-off
    steps:
      - worklog: "### Attempt 1\n\nVerdict: PASS\n"
      - signal: {status: PASS, feedback: fine, files_changed: [], summary: s}
  - phase: merge
    steps:
      - run: [git, add, feature.txt, tests]
      - run: [git, commit, -q, -m, x]
      - signal: {status: PASS, feedback: in, files_changed: [feature.txt, tests/feature_test.sh], summary: s}
)";

constexpr const char* kScript = R"(#!/bin/sh
say() { printf '{"status":"%s","feedback":"%s","files_changed":[%s],"summary":"s"}\n' "$@"; }
case $CAPSULE_PHASE-$CAPSULE_ATTEMPT in
  test-writer-1) mkdir -p tests; echo 'grep -q done feature.txt' >tests/feature_test.sh
    say PASS red '"tests/feature_test.sh"' ;;
  test-writer-*) echo 'grep -qx done feature.txt' >tests/feature_test.sh
    say PASS red '"tests/feature_test.sh"' ;;
  test-review-1) say NEEDS_WORK more '' ;;
  execute-1) echo 'done' >feature.txt; say PASS green '"feature.txt"' ;;
  sign-off-1) printf '### Attempt 1\n\nVerdict: PASS\n' >>worklog.md; say PASS fine '' ;;
  merge-1) git add feature.txt tests && git commit -q -m x
    say PASS in '"feature.txt","tests/feature_test.sh"' ;;
  *) say PASS fine '' ;;
esac
)";

TEST_F(Rehearsal, ACommandWithTheSameStepsGivesTheSameJournal) {
  const auto played = journal_of_a_run("rehearsal", "cassette", kCassette);
  const auto commanded = journal_of_a_run("mine", "command", kScript);
  ASSERT_EQ(played.size(), commanded.size());
  for (std::size_t i = 0; i < played.size(); ++i) EXPECT_EQ(played[i], commanded[i]);
}

}  // namespace
}  // namespace capsule::test
