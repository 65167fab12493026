// Mounts by descriptor: no step names a path that somebody else could change meanwhile. To be
// called in a mount namespace of one's own, by one thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/result.h"

namespace capsule::contain {

enum class Writable { no, yes };

// The error of a step of containment that the kernel refused.
Error refused_step(const std::string& doing, int error_number);

// What is at `place` with everything mounted below it, detached; without setuid and devices.
Result<File> clone_tree(int place, const std::string& name, Writable writable);
// The same of a device node, which stays one.
Result<File> clone_device(const char* path);
// A read-only copy of `name` below a mount of ours.
Result<File> clone_read_only(int folder, const char* name);

// A new file system of memory, detached. `size` as mount(8) takes it; mode in octal.
Result<File> new_memory(const char* size, const char* mode);
// A new proc, devpts, …, detached.
Result<File> new_system(const char* type, const std::string& option, const char* value);
// What the folders `lower` hold, the first one uppermost, with writes going to `upper` and `work`,
// which are attached and on one file system. What is written is not safe from a power cut, but may
// be written on by the next overlay of the same two.
Result<File> new_overlay(const std::vector<int>& lower, int upper, int work);

// Puts the detached tree on top of `target`.
Result<void> attach(const File& tree, int target, const std::string& name);
Result<void> make_read_only(const File& mount, const std::string& name);

// `path` (absolute) beneath `root`: its folders are made where they are missing, and at its end a
// folder or an empty file. No link is followed.
enum class Make { folder, file };
Result<File> make_target(int root, const std::string& path, Make make);

}  // namespace capsule::contain
