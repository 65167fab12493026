#include "world/answers.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/files.h"
#include "base/text.h"
#include "json/text.h"
#include "signal/vocabulary.h"

namespace capsule::world {
namespace {

constexpr std::size_t kMaxAnswerBytes = std::size_t{1} << 20;
constexpr const char* kInOrder = "";

// "T-1: text" → "T-1"; empty when the line does not begin with a key.
std::string_view key_of(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == line.npos) return {};
  const std::string_view key = trimmed(line.substr(0, colon));
  return key == "*" || signal::is_task_id(key) ? key : std::string_view();
}

}  // namespace

std::string answers_folder(const std::string& project, const std::string& run) {
  return project + "/.capsule/answers/" + run;
}

Result<void> leave_answer(const std::string& project, const std::string& run, int question,
                          const std::string& text) {
  const std::string folder = answers_folder(project, run);
  TRY_VOID(make_folders(folder));
  const std::string path = folder + "/" + std::to_string(question);
  const std::string aside = folder + "/.new-" + random_hex(6);
  TRY_VOID(write_file(aside, text));
  // A link appears whole or not at all, and never in the place of another one.
  const int linked = ::link(aside.c_str(), path.c_str());
  const int error = errno;
  ::unlink(aside.c_str());
  if (linked == 0) {
    const File opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (opened) ::fsync(opened.fd());
    return {};
  }
  if (error == EEXIST)
    return fail(Reason::exists, "question " + std::to_string(question) + " was answered before",
                "if that was wrong: capsule answer " + std::to_string(question) + " --take-back");
  return tl::unexpected(io_error("write", path, error));
}

Result<void> take_back_answer(const std::string& project, const std::string& run, int question) {
  const std::string path = answers_folder(project, run) + "/" + std::to_string(question);
  if (::unlink(path.c_str()) == 0) return {};
  if (errno != ENOENT) return tl::unexpected(io_error("remove", path, errno));
  return fail(Reason::not_found, "question " + std::to_string(question) + " has no answer yet");
}

std::optional<std::string> pending_answer(const std::string& project, const std::string& run,
                                          int question) {
  auto text =
      read_file(answers_folder(project, run) + "/" + std::to_string(question), kMaxAnswerBytes);
  if (!text) return std::nullopt;
  return std::string(trimmed(*text));
}

Result<AnswersFile> AnswersFile::read(const std::string& path) {
  const std::string text = TRY(read_file(path, kMaxAnswerBytes));
  AnswersFile file;
  if (trimmed(text).starts_with('{')) {
    const auto whole = json::canonical(text);
    if (!whole || whole->front() != '{')
      return fail(Reason::damaged, printable(path) + " is not a JSON object",
                  "write one object, such as {\"T-1\": \"the answer\"}");
    for (const json::Member& member : json::members_of(*whole)) {
      const auto add = [&, key = json::unquoted(member.key)](std::string_view one) {
        if (one.front() == '"') file.by_key_[key].push_back(json::unquoted(one));
      };
      if (member.value.front() == '[')
        for (const std::string_view one : json::elements_of(member.value)) add(one);
      else
        add(member.value);
    }
    return file;
  }
  for (std::string_view line : split(text, '\n')) {
    line = trimmed(line);
    if (line.empty() || line.front() == '#') continue;
    const std::string_view key = key_of(line);
    if (key.empty())
      file.by_key_[kInOrder].emplace_back(line);
    else
      file.by_key_[std::string(key)].emplace_back(trimmed(line.substr(line.find(':') + 1)));
  }
  return file;
}

std::optional<std::string> AnswersFile::answer(int question, const std::string& task) {
  if (const auto known = given_.find(question); known != given_.end()) return known->second;
  for (const std::string& key : {std::to_string(question), "Q" + std::to_string(question), task,
                                 std::string("*"), std::string(kInOrder)}) {
    const auto found = by_key_.find(key);
    if (found == by_key_.end() || found->second.empty()) continue;
    std::size_t& used = used_[key];
    if (key == kInOrder && used >= found->second.size()) continue;
    const std::string& text = found->second[std::min(used, found->second.size() - 1)];
    ++used;
    return given_[question] = text;
  }
  return std::nullopt;
}

}  // namespace capsule::world
