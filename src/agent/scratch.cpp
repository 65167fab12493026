#include "agent/scratch.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <mutex>

namespace capsule::agent {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kScratchPrefix = "capsule-agent-";

std::string temporary_folder() {
  const char* given = ::getenv("TMPDIR");
  return given != nullptr && given[0] == '/' ? given : "/tmp";
}

// Holds the folder, unless somebody else does.
File lock_on(const std::string& path) {
  File folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder || ::flock(folder.fd(), LOCK_EX | LOCK_NB) != 0) return {};
  return folder;
}

void remove_abandoned(const std::string& in) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(in, error)) {
    if (!entry.path().filename().string().starts_with(kScratchPrefix)) continue;
    struct stat info {};
    const std::string path = entry.path().string();
    if (::lstat(path.c_str(), &info) != 0 || !S_ISDIR(info.st_mode) || info.st_uid != ::geteuid())
      continue;
    std::error_code ignored;
    if (const File lock = lock_on(path)) fs::remove_all(path, ignored);
  }
}

}  // namespace

Result<Scratch> Scratch::create() {
  static std::once_flag swept;
  const std::string in = temporary_folder();
  std::call_once(swept, [&] { remove_abandoned(in); });
  std::string path = in + "/" + std::string(kScratchPrefix) + "XXXXXX";
  // Another process may take one for abandoned before it is locked: then there is another.
  for (int tries = 0; tries < 10; ++tries) {
    std::string name = path;
    if (::mkdtemp(name.data()) == nullptr)
      return tl::unexpected(io_error("cannot make a temporary folder in", in, errno));
    File lock = lock_on(name);
    if (lock && is_folder(name)) return Scratch(std::move(name), std::move(lock));
  }
  return fail(Reason::io, "cannot make a temporary folder in " + in);
}

Scratch::~Scratch() {
  if (!lock_) return;
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace capsule::agent
