#include "world/wall_words.h"

#include <charconv>
#include <initializer_list>
#include <optional>

#include "base/text.h"
#include "world/walls.h"

namespace capsule::world {
namespace {

std::string_view name_of(contain::Missing missing) {
  return missing == contain::Missing::weaker ? "weaker" : "refuse";
}

// nullopt: not given.
template <class Choice>
Result<std::optional<Choice>> named(const char* option, const std::string& word,
                                    std::initializer_list<Choice> choices) {
  if (word.empty()) return std::nullopt;
  std::vector<std::string> valid;
  for (const Choice choice : choices) {
    if (word == name_of(choice)) return choice;
    valid.emplace_back(name_of(choice));
  }
  return fail(Reason::usage, std::string(option) + " cannot be " + printable(word),
              "valid: " + short_list(valid));
}

// Which of them can be ports is not asked here.
Result<int> port_in(const std::string& word) {
  int port = 0;
  const char* const end = word.data() + word.size();
  const auto [at, error] = std::from_chars(word.data(), end, port);
  if (error == std::errc() && at == end) return port;
  return fail(Reason::usage, "--forward wants the number of a port, not " + printable(word));
}

void append(std::vector<std::string>& to, const std::vector<std::string>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

}  // namespace

Result<contain::Wish> wish_of(const config::Config& config, const WallWords& words,
                              const std::string& folder) {
  using contain::Missing, contain::Net, contain::Preset, contain::Role;
  const auto role = TRY(named("--role", words.role, {Role::writer, Role::reviewer, Role::gate}));
  contain::Wish wish = walls_of_command(config, role.value_or(Role::writer), folder);
  if (const auto preset = TRY(named("--preset", words.preset, {Preset::worktree, Preset::strict})))
    wish.preset = *preset;
  // Who allows a host wants a proxy to it.
  if (!words.allow.empty()) wish.net = Net::proxy;
  if (const auto net = TRY(named("--net", words.net, {Net::open, Net::proxy, Net::off})))
    wish.net = *net;
  if (const auto missing =
          TRY(named("--missing", words.missing, {Missing::refuse, Missing::weaker})))
    wish.missing = *missing;
  append(wish.allow, words.allow);
  for (const std::string& word : words.forward) wish.forward.push_back(TRY(port_in(word)));
  append(wish.read, words.read);
  append(wish.write, words.write);
  append(wish.scratch, words.scratch);
  append(wish.env, words.env);
  for (const std::string& word : words.mount) {
    const std::size_t at = word.find('=');
    wish.mounts.push_back({word.substr(0, at), at == word.npos ? "" : word.substr(at + 1)});
  }
  wish.private_home = words.home;
  wish.layer = words.layer;
  return wish;
}

}  // namespace capsule::world
