#include "git/commit.h"

#include <algorithm>

#include "base/text.h"
#include "git/command.h"
#include "git/settings.h"

namespace capsule::git {
namespace {

constexpr std::string_view kTrailer = "Capsule-Run: ";

Person parse_person(std::string_view line) {
  Person person;
  const std::size_t open = line.find('<');
  const std::size_t close = line.rfind('>');
  if (open == line.npos || close == line.npos || close < open) return person;
  person.name = trimmed(line.substr(0, open));
  person.email = trimmed(line.substr(open + 1, close - open - 1));
  person.date = trimmed(line.substr(close + 1));
  return person;
}

Commit parse_commit(std::string_view text) {
  Commit commit;
  bool in_message = false;
  bool first = true;
  for (const std::string_view line : split(text, '\n')) {
    const auto value = [&](std::string_view key) { return line.substr(key.size()); };
    if (first) {
      commit.side =
          std::string_view("<>-").find(line.empty() ? 'x' : line[0]) != line.npos ? line[0] : ' ';
      commit.id = commit.side == ' ' ? line : line.substr(1);
      first = false;
    } else if (in_message) {
      commit.message += line.starts_with("    ") ? line.substr(4) : line;
      commit.message += '\n';
    } else if (line.empty()) {
      in_message = true;
    } else if (line.starts_with("tree ")) {
      commit.tree = value("tree ");
    } else if (line.starts_with("parent ")) {
      commit.parents.emplace_back(value("parent "));
    } else if (line.starts_with("author ")) {
      commit.author = parse_person(value("author "));
    }
  }
  return commit;
}

std::string one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    line += byte < 0x20 || byte == 0x7F ? ' ' : c;
  }
  return std::string(trimmed(line));
}

// git refuses names that hold nothing but punctuation; whoever asks gets the user instead.
bool usable(const Person& person) {
  constexpr std::string_view kCrud = " .,:;<>\"\\'\t\r\n";
  return person.name.find_first_not_of(kCrud) != person.name.npos &&
         person.email.find_first_not_of(kCrud) != person.email.npos;
}

}  // namespace

std::vector<Commit> parse_commits(std::string_view text) {
  std::vector<Commit> commits;
  for (const std::string_view part : split(text, '\0')) {
    if (!part.empty()) commits.push_back(parse_commit(part));
  }
  return commits;
}

Result<std::string> write_commit(const Repository& repository, const NewCommit& commit) {
  Call call{.args = {"commit-tree"}};
  for (const std::string& parent : commit.parents) {
    call.args.insert(call.args.end(), {"-p", parent});
  }
  call.args.insert(call.args.end(), {"-F", "-", commit.tree});
  call.input = commit.message;
  std::erase(call.input, '\0');
  const Settings& settings = settings_of(repository);
  Person user{settings.name, settings.email, ""};
  if (!usable(user)) user = {Settings{}.name, Settings{}.email, ""};
  const Person& author = usable(commit.author) ? commit.author : user;
  call.env = {{"GIT_AUTHOR_NAME", author.name},
              {"GIT_AUTHOR_EMAIL", author.email},
              {"GIT_COMMITTER_NAME", user.name},
              {"GIT_COMMITTER_EMAIL", user.email}};
  if (!author.date.empty()) call.env.emplace_back("GIT_AUTHOR_DATE", "@" + author.date);
  return std::string(trimmed(TRY(tell(repository, call))));
}

std::string work_message(std::string_view bead, std::string_view title) {
  return one_line(std::string(bead) + ": " + std::string(title));
}

std::string merge_message(std::string_view bead, std::string_view title, std::string_view run,
                          const std::vector<std::string>& trailers) {
  std::string message = "Merge " + work_message(bead, title) + "\n";
  if (!run.empty()) message += "\n" + std::string(kTrailer) + std::string(run) + "\n";
  if (run.empty() && !trailers.empty()) message += "\n";
  // None of them may pass for the run's own.
  for (const std::string& trailer : trailers)
    if (const std::string line = one_line(trailer); !line.starts_with(kTrailer))
      message += line + "\n";
  return message;
}

bool has_run_trailer(std::string_view message, std::string_view run) {
  message = trimmed(message);
  const std::size_t paragraph = message.rfind("\n\n");
  if (paragraph == message.npos || run.empty()) return false;
  const std::string wanted = std::string(kTrailer) + std::string(run);
  for (const std::string_view line : split(message.substr(paragraph + 2), '\n')) {
    if (trimmed(line) == wanted) return true;
  }
  return false;
}

}  // namespace capsule::git
