// What Python's unittest writes to stderr with -v:
//
//   test_a (tests.test_x.Case.test_a) ... ok          since Python 3.11; before:
//   (tests.test_x.Case) test_b (tests.test_x.Case.test_b) The first line of its docstring. ...
//   skipped 'later'
//
// and at the end, below a double line, "FAIL: " or "ERROR: " with the name of each that failed.
// What tests print stands in between, so a test that has begun counts as passed when the run came
// to its end and nothing else was said of it.
#include <map>

#include "base/text.h"
#include "gate/report_lines.h"

namespace capsule::gate {
namespace {

bool is_dotted_name(std::string_view text) {
  if (text.empty() || is_digit(text.front())) return false;
  for (const char c : text)
    if (!is_letter(c) && !is_digit(c) && c != '_' && c != '.' &&
        static_cast<unsigned char>(c) < 0x80)
      return false;
  return true;
}

// "test_a (tests.test_x.Case.test_a) rest": takes all but the rest off the front.
std::string take_unittest_name(std::string_view& text) {
  const std::size_t open = text.find(" (");
  const std::size_t close = text.find(')', open == text.npos ? 0 : open);
  if (open == text.npos || close == text.npos) return {};
  const std::string_view name = text.substr(0, open);
  std::string_view where = text.substr(open + 2, close - open - 2);
  if (!is_dotted_name(name) || !is_dotted_name(where)) return {};
  text.remove_prefix(close + 1);
  // What cannot be imported fails as a test of unittest's own; its name is the module's.
  if (where.starts_with("unittest.loader._FailedTest")) return std::string(name);
  for (const std::string_view fixture :
       {"setUpClass", "tearDownClass", "setUpModule", "tearDownModule"})
    if (name == fixture) return std::string(where);
  if (where.ends_with("." + std::string(name))) return std::string(where);
  return std::string(where) + "." + std::string(name);
}

class UnittestLines : public ReportReader::Lines {
 public:
  std::string line(std::string_view text) override {
    read(text);
    return std::string(text);
  }

  std::string end() override {
    // A run that was ended in the middle says nothing good of the tests that were not done.
    for (const auto& [name, state] : tests_)
      found.add(name, state == Seen::begun     ? (ended_ ? TestState::passed : TestState::failed)
                      : state == Seen::skipped ? TestState::skipped
                      : state == Seen::passed  ? TestState::passed
                                               : TestState::failed);
    tests_.clear();
    return {};
  }

 private:
  enum class Seen : std::uint8_t { begun, skipped, passed, failed };  // the later ones outdo

  void note(const std::string& name, Seen seen) {
    if (name.empty()) return;
    const auto known = tests_.find(name);
    if (known != tests_.end()) {
      known->second = std::max(known->second, seen);
    } else if (tests_.size() <= kMaxTests) {
      tests_.emplace(name, seen);
    }
  }

  void read(std::string_view text) {
    const bool indented = text.starts_with("  ");
    text = trimmed(text);
    if (below_line_) {
      below_line_ = false;
      for (const std::string_view word : {"FAIL: ", "ERROR: ", "UNEXPECTED SUCCESS: "})
        if (std::string_view rest = text; rest.starts_with(word)) {
          rest.remove_prefix(word.size());
          note(take_unittest_name(rest), Seen::failed);
          current_.clear();
          return;
        }
    }
    if (text.size() >= 70 && text.find_first_not_of('=') == text.npos) {
      below_line_ = true;
      return;
    }
    if (text.starts_with("Ran ") && text.find(" test") != text.npos) ended_ = true;
    std::string_view rest = text;
    if (std::string name = take_unittest_name(rest); !name.empty()) {
      if (!indented && !rest.empty() && !rest.starts_with(" ...")) return;
      current_ = std::move(name);
      note(current_, Seen::begun);
      if (rest.empty()) return;  // its docstring follows
    }
    if (current_.empty()) return;
    // After the dots, or, where the test itself has printed, on a line of its own.
    const std::size_t dots = rest.rfind("... ");
    const std::string_view state = trimmed(dots == rest.npos ? rest : rest.substr(dots + 4));
    if (state == "ok" || state == "expected failure") note(current_, Seen::passed);
    if (state == "FAIL" || state == "ERROR" || state == "unexpected success")
      note(current_, Seen::failed);
    if (state.starts_with("skipped '") || state.starts_with("skipped \""))
      note(current_, Seen::skipped);
  }

  std::map<std::string, Seen> tests_;
  std::string current_;
  bool below_line_ = false;
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<ReportReader::Lines> unittest_lines() { return std::make_unique<UnittestLines>(); }

}  // namespace capsule::gate
