#include "git/private_dir.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <mutex>
#include <string_view>

#include "git/paths.h"
#include "git/remove_tree.h"

namespace capsule::git {
namespace {

struct Link {
  std::string_view name;
  std::string_view target;
};

constexpr Link kLinks[] = {
    {"objects", "../../objects"},         {"refs", "../../refs"},
    {"packed-refs", "../../packed-refs"}, {"logs", "../../logs"},
    {"shallow", "../../shallow"},         {"lfs", "../../lfs"},
};
// info is a folder of ours, so that info/attributes and info/grafts stay out.
constexpr Link kInfoLinks[] = {
    {"exclude", "../../../info/exclude"},
    {"sparse-checkout", "../../../info/sparse-checkout"},
};

// HEAD points nowhere: no call of ours may move the branch that somebody has checked out by it.
constexpr std::string_view kNoHead = "ref: refs/heads/capsule-has-no-head\n";

std::string config(const Repository& repository) {
  std::string text =
      "[core]\n\tbare = true\n\thooksPath = /dev/null\n\tfsmonitor = false\n"
      "\tlogAllRefUpdates = true\n\tfsync = objects,derived-metadata,reference\n"
      "\tfsyncMethod = batch\n"
      "[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n[protocol]\n\tallow = never\n"
      "[advice]\n\taddEmbeddedRepo = false\n";
  text += repository.sha256 ? "[core]\n\trepositoryformatversion = 1\n"
                              "[extensions]\n\tobjectFormat = sha256\n"
                            : "[core]\n\trepositoryformatversion = 0\n";
  return text;
}

bool link_is(const std::string& path, std::string_view target) {
  char buffer[PATH_MAX];
  const ssize_t size = ::readlink(path.c_str(), buffer, sizeof buffer);
  return size >= 0 && std::string_view(buffer, static_cast<std::size_t>(size)) == target;
}

// Several Capsules may find the same thing missing at once, so each step tolerates the others.
Result<void> put_link(const std::string& path, std::string_view target) {
  if (link_is(path, target)) return {};
  TRY_VOID(remove_tree(path));
  if (::symlink(std::string(target).c_str(), path.c_str()) == 0 || link_is(path, target)) return {};
  return tl::unexpected(system_error("create link", path));
}

// Not synced: what a power cut damages is found damaged at the next call and written anew.
Result<void> put_file(const std::string& path, std::string_view content) {
  if (is_plain_file_with(path, content)) return {};
  if (is_plain_folder(path)) TRY_VOID(remove_tree(path));
  const std::string aside = path + ".new." + std::to_string(::getpid());
  TRY_VOID(remove_tree(aside));
  TRY_VOID(create_file(aside, content));
  if (::rename(aside.c_str(), path.c_str()) == 0) return {};
  return tl::unexpected(system_error("write", path));
}

Result<void> put_folder(const std::string& path) {
  if (is_plain_folder(path)) return {};
  TRY_VOID(remove_tree(path));
  return make_folders(path);
}

bool is_ours(std::string_view name) {
  for (const Link& link : kLinks) {
    if (name == link.name) return true;
  }
  // Names that put_file uses for a moment: another Capsule may be at it.
  return name == "HEAD" || name == "config" || name == "info" || name.starts_with("config.new.") ||
         name.starts_with("HEAD.new.");
}

}  // namespace

std::string capsule_area(const Repository& repository) {
  return repository.common_dir + "/capsule";
}

Result<std::string> private_dir(const Repository& repository) {
  static std::mutex mutex;  // threads would write the same file aside
  const std::lock_guard guard(mutex);
  const std::string folder = capsule_area(repository) + "/git";
  TRY_VOID(put_folder(capsule_area(repository)));
  TRY_VOID(put_folder(folder));
  TRY_VOID(put_folder(folder + "/info"));
  for (const std::string& name : names_in(folder)) {
    if (!is_ours(name)) TRY_VOID(remove_tree(within(folder, name)));
  }
  for (const std::string& name : names_in(folder + "/info")) {
    bool known = false;
    for (const Link& link : kInfoLinks) known = known || name == link.name;
    if (!known) TRY_VOID(remove_tree(within(folder + "/info", name)));
  }
  for (const Link& link : kLinks) {
    TRY_VOID(put_link(within(folder, link.name), link.target));
  }
  for (const Link& link : kInfoLinks) {
    TRY_VOID(put_link(within(folder + "/info", link.name), link.target));
  }
  TRY_VOID(put_file(folder + "/HEAD", kNoHead));
  TRY_VOID(put_file(folder + "/config", config(repository)));
  return folder;
}

Result<std::string> spare_file(const Repository& repository) {
  static std::atomic<unsigned> counter{0};
  const std::string folder = capsule_area(repository) + "/spare";
  TRY_VOID(put_folder(capsule_area(repository)));
  TRY_VOID(put_folder(folder));
  return folder + "/" + std::to_string(::getpid()) + "-" + std::to_string(counter++);
}

}  // namespace capsule::git
