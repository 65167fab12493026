// Bytes into requests, by Boost.Beast's parser, which one file of this folder sees.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "http/message.h"

namespace capsule::http {

inline constexpr std::size_t kMaxHeaderBytes = std::size_t{8} * 1024;
inline constexpr std::size_t kMaxBodyBytes = std::size_t{64} * 1024;

// One request after the other. Pure: the same bytes, in whatever pieces, make the same requests.
class Parser {
 public:
  Parser();
  ~Parser();
  Parser(Parser&&) noexcept;
  Parser& operator=(Parser&&) noexcept;

  struct Step {
    std::size_t used = 0;   // so many of the bytes are read; give the rest again, with what follows
    bool complete = false;  // take() has the request
    int error = 0;          // 400, 413 or 431: this connection cannot be read any further
  };
  // Requires: no error and nothing complete so far.
  Step feed(std::string_view bytes);
  bool headers_complete() const;
  // Whether the client waits for "100 Continue" before it sends the body.
  bool expects_continue() const;
  // Ensures: the next request can be fed.
  Request take();

 private:
  struct Beast;
  std::unique_ptr<Beast> beast_;
};

}  // namespace capsule::http
