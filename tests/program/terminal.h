// A program on a terminal of its own, and somebody who looks at it and types. Not thread-safe.
#pragma once

#include "tests/program/harness.h"

namespace capsule::test {

class AtTerminal {
 public:
  explicit AtTerminal(const Call& call);
  AtTerminal(const AtTerminal&) = delete;
  AtTerminal& operator=(const AtTerminal&) = delete;
  ~AtTerminal();  // kills and reaps it if nobody waited

  void type(std::string_view text) const;  // with its echo; a line ends with a line feed
  const std::string& screen();             // all that was written so far
  bool shows(std::string_view text);       // waits for it, as eventually() does
  int wait();                              // the exit code, as in Outcome; once

 private:
  void read_more();

  int terminal_ = -1;
  pid_t pid_ = -1;
  std::string screen_;
};

}  // namespace capsule::test
