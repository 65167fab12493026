// Plans: a Markdown text becomes tasks, which are checked and scheduled. Pure functions over text;
// linear or n log n for every input, with bounded memory; results own their bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "event/delivery.h"

namespace capsule::plan {

using event::delivery::Limits;
using event::delivery::Task;

enum class ProblemKind {
  not_text,   // NUL bytes, or not UTF-8
  too_large,  // kMaxPlanBytes, kMaxTasks
  no_title,   // a warning
  no_tasks,
  bad_heading,  // `#### Task` without an id and a title; a warning: `### Task ID: Title`
  bad_id,       // with blanks, or what no branch or path may hold
  duplicate_id,
  unknown_reference,
  cycle,
  nothing_can_start,
  repeated_section,  // a warning
  unverifiable,      // a warning, and the rest too
  missing_reading,
  same_file,
  unknown_label,
  unclear,
};
std::string_view name_of(ProblemKind kind);

struct Problem {
  ProblemKind kind{};
  int line = 0;  // from 1; 0: the whole plan
  std::string text;
  std::vector<std::string> tasks;  // the ones it is about; of a cycle the whole path, closed
};

struct Plan {
  std::string title, overview;
  std::vector<std::string> phases;
  std::vector<Task> tasks;  // in the order of the text
};

struct Checked {
  Plan plan;
  std::vector<Problem> errors;    // all of them, by line; a plan with one is rejected
  std::vector<Problem> warnings;  // at most kMaxWarnings, by line
  bool ok() const { return errors.empty(); }
};

inline constexpr std::size_t kMaxPlanBytes = std::size_t{32} << 20;
inline constexpr std::size_t kMaxTasks = 100'000;
inline constexpr std::size_t kMaxProblems = 10'000;

// Whether a file that a task has to read is there. Called once for each different path.
using ReadingExists = std::function<bool(const std::string& path)>;

// Reads a Markdown plan and checks it. Without `exists` no reading is missing.
Checked read_plan(std::string_view text, const ReadingExists& exists = {});
// The same checks for tasks that come from elsewhere (a feature or epic bead): fills in
// `predicted` and `unclear`.
Checked check_plan(Plan plan, const ReadingExists& exists = {});

// `predicted` and `unclear` of one task, from its other members.
void predict(Task& task);

// ---- The schedule. Requires: no errors.

struct Schedule {
  std::vector<std::vector<std::size_t>> waves;  // indices of tasks that can run at the same time
  std::vector<std::size_t> critical_path;       // the longest chain, in tasks
};
Schedule schedule_of(const Plan& plan);

// ---- The bound

struct Bound {
  std::int64_t runs = 0;  // the most agent runs between two answers of a person
  std::map<std::string, std::int64_t> by_role;
  double money = 0;  // runs by role times price; 0 without prices
  bool priced = false;
  std::vector<std::string> unpriced;  // roles that have runs and no price, when others have one
};
// `prices`: of one run, by role name ("developer"); "" stands for the others.
Bound bound_of(const Plan& plan, const Limits& limits, bool experts,
               const std::map<std::string, double>& prices = {});

// ---- What it will probably cost

// What earlier deliveries of the project came to, from its journal.
struct Experience {
  int deliveries = 0;
  std::int64_t tasks = 0;                    // that agents worked on
  std::map<std::string, std::int64_t> runs;  // by role
  // By role, of those runs whose cost is known.
  struct Cost {
    std::int64_t runs = 0;
    double sum = 0, most = 0;
  };
  std::map<std::string, Cost> costs = {};
};

// What one run costs, by role; "" stands for those that are not named.
struct RunPrices {
  enum class From { unknown, assumption, journal, configuration } from{};  // most of them
  std::map<std::string, double> likely, most;  // `most`: the dearest that is known
  std::string because;                         // for people: from what it was told
};
std::string_view name_of(RunPrices::From from);  // "journal", …
// What is configured counts; else what runs of that role did cost, else the mean of the others;
// without any of that what is assumed, which the caller has made from prices of tokens as
// `assumption` says.
RunPrices prices_of(const std::map<std::string, double>& configured, const Experience& experience,
                    const std::map<std::string, double>& assumed = {},
                    const std::string& assumption = {});

struct Likely {
  std::int64_t runs = 0;
  std::map<std::string, std::int64_t> by_role;
  double money = 0;  // as in Bound
  bool priced = false;
  std::vector<std::string> unpriced;
  bool measured = false;  // by experience; else by assumption
  std::string because;    // for people: from what it was told
};
// As many runs a task as experience has; without any it is assumed what `because` says.
Likely likely_of(const Plan& plan, const Experience& experience, bool experts,
                 const std::map<std::string, double>& prices = {});

// ---- A changed plan

struct Changes {
  std::vector<Task> added, changed;
  std::vector<std::string> removed;
  bool any() const { return !added.empty() || !changed.empty() || !removed.empty(); }
};
Changes compare(const std::vector<Task>& before, const std::vector<Task>& after);

}  // namespace capsule::plan
