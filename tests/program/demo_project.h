// Tests in a fresh demo project, without bd and with nothing of the caller's configuration.
#pragma once

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <filesystem>

#include "tests/program/harness.h"

namespace capsule::test {

class DemoProject : public ProgramTest {
 protected:
  // The end of a scripted agent for auto mode, where `complete` prints the signal of its phase.
  static constexpr const char* kGoodInAuto = R"(
case $CAPSULE_PHASE in
  review-*) echo "VERDICT: APPROVED" ;;
  execution) echo hello > greeting.txt; complete ;;
  *) complete ;;
esac
)";
  std::map<std::string, std::optional<std::string>> environment() const {
    return {{"PATH", path("bin") + ":/usr/local/go/bin:/usr/local/bin:/usr/bin:/bin"},
            {"HOME", path("home")},
            {"XDG_CONFIG_HOME", std::nullopt},
            {"XDG_STATE_HOME", std::nullopt},
            {"CAPSULE_TRACKER", std::nullopt},
            {"CAPSULE_PROVIDER", std::nullopt},
            {"GOCACHE", std::nullopt},
            {"NO_COLOR", "1"},
            {"IS_SANDBOX", "1"}};
  }
  // In the project, if it was made.
  Call in_project(std::vector<std::string> args) const {
    return prepared({.args = std::move(args),
                     .env = environment(),
                     .cwd = project_.empty() ? dir() : project_});
  }
  Outcome in(std::vector<std::string> args) const { return run(in_project(std::move(args))); }
  Outcome git(std::vector<std::string> args) const {
    Call call = in_project(std::move(args));
    call.program = "git";
    return run(call);
  }
  void make_project() {
    const Outcome made = in({"setup-template", path("project")});
    ASSERT_EQ(made.exit_code, 0) << made.err;
    project_ = path("project");
  }
  const std::string& project() const { return project_; }
  bool has(std::string_view file) const {
    return std::filesystem::exists(project_ + "/" + std::string(file));
  }

  void program(const std::string& name, const std::string& script) const {
    write_file(path("bin/" + name), "#!/bin/bash\n" + script);
    chmod(path("bin/" + name).c_str(), 0755);
  }
  // claude in auto mode, that does its work and says so. `before`: what it does first.
  void auto_agent(const std::string& before = "") const {
    program("claude", before + R"(
complete() {
  printf -- '---\nSIGNAL: %s_COMPLETE\nSTATUS: complete\nTIMESTAMP: 2026-01-31T23:59:59Z\n---\n' \
    "${CAPSULE_PHASE^^}"
}
)" + kGoodInAuto);
  }
  // An agent that answers at once, whatever it is asked.
  void agent(const std::string& status, const std::string& before = "") const {
    program("claude", before + "\necho 'the agent speaks'\necho '{\"status\":\"" + status +
                          "\",\"feedback\":\"f\",\"files_changed\":[],\"summary\":\"s\"}'\n");
  }

 private:
  std::string project_;
};

}  // namespace capsule::test
