// The head of an HTTP/1 request, and how long what follows it is. Pure. Strict: what two programs
// could read in two ways is no request.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "contain/net/hosts.h"

namespace capsule::contain {

struct Field {
  std::string name;  // in small letters
  std::string value;
};

struct Head {
  std::string method;
  std::string target;
  std::vector<Field> fields = {};
};

// The bytes of the head at the beginning of `text`, with the empty line at its end; 0: there is
// none yet.
std::size_t head_bytes(std::string_view text);
// Nothing for what is no head. Requires all of it.
std::optional<Head> head_of(std::string_view text);

// Where the body of a request ends.
class Body {
 public:
  // Nothing when the head says it in more than one way, or in a way that we do not know.
  static std::optional<Body> of(const Head& head);
  // How many of these bytes, which come next, are still of the body.
  std::size_t take(std::string_view bytes);
  bool complete() const { return part_ == Part::nothing; }
  // What came cannot be a body; its end will never be known.
  bool broken() const { return part_ == Part::broken; }

 private:
  enum class Part { nothing, bytes, size, extension, chunk_end, trailer, trailer_line, broken };
  void take_byte(char byte);

  Part part_ = Part::nothing;
  bool chunked_ = false;
  std::uint64_t left_ = 0;
  unsigned digits_ = 0;
  unsigned line_ = 0;  // bytes between two pieces
  char last_ = 0;
};

// "http://host:port/path" of a request to a proxy.
struct Url {
  Target target;
  std::string path;  // with the query; at least "/"
};
std::optional<Url> url_of(std::string_view text);

// A service whose key is kept outside: "https://api.example.com/v1".
struct Service {
  Target target;
  bool secure = true;
  std::string path;  // before that of each request: "/v1", or nothing
};
std::optional<Service> service_of(std::string_view url);

// As the field Host names it: without the port when that is the usual one.
std::string host_field(const Target& target, std::uint16_t usual_port);

// The request as the host itself gets it: its own name, one request a connection, and nothing that
// is meant for the proxy. `without` names fields that are left out too; `with` is added.
std::string request_to(const Head& head, std::string_view host, std::string_view path,
                       const std::vector<std::string>& without = {},
                       const std::vector<Field>& with = {});

// A field that gets its real value outside. A request that has none gets none, and no other field
// by which a service knows its users is passed on.
struct KeptField {
  std::string name;   // in small letters
  std::string value;  // the whole of it
};
// The request as the service gets it. Nothing when a service would not want it so: another form of
// its target, or a method by which the service would show what it got.
std::optional<std::string> request_to(const Service& service, const Head& head,
                                      const std::vector<KeptField>& kept);

}  // namespace capsule::contain
