#include "world/private_home.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/ids.h"
#include "base/text.h"
#include "git/paths.h"
#include "git/remove_tree.h"
#include "workspace/places.h"

namespace capsule::world {
namespace {

constexpr std::size_t kMaxAccountBytes = std::size_t{1} << 20;

std::string area(const std::string& project) { return project + "/.capsule/homes"; }

// Roles may be called anything in a workflow of the user's own.
std::string folder_name(std::string_view role) {
  std::string name;
  for (const char c : role) name += is_letter(c) || is_digit(c) || c == '-' || c == '_' ? c : '-';
  return valid_id(name) ? name : "other";
}

bool is_newer(const struct stat& one, const struct stat& other) {
  return one.st_mtim.tv_sec != other.st_mtim.tv_sec ? one.st_mtim.tv_sec > other.st_mtim.tv_sec
                                                    : one.st_mtim.tv_nsec > other.st_mtim.tv_nsec;
}

// Whatever the agent before has put into its home, nothing is written elsewhere.
Result<void> copy_account(const std::string& users, const std::string& home,
                          const std::string& name) {
  struct stat theirs {
  }, ours{};
  if (::stat((users + "/" + name).c_str(), &theirs) != 0 || !S_ISREG(theirs.st_mode)) return {};
  if (const auto there = open_beneath(home, name, O_RDONLY | O_NOFOLLOW);
      there && ::fstat(there->fd(), &ours) == 0 && is_newer(ours, theirs))
    return {};
  const std::string text = TRY(read_file(users + "/" + name, kMaxAccountBytes));
  TRY_VOID(make_folders_beneath(home, git::parent_of("/" + name).substr(1)));
  const File file = TRY(open_beneath(home, name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0600));
  return write_all(file.fd(), text, name);
}

Result<void> copy_accounts(const std::string& users, const std::string& home,
                           const agent::Client& client) {
  for (const std::string_view name : split(client.account_files, ' '))
    if (!name.empty()) TRY_VOID(copy_account(users, home, std::string(name)));
  return {};
}

Result<void> make_home(const std::string& home) {
  TRY_VOID(make_folders(git::parent_of(home)));
  if (::mkdir(home.c_str(), 0700) == 0 || git::is_plain_folder(home)) return {};
  return fail(Reason::refused, printable(home) + " is no folder");
}

}  // namespace

std::string homes_of(const std::string& project, std::string_view tree) {
  return area(project) + "/" + std::string(tree);
}

Result<std::string> ready_home(const std::string& project, std::string_view tree,
                               std::string_view whose, const agent::Client* client,
                               const std::string& users_home) {
  const std::string home = homes_of(project, tree) + "/" + folder_name(whose);
  TRY_VOID(make_home(home));
  if (client == nullptr || users_home.empty()) return home;
  if (copy_accounts(users_home, home, *client)) return home;
  // The agent before has put something in the way: it begins anew, without its sessions.
  TRY_VOID(git::remove_tree(home));
  TRY_VOID(make_home(home));
  TRY_VOID(copy_accounts(users_home, home, *client));
  return home;
}

void remove_homes(const std::string& project, std::string_view tree) {
  (void)git::remove_tree(homes_of(project, tree));
  ::rmdir(area(project).c_str());  // fails while there are others
}

void sweep_homes(const std::string& project) {
  if (!git::is_plain_folder(area(project))) return;
  for (const std::string& tree : git::names_in(area(project)))
    if (tree != kCheckoutHomes && !exists(workspace::worktree_path(project, tree)))
      remove_homes(project, tree);
}

}  // namespace capsule::world
