#include "command_line/command.h"

#include <gtest/gtest.h>

#include <array>

#include "base/fill.h"
#include "base/text.h"

namespace capsule::command_line {
namespace {

constexpr Positional kPositionals[] = {
    {"PHASE", "The phase", true, "prep|merge"},
    {"FILE", "Where the text is", false},
};
constexpr Option kOptions[] = {
    {"dialect", "NAME", "The dialect", "contract|line|block", "contract"},
    {"feedback", "TEXT", "What the reviewer said"},
    {"json", "", "Print JSON"},
    {"input", "FILE", "What to read", {}, {}, 'i'},
    {.name = "inward", .value = "DIR", .help = "For scripts", .hidden = true},
};
constexpr Command kSample{
    .path = "sample run",
    .summary = "Do something with a phase",
    .details =
        "A paragraph whose lines are filled anew\nto the width of a terminal, however they were\n"
        "broken in the source of the program, which nobody sees.\n\n  kept   as it is",
    .positionals = kPositionals,
    .options = kOptions,
    .run = nullptr,
    .alias = "sample-run",
    .examples = "capsule sample run prep\ncapsule sample run merge --json",
};

Result<Args> parsed(std::vector<const char*> words) { return parse_args(kSample, words); }

Error refused(std::vector<const char*> words) {
  const auto result = parsed(std::move(words));
  EXPECT_FALSE(result.has_value());
  if (result) return {Reason::io, "accepted"};
  EXPECT_EQ(result.error().reason, Reason::usage);
  EXPECT_EQ(result.error().message.find('\n'), std::string::npos);
  return result.error();
}

TEST(ParseArgs, AHiddenOptionIsTakenAndNotProposed) {
  EXPECT_EQ(parsed({"prep", "--inward=x"})->option("inward"), "x");
  EXPECT_EQ(refused({"prep", "--inwards=x"}).hint.find("inward"), std::string::npos);
}

TEST(ParseArgs, AnOptionTakesItsValueAfterEqualsOrAsTheNextWord) {
  EXPECT_EQ(parsed({"prep", "--dialect=line"})->option("dialect"), "line");
  EXPECT_EQ(parsed({"prep", "--dialect", "line"})->option("dialect"), "line");
  EXPECT_EQ(parsed({"--dialect", "line", "prep"})->positional(0), "prep");
}

TEST(ParseArgs, ALetterStandsForItsOption) {
  EXPECT_EQ(parsed({"prep", "-i", "x"})->option("input"), "x");
  EXPECT_EQ(parsed({"prep", "-ix=y"})->option("input"), "x=y");
  EXPECT_EQ(parsed({"prep", "-i=x=y"})->option("input"), "x=y");
  EXPECT_EQ(parsed({"prep", "-i", "--json"})->option("input"), "--json");
  EXPECT_EQ(refused({"prep", "-i"}).message, "--input needs a value");
  EXPECT_EQ(refused({"prep", "-x"}).message, "unknown option -x");
  EXPECT_EQ(refused({"prep", "--i=x"}).message, "unknown option --i");
}

TEST(ParseArgs, TheLastOfTwoValuesWins) {
  EXPECT_EQ(parsed({"prep", "--dialect=line", "--dialect=block"})->option("dialect"), "block");
}

TEST(ParseArgs, AllValuesOfAnOptionCanBeAskedForInTheirOrder) {
  using Values = std::vector<std::string_view>;
  const auto args = parsed({"prep", "--feedback=a", "--feedback", "b"});
  EXPECT_EQ(args->every("feedback"), (Values{"a", "b"}));
  EXPECT_EQ(args->every("dialect"), Values{});
}

TEST(ParseArgs, WordsOfAnotherCommandAreTakenAsTheyAre) {
  constexpr Positional kWords[] = {
      {.name = "COMMAND", .help = "What to run", .required = false, .rest = true}};
  const Command command{.path = "within",
                        .summary = "",
                        .details = "",
                        .positionals = kWords,
                        .options = kOptions,
                        .run = nullptr};
  using Words = std::vector<std::string_view>;
  const auto rest = [&](std::vector<const char*> words) {
    const auto args = parse_args(command, words);
    return args ? args->rest(0) : Words{"refused"};
  };
  EXPECT_EQ(rest({"--json", "--", "ls", "-l", "--", "--help"}),
            (Words{"ls", "-l", "--", "--help"}));
  EXPECT_EQ(rest({"--json", "ls", "--json", "-x"}), (Words{"ls", "--json", "-x"}));
  EXPECT_EQ(rest({"--json"}), Words{});
  EXPECT_EQ(rest({"--jsn", "ls"}), Words{"refused"});
  EXPECT_EQ(synopsis(command), "capsule within [options] -- [COMMAND...]");
}

TEST(ParseArgs, AValueIsTakenAsItIsHoweverHostile) {
  for (const char* text : {"", "--json", "--", "-rf", "[a,b]", "a=b", "$(id)", "\x1b[2J", "\n"}) {
    EXPECT_EQ(parsed({"prep", "--feedback", text})->option("feedback"), text);
    EXPECT_FALSE(parsed({"prep", "--feedback", text})->flag("json"));
  }
  EXPECT_EQ(parsed({"prep", "--feedback=a=b"})->option("feedback"), "a=b");
  EXPECT_EQ(parsed({"prep", "--feedback="})->option("feedback"), "");
}

TEST(ParseArgs, AfterTwoDashesEveryWordIsAnArgument) {
  EXPECT_EQ(parsed({"prep", "--", "--json"})->positional(1), "--json");
  EXPECT_FALSE(parsed({"prep", "--", "--json"})->flag("json"));
  EXPECT_FALSE(parsed({"prep", "--", "-h"})->flag("help"));
}

TEST(ParseArgs, ASingleDashIsAnArgument) { EXPECT_EQ(parsed({"prep", "-"})->positional(1), "-"); }

TEST(ParseArgs, WhatWasLeftOutIsAbsent) {
  const auto args = parsed({"prep"});
  EXPECT_EQ(args->positional(1), std::nullopt);
  EXPECT_EQ(args->positional(99), std::nullopt);
  EXPECT_EQ(args->option("dialect"), std::nullopt);
  EXPECT_FALSE(args->flag("json"));
}

TEST(ParseArgs, HelpNeedsNoArguments) {
  EXPECT_TRUE(parsed({"--help"})->flag("help"));
  EXPECT_TRUE(parsed({"-h"})->flag("help"));
}

TEST(ParseArgs, AMissingArgumentIsNamedWithTheUsage) {
  const Error error = refused({});
  EXPECT_EQ(error.message, "missing argument PHASE");
  EXPECT_EQ(error.hint, "usage: capsule sample run PHASE [FILE] [options]");
}

TEST(ParseArgs, AnArgumentTooManyIsNamed) {
  EXPECT_EQ(refused({"prep", "a", "b"}).message, "unexpected argument 'b'");
}

TEST(ParseArgs, AnUnknownOptionIsNamedWithTheNearestAndTheValidOnes) {
  const Error error = refused({"prep", "--dialct=line"});
  EXPECT_EQ(error.message, "unknown option --dialct");
  EXPECT_EQ(error.hint,
            "did you mean --dialect? valid: --dialect --feedback --json --input --help");
  EXPECT_EQ(refused({"prep", "--colour"}).hint,
            "valid: --dialect --feedback --json --input --help");
  EXPECT_EQ(refused({"prep", "--=x"}).message, "unknown option --");
}

TEST(ParseArgs, AnOptionIsNeverGuessedFromItsBeginning) {
  EXPECT_EQ(refused({"prep", "--js"}).message, "unknown option --js");
}

TEST(ParseArgs, ASingleDashOptionIsRefusedWithTheWayToPassIt) {
  EXPECT_EQ(refused({"-rf"}).message, "unknown option -rf");
  EXPECT_EQ(refused({"-rf"}).hint, "put an argument that begins with a dash after --");
}

TEST(ParseArgs, AValueOutsideTheChoicesIsRefusedWithAllOfThem) {
  EXPECT_EQ(refused({"prep", "--dialect=json"}).message, "unknown value 'json' for --dialect");
  EXPECT_EQ(refused({"prep", "--dialect=json"}).hint, "valid: contract, line, block");
  EXPECT_EQ(refused({"prep", "--dialect=contrat"}).hint,
            "did you mean contract? valid: contract, line, block");
  EXPECT_EQ(refused({"prep", "--dialect="}).message, "unknown value '' for --dialect");
  EXPECT_EQ(refused({"prep", "--dialect=contract|line"}).hint, "valid: contract, line, block");
  EXPECT_EQ(refused({"teardown"}).message, "unknown value 'teardown' for PHASE");
}

TEST(ParseArgs, AFlagTakesNoValueAndAValueIsNotOptional) {
  EXPECT_EQ(refused({"prep", "--json=yes"}).message, "--json takes no value");
  EXPECT_EQ(refused({"prep", "--dialect"}).message, "--dialect needs a value");
  EXPECT_EQ(refused({"prep", "--dialect"}).hint, "write --dialect=NAME");
}

TEST(ParseArgs, HostileWordsAreShownHarmlessAndShort) {
  const std::string longest(200'000, 'x');
  EXPECT_LT(refused({"prep", "a", longest.c_str()}).message.size(), 100U);
  EXPECT_LT(refused({("--" + longest).c_str()}).message.size(), 100U);
  EXPECT_EQ(refused({"--\x1b[2J"}).message, "unknown option --\\x1b[2J");
  const std::string cut = std::string(59, 'x') + "éé";
  EXPECT_EQ(refused({cut.c_str()}).message,
            "unknown value '" + std::string(59, 'x') + "…' for PHASE");
}

TEST(Nearest, FindsSmallSlipsAndNothingElse) {
  const std::vector<std::string_view> names{"parse-signal", "prep", "run"};
  EXPECT_EQ(nearest("parse-signl", names), "parse-signal");
  EXPECT_EQ(nearest("prpe", names), "prep");
  EXPECT_EQ(nearest("rn", names), "run");
  for (std::string_view far : {"", "x", "xyz", "frobnicate", "abcdefghijklmnopqrstuvwxyz"})
    EXPECT_EQ(nearest(far, names), "") << far;
  EXPECT_EQ(nearest(std::string(100'000, 'r'), names), "");
}

TEST(HelpText, FitsEightyColumnsAndKeepsIndentedLines) {
  const std::string text = help_text(kSample);
  for (std::string_view line : split(text, '\n')) EXPECT_LE(columns_of(line), 80U) << line;
  EXPECT_NE(text.find("Usage: capsule sample run PHASE [FILE] [options]\n"), text.npos);
  EXPECT_NE(text.find("\nA paragraph whose lines are filled anew to the width of"), text.npos);
  EXPECT_NE(text.find("\n  kept   as it is\n"), text.npos);
  EXPECT_NE(text.find("contract, line, block (default: contract)"), text.npos);
  EXPECT_NE(text.find("\n  capsule sample run merge --json\n"), text.npos);
  EXPECT_NE(text.find("Also:  capsule sample-run\n"), text.npos);
}

TEST(NumberIn, IsAWholeNumberWithinItsBoundsAndNothingElse) {
  EXPECT_EQ(number_in("8080", 0, 65535), 8080);
  EXPECT_EQ(number_in("-1", -5), -1);
  for (const char* word : {"", "8080x", " 1", "1.0", "65536", "-1", "99999999999999999999"})
    EXPECT_EQ(number_in(word, 0, 65535), std::nullopt) << word;
}

TEST(ExitCode, NoIsOneAndNoAnswerIsTwo) {
  for (const Reason no :
       {Reason::not_found, Reason::exists, Reason::refused, Reason::blocked, Reason::conflict})
    EXPECT_EQ(exit_code(no, Errors::by_reason), 1);
  for (const Reason fault : {Reason::usage, Reason::damaged, Reason::io, Reason::missing_program,
                             Reason::failed, Reason::timed_out, Reason::interrupted})
    EXPECT_EQ(exit_code(fault, Errors::by_reason), 2);
}

TEST(ExitCode, ACommandWhoseCodesAreTakenHasOneForAllErrors) {
  for (const Reason reason : {Reason::usage, Reason::not_found, Reason::io}) {
    EXPECT_EQ(exit_code(reason, Errors::one), 1);
    EXPECT_EQ(exit_code(reason, Errors::two), 2);
  }
}

TEST(ExitCode, ACommandThatEndsAsAnotherDoesHasCodesBesideThoseOfTheOther) {
  EXPECT_EQ(exit_code(Reason::missing_program, Errors::beside), 127);
  EXPECT_EQ(exit_code(Reason::failed, Errors::beside), 126);
  for (const Reason reason :
       {Reason::usage, Reason::not_found, Reason::refused, Reason::damaged, Reason::io})
    EXPECT_EQ(exit_code(reason, Errors::beside), 125);
}

TEST(ExitCode, WhatACommandFailsWithBecomesTheCodeOfTheProgram) {
  constexpr Command kRows[] = {
      {.path = "look",
       .summary = "",
       .details = "",
       .positionals = {},
       .options = {},
       .run = [](const Args&) -> Result<int> { return fail(Reason::not_found, "none"); }},
      {.path = "work",
       .summary = "",
       .details = "",
       .positionals = {},
       .options = {},
       .run = [](const Args&) -> Result<int> { return fail(Reason::not_found, "none"); },
       .errors = Errors::two},
  };
  const auto code_of = [&](const char* word) { return run_program(kRows, std::array{word}); };
  EXPECT_EQ(code_of("look"), 1);
  EXPECT_EQ(code_of("work"), 2);
  EXPECT_EQ(code_of("nothing"), 2);
}

}  // namespace
}  // namespace capsule::command_line
