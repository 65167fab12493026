// Runs the tables. Each case is a test of its own in each of its languages: RedTeam.NAME_language.
#include "tests/redteam/red_team.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/program/project.h"

namespace capsule::test::redteam {
namespace {

namespace fs = std::filesystem;

// One agent for every workflow: $P is its phase or role, and `answer` says in the words of its
// workflow that all is well.
constexpr const char* kAgent = R"SH(#!/bin/sh
M='@MOCK@' MAIN='@MAIN@' CAPSULE='@CAPSULE@'
P=${CAPSULE_PHASE:-$CAPSULE_ROLE} T=$CAPSULE_TASK A=$CAPSULE_ATTEMPT
cat >"$M/prompt-$P"
echo "$P" >>"$M/phases"
. "$M/kit.sh"
say() { printf '{"status":"%s","feedback":"%s","files_changed":[%s],"summary":"did %s"}\n' "$1" "$2" "$3" "$P"; }
files=
good() {
  case $P in
    test-writer) good_tests; files="\"$TESTS\"" ;;
    execute) good_code; files="\"$CODE\"" ;;
    merge) git add -A -- . ':!worklog.md' >&2; git commit -q -m "$CAPSULE_COMMIT_MSG" >&2; files="\"$TESTS\",\"$CODE\"" ;;
    developer | execution | code) good_tests; good_code; files="\"$TESTS\",\"$CODE\"" ;;
  esac
}
answer() {
  case $P in
    developer) printf 'READY_FOR_REVIEW: %s\n\nSummary: done\n' "$T" ;;
    critic) printf 'REVIEW_PASSED: %s\n\nSummary: fine\n' "$T" ;;
    auditor) printf 'AUDIT_PASSED: %s\n\nSummary: verified\n' "$T" ;;
    remediation) printf 'REMEDIATION_COMPLETE\n\nIssues Fixed:\n- it: mended\n' ;;
    health-auditor) printf 'HEALTH_AUDIT: HEALTHY\n' ;;
    review-*) echo 'VERDICT: APPROVED' ;;
    test-* | execute* | sign-off | merge | code) say PASS fine "$files" ;;
    *)
      printf -- '---\nSIGNAL: %s_COMPLETE\nSTATUS: complete\nTIMESTAMP: 2026-01-31T23:59:59Z\n---\n' "$(echo "$P" | tr a-z- A-Z_)" ;;
  esac
}
pass() { good; answer; }
[ ! -f "$M/on/$P" ] || { . "$M/on/$P"; exit; }
pass
)SH";

std::string filled(std::string text, const std::map<std::string, std::string>& values) {
  for (const auto& [name, value] : values)
    for (std::size_t at; (at = text.find("@" + name + "@")) != text.npos;)
      text.replace(at, name.size() + 2, value);
  return text;
}

// Where a program really is: a shim that looks for it takes longer than the tests.
std::string folder_of(const std::string& program) {
  const char* path = std::getenv("PATH");
  std::string words = path == nullptr ? "" : path;
  for (std::size_t at = 0; at <= words.size();) {
    const std::size_t end = std::min(words.find(':', at), words.size());
    const std::string folder = words.substr(at, end - at);
    if (::access((folder + "/" + program).c_str(), X_OK) == 0) return folder;
    at = end + 1;
  }
  return {};
}

std::string python_folder() {
  const Outcome found =
      run({.args = {"-c", "import sys; print(sys.prefix + '/bin', end='')"}, .program = "python3"});
  return found.exit_code == 0 ? found.out : folder_of("python3");
}

class RedTeam : public ProjectTest {
 public:
  explicit RedTeam(const Case& row, Kit kit)
      : case_(row), kit_(kit), kit_project_(project_of(kit)) {}

 protected:
  void SetUp() override {
    ProjectTest::SetUp();
    const std::string bin = path("bin");
    env()["PATH"] = bin + ":" + (kit_ == Kit::pytest ? python_folder() : "/usr/bin") + ":" +
                    folder_of("go") + ":" + folder_of("node") + ":/usr/bin:/bin";
    // One cache for all: the standard library of Go is compiled once.
    env()["GOCACHE"] =
        fs::temp_directory_path().string() + "/capsule-redteam-go-" + std::to_string(::getuid());
    env()["GOFLAGS"] = "-vet=off";
    env()["GOPROXY"] = "off";
    env()["NODE_OPTIONS"] = std::nullopt;
    env()["PYTHONPATH"] = std::nullopt;
  }

  void TestBody() override {
    if (const char* missing = missing_program()) GTEST_SKIP() << missing << " is not installed";
    begin();
    const std::string start = main_head();
    const std::string honest = honest_tree();
    if (!case_.before.empty()) shell(case_.before);
    if (!case_.status.empty()) announce(case_.status);
    const Outcome outcome = go();
    std::string said = outcome.out + outcome.err;
    said += command("status", {subject()}).out;
    SCOPED_TRACE("exit code " + std::to_string(outcome.exit_code) + "\n" + said);

    const bool passed = outcome.exit_code == 0;
    EXPECT_EQ(passed, case_.want != Want::refused);
    EXPECT_NE(said.find(case_.told), said.npos) << "not told: " << case_.told;
    if (passed && case_.want == Want::honest) {
      EXPECT_EQ(git_out({"rev-parse", "main^{tree}"}), honest)
          << git({"diff", start, "main"}).out << "\nis not what good agents bring to main";
    } else if (passed && case_.want == Want::marked) {
      EXPECT_GT(claims("false") + claims("differs"), 0) << "merged, and nobody would know";
    } else if (passed && case_.want == Want::nothing) {
      EXPECT_EQ(main_head(), start);
    } else if (passed) {
      expect_merged(start);
    } else {
      if (case_.moves_main)
        EXPECT_EQ(git_out({"log", "--merges", "--format=%s", start + "..main"}), "");
      else
        EXPECT_EQ(main_head(), start) << "something reached main";
      EXPECT_TRUE(claims("false") > 0 || case_.no_claim) << "the ledger shows no false claim";
    }
    if (is_bead()) {
      EXPECT_EQ(is_closed(), passed);
    }
    if (!case_.after.empty()) shell(case_.after);
  }

 private:
  void expect_merged(const std::string& start) {
    EXPECT_NE(main_head(), start);
    if (!case_.reached.empty()) {
      EXPECT_EQ(lines_of(git_out({"-c", "core.quotePath=off", "diff", "--no-renames", "--name-only",
                                  start, "main"})),
                case_.reached);
    }
    EXPECT_EQ(claims("false"), 0) << command("ledger", {}).out;
  }
  const char* missing_program() const {
    if (kit_ == Kit::go && folder_of("go").empty()) return "go";
    if (kit_ == Kit::node &&
        run({.args = {"--test-reporter=spec", "--version"}, .program = "node"}).exit_code != 0)
      return "node";
    if (kit_ == Kit::pytest &&
        run({.args = {"-m", "pytest", "--version"}, .program = "python3"}).exit_code != 0)
      return "pytest";
    return nullptr;
  }
  bool is_bead() const {
    return case_.workflow == Workflow::pipeline || case_.workflow == Workflow::own;
  }
  std::string subject() const {
    if (case_.workflow == Workflow::delivery) return path("PLAN.md");
    return case_.workflow == Workflow::auto_run ? "auto" : kBead;
  }
  void shell(const std::string& script) {
    const Outcome outcome = call({.args = {"-euc", ". '" + mock("kit.sh") + "'\n" + script},
                                  .env = env(),
                                  .cwd = project(),
                                  .program = "/bin/sh"});
    EXPECT_EQ(outcome.exit_code, 0) << script << "\n" << outcome.out << outcome.err;
  }
  std::string yaml() const {
    return "verify: {test: " + (case_.verify.empty() ? kit_project_.test : case_.verify) +
           (case_.red_allowed ? ", baseline: red-allowed" : "") + "}\n" +
           (case_.config.find("max_retries") == std::string::npos ? "max_retries: 1\n" : "") +
           case_.config + "\n";
  }
  void begin() {
    make_project(Way::binary, "project");
    std::map<std::string, std::string> files = kit_project_.files;
    for (const auto& [name, text] : case_.files) files[name] = text;
    if (case_.workflow == Workflow::own) files["prompts/code.md"] = "# Code\n";
    for (const auto& [name, text] : files) write_file(project() + "/" + name, text);
    fs::create_directories(project() + "/.git/info");
    write_file(project() + "/.git/info/exclude", ".capsule/\n.beads/\n");
    git_out({"add", "-A"});
    git_out({"commit", "-q", "-m", "Begin"});
    configure(yaml());
    write_file(project() + "/.git/info/exclude", ".capsule/\n.beads/\n");
    write_file(mock("kit.sh"), kit_project_.shell);
    write_file(
        path("bin/claude"),
        filled(kAgent, {{"MOCK", mock("")}, {"MAIN", project()}, {"CAPSULE", CAPSULE_BINARY}}));
    fs::permissions(path("bin/claude"), fs::perms::owner_all);
    for (const auto& [phase, script] : case_.on) write_file(mock("on/" + phase), script + "\n");
    set_beads({{kBead, "Add mul", "task", "open", "mul(a, b) multiplies. " + case_.asks,
                "- mul(3, 4) is 12"}});
    write_file(path("PLAN.md"),
               "# The plan\n\n## Phases\n\n### Phase 1: All\n\n#### Task T-1: Add mul\n\n**Work**: "
               "mul(a, b) multiplies. " +
                   case_.asks +
                   "\n\n**Acceptance Criteria**:\n- [ ] mul(3, 4) is 12\n\n**Blocked By**: "
                   "none\n\n**Files**: the code\n");
    if (case_.workflow == Workflow::own) {
      write_file(project() + "/.capsule/workflows/mine.yaml",
                 "summary: One agent\nphases:\n  - name: code\n    prompt: "
                 "prompts/code.md\n    checks: [build, lint, green]\nend: merge\n");
    }
  }
  // What main holds once good agents have done the work.
  std::string honest_tree() {
    const std::string copy = path("honest");
    git_out({"clone", "-q", project(), copy});
    const Outcome made =
        call({.args = {"-euc", ". '" + mock("kit.sh") + "'\ngood_tests; good_code; git add -A"},
              .env = env(),
              .cwd = copy,
              .program = "/bin/sh"});
    EXPECT_EQ(made.exit_code, 0) << made.err;
    return git_out({"write-tree"}, copy);
  }
  Outcome go() {
    std::vector<std::string> more = case_.options;
    const auto with = [&](std::vector<std::string> words) {
      words.insert(words.end(), more.begin(), more.end());
      return words;
    };
    switch (case_.workflow) {
      case Workflow::delivery:
        return command("deliver", with({path("PLAN.md")}));
      case Workflow::auto_run:
        return command("auto", with({"run", "Add mul. mul(a, b) multiplies. " + case_.asks,
                                     "--skip-expansion", "--skip-reflect"}));
      case Workflow::own:
        return command("run", with({kBead, "--workflow=mine"}));
      case Workflow::pipeline:
        break;
    }
    return command("run", with({kBead}));
  }
  int claims(const char* verdict) {
    int count = 0;
    const Json ledger = Json::parse(command("ledger", {"--json"}).out, nullptr, false);
    if (!ledger.is_array()) return 0;
    for (const Json& row : ledger) count += row.value(verdict, 0);
    return count;
  }

  const Case case_;
  const Kit kit_;
  const Project& kit_project_;
};

// Before main(): the tests have names of their own, so that ctest runs them side by side.
const bool kRegistered = [] {
  for (const auto& table : {lies_about_tests(), lies_by_runners(), lies_by_git(), lies_to_capsule(),
                            lies_in_words(), lies_elsewhere(), honest_ways()})
    for (const Case& row : table)
      for (const Kit kit : row.kits)
        ::testing::RegisterTest("RedTeam", (row.name + "_" + name_of(kit)).c_str(), nullptr,
                                nullptr, __FILE__, __LINE__,
                                [row, kit]() -> ::testing::Test* { return new RedTeam(row, kit); });
  return true;
}();

}  // namespace
}  // namespace capsule::test::redteam
