#include "follow/follower.h"

#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "base/text.h"
#include "follow/folder_watch.h"
#include "follow/reading.h"
#include "store/identity.h"
#include "world/activities.h"
#include "world/activity_tail.h"
#include "world/answers.h"
#include "world/held_session.h"
#include "world/run_watch.h"

namespace capsule::follow {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kPoll{1000};  // where nothing tells
// Of a run with ten thousand tasks the rows take a while: then it rests four times as long, so that
// following never takes more than a fifth of a processor.
constexpr milliseconds kQuick{10};
constexpr int kRests = 4;
constexpr milliseconds kLogPause{100};  // between two looks at logs that grow

std::string name_of(const inotify_event& event) {
  return event.len == 0 ? std::string() : std::string(event.name);
}

}  // namespace

class Follower::Impl {
 public:
  Impl(process::Loop& loop, const world::Project& project, Changed changed, Options options)
      : loop_(loop),
        project_(project),
        folder_(project.root() + "/.capsule"),
        changed_(std::move(changed)),
        options_(std::move(options)),
        own_(folder_, IN_MODIFY | IN_CREATE | IN_MOVED_TO | IN_DELETE | IN_MOVED_FROM,
             options_.between_watches) {}
  ~Impl() {
    if (watch_) loop_.unwatch(*watch_);
    for (auto& [run, process] : processes_) loop_.unwatch(process.watch);
    for (const auto& timer : {poll_, log_timer_, rest_timer_})
      if (timer) loop_.cancel(*timer);
  }

  Result<void> start() {
    begin_watching();
    TRY_VOID(open());
    (void)update();
    after_update();
    return {};
  }

  const view::Project& project() {
    static const view::Project kNothing;
    return reading_ ? reading_->fold().project() : kNothing;
  }

  Result<world::Run> run(const std::string& id) {
    const engine::RunHead* const head = reading_ ? reading_->head(id) : nullptr;
    if (head == nullptr) return fail(Reason::not_found, "there is no such run");
    return reading_->run(*head);
  }

  std::string trouble;
  std::int64_t wakes = 0;
  int journals = 0;
  std::unique_ptr<engine::Records> store;
  bool blind() const { return !watch_ || remote_; }

 private:
  struct Process {
    File pidfd;
    process::WatchId watch{};
    engine::ProcessIdentity who;
  };
  struct Tail {
    std::string start;  // of the agent: what tells it from the one before under its number
    std::unique_ptr<world::ActivityTail> log;
    struct Seen {  // of its log, or of what it prints beside that
      off_t size = 0;
      std::int64_t at_ns = 0;
      bool operator==(const Seen&) const = default;
    };
    Seen out, aside;
    std::int64_t grown = 0;  // how often
    int watch = -1, aside_watch = -1;
  };
  using AgentKey = std::pair<std::string, int>;  // run and agent
  struct AgentNews {                             // of a run
    std::map<int, dialect::Activity> doing;
    std::map<int, std::int64_t> printed;
    bool operator==(const AgentNews&) const = default;
  };

  // ---- The journal

  Result<void> open() {
    const std::optional<FileId> file = journal_file();
    store = TRY(world::journal_of(project_));
    if (store) opened_ = file;
    reading_ = std::make_unique<Reading>(project_.root());
    return {};
  }

  using FileId = std::pair<std::uint64_t, std::uint64_t>;  // device and number
  std::optional<FileId> journal_file() const {
    struct stat found {};
    if (::stat((folder_ + "/journal.db").c_str(), &found) != 0) return std::nullopt;
    return FileId{found.st_dev, found.st_ino};
  }

  bool update() {
    if (!store) return false;
    trouble.clear();
    const auto changed = reading_->update(*store);
    if (!changed) trouble = changed.error().message;
    // The hook of a session writes no journal. Watched before it is read.
    if (reading_->has_session())
      (void)add(world::state_folder(project_.root()),
                IN_MOVED_TO | IN_CLOSE_WRITE | IN_DELETE | IN_ONLYDIR, session_watch_);
    const bool session = reading_->update_session();
    return changed.value_or(false) || session;
  }

  // Something has changed, or may have.
  void look() {
    bool changed = false;
    const std::string before = trouble;
    if (reopen_ || !store) {  // a journal that is being made can be opened a moment later
      reopen_ = false;
      forget();
      if (inotify_) (void)own_.renew(inotify_.fd());
      trouble.clear();
      if (const auto opened = open(); !opened) trouble = opened.error().message;
      changed = true;
    }
    changed |= update();
    changed |= trouble != before;
    after_update();
    if (changed) tell();
  }

  void tell() { changed_(project()); }

  void after_update() {
    watch_processes();
    watch_answers();
    if (options_.activities) find_logs();
    // What nobody tells of is looked for.
    const bool look_again = blind() || foreign_ || !trouble.empty();
    if (look_again && !poll_)
      poll_ = loop_.after(kPoll, [this] {
        poll_.reset();
        ++wakes;
        if (blind() && (!store || journal_file() != opened_)) reopen_ = true;
        look();
      });
  }

  void forget() {
    if (store) ++journals;
    tails_.clear();
    news_.clear();
    store.reset();
    reading_.reset();
  }

  // ---- What tells of changes

  void begin_watching() {
    remote_ = world::changes_unheard(project_.root());
    if (options_.blind) return;
    inotify_ = File(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
    if (!inotify_ || !own_.renew(inotify_.fd())) return;
    const auto watch = loop_.watch(inotify_.fd(), [this] { hear(); });
    if (watch) watch_ = *watch;
  }

  bool add(const std::string& path, std::uint32_t mask, int& watch) {
    watch = inotify_ ? ::inotify_add_watch(inotify_.fd(), path.c_str(), mask) : -1;
    return watch >= 0;
  }

  void hear() {
    ++wakes;
    bool look_now = false, logs = false;
    read_events(inotify_.fd(),
                [&](const inotify_event& event) { hear_one(event, look_now, logs); });
    if (logs) look_for_logs(kLogPause);
    if (look_now) look_in_time();
  }

  void look_in_time() {
    if (rest_timer_) return;
    const auto began = process::Clock::now();
    if (began < rests_until_) {
      rest_timer_ = loop_.at(rests_until_, [this] {
        rest_timer_.reset();
        ++wakes;
        look_in_time();
      });
      return;
    }
    look();
    const auto took = process::Clock::now() - began;
    if (took > kQuick) rests_until_ = process::Clock::now() + took * kRests;
  }

  void hear_one(const inotify_event& event, bool& look_now, bool& logs) {
    const std::string name = name_of(event);
    const FolderWatch::Change own = own_.change_of(event);
    if ((event.mask & IN_Q_OVERFLOW) != 0) {
      look_now = logs = true;
    } else if (own == FolderWatch::Change::other) {
      reopen_ = look_now = true;
    } else if (own == FolderWatch::Change::inside) {
      const bool other = name == "journal.db" && (event.mask & ~std::uint32_t{IN_MODIFY}) != 0;
      // A journal that was just made could not be opened when it was only a name.
      const bool made = !store && name.starts_with("journal.db");
      if (other || made) reopen_ = true;
      look_now |= name.starts_with("journal.db") || name == "answers";
      logs |= name == "logs" || name == "worktrees";
    } else if (answer_watches_.contains(event.wd)) {
      if ((event.mask & IN_IGNORED) != 0) answer_watches_.erase(event.wd);
      look_now = true;
    } else if (session_watch_ >= 0 && event.wd == session_watch_) {
      look_now = true;
    } else {
      logs = true;
    }
  }

  // ---- Who works

  // A claim that is given up is a write to the journal; one whose process was killed is not.
  void watch_processes() {
    foreign_ = false;
    std::map<std::string, const engine::Holder*> live;
    if (reading_)
      for (const OpenRun& run : reading_->open())
        if (run.holder) live.emplace(run.head.run, &*run.holder);
    std::erase_if(processes_, [&](auto& entry) {
      const auto found = live.find(entry.first);
      if (found != live.end() && found->second->process == entry.second.who) return false;
      loop_.unwatch(entry.second.watch);
      return true;
    });
    for (const auto& [run, holder] : live)
      if (!processes_.contains(run) && !watch_process(run, *holder)) foreign_ = true;
  }

  bool watch_process(const std::string& run, const engine::Holder& holder) {
    if (options_.blind) return false;
    Process process;
    process.who = holder.process;
    process.pidfd = File(
        static_cast<int>(::syscall(SYS_pidfd_open, static_cast<pid_t>(holder.process.pid), 0)));
    if (!process.pidfd) return false;
    // Somebody else may have its number by now, or it is not of this machine.
    if (store::life_of(process.who) != store::Life::alive) return false;
    const auto watch = loop_.watch(process.pidfd.fd(), [this, run] {
      ++wakes;
      const auto found = processes_.find(run);
      if (found != processes_.end()) {
        loop_.unwatch(found->second.watch);
        processes_.erase(found);
      }
      look();
    });
    if (!watch) return false;
    process.watch = *watch;
    processes_.emplace(run, std::move(process));
    return true;
  }

  // ---- Answers that wait to be taken up

  void watch_answers() {
    bool asks = false;
    std::set<std::string> folders;
    if (reading_)
      for (const view::Item& item : reading_->fold().project().inbox)
        if (item.question > 0) {
          asks = true;
          folders.insert(world::answers_folder(project_.root(), item.run));
        }
    if (!asks || !inotify_) return;
    folders.insert(folder_ + "/answers");
    for (const std::string& folder : folders) {
      int watch = -1;
      if (add(folder, IN_CREATE | IN_MOVED_TO | IN_DELETE | IN_MOVED_FROM | IN_ONLYDIR, watch))
        answer_watches_.insert(watch);
    }
  }

  // ---- What agents do

  // A log is looked for when an agent starts, or starts anew; and as long as it is not there.
  void find_logs() {
    std::map<AgentKey, std::string> wanted;
    std::set<std::string> search;
    for (const view::Run& run : project().runs) {
      if (!run.holder) continue;
      for (const view::Attempt& attempt : run.attempts) {
        if (!attempt.running) continue;
        const AgentKey key{run.run, attempt.agent};
        wanted[key] = attempt.began + "/" + std::to_string(attempt.service_faults);
        const auto tail = tails_.find(key);
        if (tail == tails_.end() || tail->second.start != wanted[key]) search.insert(run.run);
      }
    }
    for (auto tail = tails_.begin(); tail != tails_.end();) {
      if (wanted.contains(tail->first)) {
        ++tail;
        continue;
      }
      for (const int watch : {tail->second.watch, tail->second.aside_watch})
        if (watch >= 0) ::inotify_rm_watch(inotify_.fd(), watch);
      tail = tails_.erase(tail);
    }
    wanted_ = std::move(wanted);
    if (reading_)
      for (const OpenRun& open : reading_->open())
        if (search.contains(open.head.run)) follow_logs_of(open);
    if (reading_) fold_activities();
    if (blind() && !wanted_.empty()) look_for_logs(kPoll);
  }

  void follow_logs_of(const OpenRun& open) {
    // Before the search: what appears meanwhile is heard of.
    for (const std::string& folder : world::log_folders(project_, open.head))
      if (inotify_)
        (void)world::watch_on_the_way(inotify_.fd(), folder, IN_CREATE | IN_MOVED_TO, folder_);
    for (const auto& [agent, log] : world::live_logs(project_, reading_->run(open.head))) {
      const auto start = wanted_.find({open.head.run, agent});
      if (start != wanted_.end()) follow_log(start->first, start->second, log);
    }
  }

  void look_for_logs(milliseconds delay) {
    if (log_timer_) return;
    log_timer_ = loop_.after(delay, [this] {
      log_timer_.reset();
      ++wakes;
      if (blind() || tails_.size() < wanted_.size()) find_logs();
      read_logs();
    });
  }

  void follow_log(const AgentKey& key, const std::string& start, const world::LogFile& log) {
    Tail& tail = tails_[key];
    // An agent that starts anew may have no new log yet: then it is found again at its next fact.
    tail.start = start;
    if (tail.log && tail.log->log().root == log.root && tail.log->log().name == log.name) return;
    tail.log = std::make_unique<world::ActivityTail>(log);
    (void)add(log.root + "/" + log.name, IN_MODIFY, tail.watch);
    tail.aside_watch = -1;
    read_log(tail);
  }

  static Tail::Seen seen(const std::string& file) {
    struct stat found {};
    if (::lstat(file.c_str(), &found) != 0) return {};
    return {found.st_size,
            std::int64_t{found.st_mtim.tv_sec} * 1'000'000'000 + found.st_mtim.tv_nsec};
  }

  // Whether there is more of it. What is printed on stderr is no sign of what the agent does, but
  // its transcript has grown; as has that of a log that is longer than what is read of it.
  bool read_log(Tail& tail) {
    const std::string file = tail.log->log().root + "/" + tail.log->log().name;
    // Watched before it is looked at. It may be made later than the log.
    if (tail.aside_watch < 0) (void)add(file + ".stderr", IN_MODIFY, tail.aside_watch);
    const Tail::Seen out = seen(file), aside = seen(file + ".stderr");
    const bool grown = out != tail.out || aside != tail.aside;
    tail.out = out;
    tail.aside = aside;
    tail.grown += grown ? 1 : 0;
    return tail.log->read() || grown;
  }

  void read_logs() {
    bool any = false;
    for (auto& [key, tail] : tails_) any |= read_log(tail);
    if (!any || !reading_) return;
    fold_activities();
    tell();
  }

  void fold_activities() {
    std::map<std::string, AgentNews> now;
    for (const auto& [key, tail] : tails_) {
      AgentNews& news = now[key.first];
      if (tail.log->activity().what != dialect::Activity::What::starting)
        news.doing[key.second] = tail.log->activity();
      news.printed[key.second] = tail.grown;
    }
    for (const auto& [run, news] : news_)
      if (!now.contains(run)) now[run];
    for (const auto& [run, news] : now)
      if (news_[run] != news) reading_->fold().activities(run, news.doing, news.printed);
    news_ = std::move(now);
  }

  process::Loop& loop_;
  const world::Project& project_;
  const std::string folder_;
  Changed changed_;
  Options options_;
  FolderWatch own_;  // .capsule
  std::unique_ptr<Reading> reading_;

  File inotify_;
  std::optional<process::WatchId> watch_;
  std::set<int> answer_watches_;
  int session_watch_ = -1;
  bool remote_ = false, foreign_ = false, reopen_ = false;
  std::optional<FileId> opened_;  // the file of the journal that is open
  std::optional<process::TimerId> poll_, log_timer_, rest_timer_;
  process::Clock::time_point rests_until_{};
  std::map<std::string, Process> processes_;  // by run
  std::map<AgentKey, Tail> tails_;
  std::map<AgentKey, std::string> wanted_;  // agents at work, and their starts
  std::map<std::string, AgentNews> news_;
};

Follower::Follower(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Follower::~Follower() = default;

Result<std::unique_ptr<Follower>> Follower::start(process::Loop& loop,
                                                  const world::Project& project, Changed changed,
                                                  Options options) {
  auto impl = std::make_unique<Impl>(loop, project, std::move(changed), std::move(options));
  TRY_VOID(impl->start());
  return std::unique_ptr<Follower>(new Follower(std::move(impl)));
}

const view::Project& Follower::project() const { return impl_->project(); }
Result<world::Run> Follower::run(const std::string& id) const { return impl_->run(id); }
bool Follower::blind() const { return impl_->blind(); }
const std::string& Follower::trouble() const { return impl_->trouble; }
engine::Records* Follower::journal() const { return impl_->store.get(); }
int Follower::journals_gone() const { return impl_->journals; }
std::int64_t Follower::wakes() const { return impl_->wakes; }

Result<view::Project> look(const world::Project& project, engine::Records* store) {
  if (store == nullptr) return view::Project{};
  Reading reading(project.root(), /*newest=*/true);
  TRY(reading.update(*store));
  (void)reading.update_session();
  return reading.fold().project();
}

Result<view::Project> replayed(engine::Records& store, std::uint64_t seq, const std::string& run) {
  view::Fold fold;
  for (engine::RunHead head : TRY(store.runs())) {
    if (!run.empty() && head.run != run) continue;
    const auto facts = store.read(head.run, 0);
    if (facts && (facts->empty() || facts->front().seq > seq)) continue;
    const bool cut = head.last_seq > seq;
    if (cut) head.ended_at = head.outcome = "";
    fold.head(head);
    if (!facts) {
      fold.unreadable(head.run, "its facts cannot be read: " + facts.error().message);
      continue;
    }
    for (const event::Fact& fact : *facts)
      if (fact.seq <= seq) fold.apply(fact);
    // Somebody worked on it then: else nothing would have followed.
    if (cut) fold.holder(head.run, engine::Holder{head.subject, head.run, {}, ""});
  }
  return fold.project();
}

}  // namespace capsule::follow
