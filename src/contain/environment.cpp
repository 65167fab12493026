#include "contain/environment.h"

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

void hand_over(std::vector<std::string>& env, const std::string& name) {
  const std::string prefix = name + "=";
  for (const std::string& entry : env)
    if (entry.starts_with(prefix)) return;
  if (const char* value = std::getenv(name.c_str())) env.push_back(prefix + value);
}

}  // namespace

std::vector<std::string> made_up_environment(const std::string& home, const std::string& search,
                                             const std::string& folder,
                                             const std::vector<std::string>& names) {
  std::vector<std::string> env{"HOME=" + home, "PATH=" + search, "TMPDIR=/tmp", "PWD=" + folder,
                               "SHELL=/bin/sh"};
  for (const char* name : kHandedOver) hand_over(env, name);
  for (const std::string& name : names) hand_over(env, name);
  return env;
}

}  // namespace capsule::contain
