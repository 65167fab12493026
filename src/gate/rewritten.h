// What became of the tests that were there before, by the files that changed. Pure but for the
// functions that it is given.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace capsule::gate {

struct Changed {
  char status = 'M';  // A, M, D, R, T
  std::string path;
  std::string from;  // where it was, if renamed
};

struct RewrittenTests {
  std::vector<std::string> files;     // of before, that were changed, moved or removed
  std::vector<std::string> vanished;  // words that are gone from their files: sorted, each once
};

// The file as it is in a commit; empty where it is not there.
using TextOf =
    std::function<Result<std::string>(const std::string& commit, const std::string& path)>;

Result<RewrittenTests> rewritten_tests(const std::vector<Changed>& changes, const std::string& from,
                                       const std::string& to,
                                       const std::function<bool(std::string_view)>& is_test_file,
                                       const TextOf& text_of);

}  // namespace capsule::gate
