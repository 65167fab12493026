// capsule-cluster: all of capsule, and the part that keeps journals in a database. `capsule`
// executes it where that is wanted.
#include <cstdlib>
#include <string>
#include <string_view>

#include "cli/program.h"
#include "cluster/program/part.h"
#include "command_line/command.h"

namespace {

// What cannot follow a journal in a database.
bool is_left_out(int argc, char** argv) {
  if (argc < 2) return true;
  const std::string_view word = argv[1];
  return word == "ui" || word == "dashboard" || word == "serve";
}

}  // namespace

int main(int argc, char** argv) {
  capsule::cli::begin(argc, argv);
  const char* variable = std::getenv(capsule::world::kJournalVariable);
  const std::string address = variable == nullptr ? "" : variable;
  // A password may be in it: neither agents nor checks are to have it.
  ::unsetenv(capsule::world::kJournalVariable);
  static capsule::cluster::Part part;
  capsule::world::use_database(part, address);
  if (!address.empty()) {
    if (const auto read = capsule::cluster::Address::parse(address); !read) {
      capsule::Error error = read.error();
      error.message = "CAPSULE_JOURNAL: " + error.message;
      capsule::command_line::report(error);
      return 2;
    }
    if (is_left_out(argc, argv)) {
      capsule::command_line::report(
          {capsule::Reason::refused,
           "the dashboard and the page cannot follow a journal in a database",
           "'capsule status' and 'capsule inbox' show what there is; 'capsule attach' follows a "
           "run"});
      return 2;
    }
  }
  return capsule::cli::run_words(argc, argv);
}
