#include "worklog/prompt.h"

#include <gtest/gtest.h>

namespace capsule::worklog {
namespace {

TEST(Prompt, WithoutFeedbackItIsTheFileAsItIs) {
  EXPECT_EQ(compose_prompt("# Execute Phase\n\nWork.\n", ""), "# Execute Phase\n\nWork.\n");
  EXPECT_EQ(compose_prompt("", ""), "");
}

TEST(Prompt, FeedbackFollowsInASectionOfItsOwn) {
  const std::string_view expected =
      "# Execute Phase\n"
      "\n"
      "---\n"
      "\n"
      "## Previous Feedback\n"
      "\n"
      "The previous review returned NEEDS_WORK with the following feedback. Address these issues:\n"
      "\n"
      "1. Mend it.\n2. Test it.";
  for (const char* text : {"# Execute Phase", "# Execute Phase\n", "# Execute Phase\r\n\n\n"})
    EXPECT_EQ(compose_prompt(text, "1. Mend it.\n2. Test it."), expected);
}

TEST(Prompt, FeedbackIsCopiedAsItIs) {
  const std::string feedback =
      "$(id) `id` {{TASK_ID}} %s \\n \"quoted\"\n" + std::string(200'000, 'x');
  const std::string prompt = compose_prompt("P", feedback);
  EXPECT_TRUE(prompt.ends_with("\n\n" + feedback));
}

}  // namespace
}  // namespace capsule::worklog
