#include "dialect/fault.h"

#include "dialect/test_support.h"

namespace capsule::dialect::testing {
namespace {

using event::Fault;

Fault fault(std::string_view words, int status = 0, std::string_view code = {}) {
  return failure_of(words, status, code, kNow).fault;
}

// The words of real clients, as they print them.
TEST(Faults, EachClientsWordsAreKnown) {
  const std::pair<const char*, Fault> rows[] = {
      {"Quota exceeded. Check your plan and billing details.", Fault::no_credit},
      {"You’ve hit your usage limit. Upgrade to Pro or try again at Nov 18th, 2026 3:05 PM.",
       Fault::usage_limit},
      {"unexpected status 401 Unauthorized: invalid key, url: http://x/v1/responses",
       Fault::unauthorised},
      {"unexpected status 500 Internal Server Error: The server had an error", Fault::overloaded},
      {"stream disconnected before completion: error sending request for url", Fault::unreachable},
      {"exceeded retry limit, last status: 429 Too Many Requests", Fault::rate_limited},
      {"Codex ran out of room in the model's context window. Start a new conversation",
       Fault::context_full},
      {"[API Error: You have exhausted your daily quota on this model.]\nPlease wait",
       Fault::usage_limit},
      {"[API Error: {\"error\":{\"code\":401,\"message\":\"no\",\"status\":\"UNAUTHENTICATED\"}}]",
       Fault::unauthorised},
      {"[API Error: {\"error\":{\"code\":503,\"message\":\"The model is overloaded.\","
       "\"status\":\"UNAVAILABLE\"}}]",
       Fault::overloaded},
      {"You exceeded your current quota, please check your plan and billing details.",
       Fault::no_credit},
      {"You exceeded your current quota. Please retry in 34.5s.", Fault::rate_limited},
      {"Rate limit exceeded: You exceeded your current quota, please check your plan and billing "
       "details..",
       Fault::no_credit},
      {"Authentication error: Authentication failed. Status: 401 Unauthorized.",
       Fault::unauthorised},
      {"Server error: Server error (500): The server had an error", Fault::overloaded},
      {"[API Error: 429 Too many requests, slow down]", Fault::rate_limited},
      {"No response was returned. Send your message again to retry.", Fault::no_words},
      {"[API Error: Model stream ended with empty response text.]", Fault::no_words},
      {"error: failed to run prompt: context.overflow: Compaction failed to bring the context "
       "under "
       "the model window after 3 attempts.",
       Fault::context_full},
      {"error: failed to run prompt: Provider safety policy blocked the response.", Fault::policy},
      {"error: failed to run prompt: provider.api_error: 429 slow down", Fault::rate_limited},
      {"error: failed to run prompt: provider.auth_error: 401 invalid key", Fault::unauthorised},
      {"insufficient_quota: You exceeded your current quota", Fault::no_credit},
      {"Internal error: \"Unauthorized (401) from http://x\"", Fault::unauthorised},
      {"Rate limit reached for gpt-5 in organization org-1 on tokens per min (TPM): Limit 10000. "
       "Please try again in 6s.",
       Fault::rate_limited},
      {"This model's maximum context length is 128000 tokens.", Fault::context_full},
      {"We’re currently experiencing high demand, which may cause temporary errors.",
       Fault::overloaded},
      {"Context limit reached · /compact or /clear to continue", Fault::context_full},
      {"Failed to compact: context limit exceeded even after removing all tool responses.",
       Fault::context_full},
      {"Failed to get response from the AI model; retried 5 times (total retry wait time: 15.31 "
       "seconds) Last error: 500 The server had an error",
       Fault::overloaded},
      {"Internal error: {\n  \"message\": \"API error (status 403 Forbidden): "
       "invalid_request_error: forbidden\",\n  \"http_status\": 403\n}",
       Fault::unauthorised},
      {"error: failed to run prompt: compaction.failed: APIContextOverflowError: 400 This model's "
       "maximum context length is 128000 tokens.",
       Fault::context_full},
      {"Connection error.", Fault::unreachable},
      {"fetch failed", Fault::unreachable},
      {"getaddrinfo ENOTFOUND api.example.com", Fault::unreachable},
      {"Something else went wrong", Fault::exit_status},
  };
  for (const auto& [words, expected] : rows) EXPECT_EQ(fault(words), expected) << words;
}

TEST(Faults, AStatusDecidesWhereTheWordsSayNothing) {
  EXPECT_EQ(fault("no", 401), Fault::unauthorised);
  EXPECT_EQ(fault("no", 403), Fault::unauthorised);
  EXPECT_EQ(fault("no", 402), Fault::no_credit);
  EXPECT_EQ(fault("no", 413), Fault::context_full);
  EXPECT_EQ(fault("no", 429), Fault::rate_limited);
  for (const int status : {500, 502, 503, 504, 529})
    EXPECT_EQ(fault("no", status), Fault::overloaded) << status;
  EXPECT_EQ(fault("no", 400), Fault::exit_status);
  EXPECT_EQ(fault("no", 400, "context_length_exceeded"), Fault::context_full);
}

TEST(Faults, ANumberThatIsNoStatusIsNone) {
  for (const char* words : {"took 429 ms", "line 500 of x.go", "v5.0.3", "error in 401k.txt"})
    EXPECT_EQ(failure_of(words, 0, {}, kNow).status, 0) << words;
  for (const char* words : {"API Error: 529 x", "rejected (529)", "status 529", "529 Overloaded"})
    EXPECT_EQ(failure_of(words, 0, {}, kNow).status, 529) << words;
}

TEST(Faults, TheTimeAtWhichALimitEndsIsReadInEveryForm) {
  const std::int64_t midnight = kNow.now - 12 * 3600;  // UTC
  const std::pair<const char*, std::int64_t> rows[] = {
      {"usage limit reached|1794960000", 1'794'960'000},
      {"usage limit reached|1794960000123", 1'794'960'000},
      {"try again at Nov 18th, 2026 3:05 PM.", midnight + 86'400 + 15 * 3600 + 359 - 7200},
      {"try again at 3:05 PM.", midnight + 15 * 3600 + 359 - 7200},
      {"resets 1am (Europe/Berlin)", midnight + 86'400 + 3600 - 7200},
      {"resets Nov 20 at 9am", midnight + 3 * 86'400 + 9 * 3600 - 7200},
      {"resets at 2026-11-18T03:00:00Z", midnight + 86'400 + 3 * 3600},
      {"resets at 2026-11-18T03:00:00+02:00", midnight + 86'400 + 3600},
      {"Try again in 2 days 3 hours 5 minutes.", kNow.now + 2 * 86'400 + 3 * 3600 + 300},
      {"Your quota will reset after 3h2m1s.", kNow.now + 3 * 3600 + 121},
      {"Please retry in 34.5s.", kNow.now + 34},
      {"please try again in 250ms", kNow.now + 1},
      {"retry after 90", kNow.now + 90},
      {"try again later", 0},
      {"resets", 0},
      {"|12", 0},
      {"resets at 99:99", 0},
      {"try again in 999999999999 days", 0},
  };
  for (const auto& [words, expected] : rows) EXPECT_EQ(reset_in(words, kNow), expected) << words;
}

// Told to the minute, it may end as late as the minute does; and who asks again a little too early
// is told the same words once more, which are not about tomorrow.
TEST(Faults, ATimeOfTheDayThatHasJustPassedIsNotTomorrows) {
  const std::int64_t noon = kNow.now - kNow.now % 86'400 + 12 * 3600 - kNow.utc_offset;
  const auto at = [&](std::int64_t now) {
    return reset_in("try again at 12:00 PM.", {now, kNow.utc_offset});
  };
  EXPECT_EQ(at(noon - 3600), noon + 59);
  EXPECT_EQ(at(noon + 3), noon + 59);
  EXPECT_EQ(at(noon + 300), noon + 59);
  EXPECT_EQ(at(noon + 3600), noon + 86'400 + 59);
}

TEST(Faults, OfTextOnlyALastLineThatReadsLikeAnErrorCounts) {
  const auto in_text = [](std::string_view out, std::string_view err) {
    return failure_in_text(out, err, kNow).fault;
  };
  EXPECT_EQ(
      in_text("API Error: Request rejected (429) · Claude AI usage limit reached|1794960000\n", ""),
      Fault::usage_limit);
  EXPECT_EQ(in_text("Credit balance is too low\n", ""), Fault::no_credit);
  EXPECT_EQ(in_text("",
                    "hello\nerror: failed to run prompt: provider.api_error: 429 slow down\n"
                    "See log: /home/x/kimi.log\n"),
            Fault::rate_limited);
  EXPECT_EQ(in_text("", "ERROR: Quota exceeded. Check your plan and billing details.\n"),
            Fault::no_credit);
  // What an agent says about errors is none.
  EXPECT_EQ(in_text("The client prints\nAPI Error: 529 Overloaded\nand I handle it now.\n", ""),
            Fault::exit_status);
  EXPECT_EQ(in_text("I fixed the rate limit (429) handling.\n", "some 503 words\n"),
            Fault::exit_status);
  EXPECT_EQ(in_text("", "the tests speak of: usage limit reached\n"), Fault::exit_status);
}

TEST(Faults, WordsAreOneHarmlessLine) {
  EXPECT_EQ(one_line("  a\n\n  b\x1b[2J\n"), "a b\\x1b[2J");
  EXPECT_LE(one_line(std::string(5000, 'x')).size(), kWordsBytes);
}

}  // namespace
}  // namespace capsule::dialect::testing
