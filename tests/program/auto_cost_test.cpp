// What auto mode used and cost, through the binary, and who the commit on main says has done the
// work.
#include "tests/program/demo_project.h"
#include "tests/program/metered.h"

namespace capsule::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class AutoCost : public DemoProject {
 protected:
  void SetUp() override {
    DemoProject::SetUp();
    make_project();
    auto_agent();
    fs::rename(path("bin/claude"), path("bin/worker"));
    install_program(path("bin/claude"), metered("worker </dev/null"));
  }
  Call auto_call() const {
    return in_project({"auto", "run", "Say hello", "--skip-expansion", "--skip-qa", "--skip-review",
                       "--skip-reflect"});
  }
  Json cost() const { return Json::parse(in({"cost", "auto", "--json"}).out, nullptr, false); }
};

TEST_F(AutoCost, TheSummarySaysWhatItCostAndTheMergeWhoAnswered) {
  const Outcome outcome = run(auto_call());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  // init, planning, execution.
  EXPECT_THAT(outcome.out, HasSubstr("cost 0.75; 300 tokens in, 60 out, "));
  const Json all = cost()["all"];
  EXPECT_EQ(all["calls"], 3) << all;
  EXPECT_EQ(all["cost_micros"], 750'000);
  const std::string message = git({"log", "-1", "--format=%(trailers)", "main"}).out;
  EXPECT_THAT(message, HasSubstr("Capsule-Model: claude-x-1\n"));
  EXPECT_THAT(message, HasSubstr("Capsule-Client: claude 2.1.325\n"));
}

}  // namespace
}  // namespace capsule::test
