// Limits in a real cgroup of version 2 that was given away: where root finds controllers of that
// version, one is made and marked as systemd marks it. Elsewhere these tests are left out, with a
// line that says so.
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/text.h"
#include "contain/cgroup.h"
#include "tests/program/project.h"

namespace capsule::test {
namespace {

namespace fs = std::filesystem;

class Delegated : public ProjectTest {
 protected:
  void SetUp() override {
    ProjectTest::SetUp();
    make_project(Way::binary);
    inside_walls({"mock"});
    const std::string mount = contain::cgroup_mount_in(read_file("/proc/self/mountinfo"));
    if (mount.empty()) GTEST_SKIP() << "no cgroups of version 2 here";
    folder_ = mount + "/capsule-test-" + std::to_string(::getpid());
    if (::mkdir(folder_.c_str(), 0755) != 0) {
      folder_.clear();
      GTEST_SKIP() << "no cgroup can be made in " << mount;
    }
    const auto there = contain::controllers_in(read_file(folder_ + "/cgroup.controllers"));
    if (there != contain::Controllers{true, true, true})
      GTEST_SKIP() << "its controllers memory, pids and cpu are not those of version 2 here";
    if (::setxattr(folder_.c_str(), "trusted.delegate", "1", 1, 0) != 0)
      GTEST_SKIP() << "it cannot be marked as given away";
  }
  void TearDown() override {
    if (!folder_.empty()) {
      std::ofstream(folder_ + "/cgroup.kill") << 1;
      EXPECT_TRUE(eventually([&] {
        ::rmdir((folder_ + "/capsule").c_str());
        return ::rmdir(folder_.c_str()) == 0;
      })) << folder_;
    }
    ProjectTest::TearDown();
  }
  // `capsule WORDS…` in it.
  Call in_cgroup(std::vector<std::string> words) const {
    Call call = calling("", {});
    call.program = "sh";
    call.args = {"-c", "echo $$ >\"$0/cgroup.procs\" && exec \"$@\"", folder_, CAPSULE_BINARY};
    call.args.insert(call.args.end(), words.begin(), words.end());
    return call;
  }
  Outcome inside(const std::string& limits, const std::string& script) const {
    write_file(path("home/.config/capsule/config.yaml"),
               "contain: {preset: worktree, " + limits + "}\n");
    return run(in_cgroup({"contain", "--", "sh", "-c", script}));
  }
  std::vector<std::string> commands() const {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(folder_))
      if (entry.path().filename().string().starts_with("capsule-")) found.push_back(entry.path());
    return found;
  }
  std::string folder_;
};

TEST_F(Delegated, MemoryOfAllTogetherIsHeldByTheKernel) {
  const Outcome outcome = inside("memory: 200MB",
                                 "for i in 1 2 3 4; do python3 -c 'import time; b = bytearray(90 "
                                 "<< 20); time.sleep(1000)' & done; wait");
  EXPECT_EQ(outcome.exit_code, 128 + SIGKILL) << outcome.out << outcome.err;
  EXPECT_HAS(outcome.err, "used more memory than contain.memory allows");
  EXPECT_TRUE(commands().empty());
}

TEST_F(Delegated, ProcessesAreCountedByTheKernelAlsoThoseOfRoot) {
  const Outcome outcome =
      inside("processes: 12", "for i in $(seq 40); do sleep 1000 & done 2>/dev/null; echo over");
  EXPECT_LACKS(outcome.out, "over") << "the shell cannot fork, and ends";
  EXPECT_TRUE(commands().empty());
}

TEST_F(Delegated, AShareOfTheProcessorsIsSetAndIsNoGap) {
  write_file(path("home/.config/capsule/config.yaml"), "contain: {preset: worktree, cpu: 20}\n");
  Running running(in_cgroup({"contain", "--", "sleep", "1000"}));
  EXPECT_TRUE(eventually([&] {
    const auto found = commands();
    return found.size() == 1 && read_file(found[0] + "/cpu.max") == "20000 100000\n" &&
           !read_file(found[0] + "/cgroup.procs").empty();
  })) << running.err_so_far();
  running.send(SIGTERM);
  (void)running.wait();
  EXPECT_TRUE(commands().empty());
}

TEST_F(Delegated, ARunLeavesNoCgroupNorDoesOneThatWasKilledOnceTheNextHasStarted) {
  configure_gates();
  on("execute", 1, "echo here >\"$M/here\"; sleep 1000");
  on("execute", 2, "pass");
  {
    Running running(in_cgroup({"run", kBead}));
    EXPECT_TRUE(eventually([&] { return !read_file(mock("here")).empty(); }));
    EXPECT_FALSE(commands().empty()) << "they are looked for in the wrong place";
    running.send(SIGKILL);
    (void)running.wait();
  }
  const Outcome outcome = run(in_cgroup({"run", kBead}));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_TRUE(commands().empty());
}

}  // namespace
}  // namespace capsule::test
