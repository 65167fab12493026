#include "agent/rehearsal/rehearsal.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>

#include "agent/rehearsal/play.h"
#include "assets/embedded.h"
#include "base/files.h"
#include "base/text.h"
#include "signal/contract.h"

namespace capsule::agent::rehearsal {
namespace {

constexpr std::string_view kBuiltIn = "builtin:";
constexpr std::size_t kMaxCassetteBytes = 1'048'576;  // the reader of YAML takes less, and says so

// What Capsule tells every agent, and what a cassette may use.
constexpr std::array<std::string_view, 6> kVariables{"CAPSULE_RUN",      "CAPSULE_BEAD",
                                                     "CAPSULE_PHASE",    "CAPSULE_ATTEMPT",
                                                     "CAPSULE_WORKTREE", "CAPSULE_COMMIT_MSG"};

Lookup variable(std::string_view name) {
  for (std::string_view known : kVariables) {
    if (name != known) continue;
    const char* value = std::getenv(std::string(name).c_str());
    return value == nullptr ? Lookup{Known::unset} : Lookup{Known::set, value};
  }
  return {};
}

Result<std::string> read_prompt() {
  std::string text;
  if (::isatty(0) == 1) return text;
  std::array<char, 65'536> buffer;
  for (;;) {
    const ssize_t count = ::read(0, buffer.data(), buffer.size());
    if (count == 0) return text;
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return tl::unexpected(io_error("read", "the prompt", errno));
    text.append(buffer.data(), static_cast<std::size_t>(count));
    if (text.size() > kMaxTextBytes)
      return fail(Reason::refused, "the prompt is larger than 64 MiB");
  }
}

int give_up(const Error& error, int exit_code) {
  std::string text = "capsule rehearse: " + printable(error.message) + "\n";
  if (!error.hint.empty()) text += "  " + printable(error.hint) + "\n";
  (void)write_all(2, text, "stderr");
  (void)write_all(1, signal::synthetic_error("Rehearsal: " + error.message).json + "\n", "stdout");
  return exit_code;
}

Result<int> attempt_from(const Lookup& found) {
  if (found.value.empty()) return 1;
  int attempt = 0;
  const char* end = found.value.data() + found.value.size();
  const auto [stop, error] = std::from_chars(found.value.data(), end, attempt);
  if (error != std::errc{} || stop != end || attempt < 1)
    return fail(Reason::usage, "CAPSULE_ATTEMPT is not a positive number");
  return attempt;
}

struct Scene {
  std::string name;  // of the cassette, for errors
  Cassette cassette;
  const Take* take = nullptr;
  Stage stage;
};

Result<std::string> built_in_text(std::string_view name) {
  if (const assets::Embedded* file = assets::find_embedded(name)) return std::string(file->bytes);
  return fail(Reason::not_found, "there is no built-in cassette " + printable(name));
}

Result<Scene> prepare(const std::string& path, std::optional<std::string_view> prompt) {
  Scene scene;
  const bool ours = path.starts_with(kBuiltIn);
  scene.name = ours ? "(built-in cassette)" : path;
  scene.stage.prompt = prompt ? std::string(*prompt) : TRY(read_prompt());
  const std::string text =
      TRY(ours ? built_in_text(path.substr(kBuiltIn.size())) : read_file(path, kMaxCassetteBytes));
  scene.cassette = TRY(parse_cassette(text, scene.name));
  const std::string phase = variable("CAPSULE_PHASE").value;
  if (phase.empty())
    return fail(Reason::usage, "CAPSULE_PHASE is not set",
                "Capsule sets it; by hand: CAPSULE_PHASE=execute capsule rehearse CASSETTE");
  const int attempt = TRY(attempt_from(variable("CAPSULE_ATTEMPT")));
  scene.take = find_take(scene.cassette, phase, attempt);
  if (scene.take == nullptr)
    return fail(Reason::not_found, scene.name + " has no take for the phase '" + phase +
                                       "', attempt " + std::to_string(attempt));
  scene.stage.worktree = TRY(real_path("."));
  scene.stage.phase = phase;
  scene.stage.variable = variable;
  return scene;
}

}  // namespace

std::string built_in(std::string_view name) { return std::string(kBuiltIn) + std::string(name); }

int rehearsal_main(const std::string& cassette, std::optional<std::string_view> prompt) {
  const auto scene = prepare(cassette, prompt);
  if (!scene) return give_up(scene.error(), 2);
  const auto code = play(*scene->take, scene->stage);
  if (code) return *code;
  Error error = code.error().error;
  error.message = scene->name + ":" + std::to_string(code.error().line) + ": " + error.message;
  return give_up(error, 1);
}

}  // namespace capsule::agent::rehearsal
