#include "config/fill.h"

#include <algorithm>
#include <cstdlib>

#include "base/check.h"
#include "base/text.h"
#include "config/forms.h"

namespace capsule::config {
namespace {

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

std::optional<ContainPreset> preset_in(const Entry& entry) {
  if (std::holds_alternative<std::monostate>(entry.value)) return std::nullopt;
  return choice_of<ContainPreset>(entry);
}

std::optional<ContainNet> net_in(const Entry& entry) {
  if (std::holds_alternative<std::monostate>(entry.value)) return std::nullopt;
  return choice_of<ContainNet>(entry);
}

std::vector<std::string> hosts_in(const Entry& entry) {
  std::vector<std::string> hosts = list_of(entry);
  for (std::string& host : hosts) host = host_with_port(host);
  return hosts;
}

std::vector<int> ports_in(const Entry& entry) {
  std::vector<int> ports;
  for (const std::string& item : list_of(entry))
    ports.push_back(static_cast<int>(parse_count(item)));
  return ports;
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
    {"remote", [](Config& c, const Entry& e) { c.remote = text_of(e); }},
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
    {"contain.preset",
     [](Config& c, const Entry& e) { c.contain.preset = choice_of<ContainPreset>(e); }},
    {"contain.missing",
     [](Config& c, const Entry& e) { c.contain.weaker = text_of(e) == "weaker"; }},
    {"contain.read", [](Config& c, const Entry& e) { c.contain.read = list_of(e); }},
    {"contain.scratch", [](Config& c, const Entry& e) { c.contain.scratch = list_of(e); }},
    {"contain.write", [](Config& c, const Entry& e) { c.contain.write = list_of(e); }},
    {"contain.net", [](Config& c, const Entry& e) { c.contain.net = net_in(e); }},
    {"contain.allow", [](Config& c, const Entry& e) { c.contain.allow = hosts_in(e); }},
    {"contain.forward", [](Config& c, const Entry& e) { c.contain.forward = ports_in(e); }},
    {"contain.env", [](Config& c, const Entry& e) { c.contain.env = list_of(e); }},
    {"contain.memory", [](Config& c, const Entry& e) { c.contain.memory = number_of(e); }},
    {"disk.reserve", [](Config& c, const Entry& e) { c.disk_reserve = number_of(e); }},
    {"contain.processes",
     [](Config& c, const Entry& e) { c.contain.processes = static_cast<int>(number_of(e)); }},
    {"contain.cpu",
     [](Config& c, const Entry& e) { c.contain.cpu = static_cast<int>(number_of(e)); }},
    {"contain.broker", [](Config& c, const Entry& e) { c.contain.broker = text_of(e) == "true"; }},
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
    {"verify.contain.preset",
     [](Config& c, const Entry& e) { c.verify.contain.preset = preset_in(e); }},
    {"verify.contain.net", [](Config& c, const Entry& e) { c.verify.contain.net = net_in(e); }},
    {"worktree.setup", [](Config& c, const Entry& e) { c.worktree.setup = command_of(e); }},
    {"worktree.setup_inputs",
     [](Config& c, const Entry& e) { c.worktree.setup_inputs = list_of(e); }},
    {"worktree.setup_timeout",
     [](Config& c, const Entry& e) { c.worktree.setup_timeout = seconds_of(e); }},
    {"worktree.contain.preset",
     [](Config& c, const Entry& e) { c.worktree.contain.preset = preset_in(e); }},
    {"worktree.contain.net",
     [](Config& c, const Entry& e) { c.worktree.contain.net = net_in(e); }},
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
    {"roles.*.needs", [](Config& c, const Entry& e) { c.roles[name_in(e)].needs = list_of(e); }},
    {"roles.*.contain.preset",
     [](Config& c, const Entry& e) { c.roles[name_in(e)].contain.preset = preset_in(e); }},
    {"roles.*.contain.net",
     [](Config& c, const Entry& e) { c.roles[name_in(e)].contain.net = net_in(e); }},
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
    {"phases.*.needs", [](Config& c, const Entry& e) { c.phases[name_in(e)].needs = list_of(e); }},
    {"phases.*.contain.preset",
     [](Config& c, const Entry& e) { c.phases[name_in(e)].contain.preset = preset_in(e); }},
    {"phases.*.contain.net",
     [](Config& c, const Entry& e) { c.phases[name_in(e)].contain.net = net_in(e); }},
};

}  // namespace

std::string name_in(const Entry& entry) {
  const std::string_view row = entry.key->path;
  const std::size_t star = row.find('*');
  CHECK(star != row.npos);
  const std::size_t around = row.size() - 1;
  return entry.path.substr(star, entry.path.size() - around);
}

void fill(Config& config) {
  for (const Entry& entry : config.entries) {
    const auto* filler = std::find_if(std::begin(kFillers), std::end(kFillers),
                                      [&](const Filler& f) { return f.path == entry.key->path; });
    CHECK(filler != std::end(kFillers));
    filler->fill(config, entry);
  }
}

}  // namespace capsule::config
