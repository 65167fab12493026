#include "gate/setup.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "process/program.h"

namespace capsule::gate {
namespace {

constexpr std::size_t kMostLogBytes = std::size_t{16} * 1024 * 1024;
constexpr std::size_t kEndBytes = std::size_t{64} * 1024;  // that is remembered
constexpr std::size_t kShownBytes = 3000;                  // of that, for people
constexpr std::chrono::seconds kSetupGrace{2};
constexpr int kNotFound = 127;

}  // namespace

class Setup::Job : public process::ChildEvents {
 public:
  Job(Setup& owner, std::uint64_t id, File log, Done done)
      : owner_(owner), id_(id), log_(std::move(log)), done_(std::move(done)) {
    verdict_.name = kSetup;
    verdict_.command = spelled(owner.command_);
    if (owner_.watch_ != nullptr) about_ = owner_.watch_->about();
  }
  ~Job() override {
    if (timer_) owner_.loop_.cancel(*timer_);
  }
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  void start(const std::string& folder) {
    started_ = process::Clock::now();
    if (owner_.watch_ != nullptr)
      progress_ = owner_.watch_->begin(about_, verdict_.name, verdict_.command);
    auto room = Room::make(owner_.walls_, folder, Writes::stay);
    if (!room) return finish(tl::unexpected(room.error()));
    room_.emplace(std::move(*room));
    process::TreeSpec spec{words_of(owner_.command_), folder, {}, {}};
    spec.walls = room_->wish();
    if (spec.walls) verdict_.walls = owner_.walls_.lacks;
    const auto child = owner_.loop_.start(spec, *this);
    if (!child) return not_started(child.error());
    timer_ = owner_.loop_.at(process::Clock::now() + owner_.timeout_, [this, child = *child] {
      timed_out_ = true;
      owner_.loop_.end(child, kSetupGrace);
    });
  }

  void on_stdout(std::string_view bytes) override { printed(bytes); }
  void on_stderr(std::string_view bytes) override { printed(bytes); }
  void on_contained(const contain::Report& report) override { owner_.walls_.on_contained(report); }
  void on_refused(const contain::Refusals& refused) override {
    owner_.walls_.on_refused(verdict_.name, refused);
  }
  void on_exit(const process::Exit& exit) override {
    using How = process::Exit::How;
    owner_.loop_.cancel(*std::exchange(timer_, std::nullopt));
    if (owner_.interrupted_())
      return finish(fail(Reason::interrupted, "interrupted while the worktree was set up"));
    if (exit.how == How::not_started)
      return not_started(process::start_error(verdict_.command, exit.value));
    if (exit.how == How::not_contained) return not_contained(*exit.why);
    verdict_.exit_code = exit.how == How::exited ? exit.value : -1;
    verdict_.ending = timed_out_                ? Ending::timed_out
                      : exit.how != How::exited ? Ending::ended_badly
                      : exit.value == 0         ? Ending::passed
                      : exit.value == kNotFound ? Ending::not_run
                                                : Ending::failed;
    verdict_.output = useful_end(end_, kShownBytes);
    if (exit.excess) verdict_.excess = contain::sentence_of(*exit.excess);
    verdict_.duration_ms =
        std::chrono::duration_cast<std::chrono::milliseconds>(process::Clock::now() - started_)
            .count();
    finish(verdict_);
  }

 private:
  void printed(std::string_view bytes) {
    end_ += bytes;
    if (end_.size() > 2 * kEndBytes) end_.erase(0, end_.size() - kEndBytes);
    const std::string_view kept = bytes.substr(0, kMostLogBytes - logged_);
    // A log that cannot be written stops nothing: the end is told all the same.
    if (log_ && !kept.empty() && !write_all(log_.fd(), kept, "the log")) log_ = File();
    logged_ += kept.size();
  }
  void not_contained(const Error& why) {
    if (const auto fault = fault_of_command(why)) return not_started(*fault);
    finish(tl::unexpected(why));
  }
  void not_started(const Error& error) {
    if (error.reason != Reason::missing_program && error.reason != Reason::refused)
      return finish(tl::unexpected(error));
    verdict_.ending = Ending::not_run;
    verdict_.exit_code = kNotFound;
    verdict_.output = error.message;
    finish(verdict_);
  }
  void finish(const Result<Verdict>& result) {
    const auto node = owner_.jobs_.extract(id_);  // lives until this returns
    if (owner_.watch_ != nullptr) owner_.watch_->end(progress_, verdict_);
    const Watch::Scope scope(owner_.watch_, about_);
    room_.reset();
    done_(result);
  }

  Setup& owner_;
  const std::uint64_t id_;
  File log_;
  const Done done_;
  std::optional<Room> room_;
  std::optional<process::TimerId> timer_;
  bool timed_out_ = false;
  std::string end_;
  std::size_t logged_ = 0;
  Verdict verdict_;
  process::Clock::time_point started_;
  Watch::About about_;
  workflow::CheckProgress progress_;
};

Setup::Setup(process::Loop& loop, Command command, std::chrono::seconds timeout,
             std::function<bool()> interrupted)
    : loop_(loop),
      command_(std::move(command)),
      timeout_(timeout),
      interrupted_(std::move(interrupted)) {}
Setup::~Setup() = default;

void Setup::run(const std::string& folder, File log, Done done) {
  const std::uint64_t id = next_++;
  auto job = std::make_unique<Job>(*this, id, std::move(log), std::move(done));
  Job* raw = job.get();
  jobs_.emplace(id, std::move(job));
  raw->start(folder);
}

}  // namespace capsule::gate
