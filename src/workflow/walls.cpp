// The walls that agents and commands had, and the hosts that they asked for in vain, in words.
#include <algorithm>
#include <limits>

#include "base/text.h"
#include "workflow/summary.h"

namespace capsule::workflow {
namespace {

constexpr std::size_t kMostHosts = 64;
constexpr std::size_t kHostsInWords = 6;

void list_item(std::string& list, const std::string& item, std::string_view comma = ", ") {
  if (!list.empty()) list += comma;
  list += item;
}

int sum_of(int one, int other) {
  constexpr int kMost = std::numeric_limits<int>::max();
  return one > kMost - other ? kMost : one + other;
}

std::string kind_words(const event::Contained& walls) {
  if (walls.preset == "off") return "off";
  std::string held_by;
  if (walls.namespaces) list_item(held_by, "namespaces");
  if (walls.landlock > 0) list_item(held_by, "Landlock " + std::to_string(walls.landlock));
  if (walls.seccomp) list_item(held_by, "seccomp");
  list_item(held_by, "network " + walls.network, "; ");
  if (walls.broker) list_item(held_by, "the key stays outside");
  return walls.preset + " (" + held_by + ")";
}

std::string refused_host(const event::RefusedHost& one) {
  std::string text = one.host + " " + counted(one.count, "time");
  if (!one.leads_to.empty()) text += ", since it leads to " + one.leads_to;
  if (!one.allowed_by.empty()) text += " (contain: {" + one.allowed_by + "} would allow it)";
  return text;
}

}  // namespace

std::string walls_words(const std::vector<event::Contained>& contained) {
  std::vector<std::pair<std::string, std::string>> kinds;  // and who has them
  for (const event::Contained& walls : contained) {
    const std::string words = kind_words(walls);
    const auto same = std::find_if(kinds.begin(), kinds.end(),
                                   [&](const auto& kind) { return kind.first == words; });
    if (same == kinds.end())
      kinds.emplace_back(words, walls.who);
    else
      list_item(same->second, walls.who);
  }
  std::string text;
  for (const auto& [words, who] : kinds) list_item(text, words + " for " + who, "; ");
  return printable(text);
}

std::string weaker_words(const std::vector<event::Contained>& contained) {
  std::vector<std::string> gaps;
  for (const event::Contained& walls : contained)
    for (const std::string& gap : walls.gaps)
      if (std::find(gaps.begin(), gaps.end(), gap) == gaps.end()) gaps.push_back(gap);
  std::string text;
  for (const std::string& gap : gaps) list_item(text, gap, "; ");
  return printable(text);
}

void add_refused(std::vector<event::RefusedHost>& hosts, int& others,
                 const event::HostsRefused& more) {
  for (const event::RefusedHost& one : more.hosts) {
    const auto same = std::find_if(hosts.begin(), hosts.end(), [&](const auto& known) {
      return known.host == one.host && known.leads_to == one.leads_to;
    });
    if (same != hosts.end())
      same->count = sum_of(same->count, one.count);
    else if (hosts.size() < kMostHosts)
      hosts.push_back(one);
    else
      others = sum_of(others, one.count);
  }
  others = sum_of(others, more.others);
}

std::string refused_words(const std::vector<event::RefusedHost>& hosts, int others) {
  std::string text;
  for (const event::RefusedHost& one : hosts)
    if (static_cast<std::size_t>(&one - hosts.data()) < kHostsInWords)
      list_item(text, refused_host(one));
    else
      others = sum_of(others, one.count);
  if (others > 0) list_item(text, counted(others, "request") + " for other hosts");
  return printable(text);
}

}  // namespace capsule::workflow
