#include "event/auto.h"

#include <nlohmann/json.hpp>
#include <type_traits>

namespace capsule::event::auto_run {
namespace {

using Json = nlohmann::ordered_json;

template <class E>
struct Name {
  E value;
  std::string_view text;
};

constexpr Name<Why> kWhys[] = {{Why::fresh, "fresh"},
                               {Why::go_on, "go_on"},
                               {Why::retry, "retry"},
                               {Why::mend, "mend"},
                               {Why::restart, "restart"}};
constexpr Name<Fault> kFaults[] = {
    {Fault::none, "none"},           {Fault::exit_status, "exit_status"},
    {Fault::timed_out, "timed_out"}, {Fault::not_started, "not_started"},
    {Fault::lost, "lost"},           {Fault::interrupted, "interrupted"}};
constexpr Name<Verdict> kVerdicts[] = {{Verdict::approved, "APPROVED"},
                                       {Verdict::needs_fix, "NEEDS_FIX"},
                                       {Verdict::rejected, "REJECTED"}};
constexpr Name<Outcome> kOutcomes[] = {{Outcome::none, "none"},
                                       {Outcome::complete, "complete"},
                                       {Outcome::max_iterations, "max_iterations"},
                                       {Outcome::needs_person, "needs_person"},
                                       {Outcome::checks_failed, "checks_failed"},
                                       {Outcome::not_approved, "not_approved"},
                                       {Outcome::merge_refused, "merge_refused"},
                                       {Outcome::error, "error"},
                                       {Outcome::interrupted, "interrupted"},
                                       {Outcome::cancelled, "cancelled"}};

constexpr const auto& names(Why) { return kWhys; }
constexpr const auto& names(Fault) { return kFaults; }
constexpr const auto& names(Verdict) { return kVerdicts; }
constexpr const auto& names(Outcome) { return kOutcomes; }

template <class E>
std::string_view text_of(E value) {
  if constexpr (std::is_same_v<E, Phase>) {
    return signal::name_of(value);
  } else {
    for (const auto& row : names(value))
      if (row.value == value) return row.text;
    std::abort();
  }
}

template <class E>
bool read_name(const std::string& text, E& to) {
  if constexpr (std::is_same_v<E, Phase>) {
    const auto phase = signal::phase_named(text);
    if (phase) to = *phase;
    return phase.has_value();
  } else {
    for (const auto& row : names(to)) {
      if (row.text != text) continue;
      to = row.value;
      return true;
    }
    return false;
  }
}

// One list of members a fact serves both directions.
template <class V>
void members(V& v, Started& f) {
  v("task", f.task), v("provider", f.provider), v("in_place", f.in_place),
      v("has_checks", f.has_checks), v("skip_expansion", f.skip_expansion), v("skip_qa", f.skip_qa),
      v("skip_review", f.skip_review), v("skip_reflect", f.skip_reflect), v("parallel", f.parallel),
      v("max_iterations", f.max_iterations), v("at", f.at);
}
template <class V>
void members(V& v, PlaceReady& f) {
  v("folder", f.folder), v("at", f.at);
}
template <class V>
void members(V& v, TurnStarted& f) {
  v("phase", f.phase), v("number", f.number), v("attempt", f.attempt), v("why", f.why),
      v("session", f.session), v("resumes", f.resumes), v("at", f.at);
}
template <class V>
void members(V& v, TurnFinished& f) {
  v("phase", f.phase), v("number", f.number), v("signals", f.signals), v("error", f.error),
      v("recoverable", f.recoverable), v("fault", f.fault), v("exit_code", f.exit_code),
      v("log", f.log), v("duration_ms", f.duration_ms), v("at", f.at);
}
template <class V>
void members(V& v, ChecksDone& f) {
  v("passed", f.passed), v("feedback", f.feedback), v("at", f.at);
}
template <class V>
void members(V& v, ReviewVerdict& f) {
  v("type", f.type), v("verdict", f.verdict), v("issues", f.issues), v("timestamp", f.timestamp),
      v("started_at", f.started_at), v("ended_at", f.ended_at), v("log", f.log);
}
template <class V>
void members(V& v, Reviewed& f) {
  v("verdicts", f.verdicts), v("at", f.at);
}
template <class V>
void members(V& v, MergeDone& f) {
  v("commit", f.commit), v("nothing", f.nothing), v("at", f.at);
}
template <class V>
void members(V& v, PlaceRemoved& f) {
  v("at", f.at);
}
template <class V>
void members(V& v, Ended& f) {
  v("outcome", f.outcome), v("detail", f.detail), v("at", f.at);
}
template <class V>
void members(V& v, Resumed& f) {
  v("at", f.at);
}
template <class V>
void members(V& v, SessionSeen& f) {
  v("state", f.state), v("at", f.at);
}

struct Writer {
  Json json = Json::object();
  template <class T>
  void operator()(const char* key, T& value) {
    if constexpr (std::is_enum_v<T>) {
      json[key] = std::string(text_of(value));
    } else if constexpr (std::is_same_v<T, std::vector<ReviewVerdict>>) {
      json[key] = Json::array();
      for (ReviewVerdict& item : value) {
        Writer inner;
        members(inner, item);
        json[key].push_back(std::move(inner.json));
      }
    } else {
      json[key] = value;
    }
  }
};

// A member that is missing keeps its default; one of another type makes the whole fact damaged.
struct Reader {
  const Json& json;
  bool good = true;
  template <class T>
  void operator()(const char* key, T& value) {
    const auto found = json.find(key);
    if (found != json.end()) read(*found, value);
  }
  void read(const Json& from, std::string& to) {
    if ((good &= from.is_string())) to = from.get<std::string>();
  }
  void read(const Json& from, bool& to) {
    if ((good &= from.is_boolean())) to = from.get<bool>();
  }
  template <class T>
    requires std::is_integral_v<T>
  void read(const Json& from, T& to) {
    if ((good &= from.is_number_integer())) to = from.get<T>();
  }
  template <class E>
    requires std::is_enum_v<E>
  void read(const Json& from, E& to) {
    if ((good &= from.is_string())) good &= read_name(from.get<std::string>(), to);
  }
  template <class T>
  void read(const Json& from, std::vector<T>& to) {
    if (!(good &= from.is_array())) return;
    for (const Json& item : from) read(item, to.emplace_back());
  }
  void read(const Json& from, ReviewVerdict& to) {
    if (!(good &= from.is_object())) return;
    Reader inner{from};
    members(inner, to);
    good &= inner.good;
  }
};

constexpr std::string_view kKinds[] = {
    "auto_started", "auto_place_ready", "auto_turn_started", "auto_turn_finished",
    "auto_checked", "auto_reviewed",    "auto_merged",       "auto_place_removed",
    "auto_ended",   "auto_resumed",     "auto_session_seen",
};
static_assert(std::size(kKinds) == std::variant_size_v<Fact>);

template <std::size_t I = 0>
Fact empty_fact(std::size_t index) {
  if constexpr (I < std::variant_size_v<Fact>) {
    return index == I ? Fact(std::in_place_index<I>) : empty_fact<I + 1>(index);
  } else {
    std::abort();
  }
}

}  // namespace

std::string_view name_of(Outcome outcome) { return text_of(outcome); }
std::string_view name_of(Verdict verdict) { return text_of(verdict); }
std::string_view name_of(Why why) { return text_of(why); }
std::string_view name_of(Fault fault) { return text_of(fault); }

std::string_view kind_of(const Fact& fact) { return kKinds[fact.index()]; }

std::string body_of(const Fact& fact) {
  Writer writer;
  Fact copy = fact;
  std::visit([&](auto& typed) { members(writer, typed); }, copy);
  // Agent text may hold bytes that are not UTF-8: they are stored as U+FFFD, never refused.
  return writer.json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<Fact> read_fact(std::string_view kind, std::string_view body) {
  for (std::size_t i = 0; i < std::size(kKinds); ++i) {
    if (kKinds[i] != kind) continue;
    const Json json = Json::parse(body, nullptr, false);
    if (!json.is_object()) break;
    Fact fact = empty_fact(i);
    Reader reader{json};
    std::visit([&](auto& typed) { members(reader, typed); }, fact);
    if (!reader.good) break;
    return fact;
  }
  return fail(Reason::damaged,
              "the journal holds a fact that cannot be read: " + std::string(kind));
}

const std::string& time_of(const Fact& fact) {
  return std::visit([](const auto& typed) -> const std::string& { return typed.at; }, fact);
}

}  // namespace capsule::event::auto_run
