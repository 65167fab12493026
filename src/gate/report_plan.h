// How the test command is run so that it says which of its tests passed. Some runners take an
// option more, some an environment variable, some name their tests anyway; told from the command
// and, where that is `npm test` or `make test`, from the file that says what it means. Pure: the
// caller reads the files.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gate/propose.h"
#include "gate/report.h"
#include "gate/verify.h"

namespace capsule::gate {

struct ReportPlan {
  Command command;  // perhaps with words added
  // Appended, after a blank, to what these variables hold.
  std::map<std::string, std::string> env = {};
  ReportFormat format = ReportFormat::none;
  enum class From { nowhere, out, err, both, file } from = From::nowhere;
  // From::file: an absolute path, or a pattern below the folder in which the command runs.
  std::string file = {};
  std::map<std::string, std::string> helpers = {};  // files to be put beside the report first
};

// `setting` is verify.test_report: auto, junit:PATH, gotest, tap, none. `files` are those of the
// folder in which the command runs that report_files() names. `report_path` is where a runner that
// is asked for a file may write it: absolute, private, made of letters, digits, '/', '.', '_' and
// '-', and nothing is there.
ReportPlan plan_report(const Command& test, std::string_view setting,
                       const std::vector<SeenFile>& files, const std::string& report_path);

// The files that may say what a command means.
std::span<const std::string_view> report_files();

}  // namespace capsule::gate
