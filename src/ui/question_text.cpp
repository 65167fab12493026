#include "ui/question_text.h"

#include <set>

#include "base/text.h"
#include "json/value.h"

namespace capsule::ui {
namespace {

using Json = json::Value;
using world::OpenQuestion;

// "3", or "RUN/3" where several runs ask.
std::vector<std::string> question_ids(const std::vector<OpenQuestion>& list) {
  std::set<std::string> runs;
  for (const OpenQuestion& open : list) runs.insert(open.run.head.run);
  std::vector<std::string> ids;
  for (const OpenQuestion& open : list)
    ids.push_back((runs.size() > 1 ? open.run.head.run + "/" : "") +
                  std::to_string(open.wait.question));
  return ids;
}

}  // namespace

std::string question_lines(const std::vector<OpenQuestion>& list) {
  if (list.empty()) return "No open questions.\n";
  const std::vector<std::string> ids = question_ids(list);
  std::string text;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const workflow::Waiting& wait = list[i].wait;
    const engine::RunHead& run = list[i].run.head;
    const std::string of_all = run.workflow == engine::kDelivery ? "plan" : run.subject;
    text += padded(ids[i], 6) + padded(printable(wait.task.empty() ? of_all : wait.task), 14) +
            printable(wait.text) + "\n";
    for (std::string_view line : split(wait.context, '\n'))
      if (!trimmed(line).empty()) text += "      " + printable(line) + "\n";
    for (const std::string& option : wait.options) text += "      - " + printable(option) + "\n";
    if (list[i].answered) text += "      (answered; the run has not taken it up yet)\n";
  }
  return text;
}

std::string questions_json(const std::vector<OpenQuestion>& list) {
  const std::vector<std::string> ids = question_ids(list);
  Json rows = Json::array();
  for (std::size_t i = 0; i < list.size(); ++i) {
    const workflow::Waiting& wait = list[i].wait;
    rows.push_back({{"id", ids[i]},
                    {"number", wait.question},
                    {"task", wait.task.empty() ? Json() : Json(wait.task)},
                    {"kind", wait.kind},
                    {"question", wait.text},
                    {"context", wait.context},
                    {"options", wait.options},
                    {"run", list[i].run.head.run},
                    {"workflow", list[i].run.summary.workflow},
                    {"plan", list[i].run.head.subject},
                    {"answered", list[i].answered}});
  }
  return rows.compact() + "\n";
}

}  // namespace capsule::ui
