#include "task/bead_edit.h"

#include <gtest/gtest.h>

namespace capsule::task {
namespace {

constexpr const char* kLine =
    R"({"id":"a-1", "title":"T","x":1.50,"status":"closed","closed_at":"2026","close_reason":"Done","notes":"n"})";

TEST(BeadEdit, ReopeningRemovesTheClosingAndKeepsEveryOtherByte) {
  EXPECT_EQ(
      reopened(kLine, "2027"),
      R"({"id":"a-1", "title":"T","x":1.50,"status":"open","notes":"n","updated_at":"2027"})");
}

TEST(BeadEdit, ATextSetToNothingIsRemoved) {
  EXPECT_EQ(changed(R"({"notes":"n"})", {.notes = ""}, "2027"), R"({"updated_at":"2027"})");
  EXPECT_EQ(changed(R"({"id":"a-1","notes":"n","notes":"m"})", {.notes = ""}, "2027"),
            R"({"id":"a-1","updated_at":"2027"})");
}

TEST(BeadEdit, ClosingWhatIsClosedKeepsWhenAndWhy) {
  EXPECT_EQ(
      changed(R"({"status":"closed","closed_at":"2026","close_reason":"Done"})",
              {.priority = 0, .status = "closed"}, "2027"),
      R"({"status":"closed","closed_at":"2026","close_reason":"Done","priority":0,"updated_at":"2027"})");
}

TEST(BeadEdit, HostileTextsAreQuoted) {
  EXPECT_EQ(changed(R"({"title":"T"})", {.title = "\",\"id\":\"b-1"}, "2027"),
            R"({"title":"\",\"id\":\"b-1","updated_at":"2027"})");
}

TEST(BeadEdit, ATitleIsOneLineOfText) {
  for (const char* title : {"", "  ", "a\nb", "\xff"})
    EXPECT_EQ(check_change({.title = title}).error().reason, Reason::usage) << title;
  EXPECT_FALSE(check_change({.title = std::string(2001, 'x')}));
  EXPECT_FALSE(check_change({.design = "\xc3"}));
  EXPECT_TRUE(check_change({.title = "ü", .description = "a\nb"}));
}

}  // namespace
}  // namespace capsule::task
