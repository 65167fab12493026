#include "client/hook_settings.h"

#include "base/text.h"
#include "json/places.h"
#include "json/text.h"

namespace capsule::client {
namespace {

constexpr std::string_view kStopWords = " hook stop";

std::string make_entry(const std::string& line, const std::string& unit,
                       const std::string& command) {
  const std::string quoted = json::quoted(command);
  if (line.empty()) return R"({"hooks": [{"type": "command", "command": )" + quoted + "}]}";
  return "{" + line + unit + "\"hooks\": [" + line + unit + unit + "{" + line + unit + unit + unit +
         "\"type\": \"command\"," + line + unit + unit + unit + "\"command\": " + quoted + line +
         unit + unit + "}" + line + unit + "]" + line + "}";
}

std::string make_stop(const std::string& line, const std::string& unit,
                      const std::string& command) {
  // Laid out as nobody else would, so that an empty list of the user's can be told from ours.
  if (line.empty()) return "\"Stop\": [ " + make_entry(line, unit, command) + " ]";
  const std::string inner = line + unit;
  return "\"Stop\": [" + inner + make_entry(inner, unit, command) + line + "]";
}

std::string make_hooks(const std::string& line, const std::string& unit,
                       const std::string& command) {
  if (line.empty()) return "\"hooks\": { " + make_stop(line, unit, command) + " }";
  const std::string inner = line + unit;
  return "\"hooks\": {" + inner + make_stop(inner, unit, command) + line + "}";
}

tl::unexpected<Error> damaged(std::string_view what) {
  return fail(Reason::damaged, "the settings are left alone: " + std::string(what));
}

// Where the hooks are in settings that are valid.
struct Layout {
  json::Container top;
  std::optional<json::Container> hooks;
  std::optional<json::Container> stop;
};

Result<Layout> layout_of(std::string_view text) {
  if (!json::canonical(text)) return damaged("they are not valid JSON");
  auto top = json::object_at(text, 0);
  if (!top) return damaged("they are not a JSON object");
  Layout layout{*std::move(top), {}, {}};
  const auto* hooks = layout.top.find("hooks");
  if (hooks == nullptr) return layout;
  layout.hooks = json::object_at(text, hooks->value.begin);
  if (!layout.hooks) return damaged("\"hooks\" is not an object");
  const auto* stop = layout.hooks->find("Stop");
  if (stop == nullptr) return layout;
  layout.stop = json::array_at(text, stop->value.begin);
  if (!layout.stop) return damaged("\"hooks\".\"Stop\" is not a list");
  return layout;
}

// One hook of ours: which group of Stop it stands in, and where in it.
struct Own {
  std::size_t group;
  json::Container hooks;
  std::size_t index;
  json::Span command;
};

std::vector<Own> find_own(std::string_view text, const Layout& layout) {
  std::vector<Own> found;
  for (std::size_t i = 0; layout.stop && i < layout.stop->items.size(); ++i) {
    const auto group = json::object_at(text, layout.stop->items[i].value.begin);
    const auto* list = group ? group->find("hooks") : nullptr;
    const auto hooks = list ? json::array_at(text, list->value.begin) : std::nullopt;
    for (std::size_t k = 0; hooks && k < hooks->items.size(); ++k) {
      const auto hook = json::object_at(text, hooks->items[k].value.begin);
      const auto* command = hook ? hook->find("command") : nullptr;
      if (command == nullptr || text[command->value.begin] != '"') continue;
      if (is_own_hook(json::unquoted(command->value.in(text))))
        found.push_back({i, *hooks, k, command->value});
    }
  }
  return found;
}

// Without this one; its group goes, too, when nothing else is in it.
std::string removed(std::string_view text, const Layout& layout, const Own& own) {
  return own.hooks.items.size() == 1 ? json::without_item(text, *layout.stop, own.group)
                                     : json::without_item(text, own.hooks, own.index);
}

std::string added(std::string_view text, const Layout& layout, const std::string& command) {
  const std::string unit = json::indentation_of(text);
  if (layout.stop) return json::with_item(text, *layout.stop, unit, make_entry, command);
  if (layout.hooks) return json::with_item(text, *layout.hooks, unit, make_stop, command);
  return json::with_item(text, layout.top, unit, make_hooks, command);
}

std::size_t index_of(const json::Container& container, std::string_view key) {
  return static_cast<std::size_t>(container.find(key) - container.items.data());
}

}  // namespace

std::optional<std::string> own_program(std::string_view command) {
  command = trimmed(command);
  if (!command.ends_with(kStopWords)) return std::nullopt;
  std::string_view program = trimmed(command.substr(0, command.size() - kStopWords.size()));
  if (program.size() > 1 && (program.front() == '\'' || program.front() == '"') &&
      program.back() == program.front())
    program = program.substr(1, program.size() - 2);
  const std::size_t slash = program.rfind('/');
  if (program.substr(slash == program.npos ? 0 : slash + 1) != "capsule") return std::nullopt;
  return std::string(program);
}

bool is_own_hook(std::string_view command) { return own_program(command).has_value(); }

std::string fresh_settings(const std::string& command) {
  return "{\n  \"hooks\": {\n    \"Stop\": [" + make_entry("", "", command) + "]\n  }\n}\n";
}

Result<std::vector<std::string>> installed_hooks(std::string_view settings) {
  settings.remove_prefix(text_start(settings));
  const Layout layout = TRY(layout_of(settings));
  std::vector<std::string> commands;
  for (const Own& own : find_own(settings, layout))
    commands.push_back(json::unquoted(own.command.in(settings)));
  return commands;
}

Result<std::string> with_hook(std::string_view settings, const std::string& command) {
  const std::size_t mark = text_start(settings);
  std::string text(settings.substr(mark));
  Layout layout = TRY(layout_of(text));
  std::vector<Own> own = find_own(text, layout);
  while (own.size() > 1) {
    text = removed(text, layout, own.back());
    layout = TRY(layout_of(text));
    own = find_own(text, layout);
  }
  if (own.empty())
    text = added(text, layout, command);
  else if (json::unquoted(own[0].command.in(text)) != command)  // the program has moved
    text.replace(own[0].command.begin, own[0].command.end - own[0].command.begin,
                 json::quoted(command));
  return std::string(settings.substr(0, mark)) + text;
}

Result<std::optional<std::string>> without_hook(std::string_view settings) {
  const std::size_t mark = text_start(settings);
  std::string text(settings.substr(mark));
  for (bool first = true;; first = false) {
    const Layout layout = TRY(layout_of(text));
    const std::vector<Own> all = find_own(text, layout);
    if (all.empty()) break;
    const Own& own = all.front();
    const std::string command = json::unquoted(own.command.in(text));
    if (first && mark == 0 && text == fresh_settings(command)) return std::nullopt;
    // As it was before, if adding the hook to it makes exactly this text: whoever had no hooks at
    // all shall have none left, whoever had an empty list keeps it.
    const auto made = [&](const std::string& before) {
      const auto again = with_hook(before, command);
      return again && *again == text;
    };
    std::string before;
    const auto undone = [&](const json::Container& container, std::size_t index) {
      before = json::without_item(text, container, index);
      if (made(before)) return true;
      if (container.items.size() > 1) return false;
      before = json::without_only_item(text, container);
      return made(before);
    };
    if (!undone(layout.top, index_of(layout.top, "hooks")) &&
        !undone(*layout.hooks, index_of(*layout.hooks, "Stop")) && !undone(*layout.stop, own.group))
      before = removed(text, layout, own);
    text = std::move(before);
  }
  return std::string(settings.substr(0, mark)) + text;
}

}  // namespace capsule::client
