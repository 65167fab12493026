// What real clients printed at a scripted model (tests/client/transcripts): what each run came to.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "agent/clients.h"
#include "agent/outcome.h"
#include "dialect/reader.h"
#include "signal/contract.h"

namespace capsule::agent {
namespace {

namespace fs = std::filesystem;
using event::Fault;

constexpr dialect::Moment kThen{1'794'916'800, 0};

std::string contents(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Recorded {
  std::string client, name;
  nlohmann::json facts;
  dialect::Reading reading;
  Outcome outcome;
};

Recorded read(const std::string& client, const std::string& name, const nlohmann::json& facts) {
  const fs::path folder = fs::path(CAPSULE_SOURCE_DIR) / "tests/client/transcripts" / client;
  const bool plain = name.starts_with("plain-");
  dialect::Reader reader(plain ? dialect::Output::text : client_named(client)->output, kThen);
  Ending ending;
  ending.out_end = contents(folder / (name + ".out"));
  ending.err_end = contents(folder / (name + ".err"));
  reader.feed(ending.out_end);
  ending.exit_code = facts.at("exit").get<int>();
  constexpr int kRecorderEndedIt = 124;
  if (ending.exit_code == kRecorderEndedIt) ending.how = Ending::How::timed_out;
  Recorded one{client, name, facts, reader.finish(), {}};
  one.outcome = outcome_of(ending, one.reading, kThen);
  return one;
}

std::vector<Recorded> all() {
  std::vector<Recorded> every;
  for (const auto& entry :
       fs::directory_iterator(fs::path(CAPSULE_SOURCE_DIR) / "tests/client/transcripts")) {
    const std::string client = entry.path().filename().string();
    const auto cases = nlohmann::json::parse(contents(entry.path() / "cases.json"));
    for (const auto& [name, facts] : cases.items()) every.push_back(read(client, name, facts));
  }
  return every;
}

// What a case comes to; where a client differs, what it comes to there.
struct Expected {
  Fault fault;
  std::map<std::string, Fault> but = {};
};
// Clients that were still trying when the recorder's time was over.
const std::map<std::string, Fault> kPatient{{"kimi", Fault::timed_out}, {"qwen", Fault::timed_out}};
const std::map<std::string, Fault> kEndless{{"grok", Fault::timed_out}, {"kimi", Fault::timed_out}};
const std::map<std::string, Fault> kAllPatient{
    {"grok", Fault::timed_out}, {"kimi", Fault::timed_out}, {"qwen", Fault::timed_out}};
const std::map<std::string, Expected> kExpected{
    {"success", {Fault::none}},
    {"plain-success", {Fault::none}},
    {"resumed", {Fault::none}},
    {"tool-fails", {Fault::none}},
    {"overloaded-once", {Fault::none}},
    {"empty", {Fault::no_words, kEndless}},
    {"unauthorised", {Fault::unauthorised}},
    {"rate-limited", {Fault::rate_limited, kPatient}},
    {"rate-limited-2s", {Fault::rate_limited, {{"qwen", Fault::timed_out}}}},
    {"rate-limited-1h",
     {Fault::rate_limited,
      {{"gemini", Fault::usage_limit},
       {"goose", Fault::timed_out},
       {"grok", Fault::timed_out},
       {"kimi", Fault::timed_out},
       {"qwen", Fault::timed_out},
       {"opencode", Fault::exit_status}}}},  // it was killed
    {"rate-limited-once",
     {Fault::none,
      {{"claude", Fault::rate_limited},
       {"codex", Fault::rate_limited},
       {"gemini", Fault::rate_limited}}}},
    {"usage-limit", {Fault::usage_limit, kPatient}},
    {"no-credit", {Fault::no_credit, {{"qwen", Fault::timed_out}}}},
    {"overloaded", {Fault::overloaded, kAllPatient}},
    {"late-overload",
     {Fault::overloaded,
      {{"grok", Fault::timed_out},
       {"kimi", Fault::timed_out},
       {"opencode", Fault::timed_out},
       {"qwen", Fault::timed_out}}}},
    {"server-error", {Fault::overloaded, kAllPatient}},
    {"cut", {Fault::unreachable, kEndless}},
    {"cut-once",
     {Fault::none,
      {{"gemini", Fault::unreachable},
       {"goose", Fault::unreachable},
       {"qwen", Fault::unreachable}}}},
    {"unreachable", {Fault::unreachable, kEndless}},
    // codex and goose end well without a word of it, qwen says of it what it says of silence, and
    // copilot passes the refusal on as the agent's own words: nothing in them tells.
    {"refused",
     {Fault::policy,
      {{"codex", Fault::no_words},
       {"goose", Fault::no_words},
       {"qwen", Fault::no_words},
       {"copilot", Fault::none}}}},
    {"too-long", {Fault::context_full}},
    {"silent", {Fault::timed_out}},
};

TEST(Recorded, EachRunComesToWhatHappened) {
  int seen = 0;
  for (const Recorded& one : all()) {
    SCOPED_TRACE(one.client + " " + one.name);
    const auto expected = kExpected.find(one.name);
    ASSERT_NE(expected, kExpected.end());
    const auto other = expected->second.but.find(one.client);
    const Fault fault =
        other == expected->second.but.end() ? expected->second.fault : other->second;
    EXPECT_EQ(name_of(one.outcome.fault), name_of(fault)) << one.outcome.detail;
    ++seen;
  }
  EXPECT_GE(seen, 195);
}

TEST(Recorded, TheSignalIsInTheLastWords) {
  for (const Recorded& one : all())
    if (one.name == "success") {
      const signal::ContractResult found = signal::parse_contract(one.reading.text);
      EXPECT_EQ(found.fault, signal::ContractFault::none) << one.client << one.reading.text;
      EXPECT_EQ(found.signal.status, signal::Status::pass) << one.client;
      EXPECT_TRUE(one.reading.closed) << one.client;
    }
}

// The model's own count goes on from success to plain-success to resumed.
TEST(Recorded, TokensAreTheModelsToTheLastOne) {
  std::map<std::string, std::map<std::string, Recorded>> by_client;
  for (Recorded& one : all()) by_client[one.client].insert_or_assign(one.name, one);
  for (auto& [client, cases] : by_client) {
    SCOPED_TRACE(client);
    if (client == "copilot" || client == "kimi") {
      EXPECT_FALSE(cases["success"].reading.use.tokens_known) << "it tells none";
      continue;
    }
    const auto counted = [&](const char* name, const char* what) {
      return cases[name].facts["tokens"][what].get<std::int64_t>();
    };
    const auto expect = [&](const event::TokenUse& use, auto count) {
      ASSERT_TRUE(use.tokens_known);
      EXPECT_EQ(use.output, count("output"));
      EXPECT_EQ(use.input + use.cache_read, count("input") + count("cache_read"));
      if (client == "goose") return;  // which does not tell them apart
      EXPECT_EQ(use.input, count("input"));
    };
    expect(cases["success"].reading.use,
           [&](const char* what) { return counted("success", what); });
    const bool of_session = cases["resumed"].reading.use_of_session;
    expect(cases["resumed"].reading.use, [&](const char* what) {
      return counted("resumed", what) - counted("plain-success", what) +
             (of_session ? counted("success", what) : 0);
    });
  }
}

TEST(Recorded, AUsageLimitEndsWhenTheServiceSaidWhereTheClientTellsIt) {
  constexpr std::int64_t k2030 = 1'893'456'000;
  const std::set<std::string> silent{"copilot", "gemini", "goose", "grok"};
  for (const Recorded& one : all()) {
    if (one.name != "usage-limit" || one.outcome.fault != Fault::usage_limit) continue;
    // codex tells it to the minute.
    const std::int64_t at = one.client == "codex" ? k2030 + 59 : k2030;
    EXPECT_EQ(one.outcome.reset_at, silent.contains(one.client) ? 0 : at) << one.client;
  }
}

TEST(Recorded, ALogTellsItsClient) {
  for (const Recorded& one : all()) {
    if (!one.reading.streamed) continue;
    const std::string log = contents(fs::path(CAPSULE_SOURCE_DIR) / "tests/client/transcripts" /
                                     one.client / (one.name + ".out"));
    EXPECT_EQ(dialect::output_of(log), client_named(one.client)->output)
        << one.client << " " << one.name;
  }
}

}  // namespace
}  // namespace capsule::agent
