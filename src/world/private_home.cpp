#include "world/private_home.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ctime>

#include "base/files.h"
#include "base/ids.h"
#include "base/text.h"
#include "git/paths.h"
#include "git/remove_tree.h"
#include "json/object.h"
#include "workspace/places.h"

namespace capsule::world {
namespace {

constexpr std::size_t kMaxAccountBytes = std::size_t{1} << 20;
constexpr std::time_t kKeptInCheckout = std::time_t{7} * 24 * 3600;
constexpr std::string_view kWriter = "writer";

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

// The object without the text of the member at `path` ("outer.inner"); as it is where it has none.
json::Object without_text(json::Object object, std::string_view path) {
  const std::size_t dot = path.find('.');
  const std::string_view key = path.substr(0, dot);
  if (dot == path.npos) {
    if (object.text(key)) object.set_text(key, "");
  } else if (const std::string* inner = object.find(key);
             inner != nullptr && inner->front() == '{') {
    object.set(key, without_text(object.object(key), path.substr(dot + 1)).compact());
  }
  return object;
}

// What renews a login stays with the user, where a service takes it only once: inside, the login
// lasts as long as its token, and whoever uses it there cannot void the user's.
std::string for_inside(std::string login, const agent::Client& client) {
  if (client.renews.empty()) return login;
  const auto object = json::Object::parse(login);
  return object ? without_text(*object, client.renews).compact() : login;
}

// Whatever the agent before has put into its home, nothing is written elsewhere.
Result<void> copy_account(const std::string& users, const std::string& home,
                          const std::string& name, const agent::Client& client) {
  struct stat theirs {
  }, ours{};
  if (::stat((users + "/" + name).c_str(), &theirs) != 0 || !S_ISREG(theirs.st_mode)) return {};
  if (const auto there = open_beneath(home, name, O_RDONLY | O_NOFOLLOW);
      client.renews.empty() && there && ::fstat(there->fd(), &ours) == 0 && is_newer(ours, theirs))
    return {};
  const std::string text = for_inside(TRY(read_file(users + "/" + name, kMaxAccountBytes)), client);
  TRY_VOID(make_folders_beneath(home, git::parent_of("/" + name).substr(1)));
  const File file = TRY(open_beneath(home, name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0600));
  return write_all(file.fd(), text, name);
}

Result<void> copy_accounts(const std::string& users, const std::string& home,
                           const agent::Client& client) {
  for (const std::string_view name : split(client.account_files, ' '))
    if (!name.empty()) TRY_VOID(copy_account(users, home, std::string(name), client));
  return {};
}

Result<void> make_home(const std::string& home) {
  TRY_VOID(make_folders(git::parent_of(home)));
  if (::mkdir(home.c_str(), 0700) == 0 || git::is_plain_folder(home)) return {};
  return fail(Reason::refused, printable(home) + " is not a folder");
}

// Whoever was at home before has ended; links of its making are not followed.
bool has_plain_place(const std::string& home, const std::string& name) {
  for (std::size_t slash = name.find('/'); slash != name.npos; slash = name.find('/', slash + 1))
    if (!git::is_plain_folder(home + "/" + name.substr(0, slash))) return false;
  struct stat info {};
  return ::lstat((home + "/" + name).c_str(), &info) == 0 &&
         (S_ISDIR(info.st_mode) || S_ISREG(info.st_mode));
}

Result<void> move_beneath(const std::string& from, const std::string& to, const std::string& name) {
  if (!has_plain_place(from, name)) return {};
  TRY_VOID(make_folders_beneath(to, git::parent_of("/" + name).substr(1)));
  if (::rename((from + "/" + name).c_str(), (to + "/" + name).c_str()) == 0) return {};
  return tl::unexpected(git::system_error("move", from + "/" + name));
}

// Of the user's own checkout, which never goes: nobody comes back to so old a session.
void sweep_checkout_homes(const std::string& homes) {
  for (const std::string& name : git::names_in(homes)) {
    struct stat info {};
    if (!name.starts_with(kWriter) && ::lstat((homes + "/" + name).c_str(), &info) == 0 &&
        info.st_mtim.tv_sec < std::time(nullptr) - kKeptInCheckout)
      (void)git::remove_tree(homes + "/" + name);
  }
}

}  // namespace

std::string homes_of(const std::string& project, std::string_view tree) {
  return area(project) + "/" + std::string(tree);
}

Result<std::string> ready_home(const std::string& project, std::string_view tree,
                               std::string_view whose, const agent::Client* client,
                               const std::string& users_home) {
  return ready_home_at(homes_of(project, tree) + "/" + folder_name(whose), client, users_home);
}

Result<std::string> ready_home_at(const std::string& home, const agent::Client* client,
                                  const std::string& users_home) {
  TRY_VOID(make_home(home));
  if (client == nullptr || users_home.empty()) return home;
  if (copy_accounts(users_home, home, *client)) return home;
  // The agent before has put something in the way: it begins anew, without its sessions.
  TRY_VOID(git::remove_tree(home));
  TRY_VOID(make_home(home));
  TRY_VOID(copy_accounts(users_home, home, *client));
  return home;
}

Result<void> keep_sessions(const std::string& project, std::string_view tree,
                           std::string_view whose, const agent::Client* client) {
  const std::string home = homes_of(project, tree) + "/" + folder_name(whose);
  if (!exists(home)) return {};
  if (client == nullptr || client->sessions.empty()) return git::remove_tree(home);
  const std::string old = home + ".old";  // no home is called so
  TRY_VOID(git::remove_tree(old));
  if (::rename(home.c_str(), old.c_str()) != 0)
    return tl::unexpected(git::system_error("move", home));
  TRY_VOID(make_home(home));
  for (const std::string_view name : split(client->sessions, ' '))
    TRY_VOID(move_beneath(old, home, std::string(name)));
  return git::remove_tree(old);
}

void remove_homes(const std::string& project, std::string_view tree) {
  (void)git::remove_tree(homes_of(project, tree));
  ::rmdir(area(project).c_str());  // fails while there are others
}

void sweep_homes(const std::string& project) {
  if (!git::is_plain_folder(area(project))) return;
  sweep_checkout_homes(homes_of(project, kCheckoutHomes));
  for (const std::string& tree : git::names_in(area(project)))
    if (tree != kCheckoutHomes && !exists(workspace::worktree_path(project, tree)))
      remove_homes(project, tree);
}

}  // namespace capsule::world
