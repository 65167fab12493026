// Holds the files that the product brings (prompts/, templates/) to what the pipeline and the other
// workflows expect.
#include <gtest/gtest.h>

#include <array>
#include <nlohmann/json.hpp>
#include <set>

#include "base/files.h"
#include "base/text.h"
#include "worklog/entry.h"
#include "worklog/section.h"
#include "worklog/signoff.h"
#include "worklog/template.h"

namespace capsule::worklog {
namespace {

std::string file(const std::string& name) {
  const auto text = read_file(CAPSULE_SOURCE_DIR "/" + name);
  EXPECT_TRUE(text) << name;
  return text ? *text : "";
}

struct Prompt {
  std::string_view phase;
  std::string_view first_line;
};
constexpr std::array kPrompts{
    Prompt{"test-writer", "# Test-Writer Phase"},
    Prompt{"test-review", "# Test-Review Phase"},
    Prompt{"execute", "# Execute Phase"},
    Prompt{"execute-review", "# Execute-Review Phase"},
    Prompt{"sign-off", "# Sign-Off Phase"},
    Prompt{"merge", "# Merge Phase"},
    Prompt{"spike/plan", "# Spike: Plan Phase"},
    Prompt{"spike/code", "# Spike: Code Phase"},
    Prompt{"spike/check", "# Spike: Check Phase"},
    Prompt{"review-panel/behaviour", "# Review Panel: Behaviour"},
    Prompt{"review-panel/security", "# Review Panel: Security"},
    Prompt{"review-panel/quality", "# Review Panel: Quality"},
};

std::string prompt_of(std::string_view phase) {
  return file("prompts/" + std::string(phase) + ".md");
}

bool contains(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

TEST(ShippedPrompts, EachBeginsWithItsTitle) {
  for (const Prompt& prompt : kPrompts)
    EXPECT_TRUE(prompt_of(prompt.phase).starts_with(std::string(prompt.first_line) + "\n\n"))
        << prompt.phase;
}

TEST(ShippedPrompts, EachNamesWhatTheAgentReadsAndMayFind) {
  for (const Prompt& prompt : kPrompts)
    for (const char* word : {"`worklog.md`", "`CLAUDE.md`", "`AGENTS.md`", "Previous Feedback"})
      EXPECT_TRUE(contains(prompt_of(prompt.phase), word)) << prompt.phase << " " << word;
}

TEST(ShippedPrompts, EachPhaseWithASectionNamesIt) {
  for (const Prompt& prompt : kPrompts) {
    const Phase* phase = find_phase(prompt.phase);
    if (phase == nullptr) continue;
    EXPECT_TRUE(contains(prompt_of(prompt.phase), "\"" + std::string(phase->title) + "\""));
  }
}

TEST(ShippedPrompts, EachShowsAValidSignalForEveryStatus) {
  for (const Prompt& prompt : kPrompts) {
    std::set<std::string> statuses;
    const std::string text = prompt_of(prompt.phase);
    for (std::string_view line : split(text, '\n')) {
      if (!line.starts_with('{')) continue;
      const auto signal = nlohmann::json::parse(line, nullptr, false);
      ASSERT_TRUE(signal.is_object()) << prompt.phase << ": " << line;
      EXPECT_TRUE(signal.value("feedback", nlohmann::json()).is_string()) << line;
      EXPECT_TRUE(signal.value("summary", nlohmann::json()).is_string()) << line;
      ASSERT_TRUE(signal.contains("files_changed") && signal["files_changed"].is_array()) << line;
      for (const auto& name : signal["files_changed"]) EXPECT_TRUE(name.is_string()) << line;
      statuses.insert(signal.value("status", ""));
      const bool commits = prompt.phase == "merge" && signal.value("status", "") == "PASS";
      EXPECT_EQ(signal.contains("commit_hash"), commits) << line;
    }
    EXPECT_EQ(statuses, (std::set<std::string>{"PASS", "NEEDS_WORK", "ERROR"})) << prompt.phase;
  }
}

TEST(ShippedPrompts, AWorklogThatHoldsAQuotedPromptIsNotSignedOff) {
  for (const Prompt& prompt : kPrompts)
    EXPECT_FALSE(signed_off("## Phase 5: sign-off\n\n" + prompt_of(prompt.phase))) << prompt.phase;
}

TEST(ShippedPrompts, MergeStagesByNameAndCommitsWithTheGivenMessage) {
  const std::string text = prompt_of("merge");
  for (const char* word : {"git add -A", "git commit -m \"$CAPSULE_COMMIT_MSG\"", "**MERGE**",
                           "**EXCLUDE**", "`.capsule/`", "`commit_hash`"})
    EXPECT_TRUE(contains(text, word)) << word;
}

Briefing demo_briefing() {
  return {"demo-1",
          "Demo Capsule Feature Set",
          "Goal of the epic",
          "demo-1.1",
          "Add input validation",
          "Goal of the feature",
          "demo-1.1.1",
          "Validate email format",
          "What to do",
          "- first\n- second",
          "2026-01-05T09:00:00Z"};
}

TEST(ShippedWorklog, EveryVariableIsShown) {
  const std::string text = file("templates/worklog.md.template");
  const auto worklog = render_worklog(text, demo_briefing());
  ASSERT_TRUE(worklog) << worklog.error().message;
  const Briefing briefing = demo_briefing();
  for (std::string_view value :
       {briefing.epic_id, briefing.epic_title, briefing.epic_goal, briefing.feature_id,
        briefing.feature_title, briefing.feature_goal, briefing.task_id, briefing.task_title,
        briefing.task_description, briefing.acceptance_criteria, briefing.timestamp})
    EXPECT_TRUE(contains(*worklog, value)) << value;
  EXPECT_FALSE(contains(*worklog, "{{"));
  for (const char* name :
       {"EPIC_ID", "EPIC_TITLE", "EPIC_GOAL", "FEATURE_ID", "FEATURE_TITLE", "FEATURE_GOAL",
        "TASK_ID", "TASK_TITLE", "TASK_DESCRIPTION", "ACCEPTANCE_CRITERIA", "TIMESTAMP"})
    EXPECT_TRUE(contains(text, "{{" + std::string(name) + "}}")) << name;
}

TEST(ShippedWorklog, AncestorsThatDoNotExistLeaveNoTrace) {
  Briefing briefing = demo_briefing();
  briefing.epic_id = briefing.epic_title = briefing.epic_goal = "";
  briefing.feature_id = briefing.feature_title = briefing.feature_goal = "";
  const auto worklog = render_worklog(file("templates/worklog.md.template"), briefing);
  ASSERT_TRUE(worklog);
  EXPECT_FALSE(contains(*worklog, "Epic"));
  EXPECT_FALSE(contains(*worklog, "Feature"));
  EXPECT_FALSE(contains(*worklog, "\n\n\n"));
}

TEST(ShippedWorklog, TheFivePhasesFollowInOrderAndSignOffIsLast) {
  const auto worklog = render_worklog(file("templates/worklog.md.template"), demo_briefing());
  ASSERT_TRUE(worklog);
  std::size_t at = 0;
  for (const char* name : {"test-writer", "test-review", "execute", "execute-review", "sign-off"}) {
    const std::size_t found =
        worklog->find("\n## " + std::string(find_phase(name)->title) + "\n", at);
    ASSERT_NE(found, std::string::npos) << name;
    at = found + 1;
  }
  EXPECT_EQ(sign_off_of(*worklog), SignOff::no_verdict);
  EXPECT_TRUE(signed_off(*worklog + "Verdict: PASS\n"));
}

}  // namespace
}  // namespace capsule::worklog
