#include "tests/program/project.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

namespace capsule::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kAgent = R"SH(#!/bin/sh
M='@MOCK@'
n=0; [ ! -f "$M/count" ] || read -r n <"$M/count"
n=$((n + 1)); echo "$n" >"$M/count"
C=$M/calls/$n; mkdir -p "$C"
printf '%s\0' "$@" >"$C/args"; env -0 >"$C/env"; printf %s "$PWD" >"$C/cwd"; echo "$$" >"$C/pid"
cat >"$C/stdin"
first=$2
case $first in --*) IFS= read -r first <"$C/stdin" ;; esac
case $first in
  '# Test-Writer Phase'*) P=test-writer ;; '# Test-Review Phase'*) P=test-review ;;
  '# Execute Phase'*) P=execute ;; '# Execute-Review Phase'*) P=execute-review ;;
  '# Sign-Off Phase'*) P=sign-off ;; '# Merge Phase'*) P=merge ;; *) P=unknown ;;
esac
k=0; [ ! -f "$M/count-$P" ] || read -r k <"$M/count-$P"
k=$((k + 1)); echo "$k" >"$M/count-$P"
echo "$P" >"$C/phase"; echo "$P" >>"$M/phases"
say() { printf '{"status":"%s","feedback":"%s","files_changed":[%s],"summary":"did %s"}\n' "$1" "$2" "$3" "$P"; }
work() {
  case $P in
    test-writer) mkdir -p tests; echo 'grep -q done feature.txt' >tests/feature_test.sh
      files='"tests/feature_test.sh"' ;;
    execute) echo done >feature.txt; files='"feature.txt"' ;;
    merge) git add tests feature.txt && git commit -q -m "$CAPSULE_COMMIT_MSG" >&2
      files='"tests/feature_test.sh","feature.txt"' ;;
  esac
}
pass() { work; say PASS fine "$files"; }
files=
j=$k; while [ "$j" -gt 0 ]; do
  [ ! -f "$M/on/$P.$j" ] || { . "$M/on/$P.$j"; exit; }
  j=$((j - 1))
done
pass
)SH";

constexpr const char* kBd = R"SH(#!/bin/sh
M='@MOCK@'
echo "$*" >>"$M/bd-calls"
case $1 in
  version) echo 'bd version 0.49.6 (dev)' ;;
  show) if [ -f "$M/beads/$2.json" ]; then cat "$M/beads/$2.json"
    else echo "Error: no issue found matching \"$2\"" >&2; exit 1; fi ;;
  list) echo '[]' ;;
  close) echo "Closed $2" ;;
esac
)SH";

void install(const std::string& path, std::string text, const std::string& mock) {
  const std::string mark = "@MOCK@";
  text.replace(text.find(mark), mark.size(), mock);
  write_file(path, text);
  fs::permissions(path, fs::perms::owner_all);
}

std::vector<std::string> parts(const std::string& text) {
  std::vector<std::string> result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\0', at);
    result.push_back(text.substr(at, end - at));
    if (end == text.npos) break;
    at = end + 1;
  }
  return result;
}

Json dependency(const std::string& from, const std::string& to, const char* type) {
  return {{"issue_id", from}, {"depends_on_id", to}, {"type", type}};
}

// A line of .beads/issues.jsonl.
Json line_of(const TestBead& bead) {
  Json line{{"id", bead.id},
            {"title", bead.title},
            {"issue_type", bead.type},
            {"status", bead.status},
            {"priority", 2},
            {"description", bead.description},
            {"acceptance_criteria", bead.acceptance},
            {"created_at", "2026-01-01T00:00:00Z"},
            {"updated_at", "2026-01-01T00:00:00Z"},
            {"dependencies", Json::array()}};
  if (!bead.parent.empty())
    line["dependencies"].push_back(dependency(bead.id, bead.parent, "parent-child"));
  for (const std::string& blocker : bead.blocked_by)
    line["dependencies"].push_back(dependency(bead.id, blocker, "blocks"));
  return line;
}

// What `bd show ID --json` prints.
Json bead_json(const TestBead& bead, const std::vector<TestBead>& all) {
  Json one = line_of(bead);
  one["dependencies"] = Json::array();
  if (!bead.parent.empty()) one["parent"] = bead.parent;
  for (const std::string& blocker : bead.blocked_by)
    for (const TestBead& other : all)
      if (other.id == blocker)
        one["dependencies"].push_back({{"id", other.id},
                                       {"title", other.title},
                                       {"status", other.status},
                                       {"dependency_type", "blocks"}});
  return Json::array({one});
}

}  // namespace

std::string join(const std::vector<std::string>& words, const std::string& between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

std::vector<Json> events_of(const std::string& out) {
  std::vector<Json> events;
  for (const std::string& line : lines_of(out)) {
    Json event = Json::parse(line, nullptr, false);
    EXPECT_TRUE(event.is_object()) << "not JSON: " << line;
    events.push_back(std::move(event));
  }
  return events;
}

void ProjectTest::SetUp() {
  ProgramTest::SetUp();
  fs::create_directories(mock("on"));
  fs::create_directories(mock("beads"));
  install(path("bin/claude"), kAgent, mock(""));
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
                           "CAPSULE_TRACKER", "CAPSULE_MAIN_BRANCH", "CAPSULE_REMOTE",
                           "CAPSULE_RUN", "CAPSULE_BEAD", "CAPSULE_COMMIT_MSG"})
    env_.emplace(name, std::nullopt);
}

void ProjectTest::make_project(Way way, const std::string& folder) {
  way_ = way;
  project_ = path(folder);
  fs::create_directories(project_);
  git({"init", "-q", "-b", "main"});
  write_file(project_ + "/README.md", "A project\n");
  write_file(project_ + "/src/code.txt", "code\n");
  if (way == Way::scripts) {
    for (const char* name : {"scripts", "prompts", "templates"})
      fs::copy(std::string(CAPSULE_SOURCE_DIR) + "/" + name, project_ + "/" + name,
               fs::copy_options::recursive);
    install(path("bin/bd"), kBd, mock(""));
  }
  git({"add", "."});
  git({"commit", "-q", "-m", "Start"});
  first_head_ = main_head();
  set_beads(
      {{"demo-1", "The epic", "epic", "open", "Epic goal"},
       {"demo-1.1", "The feature", "feature", "open", "Feature goal", "", "demo-1"},
       {kBead, "Make it work", "task", "open", "Task description", "- It works", "demo-1.1"}});
}

void ProjectTest::TearDown() {
  if (has_repository_ && !project_.empty()) {
    const Outcome fsck = git({"fsck", "--strict", "--no-dangling"});
    EXPECT_EQ(fsck.exit_code, 0) << fsck.out << fsck.err;
    std::vector<std::string> status;
    for (const std::string& line : lines_of(git({"status", "--porcelain"}).out))
      if (line != "?? .beads/") status.push_back(line);
    EXPECT_EQ(status, announced_) << "the user's checkout is not as it was";
  }
  ProgramTest::TearDown();
}

std::string ProjectTest::worktree(std::string_view bead) const {
  return project_ + "/.capsule/worktrees/" + std::string(bead);
}
std::string ProjectTest::archive(std::string_view bead) const {
  return project_ + "/.capsule/logs/" + std::string(bead);
}

Call ProjectTest::calling(const std::string& command, std::vector<std::string> args) const {
  Call call{.args = std::move(args), .env = env_, .cwd = project_};
  if (way_ == Way::binary)
    call.args.insert(call.args.begin(), command);
  else
    call.program = project_ + "/scripts/" + (command == "run" ? "run-pipeline" : command) + ".sh";
  return prepared(std::move(call));
}

Outcome ProjectTest::run_bead(std::vector<std::string> more) const {
  more.insert(more.begin(), kBead);
  return command("run", std::move(more));
}

void ProjectTest::on(const std::string& phase, const std::string& script) { on(phase, 1, script); }
void ProjectTest::on(const std::string& phase, int nth, const std::string& script) {
  write_file(mock("on/" + phase + "." + std::to_string(nth)), script + "\n");
}

std::vector<std::string> ProjectTest::phases() const { return lines_of(read_file(mock("phases"))); }

std::vector<AgentCall> ProjectTest::agent_calls() const {
  std::vector<AgentCall> calls;
  for (int n = 1;; ++n) {
    const std::string folder = mock("calls/" + std::to_string(n)) + "/";
    if (!fs::exists(folder)) return calls;
    AgentCall call{lines_of(read_file(folder + "phase") + " ").front(),
                   parts(read_file(folder + "args")),
                   {},
                   read_file(folder + "cwd"),
                   read_file(folder + "stdin"),
                   lines_of(read_file(folder + "pid") + " ").front()};
    for (const std::string& entry : parts(read_file(folder + "env")))
      call.env.emplace(entry.substr(0, entry.find('=')), entry.substr(entry.find('=') + 1));
    calls.push_back(std::move(call));
  }
}

void ProjectTest::set_beads(const std::vector<TestBead>& beads) {
  if (way_ == Way::binary) {
    std::string text;
    for (const TestBead& bead : beads) text += line_of(bead).dump() + "\n";
    write_file(project_ + "/.beads/issues.jsonl", text);
    return;
  }
  for (const TestBead& bead : beads)
    write_file(mock("beads/" + bead.id + ".json"), bead_json(bead, beads).dump(2) + "\n");
}

bool ProjectTest::is_closed(std::string_view bead) const {
  if (way_ == Way::scripts) {
    const auto calls = bd_calls();
    return std::find(calls.begin(), calls.end(), "close " + std::string(bead)) != calls.end();
  }
  for (const std::string& line : lines_of(read_file(project_ + "/.beads/issues.jsonl"))) {
    const Json one = Json::parse(line, nullptr, false);
    if (one.is_object() && one.value("id", "") == bead) return one.value("status", "") == "closed";
  }
  return false;
}

std::vector<std::string> ProjectTest::bd_calls() const {
  return lines_of(read_file(mock("bd-calls")));
}

Outcome ProjectTest::git(std::vector<std::string> args, const std::string& folder) const {
  return call({.args = std::move(args),
               .env = env_,
               .cwd = folder.empty() ? project_ : folder,
               .program = "git"});
}

std::string ProjectTest::git_out(std::vector<std::string> args, const std::string& folder) const {
  Outcome outcome = git(std::move(args), folder);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  while (outcome.out.ends_with('\n')) outcome.out.pop_back();
  return outcome.out;
}

void ProjectTest::commit_file(const std::string& name, const std::string& text) {
  write_file(project_ + "/" + name, text);
  git_out({"add", name});
  git_out({"commit", "-q", "-m", "Change " + name});
}

void ProjectTest::configure(const std::string& yaml) const {
  write_file(project_ + "/.capsule/config.yaml", yaml);
  write_file(project_ + "/.git/info/exclude", ".capsule/\n");
}

void ProjectTest::configure_gates(const std::string& more) const {
  configure("verify: {test: \"! test -e tests || sh tests/feature_test.sh\"}\n" + more);
}

std::vector<std::string> ProjectTest::logs_in(const std::string& folder) const {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename();
    if (name.ends_with(".log") || name.ends_with(".log.stderr")) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

void ProjectTest::expect_untouched() {
  EXPECT_EQ(main_head(), first_head_);
  EXPECT_EQ(lines_of(git_out({"worktree", "list", "--porcelain"})).size(), 3U);
  EXPECT_FALSE(fs::exists(worktree()));
  EXPECT_FALSE(is_closed());
}

}  // namespace capsule::test
