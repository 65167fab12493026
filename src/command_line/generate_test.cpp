#include "command_line/generate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"

namespace capsule::command_line {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr Positional kPhase[] = {{"PHASE", "Which phase", true, "prep|merge"},
                                 {"WORKTREE", "Where it works", false}};
constexpr Option kOddOptions[] = {{"file", "FILE", "It's a [file]: yours"},
                                  {"dialect", "NAME", "One of three", "contract|line", "line"},
                                  {"json", "", "Print JSON"},
                                  {.name = "inward", .value = "DIR", .help = "x", .hidden = true}};
constexpr Command kTable[] = {
    {.path = "phase run",
     .summary = "Run one phase",
     .details = "The first sentence. It's the 'second'. And a third one which is so long that it "
                "has to go "
                "on in another line.\n\n"
                "  .kept\n  a\\b",
     .positionals = kPhase,
     .options = kOddOptions,
     .run = nullptr,
     .alias = "phase-run",
     .examples = "capsule phase run prep --dialect=line"},
    {.path = "phase list",
     .summary = "List them",
     .details = {},
     .positionals = {},
     .options = {},
     .run = nullptr},
    {.path = "phase notes add",
     .summary = "Add a note",
     .details = {},
     .positionals = {},
     .options = {},
     .run = nullptr},
    {.path = "secret",
     .summary = "Nobody sees it",
     .details = {},
     .positionals = {},
     .options = {},
     .run = nullptr,
     .hidden = true},
};

TEST(Generated, HiddenOptionsAreInNoTextForPeople) {
  for (const std::string& text : {man_page(kTable), bash_completion(kTable), zsh_completion(kTable),
                                  fish_completion(kTable), help_text(kTable[0])})
    EXPECT_THAT(text, Not(HasSubstr("inward")));
}

TEST(ManPage, ShowsTextLetterByLetter) {
  const std::string page = man_page(kTable);
  EXPECT_THAT(page, HasSubstr("The first sentence.\nIt\\(aqs the \\(aqsecond\\(aq.\n"));
  EXPECT_THAT(page, HasSubstr("\n\\&.kept\na\\eb\n"));
  EXPECT_THAT(page, HasSubstr("\ncapsule phase run prep \\-\\-dialect=line\n"));
  EXPECT_THAT(page, HasSubstr("Also called as \\fBcapsule phase\\-run\\fR.\n"));
}

TEST(ManPage, HasNoLongLines) {
  const std::string page = man_page(kTable);
  for (std::string_view line : split(page, '\n')) EXPECT_LE(line.size(), 80U) << line;
}

TEST(Generated, HiddenCommandsAreLeftOut) {
  for (const auto make : {man_page, bash_completion, zsh_completion, fish_completion})
    EXPECT_THAT(make(std::span<const Command>(kTable)), Not(HasSubstr("secret")));
}

TEST(Generated, GroupsComeBeforeTheirCommands) {
  std::vector<std::string> words;
  for (const Subcommand& one : subcommands(kTable)) words.push_back(one.group + "/" + one.word);
  EXPECT_EQ(words, (std::vector<std::string>{"/phase", "/help", "/version", "phase/run",
                                             "phase/list", "phase/notes", "phase notes/add"}));
}

TEST(Generated, ACommandThatIsAGroupTooComesAfterItsOwnAndOffersThem) {
  constexpr Command kBoth[] = {{.path = "agents",
                                .summary = "Show them",
                                .details = {},
                                .positionals = {},
                                .options = {},
                                .run = nullptr},
                               {.path = "agents resume",
                                .summary = "Free one",
                                .details = {},
                                .positionals = {},
                                .options = {},
                                .run = nullptr}};
  const std::string bash = bash_completion(kBoth), zsh = zsh_completion(kBoth);
  EXPECT_LT(bash.find("' agents resume '*)"), bash.find("' agents '*)"));
  EXPECT_THAT(bash, HasSubstr("places=('words resume')"));
  EXPECT_LT(zsh.find("'agents resume' |"), zsh.find("'agents' |"));
  EXPECT_THAT(zsh, HasSubstr("'1::command:(resume)'"));
}

TEST(BashCompletion, OffersWhatEachPlaceTakes) {
  const std::string script = bash_completion(kTable);
  EXPECT_THAT(script, HasSubstr("options='--file= --dialect= --json --help'"));
  EXPECT_THAT(script, HasSubstr("places=('words prep merge' folders)"));
  EXPECT_THAT(script, HasSubstr("--file) value=files ;;"));
  EXPECT_THAT(script, HasSubstr("--dialect) value='words contract line' ;;"));
  EXPECT_THAT(script, HasSubstr("' phase ') names='run list notes --help' ;;"));
  EXPECT_THAT(script, HasSubstr("' phase notes ') names='add --help' ;;"));
  EXPECT_THAT(script, HasSubstr("' phase-run '*)"));
}

TEST(ZshCompletion, MarksWhatItsSpecificationsWouldReadOtherwise) {
  const std::string script = zsh_completion(kTable);
  EXPECT_THAT(script, HasSubstr("'--file=[It'\\''s a \\[file\\]\\: yours]:FILE:_files'"));
  EXPECT_THAT(script, HasSubstr("'1:PHASE:(prep merge)'"));
  EXPECT_THAT(script, HasSubstr("'2::WORKTREE:_files -/'"));
  EXPECT_THAT(script, HasSubstr("'run:Run one phase'"));
}

TEST(FishCompletion, QuotesItsTexts) {
  const std::string script = fish_completion(kTable);
  EXPECT_THAT(script,
              HasSubstr("-n '__capsule_in phase run' -l file -d 'It\\'s a [file]: yours' -r -F\n"));
  EXPECT_THAT(script, HasSubstr("-l dialect -d 'One of three' -x -a 'contract line'\n"));
  EXPECT_THAT(script, HasSubstr("-n '__capsule_after phase' -a 'list' -d 'List them'\n"));
}

}  // namespace
}  // namespace capsule::command_line
