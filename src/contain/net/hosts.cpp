#include "contain/net/hosts.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace capsule::contain {
namespace {

constexpr std::size_t kMaxName = 253;
constexpr std::size_t kMaxLabel = 63;

bool is_label(std::string_view label) {
  if (label.empty() || label.size() > kMaxLabel || label.front() == '-' || label.back() == '-')
    return false;
  return std::all_of(label.begin(), label.end(), [](char byte) {
    return is_letter(byte) || is_digit(byte) || byte == '-' || byte == '_';
  });
}

// What some resolver would read as an address: 127.1, 2130706433, 0x7f.0.0.1, 0177.0.0.1.
bool is_number(std::string_view label) {
  return std::all_of(label.begin(), label.end(), is_digit) || lowered(label).starts_with("0x");
}

bool is_name(std::string_view text) {
  if (text.empty() || text.size() > kMaxName) return false;
  const auto labels = split(text, '.');
  return std::all_of(labels.begin(), labels.end(), is_label) && !is_number(labels.back());
}

std::optional<std::uint16_t> port_of(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  const bool plain = !text.empty() && text.front() != '0' && error == std::errc();
  if (!plain || end != text.data() + text.size()) return std::nullopt;
  return port;
}

std::optional<Target> target_at(std::string_view host, std::uint16_t port) {
  const bool brackets = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (brackets) host = host.substr(1, host.size() - 2);
  if (const auto address = address_of(host))
    return address->six == brackets ? std::optional(Target{text_of(*address), port, address})
                                    : std::nullopt;
  if (brackets || !is_name(host)) return std::nullopt;
  return Target{lowered(host), port};
}

bool matches(const Allowed& one, const Target& target) {
  if (one.target.port != target.port) return false;
  if (!one.below) return one.target.host == target.host;
  return !target.address && target.host.size() > one.target.host.size() + 1 &&
         target.host.ends_with("." + one.target.host);
}

}  // namespace

std::optional<Target> target_of(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == text.npos) return std::nullopt;
  const auto port = port_of(text.substr(colon + 1));
  return port ? target_at(text.substr(0, colon), *port) : std::nullopt;
}

std::string text_of(const Target& target) {
  const bool six = target.address && target.address->six;
  return (six ? "[" + target.host + "]" : target.host) + ":" + std::to_string(target.port);
}

Result<Allowed> allowed_of(std::string_view text) {
  const auto wrong = [&](const std::string& why) {
    return fail(Reason::usage, "a host that is allowed: " + printable(text) + ": " + why,
                "write api.example.com:443, *.packages.example.com:443 or 192.0.2.7:443");
  };
  const bool below = text.starts_with("*.");
  const std::string_view host = below ? text.substr(2) : text;
  if (text.find("://") != text.npos) return wrong("a host and a port, without https://");
  const auto target = target_of(host);
  if (!target)
    return wrong(host.find(':') == host.npos ? "the port is missing"
                                             : "neither a name nor an address");
  if (below && (target->address || target->host.find('.') == std::string::npos))
    return wrong("only names below a domain can be allowed together");
  if (target->host == "localhost" || (target->address && is_near(*target->address)))
    return fail(
        Reason::usage,
        "a host that is allowed: " + printable(text) + " is on this machine or this link",
        "a port of this machine is forwarded: forward: [" + std::to_string(target->port) + "]");
  return Allowed{*target, below};
}

bool allows(const std::vector<Allowed>& list, const Target& target) {
  return std::any_of(list.begin(), list.end(),
                     [&](const Allowed& one) { return matches(one, target); });
}

std::string line_that_allows(const Refusal& refusal) {
  Target target = refusal.target;
  if (refusal.why == Refused::not_public) {
    target.address = address_of(refusal.address);
    target.host = refusal.address;
  }
  if (target.host == "localhost" || (target.address && is_near(*target.address))) {
    const bool loopback = target.host == "localhost" || target.host == "127.0.0.1";
    return loopback ? "forward: [" + std::to_string(target.port) + "]" : "";
  }
  return "allow: [\"" + text_of(target) + "\"]";
}

std::string sentence_of(const Refusal& refusal) {
  std::string text =
      printable(text_of(refusal.target)) + " was refused " + counted(refusal.count, "time") + ": ";
  if (refusal.why == Refused::not_allowed) return text + "it is not on the list";
  return text + "its name leads to " + printable(refusal.address) + ", which is inside";
}

}  // namespace capsule::contain
