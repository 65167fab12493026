#include "event/work.h"

#include "event/common_codec.h"

namespace capsule::event::work {

template <class V>
void members(V& v, Pair& p) {
  v("name", p.name), v("text", p.text);
}
template <class V>
void members(V& v, Walls& w) {
  v("preset", w.preset), v("network", w.network), v("weaker", w.weaker), v("broker", w.broker);
}
template <class V>
void members(V& v, Order& o) {
  v("role", o.role), v("configured", o.configured), v("by_phase", o.by_phase),
      v("provider", o.provider), v("model", o.model), v("timeout_seconds", o.timeout_seconds),
      v("task", o.task), v("attempt", o.attempt), v("judges", o.judges),
      v("short_limit", o.short_limit), v("dialect", o.dialect), v("env", o.env),
      v("prompt", o.prompt), v("tree", o.tree), v("ref", o.ref), v("walls", o.walls);
}
template <class V>
void members(V& v, Report& r) {
  v("fault", r.fault), v("detail", r.detail), v("exit_code", r.exit_code), v("dialect", r.dialect),
      v("status", r.status), v("feedback", r.feedback), v("summary", r.summary), v("json", r.json),
      v("files_changed", r.files_changed), v("signal", r.signal), v("argument", r.argument),
      v("more", r.more), v("fields", r.fields), v("signals", r.signals), v("error", r.error),
      v("recoverable", r.recoverable), v("text", r.text), v("miss", r.miss),
      v("missed_line", r.missed_line), v("preview", r.preview), v("began_at", r.began_at),
      v("ended_at", r.ended_at), v("duration_ms", r.duration_ms), v("cost_micros", r.cost_micros),
      v("provider", r.provider), v("client", r.client), v("asked_model", r.asked_model),
      v("model", r.model), v("use", r.use), v("service_words", r.service_words),
      v("reset_at", r.reset_at), v("redacted", r.redacted), v("log", r.log), v("ref", r.ref),
      v("contained", r.contained), v("refused", r.refused);
}

namespace {

template <class T>
std::string text_from(const T& value) {
  std::string out;
  Writer writer{out};
  writer.write(const_cast<T&>(value));  // the list of members wants something it could write to
  return out;
}

template <class T>
Result<T> value_from(std::string_view text) {
  const auto json = Reader::Json::parse(text, nullptr, false);
  if (!json.is_object()) return fail(Reason::damaged, "what another machine said cannot be read");
  T value;
  Reader reader{json};
  members(reader, value);
  if (!reader.good) return fail(Reason::damaged, "what another machine said cannot be read");
  return value;
}

}  // namespace

std::string written(const Order& order) { return text_from(order); }
std::string written(const Report& report) { return text_from(report); }
Result<Order> read_order(std::string_view text) { return value_from<Order>(text); }
Result<Report> read_report(std::string_view text) { return value_from<Report>(text); }

}  // namespace capsule::event::work
