// Where the database is, as the user wrote it: postgres://…, with what libpq takes from its own
// variables and files. A password never leaves this value but to libpq.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace capsule::cluster {

class Address {
 public:
  // Error usage: libpq cannot read it. No part of the text is in the message.
  static Result<Address> parse(std::string_view text);

  // What libpq is to be called with, by name: the words of the address, and what we add where it
  // says nothing: time limits, and sslmode=verify-full for a server that is not on this machine.
  const std::vector<std::pair<std::string, std::string>>& parameters() const { return parameters_; }

  // For people: host, port and database, without user and password.
  const std::string& shown() const { return shown_; }

 private:
  std::vector<std::pair<std::string, std::string>> parameters_;
  std::string shown_;
};

}  // namespace capsule::cluster
