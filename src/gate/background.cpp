#include "gate/background.h"

#include <signal.h>

#include <optional>

#include "gate/check_parts.h"

namespace capsule::gate {

class BackgroundChecks::Job : public process::ChildEvents {
 public:
  Job(BackgroundChecks& owner, std::uint64_t id, std::string folder, Done done)
      : owner_(owner), id_(id), folder_(std::move(folder)), done_(std::move(done)) {
    const Verify& verify = owner_.verify_;
    for (const auto& [name, command] :
         {std::pair("build", &verify.build), {"lint", &verify.lint}, {"test", &verify.test}})
      if (!command->empty()) commands_.emplace_back(name, command);
  }

  // Starts the next command, or ends the job.
  void go_on() {
    if (at_ == commands_.size()) return finish(failed_);
    const Command& command = *commands_[at_].second;
    const process::Spec spec = spec_of(command, owner_.verify_, folder_);
    output_ = {};
    last_ = {};
    last_.command = spelled(command);
    const auto child = owner_.loop_.start({spec.argv, spec.cwd, {}, {}}, *this);
    if (!child) return not_started(child.error());
    timer_ = owner_.loop_.at(spec.deadline, [this, child = *child] {
      output_.timed_out = true;
      owner_.loop_.end(child, std::chrono::seconds(2));
    });
  }

  void on_stdout(std::string_view bytes) override { keep(output_.out, bytes); }
  void on_stderr(std::string_view bytes) override { keep(output_.err, bytes); }
  void on_exit(const process::Exit& exit) override {
    using How = process::Exit::How;
    owner_.loop_.cancel(timer_);
    if (exit.how == How::not_started)
      return not_started(process::start_error(last_.command, exit.value));
    if (exit.how == How::exited) output_.exit_code = exit.value;
    if (exit.how == How::signalled) output_.term_signal = exit.value;
    if (exit.how == How::lost) output_.term_signal = SIGKILL;
    complete(last_, output_);
    next();
  }

 private:
  // The end of the output is what tells; a flood of it must not fill the memory.
  static void keep(std::string& text, std::string_view bytes) {
    text += bytes;
    if (text.size() > 2 * kKeptTailBytes) text.erase(0, text.size() - kKeptTailBytes);
  }
  void not_started(const Error& error) {
    if (error.reason != Reason::missing_program && error.reason != Reason::refused)
      return finish(tl::unexpected(error));
    last_.ending = Ending::not_run;
    last_.exit_code = error.reason == Reason::missing_program ? 127 : 126;
    last_.tail = error.message;
    next();
  }
  void next() {
    if (last_.ending != Ending::passed) failed_.push_back({commands_[at_].first, last_});
    ++at_;
    go_on();
  }
  void finish(const Result<std::vector<FailedCheck>>& result) {
    const auto node = owner_.jobs_.extract(id_);  // lives until this returns
    done_(result);
  }

  BackgroundChecks& owner_;
  const std::uint64_t id_;
  const std::string folder_;
  const Done done_;
  std::vector<std::pair<std::string, const Command*>> commands_;
  std::size_t at_ = 0;
  process::Output output_;
  process::TimerId timer_{};
  Verdict last_;
  std::vector<FailedCheck> failed_;
};

BackgroundChecks::BackgroundChecks(process::Loop& loop, Verify verify)
    : loop_(loop), verify_(std::move(verify)) {}
BackgroundChecks::~BackgroundChecks() = default;

bool BackgroundChecks::any() const {
  return !verify_.build.empty() || !verify_.lint.empty() || !verify_.test.empty();
}

void BackgroundChecks::start(const std::string& folder, Done done) {
  const std::uint64_t id = next_++;
  auto job = std::make_unique<Job>(*this, id, folder, std::move(done));
  Job* raw = job.get();
  jobs_.emplace(id, std::move(job));
  raw->go_on();
}

}  // namespace capsule::gate
