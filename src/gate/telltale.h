// Code that looks at its tests: it asks whether it is being tested, reaches into the test runner,
// or knows where its results are written. Such code can pass every test without doing anything.
// Pure but for the functions that it is given.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "gate/report.h"
#include "gate/rewritten.h"

namespace capsule::gate {

// "calc.py: PYTEST_CURRENT_TEST", for each source that names such a thing and did not before. Files
// of tests may. `tests`: those that there were; the names of these are telling, too; may be null.
Result<std::vector<std::string>> telltales_in(
    const std::vector<Changed>& changes, const std::string& from, const std::string& to,
    const std::function<bool(std::string_view)>& is_test_file, const TextOf& text_of,
    const TestReport* tests);

}  // namespace capsule::gate
