// One run of the test command, seen as a report: planned before, fed while it runs, read after it.
// Owns a private folder for files that a runner writes for us, which goes with it. What the run
// left elsewhere is read beneath its folder, without following links; files from before it are
// removed first, so that an old report is never read. Single-threaded.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
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
  ~ReportRun();
  ReportRun(ReportRun&& other) noexcept;
  ReportRun& operator=(ReportRun&&) = delete;

  const ReportPlan& plan() const { return plan_; }
  std::vector<process::EnvChange> env() const;

  // What a person should see of the command's output.
  std::string out(std::string_view bytes);
  std::string err(std::string_view bytes);
  // The same of what was still held back; after it the report can be read.
  std::string rest() { return reader_.rest(); }
  // Error: there is none, or it cannot be read; the message says why.
  Result<TestReport> read();

 private:
  ReportRun(std::string top, std::string folder, std::string place, File lock, ReportPlan plan);
  Result<TestReport> read_files();

  std::string top_;
  std::string folder_;  // in which the command runs
  std::string place_;   // our own; empty: moved away
  File lock_;           // says that we live; see sweep_reports
  ReportPlan plan_;
  ReportReader reader_;
};

// Removes the private folders of processes that were killed. Those of other users, and of runs that
// go on, stay. Runs no process.
void sweep_reports();

// How the command would be asked in that folder; none: it would be run as it is.
ReportFormat planned_format(const Command& test, std::string_view setting,
                            const std::string& folder);

// The regular files beneath `folder` whose relative path `pattern` matches, sorted. In a pattern
// `*` stands for a part of a name and `**` for any folders; .git and node_modules are passed over.
std::vector<std::string> files_matching(const std::string& folder, std::string_view pattern);

}  // namespace capsule::gate
