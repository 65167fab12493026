#include "ui/snapshot_text.h"

#include <algorithm>
#include <ctime>

#include "base/text.h"
#include "json/value.h"

namespace capsule::ui {
namespace {

std::string date_of(long time) {
  const std::time_t at = time;
  std::tm parts{};
  ::gmtime_r(&at, &parts);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%SZ", &parts)};
}

}  // namespace

std::string snapshot_lines(const std::vector<world::Snapshot>& snapshots) {
  std::string text;
  for (const world::Snapshot& one : snapshots)
    text += padded(one.name, 44) + padded(date_of(one.time), 22) + one.commit.substr(0, 12) + "  " +
            printable(one.subject) + "\n";
  return text;
}

std::string snapshots_json(const std::vector<world::Snapshot>& snapshots) {
  auto rows = json::Value::array();
  for (const world::Snapshot& one : snapshots)
    rows.push_back({{"name", one.name},
                    {"ref", one.ref},
                    {"commit", one.commit},
                    {"at", date_of(one.time)},
                    {"subject", one.subject},
                    {"run", one.run},
                    {"task", one.task.empty() ? json::Value() : json::Value(one.task)}});
  return rows.compact() + "\n";
}

std::string collection_text(const world::Collection& collection, bool dry_run,
                            const std::string& option) {
  std::string text;
  for (const world::Snapshot& one : collection.old)
    text += (dry_run ? "would remove " : "removed ") + one.name + "  " + date_of(one.time) + "\n";
  text += counted(collection.old.size(), "snapshot") +
          (dry_run ? " would be removed" : " removed") + "\n";
  if (collection.needed.empty()) return text;
  const bool one = collection.needed.size() == 1;
  text += counted(collection.needed.size(), "older snapshot") + (one ? " stays" : " stay") +
          ": what " + short_list(collection.runs) + " can still go on with\n";
  const auto rescued = std::count_if(collection.needed.begin(), collection.needed.end(),
                                     [](const world::Snapshot& each) { return each.rescued; });
  if (rescued > 0)
    text += std::to_string(rescued) + " of them rescued by a clean-up: capsule gc " +
            collection.runs.front() + option + " lets go of these\n";
  return text;
}

}  // namespace capsule::ui
