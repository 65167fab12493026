#include "world/prompts.h"

#include <gmock/gmock.h>

namespace capsule::world {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(Prompts, AFileWithoutValuesStaysAsItIs) {
  workflow::Prompt prompt;
  const std::string text = "# Execute\r\n{{if .X}} {{VERIFY}} {not json} \xFF\n\n";
  EXPECT_EQ(compose_prompt(text, prompt,
                           {.verify = "make", .base = "b", .history = "h", .expertise = "e"})
                .value_or("?"),
            text);
}

TEST(Prompts, FeedbackIsASectionOfItsOwn) {
  workflow::Prompt prompt;
  prompt.feedback = "handle {{VERIFY}}";
  const std::string text = compose_prompt("# Execute\n", prompt, {}).value_or("?");
  EXPECT_THAT(text, StartsWith("# Execute\n\n---\n\n## Previous Feedback\n"));
  EXPECT_TRUE(text.ends_with("\n\nhandle {{VERIFY}}"));
}

TEST(Prompts, WhatTheWorldKnowsIsAddedToWhatTheWorkflowGives) {
  workflow::Prompt prompt;
  prompt.values = {{"TITLE", "{{BASE}}"}, {"BASE", "given"}};
  Surroundings around{.verify = "- test", .base = "abc", .history = "before", .expertise = "much"};
  EXPECT_EQ(compose_prompt("{{TITLE}}|{{BASE}}|{{VERIFY}}|{{HISTORY}}|{{EXPERTISE}}|{{CONTEXT}}|",
                           prompt, around)
                .value_or("?"),
            "{{BASE}}|given|- test|before|much||");
}

TEST(Prompts, OpenConflictsEndTheContext) {
  workflow::Prompt prompt;
  prompt.values = {{"CONTEXT", "Mend it.\n"}};
  Surroundings around;
  around.conflicts = {"a.txt", "b.txt"};
  const std::string list =
      "These files hold conflict markers (<<<<<<<, =======, >>>>>>>); resolve them:\n"
      "- a.txt\n- b.txt\n";
  EXPECT_EQ(compose_prompt("{{CONTEXT}}", prompt, around).value_or("?"), "Mend it.\n\n" + list);
  prompt.values = {{"TITLE", "x"}};
  EXPECT_EQ(compose_prompt("{{CONTEXT}}", prompt, around).value_or("?"), list);
  prompt.values.clear();
  EXPECT_EQ(compose_prompt("# Execute\n", prompt, around).value_or("?"), "# Execute\n\n" + list);
  prompt.follow_up = "The Critic has failed the review.";
  EXPECT_THAT(compose_follow_up(prompt, around), HasSubstr("- b.txt\n\nThe Critic"));
  EXPECT_EQ(compose_follow_up(prompt, {}), prompt.follow_up);
}

TEST(Prompts, ATemplateThatIsOffIsNamed) {
  workflow::Prompt prompt;
  prompt.file = "prompts/x.md";
  prompt.values = {{"TITLE", "x"}};
  const auto composed = compose_prompt("{{if .Title}}", prompt, {});
  ASSERT_FALSE(composed);
  EXPECT_EQ(composed.error().reason, Reason::damaged);
  EXPECT_THAT(composed.error().message, StartsWith("prompts/x.md: line 1: "));
}

}  // namespace
}  // namespace capsule::world
