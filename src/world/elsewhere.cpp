#include "world/elsewhere.h"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <mutex>
#include <set>
#include <thread>

#include "agent/clients.h"
#include "agent/provider.h"
#include "agent/run.h"
#include "base/clock.h"
#include "base/text.h"
#include "git/refs.h"
#include "git/snapshot.h"
#include "git/transfer.h"
#include "git/worktree.h"
#include "world/agents.h"
#include "world/providers.h"
#include "world/walls_asked.h"

namespace capsule::world {

using namespace workflow;

namespace {

constexpr std::size_t kManyRefs = 20;
constexpr std::int64_t kAgainMilliseconds = 3'000;

void sort_once(std::vector<std::string>& labels) {
  std::sort(labels.begin(), labels.end());
  labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
}

int slots_here(const std::function<void(const std::string&)>& tell) {
  const char* given = std::getenv(kHereVariable);
  if (given == nullptr || *given == '\0') return kSlotsHere;
  const std::string_view text = given;
  int slots = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), slots);
  if (read.ec == std::errc() && read.ptr == text.data() + text.size() && slots >= 0) return slots;
  tell(std::string(kHereVariable) + " is no number; " + std::to_string(kSlotsHere) +
       " agents work here before others are asked");
  return kSlotsHere;
}

}  // namespace

std::vector<std::string> labels_here() {
  std::vector<std::string> labels;
  utsname system{};
  if (::uname(&system) == 0) {
    std::string name = system.sysname;
    std::transform(name.begin(), name.end(), name.begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    labels.push_back("os:" + name);
    labels.push_back("arch:" + std::string(system.machine));
  }
  for (const agent::Client& client : agent::clients()) {
    agent::Provider provider;
    provider.name = client.name;
    provider.argv = {std::string(client.name)};
    if (agent::find_agent(provider)) labels.push_back("client:" + std::string(client.name));
  }
  for (std::string& walls : walls_labels()) labels.push_back(std::move(walls));
  sort_once(labels);
  return labels;
}

Result<std::vector<std::string>> with_labels(std::vector<std::string> labels,
                                             std::string_view text) {
  for (const std::string_view label : split(text, ',')) {
    if (trimmed(label).empty()) continue;
    if (!engine::valid_label(trimmed(label)))
      return fail(Reason::usage, "'" + printable(label) + "' is no label",
                  "letters, digits and any of : . _ - + / = @");
    labels.emplace_back(trimmed(label));
  }
  sort_once(labels);
  return labels;
}

// Asks what is done, at least once a second while something is out, by a connection of its own.
class Elsewhere::Mail {
 public:
  Mail(std::unique_ptr<engine::Work> work, std::string run)
      : work_(std::move(work)),
        run_(std::move(run)),
        came_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
        wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
        thread_([this] { ask(); }) {}
  ~Mail() {
    change([&] { ended_ = true; });
    thread_.join();
  }
  Mail(const Mail&) = delete;
  Mail& operator=(const Mail&) = delete;

  int fd() const { return came_.fd(); }
  void look(bool wanted) {
    change([&] { wanted_ = wanted; });
  }
  void drop(int agent) {
    change([&] { dropped_.insert(agent); });
  }
  std::vector<engine::WorkDone> take() {
    clear(came_);
    const std::lock_guard lock(mutex_);
    return std::exchange(done_, {});
  }

 private:
  template <class Change>
  void change(Change what) {
    const std::lock_guard lock(mutex_);
    what();
    ring(wake_);
  }

  void ask() {
    constexpr int kPause = 1'000, kLong = 60'000;
    for (;;) {
      std::unique_lock lock(mutex_);
      clear(wake_);
      const std::set<int> dropped = dropped_;
      const bool ended = ended_, wanted = wanted_;
      lock.unlock();
      bool left = false;
      for (const int agent : dropped) {
        const bool gone = work_->drop(run_, agent).has_value();
        left = left || !gone;
        lock.lock();
        if (gone) dropped_.erase(agent);
        lock.unlock();
      }
      if (ended) return;
      if (wanted) {
        auto done = work_->done(run_);
        lock.lock();
        if (done && !done->empty()) {
          done_ = *std::move(done);
          ring(came_);
        }
        lock.unlock();
      }
      work_->wait({.done = true}, wake_.fd(), wanted || left ? kPause : kLong);
    }
  }

  static void ring(const File& bell) {
    const std::uint64_t one = 1;
    (void)!::write(bell.fd(), &one, sizeof one);
  }
  static void clear(const File& bell) {
    std::uint64_t count = 0;
    (void)!::read(bell.fd(), &count, sizeof count);
  }

  std::unique_ptr<engine::Work> work_;
  const std::string run_;
  const File came_, wake_;
  std::mutex mutex_;
  bool wanted_ = false, ended_ = false;
  std::set<int> dropped_;
  std::vector<engine::WorkDone> done_;
  std::thread thread_;
};

Elsewhere::Elsewhere(const Project& project, process::Loop& loop, ElsewhereParts parts)
    : project_(project), loop_(loop), parts_(std::move(parts)) {
  if (parts_.work) work_ = parts_.work();
  if (!work_) return;
  auto remote = git::shared_remote(project.repository);
  if (!remote) return;
  remote_ = *std::move(remote);
  slots_here_ = slots_here(parts_.tell);
  labels_ = labels_here();
  const char* more = std::getenv(kLabelsVariable);
  if (auto all = with_labels(labels_, more == nullptr ? "" : more))
    labels_ = *std::move(all);
  else
    parts_.tell(std::string(kLabelsVariable) + ": " + all.error().message);
}

Elsewhere::~Elsewhere() {
  if (!mail_) return;
  loop_.unwatch(watch_);
  for (const auto& [agent, out] : out_) {
    mail_->drop(agent);
    old_refs_.push_back(out.given);
  }
  mail_.reset();
  tidy(0);
}

std::vector<std::string> Elsewhere::labels_for(const StartAgent& start) const {
  const config::Config& config = project_.config;
  const std::string& name = start.configured.empty() ? start.role : start.configured;
  std::vector<std::string> labels;
  if (start.settings == Settings::role) {
    if (const auto row = config.roles.find(name); row != config.roles.end())
      labels = row->second.needs;
  } else if (const auto row = config.phases.find(name); row != config.phases.end()) {
    labels = row->second.needs;
  }
  std::erase_if(labels, [](const std::string& label) { return !engine::valid_label(label); });
  return labels;
}

std::vector<std::string> Elsewhere::needs_of(const StartAgent& start) const {
  std::vector<std::string> needs = labels_for(start);
  const auto settings = agent_settings(project_, start);
  if (settings && !settings->provider.client.empty())
    needs.push_back("client:" + settings->provider.client);
  if (const std::string walls = label_of(walls_asked(project_, start)); !walls.empty())
    needs.push_back(walls);
  sort_once(needs);
  return needs;
}

bool Elsewhere::lacks(const std::vector<std::string>& needs) const {
  return std::any_of(needs.begin(), needs.end(), [&](const std::string& need) {
    return !std::binary_search(labels_.begin(), labels_.end(), need);
  });
}

// Whether its program is there is told by itself when it starts.
bool Elsewhere::only_elsewhere(const StartAgent& start) const {
  return !remote_.empty() && lacks(labels_for(start));
}

bool Elsewhere::takes(const StartAgent& start, std::size_t here) {
  // An analyst writes files of the project itself.
  if (remote_.empty() || start.tree.empty() ||
      start.role == signal::name_of(signal::Role::plan_analyst))
    return false;
  const std::vector<std::string> needs = needs_of(start);
  const bool must = never_here(start);
  if (!must && here < static_cast<std::size_t>(slots_here_)) return false;
  const auto served = work_->served(needs);
  if (must && served && served->workers == 0) {
    std::string list;
    for (const std::string& need : needs) list += (list.empty() ? "" : ", ") + need;
    parts_.tell("agent " + std::to_string(start.agent) + " (" + printable(start.role) +
                ") waits for a worker" + (list.empty() ? "" : " with " + printable(list)) +
                "; there is none now");
  }
  return must || (served && served->free > 0);
}

Result<void> Elsewhere::start(const StartAgent& start, const std::string& folder,
                              const std::string& branch, const std::string& base,
                              std::string prompt) {
  if (!mail_) {
    mail_ = std::make_unique<Mail>(parts_.work(), parts_.run);
    watch_ = TRY(loop_.watch(mail_->fd(), [this] { collect(); }));
  }
  const std::string number = std::to_string(start.agent);
  Out out;
  out.start = start;
  out.folder = folder;
  out.branch = branch;
  out.given = "refs/capsule/elsewhere/" + parts_.run + "/" + number + "-given";
  out.began_at = utc_now();
  out.began_ms = monotonic_ms();
  std::string parent = git::worktree_head(project_.repository, folder);
  if (parent.empty()) parent = base;
  const git::Snapshot taken =
      TRY(git::take_snapshot(project_.repository, folder, out.given,
                             "As agent " + number + " is to find it, elsewhere\n", parent));
  TRY_VOID(git::push_commit(project_.repository, remote_, taken.commit, out.given));
  engine::WorkOrder order;
  order.run = parts_.run;
  order.agent = start.agent;
  order.needs = needs_of(start);
  order.what = start.role + (start.task.empty() ? "" : " of " + start.task);
  order.spec = event::work::written(order_of(project_, start, std::move(prompt), out.given));
  TRY_VOID(work_->put(order));
  out_.insert_or_assign(start.agent, std::move(out));
  mail_->look(true);
  return {};
}

std::vector<std::string> Elsewhere::trees() const {
  std::vector<std::string> trees;
  for (const auto& [agent, out] : out_) trees.push_back(out.start.tree);
  return trees;
}

bool Elsewhere::end(int agent, event::Fault fault) {
  auto found = out_.extract(agent);
  if (found.empty()) return false;
  event::work::Report report;
  report.fault = fault;
  report.detail = "it was ended, on another machine";
  AgentFinished finished = finished_of(found.mapped().start, report);
  finish(std::move(found.mapped()), std::move(finished));
  return true;
}

void Elsewhere::end_all() {
  while (!out_.empty()) end(out_.begin()->first, event::Fault::interrupted);
}

void Elsewhere::collect() {
  for (const engine::WorkDone& done : mail_->take()) arrived(done);
}

// Its files first: the run hears of it when they are here.
void Elsewhere::arrived(const engine::WorkDone& done) {
  const auto found = out_.find(done.agent);
  if (found == out_.end() || monotonic_ms() < found->second.not_before_ms) return;
  Out& out = found->second;
  event::work::Report report;
  if (done.result.empty()) {
    report.fault = event::Fault::lost;
    report.detail = "the workers that had it were lost, three times";
  } else if (auto read = event::work::read_report(done.result)) {
    report = *std::move(read);
  } else {
    report.fault = event::Fault::lost;
    report.detail = read.error().message;
  }
  if (!report.ref.empty()) {
    if (const auto home = bring_home(out, report.ref); !home) {
      if (out.not_before_ms == 0)
        parts_.tell("what agent " + std::to_string(done.agent) +
                    " did elsewhere cannot be fetched yet: " + printable(home.error().message));
      out.not_before_ms = monotonic_ms() + kAgainMilliseconds;
      return;
    }
  }
  for (SupplyNews& one : walls_told(project_, out.start, report)) parts_.news(std::move(one));
  AgentFinished finished = finished_of(out.start, report);
  finished.log = keep_log(out, report.log);
  Out taken = std::move(out);
  out_.erase(found);
  finish(std::move(taken), std::move(finished));
}

// Only below the names that are this agent's own.
Result<void> Elsewhere::bring_home(Out& out, const std::string& ref) {
  const std::string prefix =
      "refs/capsule/elsewhere/" + parts_.run + "/" + std::to_string(out.start.agent) + "-left-";
  const std::string_view token = std::string_view(ref).substr(std::min(prefix.size(), ref.size()));
  if (!ref.starts_with(prefix) || token.empty() ||
      token.find_first_not_of("0123456789") != token.npos)
    return fail(Reason::damaged, "a worker names " + printable(ref));
  const std::string commit = TRY(git::fetch_commit(project_.repository, remote_, ref));
  TRY_VOID(git::rewind_worktree(project_.repository, out.folder, out.branch, commit));
  old_refs_.push_back(ref);
  return {};
}

// Where an agent here would have it, under a name that it could have.
std::string Elsewhere::keep_log(const Out& out, const std::string& text) {
  const std::string number = std::to_string(out.start.agent);
  std::string folder = parts_.log_folder, name = number + "-" + out.start.role + ".log";
  if (folder.empty()) {
    folder = out.folder;
    name = std::string(agent::kOutputFolder) + "/" + out.start.role + "-" + utc_stamp() + "-" +
           number + ".log";
    if (!make_folders_beneath(folder, std::string(agent::kOutputFolder))) return {};
  } else if (!make_folders(folder)) {
    return {};
  }
  const auto file = open_beneath(folder, name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0644);
  if (!file || !write_all(file->fd(), text, name)) return {};
  return folder + "/" + name;
}

void Elsewhere::finish(Out out, AgentFinished finished) {
  if (finished.began_at.empty()) finished.began_at = out.began_at;
  if (finished.ended_at.empty()) {
    finished.ended_at = utc_now();
    finished.duration_ms = monotonic_ms() - out.began_ms;
  }
  mail_->drop(out.start.agent);
  mail_->look(!out_.empty());
  old_refs_.push_back(out.given);
  tidy(kManyRefs);
  parts_.finished(out.start, std::move(finished));
}

// What cannot be removed now stays there, and harms nobody.
void Elsewhere::tidy(std::size_t more_than) {
  if (old_refs_.size() <= more_than) return;
  const std::vector<std::string> refs = std::exchange(old_refs_, {});
  std::vector<git::Ref> own;
  for (const std::string& ref : refs) own.push_back({ref, ""});
  (void)git::delete_refs(project_.repository, own);
  (void)git::drop_remote_refs(project_.repository, remote_, refs);
}

}  // namespace capsule::world
