// What commands print of values that are no runs: findings, snapshots, signals, claims, questions.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "ui/agents_text.h"
#include "ui/auto_text.h"
#include "ui/cluster_text.h"
#include "ui/config_text.h"
#include "ui/ledger_text.h"
#include "ui/message_text.h"
#include "ui/question_text.h"
#include "ui/setup_text.h"
#include "ui/signal_text.h"
#include "ui/snapshot_text.h"
#include "ui/view/session.h"

namespace capsule::ui {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;

world::Snapshot snapshot(const char* name, bool rescued = false) {
  world::Snapshot one;
  one.name = name;
  one.commit = "0123456789abcdef";
  one.subject = "two\nlines";
  one.rescued = rescued;
  return one;
}

TEST(FindingsText, SaysByWordAndMarkWhatIsBadAndWhatMendsIt) {
  const world::Findings findings{{world::Health::good, "git", "2.40"},
                                 {world::Health::bad, "tracker", "none", {"capsule init"}}};
  const std::string text = findings_text(findings, {false, false});
  EXPECT_NE(text.find("+ ok      git             2.40\n"), std::string::npos) << text;
  EXPECT_NE(text.find("x problem tracker         none\n" + std::string(26, ' ') + "capsule init\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("Fix the problems (x) before you start a run"), std::string::npos) << text;
  EXPECT_EQ(Json::parse(findings_json(findings))["ready"], false);
}

TEST(StepsText, TellsWhatWasWrittenFromWhatWasKept) {
  const std::string text =
      steps_text({{"prompts/x.md", true, ""}, {".beads", false, "bd"}}, " --project-dir=p");
  EXPECT_NE(text.find("wrote  prompts/x.md\n"), std::string::npos) << text;
  EXPECT_NE(text.find("kept   .beads"), std::string::npos) << text;
  EXPECT_NE(text.find("capsule doctor --project-dir=p\n"), std::string::npos) << text;
}

TEST(MessageText, SaysWhoHasHeardItOrWillAndWhatBringsTheRunOn) {
  world::LeftMessage left;
  left.state.recorded = false;
  world::Found found;
  found.run.head.subject = "demo-1";
  bool for_next = false;
  const auto text = [&] { return message_text(left, found, "capsule run demo-1", for_next); };
  EXPECT_THAT(text(), HasSubstr("Nobody works on demo-1 now"));
  EXPECT_THAT(text(), HasSubstr("once it goes on: capsule run demo-1\n"));
  found.run.holder.emplace();
  EXPECT_THAT(text(), HasSubstr("has not taken it up yet"));
  left.state.recorded = true;
  EXPECT_THAT(text(), HasSubstr("providers.claude.steer: true"));
  left.heard_at_once = true;
  EXPECT_THAT(text(), HasSubstr("who works hears it at its next step"));
  for_next = true;
  found.task = "T\n1";
  EXPECT_EQ(text(), "Noted: the next agent of T\\n1 has it in its prompt.\n");
  left.state.agent = 3;
  left.state.role = "critic";
  EXPECT_EQ(text(), "Told: agent 3 (critic) has it in its prompt.\n");
  EXPECT_EQ(Json::parse(message_json(left, found))["delivered"], "prompt");
}

TEST(DatabaseText, SaysWhatIsMissingAndElseWhoIsAtWork) {
  world::Database found;
  found.known = 3;
  EXPECT_THAT(missing_in(found), HasSubstr("There is no journal"));
  found.version = 2;
  EXPECT_THAT(missing_in(found), HasSubstr("has version 2; this capsule needs 3"));
  found.version = 4;
  EXPECT_THAT(missing_in(found), HasSubstr("update capsule"));
  found.version = 3;
  EXPECT_THAT(missing_in(found), HasSubstr("does not know this project"));
  EXPECT_EQ(Json::parse(database_json(found))["ready"], false);
  found.project = "calculator";
  found.runs = 1;
  EXPECT_EQ(missing_in(found), "");
  EXPECT_THAT(database_text(found), HasSubstr("Project calculator: 1 run\n"));
  EXPECT_THAT(database_text(found), HasSubstr("Main is not shared"));
  found.remote = "/shared.git";
  EXPECT_THAT(database_text(found), HasSubstr("Main is that of /shared.git\n"));
}

TEST(DatabaseText, SaysWhoWorksThereAndWhatNobodyCanDo) {
  world::Database found;
  found.known = found.version = 3;
  found.project = "calculator";
  found.workers = {{.id = 7,
                    .name = "h\x1b",
                    .state = engine::WorkerState::active,
                    .labels = {"gpu", "os:linux"},
                    .slots = 2,
                    .busy = 1,
                    .silent_seconds = 3},
                   {.id = 8,
                    .name = "i",
                    .state = engine::WorkerState::draining,
                    .labels = {},
                    .slots = 1,
                    .silent_seconds = 90}};
  found.queue = {{.needs = {"tpu"}, .waiting = 2}, {.waiting = 1, .claimed = 1, .workers = 2}};
  const std::string text = database_text(found);
  EXPECT_THAT(text, HasSubstr("worker 7 on h\\x1b: 1 of 2 at work; gpu, os:linux\n"));
  EXPECT_THAT(text, HasSubstr("worker 8 on i: 0 of 1 at work, draining, silent for 90 s"));
  EXPECT_THAT(text, HasSubstr("2 waiting, 0 at work, for tpu: no worker serves that\n"));
  EXPECT_THAT(text, HasSubstr("1 waiting, 1 at work\n"));
  EXPECT_EQ(Json::parse(database_json(found))["queue"][0]["needs"][0], "tpu");
  EXPECT_EQ(Json::parse(database_json(found))["workers"][1]["state"], "draining");
}

TEST(LiftedText, TellsWhichRunsGoOnByThemselvesAndWhichHaveToBeStarted) {
  world::ProviderState state;
  state.name = "claude";
  EXPECT_EQ(lifted_text(state), "An agent that waits after a fault of claude tries now.\n");
  state.parked_in = {
      {.run = "r-1", .name = "demo-1", .parking = {}, .live = true, .go_on = ""},
      {.run = "r-2", .name = "b", .parking = {}, .live = false, .go_on = "capsule b"}};
  EXPECT_EQ(lifted_text(state),
            "claude is free again.\nGoes on by itself: demo-1\nGo on with: capsule b\n");
}

TEST(SnapshotLines, AreHarmless) {
  const std::string text = snapshot_lines({snapshot("r-1/1-execute")});
  EXPECT_NE(text.find("0123456789ab  two\\nlines\n"), std::string::npos) << text;
  EXPECT_TRUE(Json::parse(snapshots_json({snapshot("r-1/1-execute")}))[0]["task"].is_null());
}

TEST(CollectionText, SaysHowManyStayForWhomAndHowTheyGo) {
  world::Collection collection;
  collection.old = {snapshot("r-1/1-execute")};
  EXPECT_EQ(collection_text(collection, false, "").find("stay"), std::string::npos);
  collection.needed = {snapshot("r-2/1-execute"), snapshot("rescue/r-2/x", true)};
  collection.runs = {"demo-2"};
  const std::string text = collection_text(collection, true, "");
  EXPECT_NE(text.find("would remove r-1/1-execute"), std::string::npos) << text;
  EXPECT_NE(text.find("1 snapshot would be removed\n"), std::string::npos) << text;
  EXPECT_NE(text.find("2 older snapshots stay: what demo-2 can still go on with\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("1 of them rescued by a clean-up: capsule gc demo-2"), std::string::npos)
      << text;
}

TEST(LedgerTable, CountsAClaimForTheAgentThatMadeIt) {
  workflow::RunSummary summary;
  summary.provider = "claude";
  workflow::AgentSummary agent;
  agent.number = 1;
  agent.provider = "codex";
  summary.agents = {agent};
  summary.claims = {{1, "", "execute", {"tests pass", event::Verdict::broken, ""}},
                    {7, "", "execute", {"tests pass", event::Verdict::held, ""}}};
  Ledger ledger{{"provider"}};
  count_claims(ledger, summary);
  const Json rows = Json::parse(ledger_json(ledger));
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0]["provider"], "claude") << "of an agent that is not known, the run's";
  EXPECT_EQ(rows[1]["provider"], "codex");
  EXPECT_EQ(rows[1]["false"], 1);
  EXPECT_NE(ledger_table({{"phase"}}).find("No claim"), std::string::npos);
}

TEST(LedgerTable, HasTurnsAndShortenedConversationsAndSaysWhereTheyAreUnknown) {
  workflow::RunSummary summary;
  workflow::AgentSummary told;
  told.number = 1;
  told.provider = "claude";
  told.calls = 1;
  told.use.tokens_known = told.use.cost_known = true;
  told.use.turns = 7;
  told.use.compactions = 2;
  workflow::AgentSummary untold = told;
  untold.number = 2;
  untold.provider = "gemini";
  untold.use.turns = untold.use.compactions = 0;
  untold.use.compactions_untold = true;
  summary.agents = {told, untold};
  Ledger ledger{{"provider"}};
  count_claims(ledger, summary);
  const std::string table = ledger_table(ledger);
  EXPECT_THAT(table, HasSubstr("agents  turns    shortened  input"));
  EXPECT_THAT(table, HasSubstr("claude              1       7        2          0"));
  EXPECT_THAT(table, HasSubstr("gemini              1       unknown  unknown    0"));
}

TEST(SignalJson, ListsEveryCandidateOnlyWhenItIsToBeExplained) {
  const std::string text =
      "{\"status\":\"PASS\",\"feedback\":\"\",\"files_changed\":[],\"summary\":\"\"}\n";
  const auto parsed = [&](bool explain) {
    std::string out;
    EXPECT_TRUE(contract_json(text, explain, [&](std::string_view part) { out += part; }));
    return Json::parse(out);
  };
  EXPECT_FALSE(parsed(false).contains("explain"));
  EXPECT_EQ(parsed(true)["explain"].size(), 1U);
  std::string none;
  EXPECT_FALSE(line_json("nothing", {}, false, [&](std::string_view part) { none += part; }));
  EXPECT_TRUE(Json::parse(none)["task_id"].is_null());
}

TEST(SignalTable, HasALineForEverySignal) {
  const std::string table = signal_table(signal::vocabulary());
  EXPECT_EQ(static_cast<std::size_t>(std::count(table.begin(), table.end(), '\n')),
            signal::vocabulary().size() + 1);
  EXPECT_EQ(Json::parse(signals_json(signal::vocabulary())).size(), signal::vocabulary().size());
}

TEST(AutoPage, SaysOfEveryPhaseWhereItIs) {
  auto_mode::Config config;
  config.skip_expansion = true;
  auto_mode::State state = auto_mode::started("Greet", config, 20, "2026-01-31T12:00:00Z");
  const auto at = [](signal::Phase phase) { return auto_mode::index_of(phase); };
  state.phases[at(signal::Phase::init)].signal_detected = true;
  state.phases[at(signal::Phase::init)].duration_s = 12;
  state.phase = "planning";
  state.iteration = 3;
  const std::string text = auto_page(view::session_of(state), {});
  EXPECT_THAT(text, HasSubstr("[1/9] expansion … skipped\n"));
  EXPECT_THAT(text, HasSubstr("[2/9] init … ✓ (12s)\n"));
  EXPECT_THAT(text, HasSubstr("[3/9] planning … iteration 3/20\n"));
  EXPECT_THAT(text, HasSubstr("[4/9] execution\n"));
  const view::Run run = view::session_of(state);
  EXPECT_EQ(run.done, 1);
  EXPECT_EQ(run.all, static_cast<int>(run.phases.size()));
  EXPECT_EQ(run.phases[1].state, view::Phase::State::working);
  state.active = false;
  EXPECT_THAT(auto_page(view::session_of(state), {}), HasSubstr("[3/9] planning\n"));
}

TEST(QuestionLines, NameTheRunWhenSeveralAsk) {
  world::OpenQuestion one, two;
  one.run.head.run = "r-1";
  two.run.head.run = "r-2";
  one.wait.question = two.wait.question = 3;
  one.wait.text = "Which\x1b colour?";
  EXPECT_EQ(question_lines({one}).substr(0, 6), "3     ");
  EXPECT_NE(question_lines({one}).find("Which\\x1b colour?"), std::string::npos);
  EXPECT_NE(question_lines({one, two}).find("r-2/3"), std::string::npos);
  EXPECT_EQ(Json::parse(questions_json({one, two}))[1]["id"], "r-2/3");
}

TEST(ConfigTable, HasALineForEveryValueAndSaysWhatIsNotSet) {
  const config::Config config = config::load_all({"", [](const char*) { return nullptr; }}).config;
  const std::string table = config_table(config);
  EXPECT_EQ(static_cast<std::size_t>(std::count(table.begin(), table.end(), '\n')),
            config.entries.size());
  EXPECT_NE(table.find("(not set)"), std::string::npos);
  EXPECT_EQ(Json::parse(config_json(config)).size(), config.entries.size());
  EXPECT_EQ(Json::parse(keys_json()).size(), config::keys().size());
}

}  // namespace
}  // namespace capsule::ui
