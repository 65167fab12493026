#include "agent/provider.h"

#include <fcntl.h>

#include <algorithm>
#include <cstdlib>

#include "base/text.h"
#include "json/text.h"
#include "process/program.h"

namespace capsule::agent {
namespace {

constexpr std::string_view kPlaceholder = "{prompt}";
constexpr std::string_view kSession = "{session}";

bool holds_prompt(const std::string& word) { return word.find(kPlaceholder) != std::string::npos; }

}  // namespace

Provider rehearsal_provider(const std::string& program, const std::string& cassette) {
  Provider provider;
  provider.name = "rehearsal";
  provider.argv = {program, "rehearse", cassette};
  return provider;
}

Provider in_session(Provider provider, const std::string& id, SessionUse use) {
  if (!provider.has_sessions()) return provider;
  std::vector<std::string> words;
  for (const std::string& word :
       use == SessionUse::begin ? provider.begin_session : provider.resume_session)
    words.push_back(replace_all(word, kSession, id));
  for (auto* argv : {&provider.argv, &provider.long_argv}) {
    if (argv->empty()) continue;
    const auto place = std::find(argv->begin(), argv->end(), kSession);
    if (place == argv->end()) {
      argv->insert(argv->end(), words.begin(), words.end());
    } else {
      argv->insert(argv->erase(place), words.begin(), words.end());
    }
  }
  return provider;
}

Result<Call> call_of(const Provider& given, const std::string& prompt) {
  Provider provider = given;
  if (!provider.client.empty())
    for (auto* argv : {&provider.argv, &provider.long_argv}) std::erase(*argv, kSession);
  if (provider.steered) return Call{provider.argv, user_message(prompt), true};
  const bool in_argv = std::any_of(provider.argv.begin(), provider.argv.end(), holds_prompt);
  if (!in_argv) {
    Call call{provider.argv, std::nullopt, false};
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
                provider.client.empty() ? "remove {prompt} from providers." + provider.name +
                                              ".command: the prompt then goes to stdin"
                                        : "this client takes it nowhere else; use another one");
  return Call{provider.long_argv, prompt, false};
}

std::string user_message(std::string_view text, std::string_view id) {
  return R"({"type":"user",)" + (id.empty() ? "" : R"("uuid":)" + json::quoted(id) + ",") +
         R"("message":{"role":"user","content":[{"type":"text","text":)" + json::quoted(text) +
         "}]}}\n";
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
