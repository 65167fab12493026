#include "process/program.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/text.h"

namespace capsule::process {
namespace {

constexpr std::string_view kFallbackPath = "/usr/local/bin:/usr/bin:/bin";

std::string_view name_of(std::string_view entry) { return entry.substr(0, entry.find('=')); }

// 0, or the errno of why the file cannot be run.
int runnable(int folder_fd, const std::string& file) {
  struct stat info {};
  if (::fstatat(folder_fd, file.c_str(), &info, 0) != 0) return errno;
  if (!S_ISREG(info.st_mode)) return EISDIR;
  return ::faccessat(folder_fd, file.c_str(), X_OK, AT_EACCESS) == 0 ? 0 : errno;
}

}  // namespace

Result<std::vector<std::string>> environment(const std::vector<EnvChange>& changes) {
  std::vector<std::string> env;
  for (char** entry = ::environ; entry != nullptr && *entry != nullptr; ++entry)
    env.emplace_back(*entry);
  for (const EnvChange& change : changes) {
    const bool has_nul = change.name.find('\0') != std::string::npos ||
                         (change.value && change.value->find('\0') != std::string::npos);
    if (change.name.empty() || change.name.find('=') != std::string::npos || has_nul)
      return fail(Reason::usage, "not a valid environment variable: " + printable(change.name));
    std::erase_if(env, [&](const std::string& entry) { return name_of(entry) == change.name; });
    if (change.value) env.push_back(change.name + "=" + *change.value);
  }
  return env;
}

Result<std::vector<std::string>> environment_elsewhere(const std::vector<EnvChange>& changes) {
  std::vector<EnvChange> all;
  for (const char* name :
       {"GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_INDEX_VERSION",
        "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_PREFIX", "GIT_NAMESPACE",
        "GIT_IMPLICIT_WORK_TREE", "GIT_GRAFT_FILE", "GIT_SHALLOW_FILE", "GIT_QUARANTINE_PATH"})
    all.push_back({name, {}});
  all.insert(all.end(), changes.begin(), changes.end());
  return environment(all);
}

std::string_view env_value(const std::vector<std::string>& env, std::string_view name) {
  for (const std::string& entry : env)
    if (name_of(entry) == name && entry.size() > name.size())
      return std::string_view(entry).substr(name.size() + 1);
  return {};
}

Result<std::string> find_program(std::string_view name, std::string_view path, int folder_fd) {
  if (name.empty()) return fail(Reason::missing_program, "no program is named");
  if (name.find('/') != std::string_view::npos) {
    std::string file(name);
    const int error = runnable(folder_fd, file);
    if (error != 0) return tl::unexpected(start_error(name, error));
    return file;
  }
  int found_error = 0;
  for (std::string_view folder : split(path.empty() ? kFallbackPath : path, ':')) {
    if (!folder.starts_with('/')) continue;
    std::string file = std::string(folder) + "/" + std::string(name);
    const int error = runnable(AT_FDCWD, file);
    if (error == 0) return file;
    if (error == EACCES && found_error == 0) found_error = error;
  }
  return tl::unexpected(start_error(name, found_error == 0 ? ENOENT : found_error));
}

Error start_error(std::string_view program, int error_number) {
  const std::string name = printable(program);
  switch (error_number) {
    case ENOENT:
    case ENOTDIR:
      return {Reason::missing_program, name + ": program not found",
              "install it, or check the PATH (a script also needs the interpreter of its #! line)"};
    case EACCES:
    case EISDIR:
    case EPERM:
    case ENOEXEC:
      return {Reason::refused, name + ": not executable",
              "the file exists but may not be executed; check its permissions"};
    case E2BIG:
      return {Reason::usage, name + ": arguments or environment too long",
              "an argument may have at most 131071 bytes; pass long texts on stdin"};
    default:
      return {Reason::io, "cannot start " + name + ": " + std::strerror(error_number)};
  }
}

Result<void> check_words(const std::vector<std::string>& argv) {
  if (argv.empty()) return fail(Reason::usage, "no program is named");
  for (std::size_t i = 0; i < argv.size(); ++i)
    if (argv[i].find('\0') != std::string::npos)
      return fail(Reason::usage, "argument " + std::to_string(i) + " of " + printable(argv[0]) +
                                     " contains a NUL byte");
  return {};
}

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> result;
  result.reserve(words.size() + 1);
  // exec takes char* for reasons of age and does not write through it.
  for (const std::string& word : words) result.push_back(const_cast<char*>(word.c_str()));
  result.push_back(nullptr);
  return result;
}

}  // namespace capsule::process
