// What the gates cost by themselves in a phase: the looks at the ground before and after its agent,
// and a check whose commands have seen these files. The git calls that it needs are taken off.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "benchmarks/rows.h"
#include "gate/gates.h"
#include "git/repository.h"
#include "process/command.h"
#include "process/tree.h"
#include "world/ground.h"

namespace capsule::bench {
namespace {

namespace fs = std::filesystem;

std::string git_in(const std::string& folder, std::vector<std::string> words) {
  process::Spec spec;
  words.insert(words.begin(), "git");
  spec.argv = std::move(words);
  spec.cwd = folder;
  const auto output = process::run(spec);
  if (!output || !output->ok()) std::abort();
  return output->out.substr(0, output->out.find('\n'));
}

// A project of 5,000 files with three commits: as it was, with tests, with the work.
struct GateProject {
  GateProject() {
    std::string pattern = (fs::temp_directory_path() / "capsule-bench-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) std::abort();
    at = pattern;
    git_in(at, {"init", "-q", "-b", "main"});
    git_in(at, {"config", "user.name", "Bench"});
    git_in(at, {"config", "user.email", "bench@localhost"});
    for (int i = 0; i < 5000; ++i) {
      const std::string folder = at + "/part" + std::to_string(i / 50);
      if (i % 50 == 0) fs::create_directories(folder);
      std::ofstream(folder + "/file" + std::to_string(i) + ".py") << "x = 1\n";
    }
    base = commit("start");
    std::ofstream(at + "/test_work.py") << "import unittest\n";
    tests = commit("tests");
    std::ofstream(at + "/part0/file0.py") << "x = 2\n";
    work = commit("work");
  }
  ~GateProject() { fs::remove_all(at); }
  GateProject(const GateProject&) = delete;
  GateProject& operator=(const GateProject&) = delete;
  std::string commit(const std::string& message) const {
    git_in(at, {"add", "-A"});
    git_in(at, {"commit", "-q", "-m", message});
    return git_in(at, {"rev-parse", "HEAD"});
  }
  std::string at, base, tests, work;
};

double gates_beyond_git() {
  const GateProject project;
  const auto repository = git::open_repository(project.at);
  const auto loop = process::Loop::create({.guardian = CAPSULE_BINARY});
  if (!repository || !loop) std::abort();
  gate::Verify verify;
  verify.add("test", {{"true"}, ""});
  gate::Verdict passed;
  passed.tests = gate::TestReport{{{"test_work::test_a", gate::TestState::passed}}};
  world::GroundParts parts;
  parts.repository = *repository;
  world::GroundWatch ground(parts);
  ground.look({});
  const auto phase = [&] {
    if (!ground.look_before({}).empty() || !ground.look({1}).empty()) std::abort();
    gate::Checks checks(**loop, verify);
    gate::Seen seen("", verify, "");
    seen.put({project.base, true}, passed);
    seen.put({project.work, false}, passed);
    gate::Gates gates(
        gate::world_of(*repository, checks, {},
                       [&](const std::string&) -> Result<std::string> { return project.at; }),
        seen);
    workflow::Check check;
    check.tree = "tree";
    check.names = {"tests-untouched", "green"};
    check.base = project.base;
    check.previous = check.tests = project.tests;
    check.commit = project.work;
    bool checked = false;
    gates.check(check, [&](const workflow::Observation& observation) {
      checked = std::holds_alternative<workflow::Checked>(observation);
    });
    if (!checked) std::abort();
  };
  const auto by_git = [&] {
    for (const auto& [from, to] : {std::pair(project.base, project.tests),
                                   {project.tests, project.work},
                                   {project.base, project.work}})
      git_in(project.at, {"diff-tree", "-r", "-z", "-M", from, to});
    git_in(project.at, {"cat-file", "blob", project.work + ":part0/file0.py"});
  };
  // An agent takes longer than this: its checkout's folders were made some time ago.
  std::this_thread::sleep_for(std::chrono::milliseconds(2100));
  phase(), by_git();
  std::vector<double> differences;
  const auto ms = [](const auto& work) {
    const auto began = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began)
        .count();
  };
  for (int i = 0; i < 31; ++i) {
    const double first = ms(phase);
    differences.push_back(first - ms(by_git));
  }
  std::nth_element(differences.begin(), differences.begin() + 15, differences.end());
  return differences[15];
}

const Rows kGates([] {
  add_figure({"gates: of a phase in 5,000 files, beyond git's calls and the checks", "ms", 10,
              false, gates_beyond_git});
});

}  // namespace
}  // namespace capsule::bench
