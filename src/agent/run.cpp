#include "agent/run.h"

#include <fcntl.h>

#include <optional>

#include "base/files.h"

namespace capsule::agent {
namespace {

constexpr std::string_view kOutputFolder = ".capsule/output";
// Between TERM and KILL: long enough for a client to write its own state.
constexpr std::chrono::seconds kGrace{5};

// Both log files of a phase. They never replace earlier ones.
struct Logs {
  std::string path;  // of stdout's
  File out, err;
};

Result<Logs> open_logs(const Assignment& assignment, pid_t pid) {
  TRY_VOID(make_folders_beneath(assignment.folder, std::string(kOutputFolder)));
  const std::string stem = std::string(kOutputFolder) + "/" + assignment.phase + "-" +
                           assignment.stamp + "-" + std::to_string(pid);
  constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL;
  for (int i = 1;; ++i) {
    const std::string name = stem + (i == 1 ? "" : "." + std::to_string(i)) + ".log";
    auto out = open_beneath(assignment.folder, name, kFlags);
    if (!out && out.error().reason == Reason::exists && i < 100) continue;
    if (!out) return tl::unexpected(out.error());
    File err = TRY(open_beneath(assignment.folder, name + ".stderr", kFlags));
    return Logs{assignment.folder + "/" + name, *std::move(out), std::move(err)};
  }
}

class Collector : public process::ChildEvents {
 public:
  Collector(process::Loop& loop, const Assignment& assignment, Watch& watch)
      : loop_(loop), assignment_(assignment), watch_(watch) {}

  void started(process::ChildId child) { child_ = child; }

  void on_started(pid_t pid) override {
    auto logs = open_logs(assignment_, pid);
    if (!logs) return give_up(logs.error());
    logs_ = *std::move(logs);
    watch_.on_log(logs_.path);
  }
  void on_stdout(std::string_view bytes) override {
    scanner_.feed(bytes);
    watch_.on_output(bytes);
    keep(logs_.out, bytes, logs_.path);
  }
  void on_stderr(std::string_view bytes) override {
    keep(logs_.err, bytes, logs_.path + ".stderr");
  }
  void on_exit(const process::Exit& exit) override { exit_ = exit; }

  // What cannot be logged must not go on: the agent is ended and the first error is the result.
  void give_up(const Error& error) {
    if (!error_) error_ = error;
    loop_.end(child_, std::chrono::milliseconds(0));
  }
  bool running() const { return !exit_.has_value(); }
  const std::optional<Error>& error() const { return error_; }
  const process::Exit& exit() const { return *exit_; }
  const std::string& log() const { return logs_.path; }
  signal::ContractResult finish() { return scanner_.finish(); }

 private:
  void keep(const File& file, std::string_view bytes, const std::string& name) {
    if (error_ || !file) return;
    if (auto written = write_all(file.fd(), bytes, name); !written) give_up(written.error());
  }

  process::Loop& loop_;
  const Assignment& assignment_;
  Watch& watch_;
  process::ChildId child_{};
  Logs logs_;
  signal::ContractScanner scanner_;
  std::optional<process::Exit> exit_;
  std::optional<Error> error_;
};

engine::PhaseReport failed(event::PhaseFault fault, const std::string& feedback) {
  engine::PhaseReport report;
  report.signal = signal::synthetic_error(feedback);
  report.fault = fault;
  return report;
}

engine::PhaseReport report_of(Collector& collector, const Assignment& assignment, bool timed_out) {
  using How = process::Exit::How;
  const process::Exit exit = collector.exit();
  if (timed_out)
    return failed(event::PhaseFault::timed_out, "Phase " + assignment.phase + " timed out after " +
                                                    std::to_string(assignment.timeout.count()) +
                                                    " s");
  if (exit.how == How::lost)
    return failed(event::PhaseFault::lost, "The agent's supervisor was killed");
  engine::PhaseReport report;
  signal::ContractResult found = collector.finish();
  report.signal = std::move(found.signal);
  report.exit_code = exit.how == How::signalled ? 128 + exit.value : exit.value;
  if (found.fault != signal::ContractFault::none)
    report.fault = event::PhaseFault::no_signal;
  else if (report.exit_code != 0)
    report.fault = event::PhaseFault::exit_status;
  return report;
}

}  // namespace

Result<engine::PhaseReport> run_agent(process::Loop& loop, const Provider& provider,
                                      const Assignment& assignment, Watch& watch) {
  Call call = TRY(call_of(provider, assignment.prompt));
  Collector collector(loop, assignment, watch);
  const process::TreeSpec spec{std::move(call.argv), assignment.folder, assignment.env,
                               std::move(call.input)};
  auto child = loop.start(spec, collector);
  if (!child) return tl::unexpected(with_advice(provider, child.error()));
  collector.started(*child);
  bool timed_out = false;
  const auto timer = loop.after(assignment.timeout, [&] {
    timed_out = true;
    loop.end(*child, kGrace);
  });
  loop.run_while([&] { return collector.running(); });
  loop.cancel(timer);
  if (collector.exit().how == process::Exit::How::not_started)
    return tl::unexpected(
        with_advice(provider, process::start_error(spec.argv.front(), collector.exit().value)));
  if (collector.error()) return tl::unexpected(*collector.error());
  engine::PhaseReport report = assignment.interrupted()
                                   ? failed(event::PhaseFault::interrupted, "Interrupted")
                                   : report_of(collector, assignment, timed_out);
  report.log = collector.log();
  return report;
}

}  // namespace capsule::agent
