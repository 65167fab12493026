// What cargo test prints. On stdout a block for each test program:
//
//   running 2 tests
//   test tests::works ... ok
//   test src/lib.rs - f (line 1) ... FAILED
//   test result: FAILED. …
//
// and on stderr, in the same order, which program it is ("Running unittests src/lib.rs
// (target/debug/deps/thing-3413a480fe4235bf)", "Doc-tests thing"). Two streams keep no common
// order, but both count: the n-th block is the n-th program's.
#include "base/text.h"
#include "gate/report_lines.h"

namespace capsule::gate {
namespace {

constexpr std::size_t kMaxPrograms = 50'000;

// "unittests src/lib.rs (target/debug/deps/thing-3413a480fe4235bf)" is "thing (src/lib.rs)".
std::string program_name(std::string_view text) {
  const std::size_t open = text.rfind(" (");
  if (open == text.npos || !text.ends_with(')')) return std::string(text);
  std::string_view program = text.substr(open + 2, text.size() - open - 3);
  program.remove_prefix(program.find_last_of("/\\") + 1);
  program = program.substr(0, program.rfind('-'));
  std::string_view source = text.substr(0, open);
  source.remove_prefix(source.find_last_of(' ') + 1);
  return std::string(program) + " (" + std::string(source) + ")";
}

// A documentation test is named by its line, which moves with every change above it.
std::string without_line(std::string_view name) {
  const std::size_t open = name.rfind(" (line ");
  if (open == name.npos || !name.ends_with(')')) return std::string(name);
  return std::string(name.substr(0, open));
}

class CargoLines : public ReportReader::Lines {
 public:
  std::string line(std::string_view text) override {
    read(trimmed(text));
    return std::string(text);
  }

  std::string line_of_err(std::string_view text) override {
    const std::string_view rest = cut(trimmed(text), kMaxTestNameBytes);
    if (programs_.size() >= kMaxPrograms) return std::string(text);
    if (rest.starts_with("Running ")) programs_.push_back(program_name(rest.substr(8)));
    if (rest.starts_with("Doc-tests "))
      programs_.push_back(std::string(rest.substr(10)) + " (doc)");
    return std::string(text);
  }

  std::string end() override {
    // With a program among them that has a way of its own to run tests, the two lists do not match.
    const bool known = programs_.size() == blocks_.size();
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      const std::string whole = known ? programs_[i] : "cargo";
      for (const TestResult& test : blocks_[i].tests)
        found.add(known ? whole + "::" + test.name : test.name, test.state);
      // It was ended in the middle: tests that are not named were not run.
      if (!blocks_[i].ended) found.add(whole, TestState::failed);
    }
    blocks_.clear();
    return {};
  }

 private:
  struct Block {
    std::vector<TestResult> tests = {};
    bool ended = false;
  };

  void read(std::string_view text) {
    if (text.starts_with("running ") && (text.ends_with(" tests") || text.ends_with(" test"))) {
      if (blocks_.size() < kMaxPrograms) blocks_.emplace_back();
      waiting_.clear();
      return;
    }
    if (blocks_.empty()) return;
    if (text.starts_with("test result: ")) {
      blocks_.back().ended = true;
      return;
    }
    std::string_view state = text;
    if (text.starts_with("test ")) {
      const std::size_t dots = text.find(" ... ");
      if (dots == text.npos) return;
      waiting_ = without_line(text.substr(5, dots - 5));
      state = text.substr(dots + 5);
    }
    // A test that prints (--nocapture) has its result on a later line.
    if (waiting_.empty()) return;
    if (state == "ok" || state.starts_with("ok <")) return note(TestState::passed);
    if (state == "FAILED" || state.starts_with("FAILED <")) return note(TestState::failed);
    if (state == "ignored" || state.starts_with("ignored,")) return note(TestState::skipped);
  }

  void note(TestState state) {
    if (noted_++ < 2 * kMaxTests) blocks_.back().tests.push_back({waiting_, state});
    waiting_.clear();
  }

  std::vector<Block> blocks_;
  std::vector<std::string> programs_;
  std::string waiting_;
  std::size_t noted_ = 0;
};

}  // namespace

std::unique_ptr<ReportReader::Lines> cargo_lines() { return std::make_unique<CargoLines>(); }

}  // namespace capsule::gate
