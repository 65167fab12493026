#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <unordered_set>

#include "base/enum_count.h"
#include "base/ids.h"
#include "base/text.h"
#include "plan/graph.h"
#include "plan/parts.h"
#include "plan/words.h"

namespace capsule::plan {
namespace {

constexpr std::size_t kMaxCycles = 100;
constexpr std::size_t kMaxPairs = 20'000;  // of tasks that share a file, looked at
constexpr std::size_t kMaxFilesOfATask = 1000;

// What nothing can verify, unless something concrete stands beside it: how somebody feels about it,
// behind "is" and its kin; how something is done; and a few more words.
constexpr std::string_view kBeing[] = {"is", "are", "be", "stays", "feels", "looks"};
constexpr std::string_view kOpinions[] = {
    "fast",     "quick",      "good",     "nice",         "clean",      "clear",    "robust",
    "reliable", "secure",     "stable",   "efficient",    "performant", "scalable", "simple",
    "easy",     "intuitive",  "readable", "maintainable", "elegant",    "better",   "improved",
    "correct",  "responsive", "modern",   "well",
};
constexpr std::string_view kVague[] = {
    "properly",
    "correctly",
    "quickly",
    "gracefully",
    "smoothly",
    "seamlessly",
    "nicely",
    "efficiently",
    "appropriately",
    "works well",
    "work well",
    "works fine",
    "works as expected",
    "work as expected",
    "works as intended",
    "as expected",
    "fast enough",
    "good enough",
    "performs well",
    "performant",
    "scales well",
    "easy to use",
    "user-friendly",
    "user friendly",
    "high quality",
    "good quality",
    "high-quality",
    "as appropriate",
    "if necessary",
    "as needed",
    "everything works",
    "it works",
    "well tested",
    "well documented",
    "state of the art",
    "best practices",
};

bool concrete(std::string_view text) {
  for (const char c : text)
    if ((c >= '0' && c <= '9') || c == '`' || c == '"' || c == '=' || c == '<' || c == '>')
      return true;
  return !paths_in(text).empty();
}

// The vague phrase of a criterion, or nothing.
std::string vague(const std::string& criterion) {
  if (concrete(criterion)) return {};
  const std::string text = lowered(criterion);
  for (const std::string_view phrase : kVague)
    if (holds_phrase(text, phrase)) return std::string(phrase);
  for (const std::string_view opinion : kOpinions) {
    if (!holds_phrase(text, opinion)) continue;
    for (const std::string_view being : kBeing)
      if (const std::string phrase = std::string(being) + " " + std::string(opinion);
          holds_phrase(text, phrase))
        return phrase;
  }
  return {};
}

// "a.md" of "a.md:10", "a.md:10-20" and "a.md#part".
std::string without_place(const std::string& path) {
  const std::size_t end = path.find_last_not_of("0123456789-");
  if (end != path.npos && end + 1 < path.size() && path[end] == ':') return path.substr(0, end);
  return path.substr(0, path.find('#'));
}

struct Checker {
  Checked& out;
  const std::vector<Lines>& lines;
  const ReadingExists& exists;
  std::unordered_map<std::string, std::size_t> index = {};

  std::vector<Task>& tasks() { return out.plan.tasks; }
  // Where the part of a task stands, or the task.
  int line_of(std::size_t task, std::vector<int> Lines::*list, std::size_t at) const {
    if (task >= lines.size() || at >= (lines[task].*list).size()) return out.plan.tasks[task].line;
    return (lines[task].*list)[at];
  }
  void error(ProblemKind kind, int line, std::string text, std::vector<std::string> ids) {
    if (out.errors.size() < kMaxProblems)
      out.errors.push_back({kind, line, std::move(text), std::move(ids)});
  }
  void warn(ProblemKind kind, int line, std::string text, std::vector<std::string> ids) {
    if (out.warnings.size() < kMaxProblems)
      out.warnings.push_back({kind, line, std::move(text), std::move(ids)});
  }

  void ids() {
    if (tasks().empty())
      error(ProblemKind::no_tasks, 0, "the plan has no task (`#### Task ID: Title`)", {});
    for (std::size_t i = 0; i < tasks().size(); ++i) {
      const auto [place, is_new] = index.emplace(tasks()[i].id, i);
      if (is_new) continue;
      const Task& first = tasks()[place->second];
      error(ProblemKind::duplicate_id, tasks()[i].line,
            "the task id " + printable(first.id) + " is used twice" +
                (first.line > 0 ? "; first on line " + std::to_string(first.line) : ""),
            {first.id});
    }
  }

  void references() {
    bool any_free = tasks().empty();
    for (std::size_t i = 0; i < tasks().size(); ++i) {
      const Task& task = tasks()[i];
      any_free |= task.blocked_by.empty();
      for (std::size_t k = 0; k < task.blocked_by.size(); ++k)
        if (const std::string& id = task.blocked_by[k]; !index.contains(id))
          error(ProblemKind::unknown_reference, line_of(i, &Lines::blocked_by, k),
                "task " + printable(task.id) + " is blocked by " + printable(id) +
                    ", which is not a task of the plan",
                {task.id, id});
    }
    if (!any_free)
      error(ProblemKind::nothing_can_start, tasks().front().line,
            "no task can start: each is blocked by another", {});
  }

  void cycles(const Graph& graph) {
    for (const std::vector<std::size_t>& cycle : cycles_of(graph, kMaxCycles)) {
      std::vector<std::string> path;
      std::string text = "a cycle: ";
      for (const std::size_t node : cycle) {
        if (!path.empty()) text += " → ";
        path.push_back(tasks()[node].id);
        text += printable(path.back());
      }
      text += " (each is blocked by the next)";
      error(ProblemKind::cycle, tasks()[cycle.front()].line, std::move(text), std::move(path));
    }
  }

  void criteria() {
    for (std::size_t i = 0; i < tasks().size(); ++i) {
      const Task& task = tasks()[i];
      for (std::size_t k = 0; k < task.criteria.size(); ++k) {
        const std::string& criterion = task.criteria[k];
        if (const std::string phrase = vague(criterion); !phrase.empty())
          warn(ProblemKind::unverifiable, line_of(i, &Lines::criteria, k),
               "task " + printable(task.id) + ": this criterion cannot be verified: \"" +
                   printable(std::string_view(criterion).substr(0, 200)) + "\" (" + phrase + ")",
               {task.id});
      }
    }
  }

  // The business analyst goes first, and may have to ask a person.
  void unclear() {
    for (const Task& task : tasks()) {
      if (!task.unclear) continue;
      const char* why = task.criteria.empty()        ? "it has no acceptance criteria"
                        : trimmed(task.work).empty() ? "it does not say what is to be done"
                                                     : "it names no file, folder or `name` in code";
      warn(ProblemKind::unclear, task.line,
           "task " + printable(task.id) + " goes to the business analyst first: " + why, {task.id});
    }
  }

  void reading() {
    if (!exists) return;
    std::unordered_map<std::string, bool> known;
    for (std::size_t i = 0; i < tasks().size(); ++i) {
      const Task& task = tasks()[i];
      for (std::size_t k = 0; k < task.reading.size(); ++k) {
        const std::string& path = task.reading[k];
        if (path.find("://") != std::string::npos) continue;
        const auto [place, is_new] = known.emplace(path, false);
        if (const std::string file = without_place(path); is_new)
          place->second = exists(path) || (file != path && exists(file));
        if (!place->second)
          warn(ProblemKind::missing_reading, line_of(i, &Lines::reading, k),
               "task " + printable(task.id) + ": the required reading " + printable(path) +
                   " does not exist",
               {task.id, path});
      }
    }
  }

  // Of the tasks that touch one file, in an order that respects who waits for whom, all pairs are
  // looked at; where they are too many, neighbours: if those are ordered, all are.
  void shared_files(const Graph& graph, const Order& order) {
    std::unordered_map<std::string, std::vector<std::size_t>> touching;
    std::vector<std::string> names;  // in the order of the plan, so that warnings are too
    for (const std::size_t node : order.nodes) {
      for (const std::string& file : touched(tasks()[node])) {
        auto& list = touching[file];
        if (list.empty()) names.push_back(file);
        list.push_back(node);
      }
    }
    std::size_t all = 0;
    for (const auto& [name, list] : touching) all += list.size() * (list.size() - 1) / 2;
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    std::vector<const std::string*> files;
    for (const std::string& name : names) {
      const auto& list = touching[name];
      for (std::size_t i = 1; i < list.size(); ++i) {
        for (std::size_t k = all <= kMaxPairs ? 0 : i - 1; k < i && pairs.size() < kMaxPairs; ++k) {
          pairs.emplace_back(list[k], list[i]);
          files.push_back(&name);
        }
      }
    }
    const std::vector<bool> in_order = ordered(graph, order, pairs);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      if (in_order[i]) continue;
      const auto [low, high] = std::minmax(pairs[i].first, pairs[i].second);
      const Task& first = tasks()[low];
      const Task& second = tasks()[high];
      warn(ProblemKind::same_file, second.line,
           "tasks " + printable(first.id) + " and " + printable(second.id) + " both touch " +
               printable(*files[i]) + ", and neither waits for the other",
           {first.id, second.id, *files[i]});
    }
  }
};

}  // namespace

std::vector<std::string> touched(const Task& task) {
  std::vector<std::string> found;
  std::unordered_set<std::string> seen;
  const auto take = [&](const std::string& path) {
    if (found.size() < kMaxFilesOfATask && seen.insert(path).second) found.push_back(path);
  };
  for (const std::string& path : task.files) take(path);
  for (const std::string& path : paths_in(task.work)) take(path);
  return found;
}

void predict(Task& task) {
  task.predicted = touched(task);
  if (task.predicted.empty())
    for (const std::string& path : task.reading)
      if (task.predicted.size() < kMaxFilesOfATask && path.find("://") == std::string::npos)
        task.predicted.push_back(path);
  bool place = !task.predicted.empty() || !paths_in(task.title).empty() ||
               task.work.find('`') != std::string::npos;
  for (const std::string& criterion : task.criteria)
    place = place || criterion.find('`') != std::string::npos || !paths_in(criterion).empty();
  task.unclear = task.criteria.empty() || trimmed(task.work).empty() || !place;
}

void check(Checked& out, const std::vector<Lines>& lines, const ReadingExists& exists) {
  for (Task& task : out.plan.tasks) predict(task);
  Checker checker{out, lines, exists};
  checker.ids();
  checker.references();
  const Graph graph = graph_of(out.plan.tasks, checker.index);
  const Order order = order_of(graph);
  if (order.nodes.size() < out.plan.tasks.size()) checker.cycles(graph);
  checker.criteria();
  checker.unclear();
  checker.reading();
  checker.shared_files(graph, order);
  const auto by_line = [](const Problem& a, const Problem& b) { return a.line < b.line; };
  std::stable_sort(out.errors.begin(), out.errors.end(), by_line);
  std::stable_sort(out.warnings.begin(), out.warnings.end(), by_line);
}

Checked check_plan(Plan plan, const ReadingExists& exists) {
  Checked out;
  out.plan = std::move(plan);
  for (const Task& task : out.plan.tasks)
    if (!valid_id(task.id))
      out.errors.push_back({ProblemKind::bad_id,
                            task.line,
                            "the task id \"" + printable(task.id) + "\" cannot be used",
                            {}});
  check(out, {}, exists);
  return out;
}

std::string_view name_of(ProblemKind kind) {
  constexpr std::string_view kNames[] = {
      "not_text",         "too_large",    "no_title",          "no_tasks",  "bad_heading",
      "bad_id",           "duplicate_id", "unknown_reference", "cycle",     "nothing_can_start",
      "repeated_section", "unverifiable", "missing_reading",   "same_file", "unknown_label",
      "unclear"};
  static_assert(std::size(kNames) == enum_count<ProblemKind>());
  return kNames[static_cast<std::size_t>(kind)];
}

}  // namespace capsule::plan
