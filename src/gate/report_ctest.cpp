// What ctest prints, for a ctest that stands behind something else and cannot be asked for a file:
//
//       Start 2: name
//   2/9 Test #2: name .........***Failed    0.01 sec
//
// The dots after a name would be hard to tell from the name; the line before has it bare.
#include <map>

#include "base/text.h"
#include "gate/report_lines.h"

namespace capsule::gate {
namespace {

// The digits at the front, with the blanks before them.
std::string take_digits(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  std::size_t digits = 0;
  while (digits < text.size() && digits < 9 && is_digit(text[digits])) ++digits;
  std::string number(text.substr(0, digits));
  text.remove_prefix(digits);
  return number;
}

class CtestLines : public ReportReader::Lines {
 public:
  std::string line(std::string_view text) override {
    read(trimmed(text));
    return std::string(text);
  }

  std::string end() override {
    for (const auto& [number, test] : tests_) found.add(test.name, test.state);
    tests_.clear();
    return {};
  }

 private:
  struct Test {
    std::string name;
    TestState state = TestState::failed;  // it has begun
  };

  void read(std::string_view text) {
    if (text.starts_with("Test project ")) return void(end());  // the numbers begin anew
    if (text.starts_with("Start ")) {
      text.remove_prefix(6);
      const std::string number = take_digits(text);
      if (number.empty() || !text.starts_with(": ") || tests_.size() > kMaxTests) return;
      tests_[number] = {std::string(text.substr(2)), TestState::failed};
      return;
    }
    const std::size_t mark = text.find(" Test ");
    if (mark == text.npos || !is_digit(text.front()) || text.find('/') > mark ||
        !text.ends_with(" sec"))
      return;
    text.remove_prefix(mark + 6);
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    if (!text.starts_with('#')) return;
    text.remove_prefix(1);
    const auto test = tests_.find(take_digits(text));
    if (test == tests_.end() || text.size() < test->second.name.size() + 2) return;
    text.remove_prefix(test->second.name.size() + 2);
    // Repeated tests: the last result counts, as for ctest's own.
    test->second.state =
        text.find("***") == text.npos ? TestState::passed
        : text.find("***Skipped") != text.npos || text.find("***Not Run (Disabled)") != text.npos
            ? TestState::skipped
            : TestState::failed;
  }

  std::map<std::string, Test> tests_;  // by number
};

}  // namespace

std::unique_ptr<ReportReader::Lines> ctest_lines() { return std::make_unique<CtestLines>(); }

}  // namespace capsule::gate
