// Attempts to get out that agents, reviewers and checks make in real runs: pipeline, delivery and
// auto mode, as root and as a plain user. What they print is kept in a folder that they may write;
// everything else is seen from outside.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <future>
#include <set>

#include "tests/contain/lab.h"

namespace capsule::test::contain {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::IsSubsetOf;
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
  // For every day one of both is enough.
  static std::vector<As> everyday_rights() {
    return full() ? rights() : std::vector{rights().front()};
  }
  // Labs know nothing of each other, and mostly wait.
  static std::vector<std::pair<As, RunReport>> try_at_once(const std::vector<As>& with,
                                                           const Through& run, const Ids& ids) {
    std::vector<std::future<RunReport>> labs;
    for (const As as : with)
      labs.push_back(
          std::async(std::launch::async, [&, as] { return attempt_through(as, run, ids); }));
    std::vector<std::pair<As, RunReport>> reports;
    for (std::size_t i = 0; i < with.size(); ++i) reports.emplace_back(with[i], labs[i].get());
    return reports;
  }
  // Everybody in one run tries everything, and the run is done as if nobody had.
  static void expect_none_out(Workflow workflow, const std::vector<As>& with,
                              const std::string& preset = "strict", const Ids& open = {}) {
    const Through run{.workflow = workflow, .preset = preset};
    for (const auto& [as, report] : try_at_once(with, run, all_but_suicidal())) {
      SCOPED_TRACE(std::string("as ") + name_of(as));
      ASSERT_EQ(report.trouble, "");
      EXPECT_EQ(report.code, 0) << story(report);
      EXPECT_THAT(report.out(), IsSubsetOf(open)) << story(report);
      EXPECT_THAT(report.finished, ElementsAre("writer", "reviewer", "gate")) << story(report);
    }
  }
};

TEST_F(RedTeamThrough, NobodyInAPipelineGetsOut) {
  expect_none_out(Workflow::pipeline, everyday_rights());
}
TEST_F(RedTeamThrough, InThePresetWorktreeNothingButTheNetworkIsReached) {
  expect_none_out(Workflow::pipeline, everyday_rights(), "worktree", open_network());
}
TEST_F(RedTeamThrough, NobodyInADeliveryGetsOut) {
  if (!full()) GTEST_SKIP() << "with CAPSULE_TEST_FULL=1";
  expect_none_out(Workflow::delivery, rights());
}
TEST_F(RedTeamThrough, NobodyInAutoModeGetsOut) {
  if (!full()) GTEST_SKIP() << "with CAPSULE_TEST_FULL=1";
  expect_none_out(Workflow::automatic, rights());
}

// Each role alone, so that one's success is not taken for another's; every role and every workflow
// once.
TEST_F(RedTeamThrough, WithoutWallsAtLeastAHundredGetOut) {
  if (!full())
    GTEST_SKIP() << "with CAPSULE_TEST_FULL=1; the control without a run is RedTeamOut's";
  const std::pair<Workflow, Role> rows[] = {{Workflow::pipeline, Role::writer},
                                            {Workflow::delivery, Role::reviewer},
                                            {Workflow::automatic, Role::gate}};
  for (const auto& [workflow, role] : rows) {
    SCOPED_TRACE(std::string(name_of(workflow)) + ", " + name_of(role));
    const Through run{.workflow = workflow, .roles = {role}, .preset = "off"};
    std::set<std::string> out;
    std::string held;
    for (const auto& [as, report] : try_at_once(rights(), run, all_but_suicidal())) {
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

// With one protection left out, in a run: what it keeps in gets out.
TEST_F(RedTeamThrough, WithoutARepositoryOfItsOwnAnAgentReachesTheProjects) {
  const Ids ids{"W05", "W06", "G02"};
  for (const auto& [as, report] :
       try_at_once(everyday_rights(), {.roles = {Role::writer}, .without = "repository"}, ids)) {
    SCOPED_TRACE(name_of(as));
    ASSERT_EQ(report.trouble, "");
    EXPECT_EQ(report.out(), (Ids{"G02", "W05", "W06"})) << story(report);
  }
}

// An agent that kills whatever it can reach ends itself, and neither Capsule nor who started it.
TEST_F(RedTeamThrough, WhoKillsAllAroundEndsHimselfAlone) {
  const Ids ids = full() ? kSuicidal : Ids{kSuicidal.back()};
  for (const std::string& id : ids)
    for (const auto& [as, report] :
         try_at_once(everyday_rights(), {.roles = {Role::writer}}, {id})) {
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
