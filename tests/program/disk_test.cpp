// A disk that fills up while a run goes on: a small one, in a mount namespace of the test's own.
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "tests/program/project.h"

namespace capsule::test {
namespace {

namespace fs = std::filesystem;

class Disk : public ProjectTest {
 protected:
  void SetUp() override {
    ProjectTest::SetUp();
    disk_ = path("disk");
    fs::create_directories(disk_);
    if (::unshare(CLONE_NEWNS) != 0 ||
        ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("tmpfs", disk_.c_str(), "tmpfs", 0, "size=48m") != 0)
      GTEST_SKIP() << "cannot mount a small file system here";
    mounted_ = true;
    make_project(Way::binary, "disk/project");
    configure_gates();
  }
  void TearDown() override {
    ProjectTest::TearDown();
    if (mounted_) ::umount2(disk_.c_str(), MNT_DETACH);
  }
  // For an agent: so much is left afterwards. A tenth of the disk is to stay free.
  std::string fill(int kilobytes_left) const {
    const std::string df = "$(( $(df -k --output=avail '" + disk_ + "' | tail -1) - " +
                           std::to_string(kilobytes_left) + " ))";
    return "head -c " + df + "K /dev/zero >'" + filler() + "'\n";
  }
  std::string filler() const { return disk_ + "/filler"; }
  Running start() const { return Running(calling("run", {kBead})); }
  bool says(const Running& run, std::string_view words) const {
    return eventually([&] { return run.out_so_far().find(words) != std::string::npos; });
  }
  long times(const std::string& phase) const {
    const auto all = phases();
    return std::count(all.begin(), all.end(), phase);
  }
  std::string disk_;
  bool mounted_ = false;
};

TEST_F(Disk, ARunWaitsBeforeItIsFullSaysSoEverywhereAndGoesOnByItself) {
  on("execute", 1, fill(3000) + "work; pass");
  Running run = start();
  ASSERT_TRUE(says(run, "nothing new starts until there is more")) << run.out_so_far();
  const Json inbox = Json::parse(command("inbox", {"--json"}).out);
  ASSERT_EQ(inbox["items"].size(), 1U) << inbox.dump(1);
  const Json& item = inbox["items"][0];
  EXPECT_EQ(item["kind"], "disk");
  EXPECT_NE(item["text"].get<std::string>().find("Make room there"), std::string::npos);
  EXPECT_NE(item["since"].get<std::string>(), "");
  const Outcome status = command("status", {kBead});
  EXPECT_NE(status.out.find("room on the disk of"), std::string::npos) << status.out;
  EXPECT_EQ(phases().back(), "execute") << "nobody began";
  fs::remove(filler());
  const Outcome outcome = run.wait();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_NE(outcome.out.find("the disk has room again"), std::string::npos) << outcome.out;
  EXPECT_EQ(times("execute"), 1) << "it cost no attempt";
  EXPECT_TRUE(is_closed());
}

TEST_F(Disk, AnAgentThatFillsItIsEndedBeforeTheRunIsHurtAndCalledAgain) {
  on("execute", 1, fill(600) + "sleep 1000");
  on("execute", 2, "work; pass");
  Running run = start();
  ASSERT_TRUE(says(run, "ended, since the disk is nearly full")) << run.out_so_far();
  EXPECT_EQ(times("execute"), 1);
  fs::remove(filler());
  const Outcome outcome = run.wait();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(times("execute"), 2);
  EXPECT_EQ(outcome.out.find("attempt 2"), std::string::npos) << outcome.out;
}

TEST_F(Disk, ARunThatWaitsForRoomCanBeStoppedAndTakenUp) {
  on("execute", 1, fill(3000) + "work; pass");
  Running run = start();
  ASSERT_TRUE(says(run, "nothing new starts until there is more")) << run.out_so_far();
  run.send(SIGINT);
  EXPECT_NE(run.wait().exit_code, 0);
  fs::remove(filler());
  const Outcome again = run_bead({"--resume"});
  EXPECT_EQ(again.exit_code, 0) << again.out << again.err;
  EXPECT_TRUE(is_closed());
}

}  // namespace
}  // namespace capsule::test
