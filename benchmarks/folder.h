// A folder for one benchmark, removed with it.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <string>

namespace capsule::bench {

class Folder {
 public:
  Folder() {
    std::string name = std::filesystem::temp_directory_path() / "capsule-bench.XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    path_ = name;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace capsule::bench
