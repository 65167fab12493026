#include "ui/agents_text.h"

#include <algorithm>

#include "base/text.h"
#include "json/value.h"
#include "ui/usage_text.h"
#include "ui/view/view.h"

namespace capsule::ui {
namespace {

using world::AgentsOfRun;
using world::Parking;
using world::ProviderState;
using Json = json::Value;

int count_of(const std::vector<AgentsOfRun>& list) {
  int count = 0;
  for (const AgentsOfRun& one : list) count += one.count;
  return count;
}

// "3 agents: 2 in PLAN.md, 1 in demo-1"
std::string runs_words(const std::vector<AgentsOfRun>& list) {
  std::string text = counted(count_of(list), "agent") + ": ";
  for (const AgentsOfRun& one : list)
    text += (&one == list.data() ? "" : ", ") + std::to_string(one.count) + " in " +
            printable(one.name);
  return text;
}

// One that only the journal or a parking still names has no program that could be there.
std::string missing_words(const ProviderState& one) {
  return one.program.empty() && !one.configured ? "no longer configured" : "not installed";
}

std::string state_words(const ProviderState& one) {
  if (one.machine) return "parked " + parking_words(*one.machine);
  if (!one.parked_in.empty()) return "parked in " + counted(one.parked_in.size(), "run");
  return one.found ? "free" : missing_words(one);
}

Tone tone_of_state(const ProviderState& one) {
  if (one.parked()) return Tone::warn;
  return one.found ? Tone::good : Tone::quiet;
}

std::string said_by(const Parking& parking, std::string_view indent) {
  if (parking.words.empty()) return {};
  return std::string(indent) + "its client: " + fitted(parking.words, 160) + "\n";
}

std::string provider_text(const ProviderState& one, std::size_t width, const Style& style) {
  const std::string indent(width + 2, ' ');
  std::string text = padded(printable(one.name), width + 2) +
                     toned(style, tone_of_state(one), state_words(one)) +
                     (one.found || !one.parked() ? "" : "; " + missing_words(one)) + "\n";
  if (one.machine) text += said_by(*one.machine, indent);
  for (const world::ParkedRun& run : one.parked_in) {
    // What the whole machine goes by is said above.
    const bool same = one.machine && one.machine->until == run.parking.until;
    if (same && run.live) continue;
    text += indent + "in " + printable(run.name) + (run.live ? "" : ", which is not running") +
            (same ? "" : ": " + parking_words(run.parking)) + "\n";
    if (!same) text += said_by(run.parking, indent + "  ");
  }
  if (!one.running.empty()) text += indent + "works: " + runs_words(one.running) + "\n";
  if (!one.waiting.empty()) text += indent + "waits: " + runs_words(one.waiting) + "\n";
  if (one.today.calls > 0)
    text += indent + "today: " + counted(one.today.calls, "call") + ", " + usage_words(one.today) +
            "\n";
  if (one.parked()) text += indent + "lift it: capsule agents resume " + printable(one.name) + "\n";
  return text;
}

void add_parking(Json& json, const Parking& parking) {
  json["until"] = parking.until > 0 ? Json(parking.until) : Json();
  json["guessed"] = parking.guessed;
  json["why"] = event::name_of(parking.fault);
  json["words"] = parking.words.empty() ? Json() : Json(parking.words);
}

Json runs_list(const std::vector<AgentsOfRun>& list) {
  Json runs = Json::array();
  for (const AgentsOfRun& one : list)
    runs.push_back({{"run", one.run}, {"name", one.name}, {"agents", one.count}});
  return runs;
}

}  // namespace

std::string parking_words(const Parking& parking) {
  return (parking.until > 0
              ? "until " + view::time_words(parking.until) + (parking.guessed ? " (a guess)" : "")
              : std::string("until a person lifts it")) +
         ": " + std::string(view::service_words(parking.fault));
}

std::string agents_table(const std::vector<ProviderState>& providers, const Style& style) {
  std::size_t width = 8;
  for (const ProviderState& one : providers) width = std::max(width, printable(one.name).size());
  std::string text;
  for (const ProviderState& one : providers) text += provider_text(one, width, style);
  return text;
}

std::string agents_json(const std::vector<ProviderState>& providers) {
  Json list = Json::array();
  for (const ProviderState& one : providers) {
    Json json{{"provider", one.name},
              {"state", one.parked() ? "parked" : one.found ? "free" : "missing"},
              {"configured", one.configured},
              {"program", one.program.empty() ? Json() : Json(one.program)},
              {"found", one.found},
              {"parking", nullptr}};
    if (one.machine) {
      Json parking = Json::object();
      add_parking(parking, *one.machine);
      parking["since"] = one.machine->since > 0 ? Json(one.machine->since) : Json();
      json["parking"] = parking;
    }
    Json runs = Json::array();
    for (const world::ParkedRun& run : one.parked_in) {
      Json row{{"run", run.run}, {"name", run.name}, {"live", run.live}};
      add_parking(row, run.parking);
      runs.push_back(std::move(row));
    }
    json["parked_in"] = runs;
    json["running"] = runs_list(one.running);
    json["waiting"] = runs_list(one.waiting);
    json["today"] = usage_json(one.today);
    list.push_back(std::move(json));
  }
  return list.compact() + "\n";
}

std::string lifted_text(const world::ProviderState& state) {
  if (!state.parked())
    return "An agent that waits after a fault of " + state.name + " tries now.\n";
  std::vector<std::string> live;
  std::string text;
  for (const world::ParkedRun& run : state.parked_in) {
    if (run.live)
      live.push_back(run.name);
    else if (!run.go_on.empty())
      text += "Go on with: " + run.go_on + "\n";
  }
  if (!live.empty()) text = "Goes on by itself: " + short_list(live) + "\n" + text;
  return state.name + " is free again.\n" + text;
}

}  // namespace capsule::ui
