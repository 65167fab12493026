#include "worklog/template.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <random>
#include <vector>

namespace capsule::worklog {
namespace {

constexpr std::array kVariables{
    Variable{"TASK_ID", "demo-1"},
    Variable{"ACCEPTANCE_CRITERIA", "- one\n- two"},
    Variable{"EMPTY", ""},
    Variable{"HOSTILE", "{{TASK_ID}} {{if .TaskID}} ${HOME} $(id) `id` {{end}}"},
};

std::string rendered(std::string_view text) {
  const auto result = render(text, kVariables);
  return result ? *result : "error: " + result.error().message;
}

TEST(Template, AVariableIsReplacedByItsValue) {
  EXPECT_EQ(rendered("a {{TASK_ID}} b {{TASK_ID}}\n"), "a demo-1 b demo-1\n");
  EXPECT_EQ(rendered("{{ TASK_ID }}"), "demo-1");
  EXPECT_EQ(rendered("{{ACCEPTANCE_CRITERIA}}"), "- one\n- two");
}

TEST(Template, AfterADotNeitherCaseNorUnderscoresCount) {
  for (const char* text : {"{{.TaskId}}", "{{.TaskID}}", "{{ .taskId }}", "{{.TASK_ID}}"})
    EXPECT_EQ(rendered(text), "demo-1") << text;
  EXPECT_EQ(rendered("{{.AcceptanceCriteria}}"), "- one\n- two");
}

TEST(Template, WithoutADotTheNameIsTakenAsItIs) { EXPECT_EQ(rendered("<{{TaskId}}>"), "<>"); }

TEST(Template, AnUnknownVariableIsEmpty) {
  EXPECT_EQ(rendered("<{{NO_SUCH}}>"), "<>");
  EXPECT_EQ(rendered("<{{.NoSuch}}>"), "<>");
  EXPECT_EQ(rendered("<{{.Task}}>"), "<>");
}

TEST(Template, AValueIsNeverExpandedAgain) {
  EXPECT_EQ(rendered("{{HOSTILE}}"), kVariables[3].value);
  EXPECT_EQ(rendered("{{{{HOSTILE}}}}"), "{{" + std::string(kVariables[3].value) + "}}");
}

TEST(Template, IfKeepsItsBodyOnlyWhenThereIsAValue) {
  EXPECT_EQ(rendered("a{{if .TaskID}}b{{end}}c"), "abc");
  EXPECT_EQ(rendered("a{{if .Empty}}b{{end}}c"), "ac");
  EXPECT_EQ(rendered("a{{if .NoSuch}}b{{end}}c"), "ac");
  EXPECT_EQ(rendered("a{{if TASK_ID}}b{{end}}c"), "abc");
}

TEST(Template, ElseStandsInForAnEmptyValue) {
  EXPECT_EQ(rendered("{{if .TaskID}}yes{{else}}no{{end}}"), "yes");
  EXPECT_EQ(rendered("{{if .Empty}}yes{{else}}no{{end}}"), "no");
}

TEST(Template, IfNests) {
  const std::string_view text =
      "{{if .TaskID}}1{{if .Empty}}2{{else}}3{{end}}4{{else}}5{{if .TaskID}}6{{end}}{{end}}7";
  EXPECT_EQ(rendered(text), "1347");
  EXPECT_EQ(rendered("{{if .Empty}}1{{if .TaskID}}2{{else}}3{{end}}{{else}}4{{end}}"), "4");
}

TEST(Template, HyphensTakeTheBlanksBesideAnActionAway) {
  EXPECT_EQ(rendered("a \n{{- if .TaskID }} b {{ end -}}\n\n c"), "a b c");
  EXPECT_EQ(rendered("{{ACCEPTANCE_CRITERIA}}{{- TASK_ID}}"), "- one\n- twodemo-1");
}

TEST(Template, AHyphenNeverTrimsAValue) {
  const std::array variables{Variable{"A", "x \n"}};
  EXPECT_EQ(*render("{{A}} {{- A -}} .", variables), "x \nx \n.");
}

TEST(Template, BracesOfAnotherFormAreText) {
  for (const char* text : {"{{", "}}", "{{}}", "{{ }}", "{{a b}}", "{{range .X}}", "{{\"x\"}}",
                           "{{TASK_ID", "{TASK_ID}", "{{TASK\n_ID}}", "{{..X}}", "{{1A}}", "{{$x}}",
                           "{{{}}}", "${TASK_ID}", "{{TASK-ID}}"})
    EXPECT_EQ(rendered(text), text);
  EXPECT_EQ(rendered("{{TASK_ID\n{{TASK_ID}}"), "{{TASK_ID\ndemo-1");
}

TEST(Template, AnUnbalancedIfIsAnErrorWithItsLine) {
  EXPECT_EQ(rendered("a\n{{if .TaskID}}\nb"), "error: line 2: {{if}} without {{end}}");
  EXPECT_EQ(rendered("{{if .A}}\n{{if .B}}\n{{end}}"), "error: line 1: {{if}} without {{end}}");
  EXPECT_EQ(rendered("a\n\n{{end}}"), "error: line 3: {{end}} without {{if}}");
  EXPECT_EQ(rendered("{{else}}"), "error: line 1: {{else}} without {{if}}");
  EXPECT_EQ(rendered("{{if .A}}\n{{else}}\n{{else}}{{end}}"),
            "error: line 3: a second {{else}} for one {{if}}");
  EXPECT_EQ(rendered("\n{{if}}{{end}}"), "error: line 2: {{if}} names no variable");
  EXPECT_EQ(rendered("{{if not .A}}{{end}}"), "error: line 1: {{if}} names no variable");
}

TEST(Template, AnIfInsideAHiddenPartIsStillBalanced) {
  EXPECT_EQ(rendered("{{if .Empty}}{{if .TaskID}}{{end}}"),
            "error: line 1: {{if}} without {{end}}");
}

TEST(Template, DeepNestingIsNoDanger) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "{{if .TaskID}}";
  text += "x";
  for (int i = 0; i < 100'000; ++i) text += "{{end}}";
  EXPECT_EQ(rendered(text), "x");
}

TEST(Template, TheWorklogKnowsElevenVariables) {
  const Briefing briefing{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11"};
  const auto text = render_worklog(
      "{{EPIC_ID}} {{EPIC_TITLE}} {{EPIC_GOAL}} {{FEATURE_ID}} {{FEATURE_TITLE}} {{FEATURE_GOAL}} "
      "{{TASK_ID}} {{TASK_TITLE}} {{TASK_DESCRIPTION}} {{ACCEPTANCE_CRITERIA}} {{TIMESTAMP}}",
      briefing);
  EXPECT_EQ(*text, "1 2 3 4 5 6 7 8 9 10 11");
}

// A tree is written out as a template and, by other means, as the text it has to become.
struct Generator {
  std::mt19937 random;
  std::vector<Variable> variables;

  int below(int limit) { return static_cast<int>(random() % static_cast<unsigned>(limit)); }

  void grow(int depth, bool shown, std::string& text, std::string& expected) {
    static constexpr std::array<std::string_view, 8> kTexts{"plain ",    "\n", "{ }",     "}}",
                                                            "{{ x y }}", "é",  "$(x)`y`", "{{\n"};
    static constexpr std::array<std::string_view, 4> kNames{"A_B", "C", "LONG_NAME_X", "NONE"};
    static constexpr std::array<std::string_view, 4> kDotted{".AB", ".c", ".LongNameX", ".None"};
    for (int parts = below(5); parts > 0; --parts) {
      const int pick = below(depth > 0 ? 4 : 3);
      if (pick == 0) {
        const std::string_view part = kTexts[static_cast<std::size_t>(below(8))];
        text += part;
        if (shown) expected += part;
      } else if (pick < 3) {
        const auto which = static_cast<std::size_t>(below(4));
        text += "{{" + std::string(pick == 1 ? kNames[which] : kDotted[which]) + "}}";
        if (shown && which < 3) expected += variables[which].value;
      } else {
        const auto which = static_cast<std::size_t>(below(4));
        const bool holds = which < 3 && !variables[which].value.empty();
        text += "{{if " + std::string(kDotted[which]) + "}}";
        grow(depth - 1, shown && holds, text, expected);
        if (below(2) == 0) {
          text += "{{else}}";
          grow(depth - 1, shown && !holds, text, expected);
        }
        text += "{{end}}";
      }
    }
  }
};

TEST(Template, RandomTreesRenderAsTheyWereMeant) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  static constexpr std::array<std::string_view, 6> kValues{
      "", "v", "{{C}}", "{{if .C}}", "{{end}}{{else}}", "}}{{"};
  const int rounds = std::getenv("CAPSULE_TEST_FULL") != nullptr ? 200'000 : 5'000;
  Generator generator{std::mt19937(seed), {}};
  for (int i = 0; i < rounds; ++i) {
    const auto value = [&] { return kValues[static_cast<std::size_t>(generator.below(6))]; };
    generator.variables = {{"A_B", value()}, {"C", value()}, {"LONG_NAME_X", value()}};
    std::string text, expected;
    generator.grow(4, true, text, expected);
    const auto result = render(text, generator.variables);
    ASSERT_TRUE(result) << text << "\n" << result.error().message;
    ASSERT_EQ(*result, expected) << text;
  }
}

TEST(Template, RandomBytesNeverBreakIt) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  static constexpr std::array<std::string_view, 16> kPieces{
      "{{", "}}",  "{", "}", "if ", "else", "end",     ".",
      "C",  "A_B", "-", " ", "\n",  "\xff", "{{end}}", "{{if .C}}"};
  const std::vector<Variable> variables{{"A_B", ""}, {"C", "value"}};
  const int rounds = std::getenv("CAPSULE_TEST_FULL") != nullptr ? 200'000 : 5'000;
  for (int i = 0; i < rounds; ++i) {
    std::string text;
    for (auto n = random() % 40; n > 0; --n) text += kPieces[random() % kPieces.size()];
    const auto result = render(text, variables);
    if (!result) {
      ASSERT_TRUE(result.error().message.starts_with("line ")) << text;
    } else if (text.find("{{") == text.npos) {
      ASSERT_EQ(*result, text);
    }
  }
}

}  // namespace
}  // namespace capsule::worklog
