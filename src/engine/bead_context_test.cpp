#include "engine/bead_context.h"

#include <gtest/gtest.h>

#include <map>

namespace capsule::engine {
namespace {

Bead described(std::string description) {
  Bead bead;
  bead.description = std::move(description);
  return bead;
}

// A tracker in memory; "broken" is a bead that it cannot read.
class Shelf : public Tracker {
 public:
  void put(std::string id, std::string type, std::string parent, std::string status = "open") {
    Bead bead;
    bead.id = id;
    bead.title = "title of " + id;
    bead.type = std::move(type);
    bead.parent = std::move(parent);
    bead.status = std::move(status);
    beads_[id] = bead;
  }
  std::string_view name() const override { return "shelf"; }
  Result<Bead> show(std::string_view id) override {
    if (id == "broken") return fail(Reason::damaged, "line 3");
    const auto found = beads_.find(id);
    if (found == beads_.end()) return fail(Reason::not_found, std::string(id));
    return found->second;
  }
  Result<std::vector<Bead>> list(const BeadFilter& filter) override {
    std::vector<Bead> children;
    for (const auto& [id, bead] : beads_)
      if (bead.parent == filter.parent && (filter.all || !is_closed(bead.status)))
        children.push_back(bead);
    return children;
  }
  Result<void> close(std::string_view, std::string_view) override { return {}; }

 private:
  std::map<std::string, Bead, std::less<>> beads_;
};

TEST(AcceptanceCriteria, TheFieldComesBeforeTheDescription) {
  Bead bead = described("## Acceptance Criteria\n- other");
  bead.acceptance = "\n\n- own\n  - nested\n\n";
  EXPECT_EQ(acceptance_criteria(bead), "- own\n  - nested");
}

TEST(AcceptanceCriteria, ABlankFieldCountsAsNone) {
  Bead bead = described("## Acceptance Criteria\n- other");
  bead.acceptance = " \n\t";
  EXPECT_EQ(acceptance_criteria(bead), "- other");
}

TEST(AcceptanceCriteria, TheSectionRunsFromAHeadingOrLineInAnyCaseToTheNextHeading) {
  for (const char* opening :
       {"## Acceptance Criteria", "# ACCEPTANCE CRITERIA", "Acceptance criteria:",
        "acceptance criteria", "**Acceptance Criteria**", "**Acceptance Criteria:**",
        "### **Acceptance Criteria** ###", "  ## Acceptance Criteria  ", "##Acceptance Criteria",
        "Acceptance Criteria\n-------------------", "Acceptance Criteria\n====="})
    for (const char* next : {"## Notes", "# Notes", "**Notes**", "Notes\n-----", "Requirements:"})
      EXPECT_EQ(acceptance_criteria(described("Intro.\n\n" + std::string(opening) +
                                              "\n\n- a\n- b\n\n" + next + "\n- c")),
                "- a\n- b")
          << opening << " | " << next;
}

TEST(AcceptanceCriteria, WithoutThatSectionRequirementsStandIn) {
  EXPECT_EQ(acceptance_criteria(described("## Requirements\n1. x\n## Notes\n")), "1. x");
  EXPECT_EQ(acceptance_criteria(described("## Acceptance Criteria\n\n## Requirements\n1. x\n")),
            "1. x");
  EXPECT_EQ(acceptance_criteria(described("Requirements first, then more.\n")), "");
  EXPECT_EQ(acceptance_criteria(described("")), "");
}

TEST(AcceptanceCriteria, WhatFollowsTheNameOnItsLineBelongsToTheSection) {
  EXPECT_EQ(acceptance_criteria(described("Acceptance Criteria: it works\nand stays so")),
            "it works\nand stays so");
  EXPECT_EQ(acceptance_criteria(described("**Acceptance Criteria:** it works")), "it works");
}

TEST(AcceptanceCriteria, AHashInsideACodeFenceIsNoHeading) {
  EXPECT_EQ(acceptance_criteria(described("## Acceptance Criteria\n```\n# run\n```\n- b\n## X\n")),
            "```\n# run\n```\n- b");
}

TEST(AcceptanceCriteria, LinesMayEndInCarriageReturns) {
  EXPECT_EQ(acceptance_criteria(described("## Acceptance Criteria\r\n- a\r\n- b\r\n\r\n## X\r\n")),
            "- a\n- b");
}

TEST(AcceptanceCriteria, AWordInAListOrAnIssueNumberEndsNothing) {
  EXPECT_EQ(acceptance_criteria(described("Acceptance Criteria\n#3 is fixed\n- a **bold** word\n")),
            "#3 is fixed\n- a **bold** word");
}

TEST(ParentChain, FindsTheNearestFeatureAndTheNearestEpic) {
  Shelf shelf;
  shelf.put("e0", "epic", "");
  shelf.put("e1", "epic", "e0");
  shelf.put("f0", "feature", "e1");
  shelf.put("t0", "task", "f0");
  shelf.put("t1", "task", "t0");
  const auto found = ancestry(shelf, *shelf.show("t1"));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->feature->id, "f0");
  EXPECT_EQ(found->epic->id, "e1");
}

TEST(ParentChain, ABeadIsNotItsOwnAncestor) {
  Shelf shelf;
  shelf.put("e0", "epic", "");
  shelf.put("f0", "feature", "e0");
  const auto found = ancestry(shelf, *shelf.show("f0"));
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->feature);
  EXPECT_EQ(found->epic->id, "e0");
}

TEST(ParentChain, CyclesMissingParentsAndNoIdsEndTheWalk) {
  Shelf shelf;
  shelf.put("a", "task", "b");
  shelf.put("b", "feature", "a");
  shelf.put("c", "feature", "gone");
  shelf.put("d", "task", "d");
  shelf.put("e", "task", "../x");
  for (const char* id : {"a", "b", "c", "d", "e"}) {
    const auto found = ancestry(shelf, *shelf.show(id));
    ASSERT_TRUE(found) << id;
    EXPECT_FALSE(found->epic);
  }
  EXPECT_EQ(ancestry(shelf, *shelf.show("a"))->feature->id, "b");
}

TEST(ParentChain, AnEndlessChainEnds) {
  Shelf shelf;
  for (int i = 0; i < 1000; ++i)
    shelf.put("t" + std::to_string(i), "task", "t" + std::to_string(i + 1));
  shelf.put("t1000", "epic", "");
  EXPECT_FALSE(ancestry(shelf, *shelf.show("t0"))->epic);
}

TEST(ParentChain, ATrackerThatFailsIsNotAMissingParent) {
  Shelf shelf;
  shelf.put("a", "task", "broken");
  EXPECT_EQ(ancestry(shelf, *shelf.show("a")).error().reason, Reason::damaged);
}

TEST(Blockers, AreTheBlocksDependenciesThatAreNotClosed) {
  Shelf shelf;
  shelf.put("open", "task", "");
  shelf.put("done", "task", "", "closed");
  Bead bead;
  bead.dependencies = {{"a", "blocks", "A", "open"},
                       {"b", "blocks", "B", "closed"},
                       {"c", "related", "C", "open"},
                       {"d", "parent-child", "D", "open"},
                       {"e", "blocks", "E", "deferred"},
                       {"open", "blocks"},
                       {"done", "blocks"},
                       {"gone", "blocks"},
                       {"f", "blocks", "F", "tombstone"}};
  const auto blockers = open_blockers(shelf, bead);
  ASSERT_TRUE(blockers);
  ASSERT_EQ(blockers->size(), 3U);
  EXPECT_EQ((*blockers)[0].id, "a");
  EXPECT_EQ((*blockers)[1].id, "e");
  EXPECT_EQ((*blockers)[2].title, "title of open");
}

TEST(BeadProgress, CountsClosedChildrenAmongAll) {
  Shelf shelf;
  shelf.put("f", "feature", "");
  shelf.put("t1", "task", "f", "closed");
  shelf.put("t2", "task", "f");
  const auto counted = progress(shelf, "f");
  ASSERT_TRUE(counted);
  EXPECT_EQ(counted->closed, 1U);
  EXPECT_EQ(counted->total, 2U);
}

}  // namespace
}  // namespace capsule::engine
