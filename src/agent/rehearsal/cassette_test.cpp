#include "agent/rehearsal/cassette.h"

#include <gtest/gtest.h>

#include "agent/rehearsal/rehearsal.h"
#include "agent/rehearsal/texts.h"
#include "assets/embedded.h"
#include "base/files.h"

namespace capsule::agent::rehearsal {
namespace {

std::string error_of(std::string_view text) {
  const auto cassette = parse_cassette(text, "c.yaml");
  return cassette ? "no error" : cassette.error().message;
}

std::string with_step(std::string_view step) {
  return "cassette: 1\ntakes:\n  - phase: execute\n    steps:\n      - " + std::string(step) + "\n";
}

TEST(Cassette, EveryKindOfStepIsRead) {
  const auto cassette = parse_cassette(R"(cassette: 1
about: all of them
takes:
  - phase: execute
    attempt: 2
    steps:
      - print: hello
      - stderr: oops
      - write: a/b.txt
        text: |
          one
          	two
        executable: true
      - edit: a/b.txt
        find: one
        replace:
      - delete: a/b.txt
      - run: [go, test, "./..."]
        in: src
        expect: fail
      - run: [git, rev-parse, HEAD]
        save: commit
        expect: 3
      - worklog: entry
      - signal: {status: PASS, feedback: f, files_changed: [a, b], summary: s, extra: e}
      - wait: 0.25
      - prompt_has: words
      - exit: 7
)",
                                       "c.yaml");
  ASSERT_TRUE(cassette) << cassette.error().message;
  ASSERT_EQ(cassette->takes.size(), 1U);
  const Take& take = cassette->takes[0];
  EXPECT_EQ(take.phase, "execute");
  EXPECT_EQ(take.attempt, 2);
  ASSERT_EQ(take.steps.size(), 12U);
  EXPECT_EQ(take.steps[0].line, 7);
  EXPECT_EQ(std::get<Print>(take.steps[0].what).text, "hello");
  EXPECT_TRUE(std::get<Print>(take.steps[1].what).to_stderr);
  EXPECT_EQ(std::get<Write>(take.steps[2].what).text, "one\n\ttwo\n");
  EXPECT_TRUE(std::get<Write>(take.steps[2].what).executable);
  EXPECT_EQ(std::get<Edit>(take.steps[3].what).replace, "");
  EXPECT_EQ(std::get<Delete>(take.steps[4].what).path, "a/b.txt");
  const rehearsal::Run& run = std::get<rehearsal::Run>(take.steps[5].what);
  EXPECT_EQ(run.argv, (std::vector<std::string>{"go", "test", "./..."}));
  EXPECT_EQ(run.folder, "src");
  EXPECT_EQ(run.expect, rehearsal::Run::Expect::fail);
  EXPECT_EQ(std::get<rehearsal::Run>(take.steps[6].what).code, 3);
  EXPECT_EQ(std::get<rehearsal::Run>(take.steps[6].what).save, "commit");
  EXPECT_EQ(std::get<Worklog>(take.steps[7].what).text, "entry");
  EXPECT_EQ(
      signal_text(std::get<Signal>(take.steps[8].what)),
      R"({"status":"PASS","feedback":"f","files_changed":["a","b"],"summary":"s","extra":"e"})");
  EXPECT_EQ(std::get<Wait>(take.steps[9].what).time.count(), 250);
  EXPECT_EQ(std::get<PromptHas>(take.steps[10].what).text, "words");
  EXPECT_EQ(std::get<Exit>(take.steps[11].what).code, 7);
}

TEST(Cassette, TheLatestTakeUpToTheAttemptIsPlayed) {
  const auto cassette = parse_cassette(
      "cassette: 1\ntakes:\n- {phase: a, attempt: 3, steps: []}\n- {phase: a, steps: []}\n"
      "- {phase: b, attempt: 2, steps: []}\n",
      "c.yaml");
  ASSERT_TRUE(cassette);
  EXPECT_EQ(find_take(*cassette, "a", 1)->attempt, 1);
  EXPECT_EQ(find_take(*cassette, "a", 2)->attempt, 1);
  EXPECT_EQ(find_take(*cassette, "a", 3)->attempt, 3);
  EXPECT_EQ(find_take(*cassette, "a", 99)->attempt, 3);
  EXPECT_EQ(find_take(*cassette, "b", 1), nullptr);
  EXPECT_EQ(find_take(*cassette, "c", 1), nullptr);
}

TEST(Cassette, ErrorsNameTheFileAndTheLine) {
  EXPECT_EQ(error_of(""), "c.yaml:1: not a cassette");
  EXPECT_EQ(error_of("takes: []"), "c.yaml:1: not a cassette");
  EXPECT_EQ(error_of("cassette: 2\ntakes: []"), "c.yaml:1: this is a cassette of version '2'");
  EXPECT_EQ(error_of("cassette: 1\ntakes: []\nmore: 1"), "c.yaml:3: unknown key 'more'");
  EXPECT_EQ(error_of("cassette: 1"), "c.yaml:1: 'takes' must be a list");
  EXPECT_EQ(error_of("cassette: 1\ntakes: [1]"), "c.yaml:2: a take needs 'phase' and 'steps'");
  EXPECT_EQ(error_of("cassette: 1\ntakes:\n- {phase: a, steps: []}\n- {phase: a, steps: []}"),
            "c.yaml:4: a second take for a, attempt 1");
  EXPECT_EQ(error_of(with_step("dance: wildly")), "c.yaml:5: not a step");
  EXPECT_EQ(error_of(with_step("just text")), "c.yaml:5: not a step");
  EXPECT_EQ(error_of(with_step("{print: a, loud: b}")), "c.yaml:5: unknown key 'loud'");
  EXPECT_EQ(error_of(with_step("{write: a}")), "c.yaml:5: 'text' is missing");
  EXPECT_EQ(error_of(with_step("{edit: a, find: '', replace: b}")), "c.yaml:5: 'find' is empty");
  EXPECT_EQ(error_of(with_step("run: go test")), "c.yaml:5: 'run' must be a list of texts");
  EXPECT_EQ(error_of(with_step("run: []")), "c.yaml:5: 'run' names no program");
  EXPECT_EQ(error_of(with_step("{run: [a], expect: maybe}")),
            "c.yaml:5: 'expect' must be pass, fail, any or an exit code from 0 to 255");
  EXPECT_EQ(error_of(with_step("{run: [a], save: CAPSULE_RUN}")),
            "c.yaml:5: 'save' must be a name of letters, digits and underscores");
  EXPECT_EQ(error_of(with_step("exit: 256")),
            "c.yaml:5: 'exit' must be a whole number from 0 to 255");
  for (const char* wait : {"-1", "nan", "1e9", "4000", "soon", "''"})
    EXPECT_EQ(error_of(with_step("wait: " + std::string(wait))),
              "c.yaml:5: 'wait' must be a number of seconds from 0 to 3600");
  EXPECT_TRUE(error_of("cassette: 1\ntakes: [").starts_with("c.yaml:"));
}

TEST(Cassette, ASignalHasToBeValid) {
  EXPECT_EQ(error_of(with_step("signal: {status: PASS}")),
            "c.yaml:5: not a valid signal: Missing required field: feedback");
  EXPECT_EQ(error_of(with_step("signal: {status: OK, feedback: f, files_changed: [], summary: s}")),
            "c.yaml:5: not a valid signal: Invalid status value: OK (must be PASS, NEEDS_WORK, or "
            "ERROR)");
  EXPECT_EQ(error_of(with_step("signal: PASS")), "c.yaml:5: 'signal' must be a map of its fields");
}

TEST(Cassette, VariablesStandForTheirValues) {
  const auto lookup = [](std::string_view name) -> Lookup {
    if (name == "A") return {Known::set, "${B} $(x)"};
    if (name == "B") return {Known::set, ""};
    if (name == "C") return {Known::unset};
    return {};
  };
  const auto text = [&](std::string_view in) {
    const auto out = expanded(in, lookup);
    return out ? *out : "error: " + out.error().message;
  };
  EXPECT_EQ(text("<${A}> <${B}>"), "<${B} $(x)> <>");
  EXPECT_EQ(text("${B:-none} ${C:-none} ${A:-none}"), "none none ${B} $(x)");
  EXPECT_EQ(text("${X} $A ${A ${} ${1} ${X:-y} $"), "${X} $A ${A ${} ${1} ${X:-y} $");
  EXPECT_EQ(text("$${A} $${X} $$${B}"), "${A} $${X} $${B}");
  EXPECT_EQ(text("${X${A}}"), "${X${B} $(x)}");
  EXPECT_EQ(text("${C}"), "error: ${C} has no value in this phase");
}

TEST(Cassette, TheShippedOnesAreValid) {
  const std::string folder = CAPSULE_SOURCE_DIR "/templates/demo-capsule/cassettes/";
  for (const char* name : {"demo-1.1.1", "demo-1.1.1-caught", "demo-1.1.2"}) {
    const auto text = read_file(folder + name + ".yaml");
    ASSERT_TRUE(text) << name;
    const auto cassette = parse_cassette(*text, name);
    ASSERT_TRUE(cassette) << cassette.error().message;
    for (const char* phase :
         {"test-writer", "test-review", "execute", "execute-review", "sign-off", "merge"})
      EXPECT_NE(find_take(*cassette, phase, 1), nullptr) << name << " " << phase;
  }
  const auto any = parse_cassette(assets::find_embedded(kAnyProject)->bytes, "any");
  ASSERT_TRUE(any) << any.error().message;
  EXPECT_EQ(any->takes.size(), 6U + 8U + 3U);  // pipeline; auto mode, with three reviewers
}

}  // namespace
}  // namespace capsule::agent::rehearsal
