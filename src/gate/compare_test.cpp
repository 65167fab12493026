#include "gate/compare.h"

#include <gtest/gtest.h>

namespace capsule::gate {
namespace {

constexpr auto kRan = TestState::passed;
constexpr auto kFell = TestState::failed;
constexpr auto kLeft = TestState::skipped;
using List = std::vector<std::string>;

TEST(Compare, TellsWhatBecameOfEachTest) {
  const TestReport before{{{"a", kRan},
                           {"b", kRan},
                           {"c", kRan},
                           {"d", kFell},
                           {"e", kFell},
                           {"f", kLeft},
                           {"g", kRan},
                           {"h", kLeft}}};
  const TestReport now{{{"a", kRan},
                        {"b", kFell},
                        {"c", kLeft},
                        {"d", kFell},
                        {"e", kRan},
                        {"f", kFell},
                        {"n", kRan},
                        {"o", kFell},
                        {"p", kLeft}}};
  const Compared compared = compare(before, now);
  EXPECT_EQ(compared.still_passing, 1U);
  EXPECT_EQ(compared.broken, List{"b"});
  EXPECT_EQ(compared.skipped, List{"c"});
  EXPECT_EQ(compared.still_failing, List{"d"});
  EXPECT_EQ(compared.mended, List{"e"});
  EXPECT_EQ(compared.gone, List{"g"}) << "what was skipped before is missed by nobody";
  EXPECT_EQ(compared.new_passing, List{"n"});
  EXPECT_EQ(compared.new_failing, (List{"f", "o"}));
  EXPECT_EQ(compared.new_skipped, List{"p"});
}

TEST(Compare, NothingAndSomethingAreComparedToo) {
  const TestReport some{{{"a", kRan}}};
  EXPECT_EQ(compare({}, some).new_passing, List{"a"});
  EXPECT_EQ(compare(some, {}).gone, List{"a"});
}

TEST(Compare, ParametersThatVaryAreNoOtherTest) {
  const TestReport before{{{"t[17]", kRan}, {"t[23]", kRan}, {"u[1]", kRan}}};
  const TestReport now{{{"t[5]", kRan}, {"t[9]", kFell}, {"v[1]", kRan}}};
  const Compared compared = compare(before, now);
  EXPECT_EQ(compared.gone, List{"u[1]"});
  EXPECT_EQ(compared.broken, List{"t[9]"});
  EXPECT_EQ(compared.still_passing, 1U);
  EXPECT_EQ(compared.new_passing, List{"v[1]"});
  EXPECT_TRUE(compared.new_failing.empty());
  EXPECT_EQ(compare(before, {{{"t[5]", kRan}, {"u[1]", kRan}}}).gone, List{"t[23]"})
      << "one fewer is one fewer";
}

TEST(Compare, ATestIsExplainedByAWordThatVanished) {
  EXPECT_EQ(words_in("def test_add(a, b):  # 1"), (List{"1", "a", "b", "def", "test_add"}));
  EXPECT_TRUE(explained_by("example.com/x/calc.TestAdd/empty", {"TestAdd"}));
  EXPECT_FALSE(explained_by("example.com/x/calc.TestSub", {"TestAdd"}));
  EXPECT_FALSE(explained_by("tests.test_calc::test_add_more", {"test_add"}));
}

}  // namespace
}  // namespace capsule::gate
