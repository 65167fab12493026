#include "dashboard/dashboard.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "base/clock.h"
#include "base/files.h"
#include "base/ids.h"
#include "base/text.h"
#include "canvas/diff.h"
#include "canvas/svg.h"
#include "dashboard/jobs.h"
#include "dashboard/rest.h"
#include "dashboard/visit.h"
#include "engine/run.h"
#include "follow/folder_watch.h"
#include "follow/follower.h"
#include "notify/sender.h"
#include "process/spawn.h"
#include "terminal/screen.h"
#include "ui/terminal.h"
#include "ui/tui/commanding.h"
#include "ui/tui/draw.h"
#include "ui/tui/key_table.h"
#include "ui/tui/press.h"
#include "ui/tui/rows.h"
#include "workspace/archive.h"
#include "workspace/names.h"
#include "workspace/places.h"

namespace capsule::dashboard {
namespace {

using Kind = tui::Effect::Kind;

constexpr std::size_t kMaxPageBytes = std::size_t{512} * 1024;
constexpr std::size_t kMaxPages = 40;
constexpr std::size_t kMostLoading = 4;
constexpr auto kFrame = std::chrono::milliseconds(16);
constexpr auto kTick = std::chrono::seconds(1);
constexpr auto kNote = std::chrono::seconds(8);
constexpr auto kPatience = std::chrono::seconds(20);  // with the texts of a picture

std::string short_folder(const std::string& folder) {
  const char* home = std::getenv("HOME");
  const std::string_view at = home == nullptr ? "" : home;
  if (!at.empty() && at != "/" && folder.starts_with(at) &&
      (folder.size() == at.size() || folder[at.size()] == '/'))
    return "~" + folder.substr(at.size());
  return folder;
}

// The end of a text is what counts, except of a diff.
std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  if (text.ends_with('\n')) text.remove_suffix(1);
  if (text.empty()) return lines;
  for (const std::string_view line : split(text, '\n')) lines.emplace_back(line);
  return lines;
}

class Dashboard {
 public:
  Dashboard(process::Loop& loop, const world::Project& project, command_line::Table commands)
      : loop_(loop),
        project_(project),
        jobs_(loop),
        beads_folder_(project.root() + "/.beads", IN_MOVED_TO | IN_CLOSE_WRITE | IN_DELETE) {
    shown_.commands = commands;
  }
  ~Dashboard() {
    if (frame_) loop_.cancel(*frame_);
    if (tick_) loop_.cancel(*tick_);
    if (note_) loop_.cancel(*note_);
    if (rested_) loop_.cancel(*rested_);
    if (beads_watch_) loop_.unwatch(*beads_watch_);
  }
  Dashboard(const Dashboard&) = delete;
  Dashboard& operator=(const Dashboard&) = delete;

  Result<void> follow();  // without a terminal
  Result<void> start();
  std::string picture(const Picture& wanted);
  bool left() const { return left_; }

 private:
  void load_beads();
  void watch_beads();
  void key(const canvas::Key& key);
  void want_frame();
  void draw();
  void tick();
  void say(std::string note);
  bool fetch(bool at_once = false);
  tui::Page archived(const std::string& bead, const std::string& run) const;
  void take_page(const std::string& wish, const JobEnd& end);
  void carry_out(const tui::Effect& effect);
  void run_command(const tui::Effect& effect);
  void open_tree(const tui::Effect& effect);
  void show_moment();
  bool read_moments();
  void forget_texts();

  process::Loop& loop_;
  const world::Project& project_;
  Jobs jobs_;
  std::unique_ptr<follow::Follower> follower_;
  std::unique_ptr<terminal::Screen> screen_;
  canvas::Looks looks_;
  tui::Shown shown_;
  tui::Focus focus_;
  view::Project replayed_;
  std::optional<std::uint64_t> replayed_at_;
  struct Moments {
    std::string run;
    std::uint64_t newest = 0;  // of its facts, when they were read
    std::vector<view::Moment> all;
  } moments_;
  int journals_gone_ = 0;  // as it is shown
  // Of each page: the newest fact, what agents had printed and the time when it was asked for, and
  // how long that took.
  struct Asked {
    std::uint64_t newest = 0;
    std::int64_t printed = 0;
    std::int64_t at_ms = 0, took_ms = 0;
  };
  std::map<std::string, Asked> asked_;
  void load(const tui::Wish& wish, const Asked& asked);
  std::set<std::string> loading_;
  Rest rest_;
  std::optional<process::TimerId> frame_, tick_, note_, rested_;
  process::Clock::time_point drawn_{};  // when the last frame was
  follow::FolderWatch beads_folder_;
  File beads_inotify_;
  std::optional<process::WatchId> beads_watch_;
  bool left_ = false;
};

Result<void> Dashboard::follow() {
  follower_ =
      TRY(follow::Follower::start(loop_, project_, [this](const view::Project&) { want_frame(); }));
  shown_.folder = short_folder(project_.root());
  shown_.options = project_.option;
  shown_.main_branch = world::main_branch_of(project_);
  shown_.providers.push_back(project_.config.provider);
  for (const auto& [name, provider] : project_.config.providers)
    if (name != project_.config.provider) shown_.providers.push_back(name);
  load_beads();
  return {};
}

Result<void> Dashboard::start() {
  const ui::Style style = ui::style_for(STDOUT_FILENO);
  looks_ = {style.colour, style.unicode};
  watch_beads();  // before they are read: what comes meanwhile is heard of
  TRY_VOID(follow());
  terminal::Events events;
  events.key = [this](const canvas::Key& pressed) { key(pressed); };
  events.handed = [this] {
    notify::note_presence(project_.root());
    if (!left_) draw();
  };
  events.resized = [this] { draw(); };
  events.end = [this] { left_ = true; };
  screen_ = TRY(terminal::Screen::open(loop_, std::move(events)));
  draw();
  return {};
}

void Dashboard::load_beads() {
  shown_.beads.clear();
  shown_.no_beads.clear();
  auto tracker = world::open_tracker(project_);
  if (!tracker) {
    shown_.no_beads = tracker.error().message;
    return;
  }
  const auto beads = (*tracker)->list({.all = true});
  if (!beads) {
    shown_.no_beads = beads.error().message;
    if (!beads.error().hint.empty()) shown_.no_beads += "\n" + beads.error().hint;
    return;
  }
  if (beads->empty() && !exists(project_.root() + "/.beads"))
    shown_.no_beads = "No beads yet. Begin with: capsule bead init --prefix=NAME" + project_.option;
  for (const engine::Bead& bead : *beads)
    if (bead.status != "tombstone")
      shown_.beads.push_back({bead.id, bead.title, bead.type, bead.status, bead.parent,
                              bead.priority, bead.description, bead.acceptance});
}

void Dashboard::watch_beads() {
  beads_inotify_ = File(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (!beads_inotify_ || !beads_folder_.renew(beads_inotify_.fd())) return;
  const auto watch = loop_.watch(beads_inotify_.fd(), [this] {
    using Change = follow::FolderWatch::Change;
    bool changed = false, other = false;
    follow::read_events(beads_inotify_.fd(), [&](const inotify_event& event) {
      const Change change = beads_folder_.change_of(event);
      other |= change == Change::other;
      changed |= change != Change::nothing || (event.mask & IN_Q_OVERFLOW) != 0;
    });
    if (other) (void)beads_folder_.renew(beads_inotify_.fd());
    if (!changed) return;
    load_beads();
    want_frame();
  });
  if (watch) beads_watch_ = *watch;
}

// What is shown is what is so now, or what was so at a fact of the run.
void Dashboard::show_moment() {
  shown_.now = utc_second();
  shown_.project = &follower_->project();
  shown_.trouble = follower_->trouble();
  if (journals_gone_ != follower_->journals_gone()) forget_texts();
  if (!focus_.replay || follower_->journal() == nullptr) {
    replayed_at_.reset();
    return;
  }
  if (!read_moments() || moments_.all.empty()) return;
  const std::size_t place = std::min<std::size_t>(*focus_.replay, moments_.all.size()) - 1;
  const view::Moment& fact = moments_.all[place];
  if (replayed_at_ != fact.seq) {
    auto then = follow::replayed(*follower_->journal(), fact.seq);
    if (!then) {
      say(then.error().message);
      return;
    }
    replayed_ = std::move(*then);
    replayed_at_ = fact.seq;
  }
  shown_.project = &replayed_;
  shown_.now = fact.at;
}

// The facts of the run that is replayed, read again once it has more. False: they cannot be read.
bool Dashboard::read_moments() {
  const view::Run* const run = view::find_run(follower_->project(), focus_.run);
  const std::uint64_t newest = run == nullptr ? 0 : run->newest.seq;
  if (moments_.run == focus_.run && moments_.newest == newest) return true;
  const auto facts = follower_->journal()->read(focus_.run, 0);
  if (!facts) return false;
  moments_ = {focus_.run, newest, {}};
  for (const event::Fact& fact : *facts) moments_.all.push_back({fact.seq, fact.at});
  return true;
}

// Another journal is in the place of the one before, or none: what was read of that, and the moment
// in it, are no more.
void Dashboard::forget_texts() {
  journals_gone_ = follower_->journals_gone();
  focus_.replay.reset();
  replayed_at_.reset();
  moments_ = {};
  shown_.pages.clear();
  asked_.clear();
}

// At once, when nothing was drawn for a while; of a flood, a frame at a time.
void Dashboard::want_frame() {
  if (frame_) return;
  const auto due = drawn_ + kFrame;
  if (process::Clock::now() >= due) return draw();
  frame_ = loop_.at(due, [this] {
    frame_.reset();
    draw();
  });
}

void Dashboard::draw() {
  if (!screen_) return;
  show_moment();
  const bool more = fetch();
  const terminal::Size size = screen_->size();
  screen_->show(tui::draw(focus_, shown_, size.columns, size.rows, looks_));
  // Clocks go on while something works, and what is old is fetched; nothing is woken otherwise.
  // Whether a session's client still runs is not known: its clocks stand until it is heard of.
  bool works = more;
  for (const view::Run& run : follower_->project().runs)
    works |=
        run.life == view::Life::working && !run.superseded && run.workflow != engine::kAutoSession;
  if (works && !tick_) tick_ = loop_.after(kTick, [this] { tick(); });
  drawn_ = process::Clock::now();  // however long it took, other things have their turns between
}

void Dashboard::tick() {
  tick_.reset();
  draw();
}

void Dashboard::say(std::string note) {
  focus_.note = std::move(note);
  if (note_) loop_.cancel(*note_);
  note_ = loop_.after(kNote, [this] {
    note_.reset();
    focus_.note.clear();
    draw();
  });
}

void Dashboard::key(const canvas::Key& pressed) {
  show_moment();
  const terminal::Size size = screen_->size();
  tui::Step step = tui::press(std::move(focus_), pressed, shown_, size.columns, size.rows);
  focus_ = std::move(step.focus);
  if (!focus_.note.empty()) say(focus_.note);
  if (step.effect) carry_out(*step.effect);
}

void Dashboard::carry_out(const tui::Effect& effect) {
  switch (effect.kind) {
    case Kind::leave:
      left_ = true;
      return;
    case Kind::copy:
      screen_->send(canvas::copy_bytes(effect.text));
      return;
    case Kind::command:
      run_command(effect);
      return;
    case Kind::shell:
    case Kind::editor:
      open_tree(effect);
      return;
  }
}

void Dashboard::run_command(const tui::Effect& effect) {
  const int number = effect.number;
  const std::string command = view::command_of({view::Verb::show, effect.words, ""});
  const auto started = jobs_.start_own(
      effect.words, project_.root(), kMaxPageBytes, [this, number, command](const JobEnd& end) {
        std::vector<std::string> lines = lines_of(end.text);
        if (number > 0) {
          tui::show_output(focus_, number, command, std::move(lines), end.code);
          if (!focus_.note.empty()) say(focus_.note);
        } else {
          // The last line of an error has its hint; the first of a success what happened.
          say(lines.empty() ? (end.good ? "done" : "failed") : lines.front());
        }
        load_beads();
        draw();
      });
  if (started) return;
  if (number > 0) focus_.dialog.reset();
  say(started.error().message);
}

// The terminal is another program's until that ends.
void Dashboard::open_tree(const tui::Effect& effect) {
  const std::string folder =
      !effect.text.empty()
          ? effect.text
          : workspace::worktree_path(project_.repository,
                                     workspace::own_name(effect.words[0], effect.words[1]));
  const Visit visit = effect.kind == Kind::editor ? Visit::editor : Visit::shell;
  const auto start = prepared(visit, folder);
  if (!start) {
    say(start.error().message);
    return;
  }
  std::string note;
  screen_->lend([&] { note = visited(*start, visit, folder); });
  if (!note.empty()) say(note);
}

// Asks for the texts that the screen needs and that are not there, once the cursor rests, or that
// are old. Whether one is old and has to wait.
bool Dashboard::fetch(bool at_once) {
  bool waits = false;
  const std::uint64_t newest = follower_->project().newest.seq;
  const std::int64_t now = monotonic_ms();
  std::vector<std::string> missing;
  const std::vector<tui::Wish> wanted = tui::wishes(focus_, shown_);
  for (const tui::Wish& wish : wanted)
    if (std::string key = wish.key(); !asked_.contains(key)) missing.push_back(std::move(key));
  const std::vector<std::string> ripe = at_once ? missing : rest_.ripe(missing, now);
  if (ripe.size() < missing.size() && !rested_)
    rested_ = loop_.after(std::chrono::milliseconds(kRestMs), [this] {
      rested_.reset();
      draw();
    });
  for (const tui::Wish& wish : wanted) {
    const std::string key = wish.key();
    const auto asked = asked_.find(key);
    if (loading_.contains(key)) continue;
    if (asked != asked_.end()) {
      if (wish.kind != tui::Wish::Kind::command ||
          (asked->second.newest == newest && asked->second.printed == wish.printed))
        continue;
      // Texts that grow are fetched again, at a twentieth of a core at most.
      if (now < asked->second.at_ms + std::max<std::int64_t>(900, asked->second.took_ms * 20)) {
        waits = true;
        continue;
      }
    } else if (std::find(ripe.begin(), ripe.end(), key) == ripe.end()) {
      continue;
    }
    // One that ends has the next frame drawn.
    if (loading_.size() >= kMostLoading) continue;
    load(wish, {newest, wish.printed, now, 0});
  }
  return waits;
}

void Dashboard::load(const tui::Wish& wish, const Asked& asked) {
  const std::string key = wish.key();
  if (shown_.pages.size() > kMaxPages) {
    shown_.pages.clear();
    asked_.clear();
  }
  asked_[key] = asked;
  if (wish.kind == tui::Wish::Kind::archive) {
    shown_.pages[key] = archived(wish.words[0], wish.words[1]);
    return;
  }
  loading_.insert(key);
  shown_.pages[key].loading = true;
  const auto done = [this, key](const JobEnd& end) { take_page(key, end); };
  const auto started =
      wish.kind == tui::Wish::Kind::diff
          ? jobs_.start_git({"--no-pager", "diff", "--no-ext-diff", "--no-textconv", "--no-color",
                             "--stat", "-p", wish.words[0], wish.words[1], "--"},
                            project_.root(), kMaxPageBytes, done)
          : jobs_.start_own(wish.words, project_.root(), kMaxPageBytes, done);
  if (started) return;
  loading_.erase(key);
  shown_.pages[key] = {{}, false, false, started.error().message};
}

// What was kept when a run of a bead had been merged.
tui::Page Dashboard::archived(const std::string& bead, const std::string& run) const {
  tui::Page page;
  if (!valid_id(bead)) return page;
  const std::string folder =
      workspace::archive_of(workspace::archive_path(project_.repository, bead), run);
  if (folder.empty()) return page;
  const auto text = read_file_beneath(folder, "worklog.md", kMaxPageBytes);
  if (!text) return page;
  page.lines = {"", "── worklog.md", ""};
  for (std::string& line : lines_of(*text)) page.lines.push_back(std::move(line));
  return page;
}

void Dashboard::take_page(const std::string& wish, const JobEnd& end) {
  loading_.erase(wish);
  if (const auto asked = asked_.find(wish); asked != asked_.end())
    asked->second.took_ms = end.took_ms;
  tui::Page page;
  page.cut = end.cut;
  page.lines = lines_of(end.text);
  if (end.cut && wish.starts_with("diff"))
    page.lines.emplace_back("(there is more: only 512 KiB of a diff are shown)");
  else if (end.cut)
    page.lines.insert(page.lines.begin(), "(the beginning is left out: y copies the command)");
  shown_.pages[wish] = std::move(page);
  want_frame();
}

std::string Dashboard::picture(const Picture& wanted) {
  for (const canvas::Key& key : tui::keys_named(wanted.keys)) {
    show_moment();
    focus_ = tui::press(std::move(focus_), key, shown_, wanted.columns, wanted.rows).focus;
  }
  show_moment();
  (void)fetch(/*at_once=*/true);
  const auto patience = process::Clock::now() + kPatience;
  while (jobs_.running() > 0 && process::Clock::now() < patience) loop_.turn(patience);
  return canvas::svg_of(tui::draw(focus_, shown_, wanted.columns, wanted.rows, {}),
                        "capsule ui, " + shown_.folder);
}

}  // namespace

Result<std::string> picture(const world::Project& project, command_line::Table commands,
                            const Picture& wanted) {
  const auto loop = TRY(process::Loop::create());
  process::leave_orphans();
  Dashboard dashboard(*loop, project, commands);
  TRY_VOID(dashboard.follow());
  return dashboard.picture(wanted);
}

bool has_something(const world::Project& project) {
  return exists(project.root() + "/.capsule/journal.db") || exists(project.root() + "/.beads");
}

Result<int> show(const world::Project& project, command_line::Table commands) {
  TRY_VOID(terminal::can_show());
  const auto loop = TRY(process::Loop::create());
  // What a person starts from here goes on when the dashboard is left.
  process::leave_orphans();
  Dashboard dashboard(*loop, project, commands);
  TRY_VOID(dashboard.start());
  loop->run_while([&] { return !dashboard.left(); });
  return 0;
}

}  // namespace capsule::dashboard
