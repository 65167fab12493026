#include "config/key.h"

#include <algorithm>
#include <array>

#include "base/check.h"
#include "base/ids.h"
#include "base/text.h"

namespace capsule::config {
namespace {

constexpr std::array kKeys{
    Key{.path = "provider",
        .kind = Kind::name,
        .help = "The agent that runs the phases",
        .initial = "claude",
        .variable = "CAPSULE_PROVIDER"},
    Key{.path = "max_retries",
        .kind = Kind::count,
        .help = "How many attempts a phase pair has in all",
        .initial = "3",
        .variable = "CAPSULE_MAX_RETRIES"},
    Key{.path = "phase_timeout",
        .kind = Kind::duration,
        .help = "How long one phase may take",
        .initial = "600s",
        .variable = "CAPSULE_PHASE_TIMEOUT"},
    Key{.path = "tracker",
        .kind = Kind::choice,
        .help = "Where tasks come from (auto: bd if it is installed, else native)",
        .initial = "auto",
        .choices = "auto|native|bd",
        .variable = "CAPSULE_TRACKER"},
    Key{.path = "main_branch",
        .kind = Kind::branch,
        .help = "The branch that finished work is merged into (not set: main, else master)",
        .variable = "CAPSULE_MAIN_BRANCH",
        .example = "main"},
    Key{.path = "exclude",
        .kind = Kind::patterns,
        .help = "Files that never reach the main branch",
        .initial = "*.tmp *.bak *.swp *~ *.orig *.rej"},
    Key{.path = "convergence",
        .kind = Kind::choice,
        .help = "What to do when two reviews in a row say the same about the same tree",
        .initial = "stop",
        .choices = "stop|warn|off"},
    Key{.path = "on_main_moved",
        .kind = Kind::choice,
        .help = "What to do when the main branch was moved, by no Capsule, while an agent ran",
        .initial = "ask",
        .choices = "ask|tell"},
    Key{.path = "integrate",
        .kind = Kind::choice,
        .help = "What becomes of work that is ready: it is merged, a person approves it first, or "
                "it waits on a branch",
        .initial = "merge",
        .choices = "merge|ask|branch"},
    Key{.path = "fallbacks",
        .kind = Kind::agents,
        .help = "Who takes over, in this order, while the agent's provider is parked",
        .example = "[codex, \"gemini:gemini-2.5-pro\"]"},
    Key{.path = "trailers",
        .kind = Kind::choice,
        .help = "Whether merge commits say which model and client did the work",
        .initial = "true",
        .choices = "true|false"},
    Key{.path = "budget.run",
        .kind = Kind::amount,
        .help = "What a run may cost before a person is asked",
        .example = "5.00"},
    Key{.path = "budget.task",
        .kind = Kind::amount,
        .help = "What one task of a plan, or a bead, may cost",
        .example = "1.50"},
    Key{.path = "budget.day",
        .kind = Kind::amount,
        .help = "What all runs of the project may cost in a day",
        .example = "40.00"},
    Key{.path = "budget.tokens",
        .kind = Kind::tokens,
        .help = "How many tokens a run may use, without those that a cache already had",
        .example = "2000000"},
    Key{.path = "budget.hard",
        .kind = Kind::choice,
        .help = "Whether an agent at work is ended when a budget is spent (its work is kept)",
        .initial = "false",
        .choices = "false|true"},
    Key{.path = "prices.*.input",
        .kind = Kind::amount,
        .help = "What a million tokens of input cost with this model, or provider",
        .example = "3.00"},
    Key{.path = "prices.*.output",
        .kind = Kind::amount,
        .help = "The same for output",
        .example = "15.00"},
    Key{.path = "prices.*.cache_read",
        .kind = Kind::amount,
        .help = "The same for what a cache already had",
        .example = "0.30"},
    Key{.path = "prices.*.cache_written",
        .kind = Kind::amount,
        .help = "The same for what was put into a cache",
        .example = "3.75"},
    Key{.path = "test_files",
        .kind = Kind::patterns,
        .help = "Which files are tests (not set: the usual names of each language)",
        .example = "[\"*_test.go\", \"tests/**\"]"},
    Key{.path = "verify.test",
        .kind = Kind::command,
        .help = "The command that runs the tests",
        .example = "go test ./..."},
    Key{.path = "verify.lint",
        .kind = Kind::command,
        .help = "The command that checks the style",
        .example = "[go, vet, ./...]"},
    Key{.path = "verify.build",
        .kind = Kind::command,
        .help = "The command that builds",
        .example = "go build ./..."},
    Key{.path = "verify.dir",
        .kind = Kind::folder,
        .help = "The folder inside the project in which these commands run",
        .initial = "."},
    Key{.path = "verify.baseline",
        .kind = Kind::choice,
        .help = "Whether these commands may fail before anybody has worked (red-allowed)",
        .initial = "green",
        .choices = "green|red-allowed"},
    Key{.path = "verify.guard",
        .kind = Kind::patterns,
        .help = "Files that say what these commands do (not set: the usual ones; none: no file)",
        .example = "[Makefile, \"ci/**\"]"},
    Key{.path = "verify.timeout",
        .kind = Kind::duration,
        .help = "How long one of these commands may take",
        .initial = "600s"},
    Key{.path = "verify.test_report",
        .kind = Kind::report,
        .help = "How verify.test names its tests (auto: told from the command)",
        .initial = "auto"},
    Key{.path = "worktree.setup",
        .kind = Kind::command,
        .help = "The command that readies a new worktree before agents and checks work in it",
        .example = "npm ci"},
    Key{.path = "worktree.setup_inputs",
        .kind = Kind::patterns,
        .help = "The files that it depends on: it runs again when they change (not set: the usual "
                "lock files)",
        .example = "[package-lock.json, \"tools/*.sh\"]"},
    Key{.path = "worktree.setup_timeout",
        .kind = Kind::duration,
        .help = "How long it may take",
        .initial = "1800s"},
    Key{.path = "slots.developers",
        .kind = Kind::count,
        .help = "How many Developers of a delivery work at once",
        .initial = "5"},
    Key{.path = "slots.critics",
        .kind = Kind::count,
        .help = "How many Critics of a delivery work at once",
        .initial = "5"},
    Key{.path = "slots.auditors",
        .kind = Kind::count,
        .help = "How many Auditors of a delivery work at once",
        .initial = "5"},
    Key{.path = "checkpoint_interval",
        .kind = Kind::duration,
        .help = "How long a Developer may be silent before it is looked at",
        .initial = "300s"},
    Key{.path = "limits.task_failures",
        .kind = Kind::count,
        .help = "How often a task may fail in one way; the last time ends it",
        .initial = "3"},
    Key{.path = "limits.unknown_redispatches",
        .kind = Kind::count,
        .help = "How many agents of a task may send no valid signal; the last one ends it",
        .initial = "3"},
    Key{.path = "limits.signal_requests",
        .kind = Kind::count,
        .help = "How often one agent is asked again for its signal",
        .initial = "3"},
    Key{.path = "limits.restarts",
        .kind = Kind::count,
        .help = "How many agents of a task may die, time out or be idle; the last one ends it",
        .initial = "3"},
    Key{.path = "limits.critic_timeouts",
        .kind = Kind::count,
        .help = "How often a review may time out; after the last the audit begins",
        .initial = "3"},
    Key{.path = "limits.expert_requests",
        .kind = Kind::count,
        .help = "How often the agents of one task may ask experts; then a person is asked",
        .initial = "3"},
    Key{.path = "limits.questions",
        .kind = Kind::count,
        .help = "How often the agents of one task may ask a person",
        .initial = "5"},
    Key{.path = "limits.merge_rework",
        .kind = Kind::count,
        .help = "How often the merge of a task may be refused; the last time ends it",
        .initial = "3"},
    Key{.path = "limits.file_waits",
        .kind = Kind::count,
        .help = "How often a task may wait for a file; the last time a person is asked",
        .initial = "3"},
    Key{.path = "limits.file_wait",
        .kind = Kind::duration,
        .help = "How long a task waits for a file at a time",
        .initial = "1800s"},
    Key{.path = "limits.remediation_attempts",
        .kind = Kind::count,
        .help = "How often the infrastructure is repaired before a person is asked",
        .initial = "10"},
    Key{.path = "limits.delegation_timeout",
        .kind = Kind::duration,
        .help = "How long an expert may take",
        .initial = "600s"},
    Key{.path = "roles.*.provider",
        .kind = Kind::name,
        .help = "The agent for this role of a delivery",
        .example = "claude"},
    Key{.path = "roles.*.model",
        .kind = Kind::text,
        .help = "The model for this role",
        .example = "large"},
    Key{.path = "roles.*.fallbacks",
        .kind = Kind::agents,
        .help = "Who takes over for this role while its provider is parked (not set: fallbacks)",
        .example = "[codex]"},
    Key{.path = "roles.*.access",
        .kind = Kind::choice,
        .help = "Whether an agent in this role may change anything (not set: write)",
        .choices = "write|read-only",
        .example = "read-only"},
    Key{.path = "roles.*.timeout",
        .kind = Kind::duration,
        .help = "How long an agent in this role may take (not set: phase_timeout)",
        .example = "1h"},
    Key{.path = "roles.*.price",
        .kind = Kind::amount,
        .help = "What one run of this role costs, for the bound that plan check prints",
        .example = "0.35"},
    Key{.path = "providers.*.command",
        .kind = Kind::argv,
        .help =
            "The program and its arguments; {prompt} stands for the prompt, {model} for the model",
        .example = "[my-agent, \"--ask\", \"{prompt}\"]"},
    Key{.path = "providers.*.stdin",
        .kind = Kind::choice,
        .help = "What the program reads (not set: the prompt, unless {prompt} is an argument)",
        .choices = "prompt|none",
        .example = "none"},
    Key{.path = "providers.*.model",
        .kind = Kind::text,
        .help = "The model to ask for",
        .example = "small"},
    Key{.path = "providers.*.output",
        .kind = Kind::choice,
        .help = "What the program prints (not set: text; a known client's own events)",
        .choices = "text|claude-stream|codex-events|gemini-stream|opencode-events|goose-stream|"
                   "qwen-stream|copilot-events|kimi-stream|grok-stream",
        .example = "text"},
    Key{.path = "providers.*.args",
        .kind = Kind::words,
        .help = "Arguments for a known client beside Capsule's own",
        .example = "[\"-c\", \"model_reasoning_effort=high\"]"},
    Key{.path = "providers.*.env",
        .kind = Kind::variables,
        .help = "Variables that its agents get beside the environment",
        .example = "[CLAUDE_CODE_MAX_RETRIES=5]"},
    Key{.path = "providers.*.steer",
        .kind = Kind::choice,
        .help = "Whether it hears 'capsule tell' while it works (claude, and commands that print "
                "claude-stream; not set: false)",
        .choices = "false|true",
        .example = "true"},
    Key{.path = "providers.*.cassette",
        .kind = Kind::text,
        .help = "The file that a rehearsal plays, relative to the project",
        .example = "demo.cassette"},
    Key{.path = "phases.*.provider",
        .kind = Kind::name,
        .help = "The agent for this phase",
        .example = "claude"},
    Key{.path = "phases.*.model",
        .kind = Kind::text,
        .help = "The model for this phase",
        .example = "large"},
    Key{.path = "phases.*.fallbacks",
        .kind = Kind::agents,
        .help = "Who takes over for this phase while its provider is parked (not set: fallbacks)",
        .example = "[codex]"},
    Key{.path = "phases.*.session",
        .kind = Kind::choice,
        .help = "Whether a writer whose work is sent back goes on in its session (not set: resume)",
        .choices = "new|resume",
        .example = "new"},
    Key{.path = "phases.*.access",
        .kind = Kind::choice,
        .help = "Whether the agent of this phase may change anything (not set: write)",
        .choices = "write|read-only",
        .example = "read-only"},
    Key{.path = "phases.*.timeout",
        .kind = Kind::duration,
        .help = "How long this phase may take",
        .example = "20m"},
};

constexpr std::array<std::string_view, 6> kPhases{"test-writer",    "test-review", "execute",
                                                  "execute-review", "sign-off",    "merge"};

constexpr std::string_view kReports = "auto|gotest|tap|none";
constexpr std::string_view kJunit = "junit:";
constexpr std::array<std::string_view, 9> kAutoPhases{
    "expansion", "init", "planning", "execution", "qa", "review", "fix", "check", "reflect"};
constexpr std::array<std::string_view, 8> kRoles{
    "developer",   "critic",         "auditor", "business-analyst",
    "remediation", "health-auditor", "expert",  "plan-analyst"};

constexpr std::int64_t kMaxCount = 1'000'000;
constexpr std::int64_t kMaxTokens = 1'000'000'000'000;
constexpr std::int64_t kMaxSeconds = 1'000'000'000;  // about 31 years: far, and never overflows

bool has_control(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7F;
  });
}

// Reads digits off the front of `text`; -1 when there are none or the number is too large.
std::int64_t take_number(std::string_view& text, std::int64_t limit) {
  std::int64_t number = 0;
  std::size_t length = 0;
  while (length < text.size() && is_digit(text[length])) {
    number = number * 10 + (text[length] - '0');
    if (number > limit) return -1;
    ++length;
  }
  text.remove_prefix(length);
  return length == 0 ? -1 : number;
}

std::int64_t parse_count(std::string_view text) {
  const std::int64_t number = take_number(text, kMaxCount);
  return text.empty() ? number : -1;
}

std::int64_t parse_tokens(std::string_view text) {
  const std::int64_t number = take_number(text, kMaxTokens);
  return text.empty() ? number : -1;
}

std::int64_t parse_duration(std::string_view text) {
  constexpr std::string_view kUnits = "dhms";
  constexpr std::array<std::int64_t, 4> kSeconds{86'400, 3'600, 60, 1};
  std::string_view bare = text;
  if (const std::int64_t seconds = take_number(bare, kMaxSeconds); bare.empty()) return seconds;
  std::int64_t total = 0;
  for (std::size_t next_unit = 0; !text.empty();) {  // each unit once, the larger ones first
    const std::int64_t number = take_number(text, kMaxSeconds);
    if (number < 0 || text.empty()) return -1;
    const std::size_t unit = kUnits.find(text.front());
    if (unit == kUnits.npos || unit < next_unit) return -1;
    next_unit = unit + 1;
    total += number * kSeconds[unit];
    text.remove_prefix(1);
  }
  return total > kMaxSeconds ? -1 : total;
}

// Digits, and perhaps a point with digits after it.
bool is_amount(std::string_view text) {
  constexpr std::size_t kMaxDigits = 12;
  const std::size_t point = text.find('.');
  const auto digits = [](std::string_view part) {
    return !part.empty() && part.size() <= kMaxDigits &&
           std::all_of(part.begin(), part.end(), is_digit);
  };
  if (point == text.npos) return digits(text);
  return digits(text.substr(0, point)) && digits(text.substr(point + 1));
}

// The rules of git-check-ref-format for one branch, and nothing that reads like an option.
bool is_branch(std::string_view text) {
  constexpr std::string_view kForbidden = " ~^:?*[\\";
  if (text.empty() || text.size() > 200 || has_control(text)) return false;
  if (text.front() == '-' || text.front() == '/' || text.back() == '/' || text.back() == '.')
    return false;
  if (text == "@" || text == "HEAD" || text.find_first_of(kForbidden) != text.npos) return false;
  for (std::string_view twice : {"..", "//", "@{"})
    if (text.find(twice) != text.npos) return false;
  for (std::string_view part : split(text, '/'))
    if (part.empty() || part.front() == '.' || part.ends_with(".lock")) return false;
  return true;
}

bool is_inside(std::string_view path) {
  if (path.empty() || path.front() == '/') return false;
  const auto parts = split(path, '/');
  return std::find(parts.begin(), parts.end(), "..") == parts.end();
}

bool is_choice(std::string_view choices, std::string_view value) {
  const auto all = split(choices, '|');
  return std::find(all.begin(), all.end(), value) != all.end();
}

// "codex", "opencode:openai/gpt-5".
bool is_agent(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (!valid_id(text.substr(0, colon))) return false;
  if (colon == text.npos) return true;
  const std::string_view model = text.substr(colon + 1);
  return !model.empty() && model.front() != '-' && !has_control(model);
}

bool is_list(Kind kind) {
  return kind == Kind::agents || kind == Kind::patterns || kind == Kind::argv ||
         kind == Kind::command || kind == Kind::words || kind == Kind::variables;
}

bool is_variable(std::string_view text) {
  const std::string_view name = text.substr(0, text.find('='));
  return name.size() < text.size() && !name.empty() && !is_digit(name.front()) &&
         std::all_of(name.begin(), name.end(),
                     [](char c) { return is_letter(c) || is_digit(c) || c == '_'; });
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
      return is_choice(key.choices, text);
    case Kind::count:
      return parse_count(text) > 0;
    case Kind::tokens:
      return parse_tokens(text) > 0;
    case Kind::duration:
      return parse_duration(text) > 0;
    case Kind::amount:
      return is_amount(text);
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
    case Kind::patterns:
    case Kind::argv:
    case Kind::words:
    case Kind::variables:
      return false;
  }
  return false;
}

}  // namespace

std::span<const Key> keys() { return kKeys; }

const Key& key(std::string_view path) {
  const auto found = std::find_if(kKeys.begin(), kKeys.end(),
                                  [&](const Key& candidate) { return candidate.path == path; });
  CHECK(found != kKeys.end());
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
    case Kind::count:
    case Kind::tokens:
      return "a whole number from 1";
    case Kind::duration:
      return "a duration such as 600, 90s, 10m or 1h30m";
    case Kind::amount:
      return "an amount of money such as 0.35";
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
  }
  return {};
}

tl::expected<Value, Complaint> value_of(const Key& key, std::string_view path,
                                        std::string_view text) {
  if (fits(key, text)) {
    if (key.kind == Kind::count) return parse_count(text);
    if (key.kind == Kind::tokens) return parse_tokens(text);
    if (key.kind == Kind::agents) return std::vector<std::string>{std::string(text)};
    if (key.kind == Kind::duration) return parse_duration(text);
    return std::string(text);
  }
  constexpr std::size_t kShownBytes = 80;
  std::string shown = printable(text.substr(0, kShownBytes));
  if (text.size() > kShownBytes) shown += "…";
  Complaint complaint{std::string(path) + " cannot be '" + shown + "'",
                      "it must be " + describe(key)};
  if (key.kind == Kind::choice) {
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
    return std::to_string(*number) + (key.kind == Kind::duration ? "s" : "");
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
