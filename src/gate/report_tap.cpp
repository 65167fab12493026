// The Test Anything Protocol, versions 12 to 14: "ok 1 - name # SKIP why", with subtests indented
// by four blanks and named before them ("# Subtest: name").
#include "base/text.h"
#include "gate/report_lines.h"

namespace capsule::gate {
namespace {

constexpr std::size_t kMaxTapLevels = 32;

// Takes `word` off the front of `text`, in whatever case.
bool take_word(std::string_view& text, std::string_view word) {
  if (text.size() < word.size() || lowered(text.substr(0, word.size())) != word) return false;
  text.remove_prefix(word.size());
  return true;
}

class TapLines : public ReportReader::Lines {
 public:
  std::string line(std::string_view text) override {
    read(text);
    return std::string(text);
  }

 private:
  void read(std::string_view text) {
    const std::size_t blanks = std::min(text.find_first_not_of(' '), text.size());
    text = trimmed(text);
    if (!until_.empty()) {  // inside a block of details
      if (blanks == until_.size() && text == "...") until_.clear();
      return;
    }
    if (text == "---") {
      until_.assign(blanks, ' ');
      if (until_.empty()) until_ = " ";  // never at the margin: a block that does not end
      return;
    }
    const std::size_t level = std::min(blanks / 4, kMaxTapLevels);
    if (std::string_view rest = text; take_word(rest, "# subtest:")) {
      names_.resize(level);
      names_.emplace_back(cut(trimmed(rest), kMaxTestNameBytes));
    } else if (text.starts_with("Bail out!")) {
      found.add("Bail out!", TestState::failed);
    } else {
      result(text, level);
    }
  }

  void result(std::string_view text, std::size_t level) {
    const bool failed = text.starts_with("not ok");
    if (!failed && !text.starts_with("ok")) return;
    text.remove_prefix(failed ? 6 : 2);
    if (!text.empty() && text.front() != ' ') return;
    text = trimmed(text);
    std::size_t digits = 0;
    while (digits < text.size() && is_digit(text[digits])) ++digits;
    const std::string_view number = text.substr(0, digits);
    text = trimmed(text.substr(digits));
    if (text.starts_with("- ")) text = trimmed(text.substr(2));
    TestState state = failed ? TestState::failed : TestState::passed;
    // An escaped # belongs to the name.
    for (std::size_t at = text.rfind('#'); at != text.npos && at > 0;
         at = text.rfind('#', at - 1)) {
      if (text[at - 1] == '\\') continue;
      std::string_view directive = trimmed(text.substr(at + 1));
      const bool skip = take_word(directive, "skip");
      const bool todo = !skip && take_word(directive, "todo");
      // What is still to be done may fail; then it says nothing.
      if (skip || (todo && failed)) state = TestState::skipped;
      if (skip || todo) text = trimmed(text.substr(0, at));
      break;
    }
    if (names_.size() > level) names_.resize(level);
    std::string name;
    for (const std::string& outer : names_) name += outer + " > ";
    if (text.empty() && number.empty()) name += std::to_string(++unnamed_);
    found.add(name + std::string(text.empty() ? number : text), state);
  }

  std::vector<std::string> names_;  // of the subtests around
  std::size_t unnamed_ = 0;
  std::string until_;  // the blanks before the end of the details; empty: not inside
};

}  // namespace

std::unique_ptr<ReportReader::Lines> tap_lines() { return std::make_unique<TapLines>(); }

}  // namespace capsule::gate
