#include "config/tighten.h"

#include <algorithm>
#include <map>

#include "base/text.h"

namespace capsule::config {
namespace {

constexpr std::string_view kPreset = "contain.preset", kNet = "contain.net";
constexpr std::string_view kOwnPreset = ".contain.preset", kOwnNet = ".contain.net";
constexpr std::string_view kChecksNet = "verify.contain.net";

// What holds without the project's file, by path.
using Below = std::map<std::string, Value, std::less<>>;

const Value& value_at(const Below& below, std::string_view path) {
  static const Value kNothing;
  const auto found = below.find(path);
  return found == below.end() ? kNothing : found->second;
}

bool is_set(const Value& value) { return !std::holds_alternative<std::monostate>(value); }

// The preset that holds for whose key `path` is: "phases.execute.contain.net".
Value preset_for(const Below& below, std::string_view path) {
  std::string own(path.substr(0, path.rfind('.')));
  own += ".preset";
  const Value& value = value_at(below, own);
  return is_set(value) ? value : value_at(below, kPreset);
}

// The value that the project's may not be looser than; nothing: there is none.
Value floor_of(const Below& below, const Entry& entry) {
  const std::string_view path = entry.path;
  if (const Value& same = value_at(below, path); is_set(same)) return same;
  if (path.ends_with(kOwnPreset)) return value_at(below, kPreset);
  if (path != kNet && !path.ends_with(kOwnNet)) return {};
  // The network of somebody who has no walls is open, whatever was said of it.
  const Value preset = preset_for(below, path);
  if (preset == Value(std::string("off"))) return std::string("open");
  if (path == kChecksNet) return std::string("off");
  if (const Value& general = value_at(below, kNet); is_set(general)) return general;
  return std::string(preset == Value(std::string("strict")) ? "proxy" : "open");
}

std::size_t place_in(std::string_view choices, const Value& value) {
  const auto all = split(choices, '|');
  const auto* text = std::get_if<std::string>(&value);
  return text == nullptr
             ? 0
             : static_cast<std::size_t>(std::find(all.begin(), all.end(), *text) - all.begin());
}

// What of the value is too much, as one would write it; empty: nothing.
std::string excess(const Entry& entry, const Value& floor) {
  const Key& key = *entry.key;
  switch (key.tighter) {
    case Tighter::any:
      return {};
    case Tighter::choice:
      if (place_in(key.choices, entry.value) >= place_in(key.choices, floor)) return {};
      return written(key, entry.value);
    case Tighter::at_most:
      if (!is_set(floor) || std::get<std::int64_t>(entry.value) <= std::get<std::int64_t>(floor))
        return {};
      return written(key, entry.value);
    case Tighter::subset:
      break;
  }
  const auto* known = std::get_if<std::vector<std::string>>(&floor);
  std::vector<std::string> more;
  for (const std::string& item : std::get<std::vector<std::string>>(entry.value))
    if (known == nullptr || std::find(known->begin(), known->end(), item) == known->end())
      more.push_back(printable(item));
  return joined(more);
}

std::string sentence_for(const Entry& entry, const std::string& more, const Value& floor) {
  std::string text = entry.path + " of the project's file can only tighten: " + more;
  if (entry.key->tighter == Tighter::subset) return text + " would be one more way out";
  return text + " is looser than " + printable(written(*entry.key, floor));
}

}  // namespace

void drop_looser(std::vector<Entry>& entries, std::vector<Problem>& problems,
                 const std::string& user_file) {
  Below below;
  std::string hint = "put it into your own file" +
                     (user_file.empty() ? std::string() : ", " + printable(user_file)) +
                     ", if you want it";
  std::vector<Entry> kept;
  for (Entry& entry : entries) {
    if (entry.origin.layer < Layer::project) below[entry.path] = entry.value;
    if (entry.origin.layer == Layer::project && entry.key->tighter != Tighter::any) {
      const Value floor = floor_of(below, entry);
      if (const std::string more = excess(entry, floor); !more.empty()) {
        const bool preset = entry.path.ends_with(kPreset);
        problems.push_back({Reason::damaged, entry.origin.where, sentence_for(entry, more, floor),
                            hint + (preset ? ", or run with --contain=PRESET" : "")});
        continue;
      }
    }
    kept.push_back(std::move(entry));
  }
  entries = std::move(kept);
}

void drop_overruled(std::vector<Entry>& entries) {
  const auto by_hand = [](const Entry& entry) { return entry.origin.layer > Layer::project; };
  const auto is_preset = [](const Entry& entry) { return entry.path == kPreset; };
  if (std::none_of(entries.begin(), entries.end(),
                   [&](const Entry& entry) { return is_preset(entry) && by_hand(entry); }))
    return;
  std::erase_if(entries, [&](const Entry& entry) {
    return entry.path.ends_with(kOwnPreset) && !by_hand(entry) && is_set(entry.value);
  });
}

}  // namespace capsule::config
