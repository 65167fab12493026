#include "world/bead_desk.h"

#include <cstdlib>

#include "world/test_support.h"

namespace capsule::world {
namespace {

class BeadDeskTest : public ProjectTest {
 protected:
  void SetUp() override {
    ProjectTest::SetUp();
    for (const char* name : {"BD_ACTOR", "CAPSULE_TRACKER", "PATH"}) {
      const char* value = std::getenv(name);
      before_.emplace_back(name,
                           value == nullptr ? std::nullopt : std::optional<std::string>(value));
      if (std::string_view(name) != "PATH") ::unsetenv(name);
    }
  }
  void TearDown() override {
    for (const auto& [name, value] : before_)
      value ? ::setenv(name.c_str(), value->c_str(), 1) : ::unsetenv(name.c_str());
    ProjectTest::TearDown();
  }

 private:
  std::vector<std::pair<std::string, std::optional<std::string>>> before_;
};

TEST_F(BeadDeskTest, KeepsBeadsItselfWhereTheConfigurationSaysSo) {
  write(project_ + "/.capsule/config.yaml", "tracker: native\n");
  MUST_VOID(begin_beads(project_, "demo"));
  ::setenv("BD_ACTOR", "Ada", 1);
  BeadDesk desk = MUST(BeadDesk::open(project_));
  ASSERT_FALSE(desk.is_bd());
  task::NewBead bead;
  bead.title = "One";
  EXPECT_EQ(MUST(desk.store().create(bead)), "demo-1");
  EXPECT_NE(read(project_ + "/.beads/issues.jsonl").find("Ada"), std::string::npos);
  EXPECT_EQ(begin_beads(project_, "demo").error().reason, Reason::exists);
}

TEST_F(BeadDeskTest, OneDamagedLineHidesNoOther) {
  write(project_ + "/.capsule/config.yaml", "tracker: native\n");
  MUST_VOID(begin_beads(project_, "demo"));
  write(project_ + "/.beads/issues.jsonl",
        "{\n"
        R"({"id":"demo-2","title":"Two","status":"open","issue_type":"task"})"
        "\n");
  BeadDesk desk = MUST(BeadDesk::open(project_));
  EXPECT_EQ(MUST(desk.store().list({})).size(), 1U);
  EXPECT_EQ(desk.store().damage().size(), 1U);
}

TEST_F(BeadDeskTest, HandsWordsToBdWhereThatIsTheTracker) {
  write(project_ + "/.capsule/config.yaml", "tracker: bd\n");
  const std::string path = std::getenv("PATH");
  write(project_ + "/bin/bd", "#!/bin/sh\necho \"$@\"\n");
  std::filesystem::permissions(project_ + "/bin/bd", std::filesystem::perms::owner_all);
  ::setenv("PATH", (project_ + "/bin:" + path).c_str(), 1);
  MUST_VOID(begin_beads(project_, "demo"));
  const BeadDesk desk = MUST(BeadDesk::open(project_));
  EXPECT_TRUE(desk.is_bd());
  const task::Forwarded answer = MUST(desk.hand_over({"show", "demo-1"}, false));
  EXPECT_TRUE(answer.ok);
  EXPECT_NE(answer.out.find("show demo-1"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(project_ + "/.beads")) << "bd keeps them";
}

}  // namespace
}  // namespace capsule::world
