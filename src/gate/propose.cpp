#include "gate/propose.h"

#include <algorithm>

#include "base/text.h"
#include "json/object.h"

namespace capsule::gate {
namespace {

constexpr TellingFile kTelling[] = {
    {"go.mod", false},         {"package.json", true},    {"pyproject.toml", true},
    {"Cargo.toml", false},     {"CMakeLists.txt", false}, {"Makefile", true},
    {"pnpm-lock.yaml", false}, {"yarn.lock", false},      {"bun.lock", false},
    {"bun.lockb", false},      {"uv.lock", false},        {"poetry.lock", false},
    {"pytest.ini", true},      {"setup.cfg", true},       {"setup.py", true},
    {"pom.xml", false},        {"build.gradle", false},   {"build.gradle.kts", false},
    {"gradlew", false},
};

constexpr std::string_view kTestFolders[] = {"tests", "test", ""};

// The files of one folder.
struct Folder {
  std::string dir;
  std::vector<const SeenFile*> files;

  const SeenFile* file(std::string_view name) const {
    for (const SeenFile* seen : files)
      if (seen->path == (dir.empty() ? "" : dir + "/") + std::string(name)) return seen;
    return nullptr;
  }
};

Command argv(std::vector<std::string> words) { return {std::move(words), {}}; }

std::optional<Proposal> for_go(const Folder&, const SeenFile&) {
  return Proposal{argv({"go", "test", "./..."}), {}, {}};
}

// npm writes a test script that only fails into new packages: that is none.
std::optional<Proposal> for_node(const Folder& folder, const SeenFile& seen) {
  const auto package = json::Object::parse(seen.text);
  if (!package) return std::nullopt;
  const std::string test = package->object("scripts").text("test").value_or("");
  if (test.empty() || test.find("no test specified") != test.npos) return std::nullopt;
  const char* runner = folder.file("pnpm-lock.yaml")                         ? "pnpm"
                       : folder.file("yarn.lock")                            ? "yarn"
                       : folder.file("bun.lock") || folder.file("bun.lockb") ? "bun"
                                                                             : "npm";
  return Proposal{argv({runner, "run", "test"}), {}, {}};
}

std::optional<Proposal> for_python(const Folder& folder, const SeenFile& seen) {
  if (!folder.file("pytest.ini") && seen.text.find("pytest") == seen.text.npos)
    return Proposal{argv({"python3", "-m", "unittest", "discover"}), {}, {}};
  if (folder.file("uv.lock")) return Proposal{argv({"uv", "run", "pytest"}), {}, {}};
  if (folder.file("poetry.lock")) return Proposal{argv({"poetry", "run", "pytest"}), {}, {}};
  return Proposal{argv({"python3", "-m", "pytest"}), {}, {}};
}

std::optional<Proposal> for_rust(const Folder&, const SeenFile&) {
  return Proposal{argv({"cargo", "test"}), {}, {}};
}

std::optional<Proposal> for_maven(const Folder&, const SeenFile&) {
  return Proposal{argv({"mvn", "test"}), {}, {}};
}

std::optional<Proposal> for_gradle(const Folder& folder, const SeenFile&) {
  return Proposal{argv({folder.file("gradlew") ? "./gradlew" : "gradle", "test"}), {}, {}};
}

// The build folder is one that git never sees.
std::optional<Proposal> for_cmake(const Folder&, const SeenFile&) {
  return Proposal{{{},
                   "cmake -S . -B .capsule/build && cmake --build .capsule/build && "
                   "ctest --test-dir .capsule/build --output-on-failure"},
                  {},
                  {}};
}

bool has_target(std::string_view makefile, std::string_view target) {
  for (const std::string_view line : split(makefile, '\n')) {
    const std::size_t colon = line.find(':');
    if (colon == line.npos || line.starts_with('\t') || line.substr(colon).starts_with(":="))
      continue;
    for (const std::string_view name : split(line.substr(0, colon), ' '))
      if (trimmed(name) == target) return true;
  }
  return false;
}

std::optional<Proposal> for_make(const Folder&, const SeenFile& seen) {
  const char* target = has_target(seen.text, "test")    ? "test"
                       : has_target(seen.text, "check") ? "check"
                                                        : nullptr;
  if (target == nullptr) return std::nullopt;
  return Proposal{argv({"make", target}), {}, {}};
}

struct Row {
  std::string_view name;
  std::optional<Proposal> (*make)(const Folder&, const SeenFile&);
};
constexpr Row kRows[] = {
    {"go.mod", for_go},
    {"package.json", for_node},
    {"pyproject.toml", for_python},
    {"pytest.ini", for_python},
    {"setup.cfg", for_python},
    {"setup.py", for_python},
    {"Cargo.toml", for_rust},
    {"pom.xml", for_maven},
    {"build.gradle", for_gradle},
    {"build.gradle.kts", for_gradle},
    {"CMakeLists.txt", for_cmake},
    {"Makefile", for_make},
};

bool has_import(std::string_view text, std::string_view module) {
  for (std::string_view line : split(text, '\n')) {
    line = trimmed(line);
    for (const std::string_view word : {std::string_view("import "), std::string_view("from ")})
      if (line.starts_with(word) && trimmed(line.substr(word.size())).starts_with(module))
        return true;
  }
  return false;
}

// Python's own runner needs no file of its own: the tests tell. From the root it looks into
// packages alone; a folder that is none has to be named.
std::optional<Proposal> for_python_tests(std::span<const SeenFile> files) {
  const auto seen = [&](const std::string& path) {
    return std::any_of(files.begin(), files.end(),
                       [&](const SeenFile& file) { return file.path == path; });
  };
  for (const std::string_view dir : kTestFolders)
    for (const SeenFile& file : files) {
      const std::string before = dir.empty() ? "" : std::string(dir) + "/";
      if (!is_python_test(file.path) || file.path.rfind('/') + 1 != before.size() ||
          !file.path.starts_with(before))
        continue;
      if (has_import(file.text, "pytest"))
        return Proposal{argv({"python3", "-m", "pytest"}), {}, file.path};
      if (!has_import(file.text, "unittest")) continue;
      std::vector<std::string> words{"python3", "-m", "unittest", "discover"};
      if (!dir.empty() && !seen(before + "__init__.py"))
        words.insert(words.end(), {"-s", std::string(dir)});
      return Proposal{argv(std::move(words)), {}, file.path};
    }
  return std::nullopt;
}

std::string dir_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == path.npos ? "" : path.substr(0, slash);
}

}  // namespace

std::span<const TellingFile> telling_files() { return kTelling; }
std::span<const std::string_view> test_folders() { return kTestFolders; }

bool is_python_test(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return name.starts_with("test") && name.ends_with(".py");
}

std::optional<Proposal> propose(std::span<const SeenFile> files) {
  std::vector<std::string> dirs{""};
  for (const SeenFile& file : files) dirs.push_back(dir_of(file.path));
  std::sort(dirs.begin(), dirs.end());
  dirs.erase(std::unique(dirs.begin(), dirs.end()), dirs.end());
  for (const std::string& dir : dirs) {
    Folder folder{dir, {}};
    for (const SeenFile& file : files)
      if (dir_of(file.path) == dir) folder.files.push_back(&file);
    for (const Row& row : kRows) {
      const SeenFile* file = folder.file(row.name);
      if (file == nullptr) continue;
      if (auto proposal = row.make(folder, *file)) {
        proposal->dir = dir;
        proposal->because = file->path;
        return proposal;
      }
    }
    if (dir.empty())
      if (auto proposal = for_python_tests(files)) return proposal;
  }
  return std::nullopt;
}

}  // namespace capsule::gate
