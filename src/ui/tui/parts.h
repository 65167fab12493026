// What screens are made of. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "canvas/canvas.h"
#include "ui/tui/focus.h"

namespace capsule::tui {

using canvas::Area;
using canvas::Canvas;
using canvas::Colour;
using canvas::Paint;

inline constexpr Paint kPlain{};
inline constexpr Paint kStrong{Colour::none, true};
inline constexpr Paint kDim{Colour::none, false, true};
inline constexpr Paint kGood{Colour::green};
inline constexpr Paint kBad{Colour::red};
inline constexpr Paint kWarn{Colour::yellow};
inline constexpr Paint kBusy{Colour::cyan};
inline constexpr Paint kFrame{Colour::none, false, true};
inline constexpr Paint kFocused{Colour::cyan};

// A symbol that never stands alone: a word says the same.
enum class Mark {
  none,
  open,  // it has not begun
  working,
  asks,   // a person
  waits,  // for something else
  paused,
  done,
  sent_back,
  failed,
  dropped,  // nobody goes on with it
  silent,   // nothing was said, or looked at
  alarm,    // a person should look
};
struct Sign {
  Mark is{};
  Paint paint = kPlain;
  std::string_view mark() const;
};
Sign sign_of(const view::Task& task);
// The same; but nothing is at work in a run that nobody carries on.
Sign sign_of(const view::Run& run, const view::Task& task);
Sign sign_of(const view::Run& run);
Sign sign_of(view::Attention kind);
Sign sign_of(view::Phase::State state);
Sign sign_of(const view::Attempt& attempt);

std::string_view word_of(view::Attention kind);  // "question"
std::string_view word_of(view::Life life);       // "at work"

// How a run is, in a word or two: "at work", "waits for you", "done", "failed".
std::string life_words(const view::Run& run);

// When it ended; now, as long as it goes on.
std::string end_of(const view::Run& run, const Shown& shown);
// "4m", "1h 02m" from one time to another; empty: one is not known.
std::string age(const std::string& from, const std::string& to);
std::int64_t span_ms(const std::string& from, const std::string& to);  // 0: not known
std::string money(const view::Spending& spent);  // "cost 3.20+"; empty: not known

// "██████░░░░"
std::string bar(int done, int all, int columns);

// The letters of what agents did on something: "DC✗DC", "●" when it was merged.
std::string trail(const view::Run& run, const std::vector<int>& attempts, bool merged);
char letter_of(const view::Attempt& attempt);

// A line of several paints.
struct Span {
  std::string text;
  Paint paint = {};
};
using Line = std::vector<Span>;
Line plain(std::string text, Paint paint = {});
// A text with line feeds, filled to `columns`.
std::vector<Line> wrapped(std::string_view text, int columns, Paint paint = {});

// A text that is scrolled; says in its lower edge how far it is.
void draw_lines(Canvas& canvas, const Area& area, const std::vector<Line>& lines, int scroll);
int last_scroll(int lines, int rows);

// The first row of a list of `count` that is shown, so that `chosen` is among `rows` of them.
int first_shown(int chosen, int count, int rows);

// A frame that says by its colour whether keys go to it.
void draw_pane(Canvas& canvas, const Area& area, std::string_view title, bool focused);

// Whether the lowered text holds all of the lowered filter.
bool passes(std::string_view text, std::string_view filter);

// All on one line; controls are dealt with by the canvas.
std::string one_line(std::string_view text);

}  // namespace capsule::tui
