// jest --json: one document. Read value by value, so that what stands around the results, such as
// long messages, costs no memory; nesting costs a bit a level.
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "gate/report.h"

namespace capsule::gate {
namespace {

using JestJson = nlohmann::json;

// {"testResults": [{"name": file, "status": …, "assertionResults":
//     [{"ancestorTitles": […], "title": …, "status": …}]}]}
class JestSax : public nlohmann::json_sax<JestJson> {
 public:
  ReportBuilder found;
  std::string problem;

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }

  bool string(string_t& text) override {
    if (in_file() && depth_ == kFile) {
      if (key_ == "name") file_ = cut(text, 4 * kMaxTestNameBytes);  // each of its tests repeats it
      if (key_ == "status") file_failed_ = text == "failed";
    } else if (in_test() && depth_ == kTestDepth) {
      if (key_ == "title") title_ = std::move(text);
      if (key_ == "status") status_ = std::move(text);
    } else if (in_titles_ && depth_ == kTestDepth + 1) {
      titles_ += text + " > ";
    }
    return true;
  }
  bool key(string_t& name) override {
    key_ = std::move(name);
    if (depth_ == 1) in_results_ = key_ == "testResults";
    if (depth_ == kFile) in_tests_ = key_ == "assertionResults";
    return true;
  }
  bool start_object(std::size_t) override {
    ++depth_;
    if (in_file() && depth_ == kFile) {
      file_.clear();
      tests_.clear();
      file_failed_ = in_tests_ = false;
    }
    if (in_test() && depth_ == kTestDepth) {
      titles_.clear();
      title_.clear();
      status_.clear();
    }
    return true;
  }
  bool end_object() override {
    if (in_test() && depth_ == kTestDepth) {
      if (tests_.size() <= kMaxTests) tests_.push_back({titles_ + title_, state_of(status_)});
    } else if (in_file() && depth_ == kFile) {
      end_file();
    }
    --depth_;
    return true;
  }
  bool start_array(std::size_t) override {
    ++depth_;
    if (in_test() && depth_ == kTestDepth + 1) in_titles_ = key_ == "ancestorTitles";
    return true;
  }
  bool end_array() override {
    if (depth_ == kTestDepth + 1) in_titles_ = false;
    --depth_;
    return true;
  }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    problem = "the report is no JSON at byte " + std::to_string(position);
    return false;
  }

 private:
  static constexpr std::size_t kFile = 3;       // root, array, object of a file
  static constexpr std::size_t kTestDepth = 5;  // array, object of a test

  bool in_file() const { return in_results_ && depth_ >= kFile; }
  bool in_test() const { return in_file() && in_tests_ && depth_ >= kTestDepth; }

  static TestState state_of(std::string_view status) {
    if (status == "passed") return TestState::passed;
    return status == "failed" ? TestState::failed : TestState::skipped;  // pending, todo, disabled
  }
  void end_file() {
    bool failed = false;
    for (const TestResult& test : tests_) {
      failed |= test.state == TestState::failed;
      found.add(file_ + "::" + test.name, test.state);
    }
    // It could not be loaded: no test of it is named.
    if (file_failed_ && !failed) found.add(file_, TestState::failed);
  }

  std::size_t depth_ = 0;
  std::string key_, file_, title_, titles_, status_;
  std::vector<TestResult> tests_;  // of this file
  bool in_results_ = false, in_tests_ = false, in_titles_ = false, file_failed_ = false;
};

}  // namespace

Result<TestReport> read_jest(std::string_view json) {
  JestSax sax;
  if (!JestJson::sax_parse(json.begin(), json.end(), &sax))
    return fail(Reason::damaged, sax.problem.empty() ? "the report is no JSON" : sax.problem);
  return sax.found.finish();
}

}  // namespace capsule::gate
