// The wire form of facts is pinned by tests/golden (see the README there): what a journal of
// version 1 holds is read, and nothing of it is lost or changed; and no member of a fact can be
// forgotten by the code that writes and reads it.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/enum_count.h"
#include "event/auto.h"
#include "event/delivery.h"
#include "event/pipeline.h"
#include "event/supply.h"
#include "tests/golden/members.h"

namespace capsule::event {
namespace {

using Json = nlohmann::ordered_json;

// The vocabularies under one set of names: the workflows', and the one that they share.
struct Pipeline {
  static constexpr const char* kName = "pipeline";
  using Fact = PipelineFact;
  static Result<Fact> read(std::string_view kind, std::string_view body) {
    return read_fact(kind, body);
  }
};
struct Auto {
  static constexpr const char* kName = "auto";
  using Fact = auto_run::Fact;
  static Result<Fact> read(std::string_view kind, std::string_view body) {
    return auto_run::read_fact(kind, body);
  }
};
struct Delivery {
  static constexpr const char* kName = "delivery";
  using Fact = delivery::DeliveryFact;
  static Result<Fact> read(std::string_view kind, std::string_view body) {
    return delivery::read_fact(kind, body);
  }
};

struct Supply {
  static constexpr const char* kName = "supply";
  using Fact = supply::Fact;
  static Result<Fact> read(std::string_view kind, std::string_view body) {
    return supply::read_fact(kind, body);
  }
};

std::vector<std::string> golden_lines(const std::string& name) {
  std::ifstream file(CAPSULE_SOURCE_DIR "/tests/golden/" + name);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  EXPECT_FALSE(lines.empty()) << name;
  return lines;
}

// The bodies of a workflow's lines by their kind, as they stand in the file.
std::map<std::string, std::string> bodies(const std::string& workflow,
                                          const char* file = "journal-v1.jsonl") {
  std::map<std::string, std::string> found;
  for (const std::string& line : golden_lines(file)) {
    const Json json = Json::parse(line, nullptr, false);
    EXPECT_TRUE(json.is_object()) << line;
    if (!json.is_object() || json.value("workflow", "") != workflow) continue;
    const std::size_t at = line.find(",\"body\":") + 8;
    EXPECT_TRUE(found.emplace(json.value("kind", ""), line.substr(at, line.size() - at - 1)).second)
        << "twice: " << line;
  }
  return found;
}

// Every member of the struct stands in the text that a fact is written as: none can be forgotten by
// the list of members().
template <class T>
void expect_all_members(const T& /*record*/, const std::string& body) {
  const Json json = Json::parse(body);
  EXPECT_EQ(json.size(), test::member_count<T>())
      << body << ": the list of members() and the struct differ";
}

// What was there in version 1 is there now, as it was; a fact may have grown since.
void expect_kept(const Json& before, const Json& now, const std::string& where) {
  if (!before.is_object()) {
    if (!before.is_array() || before.empty() || !before.front().is_object()) {
      EXPECT_EQ(before, now) << where;
      return;
    }
    ASSERT_EQ(before.size(), now.size()) << where;
    for (std::size_t i = 0; i < before.size(); ++i) expect_kept(before[i], now[i], where + "[]");
    return;
  }
  for (const auto& [name, value] : before.items()) {
    ASSERT_TRUE(now.contains(name)) << where << "." << name;
    expect_kept(value, now[name], where + "." + name);
  }
}

template <class Workflow>
class Golden : public ::testing::Test {};
using Workflows = ::testing::Types<Pipeline, Auto, Delivery, Supply>;
struct NamesOfWorkflows {
  template <class T>
  static std::string GetName(int) {
    return T::kName;
  }
};
TYPED_TEST_SUITE(Golden, Workflows, NamesOfWorkflows);

TYPED_TEST(Golden, EveryLineIsReadAndNothingOfItIsLostOrChanged) {
  for (const auto& [kind, body] : bodies(TypeParam::kName)) {
    const auto fact = TypeParam::read(kind, body);
    ASSERT_TRUE(fact) << kind;
    EXPECT_EQ(kind_of(*fact), kind);
    expect_kept(Json::parse(body), Json::parse(body_of(*fact)), kind);
    const auto again = TypeParam::read(kind, body_of(*fact));
    ASSERT_TRUE(again) << kind;
    EXPECT_TRUE(*again == *fact) << kind;
  }
}

template <class Workflow>
void expect_all_kept(const char* file) {
  for (const auto& [kind, body] : bodies(Workflow::kName, file)) {
    const auto fact = Workflow::read(kind, body);
    ASSERT_TRUE(fact) << kind;
    expect_kept(Json::parse(body), Json::parse(body_of(*fact)), kind);
    const auto again = Workflow::read(kind, body_of(*fact));
    ASSERT_TRUE(again) << kind;
    EXPECT_TRUE(*again == *fact) << kind;
  }
}

// What facts have grown by since.
TYPED_TEST(Golden, EveryLineOfVersion2IsReadAndWrittenAsItWas) {
  expect_all_kept<TypeParam>("journal-v2.jsonl");
}
TYPED_TEST(Golden, EveryLineOfVersion3IsReadAndWrittenAsItWas) {
  expect_all_kept<TypeParam>("journal-v3.jsonl");
}
TYPED_TEST(Golden, EveryLineOfVersion4IsReadAndWrittenAsItWas) {
  expect_all_kept<TypeParam>("journal-v4.jsonl");
}
TYPED_TEST(Golden, EveryLineOfVersion5IsReadAndWrittenAsItWas) {
  expect_all_kept<TypeParam>("journal-v5.jsonl");
}
TYPED_TEST(Golden, EveryLineOfVersion6IsReadAndWrittenAsItWas) {
  expect_all_kept<TypeParam>("journal-v6.jsonl");
}
TYPED_TEST(Golden, EveryLineOfVersion7IsReadAndWrittenAsItWas) {
  expect_all_kept<TypeParam>("journal-v7.jsonl");
}
TYPED_TEST(Golden, EveryLineOfVersion8IsReadAndWrittenAsItWas) {
  expect_all_kept<TypeParam>("journal-v8.jsonl");
}
TYPED_TEST(Golden, EveryLineOfVersion9IsReadAndWrittenAsItWas) {
  expect_all_kept<TypeParam>("journal-v9.jsonl");
}
TYPED_TEST(Golden, EveryLineOfVersion10IsReadAndWrittenAsItWas) {
  expect_all_kept<TypeParam>("journal-v10.jsonl");
}

TEST(GoldenRecords, EveryNameOfWhatFollowsAFaultStaysAsItIs) {
  for (const char* name : {"unsaid", "again", "end"}) {
    const auto fact =
        read_fact("phase_finished", R"({"after_fault":")" + std::string(name) + "\"}");
    ASSERT_TRUE(fact) << name;
    EXPECT_EQ(Json::parse(body_of(*fact))["after_fault"], name);
  }
}

// The bodies of a kind in all files.
template <class Workflow>
std::multimap<std::string, std::string> all_bodies() {
  std::multimap<std::string, std::string> all;
  for (int version = 1; version <= 10; ++version) {
    const std::string file = "journal-v" + std::to_string(version) + ".jsonl";
    const auto lines = bodies(Workflow::kName, file.c_str());
    all.insert(lines.begin(), lines.end());
  }
  return all;
}

// Where members stand: "/runs/[]/name".
void note_members(const Json& json, const std::string& at, std::set<std::string>& paths) {
  if (json.is_array())
    for (const Json& item : json) note_members(item, at + "/[]", paths);
  if (!json.is_object()) return;
  for (const auto& [name, value] : json.items()) {
    paths.insert(at + "/" + name);
    note_members(value, at + "/" + name, paths);
  }
}

// A member of a fact itself, when it says something else than by default.
void note_told(const Json& body, const Json& by_default, std::set<std::string>& told) {
  for (const auto& [name, value] : body.items())
    if (!by_default.contains(name) || by_default[name] != value) told.insert(name);
}

// A new kind of fact, and a member that one has grown by, get a line in a file of their own.
TYPED_TEST(Golden, EveryMemberOfEveryFactStandsInOneOfThem) {
  using Fact = typename TypeParam::Fact;
  const auto lines = all_bodies<TypeParam>();
  const auto check = [&](const Fact& fact) {
    const std::string kind(kind_of(fact));
    SCOPED_TRACE(kind);
    EXPECT_TRUE(lines.contains(kind));
    const Json by_default = Json::parse(body_of(fact));
    std::set<std::string> stand, told, wanted;
    const auto [first, last] = lines.equal_range(kind);
    for (auto line = first; line != last; ++line) {
      const Json body = Json::parse(line->second);
      note_members(body, "", stand);
      note_told(body, by_default, told);
      const auto read = TypeParam::read(kind, line->second);
      ASSERT_TRUE(read);
      note_members(Json::parse(body_of(*read)), "", wanted);
    }
    for (const std::string& path : wanted)
      EXPECT_TRUE(stand.contains(path)) << path << " stands in none";
    for (const auto& [name, value] : by_default.items())
      EXPECT_TRUE(told.contains(name)) << name << " has its default in all";
  };
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (check(Fact(std::in_place_index<I>)), ...);
  }(std::make_index_sequence<std::variant_size_v<typename Fact::variant>>());
}

TEST(GoldenRecords, EveryNameOfAMissStaysAsItIs) {
  constexpr std::string_view kNames[] = {
      "none",         "silent",     "no_signal",    "not_at_column_0", "not_exact",
      "not_alone",    "no_colon",   "no_id",        "in_prompt",       "two_signals",
      "several_ids",  "wrong_role", "wrong_task",   "wrong_phase",     "quoted",
      "not_complete", "taken_back", "broken_json",  "missing_field",   "unknown_status",
      "wrong_type",   "no_verdict", "two_verdicts", "no_expert"};
  ASSERT_EQ(std::size(kNames), static_cast<std::size_t>(signal::kMisses));
  for (std::size_t i = 0; i < std::size(kNames); ++i)
    EXPECT_EQ(signal::name_of(static_cast<signal::Miss>(i)), kNames[i]);
}

TYPED_TEST(Golden, NoMemberIsForgotten) {
  using Fact = typename TypeParam::Fact;
  const auto check = [](const Fact& fact) {
    std::visit([&](const auto& typed) { expect_all_members(typed, body_of(fact)); }, fact);
  };
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (check(Fact(std::in_place_index<I>)), ...);
  }(std::make_index_sequence<std::variant_size_v<typename Fact::variant>>());
}

// Records inside facts have members, too.
TEST(GoldenRecords, NoMemberOfADefinitionIsForgotten) {
  RunStarted started;
  started.definition.phases.emplace_back();
  const Json definition = Json::parse(body_of(started))["definition"];
  EXPECT_EQ(definition.size(), test::member_count<Definition>());
  EXPECT_EQ(definition["phases"][0].size(), test::member_count<PhaseRule>());
  EXPECT_EQ(definition["phases"][0]["pass"].size(), test::member_count<Route>());
}

TEST(GoldenRecords, NoMemberOfATaskACheckOrAReviewIsForgotten) {
  delivery::DeliveryStarted started;
  started.tasks.emplace_back();
  started.agents.emplace_back();
  const Json plan = Json::parse(body_of(started));
  EXPECT_EQ(plan["tasks"][0].size(), test::member_count<delivery::Task>());
  EXPECT_EQ(plan["limits"].size(), test::member_count<delivery::Limits>());
  EXPECT_EQ(plan["slots"].size(), test::member_count<delivery::Slots>());
  EXPECT_EQ(plan["agents"][0].size(), test::member_count<delivery::RoleAgent>());
  delivery::AgentFinished finished;
  finished.fields.emplace_back();
  EXPECT_EQ(Json::parse(body_of(finished))["fields"][0].size(),
            test::member_count<delivery::Field>());
  PhaseChecked checked;
  checked.claims.emplace_back();
  const Json claim = Json::parse(body_of(checked))["claims"][0];
  EXPECT_EQ(claim.size(), test::member_count<Claim>());
  EXPECT_EQ(claim["evidence"].size(), test::member_count<TestEvidence>());
  checked.runs.emplace_back();
  EXPECT_EQ(Json::parse(body_of(checked))["runs"][0].size(), test::member_count<CheckRun>());
  EXPECT_EQ(Json::parse(body_of(supply::AgentUsed{}))["use"].size(),
            test::member_count<TokenUse>());
  auto_run::Reviewed reviewed;
  reviewed.verdicts.emplace_back();
  EXPECT_EQ(Json::parse(body_of(reviewed))["verdicts"][0].size(),
            test::member_count<auto_run::ReviewVerdict>());
}

TEST(GoldenRecords, NoMemberOfAFileOrAHostIsForgotten) {
  supply::SelfRunningChanged changed;
  changed.files.emplace_back();
  EXPECT_EQ(Json::parse(body_of(changed))["files"][0].size(), test::member_count<SelfRunning>());
  HostsRefused refused;
  refused.hosts.emplace_back();
  EXPECT_EQ(Json::parse(body_of(supply::Fact(refused)))["hosts"][0].size(),
            test::member_count<RefusedHost>());
}

TYPED_TEST(Golden, AFactFromBeforeItGrewIsStillRead) {
  for (const auto& [kind, body] : all_bodies<TypeParam>()) {
    const Json whole = Json::parse(body);
    for (const auto& [name, value] : whole.items()) {
      Json less = whole;
      less.erase(name);
      EXPECT_TRUE(TypeParam::read(kind, less.dump())) << kind << " without " << name;
    }
  }
}

std::vector<Json> name_rows() {
  std::vector<Json> rows;
  for (const char* file : {"names-v1.jsonl", "names-v3.jsonl", "names-v5.jsonl", "names-v6.jsonl"})
    for (const std::string& line : golden_lines(file)) rows.push_back(Json::parse(line));
  return rows;
}

// A closed set by one member that holds it, and how many names it has.
struct ClosedSet {
  const char *workflow, *kind, *member;
  std::size_t count;
};
// The dialect of deliveries has a part of all signals.
constexpr std::size_t kLineSignals = static_cast<std::size_t>(signal::Signal::unknown) -
                                     static_cast<std::size_t>(signal::Signal::error);
constexpr ClosedSet kClosedSets[] = {
    {"pipeline", "run_started", "/convergence", enum_count<Convergence>()},
    {"pipeline", "run_started", "/integrate", kIntegrates},
    {"pipeline", "run_started", "/definition/finish", kFinishes},
    {"pipeline", "run_started", "/definition/phases/0/session", kSessions},
    {"pipeline", "baseline_checked", "/state", kBaselines},
    {"pipeline", "phase_finished", "/status", enum_count<signal::Status>()},
    {"pipeline", "phase_finished", "/after_fault", kAfterFaults},
    {"pipeline", "phase_checked", "/claims/0/verdict", kVerdicts},
    {"pipeline", "phase_checked", "/runs/0/ending", kCheckEndings},
    {"pipeline", "merge_refused", "/why", kMergeRefusals},
    {"pipeline", "approval_asked", "/about", kApprovals},
    {"pipeline", "run_ended", "/outcome", kOutcomes},
    {"auto", "auto_turn_started", "/phase", signal::kPhaseCount},
    {"auto", "auto_turn_started", "/why", enum_count<auto_run::Why>()},
    {"auto", "auto_reviewed", "/verdicts/0/verdict", enum_count<auto_run::Verdict>()},
    {"auto", "auto_ended", "/outcome", auto_run::kOutcomes},
    {"delivery", "agent_dispatched", "/role", signal::kRoleCount},
    {"delivery", "agent_dispatched", "/why", enum_count<delivery::Why>()},
    {"delivery", "agent_finished", "/signal", kLineSignals},
    {"delivery", "verify_finished", "/purpose", enum_count<delivery::VerifyPurpose>()},
    {"delivery", "question_asked", "/kind", enum_count<delivery::QuestionKind>()},
    {"delivery", "delivery_ended", "/outcome", enum_count<delivery::Outcome>()},
    {"delivery", "task_failed", "/cause", enum_count<delivery::FailCause>()},
    {"delivery", "task_failed", "/kind", delivery::kFailureKinds},
    {"supply", "supply_agent_used", "/fault", kFaults},
    {"supply", "supply_agent_held", "/why", supply::kHolds},
    {"supply", "supply_budget_reached", "/scope", supply::kScopes},
    {"supply", "supply_disk_stood", "/room", supply::kRooms},
};

// The names themselves are tried below; misses have a test of their own above.
TEST(GoldenRecords, EveryNameOfAClosedSetStandsInOneOfThem) {
  const std::vector<Json> rows = name_rows();
  for (const ClosedSet& set : kClosedSets) {
    std::set<std::string> names;
    for (const Json& row : rows)
      if (row["workflow"] == set.workflow && row["kind"] == set.kind && row["member"] == set.member)
        for (const Json& name : row["names"]) names.insert(name.get<std::string>());
    EXPECT_EQ(names.size(), set.count) << set.kind << " " << set.member;
  }
}

TYPED_TEST(Golden, EveryNameOfAnEnumeratorStaysAsItIs) {
  std::map<std::string, std::string> texts = bodies(TypeParam::kName);
  texts.merge(bodies(TypeParam::kName, "journal-v3.jsonl"));
  for (const Json& row : name_rows()) {
    if (row["workflow"] != TypeParam::kName) continue;
    const std::string kind = row["kind"];
    Json body = texts.contains(kind) ? Json::parse(texts[kind]) : Json::object();
    // Of a member that has come since: it is made.
    Json& member = body[Json::json_pointer(row["member"].template get<std::string>())];
    std::set<std::string> seen;
    for (const Json& name : row["names"]) {
      member = name;
      const auto fact = TypeParam::read(kind, body.dump());
      ASSERT_TRUE(fact) << kind << " " << name;
      EXPECT_EQ(Json::parse(body_of(*fact))
                    .at(Json::json_pointer(row["member"].template get<std::string>())),
                name);
      EXPECT_TRUE(seen.insert(name).second) << name;
    }
    // Phases have whatever names a workflow gives them; enumerators do not.
    if (row["member"] == "/phase" && row["workflow"] == "pipeline") continue;
    member = "no such name";
    EXPECT_FALSE(TypeParam::read(kind, body.dump())) << kind;
  }
}

// What counts members above counts right.
struct Nothing {
  bool operator==(const Nothing&) const = default;
};
struct Inner {
  int a = 0, b = 0;
  bool operator==(const Inner&) const = default;
};
struct Outer {
  Inner inner;
  std::vector<Inner> list;
  std::string text = "x";
  bool flag = true;
  signal::Status status{};
};
static_assert(test::member_count<Nothing>() == 0);
static_assert(test::member_count<Inner>() == 2);
static_assert(test::member_count<Outer>() == 5);
static_assert(test::member_count<WorktreeRemoved>() == 0);
static_assert(test::member_count<PhaseFinished>() == 15);

}  // namespace
}  // namespace capsule::event
