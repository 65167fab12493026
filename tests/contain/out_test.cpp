// Attempts to get out of `capsule contain`, as root and as a plain user, in every role.
#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "tests/contain/lab.h"

namespace capsule::test::contain {
namespace {

using ::testing::IsEmpty;
using ::testing::IsSubsetOf;
using Ids = std::vector<std::string>;

// These need not get out where nothing is contained, and why. They are tried all the same.
const std::map<std::string, const char*>& without_control() {
  static const std::map<std::string, const char*> ids = {
      {"R31", "machines whose devices are guarded keep them from root too"},
      {"R46", "few kernels have this set of calls"},
  };
  return ids;
}
// Where nothing is contained there is no proxy either.
bool asks_proxy(const std::string& id) {
  return (id >= "N11" && id <= "N14") || (id >= "N23" && id <= "N30");
}

std::vector<As> rights() {
  if (why_no_lab(As::root).empty()) return {As::root, As::user};
  return {As::user};
}

// What a writer leaves behind comes last.
std::vector<Walls> every_role(const std::string& preset = "strict") {
  return {{Role::reviewer, preset}, {Role::gate, preset}, {Role::writer, preset}};
}

std::string story(const Report& report, const Ids& ids) {
  std::string text = report.trouble;
  for (const std::string& id : ids)
    if (report.seen.contains(id)) text += "\n" + id + ":\n" + report.seen.at(id).said;
  return text;
}

bool works(const Report& report, const std::string& id) {
  const std::string& said = report.seen.at(id).said;
  return said.find("works\n") != said.npos && said.find("does not work") == said.npos;
}

// Nothing of these letters gets out, but for what is `open` by the preset's own word.
void expect_none_out(const std::string& letters, const std::string& preset = "strict",
                     const Ids& open = {}) {
  const Ids ids = ids_of(letters);
  ASSERT_FALSE(ids.empty());
  for (const As as : rights()) {
    const std::vector<Walls> walls = every_role(preset);
    const std::vector<Report> reports = attempt(as, walls, ids);
    for (std::size_t i = 0; i < walls.size(); ++i) {
      SCOPED_TRACE(std::string("as ") + name_of(as) + ", " + name_of(walls[i].role));
      ASSERT_EQ(reports[i].trouble, "");
      EXPECT_EQ(reports[i].seen.size(), ids.size());
      EXPECT_THAT(reports[i].out(), IsSubsetOf(open)) << story(reports[i], reports[i].out());
      // What was cut short has not been tried.
      for (const auto& [id, one] : reports[i].seen)
        EXPECT_TRUE(!asks_proxy(id) || one.said.find("by signal 14") == std::string::npos)
            << id << "\n"
            << one.said;
    }
  }
}

class RedTeamOut : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = why_no_lab(As::user); !why.empty()) GTEST_SKIP() << why;
  }
};

TEST_F(RedTeamOut, UncontainedAtLeastAHundredGetOutAndTheOthersAreNamed) {
  const Ids ids = ids_of("RWGPNV");
  EXPECT_GE(ids.size(), 111U);
  std::set<std::string> out;
  std::string held;
  for (const As as : rights()) {
    const Report report = attempt(as, {{Role::none}}, ids)[0];
    ASSERT_EQ(report.trouble, "");
    for (const auto& [id, one] : report.seen) {
      if (one.out)
        out.insert(id);
      else
        held += std::string("\nas ") + name_of(as) + " " + id + ":\n" + one.said;
    }
  }
  EXPECT_GE(out.size(), 100U);
  if (rights().size() < 2)
    GTEST_SKIP() << "only root has all controls; " << out.size() << " got out";
  Ids known;
  for (const auto& [id, why] : without_control()) known.push_back(id);
  Ids unproven;
  for (const std::string& id : ids)
    if (!out.contains(id) && !asks_proxy(id)) unproven.push_back(id);
  EXPECT_THAT(unproven, IsSubsetOf(known)) << held;
}

TEST_F(RedTeamOut, NoSecretIsReadFromInside) { expect_none_out("R"); }
TEST_F(RedTeamOut, NothingOutsideIsWrittenOrMounted) { expect_none_out("W"); }
TEST_F(RedTeamOut, GitReachesNothingOfTheProject) { expect_none_out("G"); }
TEST_F(RedTeamOut, NoForeignProcessIsReachedAndNoneStays) { expect_none_out("P"); }
TEST_F(RedTeamOut, NothingIsSentToOthersOrHeardFromThem) { expect_none_out("N"); }

TEST_F(RedTeamOut, WithTheMachinesNetworkNothingButTheNetworkIsReached) {
  expect_none_out("RWGPN", "worktree", open_network());
}

TEST_F(RedTeamOut, WhatAWriterChangesStaysAndWhatOthersChangeVanishes) {
  for (const As as : rights()) {
    const std::vector<Walls> walls = every_role();
    const std::vector<Report> reports = attempt(as, walls, {"V01"});
    for (std::size_t i = 0; i < walls.size(); ++i) {
      SCOPED_TRACE(std::string("as ") + name_of(as) + ", " + name_of(walls[i].role));
      ASSERT_EQ(reports[i].trouble, "");
      EXPECT_EQ(reports[i].seen.at("V01").out, walls[i].role == Role::writer)
          << story(reports[i], {"V01"});
    }
  }
}

// Where the repository is in the folder itself, it can be read and is the user's all the same.
TEST_F(RedTeamOut, TheRepositoryOfACheckoutCanBeReadAndNotChanged) {
  const Ids ids{"G01", "G02", "G03", "G05", "G06", "G07", "W03", "W04", "W05", "W06", "W18", "W41"};
  for (const As as : rights())
    for (const bool looks : {true, false}) {
      const std::vector<Walls> walls = {{.role = Role::reviewer, .checkout = true},
                                        {.role = Role::writer, .checkout = true}};
      const std::vector<Report> reports = attempt(as, walls, looks ? Ids{"A08"} : ids);
      for (const Report& report : reports) {
        SCOPED_TRACE(name_of(as));
        ASSERT_EQ(report.trouble, "");
        EXPECT_THAT(report.out(), IsEmpty()) << story(report, report.out());
        EXPECT_TRUE(!looks || works(report, "A08")) << story(report, {"A08"});
      }
    }
}

TEST_F(RedTeamOut, WhatEveryAgentNeedsWorksInside) {
  Ids ids = ids_of("A");
  // A linked worktree's repository is elsewhere, and not there.
  std::erase_if(ids, [](const std::string& id) { return id == "A01" || id == "A08"; });
  for (const As as : rights()) {
    const std::vector<Walls> walls = every_role();
    const std::vector<Report> reports = attempt(as, walls, ids);
    for (std::size_t i = 0; i < walls.size(); ++i) {
      SCOPED_TRACE(std::string("as ") + name_of(as) + ", " + name_of(walls[i].role));
      ASSERT_EQ(reports[i].trouble, "");
      for (const std::string& id : ids)
        EXPECT_TRUE(works(reports[i], id)) << story(reports[i], {id});
    }
  }
}

// A protection that nobody misses when it is gone is no protection, or has no attempt yet.
TEST_F(RedTeamOut, EveryProtectionThatIsLeftOutLetsSomethingOut) {
  struct Left {
    Walls walls;
    Ids out;
    bool root = false;  // only root's rights reach what it protects
  };
  const std::vector<Left> rows = {
      {{Role::writer, "strict"}, {}},
      {{Role::writer, "worktree"}, {}},  // but for its network
      {{Role::writer, "strict", "seccomp"}, {"R23", "R35", "N08"}},
      {{Role::writer, "strict", "undumpable"}, {"R18"}},
      {{Role::writer, "strict", "proc-read-only"}, {"W39"}, true},
      {{Role::writer, "strict", "environment"}, {"R16"}},
      {{Role::writer, "strict", "descriptors"}, {"R15"}},
      {{Role::writer, "worktree", "landlock"}, {"R25"}},
      {{Role::writer, "strict", "landlock"}, {"P15"}},
      {{Role::writer, "strict", "host-list"}, {"N23"}},
      {{Role::writer, "strict", "public-addresses"}, {"N13"}},
      {{Role::writer, "strict", "host-list,public-addresses"}, {"N11", "N12", "N14", "N24", "N29"}},
      {{Role::writer, "strict", "processes"}, {"R33", "P05"}},
      {{Role::writer, "strict", "seccomp,capabilities"}, {"P10"}, true},  // two locks, one door
      {{Role::writer, "strict", "ipc"}, {"R24"}},
      {{Role::writer, "strict", "network"}, {"N01", "N06"}},
      {{Role::writer, "strict", "guarded"}, {"R34"}, true},
      {{Role::writer, "strict", "tmp"}, {"W15"}},
      {{Role::writer, "strict", "home"}, {"R01", "W02"}},
  };
  std::vector<Walls> walls;
  Ids ids;
  for (const Left& row : rows) {
    walls.push_back(row.walls);
    ids.insert(ids.end(), row.out.begin(), row.out.end());
  }
  for (const As as : rights()) {
    const std::vector<Report> reports = attempt(as, walls, ids);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      SCOPED_TRACE("without " + walls[i].without + ", as " + name_of(as));
      ASSERT_EQ(reports[i].trouble, "");
      if (rows[i].out.empty())
        EXPECT_THAT(reports[i].out(),
                    IsSubsetOf(rows[i].walls.preset == "strict" ? Ids{} : open_network()));
      if (rows[i].root && as != As::root) continue;
      EXPECT_THAT(reports[i].out(), ::testing::IsSupersetOf(rows[i].out))
          << story(reports[i], rows[i].out);
    }
  }
}

// The same of those that can only be missed by a reviewer, or in a checkout.
TEST_F(RedTeamOut, WithoutItsLayerAReviewerChangesTheFolderAndGitsSettingsAreNotTheUsersAnyMore) {
  const Ids settings{"W03", "W04", "W18", "G02", "G05"};
  for (const As as : rights()) {
    SCOPED_TRACE(name_of(as));
    const auto layer = attempt(
        as, {{.role = Role::reviewer}, {.role = Role::reviewer, .without = "layer"}}, {"V01"});
    ASSERT_EQ(layer[0].trouble + layer[1].trouble, "");
    EXPECT_THAT(layer[0].out(), IsEmpty());
    EXPECT_EQ(layer[1].out(), Ids{"V01"}) << story(layer[1], {"V01"});
    const auto git =
        attempt(as, {{.checkout = true}, {.without = "git-read-only", .checkout = true}}, settings);
    ASSERT_EQ(git[0].trouble + git[1].trouble, "");
    EXPECT_THAT(git[0].out(), IsEmpty());
    EXPECT_THAT(git[1].out(), ::testing::IsSupersetOf(settings)) << story(git[1], settings);
  }
}

}  // namespace
}  // namespace capsule::test::contain
