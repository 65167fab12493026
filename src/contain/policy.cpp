#include "contain/policy.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/enum_count.h"
#include "base/text.h"
#include "contain/environment.h"
#include "contain/network.h"
#include "contain/places.h"

namespace capsule::contain {
namespace {

// A folder that holds the user's home cannot be handed over: all secrets are in it.
Result<void> check_given(const std::string& path, const std::string& home, std::string_view what) {
  if (path == "/")
    return fail(Reason::usage, std::string(what) + " cannot be the root of the machine");
  if (is_within(home, path))
    return fail(Reason::usage,
                std::string(what) + " " + printable(path) +
                    (path == home ? " is your home" : " holds your home") + ", with all your keys",
                "go to the project's folder, and name single folders with --read and --write");
  return {};
}

Result<void> add_given(std::vector<Place>& places, const std::vector<std::string>& paths,
                       Access access, const std::string& home) {
  for (const std::string& given : paths) {
    // Shells leave the sign in --read=~/x as it is.
    auto place = pin(given.starts_with("~/") ? home + given.substr(1) : given, access);
    if (!place)
      return fail(Reason::usage, place.error().message,
                  "a place of a contained command has to exist before it starts");
    TRY_VOID(check_given(place->path, home, "the place"));
    places.push_back(std::move(*place));
  }
  return {};
}

// What the command may change must not decide what the user's next git runs: its settings and hooks
// stay as they are. In a scratch layer nothing stays anyway.
void protect_git(std::vector<Place>& places) {
  std::vector<Place> added;
  for (const Place& place : places) {
    if (place.access != Access::write || !place.folder) continue;
    if (auto git = pin_beneath(place, ".git", Access::read)) added.push_back(std::move(*git));
  }
  std::move(added.begin(), added.end(), std::back_inserter(places));
}

// The last name of a path may be missing, or be a link: it stands for itself.
std::string place_inside(const std::string& path) {
  const std::string whole = absolute_path(path);
  const std::size_t slash = whole.rfind('/');
  const std::string parent = slash == 0 ? "/" : whole.substr(0, slash);
  const std::string real = real_path(parent).value_or(parent);
  return (real == "/" ? "" : real) + whole.substr(slash);
}

Result<void> add_mounts(std::vector<Place>& places, const std::vector<Mount>& mounts) {
  for (const Mount& mount : mounts) {
    Place place = TRY(pin(mount.source, mount.access));
    place.source = std::exchange(place.path, place_inside(mount.path));
    places.push_back(std::move(place));
  }
  return {};
}

Result<Pinned> pin_folder(const std::string& path) {
  Place place = TRY(pin(path, Access::write));
  if (!place.folder) return fail(Reason::usage, printable(path) + " is not a folder");
  return Pinned{std::move(place.path), std::move(place.pinned)};
}

Result<Place> home_place(const Wish& wish, const std::string& home) {
  if (wish.private_home.empty()) return Place{home, Access::memory};
  Pinned own = TRY(pin_folder(wish.private_home));
  return Place{home, Access::write, std::move(own.file), true, std::move(own.path)};
}

// A layer in the folder that it lies over would be reachable, and be a layer of itself.
Result<void> add_layer(Place& folder, const Wish& wish) {
  if (folder.access != Access::scratch) return {};
  if (!wish.layer.empty()) folder.layer = TRY(pin_folder(wish.layer));
  if (!wish.cover.empty()) folder.cover = TRY(pin_folder(wish.cover));
  for (const Pinned* one : {&folder.layer, &folder.cover})
    if (!one->path.empty() &&
        (is_within(one->path, folder.path) || is_within(folder.path, one->path)))
      return fail(Reason::usage, "the layer " + printable(one->path) + " and the folder " +
                                     printable(folder.path) + " must not overlap");
  return {};
}

// Where the home is inside: where it is outside, if that can be a folder of its own.
std::string home_inside(const std::string& home) {
  constexpr const char* kElsewhere = "/tmp/home";
  if (!home.starts_with('/')) return kElsewhere;
  const std::string path = real_path(home).value_or(absolute_path(home));
  return path == "/" ? kElsewhere : path;
}

// Where the command starts. A link that leads out of the folder leads nowhere inside.
Result<std::string> start_in(const std::string& folder, const std::string& wished) {
  if (wished.empty()) return folder;
  const std::string path = TRY(real_path(wished));
  if (!is_within(path, folder))
    return fail(Reason::usage, printable(path) + " is not in " + printable(folder),
                "a contained command starts in its folder, or below it");
  return path;
}

// One place a path, the last word on it; parents first.
std::vector<Place> in_order(std::vector<Place> places) {
  std::reverse(places.begin(), places.end());
  std::stable_sort(places.begin(), places.end(),
                   [](const Place& a, const Place& b) { return a.path < b.path; });
  const auto end = std::unique(places.begin(), places.end(),
                               [](const Place& a, const Place& b) { return a.path == b.path; });
  places.erase(end, places.end());
  return places;
}

}  // namespace

std::string_view name_of(Preset preset) {
  constexpr std::string_view kNames[] = {"worktree", "strict"};
  static_assert(std::size(kNames) == enum_count<Preset>());
  return kNames[static_cast<std::size_t>(preset)];
}
std::string_view name_of(Role role) {
  constexpr std::string_view kNames[] = {"writer", "reviewer", "gate"};
  static_assert(std::size(kNames) == enum_count<Role>());
  return kNames[static_cast<std::size_t>(role)];
}
std::string_view name_of(Net net) {
  constexpr std::string_view kNames[] = {"open", "proxy", "off"};
  static_assert(std::size(kNames) == enum_count<Net>());
  return kNames[static_cast<std::size_t>(net)];
}
std::string_view name_of(Access access) {
  constexpr std::string_view kNames[] = {"read", "write", "scratch", "hidden", "memory"};
  static_assert(std::size(kNames) == enum_count<Access>());
  return kNames[static_cast<std::size_t>(access)];
}

bool is_within(std::string_view path, std::string_view folder) {
  if (folder == "/") return true;
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

Result<Policy> make_policy(const Wish& wish) {
  Policy policy;
  policy.preset = wish.preset;
  policy.role = wish.role;
  policy.missing = wish.missing;
  policy.namespaces_found = wish.namespaces_found;
  const bool own_network = wish.preset == Preset::strict || wish.role == Role::gate;
  policy.net = wish.net.value_or(own_network ? Net::off : Net::open);
  policy.allow = wish.allow;
  policy.forward = wish.forward;
  policy.broker = wish.broker;
  policy.limits = wish.limits;
  TRY_VOID(check_network(policy));
  policy.home = home_inside(wish.home);

  Ground ground = TRY(system_ground(wish.guarded ? *wish.guarded : guarded_settings()));
  policy.links = std::move(ground.links);
  policy.places = std::move(ground.places);
  const std::string search =
      add_search_places(policy.places, wish.search, policy.home, wish.folder);
  for (const char* path : {"/tmp", "/var/tmp"}) policy.places.push_back({path, Access::memory});
  policy.places.push_back(TRY(home_place(wish, policy.home)));
  TRY_VOID(add_given(policy.places, wish.read, Access::read, policy.home));
  TRY_VOID(add_given(policy.places, wish.scratch, Access::scratch, policy.home));

  Place folder = TRY(pin(wish.folder, wish.role == Role::writer ? Access::write : Access::scratch));
  TRY_VOID(check_given(folder.path, policy.home, "the folder"));
  if (!folder.folder) return fail(Reason::usage, printable(folder.path) + " is not a folder");
  TRY_VOID(add_layer(folder, wish));
  policy.folder = folder.path;
  policy.start = TRY(start_in(policy.folder, wish.start));
  policy.places.push_back(std::move(folder));
  TRY_VOID(add_given(policy.places, wish.write, Access::write, policy.home));
  protect_git(policy.places);
  TRY_VOID(add_mounts(policy.places, wish.mounts));
  policy.places = in_order(std::move(policy.places));
  // No other proxy can be reached, whatever the caller sets.
  std::vector<std::string> set = wish.set;
  for (std::string& entry : network_variables(policy)) set.push_back(std::move(entry));
  policy.env = made_up_environment(policy.home, search, policy.start, wish.env, set);
  return policy;
}

}  // namespace capsule::contain
