// Commits: their text, and making new ones.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "git/repository.h"

namespace capsule::git {

struct Person {
  std::string name;
  std::string email;
  std::string date;  // "<seconds> <zone>"; empty: now
};

struct Commit {
  char side = ' ';  // of rev-list --left-right --boundary: '<', '>' or '-'
  std::string id;
  std::string tree;
  std::vector<std::string> parents;
  Person author;
  std::string message;  // with its line ends
};

// Pure: what rev-list --header prints.
std::vector<Commit> parse_commits(std::string_view text);

struct NewCommit {
  std::string tree;
  std::vector<std::string> parents;
  std::string message;  // as it stands; NUL bytes are left out
  Person author = {};   // empty: the user, who is always the committer
};

// The id of the new commit, which no ref names yet. One process.
Result<std::string> write_commit(const Repository& repository, const NewCommit& commit);

// "<bead-id>: <title>" on one line without control characters; the title is hostile.
std::string work_message(std::string_view bead, std::string_view title);
// "Merge <bead-id>: <title>", the trailer that says which run it was, and others, "Name: value".
std::string merge_message(std::string_view bead, std::string_view title, std::string_view run,
                          const std::vector<std::string>& trailers = {});

// Whether the message's last paragraph has the line "Capsule-Run: <run>".
bool has_run_trailer(std::string_view message, std::string_view run);

}  // namespace capsule::git
