#include "ui/web/actions.h"

#include "base/text.h"
#include "json/object.h"

namespace capsule::web {
namespace {

using view::Verb;

constexpr std::size_t kMaxActionText = std::size_t{32} * 1024;

// What a person can do about one thing: the actions of an item of the inbox, or of a run.
const std::vector<view::Action>* find_actions(const view::Project& project,
                                              const ActionRequest& request) {
  for (const view::Item& item : project.inbox)
    if (item.run == request.run && item.task == request.task && item.question == request.question &&
        (request.item.empty() || item.key == request.item))
      for (const view::Action& action : item.actions)
        if (view::name_of(action.verb) == request.verb) return &item.actions;
  if (request.question != 0 || !request.item.empty()) return nullptr;
  const view::Run* const run = view::find_run(project, request.run);
  if (run == nullptr || (!request.task.empty() && view::find_task(*run, request.task) == nullptr))
    return nullptr;
  return &run->actions;
}

// A run that goes on without the page: "auto continue", or a command, what it is about, and the
// options of the view.
std::vector<std::string> starting(const view::Action& action, const std::string& project_dir) {
  const std::vector<std::string>& given = action.words;
  if (given.front() == "auto") {
    std::vector<std::string> words = given;
    words.insert(words.end(), {"--project-dir=" + project_dir, "--detach"});
    return words;
  }
  std::vector<std::string> words = {given.front(), "--project-dir=" + project_dir};
  if (given.size() > 2) words.insert(words.end(), given.begin() + 2, given.end());
  words.insert(words.end(), {"--detach", "--", given.size() > 1 ? given[1] : ""});
  return words;
}

// Everything behind "--" is an argument, whatever it begins with.
std::vector<std::string> guarded(const view::Action& action, const std::string& text,
                                 const std::string& task, const std::string& project_dir) {
  if (view::can_detach(action)) return starting(action, project_dir);
  if (action.verb == Verb::lift)
    return {"agents", "resume", "--project-dir=" + project_dir, "--", action.words.back()};
  std::vector<std::string> words = {action.words.front(), "--project-dir=" + project_dir};
  if (action.verb == Verb::reject) words.push_back("--because=" + text);
  words.emplace_back("--");
  words.insert(words.end(), action.words.begin() + 1, action.words.end());
  // To a run anybody can be told something, or who works on one of its tasks.
  if (action.verb == Verb::tell && !task.empty() && action.words.size() == 2) words.push_back(task);
  if (!action.wants.empty() && action.verb != Verb::reject) words.push_back(text);
  return words;
}

}  // namespace

bool can_do(Verb verb) {
  switch (verb) {
    case Verb::answer:
    case Verb::approve:
    case Verb::reject:
    case Verb::go_on:
    case Verb::retry:
    case Verb::merge:
    case Verb::pause:
    case Verb::abort:
    case Verb::tell:
    case Verb::lift:
      return true;
    default:
      return false;
  }
}

Result<ActionRequest> read_action(std::string_view body) {
  const auto object = json::Object::parse(body);
  if (!object) return fail(Reason::usage, "the body is no JSON object");
  ActionRequest request;
  request.verb = object->text("verb").value_or("");
  request.run = object->text("run").value_or("");
  request.task = object->text("task").value_or("");
  request.text = std::string(trimmed(object->text("text").value_or("")));
  request.item = object->text("item").value_or("");
  const auto question = object->integer("question").value_or(0);
  if (request.verb.empty() || request.run.empty() || question < 0 || question > 1'000'000)
    return fail(Reason::usage, "an action names its verb and its run");
  if (request.text.size() > kMaxActionText)
    return fail(Reason::usage, "the text is too long", "at most 32 KiB");
  request.question = static_cast<int>(question);
  return request;
}

Result<std::vector<std::string>> command_for(const view::Project& project,
                                             const ActionRequest& request,
                                             const std::string& project_dir) {
  const std::vector<view::Action>* const actions = find_actions(project, request);
  bool known = false;
  if (actions != nullptr) {
    for (const view::Action& action : *actions) {
      if (view::name_of(action.verb) != request.verb || !can_do(action.verb)) continue;
      known = true;
      if (action.wants.empty() && action.verb == Verb::answer &&
          action.words.back() != request.text)
        continue;  // another of the options
      if (!action.wants.empty() && request.text.empty())
        return fail(Reason::usage, "what do you want to say?");
      if (request.text.find('\0') != std::string::npos)
        return fail(Reason::usage, "the text holds a NUL");
      return guarded(action, request.text, request.task, project_dir);
    }
  }
  if (known) return fail(Reason::usage, "that is none of the options");
  return fail(Reason::not_found, "that cannot be done now; it may have been settled meanwhile");
}

}  // namespace capsule::web
