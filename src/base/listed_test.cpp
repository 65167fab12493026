#include "base/listed.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "base/text.h"

namespace capsule {
namespace {

struct Thing {
  std::string name;
};

TEST(Listed, TakesAMemberOrAFunction) {
  const std::vector<Thing> things{{"a"}, {"b"}};
  EXPECT_EQ(listed(things, &Thing::name), "a, b");
  EXPECT_EQ(listed(
                things, [](const Thing& thing) { return "<" + thing.name + ">"; }, "|"),
            "<a>|<b>");
  EXPECT_EQ(listed(std::vector<std::string>{"a\n"}, printable), "a\\n");
}

TEST(Listed, TakesWhatIsNoVector) {
  const std::map<std::string, int> numbers{{"a", 1}, {"b", 2}};
  EXPECT_EQ(listed(numbers, [](const auto& one) { return std::to_string(one.second); }), "1, 2");
}

TEST(Listed, AnEmptyNameKeepsItsPlace) {
  EXPECT_EQ(listed(std::vector<Thing>{{""}, {"b"}}, &Thing::name), ", b");
  EXPECT_EQ(listed(std::vector<Thing>{}, &Thing::name), "");
}

}  // namespace
}  // namespace capsule
