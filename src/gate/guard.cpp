#include "gate/guard.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <vector>

#include "base/text.h"
#include "git/exclusion.h"
#include "json/object.h"

namespace capsule::gate {
namespace {

constexpr const char* kUsuallyGuarded[] = {
    // What a name such as "test" stands for
    "package.json",
    "Makefile",
    "makefile",
    "GNUmakefile",
    "justfile",
    "Taskfile.y*ml",
    "Rakefile",
    "noxfile.py",
    "*.mk",
    // What test runners read before the first test
    "conftest.py",
    "pytest.ini",
    ".pytest.ini",
    "pytest.toml",
    ".pytest.toml",
    "tox.ini",
    "setup.cfg",
    "pyproject.toml",
    ".coveragerc",
    "sitecustomize.py",
    "usercustomize.py",
    "node.config.json",
    "bunfig.toml",
    "deno.json*",
    "ava.config.*",
    "karma.conf.*",
    "playwright.config.*",
    "cypress.config.*",
    "babel.config.*",
    ".babelrc*",
    // What takes the place of a runner, or of what it is made of: "python -m unittest" looks here
    // first
    "unittest.py",
    "unittest/__init__.py",
    "unittest/__main__.py",
    "pytest.py",
    "pytest/__init__.py",
    "pytest/__main__.py",
    "_pytest/",
    "/argparse.py",
    "/contextlib.py",
    "/difflib.py",
    "/fnmatch.py",
    "/functools.py",
    "/traceback.py",
    "/warnings.py",
    "vitest.config.*",
    "vitest.workspace.*",
    "vite.config.*",
    "jest.config.*",
    "jest.setup.*",
    ".mocharc*",
    ".npmrc",
    ".cargo/",
    "nextest.toml",
    "Cargo.toml",
    "CTestConfig.cmake",
    "CTestCustom.cmake",
    "CMakeLists.txt",
    "phpunit.xml*",
    "pom.xml",
    "build.gradle*",
    "gradle.properties",
    ".mvn/",
    ".rspec",
    // What lint reads
    ".eslintrc*",
    "eslint.config.*",
    ".flake8",
    "ruff.toml",
    ".golangci.*",
    ".clang-tidy",
    // Other people's code
    "package-lock.json",
    "npm-shrinkwrap.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "Cargo.lock",
    "go.mod",
    "go.sum",
    "go.work",
    "go.work.sum",
    "vendor/",
    "node_modules/",
    "poetry.lock",
    "Pipfile.lock",
    "uv.lock",
    // Continuous integration
    ".github/workflows/",
    ".gitlab-ci.yml",
    ".circleci/",
    "azure-pipelines.yml",
    "Jenkinsfile",
    ".travis.yml",
    // Our own
    "/.capsule/",
    "/prompts/delivery/",
    "/prompts/auto/",
    "/prompts/test-writer.md",
    "/prompts/test-review.md",
    "/prompts/execute.md",
    "/prompts/execute-review.md",
    "/prompts/sign-off.md",
    "/prompts/merge.md",
};

// Of package.json: what is run, and by whom.
constexpr std::string_view kScripts[] = {"scripts", "jest", "vitest", "mocha", "ava", "type"};

// Files of which only a part says how tests are run. Sections are known by a word of their heading,
// lines by a word in them.
struct Part {
  std::string_view name;
  std::vector<std::string_view> sections, lines;
  bool may_grow = false;  // more of it is more tests
};
const std::vector<Part>& parts() {
  static const std::vector<Part> kParts = {
      {"pyproject.toml", {"pytest", "tox", "coverage", "nox", "ruff", "hatch.envs"}, {}},
      {"setup.cfg", {"pytest", "tox", "testenv", "coverage", "flake8"}, {}},
      {"Cargo.toml", {"[[test]]", "profile.test", "[[bench]]"}, {"harness", "autotests", "test ="}},
      {"go.mod", {}, {"=>", "replace", "exclude", "toolchain"}},
      {"pom.xml", {}, {"surefire", "failsafe", "skip", "testSource", "exclude", "include"}},
      {"build.gradle", {}, {"test", "Test", "exclude", "onlyIf", "enabled"}},
      {"build.gradle.kts", {}, {"test", "Test", "exclude", "onlyIf", "enabled"}},
      {"CMakeLists.txt",
       {},
       {"add_test", "enable_testing", "discover_tests", "set_tests_properties", "TEST_COMMAND"},
       true},
  };
  return kParts;
}

bool has_any(std::string_view text, const std::vector<std::string_view>& words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return text.find(word) != text.npos; });
}

// The lines that count, sorted where more of them do no harm.
std::vector<std::string_view> relevant(const Part& part, std::string_view text) {
  std::vector<std::string_view> found;
  bool inside = false;
  for (const std::string_view line : split(text, '\n')) {
    const std::string_view words = trimmed(line);
    if (words.starts_with('[')) inside = has_any(words, part.sections);
    if (!words.empty() && (inside || has_any(words, part.lines))) found.push_back(words);
  }
  if (part.may_grow) std::sort(found.begin(), found.end());
  return found;
}

std::string_view name_in(std::string_view path) { return path.substr(path.rfind('/') + 1); }

bool in_word(char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '-'; }

bool names(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || (!in_word(text[at - 1]) && text[at - 1] != '.');
    // A full stop after it ends a sentence, unless a name goes on behind it.
    const bool ends = end == text.size() ||
                      (!in_word(text[end]) &&
                       !(text[end] == '.' && end + 1 < text.size() && in_word(text[end + 1])));
    if (begins && ends) return true;
  }
  return false;
}

}  // namespace

bool is_guarded(std::string_view path, const std::vector<std::string>& patterns) {
  const auto matches = [&](const auto& pattern) { return git::matches_pattern(pattern, path); };
  if (patterns.size() == 1 && patterns.front() == "none") return false;
  if (!patterns.empty()) return std::any_of(patterns.begin(), patterns.end(), matches);
  return std::any_of(std::begin(kUsuallyGuarded), std::end(kUsuallyGuarded), matches);
}

bool changes_meaning(std::string_view path, std::string_view before, std::string_view now) {
  if (before == now) return false;
  const std::string_view name = name_in(path);
  if (name == "package.json") {
    const auto old_object = json::Object::parse(before), new_object = json::Object::parse(now);
    if (!old_object || !new_object) return true;
    return std::any_of(std::begin(kScripts), std::end(kScripts), [&](std::string_view key) {
      const std::string *a = old_object->find(key), *b = new_object->find(key);
      return (a == nullptr) != (b == nullptr) || (a != nullptr && *a != *b);
    });
  }
  for (const Part& part : parts()) {
    if (part.name != name) continue;
    const auto old_lines = relevant(part, before), new_lines = relevant(part, now);
    if (!part.may_grow) return old_lines != new_lines;
    return !std::includes(new_lines.begin(), new_lines.end(), old_lines.begin(), old_lines.end());
  }
  return true;
}

bool is_run_by(std::string_view path, std::string_view commands) {
  constexpr std::string_view kScriptEnds[] = {".sh", ".bash", ".mk", ".cmake", ".bat", ".ps1"};
  constexpr std::string_view kScriptWords[] = {"test", "check", "lint", "verify", "spec"};
  const std::string_view name = name_in(path);
  const bool script =
      name.find('.') == name.npos ||
      std::any_of(std::begin(kScriptEnds), std::end(kScriptEnds),
                  [&](std::string_view end) { return name.ends_with(end); }) ||
      std::any_of(std::begin(kScriptWords), std::end(kScriptWords),
                  [&](std::string_view word) { return name.find(word) != name.npos; });
  return script && names(commands, path);
}

Result<std::string> handed_over(std::string_view commands, const std::string& commit,
                                const TextOf& text_of) {
  std::string text(commands);
  constexpr std::string_view kScriptRunners[] = {"npm", "pnpm", "yarn", "bun"};
  if (std::any_of(std::begin(kScriptRunners), std::end(kScriptRunners),
                  [&](std::string_view runner) { return names(commands, runner); })) {
    const auto package = json::Object::parse(TRY(text_of(commit, "package.json")));
    if (package)
      if (const std::string* scripts = package->find("scripts")) text += "\n" + *scripts;
  }
  if (names(commands, "make"))
    for (const char* name : {"GNUmakefile", "makefile", "Makefile"})
      text += "\n" + TRY(text_of(commit, name));
  return text;
}

Result<MeaningChanges> meaning_changes(const std::vector<Changed>& changes, const std::string& from,
                                       const std::string& to, const Permitted& permitted,
                                       const MeaningRules& rules) {
  MeaningChanges result;
  std::set<std::string> seen;
  std::optional<std::string> commands;
  const auto may_be = [&](const std::string& path) {
    return is_asked_for(path, permitted.request) ||
           std::find(permitted.allowed.begin(), permitted.allowed.end(), path) !=
               permitted.allowed.end();
  };
  for (const Changed& change : changes)
    for (const std::string& path : {change.path, change.from}) {
      if (path.empty() || !seen.insert(path).second || rules.is_someone_elses(path)) continue;
      if (!rules.is_guarded(path)) {
        if (!commands) commands = TRY(handed_over(rules.commands, from, rules.text_of));
        if (!is_run_by(path, *commands)) continue;
      }
      if (changes_meaning(path, TRY(rules.text_of(from, path)), TRY(rules.text_of(to, path))))
        (may_be(path) ? result.asked : result.unasked).push_back(path);
    }
  return result;
}

bool is_asked_for(std::string_view path, std::string_view request) {
  return names(request, path) || names(request, name_in(path));
}

std::string line_stat(std::string_view path, std::string_view before, std::string_view now) {
  std::vector<std::string_view> old_lines = split(before, '\n'), new_lines = split(now, '\n');
  std::sort(old_lines.begin(), old_lines.end());
  std::sort(new_lines.begin(), new_lines.end());
  std::vector<std::string_view> added, removed;
  std::set_difference(new_lines.begin(), new_lines.end(), old_lines.begin(), old_lines.end(),
                      std::back_inserter(added));
  std::set_difference(old_lines.begin(), old_lines.end(), new_lines.begin(), new_lines.end(),
                      std::back_inserter(removed));
  return printable(path) + ": " + counted(added.size(), "line") + " added, " +
         std::to_string(removed.size()) + " removed\n";
}

}  // namespace capsule::gate
