// An agent program and how a prompt reaches it. Pure values; nothing is started here.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "dialect/output.h"
#include "process/program.h"

namespace capsule::agent {

// Between TERM and KILL: long enough for a client to write its own state.
inline constexpr std::chrono::seconds kGrace{5};

// One argument of a program may have this many bytes; one more and the system refuses it.
inline constexpr std::size_t kMaxArgumentBytes = 131'071;

struct Provider {
  std::string name;
  std::string client = {};  // which client of clients.h it is; empty: a program of the user's
  // "{prompt}" in a word stands for the prompt. Of a client, a word "{session}" is where the words
  // of its session stand; without a session it is left out.
  std::vector<std::string> argv;
  bool stdin_prompt = true;  // the prompt goes in on stdin, when no word holds it
  // What takes the place of `argv` when the prompt is too long for an argument: it goes in on
  // stdin.
  std::vector<std::string> long_argv = {};
  std::string model = {};
  std::string install = {};  // how to get the program, for people
  // Words that begin a session under an id of ours and that go on with it, {session} being the id.
  // None to go on: the program has no sessions, and is told the history in its prompt.
  std::vector<std::string> begin_session = {};
  std::vector<std::string> resume_session = {};
  bool their_session = false;  // its id is the client's own, which it prints
  bool has_sessions() const { return !resume_session.empty(); }
  dialect::Output output = dialect::Output::text;  // what it prints
  // It reads messages as lines of JSON on stdin: its prompt is the first, and more can follow while
  // it works. `argv` is for that.
  bool steered = false;
  // Variables that it needs, beyond the caller's environment.
  std::vector<process::EnvChange> env = {};
};

// What the configuration says of an agent.
struct PhaseSettings {
  Provider provider;
  std::chrono::milliseconds timeout{600'000};
  // How long its service may owe it an answer, where its client's events tell that it waits.
  std::chrono::milliseconds answer_timeout{900'000};
};

// The agent that plays a cassette; `program` is capsule itself.
Provider rehearsal_provider(const std::string& program, const std::string& cassette);

enum class SessionUse { begin, resume };

// The provider for one call in the session `id`, which is the client's own where it is to go on
// with one of these; as it is when it has no sessions.
Provider in_session(Provider provider, const std::string& id, SessionUse use);

struct Call {
  std::vector<std::string> argv;
  std::optional<std::string> input;  // stdin; none: empty
  bool more_input = false;           // stdin stays open
};

// Error usage: the prompt does not fit into an argument and this provider takes it nowhere else.
Result<Call> call_of(const Provider& provider, const std::string& prompt);

// A line that a provider that is steered reads; `id` (a UUID, or none) comes back once it is heard.
std::string user_message(std::string_view text, std::string_view id = {});

// Whether its program can be started at all; looks along PATH. Errors: missing_program, refused.
Result<void> find_agent(const Provider& provider);

// `error` of a start, with what a person can do about a missing program.
Error with_advice(const Provider& provider, Error error);

}  // namespace capsule::agent
