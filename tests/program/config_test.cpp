// capsule config, as a user calls it.

#include "tests/program/harness.h"

namespace capsule::test {
namespace {

class ConfigCommand : public ProgramTest {
 protected:
  Outcome config(std::vector<std::string> args, std::map<std::string, std::string> variables = {}) {
    Call wanted{.args = std::move(args)};
    wanted.args.insert(wanted.args.begin(), "config");
    wanted.env["HOME"] = path("home");
    wanted.env["XDG_CONFIG_HOME"] = std::nullopt;
    for (const char* name : {"PROVIDER", "PHASE_TIMEOUT", "MAX_RETRIES", "TRACKER", "MAIN_BRANCH"})
      wanted.env[std::string("CAPSULE_") + name] = std::nullopt;
    for (const auto& [name, value] : variables) wanted.env[name] = value;
    return call(wanted);
  }
};

TEST_F(ConfigCommand, ShowsEachValueAndWhereItCameFrom) {
  write_file(path("home/.config/capsule/config.yaml"), "provider: mine\n");
  write_file(path("my project/.capsule/config.yaml"), "verify:\n  test: go test ./...\n");
  const Outcome shown = config({"show", "--project-dir=my project"}, {{"CAPSULE_TRACKER", "bd"}});
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_EQ(shown.out.substr(0, 9), "provider ") << shown.out;
  EXPECT_NE(shown.out.find(" mine "), std::string::npos) << shown.out;
  EXPECT_NE(shown.out.find(path("home/.config/capsule/config.yaml:1\n")), std::string::npos);
  EXPECT_NE(shown.out.find("my project/.capsule/config.yaml:2\n"), std::string::npos);
  EXPECT_NE(shown.out.find("  CAPSULE_TRACKER\n"), std::string::npos);
  EXPECT_NE(shown.out.find("  default\n"), std::string::npos);
}

TEST_F(ConfigCommand, ShowsTheSameAsJson) {
  write_file(path(".capsule/config.yaml"), "exclude: [a]\n");
  const Outcome shown = config({"show", "--json"}, {{"CAPSULE_MAX_RETRIES", "7"}});
  const auto json = Json::parse(shown.out);
  EXPECT_EQ(json["exclude"]["value"], Json::array({"a"}));
  EXPECT_EQ(json["exclude"]["from"], "project");
  EXPECT_EQ(json["exclude"]["where"], ".capsule/config.yaml:1");
  EXPECT_EQ(json["max_retries"]["value"], 7);
  EXPECT_EQ(json["max_retries"]["where"], "CAPSULE_MAX_RETRIES");
  EXPECT_EQ(json["main_branch"]["value"], nullptr);
}

TEST_F(ConfigCommand, TellsEveryProblemOnItsOwnLines) {
  write_file(path(".capsule/config.yaml"), "provder: x\nmax_retries: 0\n");
  const Outcome shown = config({"show"});
  EXPECT_EQ(shown.exit_code, 2);
  EXPECT_EQ(shown.out, "");
  EXPECT_EQ(shown.err,
            "capsule: .capsule/config.yaml:1: unknown key 'provder'\n"
            "  did you mean 'provider'?\n"
            "capsule: .capsule/config.yaml:2: max_retries cannot be '0'\n"
            "  it must be a whole number from 1\n");
}

TEST_F(ConfigCommand, UnknownRolesAndPhasesAreToldWithTheNearestName) {
  write_file(
      path(".capsule/config.yaml"),
      "roles: {deveoper: {provider: x}}\n"
      "phases: {darft: {model: m}, draft: {model: m}, mine: {model: m}, plan: {model: m}}\n");
  write_file(path(".capsule/workflows/own.yaml"), "phases:\n  - name: draft\nend: nothing\n");
  write_file(path("prompts/mine.md"), "Do it.\n");
  const Outcome shown = config({"show"});
  EXPECT_EQ(shown.exit_code, 2);
  EXPECT_EQ(shown.err,
            "capsule: .capsule/config.yaml:1: unknown role 'deveoper'\n"
            "  did you mean 'developer'?\n"
            "capsule: .capsule/config.yaml:2: unknown phase 'darft'\n"
            "  did you mean 'draft'?\n");
}

TEST_F(ConfigCommand, UsageErrorsExitWithTwo) {
  EXPECT_EQ(config({}).exit_code, 2);
  EXPECT_EQ(config({"show", "extra"}).exit_code, 2);
  EXPECT_EQ(config({"show", "--nope"}).exit_code, 2);
  EXPECT_EQ(config({"show", "--project-dir=nowhere"}).exit_code, 2);
}

TEST_F(ConfigCommand, ListsTheKeys) {
  EXPECT_NE(config({"keys"}).out.find("verify.timeout\n"), std::string::npos);
  EXPECT_EQ(Json::parse(config({"keys", "--json"}).out)["tracker"]["default"], "auto");
}

}  // namespace
}  // namespace capsule::test
