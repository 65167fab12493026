#include "http/message.h"

#include <algorithm>
#include <set>

#include "base/text.h"

namespace capsule::http {
namespace {

int hex_value(char digit) {
  if (is_digit(digit)) return digit - '0';
  const char letter = lower(digit);
  return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

std::optional<std::string> decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+') {
      out += ' ';
    } else if (text[i] != '%') {
      out += text[i];
    } else {
      if (i + 2 >= text.size()) return std::nullopt;
      const int high = hex_value(text[i + 1]);
      const int low = hex_value(text[i + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      out += static_cast<char>(high * 16 + low);
      i += 2;
    }
  }
  return out;
}

void add_header(std::string& out, std::string_view name, std::string_view value) {
  out.append(name).append(": ").append(value).append("\r\n");
}

std::string status_line(int status) {
  std::string line = "HTTP/1.1 " + std::to_string(status) + " ";
  return line.append(status_words(status)).append("\r\n");
}

}  // namespace

std::optional<std::string_view> Request::only(std::string_view name) const {
  std::optional<std::string_view> found;
  for (const Header& header : headers) {
    if (header.name != name) continue;
    if (found) return std::nullopt;
    found = header.value;
  }
  return found;
}

bool Request::has(std::string_view name) const {
  for (const Header& header : headers)
    if (header.name == name) return true;
  return false;
}

std::string_view Request::path() const {
  return std::string_view(target).substr(0, target.find('?'));
}

std::optional<std::string> Request::parameter(std::string_view name) const {
  const std::size_t query = target.find('?');
  if (query == std::string::npos) return std::nullopt;
  std::optional<std::string_view> found;
  for (const std::string_view part : split(std::string_view(target).substr(query + 1), '&')) {
    const std::size_t equals = part.find('=');
    if (part.substr(0, equals) != name) continue;
    if (found) return std::nullopt;
    found = equals == std::string_view::npos ? std::string_view() : part.substr(equals + 1);
  }
  return found ? decoded(*found) : std::nullopt;
}

bool Request::has_clear_query() const {
  const std::size_t query = target.find('?');
  if (query == std::string::npos) return true;
  std::set<std::string_view> names;
  for (const std::string_view part : split(std::string_view(target).substr(query + 1), '&')) {
    if (part.empty()) continue;
    const std::size_t equals = std::min(part.find('='), part.size());
    if (!names.insert(part.substr(0, equals)).second || !decoded(part.substr(equals))) return false;
  }
  return true;
}

std::vector<std::string_view> Request::cookies(std::string_view name) const {
  std::vector<std::string_view> values;
  for (const Header& header : headers) {
    if (header.name != "cookie") continue;
    for (std::string_view part : split(std::string_view(header.value), ';')) {
      part = trimmed(part);
      const std::size_t equals = part.find('=');
      if (equals != std::string_view::npos && part.substr(0, equals) == name)
        values.push_back(part.substr(equals + 1));
    }
  }
  return values;
}

std::string_view status_words(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 202:
      return "Accepted";
    case 303:
      return "See Other";
    case 400:
      return "Bad Request";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 413:
      return "Content Too Large";
    case 415:
      return "Unsupported Media Type";
    case 421:
      return "Misdirected Request";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 503:
      return "Service Unavailable";
    default:
      return "Unknown";
  }
}

std::string bytes_of(const Response& response, bool head_only, bool keep_alive) {
  std::string out = status_line(response.status);
  for (const Header& header : response.headers) add_header(out, header.name, header.value);
  add_header(out, "Content-Length", std::to_string(response.body.size()));
  add_header(out, "Connection", keep_alive ? "keep-alive" : "close");
  out += "\r\n";
  if (!head_only) out += response.body;
  return out;
}

std::string stream_head(const std::vector<Header>& headers) {
  std::string out = status_line(200);
  for (const Header& header : headers) add_header(out, header.name, header.value);
  add_header(out, "Content-Type", "text/event-stream");
  add_header(out, "Connection", "close");
  return out += "\r\n";
}

std::string event_bytes(std::string_view name, std::string_view id, std::string_view data) {
  std::string out;
  out.append("event: ").append(name).append("\n");
  if (!id.empty()) out.append("id: ").append(id).append("\n");
  for (const std::string_view line : split(data, '\n')) out.append("data: ").append(line) += '\n';
  return out += '\n';
}

}  // namespace capsule::http
