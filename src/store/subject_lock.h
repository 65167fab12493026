// The file lock of one subject. The kernel gives it up when the process ends, however it ends.
// A child that was forked without exec keeps it: then the lock is free once that child is gone too.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "base/result.h"
#include "engine/journal.h"

namespace capsule::store {

class SubjectLock {
 public:
  // nullopt: somebody else has it.
  static Result<std::optional<SubjectLock>> try_take(const std::string& folder,
                                                     std::string_view subject);
  SubjectLock(SubjectLock&&) = default;
  SubjectLock& operator=(SubjectLock&&) = delete;
  ~SubjectLock();

  // Whether the file at the path is still the one that is locked.
  bool is_current() const;
  const std::string& path() const { return path_; }

  // Who has it, for people, where no journal tells. Failures are ignored.
  void write_holder(std::string_view text) const;
  // What the holder wrote, printable; empty: nothing that could be read.
  static std::string read_holder(const std::string& folder, std::string_view subject);

 private:
  SubjectLock(File file, std::string path) : file_(std::move(file)), path_(std::move(path)) {}

  File file_;
  std::string path_;
};

// The same as a claim, in all of the folders, for stores that keep their claims elsewhere: nobody
// else on this machine has the subject, nor has a child that a dead holder left. Waits that long
// for such a child. Error blocked: another process has it.
Result<std::unique_ptr<engine::Claim>> lock_subject(const std::vector<std::string>& folders,
                                                    std::string_view subject, int milliseconds);

}  // namespace capsule::store
