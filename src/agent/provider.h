// An agent program and how a prompt reaches it. Pure values; nothing is started here.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace capsule::agent {

// Between TERM and KILL: long enough for a client to write its own state.
inline constexpr std::chrono::seconds kGrace{5};

// One argument of a program may have this many bytes; one more and the system refuses it.
inline constexpr std::size_t kMaxArgumentBytes = 131'071;

struct Provider {
  std::string name;
  std::vector<std::string> argv;  // "{prompt}" in a word stands for the prompt
  bool stdin_prompt = true;       // the prompt goes in on stdin, when no word holds it
  // What takes the place of `argv` when the prompt is too long for an argument: it goes in on
  // stdin.
  std::vector<std::string> long_argv = {};
  std::string model = {};
  std::string install = {};  // how to get the program, for people
  // Words that begin a session under an id of ours and that go on with it, {session} being the id.
  // Empty: the program has no sessions, and is told the history in its prompt.
  std::vector<std::string> begin_session = {};
  std::vector<std::string> resume_session = {};
  bool has_sessions() const { return !begin_session.empty() && !resume_session.empty(); }
};

// What the configuration says of an agent.
struct PhaseSettings {
  Provider provider;
  std::chrono::milliseconds timeout{600'000};
};

// claude, as its users call it: `claude -p PROMPT --dangerously-skip-permissions`.
Provider claude_provider(const std::string& model);

// The agent that plays a cassette; `program` is capsule itself.
Provider rehearsal_provider(const std::string& program, const std::string& cassette);

enum class SessionUse { begin, resume };

// The provider for one call in the session `id`; as it is when it has no sessions.
Provider in_session(Provider provider, const std::string& id, SessionUse use);

struct Call {
  std::vector<std::string> argv;
  std::optional<std::string> input;  // stdin; none: empty
};

// Error usage: the prompt does not fit into an argument and this provider takes it nowhere else.
Result<Call> call_of(const Provider& provider, const std::string& prompt);

// Whether its program can be started at all; looks along PATH. Errors: missing_program, refused.
Result<void> find_agent(const Provider& provider);

// `error` of a start, with what a person can do about a missing program.
Error with_advice(const Provider& provider, Error error);

}  // namespace capsule::agent
