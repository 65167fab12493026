#include "signal/vocabulary.h"

#include <gmock/gmock.h>

#include <set>

#include "base/text.h"
#include "signal/block.h"
#include "signal/line.h"

namespace capsule::signal {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Vocabulary, EveryDialectHasItsSignals) {
  EXPECT_EQ(vocabulary(Dialect::contract).size(), 3U);
  EXPECT_EQ(vocabulary(Dialect::line).size(), 20U);  // nineteen and unknown
  EXPECT_EQ(vocabulary(Dialect::block).size(), 14U);
  EXPECT_EQ(vocabulary().size(), 37U);
  for (Dialect dialect : {Dialect::contract, Dialect::line, Dialect::block})
    for (const Row& row : vocabulary(dialect)) EXPECT_EQ(row.dialect, dialect) << row.name;
}

TEST(Vocabulary, NamesAndWireTextsAreUniqueInAnyCase) {
  std::set<const Row*> found;
  for (const Row& row : vocabulary()) {
    EXPECT_EQ(find_signal(row.name), &row) << row.name;
    if (!row.wire.empty()) {
      EXPECT_EQ(find_signal(row.wire), &row) << row.wire;
    }
  }
  EXPECT_EQ(find_signal("file conflict")->signal, Signal::file_conflict);
  EXPECT_EQ(find_signal("no such"), nullptr);
  EXPECT_EQ(find_signal(""), nullptr);
}

TEST(Vocabulary, AFormatIsRecognisedAsItsOwnSignalWithAllItsLabels) {
  for (const Row& row : vocabulary(Dialect::line)) {
    if (row.signal == Signal::unknown) continue;
    const std::string text = format_text(row, "task-1");
    EXPECT_EQ(text.find("[task_id]"), text.npos) << row.name;
    const LineResult result = parse_line(text);
    EXPECT_EQ(result.signal, row.signal);
    if (row.names_task) {
      EXPECT_EQ(result.task_id, "task-1") << row.name;
    }
    std::vector<std::string_view> seen;
    for (const Field& field : result.fields) seen.push_back(field.label);
    EXPECT_EQ(seen, labels_of(row)) << row.name;
    EXPECT_THAT(result.warnings, IsEmpty()) << row.name;
  }
}

TEST(Vocabulary, LabelsAreThoseOfTheFormat) {
  EXPECT_THAT(labels_of(row(Signal::ready_for_review)),
              ElementsAre("Files Modified", "Tests Written", "Verification Results (self-verified)",
                          "Summary"));
  EXPECT_THAT(
      labels_of(row(Signal::review_failed)),
      ElementsAre("Files Reviewed", "Issues Found", "Required Fixes", "Priority", "Developer"));
  EXPECT_THAT(labels_of(row(Signal::audit_blocked)), ElementsAre("Pre-existing Failures"));
  EXPECT_THAT(labels_of(row(Signal::health_unhealthy)),
              ElementsAre("Failed Checks", "Passing Checks"));
  EXPECT_THAT(labels_of(row(Signal::expert_request)),
              ElementsAre("Target Agent", "Request Type", "Context Snapshot", "DELEGATION PROMPT"));
  EXPECT_THAT(labels_of(row(Signal::expert_created)),
              ElementsAre("Gap Filled", "Supports", "Tasks", "File", "Expertise Encoded",
                          "Delegation Triggers"));
  EXPECT_THAT(labels_of(row(Signal::file_conflict)),
              ElementsAre("Assigned To", "I Need To", "Reason", "Can Wait"));
  EXPECT_THAT(labels_of(row(Signal::qa_complete)), IsEmpty());
}

TEST(Vocabulary, ABlockFormatIsATemplateUntilItsTimestampIsFilledIn) {
  for (const Row& row : vocabulary(Dialect::block)) {
    const std::string text = format_text(row);
    EXPECT_FALSE(parse_block(text).signal.has_value()) << row.name;
    const BlockResult filled = parse_block(replace_all(text, "[ISO8601]", "2024-01-15T10:30:00Z"));
    EXPECT_EQ(filled.signal, row.signal);
    if (row.kind != BlockKind::error) {
      EXPECT_THAT(filled.warnings, IsEmpty()) << row.name;
    }
  }
}

TEST(Vocabulary, ABlockFormatNamesItsPhaseAndTheNext) {
  EXPECT_EQ(format_text(row(Signal::planning_complete)),
            "---\nSIGNAL: PLANNING_COMPLETE\nPHASE: planning\nSTATUS: complete\n"
            "TIMESTAMP: [ISO8601]\nNEXT: execution\n---\n");
  EXPECT_EQ(format_text(row(Signal::auto_complete)),
            "---\nSIGNAL: AUTO_COMPLETE\nPHASE: complete\nSTATUS: complete\n"
            "TIMESTAMP: [ISO8601]\nNEXT: none\n---\n");
  EXPECT_EQ(format_text(row(Signal::phase_error), {}, Phase::qa),
            "---\nSIGNAL: PHASE_ERROR\nPHASE: qa\nSTATUS: error\nTIMESTAMP: [ISO8601]\n"
            "ERROR: [brief error description]\nRECOVERABLE: [true/false]\n---\n");
  EXPECT_NE(format_text(row(Signal::reflect_complete)).find("NEXT: none\n"), std::string::npos);
}

TEST(Vocabulary, AContractFormatCarriesItsStatus) {
  EXPECT_EQ(format_text(row(Signal::needs_work)).find("{\n  \"status\": \"NEEDS_WORK\",\n"), 0U);
}

TEST(Vocabulary, ThePhaseAfterAPhaseHeedsTheSkipFlags) {
  EXPECT_EQ(next_phase(Phase::expansion, {}), Phase::init);
  EXPECT_EQ(next_phase(Phase::execution, {}), Phase::qa);
  EXPECT_EQ(next_phase(Phase::execution, {.qa = true}), Phase::review);
  EXPECT_EQ(next_phase(Phase::execution, {.qa = true, .review = true}), Phase::reflect);
  EXPECT_EQ(next_phase(Phase::execution, {.qa = true, .review = true, .reflect = true}),
            Phase::complete);
  EXPECT_EQ(next_phase(Phase::qa, {.review = true}), Phase::reflect);
  EXPECT_EQ(next_phase(Phase::check, {.reflect = true}), Phase::complete);
  EXPECT_EQ(next_phase(Phase::reflect, {}), Phase::complete);
  EXPECT_EQ(next_phase(Phase::complete, {}), Phase::complete);
  EXPECT_EQ(first_phase({}), Phase::expansion);
  EXPECT_EQ(first_phase({.expansion = true}), Phase::init);
}

TEST(Vocabulary, EveryPhaseWaitsForItsOwnSignal) {
  for (std::size_t i = 0; i < kPhaseCount; ++i) {
    const Phase phase = static_cast<Phase>(i);
    EXPECT_EQ(row(expected_signal(phase)).phase, phase);
    EXPECT_EQ(phase_named(name_of(phase)), phase);
  }
  EXPECT_EQ(row(expected_signal(Phase::qa)).name, "QA_COMPLETE");
  EXPECT_EQ(expected_signal(Phase::complete), Signal::auto_complete);
  EXPECT_EQ(phase_named("lunch"), std::nullopt);
}

TEST(Vocabulary, RolesAndDialectsAreFoundByName) {
  for (std::size_t i = 0; i < kRoleCount; ++i)
    EXPECT_EQ(role_named(name_of(static_cast<Role>(i))), static_cast<Role>(i));
  EXPECT_EQ(role_named("boss"), std::nullopt);
  EXPECT_EQ(dialect_named("block"), Dialect::block);
  EXPECT_EQ(dialect_named("json"), std::nullopt);
}

TEST(Vocabulary, ATaskIdIsShortAndPlain) {
  for (const char* id : {"t", "task-1", "1.2.3", "A_b-c.d", "0"}) EXPECT_TRUE(is_task_id(id)) << id;
  EXPECT_TRUE(is_task_id(std::string(100, 'a')));
  EXPECT_FALSE(is_task_id(std::string(101, 'a')));
  for (const char* id :
       {"", "-t", ".t", "_t", "a..b", "a/b", "a b", "a\n", "ä", "[task_id]", "a:b"})
    EXPECT_FALSE(is_task_id(id)) << id;
}

TEST(Vocabulary, SendersAreListedByName) {
  EXPECT_THAT(senders_of(row(Signal::review_passed)), ElementsAre("critic"));
  EXPECT_EQ(senders_of(row(Signal::divine_clarification)).size(), 6U);
  EXPECT_EQ(senders_of(row(Signal::file_conflict)).size(), kRoleCount);
  EXPECT_THAT(senders_of(row(Signal::qa_complete)), ElementsAre("qa"));
  EXPECT_EQ(senders_of(row(Signal::phase_error)).size(), 9U);
  EXPECT_THAT(senders_of(row(Signal::unknown)), IsEmpty());
}

}  // namespace
}  // namespace capsule::signal
