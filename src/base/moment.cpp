#include "base/moment.h"

#include "base/text.h"

namespace capsule {
namespace {

// Takes `digits` decimal digits off the front.
std::optional<std::int64_t> take_number(std::string_view& text, std::size_t digits) {
  if (text.size() < digits) return std::nullopt;
  std::int64_t value = 0;
  for (std::size_t i = 0; i < digits; ++i) {
    if (!is_digit(text[i])) return std::nullopt;
    value = value * 10 + (text[i] - '0');
  }
  text.remove_prefix(digits);
  return value;
}

bool take(std::string_view& text, char wanted) {
  if (text.empty() || text.front() != wanted) return false;
  text.remove_prefix(1);
  return true;
}

// Days since 1970 of a date in the Gregorian calendar: years that begin in March have their leap
// day at the end.
std::int64_t days_of(std::int64_t year, std::int64_t month, std::int64_t day) {
  const std::int64_t shifted = month <= 2 ? year - 1 : year;
  const std::int64_t era = (shifted >= 0 ? shifted : shifted - 399) / 400;
  const std::int64_t of_era = shifted - era * 400;
  const std::int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

// The offset of a zone in seconds; the text must end after it.
std::optional<std::int64_t> zone_of(std::string_view text) {
  if (text.empty() || text == "Z" || text == "z") return 0;
  const char sign = text.front();
  if (sign != '+' && sign != '-') return std::nullopt;
  text.remove_prefix(1);
  const auto hours = take_number(text, 2);
  if (!hours || *hours > 23) return std::nullopt;
  std::int64_t offset = *hours * 3600;
  if (!text.empty()) {
    take(text, ':');
    const auto minutes = take_number(text, 2);
    if (!minutes || *minutes > 59 || !text.empty()) return std::nullopt;
    offset += *minutes * 60;
  }
  return sign == '-' ? -offset : offset;
}

}  // namespace

std::optional<std::int64_t> milliseconds_of(std::string_view text) {
  const auto year = take_number(text, 4);
  if (!year || !take(text, '-')) return std::nullopt;
  const auto month = take_number(text, 2);
  if (!month || *month < 1 || *month > 12 || !take(text, '-')) return std::nullopt;
  const auto day = take_number(text, 2);
  if (!day || *day < 1 || *day > 31) return std::nullopt;
  if (!take(text, 'T') && !take(text, 't') && !take(text, ' ')) return std::nullopt;
  const auto hour = take_number(text, 2);
  if (!hour || *hour > 24 || !take(text, ':')) return std::nullopt;
  const auto minute = take_number(text, 2);
  if (!minute || *minute > 59) return std::nullopt;
  std::int64_t second = 0, fraction = 0;
  if (take(text, ':')) {
    const auto found = take_number(text, 2);
    if (!found || *found > 60) return std::nullopt;
    second = *found;
    if (take(text, '.') || take(text, ',')) {
      if (text.empty() || !is_digit(text.front())) return std::nullopt;
      std::int64_t digit_ms = 100;
      for (; !text.empty() && is_digit(text.front()); digit_ms /= 10) {
        fraction += digit_ms * (text.front() - '0');
        text.remove_prefix(1);
      }
    }
  }
  const auto zone = zone_of(text);
  if (!zone) return std::nullopt;
  const std::int64_t seconds =
      days_of(*year, *month, *day) * 86400 + *hour * 3600 + *minute * 60 + second - *zone;
  return seconds * 1000 + fraction;
}

std::optional<std::int64_t> seconds_of(std::string_view text) {
  const auto milliseconds = milliseconds_of(text);
  if (!milliseconds) return std::nullopt;
  // Before 1970, too, the fraction counts up from the second.
  return (*milliseconds - (*milliseconds % 1000 + 1000) % 1000) / 1000;
}

}  // namespace capsule
