// One small program that tries to get out, linked statically so that it runs inside any root:
//
//   attempt [NAME=VALUE…] ID…    tries these, each in a process of its own, below a line "=== ID"
//   attempt --list               every id, and what it tries
//   attempt --stay [WORD…]       waits for ever: a victim whose words and environment are worth
//   reading
//
// The values say where in the lab something is to be had. An attempt prints what it was given by
// the kernel and leaves marks where it can; whether it got out is for those to decide who look from
// outside.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace attempt {

struct Attempt {
  const char* id;
  const char* what;
  void (*run)();
};
using Attempts = std::vector<Attempt>;

// The tables, one a file.
Attempts read_files();
Attempts read_others();
Attempts write_files();
Attempts write_kernel();
Attempts git_ways();
Attempts processes();
Attempts network();
Attempts proxy();
Attempts needed();

// A value of the command line; empty when it was not given. The numbers are 0 then.
std::string lab(const char* name);
long number(const char* name);
std::string home(const char* below);
std::string project(const char* below);

// What this attempt leaves behind where it can: "MARK-ID-…".
std::string mark();

void say(const char* format, ...) __attribute__((format(printf, 1, 2)));
// Prints "WORD = RESULT", with the error's name when the result is -1. Gives the result.
long answer(const char* word, long result);
// Prints what the kernel calls a descriptor, and closes it; says so when there is none.
void name_of(const char* word, int fd);

// Prints the beginning of a file, of a descriptor (from its start, where it has one), of a socket.
bool show(const std::string& path);
bool show_fd(int fd);
// Appends the mark, which makes the file. Creates the folders above it as far as it may.
bool plant(const std::string& path);

// Every process that /proc shows, and the line of those above this one, nearest first.
std::vector<pid_t> everyone();
std::vector<pid_t> ancestors();

// Runs a program found in PATH and waits for it; its output is this one's.
int run(const std::vector<std::string>& words);

// Whether the proxy leads to the host that is allowed; the second after a crowd has kept it busy.
bool proxy_reaches_allowed();
bool proxy_outlasts_crowd();

// io_uring without a library: one operation at a time. Gives its result, or -errno.
int ring_open(const char* path, int flags);
int ring_read(int fd, void* into, unsigned size);
int ring_write(int fd, const void* from, unsigned size);
int ring_connect(int fd, const void* address, unsigned size);

}  // namespace attempt
