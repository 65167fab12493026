// The program's own words: help, version, and what is said to a caller whose words are off.
#include "tests/program/harness.h"

namespace capsule::test {
namespace {

class Usage : public ProgramTest {
 protected:
  // Exit code 2, nothing on stdout, one line on stderr that holds both texts.
  void refused(const std::vector<std::string>& args, const std::string& what,
               const std::string& valid) {
    const Outcome outcome = capsule(args);
    SCOPED_TRACE(outcome.err);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.err.find('\n'), outcome.err.size() - 1);
    EXPECT_NE(outcome.err.find("capsule: " + what), std::string::npos);
    EXPECT_NE(outcome.err.find(valid), std::string::npos);
  }
  void explained(const std::vector<std::string>& args, const std::string& text) {
    const Outcome outcome = capsule(args);
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_EQ(outcome.err, "");
    EXPECT_NE(outcome.out.find(text), std::string::npos) << outcome.out;
  }
};

TEST_F(Usage, NoWordsAtAllShowTheHelpOnStderr) {
  const Outcome outcome = capsule({});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_NE(outcome.err.find("Usage: capsule COMMAND"), std::string::npos);
}

TEST_F(Usage, HelpIsFoundByEverySpelling) {
  for (const char* word : {"--help", "-h", "help"}) explained({word}, "Usage: capsule COMMAND");
  explained({"parse-signal", "--help"}, "Usage: capsule parse-signal");
  explained({"parse-signal", "-h"}, "Usage: capsule parse-signal");
  explained({"help", "parse-signal"}, "Usage: capsule parse-signal");
  explained({"help", "signal", "parse"}, "Usage: capsule signal parse");
  explained({"signal", "parse", "--help"}, "Usage: capsule signal parse");
}

TEST_F(Usage, AGroupExplainsItsCommands) {
  explained({"signal", "--help"}, "\n  signal parse ");
  explained({"help", "signal"}, "\n  signal list ");
  explained({"bead", "comments", "--help"}, "\n  bead comments add ");
}

TEST_F(Usage, AGroupAloneNeedsACommand) {
  refused({"signal"}, "'signal' needs a command", "valid: parse, list, format");
  refused({"bead", "comments"}, "'bead comments' needs a command", "valid: add");
}

TEST_F(Usage, AnUnknownCommandIsNamedWithWhatWouldBeValid) {
  refused({"frobnicate"}, "unknown command 'frobnicate'", ", parse-signal, ");
  refused({"parse-signl"}, "unknown command 'parse-signl'", "did you mean 'parse-signal'?");
  refused({"signal", "prase"}, "unknown command 'signal prase'", "did you mean 'signal parse'?");
  refused({"help", "frobnicate"}, "unknown command 'frobnicate'", "valid: ");
  refused({"help", "signal", "frobnicate"}, "unknown command 'signal frobnicate'", "valid: ");
  refused({""}, "unknown command ''", "valid: ");
  refused({"--frobnicate"}, "unknown command '--frobnicate'", "valid: ");
}

TEST_F(Usage, HostileWordsCanNeitherForgeALineNorFillTheScreen) {
  refused({"a\nb\x1b[2J"}, "unknown command 'a\\nb\\x1b[2J'", "valid: ");
  const Outcome outcome = capsule({std::string(100'000, 'x')});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_LT(outcome.err.size(), 1000U);
}

TEST_F(Usage, TheHiddenCommandIsNotOffered) {
  EXPECT_EQ(capsule({"--help"}).out.find("generate"), std::string::npos);
  refused({"generat"}, "unknown command 'generat'", "valid: ");
  EXPECT_EQ(capsule({"generat"}).err.find("did you mean"), std::string::npos);
}

TEST_F(Usage, TheVersionIsOneLine) {
  EXPECT_EQ(capsule({"--version"}).out.substr(0, 8), "capsule ");
  EXPECT_EQ(capsule({"version"}).out, capsule({"--version"}).out);
}

TEST_F(Usage, OutputThatCannotBeWrittenIsAFailure) {
  const Outcome outcome =
      call({.args = {"-c", "\"$0\" --help >/dev/full", CAPSULE_BINARY}, .program = "/bin/sh"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.err, "capsule: cannot write to stdout: No space left on device\n");
}

}  // namespace
}  // namespace capsule::test
