// Attempts to get out that agents, reviewers and checks make in real runs: pipeline, delivery and
// auto mode, as root and as a plain user. What they print is kept in a folder that they may write;
// everything else is seen from outside.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "tests/contain/lab.h"

namespace capsule::test::contain {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Ids = std::vector<std::string>;

// These end whoever makes them, so that the run cannot come to its end.
const Ids kSuicidal = {"P14", "P15", "P20"};

bool full() { return std::getenv("CAPSULE_TEST_FULL") != nullptr; }

Ids all_but_suicidal() {
  Ids ids = ids_of("RWGPN");
  std::erase_if(ids, [](const std::string& id) {
    return std::find(kSuicidal.begin(), kSuicidal.end(), id) != kSuicidal.end();
  });
  return ids;
}

std::string story(const RunReport& report) {
  std::string text = "ended with " + std::to_string(report.code) + "\n" + report.printed;
  for (const std::string& id : report.out()) text += "\n" + id + ":\n" + report.seen.at(id).said;
  return text;
}

class RedTeamThrough : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = why_no_lab(As::user); !why.empty()) GTEST_SKIP() << why;
  }
  static std::vector<As> rights() {
    if (why_no_lab(As::root).empty()) return {As::root, As::user};
    return {As::user};
  }
  // Everybody in one run tries everything, and the run is done as if nobody had.
  static void expect_none_out(Workflow workflow, const std::vector<As>& with) {
    for (const As as : with) {
      SCOPED_TRACE(std::string("as ") + name_of(as));
      const Ids ids = all_but_suicidal();
      const RunReport report = attempt_through(as, {.workflow = workflow}, ids);
      ASSERT_EQ(report.trouble, "");
      EXPECT_EQ(report.code, 0) << story(report);
      EXPECT_THAT(report.out(), IsEmpty()) << story(report);
      EXPECT_THAT(report.finished, ElementsAre("writer", "reviewer", "gate")) << story(report);
    }
  }
};

TEST_F(RedTeamThrough, NobodyInAPipelineGetsOut) { expect_none_out(Workflow::pipeline, rights()); }
TEST_F(RedTeamThrough, NobodyInADeliveryGetsOut) {
  expect_none_out(Workflow::delivery, full() ? rights() : std::vector{rights().front()});
}
TEST_F(RedTeamThrough, NobodyInAutoModeGetsOut) {
  expect_none_out(Workflow::automatic, full() ? rights() : std::vector{As::user});
}

// Each role alone, so that one's success is not taken for another's.
TEST_F(RedTeamThrough, WithoutWallsAtLeastAHundredGetOut) {
  const std::vector<Workflow> workflows =
      full() ? std::vector{Workflow::pipeline, Workflow::delivery, Workflow::automatic}
             : std::vector{Workflow::pipeline};
  const std::vector<Role> roles =
      full() ? std::vector{Role::writer, Role::reviewer, Role::gate} : std::vector{Role::writer};
  for (const Workflow workflow : workflows)
    for (const Role role : roles) {
      SCOPED_TRACE(std::string(name_of(workflow)) + ", " + name_of(role));
      std::set<std::string> out;
      std::string held;
      for (const As as : rights()) {
        const RunReport report = attempt_through(
            as, {.workflow = workflow, .roles = {role}, .preset = "off"}, all_but_suicidal());
        ASSERT_EQ(report.trouble, "");
        for (const auto& [id, one] : report.seen) {
          if (one.out)
            out.insert(id);
          else
            held += std::string("\nas ") + name_of(as) + " " + id + ":\n" + one.said;
        }
      }
      EXPECT_GE(out.size(), 100U) << held;
    }
}

// An agent that kills whatever it can reach ends itself, and neither Capsule nor who started it.
TEST_F(RedTeamThrough, WhoKillsAllAroundEndsHimselfAlone) {
  const std::vector<As> who = full() ? rights() : std::vector{rights().front()};
  for (const As as : who)
    for (const std::string& id : kSuicidal) {
      const RunReport report = attempt_through(as, {.roles = {Role::writer}}, {id});
      SCOPED_TRACE(id + std::string(" as ") + name_of(as));
      ASSERT_EQ(report.trouble, "");
      EXPECT_NE(report.printed.find("the agent was ended by signal"), std::string::npos)
          << "it was not tried: " << story(report);
      EXPECT_THAT(report.out(), IsEmpty()) << story(report);
      EXPECT_EQ(report.code, 2) << story(report);
    }
}

}  // namespace
}  // namespace capsule::test::contain
