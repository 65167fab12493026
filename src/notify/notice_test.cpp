#include "notify/notice.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "config/key.h"

namespace capsule::notify {
namespace {

view::Project with(std::initializer_list<view::Item> items) {
  view::Project project;
  view::Run run;
  run.run = "r";
  run.name = "PLAN.md";
  project.runs.push_back(run);
  project.inbox = items;
  return project;
}

view::Item item(const std::string& key, view::Attention kind, const std::string& run = "r") {
  view::Item one;
  one.key = key;
  one.kind = kind;
  one.run = run;
  one.name = "PLAN.md";
  one.task = "T-1";
  one.title = "A title";
  one.text = "What shall it be?";
  one.actions.push_back({view::Verb::answer, {"answer", "PLAN.md", "1"}, "TEXT"});
  return one;
}

TEST(Notices, AreMadeOnceWhenSomethingComes) {
  Watch watch("p", "r");
  const auto one = item("a", view::Attention::question);
  const auto two = item("b", view::Attention::failed);
  EXPECT_TRUE(watch.look(with({one})).empty()) << "it was there before";
  const auto came = watch.look(with({one, two}));
  ASSERT_EQ(came.size(), 1U);
  EXPECT_EQ(came.front().kind, "failed");
  EXPECT_EQ(came.front().command, "capsule answer PLAN.md 1 TEXT");
  EXPECT_TRUE(watch.look(with({one, two})).empty());
  EXPECT_TRUE(watch.look(with({two})).empty());
  EXPECT_EQ(watch.look(with({one, two})).size(), 1U) << "it has come back";
}

TEST(Notices, AreOfOneRun) {
  Watch watch("p", "r");
  watch.look(with({}));
  EXPECT_TRUE(watch.look(with({item("a", view::Attention::question, "other")})).empty());
}

TEST(Notices, TheEndIsToldWhenItIsGoodAndOnce) {
  Watch watch("p", "r");
  view::Project project = with({});
  watch.look(project);
  project.runs.front().life = view::Life::ended;
  project.runs.front().standing = workflow::Standing::failed;
  EXPECT_TRUE(watch.look(project).empty());
  project.runs.front().standing = workflow::Standing::succeeded;
  ASSERT_EQ(watch.look(project).size(), 1U);
  EXPECT_TRUE(watch.look(project).empty());
}

TEST(Notices, EveryKindOfTheInboxCanBeNamedInTheConfiguration) {
  const std::string_view choices = config::key("notify.*.on").choices;
  for (int i = 0; i < view::kAttentions; ++i) {
    Watch watch("p", "r");
    watch.look(with({}));
    const auto came = watch.look(with({item("a", static_cast<view::Attention>(i))}));
    ASSERT_EQ(came.size(), 1U);
    EXPECT_NE(("|" + std::string(choices) + "|").find("|" + came.front().kind + "|"),
              std::string::npos)
        << came.front().kind;
    EXPECT_NE(headline(came.front(), false).find("T-1 of PLAN.md"), std::string::npos);
  }
}

TEST(Notices, WithoutKindsAWayIsForAllThatNeedsAPerson) {
  config::Notify way;
  EXPECT_TRUE(is_for(way, "question"));
  EXPECT_FALSE(is_for(way, "complete"));
  way.on = {"complete"};
  EXPECT_TRUE(is_for(way, "complete"));
  EXPECT_FALSE(is_for(way, "question"));
}

TEST(Notices, QuietHoursMayGoOverMidnight) {
  const config::Hours night{22 * 60, 7 * 60}, lunch{12 * 60, 13 * 60};
  EXPECT_TRUE(within(night, 22 * 60));
  EXPECT_TRUE(within(night, 0));
  EXPECT_TRUE(within(night, 7 * 60 - 1));
  EXPECT_FALSE(within(night, 7 * 60));
  EXPECT_FALSE(within(night, 12 * 60));
  EXPECT_TRUE(within(lunch, 12 * 60));
  EXPECT_FALSE(within(lunch, 13 * 60));
}

Notice hostile() {
  Notice notice = sample("pro\x1b]0;x\x07ject", "question");
  notice.task = "<!channel>";
  notice.text = "`@everyone` [x](http://evil) \xe2\x80\xae \x01" + std::string(100'000, 'a');
  notice.title = "\xff\xfe";
  return notice;
}

TEST(Notices, WordsOfAgentsAreNoMarksAndNoControlCharacters) {
  for (int i = 0; i <= static_cast<int>(config::Body::teams); ++i) {
    const auto body = static_cast<config::Body>(i);
    const std::string text = body_of(hostile(), body, true);
    EXPECT_EQ(text.back(), '\n');
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
    EXPECT_EQ(text.find('\x01'), std::string::npos);
    if (body == config::Body::text) continue;
    const auto parsed = nlohmann::json::parse(text, nullptr, false);
    ASSERT_FALSE(parsed.is_discarded()) << text.substr(0, 200);
    if (body == config::Body::json) continue;
    EXPECT_EQ(text.find("<!channel>"), std::string::npos);
    EXPECT_EQ(text.find("@everyone"), std::string::npos);
    EXPECT_LT(text.size(), 3'000U);
  }
}

TEST(Notices, WithoutTextNoWordsAreInAnyBody) {
  Notice notice = sample("p", "question");
  notice.title = "SECRET";
  notice.text = "SECRET";
  notice.options = {"SECRET"};
  for (int i = 0; i <= static_cast<int>(config::Body::teams); ++i)
    EXPECT_EQ(body_of(notice, static_cast<config::Body>(i), false).find("SECRET"),
              std::string::npos);
}

TEST(Notices, AHeadlineIsOneBoundedLine) {
  const std::string line = headline(hostile(), true);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  EXPECT_EQ(line.find('\x07'), std::string::npos);
  EXPECT_LT(line.size(), 1'100U);
}

}  // namespace
}  // namespace capsule::notify
