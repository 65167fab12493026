#include "auto_state/state_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <ctime>

#include "base/clock.h"
#include "base/text.h"

namespace capsule::auto_state {
namespace {

Result<File> open_folder(const std::string& project) {
  const std::string path = project + "/" + kFolder;
  File folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder) return tl::unexpected(io_error("open", path, errno));
  return folder;
}

}  // namespace

Result<Lock> Lock::take(const std::string& project) {
  File folder = TRY(open_folder(project));
  constexpr int kTries = 400;
  constexpr timespec kPause{0, 5'000'000};
  for (int i = 0; i < kTries; ++i) {
    if (::flock(folder.fd(), LOCK_EX | LOCK_NB) == 0) return Lock(std::move(folder));
    if (errno != EWOULDBLOCK && errno != EINTR)
      return tl::unexpected(io_error("lock", project + "/" + kFolder, errno));
    ::nanosleep(&kPause, nullptr);
  }
  return fail(Reason::blocked, "another program is using " + printable(project) + "/" + kFolder);
}

bool has_state(const std::string& project) {
  struct stat info {};
  return ::lstat((project + "/" + kFile).c_str(), &info) == 0;
}

Result<std::string> set_aside(const std::string& path) {
  const std::string stem = path + ".damaged-" + utc_stamp();
  for (int i = 1; i < 100; ++i) {
    const std::string name = i == 1 ? stem : stem + "." + std::to_string(i);
    if (::renameat2(AT_FDCWD, path.c_str(), AT_FDCWD, name.c_str(), RENAME_NOREPLACE) == 0)
      return name;
    if (errno != EEXIST) return tl::unexpected(io_error("set aside", path, errno));
  }
  return fail(Reason::exists, "too many damaged files beside " + printable(path));
}

Result<std::optional<Document>> load(const std::string& project) {
  const auto text = read_file_beneath(project, kFile, kMaxBytes);
  if (!text && text.error().reason == Reason::not_found) return std::nullopt;
  if (!text) return tl::unexpected(text.error());
  auto document = read_document(*text);
  if (document) return *std::move(document);
  if (document.error().reason != Reason::damaged) return tl::unexpected(document.error());
  const auto kept = set_aside(project + "/" + kFile);
  Error error = document.error();
  error.hint = kept ? "it was set aside as " + printable(*kept) : kept.error().message;
  return tl::unexpected(error);
}

Result<void> save(const std::string& project, const json::Object& before,
                  const auto_mode::State& state, Durability durability) {
  TRY_VOID(make_folders_beneath(project, kFolder));
  const std::string path = project + "/" + kFile;
  const std::string text = write_document(before, state);
  if (text.size() > kMaxBytes)
    return fail(Reason::refused, printable(path) + " would be larger than a state can be");
  return durability == Durability::quick ? replace_file(path, text) : write_file(path, text);
}

}  // namespace capsule::auto_state
