// When a limit ends, in the words of services and clients.
#include <algorithm>
#include <charconv>
#include <optional>

#include "base/text.h"
#include "dialect/fault.h"

namespace capsule::dialect {
namespace {

constexpr std::int64_t kDay = 86'400;

// Days from 1970-01-01 to a day of the Gregorian calendar.
std::int64_t days_to(std::int64_t year, std::int64_t month, std::int64_t day) {
  year -= month <= 2 ? 1 : 0;
  const std::int64_t era = (year >= 0 ? year : year - 399) / 400;
  const std::int64_t of_era = year - era * 400;
  const std::int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146'097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719'468;
}

// Walks over lower-case text.
class Words {
 public:
  explicit Words(std::string_view text) : text_(text) {}

  void blanks() { skip(" ,\t\n"); }
  bool take(std::string_view word) {
    if (!text_.starts_with(word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }
  std::optional<std::int64_t> number(std::size_t most_digits = 13) {
    std::size_t digits = 0;
    while (digits < text_.size() && is_digit(text_[digits])) ++digits;
    if (digits == 0 || digits > most_digits) return std::nullopt;
    std::int64_t value = 0;
    std::from_chars(text_.data(), text_.data() + digits, value);
    text_.remove_prefix(digits);
    return value;
  }
  std::string_view letters() {
    std::size_t end = 0;
    while (end < text_.size() && is_letter(text_[end])) ++end;
    const std::string_view word = text_.substr(0, end);
    text_.remove_prefix(end);
    return word;
  }
  bool at_digit() const { return !text_.empty() && is_digit(text_.front()); }
  std::string_view rest() const { return text_; }

 private:
  void skip(std::string_view bytes) {
    text_.remove_prefix(std::min(text_.find_first_not_of(bytes), text_.size()));
  }
  std::string_view text_;
};

std::int64_t unit_seconds(std::string_view unit) {
  if (unit == "s" || unit.starts_with("sec")) return 1;
  if (unit == "m" || unit.starts_with("min")) return 60;
  if (unit == "h" || unit.starts_with("hour") || unit == "hr" || unit == "hrs") return 3600;
  if (unit == "d" || unit.starts_with("day")) return kDay;
  return 0;
}

// "2 days 3 hours", "3h2m", "34.5s", "250ms"; a bare number is seconds.
std::optional<std::int64_t> duration(Words words) {
  std::int64_t sum = 0;
  bool any = false;
  for (;;) {
    words.blanks();
    words.take("and ");
    const auto count = words.number(6);
    if (!count) break;
    if (words.take(".")) words.number();
    words.blanks();
    const Words before = words;
    const std::string_view unit = words.letters();
    if (unit == "ms") return sum + (any ? 0 : 1);
    const std::int64_t seconds = unit_seconds(unit);
    if (seconds == 0) {
      words = before;
      if (!any) sum += *count, any = true;
      break;
    }
    sum += *count * seconds;
    any = true;
  }
  if (!any) return std::nullopt;
  return sum;
}

// Of words that end at the minute: what they mean may come as late as its last second.
constexpr std::int64_t kOfTheMinute = 59;

// The time of a day: "3pm", "3:05 pm", "15:05"; in seconds. `unsaid`: those of a minute that is
// told without them.
std::optional<std::int64_t> clock_time(Words& words, std::int64_t unsaid = 0) {
  words.blanks();
  auto hour = words.number(2);
  if (!hour) return std::nullopt;
  std::int64_t minute = 0, second = 0;
  const bool has_minutes = words.take(":");
  if (has_minutes) {
    minute = words.number(2).value_or(99);
    second = unsaid;
    if (words.take(":")) second = words.number(2).value_or(0);
  }
  words.take(" ");
  const bool pm = words.take("pm"), am = !pm && words.take("am");
  if (!pm && !am && !has_minutes) return std::nullopt;
  if (pm || am) {
    if (*hour < 1 || *hour > 12) return std::nullopt;
    *hour = *hour % 12 + (pm ? 12 : 0);
  }
  if (*hour > 23 || minute > 59 || second > 60) return std::nullopt;
  return *hour * 3600 + minute * 60 + second;
}

std::int64_t month_named(std::string_view word) {
  constexpr std::string_view kMonths[] = {"jan", "feb", "mar", "apr", "may", "jun",
                                          "jul", "aug", "sep", "oct", "nov", "dec"};
  for (std::size_t i = 0; i < std::size(kMonths); ++i)
    if (word.starts_with(kMonths[i])) return static_cast<std::int64_t>(i) + 1;
  return 0;
}

// "nov 18th, 2026 3:05 pm", "nov 18, 3pm": local time; without a year the next one that comes.
std::optional<std::int64_t> named_date(Words words, Moment moment) {
  words.blanks();
  const std::int64_t month = month_named(words.letters());
  if (month == 0) return std::nullopt;
  words.take(".");
  words.blanks();
  const auto day = words.number(2);
  if (!day || *day < 1 || *day > 31) return std::nullopt;
  words.letters();  // st, nd, rd, th
  words.blanks();
  const Words before = words;
  auto year = words.number(4);
  if (year && *year < 1970) year.reset(), words = before;
  words.blanks();
  words.take("at ");
  const std::int64_t time = clock_time(words, kOfTheMinute).value_or(0);
  const auto in = [&](std::int64_t which) {
    return days_to(which, month, *day) * kDay + time - moment.utc_offset;
  };
  if (year) return in(*year);
  std::int64_t guess = 1970 + moment.now / 31'556'952;
  while (in(guess) < moment.now - kDay) ++guess;
  return in(guess);
}

// 2026-11-18T03:00:00Z, with or without seconds, fraction and zone.
std::optional<std::int64_t> iso_date(Words words, Moment moment) {
  words.blanks();
  const auto year = words.number(4);
  if (!year || *year < 1970 || !words.take("-")) return std::nullopt;
  const auto month = words.number(2);
  if (!month || !words.take("-")) return std::nullopt;
  const auto day = words.number(2);
  if (!day || *month < 1 || *month > 12 || *day < 1 || *day > 31) return std::nullopt;
  if (!words.take("t") && !words.take(" ")) return days_to(*year, *month, *day) * kDay;
  const std::int64_t at = days_to(*year, *month, *day) * kDay + clock_time(words).value_or(0);
  if (words.take(".")) words.number();
  if (words.take(" utc") || words.take("z")) return at;
  const bool ahead = words.take("+");
  if (!ahead && !words.take("-")) return at - moment.utc_offset;
  const std::int64_t hours = words.number(2).value_or(0);
  words.take(":");
  const std::int64_t offset = hours * 3600 + words.number(2).value_or(0) * 60;
  return ahead ? at - offset : at + offset;
}

// The next such time; one that has just passed is meant as it is: clocks differ, and a limit that
// ended a minute ago does not end tomorrow.
std::optional<std::int64_t> time_of_day(Words words, Moment moment) {
  constexpr std::int64_t kJustNow = 600;
  const auto time = clock_time(words, kOfTheMinute);
  if (!time) return std::nullopt;
  const std::int64_t local = moment.now + moment.utc_offset;
  std::int64_t at = local - local % kDay + *time;
  if (at <= local - kJustNow) at += kDay;
  return at - moment.utc_offset;
}

// After a vertical bar, or as a member of a service's answer: 1790000000, perhaps in milliseconds.
std::optional<std::int64_t> epoch(std::string_view text) {
  for (const std::string_view before : {"|", "resets_at\":", "reset_at\":", "resetsat\":"})
    for (std::size_t at = text.find(before); at != text.npos; at = text.find(before, at + 1)) {
      Words words(text.substr(at + before.size()));
      words.blanks();
      const auto value = words.number();
      if (value && *value >= 1'000'000'000'000) return *value / 1000;
      if (value && *value >= 1'000'000'000) return *value;
    }
  return std::nullopt;
}

// What stands before a time, and before how long it takes.
constexpr std::string_view kAt[] = {"try again at ", "resets at ",    "reset at ",     "resets on ",
                                    "resets ",       "try again on ", "available at ", "until "};
constexpr std::string_view kIn[] = {"try again in ", "retry in ",     "reset after ",
                                    "resets in ",    "reset in ",     "retry after ",
                                    "retry-after: ", "resets after ", "try again after "};

}  // namespace

std::int64_t reset_in(std::string_view words, Moment moment) {
  constexpr std::int64_t kFarthest = 4000 * kDay;  // what is beyond is no time of anything
  const std::string text = lowered(cut(words, 4096));
  const auto near = [&](std::int64_t at) {
    return at > moment.now - kDay && at < moment.now + kFarthest;
  };
  if (const auto at = epoch(text); at && (moment.now == 0 || near(*at))) return *at;
  for (const std::string_view before : kIn) {
    const std::size_t at = text.find(before);
    if (at == text.npos) continue;
    const auto wait = duration(Words(std::string_view(text).substr(at + before.size())));
    if (wait && *wait < kFarthest) return moment.now + std::max<std::int64_t>(1, *wait);
  }
  for (const std::string_view before : kAt) {
    const std::size_t at = text.find(before);
    if (at == text.npos) continue;
    const Words rest(std::string_view(text).substr(at + before.size()));
    for (const auto read : {iso_date, named_date, time_of_day})
      if (const auto then = read(rest, moment); then && near(*then)) return *then;
  }
  return 0;
}

}  // namespace capsule::dialect
