// A project folder for tests of the journal, in memory where the system has such a folder: these
// tests kill processes, not machines, so the disk's own speed is only in the way.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "event/fact.h"
#include "store/store.h"
#include "tests/store/facts.h"

namespace capsule::test {

class JournalFolder : public ::testing::Test {
 public:
  static std::string fresh_folder() {
    const bool memory = ::access("/dev/shm", W_OK) == 0;
    std::string name =
        (memory ? std::string("/dev/shm/") : ::testing::TempDir()) + "journal.XXXXXX";
    return ::mkdtemp(name.data());
  }

 protected:
  JournalFolder() : dir_(fresh_folder()) {}
  ~JournalFolder() override { std::filesystem::remove_all(dir_); }

  std::string file(const std::string& suffix = "") const {
    return dir_ + "/.capsule/journal.db" + suffix;
  }
  std::unique_ptr<store::Store> open(store::Access access = store::Access::read_write,
                                     const store::Seams& seams = {}) const {
    auto opened = store::Store::open(dir_, access, seams);
    EXPECT_TRUE(opened) << opened.error().message;
    return opened ? *std::move(opened) : nullptr;
  }
  Error open_error(store::Access access = store::Access::read_write) const {
    const auto opened = store::Store::open(dir_, access);
    return opened ? Error{Reason::usage, "it opened"} : opened.error();
  }
  static std::string bytes_of(const std::string& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  static void put_bytes(const std::string& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  }

  std::string dir_;
};

inline bool full() { return std::getenv("CAPSULE_TEST_FULL") != nullptr; }

}  // namespace capsule::test
