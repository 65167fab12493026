#include "world/requests.h"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/files.h"
#include "base/ids.h"
#include "base/text.h"
#include "json/text.h"

namespace capsule::world {
namespace {

std::string path_of(const std::string& project, const std::string& run, Request request) {
  return project + "/.capsule/requests/" + run + (request == Request::pause ? ".pause" : ".abort");
}

constexpr std::size_t kMaxMessageBytes = std::size_t{1} << 18;
constexpr std::size_t kMostMessages = 1000;

std::string requests_folder(const std::string& project) { return project + "/.capsule/requests"; }
std::string message_prefix(const std::string& run) { return run + ".tell-"; }

std::string take_back_prefix(const std::string& run) { return run + ".back-"; }
std::string take_back_path(const std::string& project, const std::string& run, int question) {
  return requests_folder(project) + "/" + take_back_prefix(run) + std::to_string(question);
}

// What stands behind the prefix in the names of files that have it.
std::vector<std::string> names_behind(const std::string& project, const std::string& prefix) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> opened(::opendir(requests_folder(project).c_str()),
                                                   ::closedir);
  while (const dirent* entry = opened ? ::readdir(opened.get()) : nullptr) {
    const std::string_view name = entry->d_name;
    if (name.starts_with(prefix) && valid_id(name) && names.size() < kMostMessages)
      names.emplace_back(name.substr(prefix.size()));
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string text_in(const nlohmann::json& json, const char* name) {
  const auto found = json.find(name);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

Result<void> leave_request(const std::string& project, const std::string& run, Request request) {
  TRY_VOID(make_folders(project + "/.capsule/requests"));
  return write_file(path_of(project, run, request), "");
}

std::optional<workflow::Stop> pending_request(const std::string& project, const std::string& run) {
  if (exists(path_of(project, run, Request::abort))) return workflow::Stop::aborted;
  if (exists(path_of(project, run, Request::pause))) return workflow::Stop::paused;
  return std::nullopt;
}

Result<void> leave_message(const std::string& project, const std::string& run,
                           const workflow::MessageLeft& message) {
  TRY_VOID(make_folders(requests_folder(project)));
  // In the order of their names.
  const std::string id =
      message.message.empty() ? utc_stamp() + "-" + random_hex(4) : message.message;
  const std::string text = "{\"task\":" + json::quoted(message.task) +
                           ",\"text\":" + json::quoted(message.text) +
                           ",\"by\":" + json::quoted(message.by) +
                           (message.for_next ? ",\"for_next\":true" : "") + "}\n";
  return write_file(requests_folder(project) + "/" + message_prefix(run) + id, text, 0600,
                    requests_folder(project) + "/.new-" + random_hex(6));
}

std::vector<workflow::MessageLeft> pending_messages(const std::string& project,
                                                    const std::string& run) {
  const std::string folder = requests_folder(project), prefix = message_prefix(run);
  std::vector<workflow::MessageLeft> messages;
  for (const std::string& id : names_behind(project, prefix)) {
    const auto text = read_file(folder + "/" + prefix + id, kMaxMessageBytes);
    const auto json = nlohmann::json::parse(text.value_or(""), nullptr, false);
    if (json.is_object() && !text_in(json, "text").empty())
      messages.push_back({id, text_in(json, "task"), text_in(json, "text"), text_in(json, "by"),
                          json.contains("for_next")});
  }
  return messages;
}

void drop_message(const std::string& project, const std::string& run, const std::string& id) {
  if (valid_id(id)) ::unlink((requests_folder(project) + "/" + message_prefix(run) + id).c_str());
}

Result<void> leave_take_back(const std::string& project, const std::string& run, int question) {
  TRY_VOID(make_folders(requests_folder(project)));
  return write_file(take_back_path(project, run, question), "");
}

bool take_back_pending(const std::string& project, const std::string& run, int question) {
  return exists(take_back_path(project, run, question));
}

std::vector<int> pending_take_backs(const std::string& project, const std::string& run) {
  std::vector<int> questions;
  for (const std::string& name : names_behind(project, take_back_prefix(run))) {
    int number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (error == std::errc() && end == name.data() + name.size() && number > 0)
      questions.push_back(number);
  }
  return questions;
}

void drop_take_back(const std::string& project, const std::string& run, int question) {
  ::unlink(take_back_path(project, run, question).c_str());
}

void drop_requests(const std::string& project, const std::string& run) {
  for (Request request : {Request::pause, Request::abort})
    ::unlink(path_of(project, run, request).c_str());
}

}  // namespace capsule::world
