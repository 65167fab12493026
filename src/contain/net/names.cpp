#include "contain/net/names.h"

#include <net/if.h>

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace capsule::contain {
namespace {

constexpr std::size_t kMaxServers = 3;
constexpr int kMaxSeconds = 5;
constexpr int kMaxRounds = 3;

std::vector<std::string_view> words_in(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; (at = line.find_first_not_of(" \t\r", at)) != line.npos;) {
    const std::size_t end = std::min(line.find_first_of(" \t\r", at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

// "timeout:3"
void read_option(std::string_view word, std::string_view name, int most, const auto& take) {
  if (!word.starts_with(name)) return;
  int value = 0;
  const auto [end, error] =
      std::from_chars(word.data() + name.size(), word.data() + word.size(), value);
  if (error == std::errc() && value > 0) take(std::min(value, most));
}

std::optional<Address> server_of(std::string_view word) {
  const std::size_t percent = word.find('%');
  auto address = address_of(word.substr(0, percent));
  if (address && percent != word.npos)
    address->scope = ::if_nametoindex(std::string(word.substr(percent + 1)).c_str());
  return address;
}

}  // namespace

std::vector<Address> addresses_in(std::string_view hosts, std::string_view name) {
  std::vector<Address> found;
  for (std::string_view line : split(hosts, '\n')) {
    line = line.substr(0, line.find('#'));
    const auto words = words_in(line);
    if (words.size() < 2) continue;
    const bool named = std::any_of(words.begin() + 1, words.end(), [&](std::string_view word) {
      return word.size() == name.size() && lowered(word) == name;
    });
    if (!named) continue;
    const auto address = address_of(words[0]);
    if (address && std::find(found.begin(), found.end(), *address) == found.end())
      found.push_back(*address);
  }
  return found;
}

NameServers name_servers_in(std::string_view text) {
  NameServers made;
  for (const std::string_view line : split(text, '\n')) {
    if (line.starts_with('#') || line.starts_with(';')) continue;
    const auto words = words_in(line);
    if (words.size() < 2) continue;
    if (words[0] == "nameserver" && made.servers.size() < kMaxServers)
      if (const auto address = server_of(words[1])) made.servers.push_back(*address);
    if (words[0] != "options") continue;
    for (const std::string_view word : words) {
      read_option(word, "timeout:", kMaxSeconds,
                  [&](int value) { made.patience = std::chrono::seconds(value); });
      read_option(word, "attempts:", kMaxRounds, [&](int value) { made.rounds = value; });
    }
  }
  if (made.servers.empty()) made.servers.push_back(*address_of("127.0.0.1"));
  return made;
}

}  // namespace capsule::contain
