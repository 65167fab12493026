#include "ui/delivery_status.h"

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "ui/delivery_lines.h"
#include "ui/run_view.h"

namespace capsule::ui {
namespace {

using Json = nlohmann::ordered_json;
using event::delivery::Outcome;

std::string state_of(const engine::DeliveryRecord& record,
                     const std::optional<engine::Holder>& holder) {
  if (holder) return "running";
  if (record.state.outcome != Outcome::none)
    return std::string(event::delivery::name_of(record.state.outcome));
  return delivery::open_questions(record.state).empty() ? "cut_off" : "waiting";
}

std::string plan_name(const std::string& subject) {
  if (subject.starts_with("delivery:")) return subject.substr(9);
  return subject.substr(subject.find_last_of('/') + 1);
}

Json json_of(const engine::DeliveryRecord& record, const std::optional<engine::Holder>& holder) {
  const delivery::Summary summary = delivery::summary_of(record.state);
  Json tasks = Json::array();
  for (const delivery::TaskState& task : record.state.tasks)
    tasks.push_back({{"id", task.task.id},
                     {"title", task.task.title},
                     {"stage", std::string(delivery::name_of(task.stage))},
                     {"hold", std::string(delivery::name_of(task.hold))},
                     {"standing", standing_of(record.state, task)},
                     {"runs", task.runs.size()},
                     {"commit", task.commit.empty() ? Json() : Json(task.commit)}});
  return {{"plan", record.head.subject},
          {"title", record.state.title},
          {"run", record.head.run},
          {"state", state_of(record, holder)},
          {"completed", summary.completed},
          {"failed", summary.failed},
          {"waiting", summary.waiting},
          {"open_questions", delivery::open_questions(record.state)},
          {"agent_runs", record.state.dispatched},
          {"tasks", tasks}};
}

}  // namespace

std::string delivery_status_line(const engine::DeliveryRecord& record,
                                 const std::optional<engine::Holder>& holder, const Style& style) {
  const delivery::Summary summary = delivery::summary_of(record.state);
  std::string text = printable(plan_name(record.head.subject)) + "  " +
                     minute_of(record.head.started_at) + "  " + fitted(record.state.title, 32) +
                     "  " + std::to_string(summary.completed.size()) + " of " +
                     std::to_string(record.state.tasks.size()) + " complete";
  if (!summary.failed.empty()) text += ", " + std::to_string(summary.failed.size()) + " failed";
  if (!summary.waiting.empty()) text += ", " + std::to_string(summary.waiting.size()) + " waiting";
  text += "; " + replace_all(state_of(record, holder), "_", " ");
  if (holder) text += ", " + words_of(*holder);
  return toned(style, holder ? Tone::strong : Tone::plain, text);
}

std::string delivery_status_page(const engine::DeliveryRecord& record,
                                 const std::optional<engine::Holder>& holder, const Style& style,
                                 const std::string& named, const std::string& option) {
  std::string text = delivery_status_line(record, holder, style) + "\n\n";
  for (const delivery::TaskState& task : record.state.tasks)
    text += "  " + padded(printable(task.task.id), 14) +
            padded(standing_of(record.state, task), 26) + std::to_string(task.runs.size()) +
            (task.runs.size() == 1 ? " run" : " runs") +
            (task.detail.empty() ? "" : "  " + printable(task.detail)) + "\n";
  for (int number : delivery::open_questions(record.state))
    text += "\n  ? question " + std::to_string(number) + ": " +
            printable(record.state.questions[static_cast<std::size_t>(number - 1)].text) +
            "\n    capsule answer " + std::to_string(number) + " TEXT" + option + "\n";
  if (!holder && record.state.outcome == Outcome::none)
    text += "\nGo on with: capsule deliver " + shell_word(named) + option + "\n";
  return text;
}

std::string delivery_status_json(const engine::DeliveryRecord& record,
                                 const std::optional<engine::Holder>& holder) {
  return json_of(record, holder).dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace capsule::ui
