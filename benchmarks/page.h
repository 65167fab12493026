// A browser of `capsule serve`, as far as its server sees one, and what that server costs.
#pragma once

#include <sys/types.h>

#include <string>

#include "benchmarks/face.h"

namespace capsule::bench {

// Who has entered a page.
struct Page {
  std::string host, cookie;
  // Asks for a path on a connection of its own; whoever calls this reads the answer and closes it.
  int ask(const std::string& path) const;
};

// Enters with the address that `capsule serve` has written on its terminal, before these words.
Page entered(const Face& serve, std::string_view last_words);

// Until a connection has said it, also what came before; ends the program when it never does.
std::string heard_until(int fd, std::string_view end);

double cpu_seconds_of(pid_t pid);
// Memory of its own (RssAnon): the pages of a program's file are shared by all its processes.
double own_mb_of(pid_t pid);

}  // namespace capsule::bench
