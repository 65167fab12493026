#include "gate/seen.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <utility>
#include <vector>

#include "base/enum_count.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/text.h"

namespace capsule::gate {
namespace {

// What a file of .capsule/checks looks like: this line, the hash of all that follows the second,
// the key, the answer in numbers, a line for each test, and what was printed.
constexpr std::string_view kHead = "capsule check 1\n";
constexpr std::size_t kMaxFiles = 64;
constexpr char kMarks[] = {'p', 'f', 's'};  // as TestState counts
static_assert(std::size(kMarks) == enum_count<TestState>());

bool is_answer(const Verdict& verdict) {
  return verdict.ending == Ending::passed || verdict.ending == Ending::failed;
}

std::string hex(std::uint64_t number) {
  char digits[16];
  const auto end = std::to_chars(std::begin(digits), std::end(digits), number, 16).ptr;
  return {std::begin(digits), end};
}

// Nothing: a name holds what a line cannot.
std::optional<std::string> written(const std::string& key, const Verdict& verdict) {
  std::string body = key + "\n" + (verdict.ending == Ending::passed ? "passed " : "failed ") +
                     std::to_string(verdict.exit_code) + " " + std::to_string(verdict.duration_ms) +
                     (verdict.tests ? " by-name\n" : " by-exit\n");
  if (verdict.tests)
    for (const TestResult& test : verdict.tests->tests) {
      if (test.name.find('\n') != test.name.npos) return std::nullopt;
      body += kMarks[static_cast<std::size_t>(test.state)];
      body.append(" ").append(test.name).append("\n");
    }
  body += "\n" + verdict.output;
  return std::string(kHead) + hex(hash_of(body)) + "\n" + body;
}

std::string_view line_of(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

template <class Number>
bool read_number(std::string_view word, Number& number) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  return error == std::errc() && end == word.data() + word.size();
}

std::optional<Verdict> read(std::string_view text, const std::string& key) {
  if (!text.starts_with(kHead)) return std::nullopt;
  text.remove_prefix(kHead.size());
  const std::string_view hash = line_of(text);
  if (hash != hex(hash_of(text)) || line_of(text) != key) return std::nullopt;
  const std::vector<std::string_view> words = split(line_of(text), ' ');
  Verdict verdict;
  if (words.size() != 4 || !read_number(words[1], verdict.exit_code) ||
      !read_number(words[2], verdict.duration_ms))
    return std::nullopt;
  verdict.ending = words[0] == "passed" ? Ending::passed : Ending::failed;
  if (words[3] == "by-name") verdict.tests.emplace();
  for (std::string_view line = line_of(text); !line.empty(); line = line_of(text)) {
    const auto mark = std::find(std::begin(kMarks), std::end(kMarks), line[0]);
    if (mark == std::end(kMarks) || line.size() < 3 || !verdict.tests) return std::nullopt;
    verdict.tests->tests.push_back(
        {std::string(line.substr(2)), static_cast<TestState>(mark - std::begin(kMarks))});
  }
  verdict.output = text;
  return verdict;
}

// The oldest go: each main that was ever worked on would leave one.
void prune(const std::string& folder) {
  const std::unique_ptr<DIR, int (*)(DIR*)> dir(::opendir(folder.c_str()), ::closedir);
  if (!dir) return;
  std::vector<std::pair<time_t, std::string>> files;
  while (const dirent* entry = ::readdir(dir.get())) {
    struct stat info {};
    if (entry->d_name[0] != '.' &&
        ::fstatat(::dirfd(dir.get()), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0)
      files.emplace_back(info.st_mtim.tv_sec, entry->d_name);
  }
  if (files.size() <= kMaxFiles) return;
  std::sort(files.begin(), files.end());
  for (std::size_t i = 0; i < files.size() - kMaxFiles; ++i)
    ::unlinkat(::dirfd(dir.get()), files[i].second.c_str(), 0);
}

}  // namespace

Seen::Seen(std::string folder, const Verify& verify, std::string_view environment, Known known)
    : folder_(std::move(folder)), again_(known == Known::is_run_again) {
  for (const NamedCommand& command : verify.commands) {
    std::string all = verify.dir + '\0' + verify.test_report + '\0';
    for (const std::string& word : words_of(command.command)) all += word + '\0';
    commands_[command.name] = command.name + " " + hex(hash_of(environment, hash_of(all)));
  }
}

std::string Seen::key_of(const Files& files, std::string_view name) const {
  const auto command = commands_.find(name);
  if (files.id.empty() || command == commands_.end()) return {};
  return files.id + (files.clean ? " clean " : " worktree ") + command->second;
}

std::string Seen::path_of(const std::string& key) const {
  return folder_ + "/" + hex(hash_of(key));
}

std::optional<Verdict> Seen::find(const Files& files, std::string_view name) const {
  const auto found = known_.find(key_of(files, name));
  if (found == known_.end()) return std::nullopt;
  return found->second;
}

std::optional<Verdict> Seen::instead(const Files& files, std::string_view name) const {
  return again_ ? std::nullopt : find(files, name);
}

void Seen::put(const Files& files, const Verdict& verdict) {
  const std::string key = key_of(files, verdict.name);
  if (!key.empty() && is_answer(verdict)) known_[key] = verdict;
}

void Seen::keep(const Files& files, const Verdict& verdict) {
  put(files, verdict);
  const std::string key = key_of(files, verdict.name);
  if (key.empty() || folder_.empty() || !is_answer(verdict)) return;
  const auto text = written(key, verdict);
  // Without it a command runs once more than it had to: nothing worth failing for.
  if (!text || !make_folders(folder_)) return;
  (void)replace_file(path_of(key), *text);
  prune(folder_);
}

std::optional<Verdict> Seen::recall(const Files& files, std::string_view name) {
  if (again_) return std::nullopt;
  if (auto known = find(files, name)) return known;
  const std::string key = key_of(files, name);
  if (key.empty() || folder_.empty()) return std::nullopt;
  const auto text = read_file(path_of(key));
  if (!text) return std::nullopt;
  auto verdict = read(*text, key);
  if (!verdict) return std::nullopt;
  verdict->name = name;
  known_[key] = *verdict;
  return verdict;
}

void Seen::forget(const Files& files, std::string_view name) {
  const std::string key = key_of(files, name);
  known_.erase(key);
  if (!key.empty() && !folder_.empty()) ::unlink(path_of(key).c_str());
}

std::string lasting_environment(const char* const* words) {
  constexpr std::string_view kPassing[] = {
      "_",       "PWD",   "OLDPWD",   "SHLVL",   "TERM",
      "COLUMNS", "LINES", "WINDOWID", "DISPLAY", "STARSHIP_SESSION_KEY",
      "HISTFILE"};
  constexpr std::string_view kFamilies[] = {"CAPSULE_", "SSH_", "TMUX",      "STY",   "XDG_SESSION",
                                            "DBUS_",    "VTE_", "KITTY_",    "TERM_", "WT_",
                                            "CLAUDE",   "GPG_", "COLORTERM", "ITERM_"};
  std::vector<std::string_view> kept;
  for (; words != nullptr && *words != nullptr; ++words) {
    const std::string_view word = *words;
    const std::string_view name = word.substr(0, word.find('='));
    const bool passing =
        std::find(std::begin(kPassing), std::end(kPassing), name) != std::end(kPassing) ||
        std::any_of(std::begin(kFamilies), std::end(kFamilies),
                    [&](std::string_view family) { return name.starts_with(family); });
    if (!passing) kept.push_back(word);
  }
  std::sort(kept.begin(), kept.end());
  return joined(kept, "\n");
}

}  // namespace capsule::gate
