// Takes secrets out of what a client tells in pieces: a text that is cut over several events of its
// stream, where each holds a part of a secret and none holds it whole. It comes before Redaction,
// which sees the stream as bytes and would take the first part of a key for all of it. Events that
// hold no part of a secret stay as they came; of one that is cut, the first piece tells that it was
// there. Only pieces that follow one another directly are put together, so nothing is held for
// longer than until the next event. Bounded memory. Pure; single-threaded.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "agent/redaction.h"
#include "dialect/output.h"

namespace capsule::agent {

class PieceRedaction {
 public:
  PieceRedaction(dialect::Output output, const std::vector<std::string>& secrets);

  // As those of Redaction.
  std::string_view feed(std::string_view bytes);
  std::string_view finish();

  int count() const { return text_.count() + bytes_; }

 private:
  // A piece in a line that is held back.
  struct Spot {
    std::size_t at = 0, length = 0;  // of its JSON
    std::string text;
    std::uint64_t begin = 0;  // of it in the whole text
    std::vector<Redaction::Span> replaced = {};
    bool decided = false;
  };
  struct Held {
    explicit Held(std::string text) : line(std::move(text)) {}
    std::string line;
    std::vector<Spot> spots;
  };

  void add(std::string_view part);
  void line();
  void decide(std::uint64_t until);
  void text_ends();
  void pass_decided();
  static std::string without_secrets(const Spot& spot);
  void replace_bytes(std::string& line, std::size_t at, std::size_t size);

  const dialect::Output output_;
  const bool looks_;
  const std::vector<std::string> secrets_;
  Redaction text_;          // of the text that the newest pieces are of
  std::string of_;          // which text that is
  std::uint64_t told_ = 0;  // of it so far
  std::uint64_t decided_ = 0;
  int bytes_ = 0;  // secrets in arrays of bytes
  std::deque<Held> held_;
  std::size_t held_bytes_ = 0;
  std::string partial_;   // a line that may be an event, without its end so far
  bool passing_ = false;  // the rest of this line is passed on
  std::string out_;
};

}  // namespace capsule::agent
