// Reads what a client prints while it comes, in whatever pieces: the result is the same however
// they are cut. Memory is bounded: a line that is longer than kMaxLineBytes is passed over, as are
// lines that are no JSON and events that nobody knows. Pure; single-threaded.
//
// What holds no event of the dialect at all is text: a program that prints plain text in a client's
// place goes on working.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "dialect/event.h"
#include "dialect/fault.h"
#include "dialect/output.h"

namespace capsule::dialect {

inline constexpr std::size_t kMaxLineBytes = std::size_t{16} << 20;

class Ledger;

class Reader {
 public:
  // `tell` is called from feed() and finish(); may be empty. `moment` is when the client was
  // started.
  Reader(Output output, Moment moment, Tell tell = {});
  ~Reader();
  Reader(Reader&&) noexcept;
  Reader& operator=(Reader&&) noexcept;

  // Before the first bytes: the client goes on with a conversation of before.
  void goes_on();
  void feed(std::string_view bytes);
  // Whether events came so far.
  bool streamed() const;
  Reading finish();  // once; then the reader is spent

 private:
  void line(std::string_view text);

  Output output_;
  std::unique_ptr<Ledger> ledger_;
  std::string partial_;
  bool too_long_ = false;
};

// Which stream a text that was printed is, by its first event; text when there is none in its
// beginning.
Output output_of(std::string_view printed);

}  // namespace capsule::dialect
