// The program itself as a face, on a terminal of its own that is read as fast as it is written to.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace capsule::bench {

// A process that reads all of it and keeps nothing. End it with end_reader.
pid_t start_reader(int fd);
void end_reader(pid_t reader);

class Face {
 public:
  explicit Face(std::vector<std::string> words);  // of the command, without the program
  ~Face();                                        // ends it, and waits for that
  Face(const Face&) = delete;
  Face& operator=(const Face&) = delete;

  pid_t pid() const { return pid_; }
  int terminal() const { return terminal_; }
  void read_on();  // from now on all that it writes is read, and forgotten

 private:
  int terminal_ = -1;
  pid_t pid_ = -1, reader_ = -1;
};

}  // namespace capsule::bench
