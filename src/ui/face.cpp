#include "ui/face.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/text.h"
#include "engine/run.h"
#include "event/supply.h"
#include "ui/run_json.h"
#include "ui/supply_text.h"
#include "ui/usage_text.h"

namespace capsule::ui {
namespace {

using Body = nlohmann::ordered_json;  // of a fact

constexpr std::chrono::milliseconds kFrame{100};
constexpr std::int64_t kActivityMs = 1000;   // between two lines of --json about an agent
constexpr std::int64_t kWaitingMs = 60'000;  // between two plain lines about one that waits
// Lines that are kept back while a person types; then they are told all the same.
constexpr std::size_t kHeldBytes = std::size_t{16} * 1024;

std::string dump(const Body& json) {
  return json.dump(-1, ' ', false, Body::error_handler_t::replace) + "\n";
}

// What programs want to hear of when it changes; the tokens ride along.
std::string activity_key(const dialect::Activity& activity) {
  return std::string(name_of(activity.what)) + '\n' + activity.tool + '\n' + activity.detail +
         '\n' + std::to_string(activity.since_ms) + '\n' + activity.said;
}

std::string waiting_head(const std::string& task, const std::string& role) {
  return (task.empty() ? "" : printable(task) + ": ") + printable(role) + " ";
}

// The number of the agent that a fact is about; 0: it is about none.
int agent_in(const Body& body) {
  for (const char* name : {"agent", "agent_id", "number"})
    if (const auto found = body.find(name); found != body.end() && found->is_number_integer())
      return found->get<int>();
  return 0;
}

}  // namespace

Face::Face(Look look, const engine::RunHead& head, Style style, process::Loop* loop,
           Terminal terminal)
    : look_(look),
      run_(head.run),
      task_(engine::is_phases(head) ? head.subject : ""),
      shown_(head),
      narrator_(narrator_of(head, style)),
      style_(style),
      loop_(loop),
      terminal_(std::move(terminal)) {
  keep_ticking();
}

Face::~Face() { close(); }

// The fact as it is recorded, and who its agent is. The end of an agent also has what all its calls
// used: whoever reads that needs no other line.
std::string Face::json_line(const event::NewFact& fact) {
  Body line{{"event", fact.kind}, {"at", fact.at}, {"run", run_}};
  const Body body = Body::parse(fact.body, nullptr, false);
  if (!body.is_object()) return dump(line);
  for (const auto& [name, value] : body.items())
    if (!line.contains(name)) line[name] = value;
  const int number = agent_in(body);
  const auto agent = number > 0 ? shown_.attempt(number) : std::nullopt;
  if (!agent) return dump(line);
  const auto add = [&](const char* name, const Body& value) {
    if (!line.contains(name)) line[name] = value;
  };
  add("agent", number);
  add("task", agent->task.empty() ? task_ : agent->task);
  add("role", agent->role);
  add("attempt", agent->attempt);
  if (event::supply::is_supply(fact.kind) || agent->calls == 0 || !line.contains("duration_ms"))
    return dump(line);
  line["usage"] = Body::parse(usage_json(view::usage_of(*agent)).compact(), nullptr, false);
  if (line.contains("cost_micros")) line["cost_micros"] = line["usage"]["cost_micros"];
  return dump(line);
}

// While a person types, nothing may be written over, or between, what they have typed.
bool Face::holds_back() const { return look_ == Look::live && terminal_.typed_at && asked_; }

void Face::recall(const std::vector<event::Fact>& facts) { shown_.recall(facts); }

void Face::on_facts(std::span<const event::NewFact> facts) {
  shown_.take(facts);
  if (look_ == Look::json) {
    std::string text = activity_lines(true);
    for (const event::NewFact& fact : facts) text += json_line(fact);
    return terminal_.write(text);
  }
  std::string text;
  std::string of_services;
  const auto name = [this](int agent) {
    const auto one = shown_.attempt(agent);
    return one ? one->role : std::string();
  };
  for (const event::NewFact& fact : facts) {
    text += narrator_->on_fact(fact, shown_);
    of_services += supply_lines(fact, name);
  }
  // Above the picture they stand alone.
  if (look_ == Look::plain) of_services = indented(of_services, narrator_->indent());
  if (look_ == Look::quiet) return;
  if (look_ == Look::live && !narrator_->lines_above_board()) text.clear();
  text += of_services;
  write_lines(text);
}

void Face::write_lines(const std::string& text) {
  const bool was_asked = holds_back();
  asked_ = look_ == Look::live && view::asks(run());
  if (was_asked && asked_) {
    held_ += text;
    if (held_.size() < kHeldBytes) return;
    // What was typed so far stays where it is; the terminal keeps it for the answer.
    terminal_.write("\n" + std::exchange(held_, {}));
    return;
  }
  wipe();
  leave_line();
  write(std::exchange(held_, {}) + text);
  draw();
  keep_ticking();
}

void Face::on_cut_off(const Error& error) {
  const bool json = look_ == Look::json;
  close();
  if (json) terminal_.write(cut_off_line(run(), error, utc_now(), completed_before_));
  shown_.leave();
}

void Face::on_output(int agent, std::string_view bytes) {
  if (look_ == Look::live) output_[agent].feed(bytes);
}

void Face::on_activity(const WhichAgent& agent, const dialect::Activity& activity) {
  if (activity.events == 0) {
    doing_.erase(agent.number);
    output_.erase(agent.number);
    return;
  }
  Doing& doing = doing_[agent.number];
  doing.who = agent;
  if (doing.who.task.empty()) doing.who.task = task_;
  doing.activity = activity;
  if (look_ == Look::json) tell_activities();
  if (look_ == Look::plain) tell_waiting(doing);
}

std::string Face::activity_lines(bool all) {
  std::string text;
  const std::int64_t now = terminal_.now_ms();
  for (auto& [number, doing] : doing_) {
    const std::string shown = activity_key(doing.activity);
    if (shown == doing.told || (!all && doing.told_ms != 0 && now - doing.told_ms < kActivityMs))
      continue;
    doing.told = shown;
    doing.told_ms = std::max<std::int64_t>(1, now);
    text += agent_activity_line(run_, doing.who, doing.activity, utc_now());
  }
  return text;
}

void Face::tell_activities() {
  write(activity_lines(false));
  if (loop_ == nullptr || activity_due_) return;
  const bool more = std::any_of(doing_.begin(), doing_.end(), [](const auto& one) {
    return activity_key(one.second.activity) != one.second.told;
  });
  if (!more) return;
  activity_due_ = true;
  timer_ = loop_->after(std::chrono::milliseconds(kActivityMs), [this] {
    activity_due_ = false;
    tell_activities();
  });
}

// Whoever reads lines sees why nothing comes, and no more than that.
void Face::tell_waiting(Doing& doing) {
  const std::int64_t now = terminal_.now_ms();
  if (doing.activity.what != dialect::Activity::What::waiting ||
      (doing.told_ms != 0 && now - doing.told_ms < kWaitingMs))
    return;
  doing.told_ms = std::max<std::int64_t>(1, now);
  write_lines(indented(waiting_head(doing.who.task, doing.who.role) +
                           activity_words(doing.activity) + "; its client tries again\n",
                       narrator_->indent()));
}

void Face::on_check(const workflow::CheckProgress& check) {
  if (look_ == Look::json) return terminal_.write(check_line(run_, task_, check, utc_now()));
  if (check.ended)
    checks_.erase(check.id);
  else
    checks_[check.id] = {check, terminal_.now_ms()};
  std::string text = narrator_->on_check(check);
  if (look_ == Look::quiet) return;
  // The picture shows what runs; a line tells what it came to.
  if (look_ == Look::live && (!check.ended || !narrator_->lines_above_board())) text.clear();
  write_lines(text);
}

void Face::tell(const std::string& text) {
  if (look_ == Look::json || look_ == Look::quiet) return;
  wipe();
  if (!text.starts_with('\n')) leave_line();
  in_line_ = !text.ends_with('\n');
  write(in_line_ && look_ == Look::plain ? text + "\n" : text);
  draw();
}

// A prompt whose question was answered elsewhere goes. On a fresh line this does nothing.
void Face::leave_line() {
  if (std::exchange(in_line_, false) && look_ == Look::live) terminal_.write("\r\x1b[K");
}

void Face::write(const std::string& text) {
  if (!text.empty()) terminal_.write(text);
}

void Face::tick() {
  ticking_ = false;
  draw();
  keep_ticking();
}

// Not while nothing is drawn: a person who thinks about an answer wakes nobody. Whatever ends that
// comes by write_lines().
void Face::keep_ticking() {
  if (look_ != Look::live || loop_ == nullptr || ticking_ || holds_back()) return;
  ticking_ = true;
  timer_ = loop_->after(kFrame, [this] { tick(); });
}

// In the place of the picture before it, in one piece, so that nothing flickers.
void Face::draw() {
  if (look_ != Look::live || holds_back()) return;
  Frame frame;
  frame.columns = terminal_.columns();
  frame.rows = std::max<std::size_t>(terminal_.rows() / 2, 4);
  frame.now_ms = terminal_.now_ms();
  frame.epoch_ms = terminal_.epoch_ms();
  frame.last_line = [this](int agent) {
    const auto found = output_.find(agent);
    return found == output_.end() ? std::string() : found->second.take();
  };
  for (const auto& [number, doing] : doing_) frame.doing[number] = doing.activity;
  for (const auto& [id, check] : checks_) frame.checks.push_back(check);
  std::string text = board(run(), frame, style_);
  const auto lines = static_cast<int>(std::count(text.begin(), text.end(), '\n'));
  if (drawn_ > 0) text = "\x1b[" + std::to_string(drawn_) + "A\r\x1b[J" + text;
  write(text);
  drawn_ = lines;
}

void Face::wipe() {
  if (drawn_ > 0) terminal_.write("\x1b[" + std::to_string(drawn_) + "A\r\x1b[J");
  drawn_ = 0;
}

void Face::close() {
  if (loop_ != nullptr) loop_->cancel(timer_);
  if (look_ != Look::live) return;
  asked_ = false;
  write(std::exchange(held_, {}));
  // A picture that tells all stays; one below lines has nothing more to say.
  if (narrator_->lines_above_board())
    wipe();
  else
    draw();
  drawn_ = 0;
  look_ = Look::plain;
}

void Face::finish(const Ending& ending) {
  const bool json = look_ == Look::json;
  close();
  if (!json) return;
  terminal_.write(finished_lines(run(), ending.exit_code, ending.at, completed_before_));
}

}  // namespace capsule::ui
