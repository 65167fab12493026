#include "tests/client/http.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>

namespace capsule::test {
namespace {

constexpr std::size_t kMaxRequestBytes = 256 << 20;

// Reads until `text` has `wanted` bytes, or with 0 until something came. False: the other side
// ended.
bool receive(int socket, std::string& text, std::size_t wanted) {
  char buffer[65536];
  do {
    const ssize_t got = recv(socket, buffer, sizeof buffer, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0 || text.size() > kMaxRequestBytes) return false;
    text.append(buffer, static_cast<std::size_t>(got));
  } while (text.size() < wanted);
  return true;
}

void send_all(int socket, std::string_view text) {
  while (!text.empty()) {
    const ssize_t sent = send(socket, text.data(), text.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(sent));
  }
}

std::string lower(std::string text) {
  for (char& byte : text) byte = static_cast<char>(std::tolower(static_cast<unsigned char>(byte)));
  return text;
}

// The head of a request, without the blank line that ends it.
Request head_of(std::string_view head) {
  Request request;
  const std::size_t line_end = std::min(head.find("\r\n"), head.size());
  const std::string_view line = head.substr(0, line_end);
  const std::size_t method_end = std::min(line.find(' '), line.size());
  request.method = line.substr(0, method_end);
  const std::string_view rest = line.substr(std::min(method_end + 1, line.size()));
  request.path = rest.substr(0, rest.find_first_of(" ?"));
  for (std::size_t at = line_end; at < head.size();) {
    at += 2;
    const std::size_t end = std::min(head.find("\r\n", at), head.size());
    const std::string_view field = head.substr(at, end - at);
    if (const std::size_t colon = field.find(':'); colon != field.npos) {
      const std::size_t value = field.find_first_not_of(' ', colon + 1);
      request.headers[lower(std::string(field.substr(0, colon)))] =
          value == field.npos ? "" : field.substr(value);
    }
    at = end;
  }
  return request;
}

std::optional<Request> read_request(int socket) {
  std::string text;
  std::size_t end = 0;
  while ((end = text.find("\r\n\r\n")) == text.npos)
    if (!receive(socket, text, 0)) return std::nullopt;
  Request request = head_of(std::string_view(text).substr(0, end));
  const auto length = request.headers.find("content-length");
  const std::size_t wanted =
      length == request.headers.end() ? 0 : std::strtoul(length->second.c_str(), nullptr, 10);
  request.body = text.substr(end + 4);
  if (request.body.size() < wanted && !receive(socket, request.body, wanted)) return std::nullopt;
  return request;
}

}  // namespace

HttpServer::HttpServer(std::function<Response(const Request&)> answer)
    : answer_(std::move(answer)) {
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);  // NOLINT: the way of the socket calls
  if (listener_ < 0 || bind(listener_, generic, size) != 0 || listen(listener_, 64) != 0 ||
      getsockname(listener_, generic, &size) != 0) {
    std::perror("a server on 127.0.0.1");
    std::abort();
  }
  port_ = ntohs(address.sin_port);
  acceptor_ = std::thread([this] { accept_all(); });
}

HttpServer::~HttpServer() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    for (const Connection& connection : connections_) shutdown(connection.socket, SHUT_RDWR);
  }
  shutdown(listener_, SHUT_RDWR);  // wakes accept
  acceptor_.join();
  for (Connection& connection : connections_) {
    connection.thread.join();
    close(connection.socket);
  }
  close(listener_);
}

void HttpServer::accept_all() {
  for (;;) {
    const int socket = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    const std::lock_guard lock(mutex_);
    if (closing_) {
      if (socket >= 0) close(socket);
      return;
    }
    if (socket < 0) continue;
    connections_.push_back({socket, std::thread([this, socket] { serve(socket); })});
  }
}

void HttpServer::serve(int socket) {
  if (const auto request = read_request(socket)) {
    const Response response = answer_(*request);
    std::string text = "HTTP/1.1 " + std::to_string(response.status) +
                       " -\r\nConnection: close\r\nContent-Type: " + response.type;
    for (const auto& [name, value] : response.headers) text += "\r\n" + name + ": " + value;
    text += "\r\nContent-Length: " + std::to_string(response.body.size()) + "\r\n\r\n";
    if (request->method != "HEAD") text += response.body;
    if (response.fate == Response::Fate::cut) text.resize(text.size() - response.body.size() / 2);
    if (response.fate == Response::Fate::silent) {
      std::string more;  // the destructor ends this, too
      while (receive(socket, more, 0)) more.clear();
    } else {
      send_all(socket, text);
    }
  }
  shutdown(socket, SHUT_RDWR);
}

}  // namespace capsule::test
