#include "agent/run.h"

#include <stdlib.h>

#include <filesystem>

#include "agent/stream_log.h"
#include "base/files.h"
#include "process/test_support.h"

namespace capsule::agent {
namespace {

constexpr std::string_view kPass =
    R"({"status":"PASS","feedback":"fine","files_changed":[],"summary":"done"})";

class RunAgent : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/capsule-run-XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    assignment_.folder = name;
    assignment_.phase = "execute";
    assignment_.stamp = "20260131-235959";
  }
  void TearDown() override { std::filesystem::remove_all(assignment_.folder); }
  Result<Report> run(const std::string& script) {
    Provider provider;
    provider.name = "script";
    provider.argv = {"/bin/sh", "-c", script};
    provider.output = output_;
    return run_agent(*loop_, provider, assignment_, watch_);
  }
  Report report(const std::string& script) {
    const auto done = run(script);
    EXPECT_TRUE(done) << (done ? "" : done.error().message);
    return done.value_or(Report{});
  }
  std::string pass() const { return "echo '" + std::string(kPass) + "'\n"; }
  std::unique_ptr<process::Loop> loop_ = process::testing::make_loop();
  Assignment assignment_;
  dialect::Output output_ = dialect::Output::text;
  Watch watch_;
};

TEST_F(RunAgent, ASignalIsFoundInAFloodThatTheLogDoesNotHold) {
  // The signal is in what the log leaves out: long after its head, long before its end.
  const std::string flood = "head -c 36000000 /dev/zero | tr '\\0' 'x'; echo; ";
  const Report done = report(flood + pass() + "head -c 4000000 /dev/zero | tr '\\0' 'y'; echo");
  EXPECT_EQ(done.fault, event::Fault::none);
  EXPECT_TRUE(done.spoke);
  EXPECT_EQ(done.signal.json, kPass);
  const std::string log = read_file(done.log).value_or("");
  EXPECT_LT(log.size(), kLogHeadBytes + 2 * kLogTailBytes + 1000);
  EXPECT_EQ(log.find("PASS"), std::string::npos);
  EXPECT_NE(log.find("bytes are left out here]"), std::string::npos);
}

TEST_F(RunAgent, OneThatWasKilledIsReportedAsSuch) {
  const Report done = report("echo working; kill -KILL $$");
  EXPECT_EQ(done.fault, event::Fault::exit_status);
  EXPECT_EQ(done.exit_code, 137);
  EXPECT_FALSE(done.spoke);
  EXPECT_EQ(done.signal.status, signal::Status::error);
  EXPECT_EQ(done.signal.feedback,
            "the agent was ended by signal 9 (SIGKILL) before it printed a signal");
  EXPECT_EQ(read_file(done.log).value_or("?"), "working\n");
}

TEST_F(RunAgent, OneThatWasKilledAfterItsSignalKeepsIt) {
  const Report done = report(pass() + "kill -TERM $$");
  EXPECT_EQ(done.fault, event::Fault::exit_status);
  EXPECT_TRUE(done.spoke);
  EXPECT_EQ(done.signal.json, kPass);
  EXPECT_EQ(done.detail, "was ended by signal 15 (SIGTERM)");
}

TEST_F(RunAgent, WithoutASignalTheFeedbackIsFixedAndAnExitStatusIsNamed) {
  const Report quiet = report("echo nothing");
  EXPECT_EQ(quiet.fault, event::Fault::no_signal);
  EXPECT_EQ(quiet.signal.feedback, "No signal JSON found in phase output");
  const Report failed = report("echo nothing; exit 7");
  EXPECT_EQ(failed.fault, event::Fault::exit_status);
  EXPECT_EQ(failed.signal.feedback,
            "No signal JSON found in phase output (the agent ended with exit status 7)");
  EXPECT_EQ(failed.detail, "ended with exit status 7 and printed no signal");
  const Report spoke = report(pass() + "exit 7");
  EXPECT_EQ(spoke.fault, event::Fault::exit_status);
  EXPECT_EQ(spoke.signal.json, kPass);
  EXPECT_EQ(spoke.detail, "ended with exit status 7");
}

TEST_F(RunAgent, TheSignalOfAClientThatPrintsEventsIsInItsLastWords) {
  output_ = dialect::Output::claude_stream;
  const Report done = report(R"sh(
echo '{"type":"system","subtype":"init","session_id":"s"}'
printf '%s\n' '{"type":"result","subtype":"success","result":"{\"status\":\"PASS\",\"feedback\":\"f\",\"files_changed\":[],\"summary\":\"s\"}","usage":{}}'
)sh");
  EXPECT_EQ(done.fault, event::Fault::none) << done.detail;
  EXPECT_EQ(done.signal.status, signal::Status::pass);
}

TEST_F(RunAgent, ATimeOutNamesTheLimitWhateverWasPrinted) {
  assignment_.timeout = std::chrono::seconds(1);
  const Report done = report(pass() + "sleep 600");
  EXPECT_EQ(done.fault, event::Fault::timed_out);
  EXPECT_EQ(done.signal.feedback, "Phase execute timed out after 1 s");
  EXPECT_FALSE(done.spoke);
}

TEST_F(RunAgent, APersonInterruptsIt) {
  assignment_.interrupted = [] { return true; };
  const Report done = report(pass());
  EXPECT_EQ(done.fault, event::Fault::interrupted);
  EXPECT_EQ(done.signal.feedback, "Interrupted");
}

TEST_F(RunAgent, LogsThatCannotBeKeptAreAnErrorOfOurs) {
  std::filesystem::create_directory(assignment_.folder + "/.capsule");
  ASSERT_TRUE(write_file(assignment_.folder + "/.capsule/output", "a file"));
  const auto done = run(pass() + "sleep 600");
  EXPECT_FALSE(done);
}

}  // namespace
}  // namespace capsule::agent
