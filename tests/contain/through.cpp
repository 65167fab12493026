// Whole runs of Capsule in the lab: its agents and checks are the program that tries to get out.
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "tests/contain/parts.h"

namespace capsule::test::contain {
namespace {

constexpr const char* kAgent = "/srv/agent";
constexpr const char* kPlan = "/home/ada/plan.md";
constexpr int kPatience = 60'000;  // ms without a word of the run
// The same of a run without walls whose attempts are all made: they may well have hurt it so much
// that it never comes to its end, and what they did can be seen by then.
constexpr int kPatienceWithHurt = 2'000;
constexpr int kLook = 100;  // ms

// One program for all roles of all workflows: who is asked for makes the attempts, and then
// everybody does what a good agent does.
constexpr const char* kScript = R"SH(#!/bin/sh
cat >/dev/null
P=$CAPSULE_ROLE
case $P in
  execute | developer | execution) who=writer ;;
  execute-review | critic | review-security) who=reviewer ;;
  *) who=nobody ;;
esac
case '@ROLES@' in *" $who "*) @ATTEMPT@ >>/home/ada/said/$who 2>&1 ;; esac
say() { printf '{"status":"PASS","feedback":"fine","files_changed":[%s],"summary":"s"}\n' "$1"; }
complete() {
  printf -- '---\nSIGNAL: %s_COMPLETE\nSTATUS: complete\nTIMESTAMP: 2026-01-31T23:59:59Z\n---\n' \
    "$(echo "$P" | tr a-z A-Z)"
}
case $P in
  test-writer) mkdir -p tests; echo 'grep -q done feature.txt' >tests/feature_test.sh
    say '"tests/feature_test.sh"' ;;
  execute) echo done >feature.txt; say '"feature.txt"' ;;
  merge) git add tests feature.txt && git commit -q -m "$CAPSULE_COMMIT_MSG" >&2
    say '"tests/feature_test.sh","feature.txt"' ;;
  test-review | execute-review | sign-off) say '' ;;
  developer) echo own >feature.txt; printf 'READY_FOR_REVIEW: own\n\nSummary: done\n' ;;
  critic) printf 'REVIEW_PASSED: own\n\nSummary: fine\n' ;;
  auditor) printf 'AUDIT_PASSED: own\n\nSummary: verified\n' ;;
  health-auditor) printf 'HEALTH_AUDIT: HEALTHY\n' ;;
  review-*) echo 'VERDICT: APPROVED' ;;
  execution) echo hello >feature.txt; complete ;;
  *) complete ;;
esac
)SH";

constexpr const char* kPlanText =
    "# The plan\n\n## Overview\n\nFiles.\n\n## Phases\n\n### Phase 1: All\n\n"
    "#### Task own: Write feature.txt\n\n**Work**: Write `feature.txt`.\n\n"
    "**Acceptance Criteria**:\n- [ ] feature.txt holds own\n\n**Blocked By**: none\n\n"
    "**Files**: feature.txt\n\n---\n\n";

constexpr const char* kWorkflow =
    "phases:\n  - {name: execute}\n  - {name: execute-review, write: false}\nend: nothing\n";

constexpr const char* kBead =
    R"({"id":"own","title":"The feature","issue_type":"task","status":"open","priority":2,)"
    R"("description":"Write it","acceptance_criteria":"It is there",)"
    R"("created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-01T00:00:00Z","dependencies":[]})"
    "\n";

void replace(std::string& text, const std::string& mark, const std::string& by) {
  const std::size_t at = text.find(mark);
  text.replace(at, mark.size(), by);
}

std::string attempting(const Lab& lab, const std::vector<std::string>& ids) {
  std::string line = "./tools/attempt";
  for (const auto& [name, value] : lab.values) line += " '" + name + "=" + value + "'";
  for (const std::string& id : ids) line += " " + id;
  return line;
}

// In the user's own file; what all may write is for what they say alone.
std::string settings(const Lab& lab, const Through& run, const std::vector<std::string>& ids) {
  const std::string port = ":" + std::to_string(kAllowed);
  const bool real = !run.client.empty();
  std::string text =
      "tracker: native\nintegrate: branch\nprovider: " + std::string(real ? "claude" : "lab") +
      "\nproviders: {lab: {command: [" + std::string(kAgent) + "]}}\ncontain:\n  preset: \"" +
      run.preset + (real && run.preset != "off" ? "\"\n  broker: \"true" : "") +
      "\"\n  write: [/home/ada/said]\n  read: [/srv/p11-setuid]\n";
  if (run.preset == "strict")
    text += "  allow: [\"allowed.lab" + port + "\", \"" + kOtherHost + port +
            "\", \"rebound.lab:" + std::to_string(kTcp) + "\"]\n";
  text +=
      "verify:\n  baseline: red-allowed\n  test: '! test -e tests || sh tests/feature_test.sh'\n";
  if (std::find(run.roles.begin(), run.roles.end(), Role::gate) != run.roles.end())
    text += "  build: sh -c \"" + attempting(lab, ids) + " >>/home/ada/said/gate 2>&1; true\"\n";
  return text;
}

std::vector<std::string> words_of(const Through& run) {
  if (!run.client.empty()) return {kCapsule, "run", "own", "--workflow=real"};
  switch (run.workflow) {
    case Workflow::pipeline:
      return {kCapsule, "run", "own"};
    case Workflow::delivery:
      return {kCapsule, "deliver", kPlan};
    case Workflow::automatic:
      break;
  }
  return {kCapsule, "auto", "run", "Write the feature"};
}

// As a careless user starts it: with secrets in the environment and files left open.
[[noreturn]] void become_capsule(const Lab& lab, const Through& run, int output) {
  must(chdir(lab.at("project").c_str()) == 0, "project");
  const int log = open(lab.log().c_str(), O_WRONLY | O_APPEND);
  must(dup2(lab.terminal, STDIN_FILENO) == 0 && dup2(output, STDOUT_FILENO) == 1, "output");
  must(dup2(log, STDERR_FILENO) == 2, "errors");
  const int file = open(lab.home("left-open.txt").c_str(), O_RDONLY);
  const int folder = open(lab.at("home").c_str(), O_RDONLY | O_DIRECTORY);
  must(dup2(file, 77) == 77 && dup2(folder, 78) == 78, "descriptors");
  clearenv();
  std::vector<std::pair<const char*, std::string>> variables = {
      {"PATH", "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"},
      {"HOME", lab.at("home")},
      {"GITHUB_TOKEN", lab.secret("github")},
      {"AWS_SECRET_ACCESS_KEY", lab.secret("aws-key")},
      {"SSH_AUTH_SOCK", lab.at("agent_socket")},
      {"LANG", "C.UTF-8"}};
  if (!run.client.empty()) {
    variables[0].second += ":/srv";
    variables.insert(variables.end(), {{"ANTHROPIC_BASE_URL", lab.service},
                                       {"ANTHROPIC_API_KEY", lab.secret("model-key")},
                                       {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"},
                                       {"SHELL", "/bin/bash"},
                                       {"IS_SANDBOX", "1"}});
    // Without walls the user's settings, which are no more than secrets here, would be read.
    if (run.preset == "off") variables.emplace_back("CLAUDE_CONFIG_DIR", lab.home("client"));
  }
  for (const auto& [name, value] : variables) setenv(name, value.c_str(), 1);
  if (!run.without.empty()) setenv("CAPSULE_TEST_WITHOUT", run.without.c_str(), 1);
  std::vector<std::string> words = words_of(run);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  execv(argv[0], argv.data());
  throw Trouble{"no " + words[0]};
}

// Gives its address.
std::string started_service(const Lab& lab, const Through& run, const std::string& attempts) {
  int ends[2];
  must(pipe2(ends, O_CLOEXEC) == 0, "pipe");
  start_as_user(lab, [&] {
    const std::string address = run.service(attempts);
    must(write(ends[1], address.data(), address.size()) > 0, "the service");
    close(ends[1]);
    for (;;) pause();
  });
  close(ends[1]);
  char address[256];
  const ssize_t size = read(ends[0], address, sizeof address);
  close(ends[0]);
  must(size > 0, "the service");
  return {address, static_cast<std::size_t>(size)};
}

bool has_finished(const Lab& lab, Role role) {
  return text_of(lab.home("said/") + name_of(role)).ends_with("=== done\n");
}

// Until the run has something to say, or there is no use in waiting for it any longer.
bool speaks(const Lab& lab, const Through& run, int output) {
  pollfd ready{output, POLLIN, 0};
  for (int waited = 0; waited < kPatience; waited += kLook) {
    if (poll(&ready, 1, kLook) > 0) return true;
    if (run.preset == "off" && waited >= kPatienceWithHurt &&
        std::all_of(run.roles.begin(), run.roles.end(),
                    [&](Role role) { return has_finished(lab, role); }))
      return false;
  }
  return false;
}

}  // namespace

void make_run(Lab& lab, const Through& run, const std::vector<std::string>& ids) {
  std::string script = kScript;
  std::string roles = " ";
  for (const Role role : run.roles) roles += std::string(name_of(role)) + " ";
  replace(script, "@ROLES@", roles);
  replace(script, "@ATTEMPT@", attempting(lab, ids));
  put(kAgent, script, 0755);
  user_does(lab, [&] {
    mkdir(lab.home("said").c_str(), 0755);
    put(lab.home(".config/capsule/config.yaml"), settings(lab, run, ids));
    put(lab.project(".beads/issues.jsonl"), kBead);
    put(kPlan, kPlanText);
    if (run.service) put(lab.project(".capsule/workflows/real.yaml"), kWorkflow);
  });
  if (run.service) lab.service = started_service(lab, run, attempting(lab, ids));
}

// Below a process of the user that answers as long as it lives.
Ran run_all(Lab& lab, const Through& run) {
  make_terminal(lab);
  int ends[2];
  must(pipe2(ends, O_CLOEXEC) == 0, "pipe");
  make_victim(lab, "guardian", {}, [&] {
    // One more process waits for it, and says how it ended; the guardian goes on answering.
    if (fork() == 0) {
      const pid_t child = fork();
      if (child == 0) become_capsule(lab, run, ends[1]);
      int status = -1;
      waitpid(child, &status, 0);
      const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      dprintf(ends[1], "\nended with %d\n", code);
      _exit(0);
    }
    close(ends[1]);
  });
  close(ends[1]);
  Ran ran;
  // Not until everybody has closed it: who got out may hold it for ever.
  char part[65536];
  std::size_t end = ran.printed.npos;
  while (end == ran.printed.npos && speaks(lab, run, ends[0])) {
    const ssize_t size = read(ends[0], part, sizeof part);
    if (size <= 0) break;
    ran.printed.append(part, static_cast<std::size_t>(size));
    end = ran.printed.rfind("\nended with ");
  }
  close(ends[0]);
  if (end != ran.printed.npos) ran.code = std::stoi(ran.printed.substr(end + 12));
  ran.printed += text_of(lab.log());
  for (const Role role : run.roles) {
    if (has_finished(lab, role)) ran.finished.emplace_back(name_of(role));
    ran.said += text_of(lab.home("said/") + name_of(role));
  }
  return ran;
}

}  // namespace capsule::test::contain
