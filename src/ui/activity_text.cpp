#include "ui/activity_text.h"

#include <algorithm>

#include "base/text.h"
#include "ui/usage_text.h"

namespace capsule::ui {
namespace {

using dialect::Activity;
using What = dialect::Activity::What;

std::string beside(std::string_view words, const std::string& more) {
  return std::string(words) + (more.empty() ? "" : ": " + more);
}

// "529 overloaded"
std::string status_words(const Activity& activity) {
  std::string text = activity.status > 0 ? std::to_string(activity.status) : "";
  if (activity.detail.starts_with(text)) text.clear();  // the words have it
  if (!activity.detail.empty()) text += (text.empty() ? "" : " ") + activity.detail;
  return text;
}

json::Value text_or_null(const std::string& text) {
  return text.empty() ? json::Value() : json::Value(text);
}

}  // namespace

std::string activity_words(const Activity& activity) {
  switch (activity.what) {
    case What::starting:
      return "starts";
    case What::thinking:
      return beside("thinking", activity.detail);
    case What::tool:
      return activity.tool + (activity.detail.empty() ? "" : " " + activity.detail) +
             (activity.running.size() > 1
                  ? " (and " + std::to_string(activity.running.size() - 1) + " more)"
                  : "");
    case What::waiting: {
      const std::string why = status_words(activity);
      return "waits for the API" + (why.empty() ? "" : " (" + why + ")");
    }
    case What::failed:
      return beside("failed", activity.detail);
    case What::ended:
      return "done";
    case What::model:
    case What::text:
      break;
  }
  return "waits for the model";
}

std::string elapsed(std::int64_t milliseconds) {
  if (milliseconds < 1000) return {};
  if (milliseconds < 10'000) return std::to_string(milliseconds / 1000) + "s";
  return duration(milliseconds);
}

std::string activity_line(const Activity& activity, std::int64_t now_ms, std::size_t columns,
                          Said said) {
  const bool speaks = said == Said::here && activity.what == What::text && !activity.said.empty();
  const bool over = activity.what == What::failed || activity.what == What::ended;
  std::string time = over ? "" : elapsed(now_ms - activity.since_ms);
  // Words that were said a moment ago are news; then it is the silence that counts.
  constexpr std::int64_t kNews = 30'000;
  const bool news = speaks && now_ms - activity.since_ms < kNews;
  if (news) time.clear();
  const std::string words = news ? activity.said : activity_words(activity);
  if (time.empty() || columns < time.size() + 12) return fitted(words, columns);
  return fitted(words, columns - time.size() - 2) + "  " + time;
}

std::string tokens_words(const event::TokenUse& use) {
  const std::int64_t tokens = use.input + use.output + use.cache_written;
  return tokens > 0 ? short_count(tokens) + " tokens" : std::string();
}

json::Value activity_json(const Activity& activity) {
  return {
      {"what", name_of(activity.what)},
      {"tool", text_or_null(activity.tool)},
      {"detail", text_or_null(activity.detail)},
      {"status", activity.status > 0 ? json::Value(activity.status) : json::Value()},
      {"retry_ms", activity.what == What::waiting ? json::Value(activity.delay_ms) : json::Value()},
      {"said", text_or_null(std::string(trimmed(activity.said)))},
      {"model", text_or_null(activity.model)},
      {"tokens", tokens_json(activity.use, activity.use.tokens_known)},
      {"turns", activity.use.turns > 0 ? json::Value(activity.use.turns) : json::Value()}};
}

}  // namespace capsule::ui
