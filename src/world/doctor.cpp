#include "world/doctor.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <set>

#include "agent/provider.h"
#include "base/enum_count.h"
#include "base/files.h"
#include "base/ids.h"
#include "base/listed.h"
#include "base/text.h"
#include "engine/run.h"
#include "git/branch.h"
#include "process/command.h"
#include "task/bd_tracker.h"
#include "task/native_store.h"
#include "world/client_findings.h"
#include "world/contain_findings.h"
#include "world/programs.h"
#include "world/provider_states.h"
#include "world/providers.h"
#include "world/setup.h"
#include "world/untold.h"
#include "world/verify_proposal.h"

namespace capsule::world {
namespace {

namespace fs = std::filesystem;

void add(Findings& to, Findings more) {
  std::move(more.begin(), more.end(), std::back_inserter(to));
}

// merge-tree --write-tree, by which conflicts are found before anything is touched, came with 2.38.
Finding check_git() {
  const auto output = process::run({.argv = {"git", "--version"}});
  if (!output) return {Health::bad, "git", "git is not installed", {installed_by("git")}};
  int major = 0, minor = 0;
  const std::string version(trimmed(output->out));
  if (std::sscanf(version.c_str(), "git version %d.%d", &major, &minor) != 2)
    return {Health::doubtful, "git", "unknown version: " + printable(version)};
  if (major < 2 || (major == 2 && minor < 38))
    return {Health::bad, "git", version + " is too old: 2.38 is needed", {installed_by("git")}};
  return {Health::good, "git", version};
}

// Whether it can be called at all: "agent claude", "fallback codex".
Finding check_agent(const std::string& what, const Result<agent::Provider>& provider) {
  if (!provider) return trouble(what, provider.error());
  const std::string program = provider->argv.front();
  if (agent::find_agent(*provider)) {
    const char* sandbox = std::getenv("IS_SANDBOX");
    if (provider->client == "claude" && ::geteuid() == 0 &&
        (sandbox == nullptr || std::string_view(sandbox) != "1"))
      return {Health::doubtful,
              what,
              "as root, claude refuses to work unless it is told that this is a sandbox: run, "
              "deliver and auto run tell it so; for run-phase and the scripts you have to",
              {"export IS_SANDBOX=1"}};
    return {Health::good, what, "found " + printable(program)};
  }
  Finding finding{Health::bad, what, program + " is not installed"};
  if (!provider->install.empty()) finding.mend.push_back(provider->install);
  return finding;
}

void check_agents(const Project& project, Findings& findings) {
  std::set<std::string> seen;
  for (const std::string_view phase : config::pipeline_phases()) {
    const std::string name = project.config.provider_of(phase);
    if (!seen.insert(name).second) continue;
    const auto provider = provider_named(project, name, phase, "");
    findings.push_back(check_agent("agent " + name, provider));
    if (provider && findings.back().health == Health::bad)
      findings.back().mend.push_back(
          "or, without an account: capsule run BEAD --provider=rehearsal");
  }
  // A run that could not fall back on them is refused.
  for (const std::string_view phase : config::pipeline_phases())
    for (const config::Fallback& fallback : project.config.fallbacks_of(phase)) {
      if (!seen.insert(fallback.provider).second) continue;
      workflow::StartAgent start;
      start.role = phase;
      start.provider = fallback.provider;
      start.model = fallback.model;
      const auto settings = agent_settings(project, start);
      findings.push_back(
          check_agent("fallback " + fallback.provider,
                      settings ? Result<agent::Provider>(settings->provider)
                               : Result<agent::Provider>(tl::unexpected(settings.error()))));
    }
}

Finding check_native(const std::string& root, const std::string& why) {
  if (!exists(root + "/.beads/issues.jsonl"))
    return {Health::bad, "tracker", "there are no beads yet (" + why + ")", {"capsule init"}};
  task::NativeStore store(root, task::OnDamage::refuse);
  const auto beads = store.list({});
  if (!beads) return trouble("tracker", beads.error());
  return {Health::good, "tracker", "Capsule's own, .beads/issues.jsonl: " + why};
}

Finding check_tracker(const Project& project) {
  const std::string& root = project.root();
  const task::Choice choice = choice_of(project.config.tracker);
  std::string where = project.config.origin("tracker").where;
  if (where.starts_with(root + "/")) where.erase(0, root.size() + 1);
  const auto kind = task::identify_bd(root);
  if (choice == task::Choice::bd) {
    if (!kind || *kind == task::BdKind::missing)
      return {Health::bad,
              "tracker",
              where + " says bd, but there is none on PATH",
              {"npm install -g @beads/bd@0.49.6", "or, in .capsule/config.yaml: tracker: native"}};
    if (*kind == task::BdKind::other)
      return {Health::doubtful, "tracker",
              "the bd on PATH does not behave like beads; it may be another program"};
    return {Health::good, "tracker", "bd: " + where + " says so"};
  }
  if (choice == task::Choice::native) return check_native(root, where + " says so");
  if (task::NativeStore::declared(root)) return check_native(root, "the project declares it");
  if (!kind || *kind == task::BdKind::missing) return check_native(root, "no bd is on PATH");
  if (*kind == task::BdKind::beads)
    return {Health::good, "tracker", "bd: it is on PATH, and nothing else is configured"};
  if (*kind == task::BdKind::silent)
    return {Health::doubtful, "tracker",
            "bd is on PATH but does not identify itself; it is used as long as it shows beads"};
  return check_native(root, "the bd on PATH is another program");
}

Finding check_files(const Project& project) {
  std::set<std::string> folders;
  std::vector<std::string> names{"templates/worklog.md.template"};
  for (const std::string_view phase : config::pipeline_phases())
    names.push_back("prompts/" + std::string(phase) + ".md");
  for (const std::string& name : names) {
    if (const auto text = project.assets.read(name); !text) return trouble("prompts", text.error());
    const auto path = project.assets.beside(name);
    folders.insert(path ? path->substr(0, path->size() - name.size() - 1) : "");
  }
  const auto words_of = [&](const std::string& folder) -> std::string {
    if (folder.empty()) return "built in";
    return folder == project.root() ? "the project's own" : printable(folder);
  };
  return {Health::good, "prompts", "and the template: " + listed(folders, words_of)};
}

Finding check_verify(const Project& project) {
  const auto& test = project.config.verify.test;
  if (!test) {
    Finding finding{Health::doubtful, "tests",
                    "no test command is configured: RED and GREEN are not checked"};
    if (const auto proposal = proposal_for(project.root()))
      finding.mend = {"capsule init   # writes " + yaml_of(*proposal) + " (" + proposal->because +
                      ")"};
    else
      finding.mend = {"in .capsule/config.yaml: verify: {test: [program, argument]}"};
    return finding;
  }
  if (const auto found = check_programs(project.config); !found)
    return trouble("tests", found.error());
  const std::string command =
      config::written(config::key("verify.test"),
                      test->argv.empty() ? config::Value(test->shell) : config::Value(test->argv));
  return {Health::good, "tests", printable(command)};
}

// What agents would not find in their worktrees.
void check_worktrees(const Project& project, Findings& findings) {
  const auto proposal = setup_proposal(project.root());
  for (const std::string& missing : not_in_worktrees(project)) {
    Finding finding{Health::doubtful, "worktrees", missing};
    if (proposal && !project.config.worktree.setup)
      finding.mend = {"in .capsule/config.yaml: " + yaml_of(*proposal)};
    findings.push_back(std::move(finding));
  }
}

void check_runs(const Project& project, Findings& findings) {
  const auto store = journal_of(project);
  if (!store) {
    findings.push_back(trouble("journal", store.error()));
    return;
  }
  if (*store != nullptr) {
    if (const auto verified = (*store)->verify(); !verified) {
      findings.push_back(trouble("journal", verified.error()));
      return;
    }
  }
  findings.push_back({Health::good, "journal", *store == nullptr ? "none yet" : "readable"});
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(project.root() + "/.capsule/worktrees", error)) {
    const std::string bead = entry.path().filename().string();
    if (!valid_id(bead)) continue;
    const auto holder =
        *store == nullptr ? std::nullopt : (*store)->holder(bead).value_or(std::nullopt);
    if (holder) {
      findings.push_back({Health::good, "worktree", bead + ": in use by " + words_of(*holder)});
      continue;
    }
    findings.push_back({Health::doubtful,
                        "worktree",
                        bead + ": left over, nobody is working in it",
                        {"capsule run " + bead + project.option + " --resume",
                         "or, to remove all of them: capsule teardown" + project.option}});
  }
}

// Where machines share a journal, they share main as well, or each has its own.
void check_shared_main(const Project& project, Findings& findings) {
  if (journal_address().empty()) return;
  const auto remote = shared_remote(project);
  if (!remote) {
    findings.push_back(trouble("remote", remote.error()));
  } else if (!*remote) {
    findings.push_back({Health::doubtful,
                        "remote",
                        "main is not shared: each clone merges into its own",
                        {"git remote add origin ADDRESS, or remote: in .capsule/config.yaml"}});
  } else if (const auto tips =
                 git::fetch_tips(project.repository, **remote,
                                 git::main_ref_of(project.repository, project.config.main_branch));
             !tips) {
    findings.push_back(trouble("remote", git::error_of(**remote, tips.error())));
  } else {
    findings.push_back({Health::good, "remote", "main is that of " + (*remote)->shown});
  }
}

// A repository, its configuration, and everything that hangs on these.
void check_project(const ProjectWords& words, Findings& findings) {
  const auto repository = git::open_repository(absolute_path(words.folder));
  if (!repository) {
    findings.push_back(trouble("project", repository.error()));
    return;
  }
  const auto tips = git::find_tips(*repository, "", "");
  const config::Loaded loaded = config::load_all(config_sources(repository->top));
  for (const config::Problem& problem : loaded.problems) {
    Finding finding{Health::bad, "config", config::sentence_of(problem)};
    if (!problem.hint.empty()) finding.mend.push_back(problem.hint);
    findings.push_back(std::move(finding));
  }
  const auto project = open_project(words);
  if (!project) {
    if (loaded.problems.empty()) findings.push_back(trouble("project", project.error()));
    return;
  }
  findings.push_back({Health::good, "project", printable(project->root())});
  if (!tips && project->config.main_branch.empty())
    findings.push_back(trouble("main", tips.error()));
  findings.push_back({Health::good, "config",
                      exists(config::project_file(project->root()))
                          ? ".capsule/config.yaml"
                          : "no .capsule/config.yaml; the defaults apply"});
  check_agents(*project, findings);
  add(findings, check_clients(configured_providers(*project)));
  for (UntoldBudget& one : untold_budgets(project->config)) {
    Finding finding{Health::doubtful, "budget", std::move(one.text)};
    if (!one.mend.empty()) finding.mend.push_back(std::move(one.mend));
    findings.push_back(std::move(finding));
  }
  findings.push_back(check_tracker(*project));
  findings.push_back(check_files(*project));
  findings.push_back(check_verify(*project));
  check_shared_main(*project, findings);
  check_worktrees(*project, findings);
  check_runs(*project, findings);
  const contain::Kernel kernel = contain::this_kernel();
  add(findings, check_walls(*project, kernel));
  add(findings, check_limits(*project, kernel));
}

}  // namespace

Finding trouble(std::string what, const Error& error) {
  Finding finding{Health::bad, std::move(what), error.message};
  if (!error.hint.empty()) finding.mend.push_back(error.hint);
  return finding;
}

std::string_view name_of(Health health) {
  constexpr std::string_view kNames[] = {"ok", "warning", "problem"};
  static_assert(std::size(kNames) == enum_count<Health>());
  return kNames[static_cast<std::size_t>(health)];
}

Findings examine(const ProjectWords& words) {
  Findings findings{check_git()};
  if (is_ready(findings)) check_project(words, findings);
  add(findings, check_protections());
  return findings;
}

bool is_ready(const Findings& findings) {
  return std::none_of(findings.begin(), findings.end(),
                      [](const Finding& finding) { return finding.health == Health::bad; });
}

}  // namespace capsule::world
