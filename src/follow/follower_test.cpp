#include "follow/follower.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "engine/run.h"
#include "world/answers.h"
#include "world/held_session.h"
#include "world/test_support.h"

namespace capsule::follow {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using view::Life;

// Another process, which does its work and then holds what it has until it is told to end.
class Other {
 public:
  explicit Other(const std::function<void(store::Store&)>& work, const std::string& root) {
    int ready[2] = {-1, -1};
    EXPECT_EQ(::pipe(ready), 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::close(ready[0]);
      auto store = store::Store::open(root, store::Access::read_write);
      if (!store) ::_exit(1);
      work(**store);
      (void)!::write(ready[1], "x", 1);
      for (;;) ::pause();
    }
    ::close(ready[1]);
    char byte = 0;
    EXPECT_EQ(::read(ready[0], &byte, 1), 1) << "the other process failed";
    ::close(ready[0]);
  }
  Other(const Other&) = delete;
  Other& operator=(const Other&) = delete;
  ~Other() { kill(); }
  void kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }

 private:
  pid_t pid_ = -1;
};

class FollowerTest : public world::ProjectTest {
 protected:
  void SetUp() override {
    ProjectTest::SetUp();
    process::Loop::Options options;
    options.guardian = CAPSULE_BINARY;
    auto made = process::Loop::create(options);
    ASSERT_TRUE(made);
    loop_ = *std::move(made);
  }
  void TearDown() override {
    follower_.reset();
    loop_.reset();
    ProjectTest::TearDown();
  }
  void follow(Options options = {}) {
    auto started = Follower::start(
        *loop_, *project, [this](const view::Project&) { ++calls_; }, std::move(options));
    ASSERT_TRUE(started) << started.error().message;
    follower_ = *std::move(started);
  }
  // Turns until it holds; a minute at most, so that only what never comes fails.
  bool comes(const std::function<bool(const view::Project&)>& holds) {
    const auto end = process::Clock::now() + std::chrono::minutes(1);
    while (!holds(follower_->project()) && process::Clock::now() < end)
      loop_->turn(process::Clock::now() + milliseconds(200));
    return holds(follower_->project());
  }
  const view::Run* run(const std::string& id) const {
    return view::find_run(follower_->project(), id);
  }
  std::string root() const { return project->root(); }

  // What another process does that starts a run.
  static std::function<void(store::Store&)> beginning(const char* run) {
    return [run](store::Store& theirs) {
      event::RunStarted started;
      started.bead = "demo-1";
      const std::vector<event::NewFact> facts{fact(event::PipelineFact(started))};
      (void)theirs.begin({run, "pipeline", "demo-1", world::kAt}, facts);
    };
  }
  static event::NewFact phase_started(int number) {
    event::PhaseStarted started;
    started.phase = "execute";
    started.number = number;
    return fact(event::PipelineFact(started));
  }

  std::unique_ptr<process::Loop> loop_;
  std::unique_ptr<Follower> follower_;
  int calls_ = 0;
};

TEST_F(FollowerTest, WhatIsThereIsReadAtOnceAndWhatComesFromAnotherProcessIsTold) {
  pipeline("r1", "demo-1", event::Outcome::merged);
  follow();
  EXPECT_FALSE(follower_->blind());
  ASSERT_EQ(follower_->project().runs.size(), 1u);
  EXPECT_EQ(run("r1")->life, Life::ended);
  EXPECT_EQ(calls_, 0);
  const Other other(
      [](store::Store& theirs) {
        event::RunStarted started;
        started.bead = "demo-2";
        const std::vector<event::NewFact> facts{fact(event::PipelineFact(started))};
        const auto begun = theirs.begin({"r2", "pipeline", "demo-2", world::kAt}, facts);
        const std::vector<event::NewFact> more{phase_started(1)};
        (void)theirs.append("r2", *begun, more, std::nullopt);
      },
      root());
  EXPECT_TRUE(comes([this](const view::Project&) {
    return run("r2") != nullptr && run("r2")->attempts.size() == 1;
  }));
  EXPECT_GT(calls_, 0);
  EXPECT_EQ(run("r2")->attempts[0].role, "execute");
}

TEST_F(FollowerTest, WhoWorksOnARunIsNoticedAndThatItsProcessWasKilled) {
  pipeline("r1", "demo-1", event::Outcome::none);
  follow();
  EXPECT_EQ(run("r1")->life, Life::cut_off);
  ASSERT_EQ(follower_->project().inbox.size(), 1u);
  std::unique_ptr<engine::Claim> held;
  Other other(
      [&held](store::Store& theirs) {
        held = *theirs.claim("demo-1", "r1", world::kAt);
        const std::vector<event::NewFact> facts{phase_started(1)};
        (void)theirs.append("r1", theirs.head("r1")->last_seq, facts, std::nullopt);
      },
      root());
  EXPECT_TRUE(comes([this](const view::Project&) { return run("r1")->life == Life::working; }));
  EXPECT_TRUE(follower_->project().inbox.empty());
  EXPECT_EQ(run("r1")->at_work, 1);
  other.kill();
  EXPECT_TRUE(comes([this](const view::Project&) { return run("r1")->life == Life::cut_off; }));
  EXPECT_EQ(follower_->project().inbox.size(), 1u);
}

TEST_F(FollowerTest, NothingWakesItWhileNothingHappens) {
  pipeline("r1", "demo-1", event::Outcome::none);
  std::unique_ptr<engine::Claim> held;
  const Other other(
      [&held](store::Store& theirs) { held = *theirs.claim("demo-1", "r1", world::kAt); }, root());
  follow({.activities = false});
  // What the start itself stirred up.
  loop_->turn(process::Clock::now() + milliseconds(300));
  const std::int64_t before = follower_->wakes();
  const auto end = process::Clock::now() + milliseconds(1500);
  while (process::Clock::now() < end) loop_->turn(end);
  EXPECT_EQ(follower_->wakes(), before);
}

TEST_F(FollowerTest, AJournalThatIsMadeLaterIsFollowedAndSoIsOneThatReplacesIt) {
  store.reset();
  fs::remove_all(root() + "/.capsule");
  follow();
  EXPECT_TRUE(follower_->project().runs.empty());
  {
    const Other other(beginning("r1"), root());
    EXPECT_TRUE(comes([this](const view::Project&) { return run("r1") != nullptr; }));
  }
  fs::remove_all(root() + "/.capsule");
  EXPECT_TRUE(comes([](const view::Project& shown) { return shown.runs.empty(); }));
  const Other other(beginning("r2"), root());
  EXPECT_TRUE(comes([this](const view::Project&) { return run("r2") != nullptr; }));
  EXPECT_EQ(run("r1"), nullptr);
}

// Nobody is told of what comes after a folder was not there and before its parent is watched.
TEST_F(FollowerTest, AFolderThatIsMadeBetweenTwoWatchesIsFollowed) {
  store.reset();
  fs::remove_all(root() + "/.capsule");
  int times = 0;
  follow({.between_watches = [&] {
    ++times;
    fs::create_directory(root() + "/.capsule");
  }});
  EXPECT_EQ(times, 1);
  EXPECT_FALSE(follower_->blind());
  EXPECT_TRUE(follower_->project().runs.empty());
  const Other other(beginning("r1"), root());
  EXPECT_TRUE(comes([this](const view::Project&) { return run("r1") != nullptr; }));
}

TEST_F(FollowerTest, AJournalThatIsMadeBetweenTwoWatchesIsFollowed) {
  store.reset();
  fs::remove_all(root() + "/.capsule");
  std::unique_ptr<Other> other;
  follow({.between_watches = [&] { other = std::make_unique<Other>(beginning("r1"), root()); }});
  ASSERT_NE(run("r1"), nullptr);
  // The same once more, of a journal that is gone while it is followed.
  other.reset();
  fs::remove_all(root() + "/.capsule");
  EXPECT_TRUE(comes([&](const view::Project&) { return other != nullptr; }))
      << "that it is gone is noticed, and there it is again";
  EXPECT_TRUE(comes([this](const view::Project&) {
    return run("r1") != nullptr && run("r1")->life == Life::cut_off;
  }));
}

TEST_F(FollowerTest, AJournalThatCannotBeOpenedAnyMoreIsTroubleUntilItCan) {
  pipeline("r1", "demo-1", event::Outcome::merged);
  store.reset();  // it leaves everything in one file
  follow();
  const std::string journal = root() + "/.capsule/journal.db";
  fs::rename(journal, journal + ".kept");
  std::ofstream(journal + ".new") << "no journal";
  fs::rename(journal + ".new", journal);
  EXPECT_TRUE(comes([this](const view::Project&) { return !follower_->trouble().empty(); }));
  fs::rename(journal + ".kept", journal);
  EXPECT_TRUE(comes([this](const view::Project&) { return run("r1") != nullptr; }));
  EXPECT_EQ(follower_->trouble(), "");
}

TEST_F(FollowerTest, WhereNothingTellsItLooksBySelf) {
  follow({.blind = true});
  EXPECT_TRUE(follower_->blind());
  pipeline("r1", "demo-1", event::Outcome::merged);
  EXPECT_TRUE(comes([this](const view::Project&) { return run("r1") != nullptr; }));
}

TEST_F(FollowerTest, WhereNothingTellsItSeesThatAnotherJournalIsThere) {
  pipeline("r1", "demo-1", event::Outcome::merged);
  follow({.blind = true});
  ASSERT_NE(run("r1"), nullptr);
  EXPECT_EQ(follower_->journals_gone(), 0);
  store.reset();
  fs::remove_all(root() + "/.capsule");
  EXPECT_TRUE(comes([](const view::Project& shown) { return shown.runs.empty(); }));
  EXPECT_EQ(follower_->journals_gone(), 1);
  store = store::Store::open(root(), store::Access::read_write).value();
  pipeline("r2", "demo-2", event::Outcome::merged);
  EXPECT_TRUE(comes([this](const view::Project&) { return run("r2") != nullptr; }));
  EXPECT_EQ(follower_->journals_gone(), 1);
}

// Between two looks: nothing is seen but the new one.
TEST_F(FollowerTest, AJournalThatIsReplacedAtOnceIsAnother) {
  pipeline("r1", "demo-1", event::Outcome::merged);
  follow();
  store.reset();
  fs::remove_all(root() + "/.capsule");
  store = store::Store::open(root(), store::Access::read_write).value();
  pipeline("r2", "demo-2", event::Outcome::merged);
  EXPECT_TRUE(comes([this](const view::Project&) { return run("r2") != nullptr; }));
  EXPECT_EQ(run("r1"), nullptr);
  EXPECT_GT(follower_->journals_gone(), 0);
}

TEST_F(FollowerTest, AnAnswerThatLiesThereIsShown) {
  delivery("r1", "/p/PLAN.md");
  event::delivery::QuestionAsked asked;
  asked.question = 1;
  asked.task = "T-1";
  asked.agent = 1;
  asked.text = "Which colour?";
  const std::vector<event::NewFact> facts{fact(event::delivery::DeliveryFact(asked))};
  ASSERT_TRUE(store->append("r1", store->head("r1")->last_seq, facts, std::nullopt));
  follow();
  const auto question = [](const view::Project& shown) -> const view::Item* {
    for (const view::Item& item : shown.inbox)
      if (item.kind == view::Attention::question) return &item;
    return nullptr;
  };
  ASSERT_NE(question(follower_->project()), nullptr);
  EXPECT_FALSE(question(follower_->project())->answered);
  ASSERT_TRUE(world::leave_answer(root(), "r1", 1, "blue"));
  EXPECT_TRUE(comes([&](const view::Project& shown) { return question(shown)->answered; }));
  ASSERT_TRUE(world::take_back_answer(root(), "r1", 1));
  EXPECT_TRUE(comes([&](const view::Project& shown) { return !question(shown)->answered; }));
}

TEST_F(FollowerTest, WhatAnAgentDoesIsReadFromItsLogAsItGrows) {
  using namespace event::delivery;  // NOLINT: its facts
  DeliveryStarted started;
  started.plan = "/p/PLAN.md";
  Task task;
  task.id = "T-1";
  task.criteria = {"x"};
  started.tasks = {task};
  record("r1", "delivery", "/p/PLAN.md",
         {fact(DeliveryFact(started)),
          fact(DeliveryFact(VerifyFinished{VerifyPurpose::baseline, {}, ""})),
          fact(DeliveryFact(
              AgentDispatched{1, signal::Role::developer, "T-1", 1, 1, Why::fresh, "", ""}))});
  const std::string log = root() + "/.capsule/logs/r1/1-developer.log";
  fs::create_directories(root() + "/.capsule/logs/r1");
  std::unique_ptr<engine::Claim> held;
  const Other other(
      [&held](store::Store& theirs) { held = *theirs.claim("/p/PLAN.md", "r1", world::kAt); },
      root());
  follow();
  EXPECT_FALSE(run("r1")->attempts[0].doing);
  const auto says = [this](const char* words) {
    return [this, words](const view::Project&) {
      const auto& doing = run("r1")->attempts[0].doing;
      return doing && doing->said == words;
    };
  };
  std::ofstream(log) << "I read the task\n";
  EXPECT_TRUE(comes(says("I read the task")));
  std::ofstream(log, std::ios::app) << "Now I write it\n";
  EXPECT_TRUE(comes(says("Now I write it")));
  // The same words once more, and words on stderr: nothing that the agent is seen to do, but its
  // transcript has grown.
  std::int64_t before = run("r1")->attempts[0].printed;
  const auto more = [&](const view::Project&) { return run("r1")->attempts[0].printed > before; };
  EXPECT_GT(before, 0);
  std::ofstream(log, std::ios::app) << "Now I write it\n";
  EXPECT_TRUE(comes(more));
  before = run("r1")->attempts[0].printed;
  std::ofstream(log + ".stderr") << "aside\n";
  EXPECT_TRUE(comes(more));
  EXPECT_EQ(run("r1")->attempts[0].doing->said, "Now I write it");
  before = run("r1")->attempts[0].printed;
  std::ofstream(log + ".stderr", std::ios::app) << "and aside\n";
  EXPECT_TRUE(comes(more));
}

TEST_F(FollowerTest, ThePhaseOfASessionIsSeenThoughItsHookWritesNoJournal) {
  ASSERT_TRUE(world::start_session(root(), {.task = "Greet"}, [](const std::string&) {}));
  follow();
  ASSERT_EQ(follower_->project().runs.size(), 1u);
  EXPECT_EQ(follower_->project().runs[0].now, "expansion");
  const auto goes_to = [this](const char* phase) {
    const auto document = auto_state::load(root());
    ASSERT_TRUE(document && *document);
    auto_mode::State state = (*document)->state;
    state.phase = phase;
    ASSERT_TRUE(auto_state::save(root(), (*document)->json, state, auto_state::Durability::quick));
    EXPECT_TRUE(comes([&](const view::Project& shown) { return shown.runs[0].now == phase; }));
    const auto once = look(*project, follower_->journal());
    ASSERT_TRUE(once);
    EXPECT_EQ(once->runs[0].now, phase) << "whoever looks once";
    const auto read = world::read_run(*store, store->runs()->front());
    ASSERT_TRUE(read);
    EXPECT_EQ(read->summary.now, phase) << "whoever names it";
  };
  goes_to("planning");
  goes_to("execution");
  // Who replaces it ends it.
  ASSERT_TRUE(
      world::start_session(root(), {.task = "Wave", .force = true}, [](const std::string&) {}));
  EXPECT_TRUE(comes([](const view::Project& shown) { return shown.runs.size() == 2; }));
  EXPECT_EQ(follower_->project().runs[0].life, Life::ended);
  EXPECT_EQ(follower_->project().runs[1].now, "expansion");
}

TEST_F(FollowerTest, AnyMomentOfTheJournalCanBeShown) {
  pipeline("r1", "demo-1", event::Outcome::merged);
  pipeline("r2", "demo-2", event::Outcome::merged);
  const auto first = replayed(*store, 1);
  ASSERT_TRUE(first);
  ASSERT_EQ(first->runs.size(), 1u);
  EXPECT_EQ(first->runs[0].life, Life::working);
  const auto all = replayed(*store, 99);
  ASSERT_TRUE(all);
  const auto now = look(*project, store.get());
  ASSERT_TRUE(now);
  EXPECT_EQ(*all, *now);
  const auto alone = replayed(*store, 99, "r2");
  ASSERT_TRUE(alone);
  ASSERT_EQ(alone->runs.size(), 1u);
  EXPECT_EQ(alone->runs[0], now->runs[1]);
}

TEST_F(FollowerTest, ARunIsHandedOutAsItsJournalHasIt) {
  delivery("r1", root() + "/PLAN.md");
  follow();
  const auto folded = follower_->run("r1");
  ASSERT_TRUE(folded) << folded.error().message;
  const auto read = world::read_run(*store, *store->head("r1"));
  ASSERT_TRUE(read);
  EXPECT_EQ(folded->head, read->head);
  ASSERT_EQ(folded->summary.agents.size(), 1u);
  EXPECT_EQ(folded->summary.agents[0].role, read->summary.agents[0].role);
  EXPECT_EQ(folded->live(), read->live());
  EXPECT_FALSE(follower_->run("r9"));
}

}  // namespace
}  // namespace capsule::follow
