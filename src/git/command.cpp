#include "git/command.h"

#include <unistd.h>

#include <chrono>
#include <cstdlib>

#include "base/text.h"
#include "git/lock.h"
#include "git/private_dir.h"
#include "git/settings.h"
#include "process/command.h"

namespace capsule::git {
namespace {

// Far above what the largest repository needs; only a call that hangs (on a FIFO that somebody
// included into the configuration, say) gets there.
constexpr std::chrono::minutes kLongestCall{30};
constexpr std::chrono::seconds kLongestQuestion{30};
// Somebody waits for it, and may try again.
constexpr std::chrono::minutes kLongestJourney{5};

// Of the user's environment these alone reach a call that reads the user's configuration.
bool helps_discovery(std::string_view name) {
  return name == "GIT_CONFIG_GLOBAL" || name == "GIT_CONFIG_SYSTEM" ||
         name == "GIT_CONFIG_NOSYSTEM" || name == "GIT_CEILING_DIRECTORIES" ||
         name == "GIT_DISCOVERY_ACROSS_FILESYSTEM";
}

std::vector<process::EnvChange> environment(bool plainly) {
  std::vector<process::EnvChange> changes;
  for (char** entry = ::environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::string_view name = text.substr(0, text.find('='));
    if (name.starts_with("GIT_") && !(plainly && helps_discovery(name))) {
      changes.push_back({std::string(name), {}});
    }
  }
  const auto set = [&](const char* name, std::string value) {
    changes.push_back({name, std::move(value)});
  };
  set("LC_ALL", "C");
  set("GIT_TERMINAL_PROMPT", "0");
  set("GIT_NO_REPLACE_OBJECTS", "1");
  set("GIT_NO_LAZY_FETCH", "1");
  set("GIT_ALLOW_PROTOCOL", "");  // none: nothing is ever fetched or pushed from here
  set("GIT_ASKPASS", "/bin/false");
  set("GIT_EDITOR", "/bin/false");
  set("GIT_PAGER", "cat");
  if (!plainly) {
    set("GIT_CONFIG_NOSYSTEM", "1");
    set("GIT_CONFIG_GLOBAL", "/dev/null");
    set("GIT_ATTR_NOSYSTEM", "1");
  }
  return changes;
}

std::vector<std::string> command_line(const std::vector<std::string>& settings,
                                      const std::vector<std::string>& args) {
  std::vector<std::string> argv{
      "git", "--no-pager",          "--literal-pathspecs", "-c", "core.hooksPath=/dev/null",
      "-c",  "core.fsmonitor=false"};
  for (const std::string& setting : settings) {
    argv.emplace_back("-c");
    argv.push_back(setting);
  }
  argv.insert(argv.end(), args.begin(), args.end());
  return argv;
}

Result<Answer> run(const process::Spec& spec, const std::string& subcommand,
                   bool may_be_cut = false) {
  Result<process::Output> output = process::run(spec);
  if (!output) {
    Error error = output.error();
    if (error.reason == Reason::missing_program && error.hint.empty()) {
      error.hint = "install git (Debian: apt install git)";
    }
    return tl::unexpected(std::move(error));
  }
  if (output->timed_out) {
    return fail(
        Reason::timed_out, "git " + subcommand + " did not finish in time",
        "look for a git process that hangs, or for an include in .git/config that cannot be read");
  }
  if (output->out_truncated && !may_be_cut) {
    return fail(Reason::failed, "git " + subcommand + " printed too much output");
  }
  const int code = output->term_signal != 0 ? 128 + output->term_signal : output->exit_code;
  return Answer{code, std::move(output->out), std::move(output->err)};
}

}  // namespace

Result<Answer> ask(const Repository& repository, const Call& call) {
  const std::string own = TRY(private_dir(repository));
  process::Spec spec;
  spec.argv = command_line(call.settings, call.args);
  if (call.magic) std::erase(spec.argv, "--literal-pathspecs");
  spec.cwd = call.work_tree.empty() ? "/" : call.work_tree;
  // Who the user is to a server stands in his own configuration, not in the repository's.
  spec.env = environment(call.remote);
  if (call.remote) spec.env.push_back({"GIT_ALLOW_PROTOCOL", "file:git:http:https:ssh"});
  spec.env.push_back({"GIT_DIR", own});
  spec.env.push_back({"GIT_COMMON_DIR", own});
  spec.env.push_back({"GIT_OBJECT_DIRECTORY", repository.common_dir + "/objects"});
  if (!call.work_tree.empty()) spec.env.push_back({"GIT_WORK_TREE", call.work_tree});
  if (!call.index.empty()) spec.env.push_back({"GIT_INDEX_FILE", call.index});
  for (const auto& [name, value] : call.env) spec.env.push_back({name, value});
  spec.input = call.input;
  spec.keep_fd = held_lock();
  spec.deadline = process::Clock::now() + (call.remote ? kLongestJourney : kLongestCall);
  spec.max_out_bytes = call.most == 0 ? 1024UL * 1024 * 1024 : call.most;
  return run(spec, call.args.front(), call.most != 0);
}

Result<std::string> tell(const Repository& repository, const Call& call) {
  Answer answer = TRY(ask(repository, call));
  if (answer.code != 0) return tl::unexpected(git_failed(call, answer));
  return std::move(answer.out);
}

Result<Answer> ask_plainly(const std::string& folder, const std::vector<std::string>& args,
                           Patience patience, const std::string& work_tree) {
  process::Spec spec;
  spec.argv = command_line({"core.pager=cat", "gc.auto=0", "maintenance.auto=false"}, args);
  spec.cwd = folder;
  spec.keep_fd = held_lock();
  spec.env = environment(true);
  if (!work_tree.empty()) spec.env.push_back({"GIT_WORK_TREE", work_tree});
  spec.deadline =
      process::Clock::now() + (patience == Patience::little ? kLongestQuestion : kLongestCall);
  return run(spec, args.front());
}

Result<Answer> ask_alone(const std::string& folder, const std::vector<std::string>& args) {
  process::Spec spec;
  spec.argv = command_line(
      {"safe.directory=" + folder, "commit.gpgSign=false", "gc.auto=0", "maintenance.auto=false"},
      args);
  spec.cwd = folder;
  spec.env = environment(false);
  spec.deadline = process::Clock::now() + kLongestCall;
  return run(spec, args.front());
}

Result<Answer> ask_remote(const Repository& repository, const std::vector<std::string>& args,
                          std::chrono::seconds patience) {
  const std::string own = TRY(private_dir(repository));
  process::Spec spec;
  spec.argv = command_line(
      {"gc.auto=0", "maintenance.auto=false", "push.followTags=false", "push.negotiate=false",
       "fetch.writeCommitGraph=false", "http.lowSpeedLimit=1", "http.lowSpeedTime=60"},
      args);
  spec.cwd = "/";
  spec.env = environment(true);
  // What the person who called says about ssh; an agent has no say in our environment.
  bool said = false;
  for (const char* name : {"GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT"})
    if (const char* value = std::getenv(name)) {
      spec.env.push_back({name, std::string(value)});
      said = true;
    }
  // Without a word of the user's, ssh would ask on the terminal.
  const std::string& ssh = settings_of(repository).ssh;
  if (!said) spec.env.push_back({"GIT_SSH_COMMAND", ssh.empty() ? "ssh -oBatchMode=yes" : ssh});
  spec.env.push_back({"GIT_ALLOW_PROTOCOL", "file:ssh:http:https"});
  spec.env.push_back({"SSH_ASKPASS_REQUIRE", "never"});
  spec.env.push_back({"GIT_DIR", own});
  spec.env.push_back({"GIT_COMMON_DIR", own});
  spec.env.push_back({"GIT_OBJECT_DIRECTORY", repository.common_dir + "/objects"});
  spec.deadline = process::Clock::now() + patience;
  Result<Answer> answer = run(spec, args.front());
  if (!answer && answer.error().reason == Reason::timed_out) answer.error().hint.clear();
  return answer;
}

std::string first_complaint(std::string_view err) {
  for (const std::string_view line : split(err, '\n')) {
    for (const std::string_view start : {"fatal: ", "error: "}) {
      if (line.starts_with(start)) return std::string(line.substr(start.size()));
    }
  }
  return std::string(trimmed(split(trimmed(err), '\n').front()));
}

Error git_failed(const Call& call, const Answer& answer) {
  std::string message = "git " + call.args.front() + " failed";
  const std::string complaint = first_complaint(answer.err);
  if (complaint.empty()) {
    message += " with exit code " + std::to_string(answer.code);
  } else {
    message += ": " + printable(complaint);
  }
  return Error{Reason::failed, std::move(message), ""};
}

}  // namespace capsule::git
