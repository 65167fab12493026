#include "workflow/supply/test_support.h"

namespace capsule::supply {
namespace {

TEST(Messages, AnAgentAtWorkIsSteeredAndItIsRecordedOnce) {
  Table table;
  table.want(1);
  table.news(MessageLeft{"m1", "", "use tabs", "me"});
  ASSERT_EQ(table.orders<Steer>().size(), 1U);
  EXPECT_THAT(table.orders<Steer>()[0].text, HasSubstr("use tabs"));
  EXPECT_THAT(table.orders<Steer>()[0].text, HasSubstr("your last words hold your signal"));
  EXPECT_EQ(table.newest<fact::MessageGiven>().by, "me");
  table.news(MessageLeft{"m1", "", "use tabs", "me"});
  EXPECT_THAT(table.orders<Steer>(), IsEmpty()) << "it was told before";
  table.news(Steered{1, "m1", true});
  EXPECT_TRUE(table.newest<fact::MessageDelivered>().live);
  table.end(1, Fault::none);
  table.want(2);
  EXPECT_THAT(table.call().prompt.appended, IsEmpty());
  EXPECT_EQ(table.all<fact::MessageGiven>().size(), 1U);
  EXPECT_EQ(table.all<fact::MessageDelivered>().size(), 1U);
}

TEST(Stillness, IsRecordedOfAnAgentAtWorkAndIsNobodyElsesBusiness) {
  Table table;
  table.news(AgentStands{1, true});
  EXPECT_THAT(table.all<fact::AgentStill>(), IsEmpty()) << "nobody of that number works";
  table.want(1);
  table.news(AgentStands{1, true});
  EXPECT_TRUE(table.newest<fact::AgentStill>().still);
  table.news(AgentStands{1, false});
  EXPECT_FALSE(table.newest<fact::AgentStill>().still);
  EXPECT_EQ(table.newest<fact::AgentStill>().agent, 1);
}

TEST(Messages, WhereNobodyCanBeSteeredTheNextPromptHasIt) {
  Table table;
  table.want(1);
  table.news(MessageLeft{"m1", "", "use tabs", "me"});
  table.news(Steered{1, "m1", false});
  EXPECT_THAT(table.orders<Steer>(), IsEmpty()) << "not again";
  table.end(1, Fault::none);
  StartAgent rework = Table::agent(2);
  rework.resume = true;
  rework.session = "session-1";
  rework.prompt.follow_up = "findings";
  table.ask(rework);
  EXPECT_THAT(table.call().prompt.appended, HasSubstr("use tabs"));
  EXPECT_THAT(table.call().prompt.follow_up, HasSubstr("use tabs"));
  EXPECT_FALSE(table.newest<fact::MessageDelivered>().live);
  table.end(2, Fault::none);
  table.want(3);
  EXPECT_THAT(table.call().prompt.appended, IsEmpty());
}

TEST(Messages, OneThatWasHeardAtWorkIsToldAgainOnlyWhereTheSessionIsGone) {
  Table table;
  table.want(1);
  table.news(MessageLeft{"m1", "", "use tabs", "me"});
  table.news(Steered{1, "m1", true});
  table.end(1, Fault::overloaded, Table::used(10));
  table.wake();
  EXPECT_THAT(table.call().prompt.follow_up, Not(HasSubstr("use tabs"))) << "its session has it";
  table.end(1, Fault::overloaded, Table::used(10));
  table.wake();
  EXPECT_TRUE(table.call().anew);
  EXPECT_THAT(table.call().prompt.appended, HasSubstr("use tabs"));
  EXPECT_EQ(table.all<fact::MessageDelivered>().size(), 1U);
}

TEST(Messages, OneForATaskReachesThatTaskAlone) {
  Table table;
  table.want(1, "T-1");
  table.news(MessageLeft{"m1", "T-2", "use tabs", "me"});
  EXPECT_THAT(table.orders<Steer>(), IsEmpty());
  table.want(2, "T-2");
  EXPECT_THAT(table.call().prompt.appended, HasSubstr("use tabs"));
}

TEST(Messages, ANoteWaitsForTheNextPromptAlsoWhereSomebodyCouldBeTold) {
  Table table;
  table.want(1);
  table.news(MessageLeft{"m1", "", "use tabs", "me", true});
  EXPECT_THAT(table.orders<Steer>(), IsEmpty());
  EXPECT_TRUE(table.newest<fact::MessageGiven>().for_next);
  table.crash();
  table.want(1);
  EXPECT_THAT(table.call().prompt.appended, HasSubstr("use tabs")) << "it begins once more";
  table.news(MessageLeft{"m2", "T-2", "use spaces", "me", true});
  table.want(2, "T-1");
  EXPECT_THAT(table.call().prompt.appended, Not(HasSubstr("use spaces")));
  table.want(3, "T-2");
  EXPECT_THAT(table.call().prompt.appended, HasSubstr("use spaces"));
}

TEST(Messages, OneThatNobodyHasHeardSurvivesACrash) {
  Table table;
  table.news(MessageLeft{"m1", "", "use tabs", "me"});
  table.crash();
  table.news(MessageLeft{"m1", "", "use tabs", "me"});
  table.want(1);
  EXPECT_THAT(table.call().prompt.appended, HasSubstr("use tabs"));
  // The agent is cut off: nobody has heard it.
  table.crash();
  table.want(1);
  EXPECT_THAT(table.call().prompt.appended, HasSubstr("use tabs"));
  EXPECT_EQ(table.all<fact::MessageDelivered>().size(), 1U) << "to the same agent, once";
  table.crash();
  table.want(7);
  EXPECT_THAT(table.call().prompt.appended, HasSubstr("use tabs"));
  EXPECT_EQ(table.newest<fact::MessageDelivered>().agent, 7);
  table.end(7, Fault::none);
  table.crash();
  table.want(8);
  EXPECT_THAT(table.call().prompt.appended, IsEmpty());
}

TEST(Messages, OneThatWasInThePromptStaysThereWhenTheServiceFails) {
  Table table;
  table.news(MessageLeft{"m1", "", "use tabs", "me"});
  table.want(1);
  TokenUse nothing;
  nothing.tokens_known = true;
  table.end(1, Fault::unreachable, nothing);
  table.wake();
  EXPECT_THAT(table.call().prompt.appended, HasSubstr("use tabs"));
  EXPECT_EQ(table.all<fact::MessageDelivered>().size(), 1U);
}

TEST(Messages, AnAgentThatWaitsIsToldWhenItGoesOn) {
  Table table;
  table.want(1);
  table.end(1, Fault::overloaded, Table::used(1));
  table.news(MessageLeft{"m1", "", "use tabs", "me"});
  EXPECT_THAT(table.orders<Steer>(), IsEmpty());
  table.wake();
  EXPECT_THAT(table.call().prompt.follow_up, HasSubstr("go on where you were"));
  EXPECT_THAT(table.call().prompt.follow_up, HasSubstr("use tabs"));
}

}  // namespace
}  // namespace capsule::supply
