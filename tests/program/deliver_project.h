// A fresh git project for each test of deliveries, with scripted agents: one program for all roles,
// whose answer depends on its role, its task and how often it was asked. Without a script it does
// what a good agent of that role does. After every test: `git fsck` is clean, and the user's
// checkout shows nothing that main has not.
#pragma once

#include "tests/program/harness.h"

namespace capsule::test {

struct PlanTask {
  std::string id;
  std::string blocked_by = "none";
  std::string files = {};     // empty: <id>.txt
  std::string criteria = {};  // empty: a good one; "-": none
};

// One start of an agent, as it saw it.
struct DeliveryCall {
  std::string prompt;
  std::vector<std::string> args;
  std::map<std::string, std::string> env;
};

class DeliveryTest : public ProgramTest {
 protected:
  void SetUp() override;
  void TearDown() override;

  const std::string& project() const { return project_; }
  std::string plan_file() const { return path(plan_); }
  void use_plan(const std::string& name) { plan_ = name; }
  void write_plan(const std::vector<PlanTask>& tasks) const;
  // The configuration of the project; the provider is the scripted agent unless it says otherwise.
  void configure(const std::string& yaml) const;

  // What the agent of `role` does, from the k-th time it is asked about the task on: lines for
  // /bin/sh that may use $R, $T, `good` (what a good agent does), `ready`. `task` may be empty:
  // any.
  void on(const std::string& role, const std::string& task, int nth,
          const std::string& script) const;
  // How often a role was asked about a task ("none" where it has none).
  int calls(const std::string& role, const std::string& task) const;
  DeliveryCall agent_call(const std::string& role, const std::string& task, int nth) const;

  Call calling(std::vector<std::string> args) const;
  Outcome capsule_in(std::vector<std::string> args) const { return run(calling(std::move(args))); }
  // For an agent: says that it is at work, and stays there.
  static constexpr const char* kStay =
      "echo here >\"$M/here\"; while [ ! -e \"$M/never\" ]; do sleep 0.1; done";
  // deliver PLAN MORE…, and the signal to it as soon as an agent stays.
  Outcome cut_off(int signal_number, std::vector<std::string> more = {}) const;
  // deliver PLAN --json MORE…
  struct Delivered {
    int exit_code = -1;
    std::vector<Json> events;
    std::string err;
    std::vector<std::string> list(const std::string& name) const;  // of the last line
    // Events of a kind.
    std::vector<Json> of(const std::string& kind) const;
  };
  Delivered deliver(std::vector<std::string> more = {}) const;
  // Delivers, and is killed at that point. What it recorded of points is in path("points").
  Delivered deliver_killed_at(int point);
  // How many points the last delivery that recorded them came to.
  int points() const;
  std::map<std::string, std::optional<std::string>>& env() { return env_; }

  Outcome git(std::vector<std::string> args) const;
  std::string git_out(std::vector<std::string> args) const;
  std::string main_file(const std::string& name) const;  // "(missing)" when it is not there
  // Everything a finished plan owes: all complete, each merged once, nothing left over.
  void expect_delivered(const std::vector<std::string>& tasks) const;
  std::string report_text() const;

 private:
  std::string project_;
  std::string plan_ = "PLAN.md";
  std::map<std::string, std::optional<std::string>> env_;
};

#define EXPECT_HAS(text, part) \
  EXPECT_NE((text).find(part), std::string::npos) << "in: " << (text) << "\nexpected: " << (part)
#define EXPECT_LACKS(text, part) EXPECT_EQ((text).find(part), std::string::npos) << "in: " << (text)

}  // namespace capsule::test
