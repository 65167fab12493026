#include "event/pipeline.h"

#include <array>
#include <nlohmann/json.hpp>
#include <type_traits>

namespace capsule::event {
namespace {

using Json = nlohmann::ordered_json;

template <class E>
struct Name {
  E value;
  std::string_view text;
};

constexpr Name<Phase> kPhases[] = {
    {Phase::test_writer, "test-writer"}, {Phase::test_review, "test-review"},
    {Phase::execute, "execute"},         {Phase::execute_review, "execute-review"},
    {Phase::sign_off, "sign-off"},       {Phase::merge, "merge"},
};
constexpr Name<PhaseFault> kFaults[] = {
    {PhaseFault::none, "none"},
    {PhaseFault::no_signal, "no_signal"},
    {PhaseFault::exit_status, "exit_status"},
    {PhaseFault::timed_out, "timed_out"},
    {PhaseFault::not_started, "not_started"},
    {PhaseFault::interrupted, "interrupted"},
    {PhaseFault::lost, "lost"},
};
constexpr Name<Outcome> kOutcomes[] = {
    {Outcome::none, "none"},
    {Outcome::merged, "merged"},
    {Outcome::retries_exhausted, "retries_exhausted"},
    {Outcome::converged, "converged"},
    {Outcome::writer_needs_work, "writer_needs_work"},
    {Outcome::phase_error, "phase_error"},
    {Outcome::merge_needs_work, "merge_needs_work"},
    {Outcome::merge_refused, "merge_refused"},
    {Outcome::merge_error, "merge_error"},
    {Outcome::prep_failed, "prep_failed"},
    {Outcome::interrupted, "interrupted"},
    {Outcome::paused, "paused"},
    {Outcome::aborted, "aborted"},
    {Outcome::prepared, "prepared"},
};
constexpr Name<MergeRefusal> kRefusals[] = {
    {MergeRefusal::no_sign_off, "no_sign_off"},
    {MergeRefusal::nothing_to_merge, "nothing_to_merge"},
    {MergeRefusal::conflict, "conflict"},
    {MergeRefusal::foreign_commits, "foreign_commits"},
    {MergeRefusal::checkout_in_the_way, "checkout_in_the_way"},
    {MergeRefusal::verify_failed, "verify_failed"},
};
constexpr Name<signal::Status> kStatuses[] = {
    {signal::Status::pass, "PASS"},
    {signal::Status::needs_work, "NEEDS_WORK"},
    {signal::Status::error, "ERROR"},
};

constexpr const auto& names(Phase) { return kPhases; }
constexpr const auto& names(PhaseFault) { return kFaults; }
constexpr const auto& names(Outcome) { return kOutcomes; }
constexpr const auto& names(MergeRefusal) { return kRefusals; }
constexpr const auto& names(signal::Status) { return kStatuses; }

template <class E>
std::string_view text_of(E value) {
  for (const auto& row : names(value))
    if (row.value == value) return row.text;
  std::abort();
}

// One list of members a fact serves both directions.
template <class V>
void members(V& v, RunStarted& f) {
  v("bead", f.bead), v("title", f.title), v("provider", f.provider),
      v("max_retries", f.max_retries), v("convergence", f.convergence);
}
template <class V>
void members(V& v, WorktreeIntended& f) {
  v("worktree", f.worktree), v("branch", f.branch), v("base", f.base);
}
template <class V>
void members(V& v, WorktreeReady& f) {
  v("worktree", f.worktree), v("branch", f.branch), v("base", f.base);
}
template <class V>
void members(V& v, PhaseStarted& f) {
  v("phase", f.phase), v("number", f.number), v("attempt", f.attempt), v("feedback", f.feedback),
      v("provider", f.provider), v("model", f.model), v("by_hand", f.by_hand);
}
template <class V>
void members(V& v, PhaseFinished& f) {
  v("phase", f.phase), v("number", f.number), v("attempt", f.attempt), v("status", f.status),
      v("feedback", f.feedback), v("summary", f.summary), v("files_changed", f.files_changed),
      v("signal", f.signal), v("fault", f.fault), v("exit_code", f.exit_code), v("log", f.log),
      v("duration_ms", f.duration_ms);
}
template <class V>
void members(V& v, SnapshotTaken& f) {
  v("phase", f.phase), v("number", f.number), v("ref", f.ref), v("commit", f.commit),
      v("tree", f.tree), v("head", f.head);
}
template <class V>
void members(V& v, PhaseChecked& f) {
  v("phase", f.phase), v("number", f.number), v("passed", f.passed), v("feedback", f.feedback),
      v("claims", f.claims);
}
template <class V>
void members(V& v, Claim& f) {
  v("what", f.what), v("verdict", f.verdict), v("detail", f.detail);
}
template <class V>
void members(V& v, MergeIntended& f) {
  v("main_branch", f.main_branch), v("main_before", f.main_before);
}
template <class V>
void members(V& v, MergeDone& f) {
  v("commit", f.commit), v("adopted", f.adopted);
}
template <class V>
void members(V& v, MergeRefused& f) {
  v("why", f.why), v("detail", f.detail);
}
template <class V>
void members(V& v, RunArchived& f) {
  v("folder", f.folder);
}
template <class V>
void members(V&, WorktreeRemoved&) {}
template <class V>
void members(V&, BeadClosed&) {}
template <class V>
void members(V& v, RunEnded& f) {
  v("outcome", f.outcome), v("detail", f.detail);
}
template <class V>
void members(V& v, RunResumed& f) {
  v("max_retries", f.max_retries), v("at_merge", f.at_merge);
}

struct Writer {
  Json json = Json::object();
  template <class T>
  void operator()(const char* key, T& value) {
    json[key] = value_of(value);
  }
  template <class T>
  static Json value_of(T& value) {
    if constexpr (std::is_enum_v<T>) {
      return std::string(text_of(value));
    } else if constexpr (std::is_same_v<T, std::vector<Claim>>) {
      Json list = Json::array();
      for (Claim& claim : value) {
        Writer inner;
        members(inner, claim);
        list.push_back(std::move(inner.json));
      }
      return list;
    } else {
      return value;
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
    if (!(good &= from.is_string())) return;
    const auto text = from.get<std::string>();
    for (const auto& row : names(to)) {
      if (row.text == text) {
        to = row.value;
        return;
      }
    }
    good = false;
  }
  template <class T>
  void read(const Json& from, std::vector<T>& to) {
    if (!(good &= from.is_array())) return;
    for (const Json& item : from) read(item, to.emplace_back());
  }
  void read(const Json& from, Claim& to) {
    if (!(good &= from.is_object())) return;
    Reader inner{from};
    members(inner, to);
    good &= inner.good;
  }
};

constexpr std::string_view kKinds[] = {
    "run_started",    "worktree_intended", "worktree_ready", "phase_started", "phase_finished",
    "snapshot_taken", "phase_checked",     "merge_intended", "merge_done",    "merge_refused",
    "run_archived",   "worktree_removed",  "bead_closed",    "run_ended",     "run_resumed",
};
static_assert(std::size(kKinds) == std::variant_size_v<PipelineFact>);

template <std::size_t I = 0>
PipelineFact empty_fact(std::size_t index) {
  if constexpr (I < std::variant_size_v<PipelineFact>) {
    return index == I ? PipelineFact(std::in_place_index<I>) : empty_fact<I + 1>(index);
  } else {
    std::abort();
  }
}

}  // namespace

std::string_view name_of(Phase phase) { return text_of(phase); }
std::string_view name_of(Outcome outcome) { return text_of(outcome); }

std::optional<Phase> phase_named(std::string_view name) {
  for (const auto& row : kPhases)
    if (row.text == name) return row.value;
  return std::nullopt;
}

std::string_view kind_of(const PipelineFact& fact) { return kKinds[fact.index()]; }

std::string body_of(const PipelineFact& fact) {
  Writer writer;
  PipelineFact copy = fact;
  std::visit([&](auto& typed) { members(writer, typed); }, copy);
  // Agent text may hold bytes that are not UTF-8: they are stored as U+FFFD, never refused.
  return writer.json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<PipelineFact> read_fact(std::string_view kind, std::string_view body) {
  for (std::size_t i = 0; i < std::size(kKinds); ++i) {
    if (kKinds[i] != kind) continue;
    const Json json = Json::parse(body, nullptr, false);
    if (!json.is_object()) break;
    PipelineFact fact = empty_fact(i);
    Reader reader{json};
    std::visit([&](auto& typed) { members(reader, typed); }, fact);
    if (!reader.good) break;
    return fact;
  }
  return fail(Reason::damaged,
              "the journal holds a fact that cannot be read: " + std::string(kind));
}

}  // namespace capsule::event
