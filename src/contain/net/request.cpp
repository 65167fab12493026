#include "contain/net/request.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace capsule::contain {
namespace {

constexpr std::string_view kLineEnd = "\r\n";
constexpr unsigned kMaxLine = 4096;  // in a body in pieces
constexpr unsigned kMaxDigits = 12;  // of the size of a piece

// Only between the two who are connected, or for the proxy alone.
constexpr std::string_view kHopByHop[] = {"connection",
                                          "proxy-connection",
                                          "proxy-authorization",
                                          "proxy-authenticate",
                                          "keep-alive",
                                          "te",
                                          "upgrade",
                                          "host"};

bool is_token(std::string_view word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](char byte) {
    return is_letter(byte) || is_digit(byte) ||
           std::string_view("!#$%&'*+-.^_`|~").find(byte) != std::string_view::npos;
  });
}

bool is_visible(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char byte) { return byte > ' ' && byte < 0x7F; });
}

// Tabs and what is beyond ASCII may stand in a value, line ends and NUL may not.
bool is_value(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char byte) {
    return byte == '\t' || (static_cast<unsigned char>(byte) >= ' ' && byte != 0x7F);
  });
}

std::optional<Field> field_of(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == line.npos || !is_token(line.substr(0, colon))) return std::nullopt;
  const std::string_view value = trimmed(line.substr(colon + 1));
  if (!is_value(value)) return std::nullopt;
  return Field{lowered(line.substr(0, colon)), std::string(value)};
}

int hex_digit(char byte) {
  if (is_digit(byte)) return byte - '0';
  const char small = lower(byte);
  return small >= 'a' && small <= 'f' ? small - 'a' + 10 : -1;
}

// Fields that a Connection field names are hop-by-hop too.
bool names(std::string_view list, std::string_view name) {
  for (const std::string_view part : split(list, ','))
    if (lowered(trimmed(part)) == name) return true;
  return false;
}

bool is_passed_on(const Head& head, const std::string& name) {
  if (std::find(std::begin(kHopByHop), std::end(kHopByHop), name) != std::end(kHopByHop))
    return false;
  return std::none_of(head.fields.begin(), head.fields.end(), [&](const Field& field) {
    return field.name == "connection" && name != "content-length" && name != "transfer-encoding" &&
           names(field.value, name);
  });
}

}  // namespace

std::size_t head_bytes(std::string_view text) {
  const std::size_t end = text.find("\r\n\r\n");
  return end == text.npos ? 0 : end + 4;
}

std::optional<Head> head_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t at = 0; at + 2 < text.size();) {
    const std::size_t end = text.find(kLineEnd, at);
    if (end == text.npos) return std::nullopt;
    lines.push_back(text.substr(at, end - at));
    at = end + kLineEnd.size();
  }
  if (lines.empty()) return std::nullopt;
  const auto words = split(lines[0], ' ');
  if (words.size() != 3 || !is_token(words[0]) || !is_visible(words[1])) return std::nullopt;
  if (words[2] != "HTTP/1.1" && words[2] != "HTTP/1.0") return std::nullopt;
  Head head{std::string(words[0]), std::string(words[1])};
  for (std::size_t i = 1; i < lines.size(); ++i) {
    auto field = field_of(lines[i]);
    if (!field) return std::nullopt;
    head.fields.push_back(std::move(*field));
  }
  return head;
}

std::optional<Body> Body::of(const Head& head) {
  Body body;
  int said = 0;
  for (const Field& field : head.fields) {
    if (field.name == "transfer-encoding") {
      if (lowered(field.value) != "chunked") return std::nullopt;
      body.chunked_ = true;
      body.part_ = Part::size;
      ++said;
    }
    if (field.name == "content-length") {
      const std::string& text = field.value;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), body.left_);
      if (error != std::errc() || end != text.data() + text.size() || !is_digit(text[0]))
        return std::nullopt;
      if (body.left_ > 0) body.part_ = Part::bytes;
      ++said;
    }
  }
  return said > 1 ? std::nullopt : std::optional(body);
}

std::size_t Body::take(std::string_view bytes) {
  std::size_t at = 0;
  while (at < bytes.size() && part_ != Part::nothing && part_ != Part::broken) {
    if (part_ != Part::bytes) {
      take_byte(bytes[at++]);
      continue;
    }
    const auto count = std::min<std::uint64_t>(left_, bytes.size() - at);
    at += static_cast<std::size_t>(count);
    left_ -= count;
    if (left_ == 0) part_ = chunked_ ? Part::chunk_end : Part::nothing;
  }
  return at;
}

// Of what stands between the pieces of a body: sizes, line ends, and lines at its end.
void Body::take_byte(char byte) {
  const bool line_end = last_ == '\r';
  if (++line_ > kMaxLine || (byte == '\n') != line_end) part_ = Part::broken;
  last_ = byte;
  if (part_ == Part::broken || byte == '\r') return;
  switch (part_) {
    case Part::size:
      if (const int digit = hex_digit(byte); digit >= 0 && ++digits_ <= kMaxDigits) {
        left_ = left_ * 16 + static_cast<unsigned>(digit);
        return;
      }
      part_ = digits_ == 0 || digits_ > kMaxDigits ? Part::broken : Part::extension;
      [[fallthrough]];
    case Part::extension:
      if (part_ == Part::broken || !line_end) return;
      part_ = left_ == 0 ? Part::trailer : Part::bytes;
      digits_ = line_ = 0;
      last_ = 0;
      return;
    case Part::chunk_end:
      part_ = line_end ? Part::size : Part::broken;
      line_ = 0;
      return;
    case Part::trailer:
      part_ = line_end ? Part::nothing : Part::trailer_line;
      return;
    case Part::trailer_line:
      if (line_end) part_ = Part::trailer;
      return;
    default:
      return;
  }
}

namespace {

bool take_scheme(std::string_view& text, std::string_view scheme) {
  if (lowered(text.substr(0, scheme.size())) != scheme) return false;
  text.remove_prefix(scheme.size());
  return true;
}

// What follows the scheme.
std::optional<Url> rest_of_url(std::string_view text, const char* usual_port) {
  const std::size_t end = std::min(text.find_first_of("/?#"), text.size());
  std::string authority(text.substr(0, end));
  const std::size_t bracket = authority.rfind(']');
  if (authority.find(':', bracket == authority.npos ? 0 : bracket) == authority.npos)
    authority += usual_port;
  const auto target = target_of(authority);
  const std::string path(text.substr(end));
  if (!target || path.find('#') != path.npos) return std::nullopt;
  return Url{*target, path.starts_with('/') ? path : "/" + path};
}

// All that services of models are asked by. TRACE would show the key to who asks.
constexpr std::string_view kServiceMethods[] = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"};
// By which somebody could be known to a service: under no other name than the user's.
constexpr const char* kCredentials[] = {"authorization",  "x-api-key",    "api-key",
                                        "x-goog-api-key", "x-auth-token", "cookie"};

// Whether it is a path below that of the service, however it is read there.
bool is_below(std::string_view target) {
  if (!target.starts_with('/') || target.starts_with("//")) return false;
  const std::string path = lowered(target.substr(0, target.find('?')));
  for (const char* way : {"#", "\\", "%2e", "%2f", "%5c", "/./", "/../"})
    if (path.find(way) != path.npos) return false;
  return !path.ends_with("/.") && !path.ends_with("/..");
}

}  // namespace

std::optional<Url> url_of(std::string_view text) {
  if (!take_scheme(text, "http://")) return std::nullopt;
  return rest_of_url(text, ":80");
}

std::optional<Service> service_of(std::string_view url) {
  const bool secure = take_scheme(url, "https://");
  if (!secure && !take_scheme(url, "http://")) return std::nullopt;
  auto rest = rest_of_url(url, secure ? ":443" : ":80");
  if (!rest || rest->path.find('?') != rest->path.npos || !is_visible(rest->path))
    return std::nullopt;
  while (rest->path.ends_with('/')) rest->path.pop_back();
  return Service{rest->target, secure, rest->path};
}

std::string host_field(const Target& target, std::uint16_t usual_port) {
  const std::string text = text_of(target);
  return target.port == usual_port ? text.substr(0, text.rfind(':')) : text;
}

std::optional<std::string> request_to(const Service& service, const Head& head,
                                      const std::vector<KeptField>& kept) {
  if (std::find(std::begin(kServiceMethods), std::end(kServiceMethods), head.method) ==
          std::end(kServiceMethods) ||
      !is_below(head.target))
    return std::nullopt;
  std::vector<std::string> without(std::begin(kCredentials), std::end(kCredentials));
  std::vector<Field> with;
  for (const KeptField& field : kept) {
    without.push_back(field.name);
    const bool sent = std::any_of(head.fields.begin(), head.fields.end(),
                                  [&](const Field& one) { return one.name == field.name; });
    if (sent) with.push_back({field.name, field.value});
  }
  return request_to(head, host_field(service.target, service.secure ? 443 : 80),
                    service.path + head.target, without, with);
}

std::string request_to(const Head& head, std::string_view host, std::string_view path,
                       const std::vector<std::string>& without, const std::vector<Field>& with) {
  std::string text = head.method + " " + std::string(path) + " HTTP/1.1\r\n";
  text += "Host: " + std::string(host) + "\r\n";
  for (const Field& field : head.fields) {
    if (!is_passed_on(head, field.name)) continue;
    if (std::find(without.begin(), without.end(), field.name) != without.end()) continue;
    text += field.name + ": " + field.value + "\r\n";
  }
  for (const Field& field : with) text += field.name + ": " + field.value + "\r\n";
  return text + "Connection: close\r\n\r\n";
}

}  // namespace capsule::contain
