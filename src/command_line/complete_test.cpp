#include "command_line/complete.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace capsule::command_line {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Result<int> does_nothing(const Args&) { return 0; }
constexpr Positional kCompletedWords[] = {{"RUN", "The run"}, {"KIND", "What", false, "man|bash"}};
constexpr Option kCompletedOptions[] = {{"detach", "", "Go on alone"},
                                        {"workflow", "NAME", "Which", "pipeline|review"},
                                        {"secret", "", "Not for people", "", "", 0, true}};
const Command kCompleted[] = {
    {"run", "Run one", "", kCompletedWords, kCompletedOptions, does_nothing},
    {"bead list", "List them", "", {}, kCompletedOptions, does_nothing},
    {"bead show", "Show one", "", kCompletedWords, {}, does_nothing},
    {"inner", "Not for people", "", {}, {}, does_nothing, Errors::by_reason, "", "", true},
};

std::vector<std::string> proposed(std::string_view line) {
  std::vector<std::string> words;
  for (const Proposal& one : complete(kCompleted, line).proposals) words.push_back(one.word);
  return words;
}

TEST(Complete, ProposesCommandsAndTheWordsOfAGroup) {
  EXPECT_THAT(proposed("r"), ElementsAre("run"));
  EXPECT_THAT(proposed("be"), ElementsAre("bead"));
  EXPECT_THAT(proposed("bead "), ElementsAre("list", "show"));
  EXPECT_THAT(proposed("bead s"), ElementsAre("show"));
  EXPECT_THAT(proposed("capsule bead s"), ElementsAre("show"));
  EXPECT_THAT(proposed("in"), IsEmpty()) << "hidden";
  EXPECT_EQ(complete(kCompleted, "bead s").from, 5U);
}

TEST(Complete, ProposesOptionsAndTheirValues) {
  EXPECT_THAT(proposed("run demo --"), ElementsAre("--detach", "--workflow="));
  EXPECT_THAT(proposed("run --w"), ElementsAre("--workflow="));
  EXPECT_THAT(proposed("run --workflow=r"), ElementsAre("--workflow=review"));
  EXPECT_THAT(proposed("run --workflow "), ElementsAre("pipeline", "review"));
  EXPECT_THAT(proposed("run --nothing="), IsEmpty());
  EXPECT_THAT(proposed("bead list "), ElementsAre("--detach", "--workflow="))
      << "nothing else can come";
}

TEST(Complete, NamesTheArgumentThatIsWanted) {
  EXPECT_EQ(complete(kCompleted, "run ").wanted, "RUN");
  EXPECT_EQ(complete(kCompleted, "run --detach ").wanted, "RUN");
  EXPECT_EQ(complete(kCompleted, "run --workflow x ").wanted, "RUN");
  EXPECT_EQ(complete(kCompleted, "run --workflow=x 'a b' ").wanted, "KIND");
  EXPECT_THAT(complete(kCompleted, "run 'a b' ").words, ElementsAre("a b"));
  EXPECT_THAT(proposed("run one b"), ElementsAre("bash"));
  EXPECT_EQ(complete(kCompleted, "nothing ").wanted, "");
}

TEST(WordsOfLine, AreThoseOfAShellWithoutItsPowers) {
  EXPECT_THAT(*words_of_line(R"( tell  'a b' "c'd" e\ f $HOME *;x )"),
              ElementsAre("tell", "a b", "c'd", "e f", "$HOME", "*;x"));
  EXPECT_THAT(*words_of_line(""), IsEmpty());
  EXPECT_THAT(*words_of_line("a ''"), ElementsAre("a", ""));
  ASSERT_FALSE(words_of_line("tell 'a b"));
  EXPECT_EQ(words_of_line("tell 'a b").error().reason, Reason::usage);
}

}  // namespace
}  // namespace capsule::command_line
