#include "world/needs.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "base/files.h"
#include "base/text.h"
#include "process/program.h"

namespace capsule::world {
namespace {

// Each below the home. Folders that also hold settings or tokens are named by what is harmless in
// them: .cargo and .gradle have credentials at their top.
constexpr std::string_view kCaches[] = {".cache/go-build",
                                        "go/pkg/mod",
                                        ".cargo/registry",
                                        ".cargo/git",
                                        ".m2/repository",
                                        ".gradle/caches",
                                        ".gradle/wrapper",
                                        ".ivy2/cache",
                                        ".cache/coursier",
                                        ".npm/_cacache",
                                        ".cache/node",
                                        ".cache/yarn",
                                        ".yarn/berry/cache",
                                        ".local/share/pnpm/store",
                                        ".bun/install/cache",
                                        ".cache/deno",
                                        ".cache/typescript",
                                        ".cache/pip",
                                        ".cache/uv",
                                        ".cache/pypoetry",
                                        ".local/share/uv/python",
                                        ".local/share/uv/tools",
                                        ".local/lib",
                                        ".cache/ccache",
                                        ".ccache",
                                        ".cache/sccache",
                                        ".cache/zig",
                                        ".cache/bazel",
                                        ".conan2/p",
                                        ".nuget/packages",
                                        ".gem/ruby",
                                        ".cache/composer",
                                        ".composer/cache",
                                        ".hex/packages",
                                        ".mix",
                                        ".cabal/packages",
                                        ".cabal/store",
                                        ".stack/snapshots",
                                        ".opam",
                                        ".pub-cache",
                                        ".julia/packages",
                                        ".cache/ms-playwright",
                                        ".cache/puppeteer",
                                        ".cache/Cypress",
                                        ".cache/pre-commit",
                                        ".cache/huggingface/hub",
                                        ".cache/torch"};

// The same where a variable says that they are elsewhere, and what below that.
struct CacheVariable {
  std::string_view variable, below;
};
constexpr CacheVariable kElsewhere[] = {{"GOPATH", "/pkg/mod"},
                                        {"GOMODCACHE", ""},
                                        {"GOCACHE", ""},
                                        {"CARGO_HOME", "/registry"},
                                        {"CARGO_HOME", "/git"},
                                        {"GRADLE_USER_HOME", "/caches"},
                                        {"GRADLE_USER_HOME", "/wrapper"},
                                        {"npm_config_cache", ""},
                                        {"YARN_CACHE_FOLDER", ""},
                                        {"PIP_CACHE_DIR", ""},
                                        {"UV_CACHE_DIR", ""},
                                        {"CCACHE_DIR", ""},
                                        {"SCCACHE_DIR", ""},
                                        {"NUGET_PACKAGES", ""},
                                        {"PLAYWRIGHT_BROWSERS_PATH", ""}};

// How compilers and interpreters are to work, and where they are; nothing about who works.
constexpr std::string_view kTools =
    "JAVA_HOME GOROOT GOFLAGS GOTOOLCHAIN CGO_ENABLED CC CXX CPPFLAGS CFLAGS CXXFLAGS LDFLAGS "
    "MAKEFLAGS PKG_CONFIG_PATH RUSTFLAGS RUSTUP_HOME RUSTUP_TOOLCHAIN NODE_ENV NODE_OPTIONS "
    "NODE_PATH PYTHONPATH VIRTUAL_ENV JAVA_TOOL_OPTIONS MAVEN_OPTS GRADLE_OPTS DOTNET_ROOT "
    "ANDROID_HOME";

constexpr std::string_view kPackageSources =
    "GOPROXY GOPRIVATE GONOPROXY GONOSUMDB GOSUMDB GOINSECURE npm_config_registry "
    "NPM_CONFIG_REGISTRY PIP_INDEX_URL PIP_EXTRA_INDEX_URL UV_INDEX_URL UV_DEFAULT_INDEX";
constexpr std::string_view kProxies =
    "HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY http_proxy https_proxy all_proxy no_proxy";

// A row each: the client, the variable that chooses the cloud (with the value, where it has more
// than one), patterns of its variables, and its places below the home.
struct CloudRow {
  std::string_view client, chosen, value, variables, places;
};
constexpr CloudRow kClouds[] = {
    {"claude", "CLAUDE_CODE_USE_BEDROCK", "", "AWS_*", ".aws"},
    {"claude", "CLAUDE_CODE_USE_VERTEX", "",
     "GOOGLE_APPLICATION_CREDENTIALS GOOGLE_CLOUD_PROJECT GCLOUD_PROJECT CLOUDSDK_CONFIG "
     "VERTEX_REGION_*",
     ".config/gcloud"},
    {"gemini", "GOOGLE_GENAI_USE_VERTEXAI", "", "GCLOUD_PROJECT CLOUDSDK_CONFIG", ".config/gcloud"},
    {"goose", "GOOSE_PROVIDER", "aws_bedrock", "AWS_*", ".aws"},
    {"goose", "GOOSE_PROVIDER", "gcp_vertex_ai",
     "GOOGLE_APPLICATION_CREDENTIALS GCP_PROJECT_ID GCP_LOCATION CLOUDSDK_CONFIG",
     ".config/gcloud"}};

bool is_chosen(const CloudRow& row, const std::string& value) {
  if (!row.value.empty()) return value == row.value;
  return !value.empty() && value != "0" && lowered(value) != "false";
}

std::string parent_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == 0 || slash == path.npos ? "/" : path.substr(0, slash);
}

bool holds(const std::string& folder, const std::string& path) {
  return folder == "/" || path == folder || path.starts_with(folder + "/");
}

// Packages of npm lie beside those that they need; a virtual environment is one whole.
std::string installed_with(const std::string& folder) {
  constexpr std::string_view kModules = "/node_modules";
  if (const std::size_t at = (folder + "/").find(std::string(kModules) + "/"); at != folder.npos)
    return folder.substr(0, at + kModules.size());
  if (folder.ends_with("/bin") && exists(parent_of(folder) + "/pyvenv.cfg"))
    return parent_of(folder);
  return folder;
}

}  // namespace

Tools tools_in(const std::string& home, const std::string& search) {
  Tools tools;
  const auto add = [](std::vector<std::string>& to, const std::string& path) {
    if (path.starts_with('/') && is_folder(path)) to.push_back(path);
  };
  for (const std::string_view cache : kCaches) add(tools.caches, home + "/" + std::string(cache));
  for (const auto& [variable, below] : kElsewhere)
    if (const char* value = std::getenv(std::string(variable).c_str())) {
      tools.variables.emplace_back(variable);
      for (const std::string_view one : split(value, ':'))
        add(tools.caches, std::string(one) + std::string(below));
    }
  for (const std::string& entry : variables_like(kTools)) {
    const std::size_t equals = entry.find('=');
    tools.variables.push_back(entry.substr(0, equals));
    for (const std::string_view one : split(std::string_view(entry).substr(equals + 1), ':'))
      if (const std::string path(one); !holds(path, home)) add(tools.folders, path);
  }
  for (const std::string_view one : split(search, ':'))
    if (const std::string whole = installed_with(std::string(one)); whole != one)
      if (!holds(whole, home)) add(tools.folders, whole);
  return tools;
}

std::vector<std::string> ways_out(Proxies proxies) {
  std::vector<std::string> names;
  for (const std::string_view patterns :
       {kPackageSources, proxies == Proxies::of_the_machine ? kProxies : std::string_view()})
    for (const std::string& entry : variables_like(patterns))
      names.push_back(entry.substr(0, entry.find('=')));
  return names;
}

Cloud cloud_of(std::string_view client, const std::vector<std::string>& variables,
               const std::string& home) {
  Cloud cloud;
  for (const CloudRow& row : kClouds) {
    const char* own = std::getenv(std::string(row.chosen).c_str());
    std::string value = own == nullptr ? "" : own;
    for (const std::string& entry : variables)
      if (entry.starts_with(std::string(row.chosen) + "="))
        value = entry.substr(entry.find('=') + 1);
    if (row.client != client || !is_chosen(row, value)) continue;
    for (std::string& entry : variables_like(row.variables))
      cloud.entries.push_back(std::move(entry));
    for (const std::string_view place : split(row.places, ' '))
      if (const std::string whole = home + "/" + std::string(place); exists(whole))
        cloud.places.push_back(whole);
  }
  return cloud;
}

std::string place_of_program(const std::string& program, const std::string& search,
                             const std::string& home) {
  if (program.find('/') != program.npos && program.front() != '/') return {};
  const auto found = process::find_program(program, search, AT_FDCWD);
  const auto real = found ? real_path(*found) : found;
  if (!real) return {};
  const std::string whole = installed_with(parent_of(*real));
  return holds(whole, home) ? *real : whole;
}

std::vector<std::string> variables_like(std::string_view patterns) {
  std::vector<std::string> found;
  const auto fits = [](std::string_view name, std::string_view pattern) {
    return pattern.ends_with('*') ? name.starts_with(pattern.substr(0, pattern.size() - 1))
                                  : name == pattern;
  };
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::string_view name = text.substr(0, text.find('='));
    for (const std::string_view pattern : split(patterns, ' '))
      if (!pattern.empty() && fits(name, pattern)) {
        found.emplace_back(text);
        break;
      }
  }
  return found;
}

namespace {

// The words of a text for a shell, as far as quotes tell them; what stands before a "=" is one,
// too. What a shell makes up itself is not found.
std::vector<std::string> words_in(std::string_view text) {
  constexpr std::string_view kBounds = " \t\r\n;|&()<>=`$,";
  std::vector<std::string> words(1);
  char quote = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char one = text[at];
    if (one == quote) {
      quote = 0;
    } else if (quote == 0 && (one == '\'' || one == '"')) {
      quote = one;
    } else if (one == '\\' && quote != '\'' && at + 1 < text.size()) {
      words.back() += text[++at];
    } else if (quote == 0 && kBounds.find(one) != kBounds.npos) {
      words.emplace_back();
    } else {
      words.back() += one;
    }
  }
  return words;
}

}  // namespace

std::vector<std::string> files_named(std::vector<std::string> words, std::string_view shell) {
  for (std::string& word : words_in(shell)) words.push_back(std::move(word));
  std::vector<std::string> files;
  for (const std::string& word : words) {
    if (!word.starts_with('/')) continue;
    const auto real = real_path(word);
    struct stat info {};
    if (!real || ::stat(real->c_str(), &info) != 0 || !S_ISREG(info.st_mode)) continue;
    const auto kernels = {"/proc/", "/sys/", "/dev/"};
    if (std::none_of(kernels.begin(), kernels.end(),
                     [&](const char* folder) { return real->starts_with(folder); }))
      files.push_back(*real);
  }
  return files;
}

bool is_no_secret(const std::string& file) {
  // Everybody may read it where everybody may also go, and hidden names are no invitation.
  if (file.find("/.") != file.npos) return false;
  struct stat info {};
  for (std::size_t end = file.find('/', 1); end != file.npos; end = file.find('/', end + 1))
    if (::stat(file.substr(0, end).c_str(), &info) != 0 || (info.st_mode & S_IXOTH) == 0)
      return false;
  return ::stat(file.c_str(), &info) == 0 && (info.st_mode & S_IROTH) != 0;
}

std::optional<Reach> reach_of(std::string_view url) {
  int port = 443;
  if (url.starts_with("http://")) {
    port = 80;
    url.remove_prefix(7);
  } else if (url.starts_with("https://")) {
    url.remove_prefix(8);
  } else {
    return std::nullopt;
  }
  std::string_view host = url.substr(0, url.find_first_of("/?#"));
  if (const std::size_t user = host.rfind('@'); user != host.npos) host.remove_prefix(user + 1);
  // An address of the sixth version stands in brackets.
  const std::size_t end =
      host.starts_with('[') ? host.find(']') + 1 : std::min(host.find(':'), host.size());
  const std::string_view after = host.substr(end);
  host = host.substr(0, end);
  if (host.starts_with('[') && host != "[::1]") return std::nullopt;
  if (!after.empty()) {
    const auto [last, error] = std::from_chars(after.data() + 1, after.data() + after.size(), port);
    if (after.front() != ':' || error != std::errc() || last != after.data() + after.size() ||
        port < 1 || port > 65'535)
      return std::nullopt;
  }
  if (host.empty()) return std::nullopt;
  const std::string name = lowered(host);
  if (name == "localhost" || name == "[::1]" || name.starts_with("127.")) return Reach{"", port};
  return Reach{name + ":" + std::to_string(port), port};
}

}  // namespace capsule::world
