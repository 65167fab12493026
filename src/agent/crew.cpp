#include "agent/crew.h"

#include <algorithm>
#include <optional>

#include "agent/pieces.h"
#include "agent/redaction.h"
#include "base/files.h"

namespace capsule::agent {
namespace {

constexpr int kMaxSameName = 10'000;

}  // namespace

class Crew::Member : public process::ChildEvents {
 public:
  Member(Crew& crew, MemberId id, const Task& task, std::string program, Done done)
      : crew_(crew),
        id_(id),
        task_(task),
        program_(std::move(program)),
        done_(std::move(done)),
        out_secrets_(task.secrets),
        out_pieces_(task.provider.output, task.secrets),
        err_secrets_(task.secrets) {
    pulse_.last_output = process::Clock::now();
    task_.prompt = {};  // delivered already, and perhaps long
    task_.env = {};
    task_.walls = {};
    task_.secrets = {};
  }
  ~Member() override {
    crew_.loop_.cancel(timer_);
    if (child_) crew_.loop_.forget(*child_);
  }
  Member(const Member&) = delete;
  Member& operator=(const Member&) = delete;

  void started(process::ChildId child) {
    child_ = child;
    timer_ = crew_.loop_.after(task_.timeout, [this] {
      if (task_.on_limit) task_.on_limit();
      end(Ending::How::timed_out);
    });
  }
  void end(Ending::How how) {
    if (!ending_) ending_ = how;
    crew_.loop_.close_input(*child_);
    crew_.loop_.end(*child_, kGrace);
  }
  bool write(std::string_view bytes) { return crew_.loop_.write(*child_, bytes); }
  void close_input() { crew_.loop_.close_input(*child_); }

  void on_contained(const contain::Report& report) override {
    if (task_.on_contained) task_.on_contained(report);
  }
  void on_refused(const contain::Refusals& refused) override {
    if (task_.on_refused) task_.on_refused(refused);
  }
  void on_started(pid_t pid) override {
    pulse_.pid = pid;
    if (auto opened = open_logs(pid); !opened) return give_up(opened.error());
    if (task_.on_log) task_.on_log(out_.path());
  }
  void on_stdout(std::string_view bytes) override {
    beat(bytes);
    // A part of a secret may look like a whole one: the pieces are put together first.
    printed(out_secrets_.feed(out_pieces_.feed(bytes)));
  }
  void on_stderr(std::string_view bytes) override {
    beat(bytes);
    complained(err_secrets_.feed(bytes));
  }
  void on_exit(const process::Exit& exit) override {
    exit_ = exit;
    printed(out_secrets_.feed(out_pieces_.finish()));
    printed(out_secrets_.finish());
    complained(err_secrets_.finish());
    for (StreamLog* log : {&out_, &err_})
      if (auto closed = log->close(); !closed && !error_) error_ = closed.error();
    crew_.finish(id_);
  }

  Ending result() const {
    using Exit = process::Exit::How;
    using How = Ending::How;
    Ending ending;
    ending.log = out_.path();
    ending.limit = task_.timeout;
    ending.out_end = out_end_;
    ending.err_end = err_end_;
    ending.redacted = out_secrets_.count() + out_pieces_.count() + err_secrets_.count();
    if (exit_.how == Exit::signalled) ending.signal = exit_.value;
    if (exit_.how == Exit::signalled || exit_.how == Exit::exited)
      ending.exit_code = ending.signal != 0 ? 128 + ending.signal : exit_.value;
    if (exit_.how == Exit::not_started) {
      ending.how = How::not_started;
      ending.error = with_advice(task_.provider, process::start_error(program_, exit_.value));
    } else if (exit_.how == Exit::not_contained) {
      // Of a program that is not there inside, the agent is at fault; of walls, nobody.
      const bool program =
          exit_.why->reason == Reason::missing_program || exit_.why->reason == Reason::failed;
      ending.how = program ? How::not_started : How::not_contained;
      ending.error = with_advice(task_.provider, *exit_.why);
    } else if (error_) {
      ending.how = How::not_logged;
      ending.error = error_;
    } else if (crew_.interrupted_ && crew_.interrupted_()) {
      ending.how = How::interrupted;
    } else if (exit_.excess) {
      ending.how = How::over_limit;
      ending.excess = exit_.excess;
    } else if (ending_) {
      ending.how = *ending_;
    } else if (exit_.how == Exit::lost) {
      ending.how = How::lost;
    } else {
      ending.how = ending.signal != 0 ? How::signalled : How::exited;
    }
    return ending;
  }
  const Pulse& pulse() const { return pulse_; }
  const Done& done() const { return done_; }

 private:
  // Names that are taken get a number: logs are never replaced.
  Result<void> open_logs(pid_t pid) {
    std::string stem = task_.log_name + (task_.log_has_pid ? "-" + std::to_string(pid) : "");
    if (task_.log_beneath.empty()) {
      TRY_VOID(make_folders(task_.log_folder));
    } else {
      TRY_VOID(make_folders_beneath(task_.log_folder, task_.log_beneath));
      stem = task_.log_beneath + "/" + stem;
    }
    for (int i = 1;; ++i) {
      const std::string name = stem + (i == 1 ? "" : "." + std::to_string(i)) + ".log";
      auto opened = out_.open(task_.log_folder, name);
      if (opened) opened = err_.open(task_.log_folder, name + ".stderr");
      if (opened) return {};
      if (opened.error().reason != Reason::exists || i == kMaxSameName) return opened;
    }
  }
  void beat(std::string_view bytes) {
    pulse_.bytes += bytes.size();
    pulse_.last_output = process::Clock::now();
  }
  void printed(std::string_view bytes) {
    if (bytes.empty()) return;
    if (task_.on_output) task_.on_output(bytes);
    keep(out_, bytes);
    note_end(out_end_, bytes);
  }
  void complained(std::string_view bytes) {
    if (bytes.empty()) return;
    keep(err_, bytes);
    note_end(err_end_, bytes);
  }
  static void note_end(std::string& end, std::string_view bytes) {
    if (bytes.size() >= kEndBytes) end.clear();
    end += bytes.substr(bytes.size() > kEndBytes ? bytes.size() - kEndBytes : 0);
    if (end.size() > kEndBytes) end.erase(0, end.size() - kEndBytes);
  }
  void keep(StreamLog& log, std::string_view bytes) {
    if (error_) return;
    if (auto written = log.write(bytes); !written) give_up(written.error());
  }
  // What cannot be logged must not go on.
  void give_up(const Error& error) {
    if (!error_) error_ = error;
    crew_.loop_.end(*child_, std::chrono::milliseconds(0));
  }

  Crew& crew_;
  const MemberId id_;
  Task task_;
  const std::string program_;
  const Done done_;
  std::optional<process::ChildId> child_;
  process::TimerId timer_{};
  StreamLog out_, err_;
  Redaction out_secrets_;
  PieceRedaction out_pieces_;
  Redaction err_secrets_;
  std::string out_end_, err_end_;
  Pulse pulse_;
  process::Exit exit_{};
  std::optional<Ending::How> ending_;
  std::optional<Error> error_;
};

Crew::Crew(process::Loop& loop, std::function<bool()> interrupted)
    : loop_(loop), interrupted_(std::move(interrupted)) {}
Crew::~Crew() = default;

Result<MemberId> Crew::start(const Task& task, Done done) {
  Call call = TRY(call_of(task.provider, task.prompt));
  const MemberId id{next_++};
  auto member = std::make_unique<Member>(*this, id, task, call.argv.front(), std::move(done));
  const auto child = loop_.start({std::move(call.argv), task.folder, task.env,
                                  std::move(call.input), call.more_input, task.walls},
                                 *member);
  if (!child) return tl::unexpected(with_advice(task.provider, child.error()));
  member->started(*child);
  members_.emplace(id, std::move(member));
  return id;
}

void Crew::end(MemberId member, Ending::How how) {
  if (const auto found = members_.find(member); found != members_.end()) found->second->end(how);
}

bool Crew::write(MemberId member, std::string_view bytes) {
  const auto found = members_.find(member);
  return found != members_.end() && found->second->write(bytes);
}

void Crew::close_input(MemberId member) {
  if (const auto found = members_.find(member); found != members_.end())
    found->second->close_input();
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
