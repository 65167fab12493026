#include "contain/environment.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "base/text.h"

namespace capsule::contain {
namespace {

// What tells a program how to talk, and nothing about who is talking.
constexpr const char* kHandedOver[] = {
    "LANG",        "LANGUAGE",    "LC_ALL",           "LC_COLLATE", "LC_CTYPE", "LC_MESSAGES",
    "LC_MONETARY", "LC_NUMERIC",  "LC_TIME",          "TERM",       "TZ",       "COLORTERM",
    "NO_COLOR",    "FORCE_COLOR", "CLICOLOR",         "COLUMNS",    "LINES",    "USER",
    "LOGNAME",     "CI",          "SOURCE_DATE_EPOCH"};

bool has(const std::vector<std::string>& env, std::string_view prefix) {
  return std::any_of(env.begin(), env.end(),
                     [&](const std::string& entry) { return entry.starts_with(prefix); });
}

void hand_over(std::vector<std::string>& env, const std::string& name) {
  const std::string prefix = name + "=";
  if (has(env, prefix)) return;
  if (const char* value = std::getenv(name.c_str())) env.push_back(prefix + value);
}

}  // namespace

std::vector<std::string> made_up_environment(const std::string& home, const std::string& search,
                                             const std::string& start,
                                             const std::vector<std::string>& names,
                                             const std::vector<std::string>& set) {
  std::vector<std::string> env;
  for (auto entry = set.rbegin(); entry != set.rend(); ++entry)  // the last word on a name counts
    if (!has(env, entry->substr(0, entry->find('=') + 1))) env.push_back(*entry);
  for (const std::string& entry : {"HOME=" + home, "PATH=" + search, std::string("TMPDIR=/tmp"),
                                   "PWD=" + start, std::string("SHELL=/bin/sh")})
    if (!has(env, entry.substr(0, entry.find('=') + 1))) env.push_back(entry);
  for (const char* name : kHandedOver) hand_over(env, name);
  for (const std::string& name : names) hand_over(env, name);
  return env;
}

}  // namespace capsule::contain
