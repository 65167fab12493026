#include "agent/rehearsal/play.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <map>
#include <optional>
#include <thread>

#include "base/files.h"
#include "base/text.h"
#include "process/command.h"
#include "worklog/entry.h"

namespace capsule::agent::rehearsal {
namespace {

constexpr std::size_t kMaxSavedBytes = 65'536;

// The folder part and the last part of a path that may be used: relative, without "..", not git's.
struct SafePath {
  std::string folder;  // may be empty
  std::string name;
};

Result<std::vector<std::string_view>> parts_of(std::string_view path) {
  std::vector<std::string_view> parts;
  if (path.starts_with('/') || path.find('\0') != path.npos)
    return fail(Reason::refused, "a path must be relative to the worktree: " + printable(path));
  for (std::string_view part : split(path, '/')) {
    if (part.empty() || part == ".") continue;
    if (part == "..")
      return fail(Reason::refused, "a path must not contain '..': " + printable(path));
    if (part == ".git") return fail(Reason::refused, "a cassette must not touch git's own files");
    parts.push_back(part);
  }
  return parts;
}

Result<SafePath> place_of(std::string_view path) {
  const auto parts = TRY(parts_of(path));
  if (parts.empty()) return fail(Reason::refused, "the path names no file: " + printable(path));
  SafePath place;
  for (std::size_t i = 0; i + 1 < parts.size(); ++i)
    place.folder += (i == 0 ? "" : "/") + std::string(parts[i]);
  place.name = parts.back();
  return place;
}

std::string path_of(const SafePath& place) {
  return place.folder.empty() ? place.name : place.folder + "/" + place.name;
}

// The folder beneath the root, opened without following a link.
Result<File> open_folder_beneath(const std::string& root, std::string_view relative) {
  File folder(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!folder) return tl::unexpected(io_error("open", root, errno));
  for (std::string_view part : TRY(parts_of(relative))) {
    File next(::openat(folder.fd(), std::string(part).c_str(),
                       O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!next) return tl::unexpected(io_error("open the folder", relative, errno));
    folder = std::move(next);
  }
  return folder;
}

class Player {
 public:
  explicit Player(const Stage& stage) : stage_(stage) {}

  // An exit code ends the take.
  using Outcome = Result<std::optional<int>>;

  Outcome operator()(const Print& step);
  Outcome operator()(const Write& step);
  Outcome operator()(const Edit& step);
  Outcome operator()(const Delete& step);
  Outcome operator()(const Run& step);
  Outcome operator()(const Worklog& step);
  Outcome operator()(const Signal& step);
  Outcome operator()(const Wait& step);
  Outcome operator()(const Exit& step);
  Outcome operator()(const PromptHas& step);

 private:
  Result<std::string> filled(std::string_view text) const {
    return expanded(text, [this](std::string_view name) -> Lookup {
      const auto saved = saved_.find(name);
      return saved != saved_.end() ? Lookup{Known::set, saved->second} : stage_.variable(name);
    });
  }
  Result<void> say(int fd, std::string text) const {
    if (!text.ends_with('\n')) text += '\n';
    return write_all(fd, text, "the output");
  }
  Result<void> store(std::string_view path, std::string_view text, bool executable) const;

  const Stage& stage_;
  std::map<std::string, std::string, std::less<>> saved_;
};

Result<void> Player::store(std::string_view path, std::string_view text, bool executable) const {
  const SafePath place = TRY(place_of(path));
  TRY_VOID(make_folders_beneath(stage_.worktree, place.folder));
  const File file =
      TRY(open_beneath(stage_.worktree, path_of(place), O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK,
                       executable ? 0777 : 0666));
  if (executable) {
    struct stat info {};
    if (::fstat(file.fd(), &info) != 0 || ::fchmod(file.fd(), info.st_mode | 0111) != 0)
      return tl::unexpected(io_error("make executable", path, errno));
  }
  return write_all(file.fd(), text, std::string(path));
}

Player::Outcome Player::operator()(const Print& step) {
  TRY_VOID(say(step.to_stderr ? stage_.err_fd : stage_.out_fd, TRY(filled(step.text))));
  return std::nullopt;
}

Player::Outcome Player::operator()(const Write& step) {
  TRY_VOID(store(TRY(filled(step.path)), TRY(filled(step.text)), step.executable));
  return std::nullopt;
}

Player::Outcome Player::operator()(const Edit& step) {
  const std::string path = TRY(filled(step.path));
  const std::string find = TRY(filled(step.find));
  std::string text = TRY(read_file_beneath(stage_.worktree, path_of(TRY(place_of(path)))));
  const std::size_t at = find.empty() ? text.npos : text.find(find);
  if (at == text.npos)
    return fail(Reason::refused, "the text to replace is not in " + printable(path));
  if (text.find(find, at + 1) != text.npos)
    return fail(Reason::refused, "the text to replace occurs more than once in " + printable(path));
  text.replace(at, find.size(), TRY(filled(step.replace)));
  TRY_VOID(store(path, text, false));
  return std::nullopt;
}

Player::Outcome Player::operator()(const Delete& step) {
  const std::string path = TRY(filled(step.path));
  const SafePath place = TRY(place_of(path));
  const File folder = TRY(open_folder_beneath(stage_.worktree, place.folder));
  if (::unlinkat(folder.fd(), place.name.c_str(), 0) != 0)
    return tl::unexpected(io_error("delete", path, errno));
  return std::nullopt;
}

Player::Outcome Player::operator()(const Run& step) {
  process::Spec spec;
  for (const std::string& word : step.argv) spec.argv.push_back(TRY(filled(word)));
  const std::string folder = TRY(filled(step.folder));
  TRY(open_folder_beneath(stage_.worktree, folder));
  spec.cwd = folder.empty() ? stage_.worktree : stage_.worktree + "/" + folder;
  spec.max_out_bytes = kMaxSavedBytes;
  Result<void> printed;
  if (step.save.empty())
    spec.on_out = [&](std::string_view piece) {
      if (printed) printed = write_all(stage_.out_fd, piece, "the output");
    };
  const process::Output output = TRY(process::run(spec));
  TRY_VOID(printed);
  TRY_VOID(write_all(stage_.err_fd, output.err, "the output"));
  if (!step.save.empty()) {
    if (output.out_truncated)
      return fail(Reason::refused, printable(spec.argv[0]) + " printed more than can be saved");
    saved_[step.save] = std::string(trimmed(output.out));
  }
  const int code = output.exit_code;
  const bool ended = code >= 0;
  bool as_expected = true;
  std::string wanted;
  switch (step.expect) {
    case Run::Expect::pass:
      as_expected = code == 0;
      wanted = "0 was expected";
      break;
    case Run::Expect::fail:  // by its own verdict, not because it could not be run
      as_expected = ended && code != 0 && code != 126 && code != 127;
      wanted = "a failure was expected";
      break;
    case Run::Expect::any:
      as_expected = ended;
      wanted = "an exit code was expected";
      break;
    case Run::Expect::code:
      as_expected = code == step.code;
      wanted = std::to_string(step.code) + " was expected";
      break;
  }
  if (as_expected) return std::nullopt;
  return fail(Reason::failed, "'" + printable(joined(spec.argv, " ")) + "' ended with " +
                                  (ended ? "exit code " + std::to_string(code)
                                         : "signal " + std::to_string(output.term_signal)) +
                                  "; " + wanted);
}

Player::Outcome Player::operator()(const Worklog& step) {
  const auto text = read_file_beneath(stage_.worktree, "worklog.md");
  if (!text && text.error().reason != Reason::not_found) return tl::unexpected(text.error());
  TRY_VOID(store("worklog.md",
                 worklog::with_entry(text ? *text : "", stage_.phase, TRY(filled(step.text))),
                 false));
  return std::nullopt;
}

Player::Outcome Player::operator()(const Signal& step) {
  Signal signal = step;
  for (auto& [key, value] : signal.fields) {
    if (auto* single = std::get_if<std::string>(&value)) {
      *single = TRY(filled(*single));
    } else {
      for (std::string& item : std::get<std::vector<std::string>>(value)) item = TRY(filled(item));
    }
  }
  TRY_VOID(say(stage_.out_fd, signal_text(signal)));
  return std::nullopt;
}

Player::Outcome Player::operator()(const Wait& step) {
  std::this_thread::sleep_for(step.time);
  return std::nullopt;
}

Player::Outcome Player::operator()(const Exit& step) { return step.code; }

Player::Outcome Player::operator()(const PromptHas& step) {
  const std::string text = TRY(filled(step.text));
  if (stage_.prompt.find(text) == std::string::npos)
    return fail(Reason::refused, "the prompt does not contain: " + printable(text));
  return std::nullopt;
}

}  // namespace

tl::expected<int, PlayError> play(const Take& take, const Stage& stage) {
  Player player(stage);
  for (const Step& step : take.steps) {
    const auto outcome = std::visit(player, step.what);
    if (!outcome) return tl::unexpected(PlayError{step.line, outcome.error()});
    if (*outcome) return **outcome;
  }
  return 0;
}

}  // namespace capsule::agent::rehearsal
