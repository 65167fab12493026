// What every journal and every claim holds to, wherever they are kept: a typed suite, which the
// tests of each store instantiate with a fixture.
#pragma once

#include <gtest/gtest.h>

#include "engine/journal.h"
#include "tests/store/facts.h"

namespace capsule::test {

// `Fixture` is a value with open(), which gives the records of one project, anew and beside those
// that are open; skip() says why it cannot, or nothing.
template <class Fixture>
class JournalContract : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = Fixture::skip(); !why.empty()) GTEST_SKIP() << why;
    fixture_ = std::make_unique<Fixture>();
  }
  std::unique_ptr<engine::Records> open() { return fixture_->open(); }
  static std::vector<std::string> bodies(const std::vector<event::Fact>& facts) {
    std::vector<std::string> result;
    for (const event::Fact& each : facts) result.push_back(each.body);
    return result;
  }

  std::unique_ptr<Fixture> fixture_;
};
TYPED_TEST_SUITE_P(JournalContract);

TYPED_TEST_P(JournalContract, WhatIsAppendedIsReadBackInOrder) {
  const auto store = this->open();
  const std::vector<event::NewFact> first{fact(1), fact(2)};
  EXPECT_EQ(store->begin(run_named("run-1"), first), 2U);
  EXPECT_EQ(store->append("run-1", 2, std::vector{fact(3)}, std::nullopt), 3U);
  const auto facts = store->read("run-1", 0);
  ASSERT_TRUE(facts) << facts.error().message;
  ASSERT_EQ(facts->size(), 3U);
  EXPECT_EQ((*facts)[1], (event::Fact{2, "run-1", first[1].kind, first[1].at, first[1].body}));
  EXPECT_EQ((*facts)[2].seq, 3U);
  EXPECT_TRUE(store->verify());
}

TYPED_TEST_P(JournalContract, AnyTextComesBackAsItWas) {
  const auto store = this->open();
  const std::vector<event::NewFact> facts{
      {"kind", "", "{\"a\":\"\\\\ \\\" {},'; \xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80\"}\n\t\x01\x7F"},
      {"big", "t", std::string(5'000'000, 'y')},
      {"NULL", "NULL", "NULL"},
      {"", "", ""}};
  ASSERT_TRUE(store->begin(run_named("run-1", "a 'subject' \\ \"x\""), facts));
  const auto read = store->read("run-1", 0);
  ASSERT_TRUE(read) << read.error().message;
  for (std::size_t i = 0; i < facts.size(); ++i) {
    EXPECT_EQ((*read)[i].kind, facts[i].kind);
    EXPECT_EQ((*read)[i].at, facts[i].at);
    EXPECT_EQ((*read)[i].body, facts[i].body);
  }
  EXPECT_EQ(store->head("run-1")->subject, "a 'subject' \\ \"x\"");
}

TYPED_TEST_P(JournalContract, RunsAreKeptApart) {
  const auto store = this->open();
  const auto first = store->begin(run_named("a", "one"), std::vector{fact(1)});
  ASSERT_TRUE(first);
  ASSERT_TRUE(store->begin(run_named("b", "two"), std::vector{fact(2)}));
  const auto later = store->append("a", *first, std::vector{fact(3)}, std::nullopt);
  ASSERT_TRUE(later);
  EXPECT_GT(*later, *first);
  ASSERT_EQ(store->begin(run_named("c", "one"), {}), 0U);
  EXPECT_EQ(this->bodies(*store->read("a", 0)), (std::vector{fact(1).body, fact(3).body}));
  EXPECT_EQ(this->bodies(*store->read("b", 0)), (std::vector{fact(2).body}));
  EXPECT_TRUE(store->read("c", 0)->empty());
  const auto of_one = store->runs_of("one");
  ASSERT_EQ(of_one->size(), 2U);
  EXPECT_EQ((*of_one)[0].run, "a");
  EXPECT_EQ((*of_one)[1].run, "c");
  EXPECT_EQ(store->runs()->size(), 3U);
  EXPECT_TRUE(store->verify());
}

TYPED_TEST_P(JournalContract, OnlyWhatIsNewIsReadOnDemand) {
  const auto store = this->open();
  ASSERT_TRUE(store->begin(run_named("a"), std::vector{fact(1), fact(2)}));
  EXPECT_EQ(this->bodies(*store->read("a", 1)), (std::vector{fact(2).body}));
  EXPECT_TRUE(store->read("a", 2)->empty());
  EXPECT_EQ(store->read("a", 7).error().reason, Reason::not_found);
}

TYPED_TEST_P(JournalContract, TheHeadSaysHowARunStands) {
  const auto store = this->open();
  ASSERT_TRUE(store->begin(run_named("a"), std::vector{fact(1)}));
  engine::RunHead expected{"a", "pipeline", "demo-1", "2026-01-31T23:59:00.000Z", "", "", 1, 1};
  EXPECT_EQ(store->head("a"), expected);
  ASSERT_TRUE(store->append("a", 1, std::vector{fact(2)}, engine::Ending{"later", "merged"}));
  expected.ended_at = "later";
  expected.outcome = "merged";
  expected.facts = expected.last_seq = 2;
  EXPECT_EQ(store->head("a"), expected);
  ASSERT_TRUE(store->append("a", 2, {}, engine::Ending{"", "paused"}));
  EXPECT_EQ(store->head("a")->outcome, "paused");
  ASSERT_TRUE(store->append("a", 2, std::vector{fact(3)}, engine::Ending{}));
  EXPECT_EQ(store->head("a")->outcome, "");
}

TYPED_TEST_P(JournalContract, ARunBeginsOnce) {
  const auto store = this->open();
  ASSERT_TRUE(store->begin(run_named("a"), std::vector{fact(1)}));
  EXPECT_EQ(store->begin(run_named("a"), std::vector{fact(2)}).error().reason, Reason::exists);
  EXPECT_EQ(store->read("a", 0)->size(), 1U);
}

TYPED_TEST_P(JournalContract, ASecondWriterOfARunIsNoticed) {
  const auto store = this->open();
  const auto other = this->open();
  ASSERT_TRUE(store->begin(run_named("a"), std::vector{fact(1)}));
  ASSERT_TRUE(other->append("a", 1, std::vector{fact(2)}, std::nullopt));
  EXPECT_EQ(store->append("a", 1, std::vector{fact(2)}, std::nullopt).error().reason,
            Reason::conflict);
  EXPECT_EQ(store->read("a", 0)->size(), 2U);
}

TYPED_TEST_P(JournalContract, AnUnknownRunIsNotFound) {
  const auto store = this->open();
  EXPECT_EQ(store->read("a", 0).error().reason, Reason::not_found);
  EXPECT_EQ(store->head("a").error().reason, Reason::not_found);
  EXPECT_EQ(store->append("a", 0, std::vector{fact(1)}, std::nullopt).error().reason,
            Reason::not_found);
}

TYPED_TEST_P(JournalContract, EverythingIsThereAfterReopening) {
  ASSERT_TRUE(this->open()->begin(run_named("a"), std::vector{fact(1), fact(2)}));
  const auto again = this->open();
  EXPECT_EQ(again->read("a", 0)->size(), 2U);
  EXPECT_TRUE(again->append("a", 2, std::vector{fact(3)}, std::nullopt));
}

TYPED_TEST_P(JournalContract, ASubjectIsHeldOnceAndFreeAgainAfterwards) {
  const auto store = this->open();
  {
    const auto claim = store->claim("demo-1", "mine", "now");
    ASSERT_TRUE(claim) << claim.error().message;
    const auto refused = this->open()->claim("demo-1", "other", "now");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().reason, Reason::blocked);
    EXPECT_TRUE(this->open()->claim("demo-2", "other", "now"));
    const auto holder = this->open()->holder("demo-1");
    ASSERT_TRUE(holder && *holder);
    EXPECT_EQ((*holder)->run, "mine");
    EXPECT_EQ((*holder)->since, "now");
    EXPECT_EQ((*holder)->process.pid, ::getpid());
    EXPECT_TRUE(store->intact());
  }
  EXPECT_EQ(*store->holder("demo-1"), std::nullopt);
  EXPECT_TRUE(this->open()->claim("demo-1", "next", "now"));
}

TYPED_TEST_P(JournalContract, WhoHoldsTheSubjectCarriesItsRunOn) {
  const auto store = this->open();
  std::uint64_t last = 0;
  for (int turn = 1; turn <= 2; ++turn) {  // a run that is taken up again
    const auto claim = store->claim("demo-1", "a", "now");
    ASSERT_TRUE(claim) << claim.error().message;
    if (turn == 1) last = store->begin(run_named("a"), std::vector{fact(0)}).value();
    const auto more = store->append("a", last, std::vector{fact(turn)}, std::nullopt);
    ASSERT_TRUE(more) << more.error().message;
    last = *more;
  }
  // A note on a run that nobody holds.
  EXPECT_TRUE(this->open()->append("a", last, std::vector{fact(3)}, std::nullopt));
  EXPECT_EQ(store->read("a", 0)->size(), 4U);
}

TYPED_TEST_P(JournalContract, ASubjectMayBeAnyText) {
  const auto store = this->open();
  for (const char* subject : {"plans/../../x.md", "", "a b", "-rf", "ä/ö", "x\ny", "it's \"\\"}) {
    const auto claim = store->claim(subject, "mine", "now");
    EXPECT_TRUE(claim) << subject;
    EXPECT_FALSE(this->open()->claim(subject, "mine", "now")) << subject;
  }
}

REGISTER_TYPED_TEST_SUITE_P(JournalContract, WhatIsAppendedIsReadBackInOrder,
                            AnyTextComesBackAsItWas, RunsAreKeptApart, OnlyWhatIsNewIsReadOnDemand,
                            TheHeadSaysHowARunStands, ARunBeginsOnce, ASecondWriterOfARunIsNoticed,
                            AnUnknownRunIsNotFound, EverythingIsThereAfterReopening,
                            ASubjectIsHeldOnceAndFreeAgainAfterwards,
                            WhoHoldsTheSubjectCarriesItsRunOn, ASubjectMayBeAnyText);

}  // namespace capsule::test
