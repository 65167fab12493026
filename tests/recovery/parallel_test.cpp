// Several Capsules on one project, and agents whose Capsule is gone.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "tests/recovery/project.h"

namespace capsule::test {
namespace {

class SeveralCapsules : public RecoveryTest {
 protected:
  std::string merges(const Place& place) const {
    return git(place, {"log", "--merges", "--format=%s", "main"});
  }
};

TEST_F(SeveralCapsules, TheSecondOnABeadIsRefusedAndNamesPidAndHostOfTheFirst) {
  const Place place = make_place("project");
  hold("execute");
  Running first(calling(place, {"run", kPlain}));
  ASSERT_TRUE(waiting()) << first.err_so_far();
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  for (const char* command : {"run", "merge"}) {
    const Outcome second = capsule_in(place, {command, kPlain});
    EXPECT_EQ(second.exit_code, 2) << command;
    EXPECT_HAS(second.err, std::to_string(first.pid()));
    EXPECT_HAS(second.err, host);
  }
  const Outcome prep = capsule_in(place, {"prep", kPlain});
  EXPECT_EQ(prep.exit_code, 1);
  EXPECT_HAS(prep.err, "already exists");
  EXPECT_HAS(prep.err, std::to_string(first.pid()));
  EXPECT_HAS(prep.err, host);
  release();
  EXPECT_EQ(first.wait().exit_code, 0);
  EXPECT_EQ(merges(place), "Merge plain-1: Make plain-1\n");
}

TEST_F(SeveralCapsules, AnotherBeadRunsMeanwhileAndBothAreMerged) {
  const Place place = make_place("project");
  before("execute",
         "if [ $bead = plain-1 ]; then : >\"$notes/waiting\"; "
         "while [ ! -e \"$notes/released\" ]; do sleep 0.02; done; fi");
  Running first(calling(place, {"run", kPlain}));
  ASSERT_TRUE(waiting()) << first.err_so_far();
  const Outcome other = capsule_in(place, {"run", "plain-2"});
  EXPECT_EQ(other.exit_code, 0) << other.out << other.err;
  release();
  const Outcome outcome = first.wait();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(merges(place), "Merge plain-1: Make plain-1\nMerge plain-2: Make plain-2\n");
}

TEST_F(SeveralCapsules, FourAtOnceAllEndMergedOnceEach) {
  const Place place = make_place("project");
  std::vector<std::unique_ptr<Running>> runs;
  for (const char* bead : {"plain-1", "plain-2", "plain-3", "plain-4"})
    runs.push_back(std::make_unique<Running>(calling(place, {"run", bead})));
  for (const auto& run : runs) {
    const Outcome outcome = run->wait();
    EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  }
  std::vector<std::string> merged = lines_in(merges(place));
  std::sort(merged.begin(), merged.end());
  EXPECT_EQ(merged, (std::vector<std::string>{
                        "Merge plain-1: Make plain-1", "Merge plain-2: Make plain-2",
                        "Merge plain-3: Make plain-3", "Merge plain-4: Make plain-4"}));
  EXPECT_EQ(git(place, {"branch", "--format=%(refname:short)"}), "main\n");
}

TEST_F(SeveralCapsules, TwoInsideWallsEndMergedOnceEachAndASecondOnABeadIsRefused) {
  inside_walls_with_notes();
  const Place place = make_place("project");
  before("execute",
         ": >\"$notes/waits-$bead\"; until [ -e \"$notes/released\" ]; do sleep 0.02; done");
  Running first(calling(place, {"run", kPlain}));
  Running second(calling(place, {"run", "plain-2"}));
  for (const char* bead : {"plain-1", "plain-2"})
    ASSERT_TRUE(eventually([&] {
      return std::filesystem::exists(note(std::string("waits-") + bead));
    })) << first.err_so_far();
  EXPECT_EQ(capsule_in(place, {"run", kPlain}).exit_code, 2);
  release();
  for (Running* run : {&first, &second}) {
    const Outcome outcome = run->wait();
    EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
    EXPECT_HAS(outcome.out, "walls: worktree (namespaces");
  }
  std::vector<std::string> merged = lines_in(merges(place));
  std::sort(merged.begin(), merged.end());
  EXPECT_EQ(merged, (std::vector<std::string>{"Merge plain-1: Make plain-1",
                                              "Merge plain-2: Make plain-2"}));
  EXPECT_EQ(git(place, {"branch", "--format=%(refname:short)"}), "main\n");
  EXPECT_TRUE(nothing_left_of_walls(place.folder));
}

// Gone is gone: no entry in /proc, or a zombie that our harness has still to reap.
bool gone(const std::string& pid) {
  const std::string stat = read_file("/proc/" + pid + "/stat");
  const std::size_t name_end = stat.rfind(')');
  return name_end == stat.npos || stat.substr(name_end + 2, 1) == "Z";
}

TEST_F(SeveralCapsules, AnAgentWhoseCapsuleWasKilledIsEndedWithAllThatItStarted) {
  const Place place = make_place("project");
  // It ignores what it can, has a child in a session of its own, and would work on for ever.
  before(
      "execute",
      "trap '' TERM HUP INT; setsid sh -c 'trap \"\" TERM; echo $$ >\"$1/child\"; "
      "while :; do sleep 1; done' - \"$notes\" & while [ ! -s \"$notes/child\" ]; do sleep 0.02; "
      "done; echo $$ >\"$notes/agent\"; : >\"$notes/waiting\"; while :; do sleep 1; done");
  Running first(calling(place, {"run", kPlain}));
  ASSERT_TRUE(waiting()) << first.err_so_far();
  const std::vector<std::string> pids{lines_in(read_file(note("agent"))).at(0),
                                      lines_in(read_file(note("child"))).at(0)};
  for (const std::string& pid : pids) EXPECT_FALSE(gone(pid)) << pid;
  first.send(SIGKILL);
  EXPECT_TRUE(eventually([&] { return gone(pids[0]) && gone(pids[1]); }));
  EXPECT_EQ(first.wait().exit_code, 128 + SIGKILL);
  before("execute", "");
  EXPECT_EQ(capsule_in(place, {"run", kPlain}).exit_code, 0);
}

}  // namespace
}  // namespace capsule::test
