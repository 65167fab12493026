#include "agent/provider.h"
#include "agent/clients.h"

#include <gtest/gtest.h>

namespace capsule::agent {
namespace {

using Words = std::vector<std::string>;

TEST(ClaudeProvider, GetsExactlyTheArgumentsOfItsUsers) {
  const auto call = call_of(claude_provider(""), "do it");
  ASSERT_TRUE(call);
  EXPECT_EQ(call->argv, (Words{"claude", "-p", "do it", "--dangerously-skip-permissions"}));
  EXPECT_EQ(call->input, std::nullopt);
}

TEST(ClaudeProvider, AModelComesLast) {
  const auto call = call_of(claude_provider("opus"), "x");
  ASSERT_TRUE(call);
  EXPECT_EQ(call->argv,
            (Words{"claude", "-p", "x", "--dangerously-skip-permissions", "--model", "opus"}));
}

TEST(ClaudeProvider, ThePromptGoesInOnStdinFromTheFirstByteThatDoesNotFit) {
  const auto fits = call_of(claude_provider(""), std::string(131'071, 'x'));
  ASSERT_TRUE(fits);
  EXPECT_EQ(fits->argv.size(), 4U);
  const auto longer = call_of(claude_provider(""), std::string(131'072, 'x'));
  ASSERT_TRUE(longer);
  EXPECT_EQ(longer->argv, (Words{"claude", "-p", "--dangerously-skip-permissions"}));
  EXPECT_EQ(longer->input, std::string(131'072, 'x'));
}

TEST(CommandProvider, ThePlaceholderIsFilledOnceAndNeverAgain) {
  Provider provider{.name = "mine", .argv = {"prog", "--x={prompt}", "{prompt}"}};
  const auto call = call_of(provider, "a {prompt} b");
  ASSERT_TRUE(call);
  EXPECT_EQ(call->argv, (Words{"prog", "--x=a {prompt} b", "a {prompt} b"}));
  EXPECT_EQ(call->input, std::nullopt);
}

TEST(CommandProvider, WithoutAPlaceholderThePromptGoesInOnStdinUnlessItMayNot) {
  Provider provider{.name = "mine", .argv = {"prog"}};
  EXPECT_EQ(call_of(provider, "p")->input, "p");
  provider.stdin_prompt = false;
  EXPECT_EQ(call_of(provider, "p")->input, std::nullopt);
}

TEST(CommandProvider, APromptThatFitsNowhereIsAnErrorThatSaysWhatToDo) {
  const Provider provider{.name = "mine", .argv = {"prog", "{prompt}"}};
  const auto call = call_of(provider, std::string(200'000, 'x'));
  ASSERT_FALSE(call);
  EXPECT_EQ(call.error().reason, Reason::usage);
  EXPECT_NE(call.error().hint.find("providers.mine.command"), std::string::npos);
}

TEST(Advice, OnlyAMissingProgramGetsIt) {
  const Error missing = with_advice(claude_provider(""), {Reason::missing_program, "no claude"});
  EXPECT_NE(missing.hint.find("npm install"), std::string::npos);
  EXPECT_NE(missing.hint.find("--provider=rehearsal"), std::string::npos);
  EXPECT_EQ(with_advice(claude_provider(""), {Reason::io, "broken", "as it was"}).hint,
            "as it was");
}

}  // namespace
}  // namespace capsule::agent
