#include "auto_state/document.h"

#include "base/text.h"
#include "json/text.h"

namespace capsule::auto_state {
namespace {

using auto_mode::Config;
using auto_mode::PhaseRecord;
using auto_mode::State;

struct Flag {
  std::string_view name;
  bool Config::*member;
};
constexpr Flag kFlags[] = {{"skip_expansion", &Config::skip_expansion},
                           {"skip_qa", &Config::skip_qa},
                           {"skip_review", &Config::skip_review},
                           {"skip_reflect", &Config::skip_reflect},
                           {"verbose", &Config::verbose},
                           {"no_questions", &Config::no_questions},
                           {"parallel_validation", &Config::parallel_validation}};

std::string_view phase_name(std::size_t index) {
  return signal::name_of(static_cast<signal::Phase>(index));
}

tl::unexpected<Error> damaged(std::string_view what) {
  return fail(Reason::damaged, "auto-state.json: " + std::string(what));
}

// A text, where null and nothing at all mean the empty one.
Result<void> read_text(const json::Object& json, std::string_view key, std::string& into) {
  if (json.is_null_or_absent(key)) return {};
  const auto value = json.text(key);
  if (!value) return damaged(std::string(key) + " is not a string");
  into = *value;
  return {};
}

Result<void> read_count(const json::Object& json, std::string_view key, std::int64_t& into) {
  if (json.is_null_or_absent(key)) return {};
  const auto value = json.integer(key);
  if (!value) return damaged(std::string(key) + " is not a number");
  if (*value < 0) return damaged(std::string(key) + " is negative");
  into = *value;
  return {};
}

PhaseRecord read_phase(const json::Object& json) {
  PhaseRecord record;
  record.signal_detected = json.boolean("signal_detected").value_or(false);
  record.skipped = json.boolean("skipped").value_or(false);
  record.started_at = json.text("started_at").value_or("");
  record.completed_at = json.text("completed_at").value_or("");
  return record;
}

void write_phase(json::Object& json, std::string_view name, const PhaseRecord& record) {
  json::Object phase = json.object(name);
  if (json.find(name) != nullptr && read_phase(phase) == record) return;
  phase.set_boolean("signal_detected", record.signal_detected);
  if (record.skipped || phase.find("skipped") != nullptr)
    phase.set_boolean("skipped", record.skipped);
  if (!record.started_at.empty() || phase.find("started_at") != nullptr)
    phase.set_text_or_null("started_at", record.started_at);
  if (!record.completed_at.empty() || phase.find("completed_at") != nullptr)
    phase.set_text_or_null("completed_at", record.completed_at);
  json.set(name, phase.compact());
}

std::string detected_json(const auto_mode::Detected& detected) {
  return "{\"signal\":" + json::quoted(detected.signal) +
         ",\"detected_at\":" + json::quoted(detected.at) + "}";
}

// Entries that are there stay as their writer made them; only new ones are added.
std::string signals_json(const json::Object& before, const State& state) {
  json::Object signals = before;
  std::vector<std::string> entries = signals.elements("detected_signals");
  if (entries.size() > state.detected.size()) entries.clear();
  for (std::size_t i = entries.size(); i < state.detected.size(); ++i)
    entries.push_back(detected_json(state.detected[i]));
  signals.set_text_or_null("last_checked", state.last_checked);
  signals.set("detected_signals", json::array(entries));
  return signals.compact();
}

}  // namespace

Result<Document> read_document(std::string_view text) {
  auto json = json::Object::parse(text);
  if (!json) return damaged("it is not a JSON object");
  const std::string* version = json->find("schema_version");
  if (version != nullptr && *version != "null" && *version != "\"2\"" && *version != "2" &&
      !version->starts_with("\"2.") && !version->starts_with("2."))
    return fail(Reason::refused,
                "auto-state.json has schema version " + printable(*version) + ", not 2.0",
                "it was left alone; remove it, or finish it with the tool that wrote it");
  State state;
  if (!json->is_null_or_absent("active")) {
    const auto active = json->boolean("active");
    if (!active) return damaged("active is neither true nor false");
    state.active = *active;
  }
  TRY_VOID(read_text(*json, "phase", state.phase));
  TRY_VOID(read_count(*json, "iteration", state.iteration));
  TRY_VOID(read_count(*json, "max_iterations", state.max_iterations));
  TRY_VOID(read_text(*json, "task_description", state.task));
  TRY_VOID(read_text(*json, "session_id", state.session));
  state.started_at = json->text("started_at").value_or("");
  state.completed_at = json->text("completed_at").value_or("");
  state.last_error = json->text("last_error").value_or("");
  state.exit_reason = auto_mode::exit_reason_named(json->text("exit_reason").value_or(""))
                          .value_or(auto_mode::ExitReason::none);
  const json::Object config = json->object("config");
  for (const Flag& flag : kFlags)
    state.config.*flag.member = config.boolean(flag.name).value_or(state.config.*flag.member);
  const json::Object durations = json->object("phase_durations");
  for (std::size_t i = 0; i < auto_mode::kPhases; ++i) {
    state.phases[i] = read_phase(json->object(phase_name(i)));
    state.phases[i].duration_s = durations.integer(phase_name(i));
  }
  const json::Object signals = json->object("signals");
  state.last_checked = signals.text("last_checked").value_or("");
  const std::vector<std::string> detected = signals.elements("detected_signals");
  if (detected.size() > auto_mode::kMaxDetected)
    return damaged("it lists " + std::to_string(detected.size()) + " signals; " +
                   std::to_string(auto_mode::kMaxDetected) + " are the most that make sense");
  for (const std::string& element : detected) {
    const json::Object entry = json::Object::parse(element).value_or(json::Object());
    state.detected.push_back(
        {entry.text("signal").value_or(""), entry.text("detected_at").value_or("")});
  }
  const json::Object last_stop = json->object("last_stop");
  state.last_stop = {last_stop.text("id").value_or(""), last_stop.text("at").value_or(""),
                     last_stop.integer("ticks").value_or(0)};
  return Document{*std::move(json), std::move(state)};
}

std::string write_document(const json::Object& before, const State& state) {
  json::Object json = before;
  if (json.find("schema_version") == nullptr) json.set_text("schema_version", kSchemaVersion);
  json.set_boolean("active", state.active);
  json.set_text("phase", state.phase);
  json.set_integer("iteration", state.iteration);
  json.set_integer("max_iterations", state.max_iterations);
  json.set_text("task_description", state.task);
  json.set_text_or_null("started_at", state.started_at);
  json.set_text_or_null("completed_at", state.completed_at);
  json.set_text_or_null("session_id", state.session);
  json::Object config = json.object("config");
  for (const Flag& flag : kFlags) config.set_boolean(flag.name, state.config.*flag.member);
  json.set("config", config.compact());
  json::Object durations = json.object("phase_durations");
  for (std::size_t i = 0; i < auto_mode::kPhases; ++i) {
    PhaseRecord record = state.phases[i];
    if (record.duration_s && durations.integer(phase_name(i)) != record.duration_s)
      durations.set_integer(phase_name(i), *record.duration_s);
    record.duration_s.reset();
    write_phase(json, phase_name(i), record);
  }
  json.set("signals", signals_json(json.object("signals"), state));
  json.set("phase_durations", durations.compact());
  if (!state.last_stop.at.empty() || json.find("last_stop") != nullptr) {
    json::Object last_stop;
    last_stop.set_text_or_null("id", state.last_stop.id);
    last_stop.set_text_or_null("at", state.last_stop.at);
    last_stop.set_integer("ticks", state.last_stop.ticks);
    json.set("last_stop", last_stop.compact());
  }
  const auto reason = auto_mode::name_of(state.exit_reason);
  // A reason that we do not know stays as long as the state does not say another.
  if (!reason.empty() || state.active || json.find("exit_reason") == nullptr)
    json.set_text_or_null("exit_reason", reason);
  const bool other_error = !json.is_null_or_absent("last_error") && !json.text("last_error");
  if (!state.last_error.empty() || !other_error)
    json.set_text_or_null("last_error", state.last_error);
  return json.pretty();
}

}  // namespace capsule::auto_state
