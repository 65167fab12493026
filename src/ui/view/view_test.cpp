#include "ui/view/view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/run.h"
#include "event/auto.h"
#include "event/delivery.h"
#include "event/pipeline.h"
#include "event/supply.h"
#include "ui/view/fold.h"

namespace capsule::view {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Facts of one run, a minute apart.
class Story {
 public:
  Story(std::string workflow, std::string subject) {
    head_.run = "run-1";
    head_.workflow = std::move(workflow);
    head_.subject = std::move(subject);
    head_.started_at = at(0);
    fold.head(head_);
  }
  static std::string at(int minute) {
    return "2026-01-01T00:" + std::string(minute < 10 ? "0" : "") + std::to_string(minute) +
           ":00.000Z";
  }
  template <class Variant, class Fact>
  Story& add(const Fact& fact) {
    const Variant wire(fact);
    fold.apply({static_cast<std::uint64_t>(++minute_), head_.run, std::string(kind_of(wire)),
                at(minute_), body_of(wire)});
    return *this;
  }
  Story& live() {
    fold.holder(head_.run, engine::Holder{head_.subject, head_.run, {4711, 1, "", "", "host"}, ""});
    return *this;
  }
  // Nobody works on it, because a person had it stop.
  Story& paused() {
    fold.holder(head_.run, std::nullopt);
    head_.outcome = engine::kPaused;
    fold.head(head_);
    return *this;
  }
  const Run& run() { return fold.project().runs.front(); }
  const std::vector<Item>& inbox() { return fold.project().inbox; }

  Fold fold;

 private:
  engine::RunHead head_;
  int minute_ = 0;
};

namespace said = event::delivery;
using said::DeliveryFact;

said::Task task(const std::string& id, std::vector<std::string> blocked_by = {}) {
  said::Task task;
  task.id = id;
  task.title = "Title of " + id;
  task.criteria = {"x"};
  task.blocked_by = std::move(blocked_by);
  return task;
}

// A delivery whose tasks are there, and whose main was looked at.
Story delivery(std::vector<said::Task> tasks) {
  Story story("delivery", "/p/a plan.md");
  said::DeliveryStarted started;
  started.plan = "/p/a plan.md";
  started.title = "The plan";
  started.tasks = std::move(tasks);
  story.add<DeliveryFact>(started);
  story.add<DeliveryFact>(said::VerifyFinished{said::VerifyPurpose::baseline, {}, ""});
  return story;
}
said::AgentDispatched starts(int agent, signal::Role role, const std::string& task,
                             int attempt = 1) {
  return {agent, role, task, attempt, agent, said::Why::fresh, "", ""};
}
said::AgentFinished says(int agent, signal::Signal signal) {
  said::AgentFinished finished;
  finished.agent = agent;
  finished.signal = signal;
  finished.snapshot = "refs/capsule/run-1/" + std::to_string(agent);
  return finished;
}

event::RunStarted begins(const std::string& bead) {
  event::RunStarted started;
  started.bead = bead;
  return started;
}

TEST(View, AnAttemptHasItsTimesItsSnapshotAndWhatItSaid) {
  Story story = delivery({task("T-1")});
  story.add<DeliveryFact>(starts(1, signal::Role::developer, "T-1")).live();
  ASSERT_EQ(story.run().attempts.size(), 1u);
  EXPECT_TRUE(story.run().attempts[0].running);
  EXPECT_EQ(story.run().at_work, 1);
  story.add<DeliveryFact>(says(1, signal::Signal::ready_for_review));
  const Attempt& attempt = story.run().attempts[0];
  EXPECT_EQ(attempt.role, "developer");
  EXPECT_EQ(attempt.began, Story::at(3));
  EXPECT_EQ(attempt.ended, Story::at(4));
  EXPECT_EQ(attempt.said, "READY_FOR_REVIEW");
  EXPECT_EQ(attempt.snapshot, "refs/capsule/run-1/1");
  EXPECT_FALSE(attempt.running);
  EXPECT_THAT(story.run().tasks[0].attempts, ElementsAre(0));
  EXPECT_EQ(story.run().tasks[0].stage, Stage::review);
  EXPECT_EQ(story.run().tasks[0].since, Story::at(4));
}

TEST(View, ThePlanHasWavesEdgesAndACriticalPath) {
  Story story = delivery({task("A"), task("B", {"A"}), task("C", {"B"}), task("D", {"A"})});
  const view::Run& run = story.run();
  EXPECT_EQ(run.waves, 3);
  EXPECT_THAT(run.critical_path, ElementsAre("A", "B", "C"));
  EXPECT_EQ(run.tasks[3].wave, 2);
  EXPECT_THAT(run.tasks[3].needs, ElementsAre(0));
  EXPECT_FALSE(run.tasks[3].critical);
  EXPECT_EQ(run.all, 4);
}

TEST(View, WhatATaskWaitsForIsData) {
  Story story = delivery({task("A"), task("B", {"A"})});
  ASSERT_EQ(story.run().tasks[1].waits.size(), 1u);
  const Wait& wait = story.run().tasks[1].waits[0];
  EXPECT_EQ(wait.kind, workflow::Waiting::For::dependency);
  EXPECT_EQ(wait.what, "A");
  EXPECT_EQ(words_of(wait), "the task A");
  Wait file;
  file.kind = workflow::Waiting::For::file;
  file.what = "calc.sh";
  file.holder = "C-7";
  EXPECT_EQ(words_of(file), "the file calc.sh, held by C-7");
}

TEST(View, AQuestionIsInTheInboxFromWhenItWasAskedUntilItIsAnswered) {
  Story story = delivery({task("T-1")});
  story.live();
  story.add<DeliveryFact>(starts(1, signal::Role::developer, "T-1"));
  said::AgentFinished asks = says(1, signal::Signal::divine_clarification);
  asks.fields = {{"Question", "Which colour?"}};
  story.add<DeliveryFact>(asks);
  said::QuestionAsked asked;
  asked.question = 1;
  asked.task = "T-1";
  asked.agent = 1;
  asked.text = "Which colour?";
  story.add<DeliveryFact>(asked);
  ASSERT_EQ(story.inbox().size(), 1u);
  const Item item = story.inbox()[0];
  EXPECT_EQ(item.kind, Attention::question);
  EXPECT_EQ(item.key, "run-1/question/1");
  EXPECT_EQ(item.since, Story::at(4)) << "when the agent asked";
  EXPECT_EQ(item.reason, "developer asks");
  EXPECT_EQ(item.title, "Title of T-1");
  EXPECT_EQ(command_of(item.actions[0]), "capsule answer '/p/a plan.md' 1 TEXT");
  EXPECT_THAT(words_with(item.actions[0], "--blue; rm -rf /"),
              ElementsAre("answer", "/p/a plan.md", "1", "--", "--blue; rm -rf /"));
  EXPECT_THAT(words_with(item.actions[0], "blue", {"--project-dir=x"}),
              ElementsAre("answer", "/p/a plan.md", "1", "--project-dir=x", "blue"));
  ASSERT_EQ(story.run().bands.size(), 1u);
  EXPECT_EQ(story.run().bands[0].ended, "");
  story.add<DeliveryFact>(said::QuestionAnswered{1, "blue", "ann"});
  EXPECT_THAT(story.inbox(), IsEmpty());
  EXPECT_EQ(story.run().bands[0].ended, Story::at(6));
}

TEST(View, WhatIsProposedIsNeverAnOptionOfTheCommand) {
  Story story = delivery({task("T-1")});
  event::supply::PersonAsked asked;
  asked.question = event::supply::kFirstQuestion;
  asked.text = "Which?";
  asked.options = {"--take-back", "$(id)"};
  story.add<event::supply::Fact>(asked).live();
  ASSERT_EQ(story.inbox().size(), 1u);
  const Item item = story.inbox().front();
  EXPECT_EQ(item.kind, Attention::budget);
  EXPECT_EQ(command_of(item.actions[0], " --project-dir=x"),
            "capsule answer '/p/a plan.md' 1001 --project-dir=x -- --take-back");
  EXPECT_THAT(
      words_with(item.actions[0], "", {"--project-dir=x"}),
      ElementsAre("answer", "/p/a plan.md", "1001", "--project-dir=x", "--", "--take-back"));
  EXPECT_EQ(command_of(item.actions[1]), "capsule answer '/p/a plan.md' 1001 '$(id)'");
}

TEST(View, AnAgentThatStandsStillIsStalledWhileItsRunGoesOn) {
  Story story = delivery({task("T-1")});
  story.add<DeliveryFact>(starts(1, signal::Role::developer, "T-1")).live();
  story.add<DeliveryFact>(said::AgentIdle{1});
  ASSERT_EQ(story.inbox().size(), 1u);
  EXPECT_EQ(story.inbox()[0].kind, Attention::stalled);
  EXPECT_EQ(command_of(story.inbox()[0].actions[0]), "capsule log '/p/a plan.md' T-1");
  story.add<DeliveryFact>(says(1, signal::Signal::ready_for_review));
  EXPECT_THAT(story.inbox(), IsEmpty());
}

TEST(View, WhoStandsStillIsStalledUntilItGoesOnWhateverTheWorkflow) {
  Story story = delivery({task("T-1")});
  story.add<DeliveryFact>(starts(1, signal::Role::critic, "T-1")).live();
  story.add<event::supply::Fact>(event::supply::AgentStill{1, "T-1", "critic", true});
  ASSERT_EQ(story.inbox().size(), 1u);
  EXPECT_EQ(story.inbox()[0].kind, Attention::stalled);
  EXPECT_EQ(story.inbox()[0].since, story.run().newest.at);
  story.add<event::supply::Fact>(event::supply::AgentStill{1, "T-1", "critic", false});
  EXPECT_THAT(story.inbox(), IsEmpty());
}

TEST(View, WhoeverNobodyWorksOnIsCutOffAndARunThatALaterOneReplacesNeedsNobody) {
  Fold fold;
  engine::RunHead one{"r1", "pipeline", "demo-1", "t", "", "", 0, 0}, two = one;
  two.run = "r2";
  fold.head(one);
  EXPECT_EQ(fold.project().runs[0].life, Life::cut_off);
  ASSERT_EQ(fold.project().inbox.size(), 1u);
  EXPECT_EQ(command_of(fold.project().inbox[0].actions[0], " --project-dir=x"),
            "capsule run demo-1 --project-dir=x");
  fold.head(two);
  EXPECT_TRUE(fold.project().runs[0].superseded);
  ASSERT_EQ(fold.project().inbox.size(), 1u);
  EXPECT_EQ(fold.project().inbox[0].run, "r2");
}

TEST(View, ADeliveryThatAPersonPausedIsNotCutOffAndWorksAgainWhenItGoesOn) {
  Story story = delivery({task("T-1")});
  story.add<DeliveryFact>(starts(1, signal::Role::developer, "T-1")).live();
  story.add<DeliveryFact>(says(1, signal::Signal::ready_for_review));
  story.add<DeliveryFact>(said::DeliveryPaused{}).paused();
  EXPECT_EQ(story.run().life, Life::paused);
  EXPECT_EQ(story.run().since, Story::at(5));
  EXPECT_EQ(story.run().marks.back().kind, Mark::Kind::paused);
  EXPECT_THAT(story.inbox(), IsEmpty());
  ASSERT_FALSE(story.run().actions.empty());
  EXPECT_EQ(story.run().actions[0].verb, Verb::go_on);
  story.add<DeliveryFact>(said::DeliveryResumed{}).live();
  EXPECT_EQ(story.run().life, Life::working);
}

TEST(View, WhatIsAskedComesBeforeWhatFailedAndTheOlderFirst) {
  Fold fold;
  int seq = 0;
  const auto failed = [&](const char* id, const char* at) {
    fold.head({id, "pipeline", id, at, at, "phase_error", 0, 0});
    const event::PipelineFact started(begins(id)),
        ended(event::RunEnded{event::Outcome::phase_error, "it broke"});
    for (const event::PipelineFact* fact : {&started, &ended})
      fold.apply(
          {static_cast<std::uint64_t>(++seq), id, std::string(kind_of(*fact)), at, body_of(*fact)});
  };
  failed("late", "2026-01-02T00:00:00.000Z");
  failed("early", "2026-01-01T00:00:00.000Z");
  fold.head({"asks", "pipeline", "asks", "2026-01-03", "", "", 0, 0});
  event::ApprovalAsked approval;
  approval.phase = "test-writer";
  approval.number = approval.question = 1;
  event::PhaseStarted phase;
  phase.phase = "test-writer";
  phase.number = 1;
  event::PhaseFinished done;
  done.phase = "test-writer";
  done.number = 1;
  event::SnapshotTaken taken;
  taken.phase = "test-writer";
  taken.number = 1;
  event::PhaseChecked checked;
  checked.phase = "test-writer";
  checked.number = 1;
  event::RunStarted own = begins("asks");
  event::PhaseRule rule;
  rule.name = "test-writer";
  rule.approval = true;
  own.definition.name = "mine";
  own.definition.phases = {rule};
  for (const event::PipelineFact& fact :
       {event::PipelineFact(own), event::PipelineFact(event::WorktreeReady{"/w", "b", "c"}),
        event::PipelineFact(phase), event::PipelineFact(done), event::PipelineFact(taken),
        event::PipelineFact(checked), event::PipelineFact(approval)})
    fold.apply({static_cast<std::uint64_t>(++seq), "asks", std::string(kind_of(fact)),
                "2026-01-03T00:00:00.000Z", body_of(fact)});
  std::vector<std::string> names;
  for (const Item& item : fold.project().inbox) names.push_back(item.name);
  EXPECT_THAT(names, ElementsAre("asks", "early", "late"));
}

TEST(View, AFactThatCannotBeReadSpoilsItsRunAlone) {
  Story story = delivery({task("T-1")});
  story.fold.apply({9, "run-1", "delivery_nonsense", Story::at(9), "{"});
  EXPECT_NE(story.run().unreadable, "");
  EXPECT_EQ(story.run().life, Life::cut_off);
  story.add<DeliveryFact>(starts(1, signal::Role::developer, "T-1"));
  EXPECT_NE(story.run().unreadable, "") << "and it stays so";
}

TEST(View, APhaseIsPassedSentBackOrToCome) {
  Story story("pipeline", "demo-1");
  story.add<event::PipelineFact>(begins("demo-1"));
  story.add<event::PipelineFact>(event::WorktreeReady{"/w", "b", "c"});
  EXPECT_EQ(story.run().phases.size(), 6u);
  event::PhaseStarted started;
  started.phase = "test-writer";
  started.number = 1;
  story.add<event::PipelineFact>(started).live();
  EXPECT_EQ(story.run().phases[0].state, Phase::State::working);
  event::PhaseFinished finished;
  finished.phase = "test-writer";
  finished.number = 1;
  finished.status = signal::Status::pass;
  story.add<event::PipelineFact>(finished);
  event::PhaseChecked checked;
  checked.phase = "test-writer";
  checked.number = 1;
  event::CheckRun make;
  make.name = "test";
  make.command = "make test";
  checked.runs = {make};
  checked.claims = {{"tests fail (RED)", event::Verdict::held, ""}};
  story.add<event::PipelineFact>(checked);
  EXPECT_EQ(story.run().phases[0].state, Phase::State::passed);
  EXPECT_EQ(story.run().done, 1);
  EXPECT_EQ(story.run().all, 6);
  const Attempt& attempt = story.run().attempts[0];
  EXPECT_EQ(attempt.checks[0].command, "make test");
  EXPECT_EQ(attempt.claims.size(), 1u) << "said beside checked";
}

TEST(View, TheThreeReviewersOfAutoModeAreAttemptsOfItsReview) {
  using AutoFact = event::auto_run::Fact;
  Story story{std::string(engine::kAuto), std::string(engine::kAutoSubject)};
  story.add<AutoFact>(event::auto_run::Started{});
  event::auto_run::ReviewStarted review;
  review.agent = 4;
  review.round = 1;
  story.add<AutoFact>(review).live();
  ASSERT_EQ(story.run().attempts.size(), 3u);
  for (const Phase& phase : story.run().phases) {
    if (phase.name == "review")
      EXPECT_THAT(phase.attempts, ElementsAre(0, 1, 2));
    else
      EXPECT_THAT(phase.attempts, IsEmpty()) << phase.name;
  }
}

TEST(View, OfAutoModeItSaysWhichPhasesAreOverAndWhichAreLeftOut) {
  using AutoFact = event::auto_run::Fact;
  namespace auto_run = event::auto_run;
  Story story{std::string(engine::kAuto), std::string(engine::kAutoSubject)};
  auto_run::Started started;
  started.task = "Greet\nthe world";
  started.skip_expansion = true;
  started.max_iterations = 7;
  started.at = Story::at(1);
  auto_run::TurnStarted turn;
  turn.number = turn.attempt = 1;
  turn.phase = signal::Phase::init;
  auto_run::TurnFinished ended;
  ended.number = 1;
  ended.phase = signal::Phase::init;
  ended.fault = event::Fault::exit_status;
  ended.at = Story::at(4);
  story.add<AutoFact>(started).add<AutoFact>(auto_run::PlaceReady{"/w", "b", Story::at(2)});
  story.add<AutoFact>(turn).add<AutoFact>(ended);
  ASSERT_TRUE(story.run().course.has_value());
  EXPECT_EQ(story.run().course->task, "Greet\nthe world");
  EXPECT_EQ(story.run().course->most, 7);
  EXPECT_EQ(story.run().course->agent, 1);
  EXPECT_EQ(story.run().course->failures, 1);
  ASSERT_EQ(story.run().course->left_out.size(), 1u);
  EXPECT_EQ(story.run().course->left_out[0].name, "expansion");
  EXPECT_TRUE(story.run().course->left_out[0].skipped);
  turn.number = turn.attempt = ended.number = 2;
  ended.fault = event::Fault::none;
  ended.signals = {"INIT_COMPLETE"};
  ended.at = Story::at(6);
  story.add<AutoFact>(turn).add<AutoFact>(ended);
  const Phase& init = story.run().phases.front();
  EXPECT_EQ(init.name, "init");
  EXPECT_EQ(init.ended, Story::at(6));
  EXPECT_EQ(init.seconds, 300);
  EXPECT_EQ(story.run().course->failures, 0) << "of another phase";
}

TEST(View, AMergeCanBeTriedAloneOnlyWhenItIsAllThatIsLeft) {
  Story story("pipeline", "demo-1");
  const auto offers_merge = [&] {
    for (const Item& item : story.inbox())
      for (const Action& action : item.actions)
        if (action.verb == Verb::merge) return true;
    return false;
  };
  story.add<event::PipelineFact>(begins("demo-1"));
  story.add<event::PipelineFact>(event::WorktreeReady{"/w", "b", "c"});
  story.add<event::PipelineFact>(event::RunEnded{event::Outcome::merge_refused, "not signed off"});
  EXPECT_FALSE(story.run().can_merge);
  EXPECT_FALSE(offers_merge()) << "there is nothing to merge yet";
  event::RunResumed resumed;
  resumed.at_merge = true;
  story.add<event::PipelineFact>(resumed);
  story.add<event::PipelineFact>(event::RunEnded{event::Outcome::merge_refused, "in the way"});
  EXPECT_TRUE(story.run().can_merge);
  EXPECT_TRUE(offers_merge());
}

TEST(View, WhatWasSpentIsToldByDayAndByTask) {
  Story story = delivery({task("T-1")});
  story.add<DeliveryFact>(starts(1, signal::Role::developer, "T-1"));
  event::supply::AgentUsed used;
  used.agent = 1;
  used.task = "T-1";
  used.role = "developer";
  used.client = "claude 2";
  used.day = "2026-01-01";
  used.use.cost_known = used.use.tokens_known = true;
  used.use.cost_micros = 250'000;
  used.use.input = 100;
  story.add<event::supply::Fact>(used);
  EXPECT_EQ(story.run().tasks[0].cost_micros, 250'000);
  EXPECT_EQ(story.run().usage.cost_micros, 250'000);
  ASSERT_EQ(story.fold.project().days.size(), 1u);
  EXPECT_EQ(story.fold.project().days[0].cost_micros, 250'000);
  EXPECT_EQ(story.run().attempts[0].client, "claude 2");
  EXPECT_EQ(story.fold.project().usage, story.run().usage) << "there is one run";
}

TEST(View, WhatAllRunsUsedIsSummedUp) {
  Story story = delivery({task("T-1")});
  engine::RunHead other;
  other.run = "run-2";
  other.workflow = "delivery";
  other.subject = "another plan";
  story.fold.head(other);
  std::uint64_t seq = 100;
  const auto add = [&](const std::string& run, const auto& wire) {
    story.fold.apply({++seq, run, std::string(kind_of(wire)), Story::at(9), body_of(wire)});
  };
  said::DeliveryStarted started;
  started.plan = "another plan";
  started.tasks = {task("T-1")};
  add("run-2", DeliveryFact(started));
  add("run-2", DeliveryFact(said::VerifyFinished{said::VerifyPurpose::baseline, {}, ""}));
  event::supply::AgentUsed used;
  used.agent = 1;
  used.task = "T-1";
  used.role = "developer";
  for (const std::string run : {"run-1", "run-2"}) {
    add(run, DeliveryFact(starts(1, signal::Role::developer, "T-1")));
    used.use.cost_known = run == "run-1";
    used.use.cost_micros = run == "run-1" ? 250'000 : 0;
    used.use.tokens_known = true;
    used.use.input = 100;
    add(run, event::supply::Fact(used));
  }
  const view::Project& all = story.fold.project();
  EXPECT_EQ(all.usage.agent_runs, 2);
  EXPECT_EQ(all.usage.calls, 2);
  EXPECT_EQ(all.usage.cost_micros, 250'000);
  EXPECT_EQ(all.usage.calls_without_cost, 1);
  EXPECT_EQ(all.usage.tokens.input, 200);
  EXPECT_TRUE(all.usage.tokens.tokens_known);
  EXPECT_FALSE(all.usage.tokens.cost_known);
}

TEST(View, TimeStandsStillWhereARunWasLeft) {
  Story story = delivery({task("T-1")});
  story.add<DeliveryFact>(starts(1, signal::Role::developer, "T-1")).live();
  EXPECT_EQ(left_since(story.run()), "");
  story.fold.holder("run-1", std::nullopt);
  EXPECT_EQ(left_since(story.run()), Story::at(3)) << "its newest fact";
  story.paused();
  EXPECT_EQ(left_since(story.run()), Story::at(3));
  view::Run ended = story.run();
  ended.life = Life::ended;
  EXPECT_EQ(left_since(ended), "");
}

TEST(View, WhoOnlyWaitsForItsTurnIsHeldAndNothingIsMissing) {
  Story story = delivery({task("T-1")});
  story.add<DeliveryFact>(starts(1, signal::Role::developer, "T-1")).live();
  event::supply::AgentHeld held{1, "T-1", "developer", "claude", event::supply::Hold::budget,
                                0, ""};
  story.add<event::supply::Fact>(held);
  ASSERT_EQ(story.run().bands.size(), 1u);
  EXPECT_EQ(story.run().bands[0].ended, "");
  // The budget is there again, and another works in its place.
  held.why = event::supply::Hold::slot;
  story.add<event::supply::Fact>(held);
  ASSERT_EQ(story.run().bands.size(), 1u);
  EXPECT_NE(story.run().bands[0].ended, "") << "of its turn nothing is shaded";
  EXPECT_TRUE(story.run().attempts[0].held);
  EXPECT_EQ(story.run().tasks[0].words, "waits for its turn");
  EXPECT_EQ(story.run().at_work, 0);
  EXPECT_THAT(story.run().waits, IsEmpty());
  EXPECT_THAT(story.inbox(), IsEmpty());
}

TEST(View, TheInboxSaysUntilWhenAProviderIsParkedOrADaysBudgetIsSpent) {
  for (const bool parked : {true, false}) {
    Story story = delivery({task("T-1")});
    story.add<DeliveryFact>(starts(1, signal::Role::developer, "T-1")).live();
    constexpr std::int64_t kUntil = 1'769'900'399;
    if (parked)
      story.add<event::supply::Fact>(event::supply::ProviderParked{
          "claude", kUntil, false, event::Fault::usage_limit, "limit reached", false});
    story.add<event::supply::Fact>(event::supply::AgentHeld{
        1, "T-1", "developer", "claude",
        parked ? event::supply::Hold::parked : event::supply::Hold::budget, kUntil, ""});
    ASSERT_EQ(story.inbox().size(), 1u) << parked;
    EXPECT_EQ(story.inbox()[0].until, kUntil);
    EXPECT_EQ(story.inbox()[0].text,
              parked ? "Nobody works with claude until 2026-01-31 22:59:59 UTC."
                     : "Nothing starts until a larger budget is allowed, or a new day begins: "
                       "2026-01-31 22:59:59 UTC.");
  }
}

TEST(View, ChangesNameTheRowsThatDiffer) {
  Story story = delivery({task("A"), task("B")});
  const Project before = story.fold.project();
  EXPECT_THAT(changes(before, before), IsEmpty());
  story.add<DeliveryFact>(starts(1, signal::Role::developer, "A"));
  std::vector<std::string> keys;
  for (const Change& change : changes(before, story.fold.project())) keys.push_back(change.key);
  EXPECT_THAT(keys, testing::UnorderedElementsAre("project", "run/run-1", "run/run-1/task/A",
                                                  "run/run-1/agent/1", "inbox/run-1/cut_off"));
  story.live();
  for (const Change& change : changes(before, story.fold.project()))
    EXPECT_EQ(change.gone, change.row == Change::Row::item) << change.key;
}

TEST(View, AnAgentThatGoesOnHasUsedWhatItsEarlierCallsDid) {
  Attempt attempt;
  attempt.running = true;
  EXPECT_EQ(usage_of({attempt}, {0}).calls, 0) << "its first call is not over";
  attempt.use.tokens_known = true;
  attempt.use.input = 500;
  const Spending used = usage_of({attempt}, {0});
  EXPECT_EQ(used.tokens.input, 500);
  EXPECT_TRUE(used.tokens.tokens_known);
}

}  // namespace
}  // namespace capsule::view
