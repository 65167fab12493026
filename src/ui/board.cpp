#include "ui/board.h"

#include "base/text.h"

namespace capsule::ui {

std::string board(const delivery::State& state, const BoardTimes& times,
                  const std::function<std::string(int)>& last_line, std::size_t columns,
                  std::size_t rows, const Style& style) {
  std::size_t complete = 0, failed = 0;
  for (const delivery::TaskState& task : state.tasks) {
    complete += task.stage == delivery::Stage::complete ? 1 : 0;
    failed += task.stage == delivery::Stage::failed ? 1 : 0;
  }
  const std::size_t questions = delivery::open_questions(state).size();
  std::string head = state.title + ": " + std::to_string(complete) + " of " +
                     std::to_string(state.tasks.size()) + " complete";
  if (failed > 0) head += ", " + std::to_string(failed) + " failed";
  if (questions > 0) head += ", " + std::to_string(questions) + " open questions";
  if (state.remediation.step != delivery::Remediation::Step::none) head += ", remediation";
  std::string text = toned(style, Tone::strong, fitted(head, columns)) + "\n";
  std::size_t used = 1;
  for (const auto& [number, agent] : state.agents) {
    if (used + 1 >= rows && used < state.agents.size()) {
      text += fitted("  and " + std::to_string(state.agents.size() - used + 1) + " more", columns) +
              "\n";
      break;
    }
    const auto began = times.began_ms.find(number);
    const std::string task =
        agent.task < 0 ? "plan" : state.tasks[static_cast<std::size_t>(agent.task)].task.id;
    std::string row =
        "  " + padded(fitted(task, 16), 16) + " " + padded(signal::name_of(agent.role), 16) + " " +
        padded(std::to_string(agent.attempt), 3) + " " +
        padded(began == times.began_ms.end() ? "" : duration(times.now_ms - began->second), 8) +
        " " + last_line(number);
    text += fitted(row, columns) + "\n";
    ++used;
  }
  if (state.merging >= 0 && used < rows)
    text += fitted("  " + padded(state.tasks[static_cast<std::size_t>(state.merging)].task.id, 16) +
                       " merging",
                   columns) +
            "\n";
  return text;
}

}  // namespace capsule::ui
