#include "world/runs.h"

#include <stdlib.h>

#include <filesystem>

#include "base/files.h"
#include "git/refs.h"
#include "world/answers.h"
#include "world/discard.h"
#include "world/logs.h"
#include "world/questions.h"
#include "world/requests.h"
#include "world/test_support.h"

namespace capsule::world {
namespace {

class Runs : public ProjectTest {
 protected:
  Result<Found> find(std::vector<std::string> words) {
    return find_run(*project, store.get(), words);
  }
};

TEST_F(Runs, OfEveryWorkflowAreReadByItsOwnRules) {
  pipeline("r-1", "demo-1", event::Outcome::merged);
  pipeline("r-2", "demo-1", event::Outcome::none);
  delivery("r-3", "/p/PLAN.md");
  auto_run("r-4", event::auto_run::Outcome::needs_person);
  record("r-5", "spike", "demo-2", {fact(event::PipelineFact(event::RunStarted{}))});
  const auto runs = MUST(newest_runs(*store));
  ASSERT_EQ(runs.size(), 4U) << "the newest of each subject";
  EXPECT_EQ(runs[0].head.run, "r-2");
  EXPECT_EQ(engine::state_of(runs[0]), engine::RunState::cut_off);
  EXPECT_EQ(runs[1].summary.tasks.size(), 1U);
  EXPECT_EQ(runs[2].summary.title, "Validate phone numbers");
  EXPECT_TRUE(runs[2].summary.can_go_on) << "a person has to decide";
  EXPECT_EQ(engine::state_of(runs[2]), engine::RunState::ended);
  for (const world::Run& run : runs) EXPECT_EQ(run.unreadable, "");
}

TEST_F(Runs, ASessionThatTheHookHoldsIsOneToo) {
  namespace autos = event::auto_run;
  const char* state =
      R"({"version":"2.0","schema_version":"2.0","active":true,"phase":"planning","task_description":"In a session","started_at":"2026-01-01T00:00:00Z"})";
  record("r-1", "auto-session", std::string(engine::kAutoSubject),
         {fact(autos::Fact(autos::SessionSeen{state, kAt}))});
  const Found found = MUST(find({"auto"}));
  EXPECT_EQ(found.run.unreadable, "");
  EXPECT_EQ(found.run.summary.title, "In a session");
  EXPECT_EQ(found.run.summary.now, "planning");
  EXPECT_EQ(engine::state_of(found.run), engine::RunState::running);
}

TEST_F(Runs, FactsThatCannotBeReadAreTheFaultOfThatRunAlone) {
  record("r-1", "pipeline", "demo-1", {{"no_such_fact", kAt, "{}"}});
  pipeline("r-2", "demo-2", event::Outcome::merged);
  const auto runs = MUST(newest_runs(*store));
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_NE(runs[0].unreadable.find("its facts cannot be read"), std::string::npos);
  EXPECT_TRUE(runs[0].summary.can_go_on) << "so that nothing of it is thrown away";
  EXPECT_EQ(runs[1].unreadable, "");
}

TEST_F(Runs, AreFoundByBeadPlanTaskRunIdAndAuto) {
  write(project_ + "/PLAN.md", "# P\n");
  const std::string plan = std::filesystem::canonical(project_ + "/PLAN.md");
  pipeline("r-1", "demo-1", event::Outcome::merged);
  delivery("r-2", plan);
  delivery("r-3", "delivery:demo-9", "demo-9.1");
  auto_run("r-4", event::auto_run::Outcome::complete);
  EXPECT_EQ(MUST(find({"demo-1"})).run.head.run, "r-1");
  EXPECT_EQ(MUST(find({project_ + "/PLAN.md"})).run.head.run, "r-2");
  EXPECT_EQ(MUST(find({project_ + "/PLAN.md", "T-1"})).task, "T-1");
  EXPECT_EQ(MUST(find({"demo-9"})).run.head.run, "r-3");
  EXPECT_EQ(MUST(find({"demo-9.1"})).task, "demo-9.1") << "a task alone";
  EXPECT_EQ(MUST(find({"r-2"})).run.head.run, "r-2");
  EXPECT_EQ(MUST(find({"auto"})).run.head.run, "r-4");
  std::filesystem::remove(project_ + "/PLAN.md");
  EXPECT_EQ(MUST(find({plan})).run.head.run, "r-2") << "the plan's file may be gone";
}

TEST_F(Runs, AWordThatNamesNoneIsAnsweredWithWhatToDo) {
  EXPECT_EQ(find({"../x"}).error().reason, Reason::usage);
  const auto none = find({"demo-1"});
  EXPECT_EQ(none.error().reason, Reason::not_found);
  EXPECT_NE(none.error().hint.find("capsule run demo-1"), std::string::npos);
  EXPECT_NE(find({"PLAN.md"}).error().hint.find("capsule deliver PLAN.md"), std::string::npos);
  EXPECT_NE(find({"auto"}).error().hint.find("capsule auto run"), std::string::npos);
  delivery("r-1", "delivery:a");
  delivery("r-2", "delivery:b");
  const auto task = find({"a", "T-7"});
  EXPECT_EQ(task.error().reason, Reason::not_found);
  EXPECT_NE(task.error().hint.find("T-1"), std::string::npos) << task.error().hint;
  EXPECT_EQ(find({"T-1"}).error().reason, Reason::refused) << "two plans have it";
}

TEST_F(Runs, TheCommandThatGoesOnFitsTheWorkflow) {
  pipeline("r-1", "demo-1", event::Outcome::paused);
  pipeline("r-2", "demo-2", event::Outcome::none);
  pipeline("r-3", "demo-3", event::Outcome::merged);
  delivery("r-4", "/p/my plan.md");
  auto_run("r-5", event::auto_run::Outcome::needs_person);
  std::vector<std::string> commands;
  for (const world::Run& run : MUST(newest_runs(*store)))
    commands.push_back(go_on_command(*project, run));
  EXPECT_EQ(commands,
            (std::vector<std::string>{"capsule run demo-1 --resume", "capsule run demo-2", "",
                                      "capsule deliver '/p/my plan.md'", "capsule auto continue"}));
}

TEST_F(Runs, QuestionsAreFoundByNumberAndByRunWhenSeveralAsk) {
  delivery("r-1", "delivery:a");
  EXPECT_EQ(MUST(find_question(*project, store.get(), "", "1")).wait.text, "Which colour?");
  delivery("r-2", "delivery:b");
  EXPECT_EQ(find_question(*project, store.get(), "", "1").error().reason, Reason::usage);
  EXPECT_EQ(MUST(find_question(*project, store.get(), "b", "1")).run.head.run, "r-2");
  EXPECT_EQ(MUST(find_question(*project, store.get(), "", "r-1/1")).run.head.run, "r-1");
  EXPECT_EQ(find_question(*project, store.get(), "b", "7").error().reason, Reason::not_found);
  ASSERT_TRUE(leave_answer(project_, "r-2", 1, "blue"));
  const auto open = MUST(open_questions(*project, store.get()));
  ASSERT_EQ(open.size(), 2U);
  EXPECT_FALSE(open[0].answered);
  EXPECT_TRUE(open[1].answered);
}

TEST_F(Runs, ATreeIsRescuedUnderTheRunThatItBelongsTo) {
  delivery("20260101-000000-abc123", "delivery:a");
  make_worktree(project->repository, "abc123-T-1");
  write(worktree_path("abc123-T-1") + "/new.txt", "half done\n");
  const auto owner = MUST(owner_of_tree(*store, *project, "abc123-T-1"));
  ASSERT_TRUE(owner);
  EXPECT_EQ(owner->task, "T-1");
  ASSERT_TRUE(discard_worktree(*project, *store, "abc123-T-1"));
  const auto refs = MUST(git::list_refs(project->repository, "refs/capsule"));
  ASSERT_EQ(refs.size(), 1U);
  EXPECT_TRUE(refs[0].name.starts_with("refs/capsule/rescue/20260101-000000-abc123/T-1/"))
      << refs[0].name;
  EXPECT_EQ(git(project_, {"show", refs[0].name + ":new.txt"}), "half done");
}

TEST_F(Runs, ADeliverysTreesAreToldWithFolderAndBranch) {
  delivery("20260101-000000-abc123", "delivery:a");
  const std::string task = "T " + std::string(300, 'x');
  delivery("20260101-000001-def456", "delivery:b", task.c_str());
  const auto trees = MUST(find({"a"})).run.summary.trees;
  ASSERT_EQ(trees.size(), 1U);
  EXPECT_EQ(trees[0].task, "T-1");
  EXPECT_EQ(trees[0].folder,
            std::filesystem::canonical(project_).string() + "/.capsule/worktrees/abc123-T-1");
  EXPECT_EQ(trees[0].branch, "capsule-abc123-T-1");
  const auto other = MUST(find({"b"})).run.summary.trees;
  ASSERT_EQ(other.size(), 1U);
  const std::string name = other[0].folder.substr(other[0].folder.rfind('/') + 1);
  EXPECT_EQ(MUST(owner_of_tree(*store, *project, name))->task, task)
      << "also when the key is no name";
}

TEST_F(Runs, ACutOffRunCountsAsAbortedOnceItsTreeIsGone) {
  pipeline("r-1", "demo-1", event::Outcome::none);
  make_worktree(project->repository, "demo-1");
  ASSERT_TRUE(discard_worktree(*project, *store, "demo-1"));
  EXPECT_EQ(MUST(find({"demo-1"})).run.summary.outcome, "aborted");
}

TEST_F(Runs, LogsOfADeliveryAreInTheOrderOfItsAgentsAndKnowTheirTask) {
  delivery("r-1", "delivery:a");
  for (const char* name : {"2-critic.log", "10-developer.log", "1-developer.log",
                           "1-developer.log.stderr", "notes.txt"})
    write(project_ + "/.capsule/logs/r-1/" + std::string(name), "x");
  const world::Run run = MUST(find({"a"})).run;
  std::vector<std::string> names;
  for (const LogFile& file : logs_of(*project, run, {})) names.push_back(file.name);
  EXPECT_EQ(names, (std::vector<std::string>{"1-developer.log", "1-developer.log.stderr",
                                             "2-critic.log", "10-developer.log"}));
  names.clear();
  for (const LogFile& file : logs_of(*project, run, {"", "T-1"})) names.push_back(file.name);
  EXPECT_EQ(names, (std::vector<std::string>{"1-developer.log", "1-developer.log.stderr"}));
  EXPECT_EQ(logs_of(*project, run, {"critic", ""}).size(), 1U);
}

TEST(LogNames, AreReadInBothForms) {
  EXPECT_EQ(read_log_name("test-writer-20260101-000000-4711.log")->role, "test-writer");
  EXPECT_EQ(read_log_name("expansion-20260101-000000.log")->role, "expansion");
  EXPECT_EQ(read_log_name("12-business-analyst.log.stderr")->role, "business-analyst");
  EXPECT_EQ(read_log_name("12-business-analyst.log")->agent, 12);
  EXPECT_EQ(read_log_name("12-developer.2.log")->role, "developer") << "its second call";
  for (const char* name : {"worklog.md", "x.log", "execute-2026-1.log", ".log", "1-.log"})
    EXPECT_FALSE(read_log_name(name)) << name;
}

TEST_F(Runs, RequestsAreKeptByRun) {
  ASSERT_TRUE(leave_request(project_, "r-1", Request::pause));
  EXPECT_EQ(pending_request(project_, "r-1"), workflow::Stop::paused);
  EXPECT_EQ(pending_request(project_, "r-2"), std::nullopt);
  ASSERT_TRUE(leave_request(project_, "r-1", Request::abort));
  EXPECT_EQ(pending_request(project_, "r-1"), workflow::Stop::aborted);
  drop_requests(project_, "r-1");
  EXPECT_EQ(pending_request(project_, "r-1"), std::nullopt);
}

TEST(LastWords, OfAClientThatPrintsEventsAreItsFailureOrWhatTheAgentSaid) {
  char name[] = "/tmp/capsule-words-XXXXXX";
  ASSERT_NE(::mkdtemp(name), nullptr);
  const std::string tree = name;
  ASSERT_TRUE(make_folders(tree + "/.capsule/output"));
  const auto words = [&](const std::string& printed) {
    EXPECT_TRUE(write_file(tree + "/.capsule/output/x.log", printed));
    return last_words(tree, event::Fault::no_signal, "/elsewhere/x.log");
  };
  const std::string init = R"({"type":"system","subtype":"init","session_id":"s"})"
                           "\n";
  EXPECT_EQ(words("one\ntwo\n\n"), "two");
  EXPECT_EQ(words(init + R"({"type":"result","subtype":"success","result":"I did\nnot know."})"),
            "not know.");
  EXPECT_EQ(words(init + R"({"type":"result","subtype":"x","is_error":true,"result":"Log in."})"),
            "Log in.");
  EXPECT_EQ(words(init), "") << "an event is nobody's word";
  std::filesystem::remove_all(tree);
}

}  // namespace
}  // namespace capsule::world
