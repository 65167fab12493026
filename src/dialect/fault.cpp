#include "dialect/fault.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace capsule::dialect {
namespace {

using event::Fault;

struct Row {
  std::string_view words;  // anywhere in the failure's words or code, in lower case
  Fault fault;
};

// What says more than a status does. The first that fits counts.
constexpr Row kTelling[] = {
    {"rate limit reached", Fault::rate_limited},
    {"context limit", Fault::context_full},  // also one that is "reached"
    // A quota that comes back by itself.
    {"usage limit", Fault::usage_limit},
    {"usage_limit", Fault::usage_limit},
    {"usagelimitexceeded", Fault::usage_limit},
    {"limit reached", Fault::usage_limit},
    {"you've hit your", Fault::usage_limit},
    {"out of extra usage", Fault::usage_limit},
    {"daily quota", Fault::usage_limit},
    {"exhausted your", Fault::usage_limit},
    {"quota will reset", Fault::usage_limit},
    {"per day", Fault::usage_limit},
    // One that money brings back.
    {"credit balance", Fault::no_credit},
    {"insufficient_quota", Fault::no_credit},
    {"insufficient balance", Fault::no_credit},
    {"insufficient_balance", Fault::no_credit},
    {"insufficient credit", Fault::no_credit},
    {"exceeded your current quota", Fault::no_credit},
    {"plan and billing", Fault::no_credit},
    {"out of credits", Fault::no_credit},
    {"payment required", Fault::no_credit},
    {"billing hard limit", Fault::no_credit},
    {"billing_hard_limit", Fault::no_credit},
    {"billing_error", Fault::no_credit},
    {"spend limit", Fault::no_credit},
    {"requires billing", Fault::no_credit},
    // Too much at once.
    {"prompt is too long", Fault::context_full},
    {"prompt_too_long", Fault::context_full},
    {"context length", Fault::context_full},
    {"context_length", Fault::context_full},
    {"maximum context", Fault::context_full},
    {"context window", Fault::context_full},
    {"context.overflow", Fault::context_full},
    {"context_overflow", Fault::context_full},
    {"input is too long", Fault::context_full},
    {"input token count", Fault::context_full},
    {"maximum number of tokens", Fault::context_full},
    {"request too large", Fault::context_full},
    {"request_too_large", Fault::context_full},
    {"empty response", Fault::no_words},
    {"no response was returned", Fault::no_words},
    // Refused for what it asks.
    {"refusal", Fault::policy},
    {"usage policy", Fault::policy},
    {"content policy", Fault::policy},
    {"content_policy", Fault::policy},
    {"content filter", Fault::policy},
    {"content_filter", Fault::policy},
    {"prohibited_content", Fault::policy},
    {"safety", Fault::policy},
    {"prompt was flagged", Fault::policy},
    // Not allowed to ask, or not this model.
    {"invalid api key", Fault::unauthorised},
    {"invalid_api_key", Fault::unauthorised},
    {"incorrect api key", Fault::unauthorised},
    {"api key not valid", Fault::unauthorised},
    {"api key is missing", Fault::unauthorised},
    {"authenticat", Fault::unauthorised},
    {"auth_error", Fault::unauthorised},
    {"unauthorized", Fault::unauthorised},
    {"not logged in", Fault::unauthorised},
    {"run /login", Fault::unauthorised},
    {"oauth token", Fault::unauthorised},
    {"token has expired", Fault::unauthorised},
    {"permission_denied", Fault::unauthorised},
    {"issue with the selected model", Fault::unauthorised},
    {"model_not_found", Fault::unauthorised},
    {"model not found", Fault::unauthorised},
};

// What counts where there is no status, or one that says nothing.
constexpr Row kVague[] = {
    {"rate limit", Fault::rate_limited},
    {"rate_limit", Fault::rate_limited},
    {"too many requests", Fault::rate_limited},
    {"resource_exhausted", Fault::rate_limited},
    {"resource exhausted", Fault::rate_limited},
    {"overloaded", Fault::overloaded},
    {"high demand", Fault::overloaded},
    {"at capacity", Fault::overloaded},
    {"unavailable", Fault::overloaded},
    {"server error", Fault::overloaded},
    {"server_error", Fault::overloaded},
    {"bad gateway", Fault::overloaded},
    {"gateway timeout", Fault::overloaded},
    {"unable to connect", Fault::unreachable},
    {"failed to connect", Fault::unreachable},
    {"could not connect", Fault::unreachable},
    {"cannot connect", Fault::unreachable},
    {"connection", Fault::unreachable},
    {"econn", Fault::unreachable},
    {"enotfound", Fault::unreachable},
    {"eai_again", Fault::unreachable},
    {"etimedout", Fault::unreachable},
    {"network", Fault::unreachable},
    {"fetch failed", Fault::unreachable},
    {"socket hang up", Fault::unreachable},
    {"stream disconnected", Fault::unreachable},
    {"stream closed", Fault::unreachable},
    {"stream ended", Fault::unreachable},
    {"premature close", Fault::unreachable},
    {"error decoding", Fault::unreachable},
    {"error sending request", Fault::unreachable},
    {"timed out", Fault::unreachable},
    {"timeout", Fault::unreachable},
    {"terminated", Fault::unreachable},
};

Fault of_status(int status) {
  switch (status) {
    case 401:
    case 403:
      return Fault::unauthorised;
    case 402:
      return Fault::no_credit;
    case 413:
      return Fault::context_full;
    case 429:
      return Fault::rate_limited;
    case 408:
      return Fault::unreachable;
    default:
      return status >= 500 && status <= 599 ? Fault::overloaded : Fault::none;
  }
}

template <std::size_t N>
Fault first_of(const Row (&rows)[N], std::string_view text) {
  for (const Row& row : rows)
    if (text.find(row.words) != text.npos) return row.fault;
  return Fault::none;
}

// In lower case, with one kind of apostrophe.
std::string plain(std::string_view words) {
  return lowered(replace_all(cut(words, 4096), "’", "'"));
}

bool is_word(char byte) { return is_letter(byte) || is_digit(byte) || byte == '_'; }

// A number that stands where clients put a status: "API Error: 529", "(429)", "status 401".
int status_in(std::string_view text) {
  constexpr std::string_view kBefore[] = {"error", "status", "http", "code", "statuscode"};
  for (std::size_t at = 0; at + 3 <= text.size(); ++at) {
    if (text[at] != '4' && text[at] != '5') continue;
    if (at > 0 && (is_word(text[at - 1]) || text[at - 1] == '.')) continue;
    std::size_t end = at;
    while (end < text.size() && is_word(text[end])) ++end;
    if (end - at != 3 || !is_digit(text[at + 1]) || !is_digit(text[at + 2])) continue;
    const int status = (text[at] - '0') * 100 + (text[at + 1] - '0') * 10 + (text[at + 2] - '0');
    if (at == 0 || (text[at - 1] == '(' && end < text.size() && text[end] == ')')) return status;
    std::size_t word_end = at;
    while (word_end > 0 && !is_word(text[word_end - 1])) --word_end;
    std::size_t word = word_end;
    while (word > 0 && is_letter(text[word - 1])) --word;
    const std::string_view before = text.substr(word, word_end - word);
    if (at - word_end <= 4 &&
        std::find(std::begin(kBefore), std::end(kBefore), before) != std::end(kBefore))
      return status;
  }
  return 0;
}

// Whether a line begins as clients begin their errors; an answer that speaks of one does not.
bool reads_as_error(std::string_view line) {
  constexpr std::string_view kBeginnings[] = {"api error",
                                              "[api error",
                                              "error:",
                                              "error ",
                                              "fatal:",
                                              "provider.",
                                              "credit balance",
                                              "claude ai usage",
                                              "failed to authen",
                                              "invalid api key",
                                              "prompt is too long",
                                              "you've hit your",
                                              "you're out of",
                                              "ran into this error",
                                              "quota exceeded",
                                              "not logged in",
                                              "unexpected status",
                                              "request failed"};
  const std::string text = plain(trimmed(line));
  return std::any_of(std::begin(kBeginnings), std::end(kBeginnings),
                     [&](std::string_view begin) { return text.starts_with(begin); });
}

std::string_view last_of(std::string_view end, bool (*fits)(std::string_view)) {
  std::string_view found;
  for (const std::string_view line : split(end, '\n'))
    if (!trimmed(line).empty() && fits(line)) found = trimmed(line);
  return found;
}

}  // namespace

std::string one_line(std::string_view words) {
  words = trimmed(words);
  std::string text;
  for (const std::string_view line : split(cut(words, 4 * kWordsBytes), '\n')) {
    const std::string_view part = trimmed(line);
    if (!part.empty()) text += (text.empty() ? "" : " ") + std::string(part);
  }
  return printable(cut(text, kWordsBytes));
}

Failure failure_of(std::string_view words, int status, std::string_view code, Moment moment) {
  Failure failure;
  failure.words = one_line(words);
  const std::string text = plain(words) + "\n" + plain(code);
  failure.status = status != 0 ? status : status_in(text);
  failure.reset_at = reset_in(words, moment);
  if (failure.reset_at == 0) failure.reset_at = reset_in(code, moment);
  Fault fault = first_of(kTelling, text);
  // What comes back by itself is no matter of money.
  if (fault == Fault::no_credit && failure.reset_at != 0) {
    constexpr std::int64_t kSoon = 600;
    fault = failure.reset_at - moment.now <= kSoon ? Fault::rate_limited : Fault::usage_limit;
  }
  if (fault == Fault::none) fault = of_status(failure.status);
  if (fault == Fault::none) fault = first_of(kVague, text);
  // What nobody knows of a service's errors may pass, unless it is the request that is wrong.
  const bool of_api = text.starts_with("api error") || text.starts_with("[api error");
  if (fault == Fault::none && of_api && failure.status == 0) fault = Fault::overloaded;
  if (fault != Fault::none) failure.fault = fault;
  return failure;
}

Failure failure_in_text(std::string_view out_end, std::string_view err_end, Moment moment) {
  const auto any = [](std::string_view) { return true; };
  for (const std::string_view end : {out_end, err_end}) {
    const std::string_view line = last_of(end, reads_as_error);
    if (line.empty()) continue;
    // On stdout only the last words count: an answer may begin any line like that.
    if (end.data() == out_end.data() && line.data() != last_of(end, any).data()) continue;
    if (Failure failure = failure_of(line, 0, {}, moment); failure.fault != Fault::exit_status)
      return failure;
  }
  Failure failure;
  const std::string_view err = last_of(err_end, any);
  failure.words = one_line(err.empty() ? last_of(out_end, any) : err);
  return failure;
}

}  // namespace capsule::dialect
