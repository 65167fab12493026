// Requests and responses of HTTP/1.1 as values, and the text forms of their parts. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace capsule::http {

enum class Method { get, head, post, other };

struct Header {
  std::string name;  // of a request: in lower case
  std::string value;
};

// Everything in it is hostile.
struct Request {
  Method method = Method::other;
  std::string target;  // as it was sent; begins with '/'
  std::vector<Header> headers;
  std::string body;
  bool keep_alive = false;

  // The value of a header that stands exactly once. Requires: `name` is in lower case.
  std::optional<std::string_view> only(std::string_view name) const;
  bool has(std::string_view name) const;
  // The target before the '?'; not decoded: no path of ours needs it.
  std::string_view path() const;
  // A parameter of the query that stands exactly once, decoded. nullopt also when what it is
  // encoded as is not valid.
  std::optional<std::string> parameter(std::string_view name) const;
  // Whether every parameter stands once and can be decoded.
  bool has_clear_query() const;
  // The values of a cookie: any server on this machine can add one of the same name.
  std::vector<std::string_view> cookies(std::string_view name) const;
};

struct Response {
  int status = 200;
  std::vector<Header> headers = {};  // without those that the server sets: length, connection
  std::string body = {};
};

// "Not Found"; "Unknown" for what we never send.
std::string_view status_words(int status);

// The head, and the body unless `head_only`, which keeps the length that a GET would have.
std::string bytes_of(const Response& response, bool head_only, bool keep_alive);
// The head of a response without a length: what follows ends with the connection.
std::string stream_head(const std::vector<Header>& headers);

// One event of a stream (text/event-stream): data may hold line feeds; name and id may not.
std::string event_bytes(std::string_view name, std::string_view id, std::string_view data);

}  // namespace capsule::http
