#include "ui/inbox_text.h"

#include <algorithm>
#include <iterator>

#include "base/moment.h"
#include "base/text.h"

namespace capsule::ui {
namespace {

using Json = json::Value;
using view::Attention;
using view::Item;

constexpr std::size_t kContextLines = 8;

struct AttentionRow {
  std::string_view words, symbol, ascii;
  Tone tone;
};
const AttentionRow& row_of(Attention kind) {
  static constexpr AttentionRow kRows[] = {
      {"question", "?", "?", Tone::strong},   {"choice", "?", "?", Tone::strong},
      {"approval", "?", "?", Tone::strong},   {"failed", "✗", "x", Tone::bad},
      {"refused merge", "!", "!", Tone::bad}, {"stalled", "!", "!", Tone::warn},
      {"cut off", "!", "!", Tone::warn},      {"budget", "$", "$", Tone::warn},
      {"disk", "!", "!", Tone::bad},          {"quota", "…", ".", Tone::quiet},
  };
  static_assert(std::size(kRows) == view::kAttentions);
  return kRows[static_cast<std::size_t>(kind)];
}

std::string age_of(const std::string& since, std::int64_t now_ms) {
  const auto then = milliseconds_of(since);
  if (!then) return {};
  return duration(std::max<std::int64_t>(0, now_ms - *then) / 1000 * 1000);
}

// A plan by the end of its path: the command below has all of it.
std::string subject_of(const Item& item) {
  std::string name = item.name;
  if (name.starts_with('/')) name.erase(0, name.rfind('/') + 1);
  return printable(item.task.empty() ? name : name + " " + item.task);
}

void add_context(std::string& text, const Item& item) {
  std::size_t lines = 0;
  for (const std::string_view line : split(item.context, '\n')) {
    if (trimmed(line).empty()) continue;
    if (++lines > kContextLines) {
      text += "      ...\n";
      return;
    }
    text += "      " + printable(line) + "\n";
  }
}

std::string item_lines(const Item& item, const Looked& looked, const Style& style) {
  const AttentionRow& row = row_of(item.kind);
  std::string text = toned(style, row.tone, style.unicode ? row.symbol : row.ascii) + " " +
                     toned(style, Tone::strong, padded(std::string(row.words), 13)) + "  " +
                     subject_of(item);
  if (!item.title.empty()) text += "  " + printable(item.title);
  const std::string age = age_of(item.since, looked.epoch_ms);
  text += "\n      " + printable(item.text) + "\n";
  add_context(text, item);
  text += toned(style, Tone::quiet,
                "      " + printable(item.reason) + (age.empty() ? "" : ", for " + age) +
                    (item.answered ? "; answered, and no run has taken it up yet" : "")) +
          "\n";
  for (const view::Action& action : item.actions)
    text += "      " + view::command_of(action, looked.options) + "\n";
  return text;
}

std::string runs_words(const view::Project& project) {
  const auto runs = std::count_if(project.runs.begin(), project.runs.end(),
                                  [](const view::Run& run) { return !run.superseded; });
  return counted(runs, "run");
}

}  // namespace

std::string_view words_of(Attention kind) { return row_of(kind).words; }

std::string inbox_lines(const view::Project& project, const Looked& looked, const Style& style) {
  const std::string when = "(looked at " + runs_words(project) + ", " + looked.clock + ")";
  if (project.inbox.empty()) return "Nothing needs you " + when + "\n";
  std::string text;
  for (const Item& item : project.inbox) text += item_lines(item, looked, style) + "\n";
  const std::size_t count = project.inbox.size();
  return text + (count == 1 ? "1 thing needs you " : std::to_string(count) + " things need you ") +
         when + "\n";
}

Json item_json(const Item& item, const std::string& options) {
  Json actions = Json::array();
  for (const view::Action& action : item.actions)
    actions.push_back({{"verb", view::name_of(action.verb)},
                       {"words", action.words},
                       {"wants", action.wants.empty() ? Json() : Json(action.wants)},
                       {"command", view::command_of(action, options)}});
  const auto or_null = [](const std::string& text) { return text.empty() ? Json() : Json(text); };
  return {{"key", item.key},
          {"kind", view::name_of(item.kind)},
          {"run", item.run},
          {"name", item.name},
          {"task", or_null(item.task)},
          {"question", item.question > 0 ? Json(item.question) : Json()},
          {"agent", item.agent > 0 ? Json(item.agent) : Json()},
          {"title", item.title},
          {"text", item.text},
          {"context", item.context},
          {"reason", item.reason},
          {"options", item.options},
          {"since", or_null(item.since)},
          {"until", item.until > 0 ? Json(item.until) : Json()},
          {"answered", item.answered},
          {"actions", actions}};
}

std::string inbox_json(const view::Project& project, const Looked& looked) {
  Json items = Json::array();
  for (const Item& item : project.inbox) items.push_back(item_json(item, looked.options));
  const auto runs = std::count_if(project.runs.begin(), project.runs.end(),
                                  [](const view::Run& run) { return !run.superseded; });
  return Json{{"looked_at", looked.utc}, {"runs", runs}, {"items", items}}.compact() + "\n";
}

}  // namespace capsule::ui
