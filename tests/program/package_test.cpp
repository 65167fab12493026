// What the Debian package does on a system that asks for an AppArmor profile, by the scripts that
// dpkg calls, in a root of the test's own.
#include <filesystem>

#include "tests/program/harness.h"

namespace capsule::test {
namespace {

namespace fs = std::filesystem;

class Package : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    const std::string packaging = CAPSULE_SOURCE_DIR "/packaging";
    fs::create_directories(path("usr/share/capsule"));
    fs::create_directories(path("etc/apparmor.d"));
    fs::copy(packaging + "/apparmor", path("usr/share/capsule/apparmor"));
  }
  void restrict_namespaces() {
    write_file(path("etc/apparmor.d/abi/4.0"), "");
    write_file(path("proc/sys/kernel/apparmor_restrict_unprivileged_userns"), "1\n");
  }
  void call(const std::string& script, const std::string& why) {
    const Outcome outcome = run({.args = {why},
                                 .env = {{"DPKG_ROOT", path(".")}},
                                 .program = CAPSULE_SOURCE_DIR "/packaging/" + script});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.out + outcome.err, "");
  }
  std::string profile() const { return path("etc/apparmor.d/capsule"); }
};

TEST_F(Package, WhereNamespacesAreRestrictedItBringsAProfileAndTakesItAwayAgain) {
  restrict_namespaces();
  call("postinst", "configure");
  EXPECT_NE(read_file(profile()).find("  userns,\n"), std::string::npos);
  EXPECT_NE(read_file(profile()).find("profile capsule /usr/bin/capsule "), std::string::npos);
  call("postinst", "configure");
  call("postrm", "upgrade");
  EXPECT_TRUE(fs::exists(profile()));
  call("postrm", "remove");
  EXPECT_FALSE(fs::exists(profile()));
  EXPECT_FALSE(fs::exists(path("var/lib/capsule")));
}

TEST_F(Package, ElsewhereItBringsNone) {
  call("postinst", "configure");
  EXPECT_FALSE(fs::exists(profile()));
  write_file(path("proc/sys/kernel/apparmor_restrict_unprivileged_userns"), "1\n");
  call("postinst", "configure");
  EXPECT_FALSE(fs::exists(profile())) << "a profile that the system's parser does not know";
  call("postrm", "remove");
}

TEST_F(Package, AProfileThatAPersonWroteIsKept) {
  restrict_namespaces();
  write_file(profile(), "mine\n");
  call("postinst", "configure");
  call("postrm", "purge");
  EXPECT_EQ(read_file(profile()), "mine\n");
}

}  // namespace
}  // namespace capsule::test
