#include "gate/report_plan.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "base/text.h"
#include "gate/plain_command.h"
#include "gate/report_node.h"
#include "json/object.h"

namespace capsule::gate {
namespace {

using From = ReportPlan::From;
using AddedWords = std::vector<std::string>;

constexpr std::string_view kReportFiles[] = {"package.json", "Makefile", "makefile", "GNUmakefile"};
constexpr int kMaxScripts = 4;  // that call one another

// What one runner needs.
struct Recipe {
  ReportFormat format = ReportFormat::none;
  From from = From::nowhere;
  std::string file = {};
  std::map<std::string, std::string> env = {};
  std::map<std::string, std::string> helpers = {};
  AddedWords words = {};
  std::size_t place = std::string::npos;  // of the words; npos: at the end
};

struct Asked {
  const std::vector<SeenFile>& files;
  const std::string& report_path;
  int scripts = 0;  // gone through so far

  const std::string* text_of(std::string_view name) const {
    for (const SeenFile& file : files)
      if (file.path == name) return &file.text;
    return nullptr;
  }
};

using Plain = PlainCommand;

bool stays_inside(std::string_view path) {
  const auto parts = split(path, '/');
  return !path.empty() && path.front() != '/' &&
         std::find(parts.begin(), parts.end(), "..") == parts.end();
}

std::optional<Recipe> pytest_recipe(const Asked& asked) {
  // What cannot be imported must not keep the others from running.
  return Recipe{ReportFormat::junit,
                From::file,
                asked.report_path,
                {{"PYTEST_ADDOPTS",
                  "--continue-on-collection-errors --junitxml=" + shell_word(asked.report_path)}}};
}

std::optional<Recipe> node_recipe(const Asked& asked) {
  const std::string reporter =
      asked.report_path.substr(0, asked.report_path.find_last_of('/') + 1) + "reporter.mjs";
  return Recipe{ReportFormat::node,
                From::file,
                asked.report_path,
                {{"NODE_OPTIONS", "--test-reporter=" + reporter +
                                      " --test-reporter-destination=stderr"
                                      " --test-reporter=spec --test-reporter-destination=stdout"}},
                {{"reporter.mjs", std::string(kNodeReporter)}}};
}

std::optional<Recipe> cargo_recipe(const Asked&) { return Recipe{ReportFormat::cargo, From::both}; }

std::optional<Recipe> ctest_recipe(const Asked&) { return Recipe{ReportFormat::ctest, From::out}; }

std::optional<Recipe> maven_recipe(const Asked&) {
  return Recipe{ReportFormat::junit, From::file, "**/target/*-reports/TEST-*.xml"};
}

std::optional<Recipe> gradle_recipe(const Asked&) {
  return Recipe{ReportFormat::junit, From::file, "**/build/test-results/**/TEST-*.xml"};
}

std::optional<Recipe> ask_gotest(const Plain& plain, const Asked&) {
  Recipe recipe{ReportFormat::gotest, From::out};
  if (!plain.has("-json") && !plain.has("--json")) recipe.words = {"-json"};
  recipe.place = plain.at + 2;
  return recipe;
}

std::optional<Recipe> ask_pytest(const Plain& plain, const Asked& asked) {
  // The last one counts, and that is the user's.
  for (const std::string& word : plain.words)
    for (const std::string_view option : {"--junitxml=", "--junit-xml="})
      if (word.starts_with(option)) {
        const std::string path = word.substr(option.size());
        if (!stays_inside(path)) return std::nullopt;
        return Recipe{ReportFormat::junit, From::file, path};
      }
  return pytest_recipe(asked);
}

std::optional<Recipe> ask_unittest(const Plain& plain, const Asked&) {
  Recipe recipe{ReportFormat::unittest, From::err};
  if (!plain.has("-v") && !plain.has("--verbose")) recipe.words = {"-v"};
  recipe.place = plain.at + (plain.argument(0) == "discover" ? 2 : 1);
  return recipe;
}

std::optional<Recipe> ask_node(const Plain& plain, const Asked& asked) {
  if (!plain.has("--test") || plain.has_option("--test-reporter")) return std::nullopt;
  return node_recipe(asked);
}

std::optional<Recipe> ask_jest(const Plain& plain, const Asked& asked) {
  if (plain.has_option("--outputFile") || plain.has_option("--json")) return std::nullopt;
  Recipe recipe{ReportFormat::jest, From::file, asked.report_path};
  recipe.words = {"--json", "--outputFile=" + asked.report_path};
  return recipe;
}

std::optional<Recipe> ask_vitest(const Plain& plain, const Asked& asked) {
  if (plain.has_option("--outputFile")) return std::nullopt;
  Recipe recipe{ReportFormat::junit, From::file, asked.report_path};
  if (!plain.has_option("--reporter")) recipe.words = {"--reporter=default"};
  recipe.words.insert(recipe.words.end(),
                      {"--reporter=junit", "--outputFile.junit=" + asked.report_path});
  return recipe;
}

// All test programs are run, also behind one that fails.
std::optional<Recipe> ask_cargo(const Plain& plain, const Asked& asked) {
  auto recipe = cargo_recipe(asked);
  if (!plain.has("--no-fail-fast")) recipe->words = {"--no-fail-fast"};
  recipe->place = plain.at + 2;
  return recipe;
}

std::optional<Recipe> ask_ctest(const Plain& plain, const Asked& asked) {
  if (plain.has_option("--output-junit")) return std::nullopt;
  Recipe recipe{ReportFormat::junit, From::file, asked.report_path};
  recipe.words = {"--output-junit", asked.report_path};
  recipe.place = plain.at + 1;
  return recipe;
}

std::optional<Recipe> ask_maven(const Plain& plain, const Asked& asked) {
  auto recipe = maven_recipe(asked);
  if (!plain.has_option("-f") && !plain.has_option("--fail-")) recipe->words = {"--fail-at-end"};
  return recipe;
}

std::optional<Recipe> ask_gradle(const Plain& plain, const Asked& asked) {
  auto recipe = gradle_recipe(asked);
  if (!plain.has("--continue")) recipe->words = {"--continue"};
  return recipe;
}

std::optional<Recipe> ask_script(const Plain& plain, const Asked& asked);
std::optional<Recipe> ask_make(const Plain& plain, const Asked& asked);

struct Runner {
  std::string_view program;
  std::string_view argument;  // that must follow; empty: any
  std::optional<Recipe> (*recipe)(const Plain&, const Asked&);
};
constexpr Runner kRunners[] = {
    {"go", "test", ask_gotest},     {"pytest", "", ask_pytest}, {"py.test", "", ask_pytest},
    {"unittest", "", ask_unittest}, {"node", "", ask_node},     {"tsx", "", ask_node},
    {"jest", "", ask_jest},         {"vitest", "", ask_vitest}, {"cargo", "test", ask_cargo},
    {"cargo", "t", ask_cargo},      {"ctest", "", ask_ctest},   {"mvn", "", ask_maven},
    {"mvnw", "", ask_maven},        {"gradle", "", ask_gradle}, {"gradlew", "", ask_gradle},
    {"npm", "", ask_script},        {"pnpm", "", ask_script},   {"yarn", "", ask_script},
    {"bun", "run", ask_script},     {"make", "", ask_make},     {"gmake", "", ask_make},
};

// For texts that only a shell understands: what needs nothing, or only the environment. A text that
// speaks of two runners is left alone, since half of the tests would be missing.
struct Mention {
  std::string_view phrase;
  std::optional<Recipe> (*recipe)(const Asked&);  // nullptr: it cannot be asked this way
};
constexpr Mention kMentions[] = {
    {"pytest", pytest_recipe},
    {"node --test", node_recipe},
    {"cargo test", cargo_recipe},
    {"ctest", ctest_recipe},
    {"mvn", maven_recipe},
    {"mvnw", maven_recipe},
    {"gradle", gradle_recipe},
    {"gradlew", gradle_recipe},
    {"go test", nullptr},
    {"unittest", nullptr},
    {"jest", nullptr},
    {"vitest", nullptr},
};

const Runner* runner_of(const Plain& plain) {
  for (const Runner& runner : kRunners)
    if (plain.program() == runner.program &&
        (runner.argument.empty() || plain.argument(0) == runner.argument))
      return &runner;
  return nullptr;
}

std::optional<Recipe> told_by_text(std::string_view text, const Asked& asked) {
  const Mention* only = nullptr;
  for (const Mention& mention : kMentions) {
    if (!mentions(text, mention.phrase)) continue;
    if (only != nullptr) return std::nullopt;
    only = &mention;
  }
  if (only == nullptr || only->recipe == nullptr) return std::nullopt;
  if (text.find("--test-reporter") != text.npos) return std::nullopt;
  return only->recipe(asked);
}

std::optional<Recipe> recipe_for(const Command& command, const std::optional<Plain>& plain,
                                 const Asked& asked) {
  if (!plain) return told_by_text(command.shell, asked);
  const bool alone = std::none_of(plain->commands_before.begin(), plain->commands_before.end(),
                                  [](const Plain& before) { return runner_of(before) != nullptr; });
  const Runner* runner = runner_of(*plain);
  if (!alone) return told_by_text(spelled(command), asked);
  return runner == nullptr ? std::nullopt : runner->recipe(*plain, asked);
}

// npm test, yarn run check: what the script says in package.json.
std::optional<Recipe> ask_script(const Plain& plain, const Asked& asked) {
  const std::string* text = asked.text_of("package.json");
  if (text == nullptr || asked.scripts >= kMaxScripts) return std::nullopt;
  std::vector<std::string_view> names;
  for (std::size_t i = plain.at + 1; i < plain.words.size() && plain.words[i] != "--"; ++i)
    if (!plain.words[i].starts_with('-')) names.emplace_back(plain.words[i]);
  if (!names.empty() && (names.front() == "run" || names.front() == "run-script"))
    names.erase(names.begin());
  if (names.empty()) return std::nullopt;
  const bool npm = plain.program() == "npm";
  const std::string_view name = npm && (names.front() == "t" || names.front() == "tst")
                                    ? std::string_view("test")
                                    : names.front();
  const auto package = json::Object::parse(*text);
  if (!package) return std::nullopt;
  const Command script{{}, package->object("scripts").text(name).value_or("")};
  if (script.empty()) return std::nullopt;
  auto recipe = recipe_for(script, plain_command(script),
                           {asked.files, asked.report_path, asked.scripts + 1});
  if (!recipe || recipe->words.empty()) return recipe;
  // Only what may stand at the end can be handed through.
  if (recipe->place != std::string::npos) return told_by_text(script.shell, asked);
  if (npm && !plain.has("--")) recipe->words.insert(recipe->words.begin(), "--");
  return recipe;
}

// The lines of one target, or, where it has none of its own, the whole file.
std::string lines_of_target(std::string_view makefile, std::string_view target) {
  std::string lines;
  bool inside = false;
  for (const std::string_view line : split(makefile, '\n')) {
    if (line.starts_with('\t')) {
      if (inside) lines += std::string(line) + "\n";
      continue;
    }
    const std::size_t colon = line.find(':');
    if (trimmed(line).empty() || line.starts_with('#')) continue;
    inside = false;
    if (colon == line.npos || line.substr(colon).starts_with(":=")) continue;
    for (const std::string_view name : split(line.substr(0, colon), ' '))
      inside |= trimmed(name) == target;
  }
  return lines.empty() ? std::string(makefile) : lines;
}

std::optional<Recipe> ask_make(const Plain& plain, const Asked& asked) {
  std::string_view target = "all";
  for (std::size_t i = plain.words.size(); i-- > plain.at + 1;)
    if (!plain.words[i].starts_with('-') && plain.words[i].find('=') == std::string::npos)
      target = plain.words[i];
  for (const std::string_view name : {"GNUmakefile", "makefile", "Makefile"})
    if (const std::string* text = asked.text_of(name))
      return told_by_text(lines_of_target(*text, target), asked);
  return std::nullopt;
}

ReportPlan plan_of(const Command& command, const std::optional<Plain>& plain, Recipe recipe) {
  return {recipe.words.empty() ? command : plain->with(recipe.words, recipe.place),
          std::move(recipe.env),
          recipe.format,
          recipe.from,
          std::move(recipe.file),
          std::move(recipe.helpers)};
}

}  // namespace

std::span<const std::string_view> report_files() { return kReportFiles; }

ReportPlan plan_report(const Command& test, std::string_view setting,
                       const std::vector<SeenFile>& files, const std::string& report_path) {
  constexpr std::string_view kJunit = "junit:";
  if (setting.starts_with(kJunit))
    return {test, {}, ReportFormat::junit, From::file, std::string(setting.substr(kJunit.size()))};
  if (setting == "gotest") return {test, {}, ReportFormat::gotest, From::out};
  if (setting == "tap") return {test, {}, ReportFormat::tap, From::out};
  if (setting != "auto") return {test};
  const auto plain = plain_command(test);
  auto recipe = recipe_for(test, plain, {files, report_path});
  if (!recipe) return {test};
  return plan_of(test, plain, std::move(*recipe));
}

}  // namespace capsule::gate
