#include "git/paths.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace capsule::git {

Error system_error(std::string_view doing, std::string_view name) {
  return io_error(doing, name, errno);
}

bool is_plain_folder(const std::string& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

bool is_plain_file(const std::string& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

bool is_plain_file_with(const std::string& path, std::string_view content) {
  if (!is_plain_file(path)) return false;
  const Result<std::string> found = read_file(path);
  return found && *found == content;
}

Result<void> create_file(const std::string& path, std::string_view content) {
  const File file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (!file) return tl::unexpected(system_error("create", path));
  return write_all(file.fd(), content, path);
}

Result<void> copy_file(const std::string& from, const std::string& to) {
  const File in(::open(from.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!in) return tl::unexpected(system_error("open", from));
  const File out(
      ::open(to.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0644));
  if (!out) return tl::unexpected(system_error("create", to));
  std::string buffer(1 << 18, '\0');
  for (;;) {
    const ssize_t count = ::read(in.fd(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return tl::unexpected(system_error("read", from));
    if (count == 0) return {};
    TRY_VOID(write_all(out.fd(), {buffer.data(), static_cast<std::size_t>(count)}, to));
  }
}

Result<void> sync_folder(const std::string& path) {
  const File folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder) return tl::unexpected(system_error("open", path));
  // Some file systems cannot sync a folder and say EINVAL; there is nothing more to be had there.
  if (::fsync(folder.fd()) != 0 && errno != EINVAL) {
    return tl::unexpected(system_error("sync", path));
  }
  return {};
}

std::vector<std::string> names_in(const std::string& path) {
  std::vector<std::string> names;
  DIR* folder = ::opendir(path.c_str());
  if (folder == nullptr) return names;
  while (const dirent* entry = ::readdir(folder)) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  ::closedir(folder);
  return names;
}

std::string within(const std::string& folder, std::string_view name) {
  std::string path = folder;
  path += '/';
  path += name;
  return path;
}

std::string parent_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == path.npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string name_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace capsule::git
