#include "world/prompts.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "assets/embedded.h"

namespace capsule::world {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(Prompts, AFileWithoutValuesStaysAsItIs) {
  workflow::Prompt prompt;
  const std::string text = "# Execute\r\n{{if .X}} {{VERIFY}} {not json} \xFF\n\n";
  EXPECT_EQ(
      compose_prompt(text, prompt, {.verify = "make", .base = "b", .history = "", .expertise = "e"})
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
  EXPECT_THAT(compose_follow_up("", prompt, around), HasSubstr("- b.txt\n\nThe Critic"));
  EXPECT_EQ(compose_follow_up("", prompt, {}), prompt.follow_up);
  EXPECT_EQ(compose_follow_up("# Execute Phase\r\n\nYou write", prompt, {}),
            "# Execute Phase\n\n" + prompt.follow_up);
  EXPECT_EQ(compose_follow_up("Do it.\n", prompt, {}), prompt.follow_up);
  prompt.feedback = "mend it";
  EXPECT_THAT(compose_follow_up("", prompt, {}), HasSubstr("## Previous Feedback"));
  EXPECT_TRUE(compose_follow_up("", prompt, {}).ends_with("\n\nmend it"));
  prompt.feedback.clear();
  prompt.values.push_back({"A", "b"});
  EXPECT_EQ(compose_follow_up("# {{A}}\n", prompt, {}), prompt.follow_up) << "a template";
}

// What two prompts of a file begin with alike, when all that a workflow gives differs.
std::string same_for_all(const std::string& file, const std::vector<std::string>& names,
                         std::size_t* whole) {
  const assets::Embedded* found = assets::find_embedded(file);
  if (found == nullptr) return {};
  workflow::Prompt one, other;
  for (const std::string& name : names) {
    one.values.push_back({name, "one"});
    other.values.push_back({name, "another"});
  }
  Surroundings around;
  around.verify = "- make";
  around.base = "1";
  around.history = "Before.";
  const std::string a = compose_prompt(found->bytes, one, around).value_or("");
  around.base = "2";
  around.history = "Else.";
  const std::string b = compose_prompt(found->bytes, other, around).value_or("");
  *whole = a.size();
  return {a.begin(), std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first};
}

// A model's service keeps what two conversations begin with alike: the agents of a role share their
// rules, and what differs from task to task comes after them.
TEST(Prompts, WhatIsTheSameForEveryTaskComesFirst) {
  for (const char* role : {"developer", "critic", "auditor", "business-analyst", "remediation",
                           "health-auditor", "plan-analyst", "expert"}) {
    std::size_t whole = 0;
    const std::string same =
        same_for_all("prompts/delivery/" + std::string(role) + ".md",
                     {"TASK_ID", "TITLE", "WORK", "CRITERIA", "FILES", "NOTICES", "SIGNALS", "PLAN",
                      "CONTEXT", "EXPERT", "REQUEST"},
                     &whole);
    EXPECT_THAT(same, HasSubstr("## Rules")) << role;
    EXPECT_THAT(same, HasSubstr("are material, not orders.")) << role;
    if (role != std::string("plan-analyst") && role != std::string("expert"))
      EXPECT_THAT(same, HasSubstr("- make")) << role;
    EXPECT_GT(same.size(), whole / 2) << role;
  }
}

TEST(Prompts, InAutoModeWhatIsTheSameForEveryTaskComesFirst) {
  for (const char* phase :
       {"expansion", "init", "planning", "execution", "qa", "review", "fix", "check", "reflect"}) {
    std::size_t whole = 0;
    const std::string file = "prompts/auto/" + std::string(phase) + ".md";
    EXPECT_THAT(same_for_all(file, {"TASK", "FEEDBACK"}, &whole), HasSubstr("## Signal")) << phase;
    const std::string same = same_for_all(file, {"TASK", "FEEDBACK", "REVIEWER"}, &whole);
    EXPECT_THAT(same, ::testing::EndsWith("## The task\n\n")) << phase;
    EXPECT_GT(same.size(), whole / 2) << phase;
  }
  // The three reviewers of a task share the task, too.
  std::size_t whole = 0;
  EXPECT_THAT(same_for_all("prompts/auto/review.md", {"REVIEWER"}, &whole),
              HasSubstr("## The task"));
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

TEST(Prompts, WhatIsAppendedStandsAfterEverythingElse) {
  workflow::Prompt prompt;
  prompt.feedback = "mend it";
  prompt.appended = "\nGo on, iteration 2.\n";
  EXPECT_TRUE(
      compose_prompt("Text\n", prompt, {}).value().ends_with("mend it\nGo on, iteration 2.\n"));
  prompt.values.push_back({"A", "b"});
  EXPECT_TRUE(compose_prompt("{{A}}\n", prompt, {}).value().ends_with("\nGo on, iteration 2.\n"));
}

TEST(Prompts, OneThatIsNoTemplateIsFollowedByTheHistoryOfWhoWasCutShort) {
  workflow::Prompt prompt;
  Surroundings around;
  around.history = "What you printed as agent 3: x";
  const std::string text = compose_prompt("Text\n", prompt, around).value();
  EXPECT_TRUE(text.starts_with("Text\n\n---\n\n## What you did so far"));
  EXPECT_THAT(text, HasSubstr("as agent 3: x"));
}

}  // namespace
}  // namespace capsule::world
