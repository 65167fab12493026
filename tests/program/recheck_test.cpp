// A check is not repeated on files that it has seen, unless somebody asks for it.
#include <algorithm>

#include "tests/program/project.h"

namespace capsule::test {
namespace {

class Recheck : public ProjectTest {
 protected:
  // How often the test command runs in an honest run.
  std::ptrdiff_t runs_with(const std::string& folder, const std::vector<std::string>& options) {
    make_project(Way::binary, folder);
    const std::string ran = path(folder + "-ran");
    configure("verify: {test: \"echo x >>'" + ran +
              "'; ! test -e tests || sh tests/feature_test.sh\"}\n");
    const Outcome outcome = run_bead(options);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
    const std::string text = read_file(ran);
    return std::count(text.begin(), text.end(), 'x');
  }
};

TEST_F(Recheck, ChecksAreRunAgainOnFilesThatTheyHaveSeen) {
  // Before anybody works, after the tests, after the code, at sign-off, and once more without the
  // work.
  EXPECT_EQ(runs_with("plain", {}), 5);
  // And after both reviews, which changed nothing, and before main moves.
  EXPECT_EQ(runs_with("again", {"--recheck"}), 8);
}

TEST_F(Recheck, EveryCommandThatChecksHasIt) {
  for (const char* command : {"run", "merge", "deliver", "auto run", "auto continue"}) {
    std::string words = command;
    std::vector<std::string> args;
    for (std::size_t at = 0; at <= words.size();) {
      const std::size_t end = std::min(words.find(' ', at), words.size());
      args.push_back(words.substr(at, end - at));
      at = end + 1;
    }
    args.emplace_back("--help");
    EXPECT_HAS(capsule(args).out, "--recheck");
  }
  has_repository_ = false;
}

}  // namespace
}  // namespace capsule::test
