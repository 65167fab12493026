#include "gate/report_run.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "base/files.h"
#include "base/text.h"

namespace capsule::gate {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxPlanBytes = 1024 * 1024;  // of package.json and its like
constexpr std::size_t kMaxReports = 20'000;         // files of one pattern
constexpr std::size_t kMaxLookedAt = 500'000;       // names on the way to them
constexpr int kMaxReportDepth = 16;
constexpr std::string_view kReportName = "report";

bool has_star(std::string_view pattern) { return pattern.find('*') != pattern.npos; }

// One name against one part of a pattern, in time linear in both but for their product.
bool name_matches(std::string_view pattern, std::string_view name) {
  std::size_t p = 0, n = 0, star = pattern.npos, mark = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      mark = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p, ++n;
    } else if (star != pattern.npos) {
      p = star + 1;
      n = ++mark;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

using Parts = std::span<const std::string_view>;

struct Search {
  std::string root;
  std::vector<std::string> found = {};
  std::size_t looked_at = 0;

  void into(const std::string& relative, Parts pattern, int depth) {
    if (pattern.empty() || depth > kMaxReportDepth) return;
    if (pattern.front() == "**") into(relative, pattern.subspan(1), depth);
    std::error_code error;
    const std::string here = relative.empty() ? root : root + "/" + relative;
    for (const fs::directory_entry& entry : fs::directory_iterator(here, error)) {
      if (++looked_at > kMaxLookedAt || found.size() >= kMaxReports) return;
      const std::string name = entry.path().filename().string();
      const std::string path = relative.empty() ? name : relative + "/" + name;
      if (entry.is_symlink(error)) continue;
      if (entry.is_directory(error)) {
        if (name == ".git" || name == "node_modules") continue;
        if (pattern.front() == "**") {
          into(path, pattern, depth + 1);
        } else if (name_matches(pattern.front(), name)) {
          into(path, pattern.subspan(1), depth + 1);
        }
      } else if (pattern.size() == 1 && entry.is_regular_file(error) &&
                 name_matches(pattern.front(), name)) {
        found.push_back(path);
      }
    }
  }
};

std::vector<SeenFile> plan_files(const std::string& folder) {
  std::vector<SeenFile> files;
  for (const std::string_view name : report_files())
    if (auto text = read_file_beneath(folder, std::string(name), kMaxPlanBytes))
      files.push_back({std::string(name), std::move(*text)});
  return files;
}

// Removes one name beneath the folder, whatever it is but a folder, without following links.
Result<void> remove_beneath(const std::string& folder, const std::string& relative) {
  const std::size_t slash = relative.find_last_of('/');
  File parent(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!parent) return tl::unexpected(io_error("open", folder, errno));
  if (slash != relative.npos)
    for (const std::string_view part : split(std::string_view(relative).substr(0, slash), '/')) {
      if (part.empty() || part == ".") continue;
      File next(::openat(parent.fd(), std::string(part).c_str(),
                         O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
      if (!next && errno == ENOENT) return {};
      if (!next) return tl::unexpected(io_error("open the folder of", relative, errno));
      parent = std::move(next);
    }
  const std::string name = slash == relative.npos ? relative : relative.substr(slash + 1);
  if (::unlinkat(parent.fd(), name.c_str(), 0) != 0 && errno != ENOENT)
    return tl::unexpected(io_error("remove the old report", relative, errno));
  return {};
}

Result<TestReport> parsed(ReportFormat format, std::string_view text) {
  if (format == ReportFormat::junit) return read_junit(text);
  if (format == ReportFormat::jest) return read_jest(text);
  ReportReader reader(format);
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  for (; !text.empty(); text.remove_prefix(std::min(kPiece, text.size())))
    (void)reader.take(text.substr(0, kPiece));
  (void)reader.rest();
  return reader.finish();
}

// Names without the folders in which the tests ran: those differ from run to run.
Result<TestReport> without_folders(TestReport report, const std::vector<std::string>& folders) {
  const auto named = [&](const TestResult& test) {
    return std::any_of(folders.begin(), folders.end(), [&](const std::string& folder) {
      return test.name.find(folder) != test.name.npos;
    });
  };
  if (std::none_of(report.tests.begin(), report.tests.end(), named)) return report;
  ReportBuilder builder;
  for (TestResult& test : report.tests) {
    for (const std::string& folder : folders)
      if (test.name.find(folder) != test.name.npos) test.name = replace_all(test.name, folder, "");
    builder.add(test.name, test.state);
  }
  return builder.finish();
}

}  // namespace

std::vector<std::string> files_matching(const std::string& folder, std::string_view pattern) {
  Search search{folder};
  const auto parts = split(pattern, '/');
  search.into("", parts, 0);
  std::sort(search.found.begin(), search.found.end());
  // With several ** a file is met on several ways.
  search.found.erase(std::unique(search.found.begin(), search.found.end()), search.found.end());
  return std::move(search.found);
}

ReportFormat planned_format(const Command& test, std::string_view setting,
                            const std::string& folder) {
  return plan_report(test, setting, plan_files(folder), "/report").format;
}

Result<ReportRun> ReportRun::prepare(const Command& test, std::string_view setting,
                                     const std::string& top, const std::string& dir) {
  const std::string folder = dir.empty() || dir == "." ? top : top + "/" + dir;
  PrivateFolder place = TRY(PrivateFolder::make());
  ReportPlan plan =
      plan_report(test, setting, plan_files(folder), place.path() + "/" + std::string(kReportName));
  ReportRun run(top, dir == "." ? "" : dir, std::move(place), std::move(plan));
  for (const auto& [name, text] : run.plan_.helpers)
    TRY_VOID(write_file(run.place_.path() + "/" + name, text));
  if (run.plan_.from != ReportPlan::From::file || run.plan_.file.starts_with('/')) return run;
  if (!has_star(run.plan_.file)) TRY_VOID(remove_beneath(folder, run.plan_.file));
  for (const std::string& old : files_matching(folder, run.plan_.file))
    TRY_VOID(remove_beneath(folder, old));
  return run;
}

ReportRun::ReportRun(std::string top, std::string dir, PrivateFolder place, ReportPlan plan)
    : top_(std::move(top)),
      dir_(std::move(dir)),
      place_(std::move(place)),
      plan_(std::move(plan)),
      reader_(plan_.from == ReportPlan::From::file ? ReportFormat::none : plan_.format) {}

std::vector<process::EnvChange> ReportRun::env() const {
  std::vector<process::EnvChange> changes;
  for (const auto& [name, value] : plan_.env) {
    const char* held = std::getenv(name.c_str());
    changes.push_back(
        {name, held == nullptr || *held == '\0' ? value : std::string(held) + " " + value});
  }
  return changes;
}

std::string ReportRun::out(std::string_view bytes) {
  const bool ours = plan_.from == ReportPlan::From::out || plan_.from == ReportPlan::From::both;
  return ours ? reader_.take(bytes) : std::string(bytes);
}

std::string ReportRun::err(std::string_view bytes) {
  if (plan_.from == ReportPlan::From::both) return reader_.take_err(bytes);
  return plan_.from == ReportPlan::From::err ? reader_.take(bytes) : std::string(bytes);
}

Result<TestReport> ReportRun::read(const std::string& written) {
  TestReport report =
      TRY(plan_.from == ReportPlan::From::file ? read_files(written) : reader_.finish());
  // The inner one first: its name begins with the other's.
  std::vector<std::string> folders;
  for (const std::string& folder : {dir_.empty() ? top_ : top_ + "/" + dir_, top_}) {
    folders.push_back(folder + "/");
    if (const auto real = real_path(folder); real && *real != folder)
      folders.push_back(*real + "/");
  }
  return without_folders(std::move(report), folders);
}

// From the top, so that no folder on the way can be a link either.
Result<TestReport> ReportRun::read_files(const std::string& written) {
  const bool own = plan_.file.starts_with('/');
  const std::string below = dir_.empty() || own ? "" : dir_ + "/";
  const std::string& root = own ? place_.path() : written;
  std::vector<std::string> files{own ? plan_.file.substr(root.size() + 1) : below + plan_.file};
  if (!own && has_star(plan_.file)) files = files_matching(root, below + plan_.file);
  if (files.empty()) return fail(Reason::not_found, "the tests wrote no report " + plan_.file);
  ReportBuilder builder;
  std::size_t left = kMaxReportBytes;
  for (const std::string& file : files) {
    const auto text = read_file_beneath(root, file, left);
    if (!text && text.error().reason == Reason::not_found)
      return fail(Reason::not_found,
                  "the tests wrote no report" + (own ? "" : " " + file.substr(below.size())));
    if (!text) return fail(text.error().reason, text.error().message);
    left -= text->size();
    builder.add(TRY(parsed(plan_.format, *text)));
  }
  return builder.finish();
}

}  // namespace capsule::gate
