#include "agent/provider.h"

#include <fcntl.h>

#include <algorithm>
#include <cstdlib>

#include "base/text.h"
#include "process/program.h"

namespace capsule::agent {
namespace {

constexpr std::string_view kPlaceholder = "{prompt}";
constexpr std::string_view kSession = "{session}";

bool holds_prompt(const std::string& word) { return word.find(kPlaceholder) != std::string::npos; }

}  // namespace

Provider claude_provider(const std::string& model) {
  Provider provider;
  provider.name = "claude";
  provider.argv = {"claude", "-p", std::string(kPlaceholder), "--dangerously-skip-permissions"};
  provider.long_argv = {"claude", "-p", "--dangerously-skip-permissions"};
  if (!model.empty()) {
    for (auto* argv : {&provider.argv, &provider.long_argv})
      argv->insert(argv->end(), {"--model", model});
    provider.model = model;
  }
  provider.install = "npm install -g @anthropic-ai/claude-code";
  provider.begin_session = {"--session-id", std::string(kSession)};
  provider.resume_session = {"--resume", std::string(kSession)};
  return provider;
}

Provider rehearsal_provider(const std::string& program, const std::string& cassette) {
  Provider provider;
  provider.name = "rehearsal";
  provider.argv = {program, "rehearse", cassette};
  return provider;
}

Provider in_session(Provider provider, const std::string& id, SessionUse use) {
  if (!provider.has_sessions()) return provider;
  for (const std::string& word :
       use == SessionUse::begin ? provider.begin_session : provider.resume_session)
    for (auto* argv : {&provider.argv, &provider.long_argv})
      if (!argv->empty()) argv->push_back(replace_all(word, kSession, id));
  return provider;
}

Result<Call> call_of(const Provider& provider, const std::string& prompt) {
  const bool in_argv = std::any_of(provider.argv.begin(), provider.argv.end(), holds_prompt);
  if (!in_argv) {
    Call call{provider.argv, std::nullopt};
    if (provider.stdin_prompt) call.input = prompt;
    return call;
  }
  Call call;
  bool too_long = false;
  for (const std::string& word : provider.argv) {
    call.argv.push_back(holds_prompt(word) ? replace_all(word, kPlaceholder, prompt) : word);
    too_long |= call.argv.back().size() > kMaxArgumentBytes;
  }
  if (!too_long) return call;
  if (provider.long_argv.empty())
    return fail(Reason::usage,
                "the prompt has " + std::to_string(prompt.size()) +
                    " bytes, too many for an argument of " + provider.argv.front(),
                "remove {prompt} from providers." + provider.name +
                    ".command: the prompt then goes to stdin");
  return Call{provider.long_argv, prompt};
}

Result<void> find_agent(const Provider& provider) {
  const char* path = std::getenv("PATH");
  auto found = process::find_program(provider.argv.front(), path != nullptr ? path : "", AT_FDCWD);
  if (found) return {};
  return tl::unexpected(with_advice(provider, found.error()));
}

Error with_advice(const Provider& provider, Error error) {
  if (error.reason != Reason::missing_program) return error;
  error.hint = (provider.install.empty() ? "" : "install it: " + provider.install + "; ") +
               std::string("or try without an account: --provider=rehearsal");
  return error;
}

}  // namespace capsule::agent
