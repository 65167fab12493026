#include "config/key.h"

#include <algorithm>
#include <array>

#include "base/check.h"
#include "base/ids.h"
#include "base/text.h"
#include "config/forms.h"

namespace capsule::config {
namespace {

constexpr std::array<std::string_view, 6> kPhases{"test-writer",    "test-review", "execute",
                                                  "execute-review", "sign-off",    "merge"};

constexpr std::string_view kReports = "auto|gotest|tap|none";
constexpr std::string_view kJunit = "junit:";
constexpr std::array<std::string_view, 9> kAutoPhases{
    "expansion", "init", "planning", "execution", "qa", "review", "fix", "check", "reflect"};
constexpr std::array<std::string_view, 8> kRoles{
    "developer",   "critic",         "auditor", "business-analyst",
    "remediation", "health-auditor", "expert",  "plan-analyst"};

bool is_choice(std::string_view choices, std::string_view value) {
  const auto all = split(choices, '|');
  return std::find(all.begin(), all.end(), value) != all.end();
}

bool is_list(Kind kind) {
  return kind == Kind::agents || kind == Kind::patterns || kind == Kind::argv ||
         kind == Kind::command || kind == Kind::words || kind == Kind::variables ||
         kind == Kind::choices || kind == Kind::places || kind == Kind::hosts ||
         kind == Kind::ports || kind == Kind::names;
}

// Lists of one item can be written without brackets.
bool is_short_list(Kind kind) {
  return kind == Kind::agents || kind == Kind::choices || kind == Kind::places ||
         kind == Kind::hosts || kind == Kind::ports || kind == Kind::names;
}

bool fits(const Key& key, std::string_view text) {
  switch (key.kind) {
    case Kind::name:
      return valid_id(text);
    case Kind::text:
      return !text.empty() && text.front() != '-' && !has_control(text);
    case Kind::folder:
      return is_inside(text) && !has_control(text);
    case Kind::branch:
      return is_branch(text);
    case Kind::choice:
    case Kind::choices:
      return is_choice(key.choices, text);
    case Kind::hours:
      return is_hours(text);
    case Kind::count:
      return parse_count(text) > 0;
    case Kind::tokens:
      return parse_tokens(text) > 0;
    case Kind::duration:
      return parse_duration(text) > 0;
    case Kind::amount:
      return is_amount(text);
    case Kind::limit:
      return is_limit(text);
    case Kind::command:
      return !trimmed(text).empty() && text.find('\0') == text.npos;
    case Kind::report:
      if (text.starts_with(kJunit)) {
        text.remove_prefix(kJunit.size());
        return is_inside(text) && !has_control(text);
      }
      return is_choice(kReports, text);
    case Kind::agents:
      return is_agent(text);
    case Kind::places:
      return is_place(text);
    case Kind::hosts:
      return is_host(text);
    case Kind::ports:
      return is_port(text);
    case Kind::names:
      return is_variable_name(text);
    case Kind::size:
      return parse_size(text) > 0;
    case Kind::patterns:
    case Kind::argv:
    case Kind::words:
    case Kind::variables:
      return false;
  }
  return false;
}

}  // namespace

const Key& key(std::string_view path) {
  const auto found = std::find_if(keys().begin(), keys().end(),
                                  [&](const Key& candidate) { return candidate.path == path; });
  CHECK(found != keys().end());
  return *found;
}

std::string describe(const Key& key) {
  switch (key.kind) {
    case Kind::name:
      return "a name of letters, digits, '.', '_' and '-'";
    case Kind::text:
      return "one line of text that does not begin with '-'";
    case Kind::folder:
      return "a relative path without '..'";
    case Kind::branch:
      return "a branch name";
    case Kind::choice:
      return "one of " + replace_all(key.choices, "|", ", ");
    case Kind::choices:
      return "a list of some of " + replace_all(key.choices, "|", ", ");
    case Kind::hours:
      return "hours of the day such as 22:00-07:00";
    case Kind::count:
    case Kind::tokens:
      return "a whole number from 1";
    case Kind::duration:
      return "a duration such as 600, 90s, 10m or 1h30m";
    case Kind::amount:
      return "an amount of money such as 0.35";
    case Kind::limit:
      return "an amount of money above 0, such as 0.35; without the key there is no limit";
    case Kind::patterns:
      return "a list of file patterns, such as [\"*.tmp\", \"*.bak\"]";
    case Kind::agents:
      return "a list of providers, such as [codex, \"gemini:gemini-2.5-pro\"]";
    case Kind::argv:
      return "a list, such as [program, \"--option\", \"{prompt}\"]";
    case Kind::words:
      return "a list of arguments, such as [\"--option\", value]";
    case Kind::variables:
      return "a list of variables, such as [NAME=value]";
    case Kind::command:
      return "a command, such as go test ./..., or a list, such as [go, test, ./...]";
    case Kind::report:
      return "one of " + replace_all(kReports, "|", ", ") +
             ", or junit: with the path of the file, such as junit:build/tests.xml";
    case Kind::places:
      return "a list of paths that begin with / or ~/, such as [~/.cache/go-build]";
    case Kind::hosts:
      return "a list of hosts, such as [\"api.example.com:443\", \"*.example.com:443\"]";
    case Kind::ports:
      return "a list of ports, such as [5432]";
    case Kind::names:
      return "a list of names of variables, such as [JAVA_HOME]";
    case Kind::size:
      return "a size such as 500MB or 4GB";
  }
  return {};
}

tl::expected<Value, Complaint> value_of(const Key& key, std::string_view path,
                                        std::string_view text) {
  if (fits(key, text)) {
    if (key.kind == Kind::count) return parse_count(text);
    if (key.kind == Kind::tokens) return parse_tokens(text);
    if (key.kind == Kind::size) return parse_size(text);
    if (is_short_list(key.kind)) return std::vector<std::string>{std::string(text)};
    if (key.kind == Kind::duration) return parse_duration(text);
    return std::string(text);
  }
  constexpr std::size_t kShownBytes = 80;
  std::string shown = printable(text.substr(0, kShownBytes));
  if (text.size() > kShownBytes) shown += "…";
  Complaint complaint{std::string(path) + " cannot be '" + shown + "'",
                      "it must be " + describe(key)};
  if (key.kind == Kind::choice || key.kind == Kind::choices) {
    const std::string_view near = nearest_name(text, split(key.choices, '|'));
    if (!near.empty()) complaint.hint += "; did you mean " + std::string(near) + "?";
  }
  return tl::unexpected(std::move(complaint));
}

tl::expected<Value, Complaint> value_of(const Key& key, std::string_view path,
                                        std::vector<std::string> items) {
  const auto refuse = [&](std::string_view why) {
    return tl::unexpected(
        Complaint{std::string(path) + " " + std::string(why), "it must be " + describe(key)});
  };
  if (!is_list(key.kind)) return refuse("cannot be a list");
  const bool runs = key.kind == Kind::argv || key.kind == Kind::command;
  if (runs && (items.empty() || items.front().empty())) return refuse("names no program");
  for (const std::string& item : items) {
    if (item.find('\0') != item.npos) return refuse("holds a NUL byte");
    if (key.kind == Kind::variables && !is_variable(item))
      return refuse("has an item that is no NAME=value: '" + printable(item) + "'");
    if (key.kind == Kind::agents && !is_agent(item))
      return refuse("has an item that is no provider: '" + printable(item) + "'");
    if (is_short_list(key.kind) && !fits(key, item))
      return refuse("cannot hold '" + printable(item) + "'");
    if (key.kind == Kind::patterns && (item.empty() || has_control(item)))
      return refuse("has an item that is no file pattern: '" + printable(item) + "'");
  }
  return items;
}

Value default_of(const Key& key) {
  if (key.initial.empty()) return {};
  if (key.kind != Kind::patterns) return value_of(key, key.path, key.initial).value();
  std::vector<std::string> items;
  for (std::string_view item : split(key.initial, ' ')) items.emplace_back(item);
  return value_of(key, key.path, std::move(items)).value();
}

std::string yaml_scalar(std::string_view text) {
  constexpr std::string_view kPlain = "_./- ";
  constexpr std::array<std::string_view, 4> kNulls{"null", "Null", "NULL", "~"};
  const bool plain = !text.empty() && (is_letter(text.front()) || is_digit(text.front())) &&
                     text.back() != ' ' &&
                     std::find(kNulls.begin(), kNulls.end(), text) == kNulls.end() &&
                     std::all_of(text.begin(), text.end(), [&](char c) {
                       return is_letter(c) || is_digit(c) || kPlain.find(c) != kPlain.npos;
                     });
  if (plain) return std::string(text);
  constexpr char kHex[] = "0123456789abcdef";
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += {'\\', c};
    } else if (c == '\n') {
      quoted += "\\n";
    } else if (byte < 0x20 || byte == 0x7F) {
      quoted += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

std::string written(const Key& key, const Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value))
    return key.kind == Kind::size
               ? size_text(*number)
               : std::to_string(*number) + (key.kind == Kind::duration ? "s" : "");
  if (const auto* text = std::get_if<std::string>(&value)) return yaml_scalar(*text);
  if (const auto* items = std::get_if<std::vector<std::string>>(&value)) {
    std::string list = "[";
    for (const std::string& item : *items)
      list += (list.size() > 1 ? ", " : "") + yaml_scalar(item);
    return list + "]";
  }
  return {};
}

std::string_view nearest_name(std::string_view word, std::span<const std::string_view> names) {
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(2, std::min<std::size_t>(word.size(), 64) / 3);
  for (std::string_view name : names) {
    const std::size_t distance = edit_distance(word.substr(0, 64), name);
    if (distance >= word.size()) continue;  // nothing in common
    if (distance < best_distance || (distance == best_distance && best.empty())) {
      best = name;
      best_distance = distance;
    }
  }
  return best;
}

std::span<const std::string_view> pipeline_phases() { return kPhases; }
std::span<const std::string_view> auto_phases() { return kAutoPhases; }
std::span<const std::string_view> roles() { return kRoles; }

}  // namespace capsule::config
