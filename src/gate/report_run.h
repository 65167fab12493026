// One run of the test command, seen as a report: planned before, fed while it runs, read after it.
// Owns a private folder for files that a runner writes for us, which goes with it. What the run
// left elsewhere is read beneath its folder, without following links; files from before it are
// removed first, so that an old report is never read. Single-threaded.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gate/private_folder.h"
#include "gate/report_plan.h"
#include "gate/verify.h"
#include "process/program.h"

namespace capsule::gate {

class ReportRun {
 public:
  // Errors: io (no private folder can be made).
  // The command runs in `dir` below the folder `top`; neither stands in a test's name afterwards.
  static Result<ReportRun> prepare(const Command& test, std::string_view setting,
                                   const std::string& top, const std::string& dir);

  const ReportPlan& plan() const { return plan_; }
  std::vector<process::EnvChange> env() const;

  // What a person should see of the command's output.
  std::string out(std::string_view bytes);
  std::string err(std::string_view bytes);
  // The same of what was still held back; after it the report can be read.
  std::string rest() { return reader_.rest(); }
  // `written`: where what the run wrote below the folder is: that folder itself, or a layer over
  // it. Error: there is none, or it cannot be read; the message says why.
  Result<TestReport> read(const std::string& written);
  // Ours, in which the run may write.
  const std::string& place() const { return place_.path(); }

 private:
  ReportRun(std::string top, std::string dir, PrivateFolder place, ReportPlan plan);
  Result<TestReport> read_files(const std::string& written);

  std::string top_;
  std::string dir_;  // below it, in which the command runs; may be empty
  PrivateFolder place_;
  ReportPlan plan_;
  ReportReader reader_;
};

// How the command would be asked in that folder; none: it would be run as it is.
ReportFormat planned_format(const Command& test, std::string_view setting,
                            const std::string& folder);

// The regular files beneath `folder` whose relative path `pattern` matches, sorted. In a pattern
// `*` stands for a part of a name and `**` for any folders; .git and node_modules are passed over.
std::vector<std::string> files_matching(const std::string& folder, std::string_view pattern);

}  // namespace capsule::gate
