#include "git/settings.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/text.h"
#include "git/command.h"

namespace capsule::git {
namespace {

constexpr std::array kConversions = {
    "core.autocrlf",   "core.eol",      "core.filemode",
    "core.ignorecase", "core.symlinks", "core.precomposeunicode",
};
constexpr std::array kSparse = {"core.sparsecheckout", "core.sparsecheckoutcone"};
// Paths of files that git reads only; from the user's own configuration.
constexpr std::array kReadFiles = {"core.excludesfile", "core.attributesfile"};
constexpr std::array kWords = {"true", "false", "yes", "no",   "on",    "off",
                               "1",    "0",     "lf",  "crlf", "input", "native"};

template <class List>
bool contains(const List& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

// The last value of a key counts.
void put(std::vector<std::string>& list, std::string_view key, std::string_view value) {
  const std::string start = std::string(key) + "=";
  std::erase_if(list, [&](const std::string& old) { return old.starts_with(start); });
  list.push_back(start + std::string(value));
}

void take(Settings& settings, bool users_own, std::string_view key, std::string_view value) {
  if (key == "user.name" && !trimmed(value).empty()) settings.name = value;
  if (key == "user.email" && !trimmed(value).empty()) settings.email = value;
  if (contains(kConversions, key) && contains(kWords, value)) put(settings.conversions, key, value);
  if (key == "core.hookspath" && !value.starts_with('/') && !value.starts_with('~'))
    settings.hooks = value;
  if (contains(kSparse, key) && contains(kWords, value)) put(settings.sparse, key, value);
  if (users_own && key == "core.sshcommand") settings.ssh = value;
  if (users_own && contains(kReadFiles, key)) put(settings.conversions, key, value);
  if (key.starts_with("filter.") && key.rfind('.') > 7) {
    const std::string name(key.substr(7, key.rfind('.') - 7));
    if (users_own) {
      put(settings.user_filters, key, value);
      settings.user_filter_names.insert(name);
    } else {
      settings.repository_filter_names.insert(name);
    }
  }
}

void from_environment(const char* variable, std::string& value) {
  const char* text = std::getenv(variable);
  if (text != nullptr && !trimmed(text).empty()) value = text;
}

}  // namespace

Settings read_settings(std::string_view listing) {
  Settings settings;
  const std::vector<std::string_view> parts = split(listing, '\0');
  for (std::size_t i = 0; i + 1 < parts.size(); i += 2) {
    const std::string_view scope = parts[i];
    const std::size_t end = parts[i + 1].find('\n');
    const std::string_view key = parts[i + 1].substr(0, end);
    // A key without a value is a boolean that is true.
    const std::string_view value = end == key.npos ? "true" : parts[i + 1].substr(end + 1);
    take(settings, scope == "system" || scope == "global", key, value);
  }
  return settings;
}

const Settings& settings_of(const Repository& repository) {
  const std::lock_guard guard(repository.once->mutex);
  std::optional<Settings>& value = repository.once->value;
  if (value) return *value;
  const Result<Answer> answer =
      ask_plainly(repository.top, {"config", "--null", "--list", "--show-scope", "--includes"});
  value = answer && answer->code == 0 ? read_settings(answer->out) : Settings{};
  from_environment("GIT_COMMITTER_NAME", value->name);
  from_environment("GIT_COMMITTER_EMAIL", value->email);
  return *value;
}

}  // namespace capsule::git
