#include "contain/cgroup.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace capsule::contain {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
namespace fs = std::filesystem;

TEST(Cgroup, OwnAndWhereAllAreAreReadFromProc) {
  EXPECT_EQ(own_cgroup_in("12:memory:/a\n1:name=systemd:/b\n0::/user.slice/x.scope\n"),
            "/user.slice/x.scope");
  EXPECT_EQ(own_cgroup_in("0::/\n"), "/");
  EXPECT_EQ(own_cgroup_in("4:memory:/a\n"), "");
  EXPECT_EQ(own_cgroup_in("0::/../outside\n"), "") << "not below what can be seen here";
  EXPECT_EQ(
      cgroup_mount_in("24 1 0:22 / /proc rw - proc proc rw\n"
                      "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n"),
      "/sys/fs/cgroup");
  EXPECT_EQ(cgroup_mount_in("30 23 0:26 /part /mnt rw - cgroup2 cgroup2 rw\n"), "");
  EXPECT_EQ(cgroup_mount_in("30 23 0:26 / /mnt rw - cgroup cgroup rw,memory\n"), "");
}

TEST(Cgroup, GetsWhatItsControllersHold) {
  const Limits limits{0, 4096, 7, 150};
  EXPECT_EQ(controllers_in("cpuset cpu io memory hugetlb pids\n"), (Controllers{true, true, true}));
  EXPECT_EQ(controllers_in("cpuset memory_recursiveprot\n"), (Controllers{}));
  EXPECT_THAT(settings_for(limits, {true, true}),
              ElementsAre(Setting{"memory.max", "4096"},
                          Setting{"memory.swap.max", "0", Setting::Needed::no},
                          Setting{"memory.oom.group", "1"}, Setting{"pids.max", "7"}));
  EXPECT_THAT(settings_for(limits, {false, true}), ElementsAre(Setting{"pids.max", "7"}));
  EXPECT_THAT(settings_for(limits, {false, false, true}),
              ElementsAre(Setting{"cpu.max", "150000 100000"}))
      << "one processor and a half";
  EXPECT_THAT(settings_for({0, 0, 0, 0}, {true, true, true}), IsEmpty());
}

// A folder that plays the tree: files keep what is written, and hold nobody to anything.
class PlayedTree : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_NE(::mkdtemp(top_.data()), nullptr);
    fs::create_directories(top_ + "/user/x.scope/below");
    write("/user/x.scope/cgroup.controllers", "cpu memory pids\n");
    write("/user/x.scope/cgroup.subtree_control", "");
    write("/user/x.scope/cgroup.procs", "10\n11\n");
    fs::create_directories(top_ + "/user/x.scope/capsule");
    write("/user/x.scope/capsule/cgroup.procs", "");
  }
  void TearDown() override { fs::remove_all(top_); }
  void write(const std::string& path, const std::string& text) const {
    std::ofstream(top_ + path) << text;
  }
  std::string read(const std::string& path) const {
    return read_file(top_ + path).value_or("missing");
  }
  std::optional<Delegated> find(const std::string& own, const std::string& given) const {
    return find_delegated(top_, own,
                          [&](const std::string& folder) { return folder == top_ + given; });
  }
  std::string top_ = "/tmp/capsule-cgroup-XXXXXX";
};

TEST_F(PlayedTree, ItsOwnThatWasGivenAwayIsMadeReadyAndWhoIsThereMovedToALeaf) {
  const auto found = find("/user/x.scope", "/user/x.scope");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->folder, top_ + "/user/x.scope");
  EXPECT_EQ(found->controllers, (Controllers{true, true, true}));
  EXPECT_EQ(read("/user/x.scope/cgroup.subtree_control"), "") << "to look changes nothing";
  ASSERT_TRUE(make_ready(*found));
  EXPECT_EQ(read("/user/x.scope/cgroup.subtree_control"), "+memory +pids +cpu");
  EXPECT_THAT(read("/user/x.scope/capsule/cgroup.procs"), ::testing::HasSubstr("11"));
}

TEST_F(PlayedTree, OneThatIsReadyIsLeftAsItIs) {
  write("/user/x.scope/cgroup.subtree_control", "cpu memory pids\n");
  const auto found = find("/user/x.scope", "/user/x.scope");
  ASSERT_TRUE(found);
  ASSERT_TRUE(make_ready(*found));
  EXPECT_EQ(read("/user/x.scope/cgroup.subtree_control"), "cpu memory pids\n");
  EXPECT_EQ(read("/user/x.scope/capsule/cgroup.procs"), "");
}

TEST_F(PlayedTree, WhatNobodyGaveAwayIsNotTouched) {
  EXPECT_FALSE(find("/user/x.scope", "/elsewhere"));
  EXPECT_FALSE(find("/user/x.scope/below", "/user/x.scope")) << "it is its session's manager's";
  EXPECT_TRUE(find("/user/x.scope/capsule", "/user/x.scope")) << "it has moved there itself";
  EXPECT_FALSE(find("", "/user/x.scope"));
  write("/user/x.scope/cgroup.controllers", "cpuset io\n");
  EXPECT_FALSE(find("/user/x.scope", "/user/x.scope")) << "it could hold nothing";
}

TEST_F(PlayedTree, ItsEndIsTheKernelsWhereThatHasKilled) {
  const auto made = Cgroup::make({top_ + "/user", {false, false}}, {0, 4096, 7});
  ASSERT_TRUE(made) << made.error().message;
  const std::string name = fs::path(made->folder()).filename();
  EXPECT_FALSE(made->excess());
  write("/user/" + name + "/memory.events", "low 0\nmax 90\noom 1\noom_kill 0\n");
  EXPECT_FALSE(made->excess()) << "it was only short of it";
  write("/user/" + name + "/memory.events", "oom 1\noom_kill 3\noom_group_kill 1\n");
  EXPECT_EQ(made->excess(), (Excess{Excess::Of::memory, 4096}));
  fs::remove(made->folder() + "/memory.events");
}

TEST_F(PlayedTree, ASettingThatIsNotTakenLeavesNothingBehind) {
  fs::create_directories(top_ + "/empty");
  EXPECT_FALSE(Cgroup::make({top_ + "/empty", {true, true}}, {0, 4096, 7}));
  EXPECT_TRUE(fs::is_empty(top_ + "/empty"));
}

TEST_F(PlayedTree, WhatAKilledProcessLeftIsRemovedAndWhatALivingOneHasIsNot) {
  const pid_t gone = ::fork();
  if (gone == 0) ::_exit(0);
  ::waitpid(gone, nullptr, 0);
  fs::create_directories(top_ + "/user/capsule-" + std::to_string(gone) + "-00ff");
  fs::create_directories(top_ + "/user/capsule-" + std::to_string(::getppid()) + "-00ff");
  fs::create_directories(top_ + "/user/capsule");
  { const auto made = Cgroup::make({top_ + "/user", {}}, {}); }
  EXPECT_FALSE(fs::exists(top_ + "/user/capsule-" + std::to_string(gone) + "-00ff"));
  EXPECT_TRUE(fs::exists(top_ + "/user/capsule-" + std::to_string(::getppid()) + "-00ff"));
  EXPECT_TRUE(fs::exists(top_ + "/user/capsule"));
}

// A real tree, where this user has one: without controllers, which is enough to see who is in it.
TEST(RealCgroup, EndsWhoeverIsInItAndIsGone) {
  const std::string mount = cgroup_mount_in(read_file("/proc/self/mountinfo").value_or(""));
  const std::string own = own_cgroup_in(read_file("/proc/self/cgroup").value_or(""));
  if (mount.empty() || own.empty()) GTEST_SKIP() << "no cgroups of version 2 here";
  auto made = Cgroup::make({mount + own, {}}, {});
  if (!made) GTEST_SKIP() << "cannot make one here: " << made.error().message;
  const std::string folder = made->folder();
  const pid_t child = ::fork();
  if (child == 0)
    for (;;) ::pause();
  std::ofstream(folder + "/cgroup.procs") << child << std::flush;
  ASSERT_EQ(read_file(folder + "/cgroup.procs").value_or(""), std::to_string(child) + "\n");
  { const Cgroup last = *std::move(made); }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  EXPECT_FALSE(fs::exists(folder));
}

}  // namespace
}  // namespace capsule::contain
