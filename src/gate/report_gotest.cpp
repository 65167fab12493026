// go test -json: an event a line (go doc test2json). What go prints beside it, such as the words of
// a compiler before Go 1.24, is handed on.
#include <map>
#include <optional>

#include "base/text.h"
#include "gate/report_lines.h"
#include "json/object.h"

namespace capsule::gate {
namespace {

// -json makes tests talk as -v does. As without it, only those that fail are heard: what a test
// prints is held back until it has ended, so much of it.
constexpr std::size_t kHeldBytes = std::size_t{32} * 1024;
constexpr std::size_t kHeldInAll = std::size_t{16} << 20;

class GotestLines : public ReportReader::Lines {
 public:
  std::string line(std::string_view text) override {
    if (!text.starts_with('{')) return std::string(text);
    const auto event = json::Object::parse(text);
    const auto action = event ? event->text("Action") : std::nullopt;
    if (!action) return std::string(text);
    const std::string output = event->text("Output").value_or("");
    const std::string package = event->text("Package").value_or("");
    const std::string test = event->text("Test").value_or("");
    if (package.empty()) return output;  // of the compiler
    if (test.empty()) return about_package(*action, package, output);
    return about_test(*action, package, test, output);
  }

  // The command was ended before these were.
  std::string end() override {
    std::string shown;
    for (const auto& [package, seen] : packages_) {
      for (const auto& [test, held] : seen.running) {
        found.add(package + "." + test, TestState::failed);
        shown += held;
      }
      found.add(package, TestState::failed);
    }
    packages_.clear();
    return shown;
  }

 private:
  struct Package {
    std::map<std::string, std::string> running = {};  // with what is held back of their output
    bool told = false;  // the test program said PASS or FAIL itself: it came to its end
  };

  Package* package_of(const std::string& name) {
    const auto known = packages_.find(name);
    if (known != packages_.end()) return &known->second;
    return packages_.size() < kMaxTests ? &packages_[name] : nullptr;
  }

  std::string about_package(std::string_view action, const std::string& name,
                            const std::string& output) {
    Package* package = package_of(name);
    if (package == nullptr) return output;
    if (action == "output" && (output == "FAIL\n" || output == "PASS\n")) package->told = true;
    const bool failed = action == "fail";
    if (!failed && action != "pass" && action != "skip") return output == "PASS\n" ? "" : output;
    std::string shown = output;
    for (const auto& [test, held] : package->running) {
      held_ -= held.size();
      running_--;
      if (failed) shown += held;
      found.add(name + "." + test, failed ? TestState::failed : TestState::skipped);
    }
    // It was not built, or it ended in the middle: tests that are not named were not run.
    if (failed && !package->told) found.add(name, TestState::failed);
    packages_.erase(name);
    return shown;
  }

  std::string about_test(std::string_view action, const std::string& name, const std::string& test,
                         const std::string& output) {
    Package* package = package_of(name);
    if (package == nullptr) return output;
    if (action == "run" || action == "output") {
      auto place = package->running.find(test);
      if (place == package->running.end()) {
        if (action != "run" || running_ >= kMaxTests) return output;
        place = package->running.emplace(test, "").first;
        ++running_;
      }
      if (!output.starts_with("=== ")) hold(place->second, output);
      return {};
    }
    const std::optional<TestState> state = action == "pass"   ? std::optional(TestState::passed)
                                           : action == "fail" ? std::optional(TestState::failed)
                                           : action == "skip" ? std::optional(TestState::skipped)
                                                              : std::nullopt;
    if (!state) return {};  // pause, cont, bench, attr
    found.add(name + "." + test, *state);
    const auto place = package->running.find(test);
    if (place == package->running.end()) return {};
    const std::string held = std::move(place->second);
    held_ -= held.size();
    running_--;
    package->running.erase(place);
    return state == TestState::failed ? held : "";
  }

  // Of much output the end is kept: it says what went wrong.
  void hold(std::string& held, std::string_view output) {
    if (held_ + output.size() > kHeldInAll) return;
    held += output;
    held_ += output.size();
    if (held.size() <= kHeldBytes) return;
    const std::size_t dropped = held.size() - kHeldBytes / 2;
    held.erase(0, dropped);
    held_ -= dropped;
  }

  std::map<std::string, Package> packages_;  // those that have not ended
  std::size_t running_ = 0;
  std::size_t held_ = 0;
};

}  // namespace

std::unique_ptr<ReportReader::Lines> gotest_lines() { return std::make_unique<GotestLines>(); }

}  // namespace capsule::gate
