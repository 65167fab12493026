#include "tests/program/deliver_project.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

namespace capsule::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kAgent = R"SH(#!/bin/sh
M='@MOCK@'
R=$CAPSULE_ROLE T=$CAPSULE_TASK
N=$R.${T:-none}
k=1; while ! mkdir "$M/calls/$N.$k" 2>/dev/null; do k=$((k + 1)); done
C=$M/calls/$N.$k
printf '%s\0' "$@" >"$C/args"; env -0 >"$C/env"; cat >"$C/stdin"
ready() { printf 'READY_FOR_REVIEW: %s\n\nSummary: done\n' "$T"; }
good() {
  case $R in
    developer) echo "$T" >"$T.txt"; ready ;;
    critic) printf 'REVIEW_PASSED: %s\n\nSummary: fine\n' "$T" ;;
    auditor) printf 'AUDIT_PASSED: %s\n\nSummary: verified\n' "$T" ;;
    business-analyst) printf 'EXPANDED_TASK_SPECIFICATION: %s\nConfidence: HIGH\n\nOriginal: little\n\nExpanded Specification:\nWrite %s.txt\n\nAcceptance Criteria:\n- [ ] %s.txt holds %s\n\nTarget Files:\n- %s.txt\n' "$T" "$T" "$T" "$T" "$T" ;;
    remediation) printf 'REMEDIATION_COMPLETE\n\nIssues Fixed:\n- it: mended\n' ;;
    health-auditor) printf 'HEALTH_AUDIT: HEALTHY\n' ;;
    expert) printf 'EXPERT_ADVICE: %s\n\nRecommendation:\nUse the blue one\n' "$CAPSULE_REQUEST" ;;
    plan-analyst) printf 'EXPERT_CREATED: colours\n\nGap Filled: which colour to use\nSupports: developer\nTasks: T-1\n' ;;
  esac
}
j=$k; while [ "$j" -gt 0 ]; do
  for name in "$N.$j" "$R.$j"; do [ ! -f "$M/on/$name" ] || { . "$M/on/$name"; exit; }; done
  j=$((j - 1))
done
good
)SH";

std::vector<std::string> zero_parted(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t at = 0, end; (end = text.find('\0', at)) != text.npos; at = end + 1)
    parts.push_back(text.substr(at, end - at));
  return parts;
}

void install(const std::string& file, std::string text, const std::string& mock) {
  text.replace(text.find("@MOCK@"), 6, mock);
  write_file(file, text);
  fs::permissions(file, fs::perms::owner_all);
}

}  // namespace

void DeliveryTest::SetUp() {
  ProgramTest::SetUp();
  fs::create_directories(path("mock/on"));
  fs::create_directories(path("mock/calls"));
  install(path("bin/agent"), kAgent, path("mock"));
  fs::create_symlink(path("bin/agent"), path("bin/claude"));
  fs::create_symlink(CAPSULE_BINARY, path("bin/capsule"));
  write_file(
      path("home/.gitconfig"),
      "[user]\n\tname = A User\n\temail = user@example.org\n[init]\n\tdefaultBranch = main\n");
  env_ = {{"PATH", path("bin") + ":/usr/bin:/bin"},
          {"HOME", path("home")},
          {"XDG_CONFIG_HOME", std::nullopt},
          {"XDG_STATE_HOME", std::nullopt},
          {"GIT_CONFIG_NOSYSTEM", "1"},
          {"GIT_CONFIG_GLOBAL", path("home/.gitconfig")}};
  for (const char* name : {"CAPSULE_PROVIDER", "CAPSULE_PHASE_TIMEOUT", "CAPSULE_MAX_RETRIES",
                           "CAPSULE_TRACKER", "CAPSULE_MAIN_BRANCH", "CAPSULE_RUN", "CAPSULE_TASK"})
    env_.emplace(name, std::nullopt);
  project_ = path("my pröject");
  fs::create_directories(project_);
  git({"init", "-q", "-b", "main"});
  write_file(project_ + "/README.md", "A project\n");
  git({"add", "."});
  git({"commit", "-q", "-m", "Start"});
  configure("");
}

void DeliveryTest::TearDown() {
  const Outcome fsck = git({"fsck", "--strict", "--no-dangling"});
  EXPECT_EQ(fsck.exit_code, 0) << fsck.out << fsck.err;
  // Whatever only reads leaves no trace, so the configuration that the test wrote still shows.
  const bool only_read =
      !fs::exists(project_ + "/.capsule/journal.db") && !env_.contains("CAPSULE_JOURNAL");
  EXPECT_EQ(git({"status", "--porcelain"}).out, only_read ? "?? .capsule/\n" : "")
      << "the user's checkout is not clean";
  ProgramTest::TearDown();
}

void DeliveryTest::configure(const std::string& yaml) const {
  std::string text = "providers: {mine: {command: [agent]}}\n" + yaml;
  if (yaml.find("provider: ") == yaml.npos) text += "\nprovider: mine\n";
  write_file(project_ + "/.capsule/config.yaml", text);
}

void DeliveryTest::write_plan(const std::vector<PlanTask>& tasks) const {
  std::string text = "# The plan\n\n## Overview\n\nFiles.\n\n## Phases\n\n### Phase 1: All\n\n";
  for (const PlanTask& task : tasks) {
    const std::string file = task.files.empty() ? task.id + ".txt" : task.files;
    text += "#### Task " + task.id + ": Write " + file + "\n\n**Work**: Write `" + file +
            "` at the top.\n\n";
    if (task.criteria != "-")
      text += "**Acceptance Criteria**:\n- [ ] " +
              (task.criteria.empty() ? file + " holds " + task.id : task.criteria) + "\n\n";
    text += "**Blocked By**: " + task.blocked_by + "\n\n**Files**: " + file + "\n\n---\n\n";
  }
  write_file(plan_file(), text);
}

void DeliveryTest::on(const std::string& role, const std::string& task, int nth,
                      const std::string& script) const {
  write_file(path("mock/on/" + role + (task.empty() ? "" : "." + task) + "." + std::to_string(nth)),
             script + "\n");
}

int DeliveryTest::calls(const std::string& role, const std::string& task) const {
  int count = 0;
  while (fs::exists(path("mock/calls/" + role + "." + task + "." + std::to_string(count + 1))))
    ++count;
  return count;
}

DeliveryCall DeliveryTest::agent_call(const std::string& role, const std::string& task,
                                      int nth) const {
  const std::string folder = path("mock/calls/" + role + "." + task + "." + std::to_string(nth));
  DeliveryCall call;
  call.prompt = read_file(folder + "/stdin");
  call.args = zero_parted(read_file(folder + "/args"));
  for (const std::string& entry : zero_parted(read_file(folder + "/env")))
    call.env[entry.substr(0, entry.find('='))] = entry.substr(entry.find('=') + 1);
  return call;
}

Call DeliveryTest::calling(std::vector<std::string> args) const {
  Call call;
  call.args = std::move(args);
  call.cwd = project_;
  call.env = env_;
  return prepared(std::move(call));
}

Outcome DeliveryTest::cut_off(int signal_number, std::vector<std::string> more) const {
  more.insert(more.begin(), {"deliver", plan_file()});
  Running running(calling(std::move(more)));
  EXPECT_TRUE(eventually([&] { return read_file(path("mock/here")) == "here\n"; }));
  running.send(signal_number);
  return running.wait();
}

DeliveryTest::Delivered DeliveryTest::deliver(std::vector<std::string> more) const {
  std::vector<std::string> args{"deliver", plan_file(), "--json"};
  args.insert(args.end(), more.begin(), more.end());
  const Outcome outcome = capsule_in(args);
  Delivered delivered;
  delivered.exit_code = outcome.exit_code;
  delivered.err = outcome.err;
  for (std::size_t at = 0, end; (end = outcome.out.find('\n', at)) != std::string::npos;
       at = end + 1) {
    auto event = Json::parse(outcome.out.substr(at, end - at), nullptr, false);
    EXPECT_FALSE(event.is_discarded()) << outcome.out.substr(at, end - at);
    delivered.events.push_back(std::move(event));
  }
  if (!delivered.events.empty() && delivered.exit_code < 2) {
    EXPECT_EQ(delivered.events.back()["event"], "run_finished");
  }
  return delivered;
}

DeliveryTest::Delivered DeliveryTest::deliver_killed_at(int point) {
  fs::remove(path("points"));
  env()["CAPSULE_TEST_POINTS"] = path("points");
  env()["CAPSULE_TEST_CRASH_AT"] = std::to_string(point);
  Delivered done = deliver();
  env().erase("CAPSULE_TEST_CRASH_AT");
  env().erase("CAPSULE_TEST_POINTS");
  return done;
}

int DeliveryTest::points() const {
  const std::string text = read_file(path("points"));
  return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
}

std::vector<std::string> DeliveryTest::Delivered::list(const std::string& name) const {
  std::vector<std::string> names;
  if (events.empty() || !events.back().contains(name)) return {"(no such list)"};
  for (const Json& one : events.back()[name]) names.push_back(one.get<std::string>());
  return names;
}

std::vector<Json> DeliveryTest::Delivered::of(const std::string& kind) const {
  std::vector<Json> found;
  for (const Json& event : events)
    if (event["event"] == kind) found.push_back(event);
  return found;
}

Outcome DeliveryTest::git(std::vector<std::string> args) const {
  Call call;
  call.program = "git";
  call.args = std::move(args);
  call.cwd = project_;
  call.env = env_;
  return run(prepared(std::move(call)));
}

std::string DeliveryTest::git_out(std::vector<std::string> args) const {
  std::string out = git(std::move(args)).out;
  while (!out.empty() && out.back() == '\n') out.pop_back();
  return out;
}

std::string DeliveryTest::main_file(const std::string& name) const {
  const Outcome shown = git({"show", "main:" + name});
  return shown.exit_code == 0 ? shown.out : "(missing)";
}

void DeliveryTest::expect_delivered(const std::vector<std::string>& tasks) const {
  const std::string log = git_out({"log", "--first-parent", "--format=%s", "main"});
  for (const std::string& task : tasks) {
    EXPECT_EQ(main_file(task + ".txt"), task + "\n");
    const std::string merge = "Merge " + task + ": ";
    const std::size_t first = log.find(merge);
    EXPECT_NE(first, log.npos) << task << " was not merged: " << log;
    EXPECT_EQ(log.find(merge, first + 1), log.npos) << task << " was merged twice: " << log;
  }
  EXPECT_EQ(git_out({"branch", "--list", "capsule-*"}), "") << "branches are left";
}

std::string DeliveryTest::report_text() const {
  std::string newest;
  for (const auto& entry : fs::directory_iterator(project_ + "/.capsule/logs"))
    if (entry.path().extension() == ".md") newest = std::max(newest, entry.path().string());
  return newest.empty() ? "(no report)" : read_file(newest);
}

}  // namespace capsule::test
