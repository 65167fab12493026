#include "agent/crew.h"

#include <fcntl.h>

#include <algorithm>
#include <optional>

#include "base/files.h"

namespace capsule::agent {
namespace {

// Between TERM and KILL: long enough for a client to write its own state.
constexpr std::chrono::seconds kGrace{5};

// One stream of an agent on disk: all of it, or its beginning and its end.
class StreamLog {
 public:
  Result<void> open(const std::string& folder, const std::string& name) {
    file_ = TRY(open_beneath(folder, name, O_WRONLY | O_CREAT | O_EXCL));
    name_ = folder + "/" + name;
    return {};
  }
  const std::string& path() const { return name_; }

  Result<void> write(std::string_view bytes) {
    if (!file_) return {};
    const std::size_t room = kLogHeadBytes - std::min(kLogHeadBytes, written_);
    const std::string_view head = bytes.substr(0, room);
    written_ += head.size();
    if (!head.empty()) TRY_VOID(write_all(file_.fd(), head, name_));
    bytes.remove_prefix(head.size());
    if (bytes.empty()) return {};
    tail_ += bytes;
    if (tail_.size() > 2 * kLogTailBytes) {
      left_out_ += tail_.size() - kLogTailBytes;
      tail_.erase(0, tail_.size() - kLogTailBytes);
    }
    return {};
  }

  Result<void> close() {
    if (!file_) return {};
    if (left_out_ > 0) {
      // Cut at a line, so that no half of one begins at column 0.
      const std::size_t line = tail_.find('\n');
      if (line != tail_.npos) left_out_ += line, tail_.erase(0, line);
      TRY_VOID(write_all(file_.fd(),
                         "\n[" + std::to_string(left_out_) + " bytes are left out here]", name_));
    }
    TRY_VOID(write_all(file_.fd(), tail_, name_));
    file_ = File();
    tail_.clear();
    tail_.shrink_to_fit();
    return {};
  }

 private:
  File file_;
  std::string name_;
  std::string tail_;
  std::size_t written_ = 0;
  std::size_t left_out_ = 0;
};

}  // namespace

class Crew::Member : public process::ChildEvents {
 public:
  Member(Crew& crew, MemberId id, std::string program, Done done)
      : crew_(crew), id_(id), program_(std::move(program)), done_(std::move(done)) {
    pulse_.last_output = process::Clock::now();
  }

  // Names that are taken get a number: logs are never replaced.
  Result<void> open_logs(const Task& task) {
    TRY_VOID(make_folders(task.log_folder));
    for (int i = 1;; ++i) {
      const std::string name = task.log_name + (i == 1 ? "" : "." + std::to_string(i)) + ".log";
      auto opened = out_.open(task.log_folder, name);
      if (!opened && opened.error().reason == Reason::exists && i < 10'000) continue;
      TRY_VOID(opened);
      return err_.open(task.log_folder, name + ".stderr");
    }
  }

  void started(process::ChildId child, std::chrono::milliseconds timeout) {
    child_ = child;
    timer_ = crew_.loop_.after(timeout, [this] {
      if (!ending_) ending_ = Ending::How::timed_out;
      crew_.loop_.end(child_, kGrace);
    });
  }
  void end() {
    if (!ending_) ending_ = Ending::How::ended;
    crew_.loop_.end(child_, kGrace);
  }

  void on_started(pid_t pid) override { pulse_.pid = pid; }
  void on_stdout(std::string_view bytes) override {
    heard(bytes);
    keep(out_, bytes);
    const std::size_t last = bytes.rfind('\n');
    if (last != bytes.npos) {
      const std::size_t before = last == 0 ? bytes.npos : bytes.rfind('\n', last - 1);
      const std::size_t begin = before == bytes.npos ? 0 : before + 1;
      std::string line = before == bytes.npos ? partial_ : std::string();
      line += bytes.substr(begin, std::min(last - begin, kLastLineBytes));
      if (line.find_first_not_of(" \t\r") != line.npos)
        pulse_.last_line = line.substr(0, kLastLineBytes);
      partial_.clear();
      bytes.remove_prefix(last + 1);
    }
    partial_ += bytes.substr(0, kLastLineBytes - std::min(kLastLineBytes, partial_.size()));
  }
  void on_stderr(std::string_view bytes) override {
    heard(bytes);
    keep(err_, bytes);
  }
  void on_exit(const process::Exit& exit) override {
    exit_ = exit;
    crew_.loop_.cancel(timer_);
    for (StreamLog* log : {&out_, &err_})
      if (auto closed = log->close(); !closed && error_.empty()) error_ = closed.error().message;
    crew_.finish(id_);
  }

  Ending result() const {
    using How = process::Exit::How;
    Ending ending;
    ending.log = out_.path();
    ending.error = error_;
    ending.exit_code = exit_.how == How::signalled ? 128 + exit_.value : exit_.value;
    if (exit_.how == How::not_started) {
      ending.how = Ending::How::not_started;
      ending.error = process::start_error(program_, exit_.value).message;
    } else if (ending_) {
      ending.how = *ending_;
    } else if (exit_.how == How::lost) {
      ending.how = Ending::How::lost;
    }
    return ending;
  }
  const Pulse& pulse() const { return pulse_; }
  const Done& done() const { return done_; }

 private:
  void heard(std::string_view bytes) {
    pulse_.bytes += bytes.size();
    pulse_.last_output = process::Clock::now();
  }
  // What cannot be logged must not go on.
  void keep(StreamLog& log, std::string_view bytes) {
    if (!error_.empty()) return;
    if (auto written = log.write(bytes); !written) {
      error_ = written.error().message;
      crew_.loop_.end(child_, std::chrono::milliseconds(0));
    }
  }

  Crew& crew_;
  const MemberId id_;
  const std::string program_;
  const Done done_;
  process::ChildId child_{};
  process::TimerId timer_{};
  StreamLog out_, err_;
  std::string partial_;
  Pulse pulse_;
  process::Exit exit_{};
  std::optional<Ending::How> ending_;
  std::string error_;
};

Crew::Crew(process::Loop& loop) : loop_(loop) {}
Crew::~Crew() = default;

Result<MemberId> Crew::start(const Task& task, Done done) {
  Call call = TRY(call_of(task.provider, task.prompt));
  const MemberId id{next_++};
  auto member = std::make_unique<Member>(*this, id, call.argv.front(), std::move(done));
  TRY_VOID(member->open_logs(task));
  const auto child =
      loop_.start({std::move(call.argv), task.folder, task.env, std::move(call.input)}, *member);
  if (!child) return tl::unexpected(with_advice(task.provider, child.error()));
  member->started(*child, task.timeout);
  members_.emplace(id, std::move(member));
  return id;
}

void Crew::end(MemberId member) {
  if (const auto found = members_.find(member); found != members_.end()) found->second->end();
}

const Pulse* Crew::pulse(MemberId member) const {
  const auto found = members_.find(member);
  return found == members_.end() ? nullptr : &found->second->pulse();
}

void Crew::finish(MemberId id) {
  const auto node = members_.extract(id);
  node.mapped()->done()(id, node.mapped()->result());
}

}  // namespace capsule::agent
