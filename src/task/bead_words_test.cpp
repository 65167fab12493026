#include "task/bead_words.h"

#include <gtest/gtest.h>

namespace capsule::task {
namespace {

TEST(BeadWords, OfANewBeadSayWhatIsSaidAndNoMore) {
  NewBead bead;
  bead.title = "--force";
  EXPECT_EQ(words_to_create(bead),
            (Words{"create", "--title=--force", "--type=task", "--priority=2"}))
      << "no text stands where an option could";
  bead.type = "bug";
  bead.priority = 0;
  bead.parent = "demo-1";
  bead.description = "a b";
  bead.acceptance = "- c";
  EXPECT_EQ(words_to_create(bead),
            (Words{"create", "--title=--force", "--type=bug", "--priority=0", "--parent=demo-1",
                   "--description=a b", "--acceptance=- c"}));
}

TEST(BeadWords, OfAListNameWhatIsLeftOut) {
  EXPECT_EQ(words_to_list({}), Words{"list"});
  EXPECT_EQ(words_to_list({"demo-1", "open", true}),
            (Words{"list", "--parent=demo-1", "--status=open", "--all"}));
}

TEST(BeadWords, OfAChangeSayAlsoWhatIsRemoved) {
  BeadChange change;
  EXPECT_EQ(words_to_update("demo-1", change), (Words{"update", "demo-1"}));
  change.notes = "";
  change.priority = 1;
  change.title = "T";
  change.design = "D";
  EXPECT_EQ(words_to_update("demo-1", change),
            (Words{"update", "demo-1", "--title=T", "--priority=1", "--design=D", "--notes="}));
}

TEST(BeadWords, AReasonIsGivenWhereThereIsOne) {
  EXPECT_EQ(words_to_close("demo-1", ""), (Words{"close", "demo-1"}));
  EXPECT_EQ(words_to_close("demo-1", "Done"), (Words{"close", "demo-1", "--reason=Done"}));
  EXPECT_EQ(words_to_reopen("demo-1", "Not so"), (Words{"reopen", "demo-1", "--reason=Not so"}));
}

TEST(BeadWords, APriorityIsOneOfFiveNumbersAsPeopleWriteThem) {
  EXPECT_EQ(priority_in("0").value_or(-1), 0);
  EXPECT_EQ(priority_in("P4").value_or(-1), 4);
  EXPECT_EQ(priority_in("p2").value_or(-1), 2);
  for (const char* text : {"", "P", "5", "-1", "10", "PP1", "high"}) {
    const auto none = priority_in(text);
    ASSERT_FALSE(none) << text;
    EXPECT_EQ(none.error().reason, Reason::usage);
  }
}

}  // namespace
}  // namespace capsule::task
