#include "workspace/archive.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "base/files.h"
#include "base/ids.h"
#include "base/text.h"

namespace capsule::workspace {
namespace {

namespace fs = std::filesystem;
constexpr const char* kRunFile = "run-id";
constexpr const char* kRunFileAside = "run-id.new";
constexpr const char* kOutput = ".capsule/output";

Result<void> copy_out(const File& from, const std::string& to) {
  const std::string aside = to + ".new";
  ::unlink(aside.c_str());
  {
    const File target(
        ::open(aside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644));
    if (!target) return tl::unexpected(io_error("write", aside, errno));
    std::string buffer(1 << 16, '\0');
    for (;;) {
      const ssize_t n = ::read(from.fd(), buffer.data(), buffer.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return tl::unexpected(io_error("read", to, errno));
      if (n == 0) break;
      TRY_VOID(write_all(target.fd(), {buffer.data(), static_cast<std::size_t>(n)}, aside));
    }
  }
  if (::rename(aside.c_str(), to.c_str()) != 0) return tl::unexpected(io_error("write", to, errno));
  return {};
}

// A file that is not there, or is no regular file, is passed over: an agent may have removed it.
Result<void> take(const std::string& worktree, const std::string& name, const std::string& to) {
  auto file = open_beneath(worktree, name, O_RDONLY);
  if (!file)
    return file.error().reason == Reason::io ? tl::unexpected(file.error()) : Result<void>{};
  return copy_out(*file, to);
}

Result<void> move_into(const std::string& target, const std::string& folder,
                       const std::string& name) {
  TRY_VOID(make_folders(target));
  const std::string to = target + "/" + name;
  if (::rename((folder + "/" + name).c_str(), to.c_str()) == 0) return {};
  return tl::unexpected(io_error("move", to, errno));
}

// A cut-off may come at any point of it: the name of the run goes last, and a folder without one is
// gone on with.
Result<void> set_earlier_aside(const std::string& folder, const std::string& run) {
  ::unlink((folder + "/" + kRunFileAside).c_str());
  const auto earlier = read_file(folder + "/" + kRunFile, 1000);
  if (earlier && *earlier == run + "\n") return {};
  std::string name = earlier ? std::string(trimmed(*earlier)) : "";
  const bool named = valid_id(name);
  if (!named) name = "earlier";
  std::string target = folder + "/" + name;
  for (int i = 2; exists(named ? target + "/" + kRunFile : target); ++i)
    target = folder + "/" + name + "-" + std::to_string(i);
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.is_directory() && !entry.is_symlink()) continue;  // archives of still earlier runs
    const std::string file = entry.path().filename().string();
    if (file != kRunFile) TRY_VOID(move_into(target, folder, file));
  }
  return earlier ? move_into(target, folder, kRunFile) : Result<void>{};
}

}  // namespace

Result<void> archive_worktree(const std::string& worktree, const std::string& folder,
                              const std::string& run) {
  TRY_VOID(make_folders(folder));
  TRY_VOID(set_earlier_aside(folder, run));
  TRY_VOID(write_file(folder + "/" + kRunFile, run + "\n", 0644, folder + "/" + kRunFileAside));
  TRY_VOID(take(worktree, kWorklog, folder + "/" + kWorklog));
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(worktree + "/" + kOutput, error)) {
    const std::string name = entry.path().filename().string();
    // An agent may have put a file of any name there; it must not replace ours.
    const bool ours = name == kRunFile || name == kWorklog;
    TRY_VOID(take(worktree, std::string(kOutput) + "/" + name,
                  folder + (ours ? "/output-" : "/") + name));
  }
  return {};
}

std::string archive_of(const std::string& folder, const std::string& run) {
  if (!valid_id(run) || !is_folder(folder)) return {};
  if (is_folder(folder + "/" + run)) return folder + "/" + run;
  const auto newest = read_file(folder + "/" + kRunFile, 1000);
  return !newest || *newest == run + "\n" ? folder : std::string();
}

}  // namespace capsule::workspace
