#include "ui/contain_text.h"

#include <algorithm>
#include <iterator>

#include "base/fill.h"
#include "base/listed.h"
#include "base/size.h"
#include "base/text.h"

namespace capsule::ui {
namespace {

using contain::Access;

struct Section {
  Access access;
  std::string_view title;
};
constexpr Section kSections[] = {
    {Access::write, "May be changed"},
    {Access::scratch, "May be changed, and the changes vanish at the end"},
    {Access::memory, "Empty at the start, in memory, gone at the end"},
    {Access::read, "May be read"},
    {Access::hidden, "Seems to be empty"},
};

std::string where(const contain::Place& place) {
  std::string text;
  if (!place.source.empty()) text += "  which is " + printable(place.source) + " outside";
  if (!place.layer.path.empty()) text += "  kept in " + printable(place.layer.path);
  return text;
}

std::string section(const contain::Policy& policy, const Section& wanted) {
  std::string text;
  for (const contain::Place& place : policy.places)
    if (place.access == wanted.access) text += "  " + printable(place.path) + where(place) + "\n";
  return text.empty() ? text : std::string(wanted.title) + "\n" + text + "\n";
}

std::string rule(std::string_view name, const std::string& text) {
  constexpr std::size_t kName = 12;
  return padded(name, kName) + filled(text, 100, kName, kName) + "\n";
}

std::string network_words(const contain::Policy& policy) {
  switch (policy.net) {
    case contain::Net::open:
      return "open: that of this machine, with what listens on it; no socket files, no other "
             "families than the internet's";
    case contain::Net::proxy:
      return "proxy: a loopback of its own, and a proxy on it to these hosts: " +
             (policy.allow.empty() ? "none" : printable(capsule::joined(policy.allow)));
    case contain::Net::off:
      break;
  }
  return "off: a loopback of its own; no other host, nothing that listens on this machine";
}

std::string ports_words(const contain::Policy& policy) {
  return listed(policy.forward, [](int port) { return std::to_string(port); }) +
         ": ports of this machine's loopback, by the same numbers inside";
}

std::string variable_names(const contain::Policy& policy) {
  const auto name_of = [](const std::string& entry) {
    return printable(entry.substr(0, entry.find('=')));
  };
  return listed(policy.env, name_of, " ") + "; nothing else is handed over";
}

bool has(const contain::Report& report, contain::Gap gap) {
  return std::find(report.gaps.begin(), report.gaps.end(), gap) != report.gaps.end();
}

std::string memory_words(const contain::Limits& limits, bool counted) {
  std::string text =
      limits.together > 0 && counted
          ? "at most " + size_words(limits.together) +
                " for all processes together, which is looked at, or held by a cgroup that "
                "is delegated"
          : "not limited for all processes together";
  if (limits.memory > 0) text += "; " + size_words(limits.memory) + " for the data of each";
  return text;
}

std::string processors_words(const contain::Limits& limits, const contain::Report* report) {
  if (limits.cpu == 0) return "not limited";
  const bool held = report == nullptr || !has(*report, contain::Gap::processors);
  return held ? "at most " + std::to_string(limits.cpu) + " % of one for all processes together"
              : "not limited; it goes behind others (nice), for lack of a cgroup that is delegated";
}

std::string mechanisms(const contain::Report& report) {
  std::string text = report.namespaces ? "namespaces (user mount pid ipc uts cgroup" +
                                             std::string(report.own_network ? " net" : "") +
                                             "), a root of its own, "
                                       : "";
  if (report.landlock > 0) text += "Landlock version " + std::to_string(report.landlock) + ", ";
  return text + "a filter of system calls, no capabilities, no new privileges";
}

}  // namespace

std::string refusals_text(const contain::Gateway& gateway) {
  std::string text;
  for (const contain::Refusal& one : gateway.refusals()) {
    const std::string line = line_that_allows(one);
    text += "capsule: " + sentence_of(one) + (line.empty() ? "" : "  (" + line + ")") + "\n";
  }
  if (gateway.other_refusals() > 0)
    text += "capsule: " + counted(gateway.other_refusals(), "more request") +
            " to other hosts were refused\n";
  return text;
}

std::string contain_text(const contain::Policy& policy, const contain::Report* report) {
  std::string text = "Preset " + std::string(name_of(policy.preset)) + ", role " +
                     std::string(name_of(policy.role)) + ", in " + printable(policy.folder) +
                     "\n\n";
  for (const Section& one : kSections) text += section(policy, one);
  text += "Nothing else of this machine's files is there.\n\n";
  text += rule("network", network_words(policy));
  if (policy.net != contain::Net::open && !policy.forward.empty())
    text += rule("forwarded", ports_words(policy));
  const bool counted = report == nullptr || !has(*report, contain::Gap::uncounted);
  text += rule("processes", "its own only, at most " + std::to_string(policy.limits.processes) +
                                "; all of them end with the command");
  text += rule("memory", memory_words(policy.limits, counted));
  text += rule("processors", processors_words(policy.limits, report));
  text += rule("disk", "not limited; a run waits while there is too little room (disk.reserve)");
  text += rule("variables", variable_names(policy));
  text += rule("git",
               "the settings of a repository in what may be changed can only be read; one that is "
               "elsewhere (of a linked worktree) is not there");
  if (report == nullptr) return text;
  text += rule("held by", mechanisms(*report));
  if (report->gaps.empty()) text += rule("gaps", "none that is known here");
  for (const contain::Gap gap : report->gaps) text += rule("gap", std::string(sentence_of(gap)));
  return text;
}

std::string contain_origins(const config::Config& config, contain::Role role) {
  std::string text;
  for (const config::Entry& entry : config.entries) {
    const bool counts = entry.path.starts_with("contain.") ||
                        (role == contain::Role::gate && entry.path.starts_with("verify.contain."));
    if (counts && entry.origin.layer != config::Layer::defaults)
      text += "  " + entry.path + ": " + printable(config::written(*entry.key, entry.value)) +
              " (" + printable(entry.origin.where) + ")\n";
  }
  return text.empty() ? text : "\nConfigured\n" + text;
}

std::string gaps_text(const contain::Policy& policy, const contain::Report& in_force) {
  std::string text;
  if (policy.missing == contain::Missing::weaker)
    for (const contain::Gap gap : in_force.gaps)
      text += "capsule: weaker: " + std::string(sentence_of(gap)) + "\n";
  return text;
}

}  // namespace capsule::ui
