#include "gate/report_plan.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "base/text.h"

namespace capsule::gate {
namespace {

using PlanWords = std::vector<std::string>;

constexpr std::string_view kReportFiles[] = {"package.json", "Makefile"};

// The words of a text that a shell would only part at its blanks; nullopt: it would do more.
std::optional<PlanWords> plain_words(std::string_view text) {
  constexpr std::string_view kSpecial = "\"'`$&|;<>()[]{}*?~#!\\\n\r";
  if (text.find_first_of(kSpecial) != text.npos) return std::nullopt;
  PlanWords words;
  for (const std::string_view part : split(text, ' '))
    for (const std::string_view word : split(part, '\t'))
      if (!word.empty()) words.emplace_back(word);
  return words;
}

std::string_view base_name(std::string_view path) {
  return path.substr(path.find_last_of('/') + 1);
}

// Where the runner itself stands, behind what only starts it.
std::size_t runner_at(const PlanWords& words) {
  struct Starter {
    std::string_view program, word;
  };
  constexpr Starter kStarters[] = {{"env", ""},      {"npx", ""},       {"bunx", ""},
                                   {"uv", "run"},    {"poetry", "run"}, {"pipenv", "run"},
                                   {"pnpm", "exec"}, {"yarn", "exec"},  {"bundle", "exec"}};
  std::size_t at = 0;
  const auto is = [&](std::size_t i, std::string_view word) {
    return i < words.size() && words[i] == word;
  };
  while (at < words.size()) {
    const std::size_t before = at;
    const std::size_t equals = words[at].find('=');
    if (equals != std::string::npos && equals > 0 && words[at].find('/') > equals) ++at;
    for (const Starter& starter : kStarters) {
      if (at >= words.size() || base_name(words[at]) != starter.program) continue;
      if (starter.word.empty()) {
        ++at;
      } else if (is(at + 1, starter.word)) {
        at += 2;
      }
    }
    if (at < words.size() && base_name(words[at]).starts_with("python") && is(at + 1, "-m"))
      at += 2;
    if (at == before) break;
  }
  return at;
}

// A command that is one program and its words.
struct Plain {
  PlanWords words;
  std::size_t at = 0;  // of the runner
  bool shell = false;

  std::string_view runner() const {
    return at < words.size() ? base_name(words[at]) : std::string_view();
  }
  bool has(std::string_view word) const {
    return std::find(words.begin(), words.end(), word) != words.end();
  }
  bool next_is(std::string_view word) const {
    return at + 1 < words.size() && words[at + 1] == word;
  }
  Command with(std::size_t place, PlanWords added) const {
    PlanWords all = words;
    if (shell)
      for (std::string& word : added) word = shell_word(word);
    all.insert(all.begin() + static_cast<std::ptrdiff_t>(place), added.begin(), added.end());
    if (shell) return {{}, joined(all, " ")};
    return {all, {}};
  }
};

std::optional<Plain> plain_of(const Command& command) {
  Plain plain;
  if (command.shell.empty()) {
    plain.words = command.argv;
  } else {
    auto words = plain_words(command.shell);
    if (!words) return std::nullopt;
    plain.words = std::move(*words);
    plain.shell = true;
  }
  plain.at = runner_at(plain.words);
  return plain;
}

ReportPlan as_pytest(const Command& command, const std::string& report_path) {
  return {command,
          {{"PYTEST_ADDOPTS", "--junitxml=" + shell_word(report_path)}},
          ReportFormat::junit,
          ReportPlan::From::file,
          report_path};
}

ReportPlan as_gotest(const Plain& plain) {
  const bool asked = plain.has("-json") || plain.has("--json");
  return {plain.with(plain.at + 2, asked ? PlanWords{} : PlanWords{"-json"}),
          {},
          ReportFormat::gotest,
          ReportPlan::From::out,
          {}};
}

ReportPlan found_by_itself(const Command& command, const std::string& report_path) {
  const auto plain = plain_of(command);
  if (plain) {
    if (plain->runner() == "go" && plain->next_is("test")) return as_gotest(*plain);
    if (plain->runner() == "pytest" || plain->runner() == "py.test")
      return as_pytest(command, report_path);
  }
  return {command};
}

}  // namespace

std::span<const std::string_view> report_files() { return kReportFiles; }

ReportPlan plan_report(const Command& test, std::string_view setting, const std::vector<SeenFile>&,
                       const std::string& report_path) {
  constexpr std::string_view kJunit = "junit:";
  if (setting.starts_with(kJunit))
    return {test,
            {},
            ReportFormat::junit,
            ReportPlan::From::file,
            std::string(setting.substr(kJunit.size()))};
  if (setting == "gotest") return {test, {}, ReportFormat::gotest, ReportPlan::From::out, {}};
  if (setting == "auto") return found_by_itself(test, report_path);
  return {test};
}

}  // namespace capsule::gate
