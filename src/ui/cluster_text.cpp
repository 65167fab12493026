#include "ui/cluster_text.h"

#include "base/text.h"
#include "json/value.h"

namespace capsule::ui {
namespace {

// A worker is heard of much more often.
constexpr int kSilentSeconds = 60;

std::string labels_text(const std::vector<std::string>& labels) {
  std::string text;
  for (const std::string& label : labels) text += (text.empty() ? "" : ", ") + printable(label);
  return text;
}

}  // namespace

std::string missing_in(const world::Database& found) {
  if (found.version == 0)
    return "There is no journal, or none that this user may use.\n  its owner makes it: capsule "
           "cluster init ADDRESS\n";
  if (found.version < found.known)
    return "The journal has version " + std::to_string(found.version) + "; this capsule needs " +
           std::to_string(found.known) + ".\n  its owner renews it: capsule cluster init ADDRESS\n";
  if (found.version > found.known)
    return "The journal was made by a newer capsule (version " + std::to_string(found.version) +
           "; this one knows " + std::to_string(found.known) + ").\n  update capsule\n";
  if (found.project.empty())
    return "It does not know this project.\n  its owner adds it: capsule cluster init ADDRESS\n";
  return {};
}

std::string database_text(const world::Database& found) {
  std::string text = "Database " + found.address + ", PostgreSQL " + printable(found.server) + "\n";
  if (const std::string missing = missing_in(found); !missing.empty()) return text + missing;
  text += "Project " + printable(found.project) + ": " + counted(found.runs, "run") + "\n";
  text += found.synchronous.empty()
              ? "No standby has what is committed: it is as safe as this one server's disk\n"
              : "Commits wait for " + printable(found.synchronous) + "\n";
  text += found.remote.empty() ? "Main is not shared: each clone merges into its own\n"
                               : "Main is that of " + found.remote + "\n";
  for (const engine::Holder& holder : found.at_work)
    text += "  " + printable(holder.subject) + "  process " + std::to_string(holder.process.pid) +
            " on " + printable(holder.process.host) + ", since " + printable(holder.since) + "\n";
  for (const engine::WorkerSeen& worker : found.workers)
    text +=
        "  worker " + std::to_string(worker.id) + " on " + printable(worker.name) + ": " +
        std::to_string(worker.busy) + " of " + std::to_string(worker.slots) + " at work" +
        (worker.state == engine::WorkerState::active ? ""
                                                     : ", " + std::string(name_of(worker.state))) +
        (worker.silent_seconds > kSilentSeconds
             ? ", silent for " + std::to_string(worker.silent_seconds) + " s"
             : "") +
        "; " + labels_text(worker.labels) + "\n";
  for (const engine::QueueSeen& queue : found.queue)
    text += "  " + std::to_string(queue.waiting) + " waiting, " + std::to_string(queue.claimed) +
            " at work" + (queue.needs.empty() ? "" : ", for " + labels_text(queue.needs)) +
            (queue.workers == 0 ? ": no worker serves that" : "") + "\n";
  return text;
}

std::string database_json(const world::Database& found) {
  json::Value at_work = json::Value::array();
  for (const engine::Holder& holder : found.at_work)
    at_work.push_back(json::Value{{"subject", holder.subject},
                                  {"run", holder.run},
                                  {"host", holder.process.host},
                                  {"pid", holder.process.pid},
                                  {"since", holder.since}});
  json::Value workers = json::Value::array(), queue = json::Value::array();
  for (const engine::WorkerSeen& worker : found.workers)
    workers.push_back(json::Value{{"id", worker.id},
                                  {"host", worker.name},
                                  {"state", name_of(worker.state)},
                                  {"labels", worker.labels},
                                  {"slots", worker.slots},
                                  {"busy", worker.busy},
                                  {"silent_seconds", worker.silent_seconds}});
  for (const engine::QueueSeen& one : found.queue)
    queue.push_back(json::Value{{"needs", one.needs},
                                {"waiting", one.waiting},
                                {"at_work", one.claimed},
                                {"workers", one.workers}});
  const json::Value all{{"address", found.address}, {"server", found.server},
                        {"version", found.version}, {"known", found.known},
                        {"project", found.project}, {"synchronous", found.synchronous},
                        {"remote", found.remote},   {"runs", static_cast<std::int64_t>(found.runs)},
                        {"at_work", at_work},       {"workers", workers},
                        {"queue", queue},           {"ready", missing_in(found).empty()}};
  return all.compact() + "\n";
}

}  // namespace capsule::ui
