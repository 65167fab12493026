#include "dialect/activity.h"

#include <algorithm>

#include "base/enum_count.h"
#include "base/text.h"
#include "json/view.h"

namespace capsule::dialect {
namespace {

using What = Activity::What;
using Kind = Event::Kind;

constexpr std::size_t kMostTools = 64;
constexpr std::string_view kWhatNames[] = {"starting", "model",   "thinking", "text",
                                           "tool",     "waiting", "failed",   "ended"};
static_assert(std::size(kWhatNames) == enum_count<What>());

void turn_to(Activity& activity, What what, std::int64_t now_ms) {
  activity.what = what;
  activity.since_ms = now_ms;
  activity.tool.clear();
  activity.detail.clear();
  activity.status = 0;
  activity.delay_ms = 0;
}

void show_tool(Activity& activity) {
  const Activity::Tool newest = activity.running.back();
  turn_to(activity, What::tool, newest.since_ms);
  activity.tool = newest.name;
  activity.detail = newest.detail;
}

// Words on one line; pieces of a message follow one another.
void say(std::string& said, const Event& event) {
  if (!event.more) said.clear();
  const std::string_view piece = cut(event.whole, 4 * kWordsBytes);
  std::string words;
  bool apart = said.empty() || said.ends_with(' ');
  for (const char byte : piece) {
    const bool blank = byte == ' ' || byte == '\n' || byte == '\t' || byte == '\r';
    if (!blank) words += byte;
    if (blank && !apart) words += ' ';
    apart = blank;
  }
  if (said.size() < kWordsBytes) said = cut(said + printable(words), kWordsBytes);
}

void start_tool(Activity& activity, const Event& event, std::int64_t now_ms) {
  if (activity.running.size() == kMostTools) activity.running.erase(activity.running.begin());
  activity.running.push_back({event.tool, event.text, now_ms});
  show_tool(activity);
}

void end_tool(Activity& activity, const Event& event, std::int64_t now_ms) {
  auto& running = activity.running;
  const auto found = std::find_if(running.begin(), running.end(), [&](const Activity::Tool& tool) {
    return tool.name == event.tool && tool.detail == event.text;
  });
  if (found != running.end()) running.erase(found);
  if (running.empty())
    turn_to(activity, What::model, now_ms);
  else
    show_tool(activity);
}

}  // namespace

std::string_view name_of(What what) { return kWhatNames[static_cast<std::size_t>(what)]; }

void fold(Activity& activity, const Event& event, std::int64_t now_ms) {
  ++activity.events;
  activity.heard_ms = now_ms;
  if (activity.what == What::starting) turn_to(activity, What::model, now_ms);
  switch (event.kind) {
    case Kind::session:
    case Kind::version:
    case Kind::heard:
      break;
    case Kind::compacted:
      if (activity.running.empty()) turn_to(activity, What::model, now_ms);
      break;
    case Kind::model:
      activity.model = event.text;
      break;
    case Kind::tokens:
      // What a whole session used is not this call's.
      if (!event.of_session) activity.use = event.use;
      break;
    case Kind::text:
      say(activity.said, event);
      if (activity.running.empty() && activity.what != What::text)
        turn_to(activity, What::text, now_ms);
      break;
    case Kind::thinking:
      if (!activity.running.empty()) break;
      if (activity.what != What::thinking) turn_to(activity, What::thinking, now_ms);
      if (activity.detail.empty()) activity.detail = event.text;
      break;
    case Kind::tool_started:
      start_tool(activity, event, now_ms);
      break;
    case Kind::tool_ended:
      end_tool(activity, event, now_ms);
      break;
    case Kind::waiting:
      // Since the first of them.
      if (activity.what != What::waiting) turn_to(activity, What::waiting, now_ms);
      activity.detail = event.text;
      activity.status = event.status;
      activity.delay_ms = event.delay_ms;
      break;
    case Kind::failed:
      turn_to(activity, What::failed, now_ms);
      activity.detail = event.text;
      activity.status = event.status;
      break;
    case Kind::ended:
      activity.running.clear();
      if (activity.what != What::failed) turn_to(activity, What::ended, now_ms);
      break;
  }
}

std::string line_words(std::string_view line) {
  line = trimmed(line);
  const bool begins = line.starts_with("{\"");
  if (const auto object = begins ? json::View::of_object(line) : std::nullopt) {
    for (const char* key : {"type", "event", "role"})
      if (const std::string kind = (*object)[key].text(); !kind.empty())
        return "event " + printable(cut(kind, kWordsBytes)) + " (JSON)";
    return std::string(line);
  }
  // A part of one: its end has not come, or its beginning was not kept.
  if (begins || (line.ends_with('}') && line.find("\":") != line.npos)) return "an event (JSON)";
  return std::string(line);
}

bool waits_for_service(const Activity& activity) {
  return activity.what == What::model || activity.what == What::thinking ||
         activity.what == What::text || activity.what == What::waiting;
}

}  // namespace capsule::dialect
