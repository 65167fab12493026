#include "config/config.h"

#include <algorithm>
#include <cstdlib>

#include "base/check.h"
#include "base/text.h"
#include "config/layer.h"

namespace capsule::config {
namespace {

constexpr std::size_t kMaxProblemsTold = 10;
constexpr std::int64_t kMaxMicros = 100'000'000'000'000'000;  // far, and never overflows

template <class T>
const T* as(const Entry& entry) {
  return std::get_if<T>(&entry.value);
}

std::string text_of(const Entry& entry) {
  const auto* text = as<std::string>(entry);
  return text != nullptr ? *text : std::string();
}

std::vector<std::string> list_of(const Entry& entry) {
  const auto* items = as<std::vector<std::string>>(entry);
  return items != nullptr ? *items : std::vector<std::string>();
}

std::int64_t number_of(const Entry& entry) {
  const auto* number = as<std::int64_t>(entry);
  return number != nullptr ? *number : 0;
}

std::chrono::seconds seconds_of(const Entry& entry) {
  return std::chrono::seconds(number_of(entry));
}

std::optional<Command> command_of(const Entry& entry) {
  if (std::holds_alternative<std::monostate>(entry.value)) return std::nullopt;
  return Command{list_of(entry), text_of(entry)};
}

// An enumeration whose members stand in the order of the row's choices.
template <class Enum>
Enum choice_of(const Entry& entry) {
  const auto choices = split(entry.key->choices, '|');
  const std::string text = text_of(entry);
  const auto found = std::find(choices.begin(), choices.end(), text);
  return static_cast<Enum>(found == choices.end() ? 0 : found - choices.begin());
}

// The name that stands for `*`: what lies between the first word and the last one. Names may hold
// dots themselves.
std::string name_in(const Entry& entry) {
  const std::size_t first = entry.path.find('.');
  return entry.path.substr(first + 1, entry.path.rfind('.') - first - 1);
}

std::vector<Fallback> fallbacks_in(const Entry& entry) {
  std::vector<Fallback> fallbacks;
  for (const std::string& item : list_of(entry)) {
    const std::size_t colon = item.find(':');
    fallbacks.push_back({item.substr(0, colon), colon == item.npos ? "" : item.substr(colon + 1)});
  }
  return fallbacks;
}

// "1.50" in millionths: what is written beyond these is dropped.
std::int64_t micros_of(const Entry& entry) {
  std::int64_t micros = 0, digit = 1'000'000;
  bool fraction = false;
  for (const char byte : text_of(entry)) {
    if (byte == '.') {
      fraction = true;
    } else if (fraction) {
      digit /= 10;
      micros += digit * (byte - '0');
    } else {
      micros = std::min<std::int64_t>(micros * 10 + 1'000'000LL * (byte - '0'), kMaxMicros);
    }
  }
  return micros;
}

// "22:00-07:00"
Hours hours_of(const Entry& entry) {
  const std::string text = text_of(entry);
  const auto minutes = [&](std::size_t at) {
    const auto two = [&](std::size_t from) {
      return (text[from] - '0') * 10 + (text[from + 1] - '0');
    };
    return two(at) * 60 + two(at + 3);
  };
  return {minutes(0), minutes(6)};
}

// How a row fills the struct. One line for each row of the table.
struct Filler {
  std::string_view path;
  void (*fill)(Config&, const Entry&);
};

constexpr Filler kFillers[] = {
    {"provider", [](Config& c, const Entry& e) { c.provider = text_of(e); }},
    {"max_retries",
     [](Config& c, const Entry& e) { c.max_retries = static_cast<int>(number_of(e)); }},
    {"phase_timeout", [](Config& c, const Entry& e) { c.phase_timeout = seconds_of(e); }},
    {"tracker", [](Config& c, const Entry& e) { c.tracker = choice_of<Tracker>(e); }},
    {"main_branch", [](Config& c, const Entry& e) { c.main_branch = text_of(e); }},
    {"exclude", [](Config& c, const Entry& e) { c.exclude = list_of(e); }},
    {"convergence", [](Config& c, const Entry& e) { c.convergence = choice_of<Convergence>(e); }},
    {"on_main_moved", [](Config& c, const Entry& e) { c.on_main_moved = choice_of<MainMoved>(e); }},
    {"integrate",
     [](Config& c, const Entry& e) {
       // Whoever leaves it to the project is none of the choices.
       c.integrate = static_cast<event::Integrate>(1 + static_cast<int>(choice_of<Integrate>(e)));
     }},
    {"fallbacks", [](Config& c, const Entry& e) { c.fallbacks = fallbacks_in(e); }},
    {"trailers", [](Config& c, const Entry& e) { c.trailers = text_of(e) == "true"; }},
    {"budget.run", [](Config& c, const Entry& e) { c.budget.run = micros_of(e); }},
    {"budget.task", [](Config& c, const Entry& e) { c.budget.task = micros_of(e); }},
    {"budget.day", [](Config& c, const Entry& e) { c.budget.day = micros_of(e); }},
    {"budget.tokens", [](Config& c, const Entry& e) { c.budget.tokens = number_of(e); }},
    {"budget.hard", [](Config& c, const Entry& e) { c.budget.hard = text_of(e) == "true"; }},
    {"prices.*.input",
     [](Config& c, const Entry& e) { c.prices[name_in(e)].input = micros_of(e); }},
    {"prices.*.output",
     [](Config& c, const Entry& e) { c.prices[name_in(e)].output = micros_of(e); }},
    {"prices.*.cache_read",
     [](Config& c, const Entry& e) { c.prices[name_in(e)].cache_read = micros_of(e); }},
    {"prices.*.cache_written",
     [](Config& c, const Entry& e) { c.prices[name_in(e)].cache_written = micros_of(e); }},
    {"notify.*.on", [](Config& c, const Entry& e) { c.notify[name_in(e)].on = list_of(e); }},
    {"notify.*.desktop",
     [](Config& c, const Entry& e) { c.notify[name_in(e)].desktop = text_of(e) == "true"; }},
    {"notify.*.terminal",
     [](Config& c, const Entry& e) { c.notify[name_in(e)].terminal = text_of(e) == "true"; }},
    {"notify.*.command",
     [](Config& c, const Entry& e) { c.notify[name_in(e)].command = list_of(e); }},
    {"notify.*.body",
     [](Config& c, const Entry& e) { c.notify[name_in(e)].body = choice_of<Body>(e); }},
    {"notify.*.text",
     [](Config& c, const Entry& e) { c.notify[name_in(e)].text = text_of(e) == "true"; }},
    {"notify.*.quiet",
     [](Config& c, const Entry& e) { c.notify[name_in(e)].quiet = hours_of(e); }},
    {"test_files", [](Config& c, const Entry& e) { c.test_files = list_of(e); }},
    {"verify.test", [](Config& c, const Entry& e) { c.verify.test = command_of(e); }},
    {"verify.lint", [](Config& c, const Entry& e) { c.verify.lint = command_of(e); }},
    {"verify.build", [](Config& c, const Entry& e) { c.verify.build = command_of(e); }},
    {"verify.dir", [](Config& c, const Entry& e) { c.verify.dir = text_of(e); }},
    {"verify.baseline",
     [](Config& c, const Entry& e) { c.verify.red_allowed = text_of(e) == "red-allowed"; }},
    {"verify.guard", [](Config& c, const Entry& e) { c.verify.guard = list_of(e); }},
    {"verify.timeout", [](Config& c, const Entry& e) { c.verify.timeout = seconds_of(e); }},
    {"verify.test_report", [](Config& c, const Entry& e) { c.verify.test_report = text_of(e); }},
    {"worktree.setup", [](Config& c, const Entry& e) { c.worktree.setup = command_of(e); }},
    {"worktree.setup_inputs",
     [](Config& c, const Entry& e) { c.worktree.setup_inputs = list_of(e); }},
    {"worktree.setup_timeout",
     [](Config& c, const Entry& e) { c.worktree.setup_timeout = seconds_of(e); }},
    {"slots.developers",
     [](Config& c, const Entry& e) { c.slots.developers = static_cast<int>(number_of(e)); }},
    {"slots.critics",
     [](Config& c, const Entry& e) { c.slots.critics = static_cast<int>(number_of(e)); }},
    {"slots.auditors",
     [](Config& c, const Entry& e) { c.slots.auditors = static_cast<int>(number_of(e)); }},
    {"checkpoint_interval",
     [](Config& c, const Entry& e) { c.checkpoint_interval = seconds_of(e); }},
    {"limits.task_failures",
     [](Config& c, const Entry& e) { c.limits.task_failures = static_cast<int>(number_of(e)); }},
    {"limits.unknown_redispatches",
     [](Config& c, const Entry& e) {
       c.limits.unknown_redispatches = static_cast<int>(number_of(e));
     }},
    {"limits.signal_requests",
     [](Config& c, const Entry& e) { c.limits.signal_requests = static_cast<int>(number_of(e)); }},
    {"limits.restarts",
     [](Config& c, const Entry& e) { c.limits.restarts = static_cast<int>(number_of(e)); }},
    {"limits.critic_timeouts",
     [](Config& c, const Entry& e) { c.limits.critic_timeouts = static_cast<int>(number_of(e)); }},
    {"limits.expert_requests",
     [](Config& c, const Entry& e) { c.limits.expert_requests = static_cast<int>(number_of(e)); }},
    {"limits.questions",
     [](Config& c, const Entry& e) { c.limits.questions = static_cast<int>(number_of(e)); }},
    {"limits.merge_rework",
     [](Config& c, const Entry& e) { c.limits.merge_rework = static_cast<int>(number_of(e)); }},
    {"limits.file_waits",
     [](Config& c, const Entry& e) { c.limits.file_waits = static_cast<int>(number_of(e)); }},
    {"limits.file_wait", [](Config& c, const Entry& e) { c.limits.file_wait = seconds_of(e); }},
    {"limits.remediation_attempts",
     [](Config& c, const Entry& e) {
       c.limits.remediation_attempts = static_cast<int>(number_of(e));
     }},
    {"limits.delegation_timeout",
     [](Config& c, const Entry& e) { c.limits.delegation_timeout = seconds_of(e); }},
    {"roles.*.provider",
     [](Config& c, const Entry& e) { c.roles[name_in(e)].provider = text_of(e); }},
    {"roles.*.model", [](Config& c, const Entry& e) { c.roles[name_in(e)].model = text_of(e); }},
    {"roles.*.fallbacks",
     [](Config& c, const Entry& e) { c.roles[name_in(e)].fallbacks = fallbacks_in(e); }},
    {"roles.*.access",
     [](Config& c, const Entry& e) { c.roles[name_in(e)].access = choice_of<Access>(e); }},
    {"roles.*.timeout",
     [](Config& c, const Entry& e) { c.roles[name_in(e)].timeout = seconds_of(e); }},
    {"roles.*.price",
     [](Config& c, const Entry& e) {
       c.roles[name_in(e)].price = std::strtod(text_of(e).c_str(), nullptr);
     }},
    {"providers.*.command",
     [](Config& c, const Entry& e) { c.providers[name_in(e)].command = list_of(e); }},
    {"providers.*.stdin",
     [](Config& c, const Entry& e) {
       c.providers[name_in(e)].input = text_of(e) == "none" ? Stdin::none : Stdin::prompt;
     }},
    {"providers.*.model",
     [](Config& c, const Entry& e) { c.providers[name_in(e)].model = text_of(e); }},
    {"providers.*.output",
     [](Config& c, const Entry& e) { c.providers[name_in(e)].output = text_of(e); }},
    {"providers.*.args",
     [](Config& c, const Entry& e) { c.providers[name_in(e)].args = list_of(e); }},
    {"providers.*.env",
     [](Config& c, const Entry& e) { c.providers[name_in(e)].env = list_of(e); }},
    {"providers.*.steer",
     [](Config& c, const Entry& e) { c.providers[name_in(e)].steer = text_of(e) == "true"; }},
    {"providers.*.answer_timeout",
     [](Config& c, const Entry& e) { c.providers[name_in(e)].answer_timeout = seconds_of(e); }},
    {"providers.*.cassette",
     [](Config& c, const Entry& e) { c.providers[name_in(e)].cassette = text_of(e); }},
    {"phases.*.provider",
     [](Config& c, const Entry& e) { c.phases[name_in(e)].provider = text_of(e); }},
    {"phases.*.model", [](Config& c, const Entry& e) { c.phases[name_in(e)].model = text_of(e); }},
    {"phases.*.fallbacks",
     [](Config& c, const Entry& e) { c.phases[name_in(e)].fallbacks = fallbacks_in(e); }},
    {"phases.*.session",
     [](Config& c, const Entry& e) {
       c.phases[name_in(e)].session =
           text_of(e) == "new" ? event::Session::fresh : event::Session::resume;
     }},
    {"phases.*.access",
     [](Config& c, const Entry& e) { c.phases[name_in(e)].access = choice_of<Access>(e); }},
    {"phases.*.timeout",
     [](Config& c, const Entry& e) { c.phases[name_in(e)].timeout = seconds_of(e); }},
};

void fill(Config& config) {
  for (const Entry& entry : config.entries) {
    const auto* filler = std::find_if(std::begin(kFillers), std::end(kFillers),
                                      [&](const Filler& f) { return f.path == entry.key->path; });
    CHECK(filler != std::end(kFillers));
    filler->fill(config, entry);
  }
}

std::vector<Entry> default_entries() {
  std::vector<Entry> entries;
  for (const Key& row : keys())
    if (row.path.find('*') == row.path.npos)
      entries.push_back(
          {&row, std::string(row.path), default_of(row), {Layer::defaults, "default"}});
  return entries;
}

// Later entries of the same path win; the order is the table's, then that of the names.
std::vector<Entry> merged(std::vector<Entry> entries) {
  std::vector<Entry> result;
  std::map<std::string, std::size_t> places;
  for (Entry& entry : entries) {
    const auto [place, is_new] = places.emplace(entry.path, result.size());
    if (is_new) {
      result.push_back(std::move(entry));
    } else {
      result[place->second] = std::move(entry);
    }
  }
  const auto group = [](const Entry& entry) {
    return entry.key->path.substr(0, entry.key->path.find('*'));
  };
  const auto place = [](const Entry& entry) { return entry.key - keys().data(); };
  std::stable_sort(result.begin(), result.end(), [&](const Entry& a, const Entry& b) {
    if (group(a) != group(b) || a.key->path.find('*') == std::string_view::npos)
      return place(a) < place(b);
    const std::string name_a = name_in(a);
    const std::string name_b = name_in(b);
    return name_a != name_b ? name_a < name_b : place(a) < place(b);
  });
  return result;
}

void read_text(const Key& row, std::string_view text, Origin origin, std::vector<Entry>& entries,
               std::vector<Problem>& problems) {
  auto value = value_of(row, row.path, text);
  if (value) {
    entries.push_back({&row, std::string(row.path), *std::move(value), std::move(origin)});
  } else {
    problems.push_back({Reason::usage, origin.where, std::move(value.error().message),
                        std::move(value.error().hint)});
  }
}

const char* variable(const Sources& sources, const std::string& name) {
  const char* value = sources.variable ? sources.variable(name.c_str()) : nullptr;
  return value != nullptr && *value != '\0' ? value : nullptr;  // an empty variable is not set
}

}  // namespace

std::string_view name_of(Layer layer) {
  constexpr std::string_view kNames[] = {"default", "user", "project", "environment", "flag"};
  static_assert(std::size(kNames) == static_cast<std::size_t>(Layer::flag) + 1);
  return kNames[static_cast<std::size_t>(layer)];
}

const std::string& Config::provider_of(std::string_view phase) const {
  const auto found = phases.find(phase);
  return found != phases.end() && !found->second.provider.empty() ? found->second.provider
                                                                  : provider;
}

std::chrono::seconds Config::timeout_of(std::string_view phase) const {
  const auto found = phases.find(phase);
  return found != phases.end() ? found->second.timeout.value_or(phase_timeout) : phase_timeout;
}

std::string Config::model_of(std::string_view phase) const {
  const auto found = phases.find(phase);
  if (found != phases.end() && !found->second.model.empty()) return found->second.model;
  const auto used = providers.find(provider_of(phase));
  return used != providers.end() ? used->second.model : std::string();
}

const std::string& Config::provider_of_role(std::string_view role) const {
  const auto found = roles.find(role);
  return found != roles.end() && !found->second.provider.empty() ? found->second.provider
                                                                 : provider;
}

std::chrono::seconds Config::timeout_of_role(std::string_view role) const {
  const auto found = roles.find(role);
  return found != roles.end() ? found->second.timeout.value_or(phase_timeout) : phase_timeout;
}

std::string Config::model_of_role(std::string_view role) const {
  const auto found = roles.find(role);
  if (found != roles.end() && !found->second.model.empty()) return found->second.model;
  const auto used = providers.find(provider_of_role(role));
  return used != providers.end() ? used->second.model : std::string();
}

const std::vector<Fallback>& Config::fallbacks_of(std::string_view phase) const {
  const auto found = phases.find(phase);
  return found != phases.end() && found->second.fallbacks ? *found->second.fallbacks : fallbacks;
}

const std::vector<Fallback>& Config::fallbacks_of_role(std::string_view role) const {
  const auto found = roles.find(role);
  return found != roles.end() && found->second.fallbacks ? *found->second.fallbacks : fallbacks;
}

Access Config::access_of(std::string_view phase) const {
  const auto found = phases.find(phase);
  return found != phases.end() ? found->second.access : Access::write;
}

Access Config::access_of_role(std::string_view role) const {
  const auto found = roles.find(role);
  return found != roles.end() ? found->second.access : Access::write;
}

const Origin& Config::origin(std::string_view path) const {
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const Entry& entry) { return entry.path == path; });
  CHECK(found != entries.end());
  return found->origin;
}

std::string sentence_of(const Problem& problem) {
  return problem.where.empty() ? problem.message : problem.where + ": " + problem.message;
}

std::string user_file(const Sources& sources) {
  // A relative XDG_CONFIG_HOME is invalid by its specification and is to be ignored.
  if (const char* base = variable(sources, "XDG_CONFIG_HOME"); base != nullptr && *base == '/')
    return std::string(base) + "/capsule/config.yaml";
  if (const char* home = variable(sources, "HOME"); home != nullptr && *home == '/')
    return std::string(home) + "/.config/capsule/config.yaml";
  return {};
}

std::string project_file(std::string_view project_dir) {
  std::string path(project_dir);
  if (path == ".") return ".capsule/config.yaml";
  if (!path.empty() && path.back() != '/') path += '/';
  return path + ".capsule/config.yaml";
}

Loaded load_all(const Sources& sources) {
  Loaded loaded;
  std::vector<Entry> entries = default_entries();
  if (const std::string path = user_file(sources); !path.empty())
    read_layer(path, Layer::user, entries, loaded.problems);
  if (!sources.project_dir.empty())
    read_layer(project_file(sources.project_dir), Layer::project, entries, loaded.problems,
               sources.phases);
  for (const Key& row : keys()) {
    if (row.variable.empty()) continue;
    if (const char* value = variable(sources, std::string(row.variable)))
      read_text(row, value, {Layer::environment, std::string(row.variable)}, entries,
                loaded.problems);
  }
  for (const Flag& flag : sources.flags)
    read_text(key(flag.key), flag.value, {Layer::flag, std::string(flag.spelled)}, entries,
              loaded.problems);
  loaded.config.entries = merged(std::move(entries));
  fill(loaded.config);
  return loaded;
}

Result<Config> load(const Sources& sources) {
  Loaded loaded = load_all(sources);
  const std::vector<Problem>& problems = loaded.problems;
  if (problems.empty()) return std::move(loaded.config);
  const Problem& first = problems.front();
  std::string message = sentence_of(first);
  if (problems.size() == 1) return fail(first.reason, std::move(message), first.hint);
  for (std::size_t i = 0; i < std::min(problems.size(), kMaxProblemsTold); ++i) {
    if (i > 0) message += "; " + sentence_of(problems[i]);
    if (!problems[i].hint.empty()) message += " (" + problems[i].hint + ")";
  }
  if (problems.size() > kMaxProblemsTold)
    message += "; and " + std::to_string(problems.size() - kMaxProblemsTold) + " more";
  return fail(first.reason, std::move(message), "list them all: capsule config show");
}

Config defaults() {
  Config config;
  config.entries = default_entries();
  fill(config);
  return config;
}

}  // namespace capsule::config
