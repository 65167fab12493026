#include "world/logs.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "base/files.h"
#include "world/project.h"

namespace capsule::world {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;

class Logs : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/capsule-logs-XXXXXX";
    project_.repository.top = ::mkdtemp(name);
  }
  void TearDown() override { fs::remove_all(project_.repository.top); }

  void has(const std::string& name) {
    const std::string folder = project_.root() + "/.capsule/logs/demo-1";
    ASSERT_TRUE(make_folders(folder));
    ASSERT_TRUE(write_file(folder + "/" + name, "x"));
  }
  std::vector<std::string> names(const world::Run& run) const {
    std::vector<std::string> names;
    for (const LogFile& log : logs_of(project_, run, {})) names.push_back(log.name);
    return names;
  }
  static world::Run run_of_phases() {
    world::Run run;
    run.head.run = "run-1";
    run.head.workflow = "pipeline";
    run.head.subject = "demo-1";
    return run;
  }

  Project project_{{}, {}, Assets({}, {}), {}};
};

// Two calls of one agent, as after a fault: of the first no record is left.
TEST_F(Logs, CallsOfTheSameSecondStandInTheOrderOfTheirStarts) {
  has("execute-20260131-120000-999.log");
  has("execute-20260131-120000-1001.log");
  has("execute-20260131-120000-1001.log.stderr");
  has("execute-20260131-120000-1000.log");
  has("test-writer-20260131-115959-4000.log");
  has("sign-off-20260131-120001-12.log");
  EXPECT_THAT(
      names(run_of_phases()),
      ElementsAre("test-writer-20260131-115959-4000.log", "execute-20260131-120000-999.log",
                  "execute-20260131-120000-1000.log", "execute-20260131-120000-1001.log",
                  "execute-20260131-120000-1001.log.stderr", "sign-off-20260131-120001-12.log"));
}

TEST_F(Logs, ACallOfWhichNoRecordIsLeftStandsBeforeTheNewerOneOfItsAgent) {
  has("execute-20260131-120000-70.log");
  has("execute-20260131-120009-60.log");
  has("execute-review-20260131-120010-80.log");
  world::Run run = run_of_phases();
  run.summary.agents.resize(2);
  run.summary.agents[0].number = 1;
  run.summary.agents[0].log = "/somewhere/execute-20260131-120009-60.log";
  run.summary.agents[1].number = 2;
  run.summary.agents[1].log = "/somewhere/execute-review-20260131-120010-80.log";
  EXPECT_THAT(names(run),
              ElementsAre("execute-20260131-120000-70.log", "execute-20260131-120009-60.log",
                          "execute-review-20260131-120010-80.log"));
}

TEST_F(Logs, ThoseOfADeliveryGoByNumberAndEachHasItsOtherStreamBehindIt) {
  world::Run run;
  run.head.run = "demo-1";
  run.head.workflow = "delivery";
  for (const char* name : {"10-critic.log", "2-developer.2.log", "2-developer.log.stderr",
                           "2-developer.log", "2-developer.10.log"})
    has(name);
  EXPECT_THAT(names(run), ElementsAre("2-developer.log", "2-developer.log.stderr",
                                      "2-developer.2.log", "2-developer.10.log", "10-critic.log"));
}

}  // namespace
}  // namespace capsule::world
