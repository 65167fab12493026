#include "notify/notice.h"

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "json/value.h"

namespace capsule::notify {
namespace {

using view::Attention;

// What is told in words. One row for each kind, in the order of view::Attention.
struct Row {
  Attention kind;
  std::string_view name;   // in the configuration
  std::string_view label;  // begins the headline
  std::string_view words;  // what holds of the task or run
};
constexpr Row kRows[] = {
    {Attention::question, "question", "Question", "waits for an answer"},
    {Attention::choice, "choice", "Choice", "waits for a decision"},
    {Attention::approval, "approval", "Approval", "waits for your approval"},
    {Attention::failed, "failed", "Failed", "has failed"},
    {Attention::refused_merge, "refused", "Refused", "is ready, and its merge was refused"},
    {Attention::stalled, "stalled", "Stalled", "has an agent that does nothing"},
    {Attention::cut_off, "cut_off", "Cut off", "has stopped before its end"},
    {Attention::budget, "budget", "Budget", "has spent its budget"},
    {Attention::disk, "disk", "Disk", "waits for room on the disk"},
    {Attention::quota, "quota", "Quota", "waits for its provider"},
};
static_assert(std::size(kRows) == view::kAttentions);
constexpr std::string_view kComplete = "complete";

constexpr std::size_t kMostBytes = 500;  // of words in a message; services cut longer ones

std::string bounded(std::string_view text) {
  std::string line = printable(trimmed(text));
  if (line.size() <= kMostBytes) return line;
  std::size_t end = kMostBytes;
  while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xC0) == 0x80) --end;
  return line.substr(0, end) + "…";
}

const Row* row_of(std::string_view kind) {
  const auto* found = std::find_if(std::begin(kRows), std::end(kRows),
                                   [&](const Row& row) { return row.name == kind; });
  return found == std::end(kRows) ? nullptr : found;
}

Notice notice_of(const view::Item& item) {
  Notice notice;
  notice.kind = kRows[static_cast<std::size_t>(item.kind)].name;
  notice.run = item.run;
  notice.name = item.name;
  notice.task = item.task;
  notice.since = item.since;
  if (!item.actions.empty()) notice.command = view::command_of(item.actions.front());
  notice.title = item.title;
  notice.text = item.text;
  notice.options = item.options;
  return notice;
}

json::Value as_json(const Notice& notice, bool words) {
  json::Value all{{"capsule", 1},
                  {"kind", notice.kind},
                  {"project", notice.project},
                  {"run", notice.run},
                  {"name", notice.name},
                  {"task", notice.task.empty() ? json::Value() : json::Value(notice.task)},
                  {"since", notice.since},
                  {"headline", headline(notice, words)},
                  {"command", notice.command}};
  if (!words) return all;
  all["title"] = notice.title;
  all["text"] = notice.text;
  all["options"] = notice.options;
  return all;
}

// Services read marks of their own in a text: none of them may come from an agent's words.
std::string without_marks(std::string text) {
  constexpr std::string_view kMarks = "<>@*_~`|[]&";
  std::replace_if(
      text.begin(), text.end(), [&](char c) { return kMarks.find(c) != kMarks.npos; }, ' ');
  return text;
}

}  // namespace

std::vector<Notice> Watch::look(const view::Project& now) {
  std::vector<Notice> notices;
  std::set<std::string, std::less<>> there;
  for (const view::Item& item : now.inbox) {
    if (item.run != run_) continue;
    there.insert(item.key);
    if (looked_ && !there_.contains(item.key)) notices.push_back(notice_of(item));
  }
  const view::Run* const run = view::find_run(now, run_);
  const bool complete = run != nullptr && run->life == view::Life::ended &&
                        run->standing == workflow::Standing::succeeded;
  if (looked_ && complete && !complete_) {
    Notice notice;
    notice.kind = kComplete;
    notice.run = run_;
    notice.name = run->name;
    notice.since = run->ended;
    notice.command = view::command_of({view::Verb::show, {"status", run->name}, ""});
    notice.title = run->title;
    notices.push_back(std::move(notice));
  }
  for (Notice& notice : notices) notice.project = project_;
  there_ = std::move(there);
  complete_ = complete;
  looked_ = true;
  return notices;
}

bool is_for(const config::Notify& way, std::string_view kind) {
  if (way.on.empty()) return kind != kComplete;
  return std::find(way.on.begin(), way.on.end(), kind) != way.on.end();
}

bool within(const config::Hours& hours, int minute_of_day) {
  const bool after = minute_of_day >= hours.from, before = minute_of_day < hours.to;
  return hours.from <= hours.to ? after && before : after || before;
}

std::string headline(const Notice& notice, bool words) {
  const Row* const row = row_of(notice.kind);
  const std::string who = notice.task.empty() ? notice.name : notice.task + " of " + notice.name;
  std::string line = row == nullptr
                         ? "Complete: " + who
                         : std::string(row->label) + ": " + who + " " + std::string(row->words);
  if (!notice.project.empty()) line += " (" + notice.project + ")";
  line = bounded(line);
  const std::string& said = notice.text.empty() ? notice.title : notice.text;
  if (words && !said.empty()) line += ": " + bounded(said);
  return line;
}

std::string body_of(const Notice& notice, config::Body body, bool words) {
  const std::string line = headline(notice, words);
  const std::string settle = notice.command.empty() ? "" : bounded(notice.command);
  const std::string marked =
      without_marks(line) + (settle.empty() ? "" : "\n`" + without_marks(settle) + "`");
  switch (body) {
    case config::Body::json:
      break;
    case config::Body::text:
      return line + "\n" + (settle.empty() ? "" : settle + "\n");
    case config::Body::slack:
      return json::Value{{"text", marked}}.compact() + "\n";
    case config::Body::discord:
      return json::Value{{"content", marked},
                         {"allowed_mentions", json::Value{{"parse", json::Value::array()}}}}
                 .compact() +
             "\n";
    case config::Body::teams: {
      json::Value block{{"type", "TextBlock"}, {"text", marked}, {"wrap", true}};
      json::Value blocks = json::Value::array(), cards = json::Value::array();
      blocks.push_back(std::move(block));
      cards.push_back(json::Value{{"contentType", "application/vnd.microsoft.card.adaptive"},
                                  {"content", json::Value{{"type", "AdaptiveCard"},
                                                          {"version", "1.4"},
                                                          {"body", std::move(blocks)}}}});
      return json::Value{{"type", "message"}, {"attachments", std::move(cards)}}.compact() + "\n";
    }
  }
  return as_json(notice, words).compact() + "\n";
}

Notice sample(std::string project, std::string_view kind) {
  Notice notice;
  notice.kind = kind;
  notice.project = std::move(project);
  notice.run = "20260101-000000-000000";
  notice.name = "PLAN.md";
  notice.task = "T-1";
  notice.since = "2026-01-01T00:00:00Z";
  notice.command = "capsule inbox";
  notice.title = "A test of notify";
  notice.text = "This is only a test: nothing waits.";
  return notice;
}

std::string ready_entry(std::string_view service) {
  struct Ready {
    std::string_view name, body, headers, where;
  };
  constexpr Ready kReady[] = {
      {"slack", "slack", "header = \"Content-Type: application/json\"\n",
       "the address of an incoming webhook of your workspace"},
      {"ntfy", "text", "header = \"Title: Capsule\"\n",
       "the address of your topic; whoever knows its name can read it"},
      {"discord", "discord", "header = \"Content-Type: application/json\"\n",
       "the address of a webhook of your channel"},
      {"teams", "teams", "header = \"Content-Type: application/json\"\n",
       "the address of a workflow that posts to your channel when a webhook request comes"},
  };
  for (const Ready& ready : kReady) {
    if (ready.name != service) continue;
    const std::string name(ready.name);
    return "# 1. Into ~/.config/capsule/" + name +
           ".curl (chmod 600: the address is a secret), with " + std::string(ready.where) +
           ":\nurl = \"…\"\n" + std::string(ready.headers) +
           "data-binary = \"@-\"\nsilent\nshow-error\nfail\nmax-time = 10\n\n"
           "# 2. Into ~/.config/capsule/config.yaml, or .capsule/config.yaml of one project:\n"
           "notify:\n  " +
           name + ":\n    on: [question, choice, approval, failed, refused]\n    body: " +
           std::string(ready.body) +
           "\n    # text: true   # titles and questions, too: they leave this machine\n"
           "    # quiet: 22:00-07:00\n    command: [curl, --config, \"~/.config/capsule/" +
           name + ".curl\"]\n\n# 3. Try it:\n#   capsule notify --test\n";
  }
  return {};
}

}  // namespace capsule::notify
