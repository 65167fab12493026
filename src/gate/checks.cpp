#include "gate/checks.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "gate/report_run.h"
#include "git/pin.h"
#include "process/program.h"

namespace capsule::gate {
namespace {

// Of what a command prints, so much is handed on.
constexpr std::size_t kOutputBytes = 6000;
// And so much of each stream is remembered until it has ended.
constexpr std::size_t kHeadBytes = std::size_t{16} * 1024;
constexpr std::size_t kTailBytes = std::size_t{64} * 1024;
constexpr std::chrono::seconds kGrace{2};

// The beginning and the end of a stream: a flood of output must not fill the memory, and the end is
// what tells.
class Stream {
 public:
  void add(std::string_view bytes) {
    const std::string_view first = bytes.substr(0, kHeadBytes - head_.size());
    head_ += first;
    tail_ += bytes.substr(first.size());
    if (tail_.size() > 2 * kTailBytes) tail_.erase(0, tail_.size() - kTailBytes);
  }
  std::string text() const { return head_ + tail_; }

 private:
  std::string head_, tail_;
};

Ending ending_of(const process::Exit& exit, bool timed_out) {
  if (timed_out) return Ending::timed_out;
  if (exit.how != process::Exit::How::exited) return Ending::ended_badly;
  if (exit.value == 0) return Ending::passed;
  // A shell says 126 and 127 for what it cannot run, and 128 + n for what a signal ended.
  if (exit.value == 126 || exit.value == 127) return Ending::not_run;
  if (exit.value > 128 && exit.value <= 128 + 64) return Ending::ended_badly;
  return Ending::failed;
}

}  // namespace

class Checks::Job : public process::ChildEvents {
 public:
  Job(Checks& owner, std::uint64_t id, std::string folder, const std::vector<std::string>& names,
      Done done, Writes writes)
      : owner_(owner),
        id_(id),
        top_(folder),
        folder_(std::move(folder)),
        writes_(writes),
        done_(std::move(done)) {
    if (owner_.watch_ != nullptr) about_ = owner_.watch_->about();
    if (auto ceiling = git::ceiling_of(folder_)) env_.push_back({git::kCeilingVariable, *ceiling});
    if (!owner_.verify_.dir.empty()) folder_ += "/" + owner_.verify_.dir;
    for (const NamedCommand& known : owner_.verify_.commands)
      if (std::find(names.begin(), names.end(), known.name) != names.end())
        commands_.push_back(&known);
  }
  ~Job() override {
    if (timer_) owner_.loop_.cancel(*timer_);
  }
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  void begin() {
    auto room = Room::make(owner_.walls_, top_, writes_);
    if (!room) return finish(tl::unexpected(room.error()));
    room_.emplace(std::move(*room));
    go_on();
  }

  void on_stdout(std::string_view bytes) override {
    out_.add(report_ ? report_->out(bytes) : bytes);
  }
  void on_stderr(std::string_view bytes) override {
    err_.add(report_ ? report_->err(bytes) : bytes);
  }
  void on_contained(const contain::Report& report) override { owner_.walls_.on_contained(report); }
  void on_refused(const contain::Refusals& refused) override {
    owner_.walls_.on_refused(last_.name, refused);
  }
  void on_exit(const process::Exit& exit) override {
    owner_.loop_.cancel(*std::exchange(timer_, std::nullopt));
    if (exit.how == process::Exit::How::not_started)
      return not_started(process::start_error(last_.command, exit.value));
    if (exit.how == process::Exit::How::not_contained) return not_contained(*exit.why);
    last_.ending = ending_of(exit, timed_out_);
    last_.exit_code = exit.how == process::Exit::How::exited ? exit.value : -1;
    last_.duration_ms =
        std::chrono::duration_cast<std::chrono::milliseconds>(process::Clock::now() - started_)
            .count();
    if (report_) read_report();
    // What matters stands at the end, and what stands on stderr matters more.
    const std::string err = useful_ends(err_.text(), kOutputBytes / 2);
    last_.output = useful_ends(out_.text(), kOutputBytes - std::min(err.size(), kOutputBytes / 2));
    if (!err.empty()) last_.output += (last_.output.empty() ? "" : "\n") + err;
    if (exit.excess) {
      last_.ending = Ending::ended_badly;
      last_.excess = contain::sentence_of(*exit.excess);
      last_.output += (last_.output.empty() ? "" : "\n") + std::string("capsule: ended, as it ") +
                      last_.excess + "\n";
    }
    next();
  }

 private:
  // Starts the next command, or ends the job.
  void go_on() {
    if (owner_.interrupted_())
      return finish(fail(Reason::interrupted, "interrupted while the checks ran"));
    if (verdicts_.size() == commands_.size()) return finish(verdicts_);
    const NamedCommand& next = *commands_[verdicts_.size()];
    out_ = err_ = {};
    timed_out_ = false;
    last_ = {};
    last_.name = next.name;
    last_.command = spelled(next.command);
    if (room_->wish()) last_.walls = owner_.walls_.lacks;
    const process::TreeSpec spec = spec_of(next);
    started_ = process::Clock::now();
    if (owner_.watch_ != nullptr)
      progress_ = owner_.watch_->begin(about_, last_.name, last_.command);
    const auto child = owner_.loop_.start(spec, *this);
    if (!child) return not_started(child.error());
    timer_ =
        owner_.loop_.at(process::Clock::now() + owner_.verify_.timeout, [this, child = *child] {
          timed_out_ = true;
          owner_.loop_.end(child, kGrace);
        });
  }

  // The test command is run so that it names its tests; where nothing can be read, as it is.
  process::TreeSpec spec_of(const NamedCommand& next) {
    report_.reset();
    process::TreeSpec as_it_is{words_of(next.command), folder_, env_, {}};
    as_it_is.walls = room_->wish();
    if (next.name != kTest || owner_.verify_.test_report == "none") return as_it_is;
    auto run =
        ReportRun::prepare(next.command, owner_.verify_.test_report, top_, owner_.verify_.dir);
    if (!run) {
      last_.report_problem = run.error().message;
      return as_it_is;
    }
    const ReportPlan& plan = run->plan();
    process::TreeSpec spec{words_of(plan.command), folder_, run->env(), {}};
    spec.env.insert(spec.env.end(), env_.begin(), env_.end());
    spec.walls = room_->wish();
    if (plan.from == ReportPlan::From::nowhere) return spec;
    report_.emplace(std::move(*run));
    if (spec.walls) spec.walls->write.push_back(report_->place());
    return spec;
  }
  void read_report() {
    (report_->plan().from == ReportPlan::From::err ? err_ : out_).add(report_->rest());
    last_.report_format = report_->plan().format;
    auto tests = report_->read(room_->written());
    if (tests) {
      last_.tests = std::move(*tests);
    } else {
      last_.report_problem = tests.error().message;
    }
    report_.reset();
  }
  void not_contained(const Error& why) {
    if (const auto fault = fault_of_command(why)) return not_started(*fault);
    finish(tl::unexpected(why));
  }
  void not_started(const Error& error) {
    report_.reset();
    if (error.reason != Reason::missing_program && error.reason != Reason::refused)
      return finish(tl::unexpected(error));
    last_.ending = Ending::not_run;
    last_.exit_code = error.reason == Reason::missing_program ? 127 : 126;
    last_.output = error.message;
    next();
  }
  void next() {
    if (owner_.watch_ != nullptr) owner_.watch_->end(progress_, last_);
    verdicts_.push_back(std::move(last_));
    go_on();
  }
  void finish(const Result<std::vector<Verdict>>& result) {
    const auto node = owner_.jobs_.extract(id_);  // lives until this returns
    const Watch::Scope scope(owner_.watch_, about_);
    room_.reset();
    done_(result);
  }

  Checks& owner_;
  const std::uint64_t id_;
  const std::string top_;
  std::string folder_;
  const Writes writes_;
  std::optional<Room> room_;
  std::vector<process::EnvChange> env_;  // git finds no repository above the folder
  const Done done_;
  std::vector<const NamedCommand*> commands_;
  Stream out_, err_;
  std::optional<ReportRun> report_;  // of the command that runs now
  process::Clock::time_point started_;
  bool timed_out_ = false;
  std::optional<process::TimerId> timer_;
  Verdict last_;
  std::vector<Verdict> verdicts_;
  Watch::About about_;
  workflow::CheckProgress progress_;
};

Checks::Checks(process::Loop& loop, Verify verify, std::function<bool()> interrupted)
    : loop_(loop), verify_(std::move(verify)), interrupted_(std::move(interrupted)) {}
Checks::~Checks() = default;

std::vector<std::string> Checks::names() const {
  std::vector<std::string> names;
  for (const NamedCommand& known : verify_.commands) names.push_back(known.name);
  return names;
}

std::string Checks::text() const {
  std::string text;
  for (const NamedCommand& known : verify_.commands) text += spelled(known.command) + "\n";
  return text;
}

void Checks::run(const std::string& folder, const std::vector<std::string>& names, Done done,
                 Writes writes) {
  const std::uint64_t id = next_++;
  auto job = std::make_unique<Job>(*this, id, folder, names, std::move(done), writes);
  Job* raw = job.get();
  jobs_.emplace(id, std::move(job));
  raw->begin();
}

}  // namespace capsule::gate
