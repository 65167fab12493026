// Plays keys on the sample project without a terminal; for tests.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "ui/tui/draw.h"
#include "ui/tui/press.h"
#include "ui/tui/sample.h"

namespace capsule::tui::testing {

using canvas::Key;

// Keys as a person types them: "jj2/sub⏎" with ⏎ enter, ⎋ escape, ↑↓←→, ⇥ tab.
inline std::vector<Key> typed(std::string_view script) {
  std::vector<Key> keys;
  for (std::string_view rest = script; !rest.empty();) {
    const std::string one(rest.substr(0, utf8_length(rest)));
    rest.remove_prefix(one.size());
    using Kind = Key::Kind;
    if (one == "⏎")
      keys.push_back({Kind::enter});
    else if (one == "⎋")
      keys.push_back({Kind::escape});
    else if (one == "↑")
      keys.push_back({Kind::up});
    else if (one == "↓")
      keys.push_back({Kind::down});
    else if (one == "←")
      keys.push_back({Kind::left});
    else if (one == "→")
      keys.push_back({Kind::right});
    else if (one == "⇥")
      keys.push_back({Kind::tab});
    else
      keys.push_back({Kind::text, one});
  }
  return keys;
}

struct Played {
  Focus focus;
  std::vector<Effect> effects = {};
  std::string screen = {};
};
inline Played play(const Sample& sample, std::string_view script, int columns = 120, int rows = 40,
                   canvas::Looks looks = {}) {
  Played played;
  for (const Key& key : typed(script)) {
    Step step = press(std::move(played.focus), key, sample.shown, columns, rows);
    played.focus = std::move(step.focus);
    if (step.effect) played.effects.push_back(*step.effect);
  }
  played.screen = draw(played.focus, sample.shown, columns, rows, looks).text();
  return played;
}

inline bool has(const std::string& text, std::string_view part) {
  return text.find(part) != text.npos;
}

}  // namespace capsule::tui::testing
