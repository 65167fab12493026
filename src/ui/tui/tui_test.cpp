#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <random>

#include "base/text.h"
#include "canvas/diff.h"
#include "canvas/width.h"
#include "ui/tui/draw.h"
#include "ui/tui/key_table.h"
#include "ui/tui/play.h"
#include "ui/tui/rows.h"
#include "ui/tui/typing.h"

namespace capsule::tui {
namespace {

using canvas::Key;
using testing::has;
using testing::play;
using testing::Played;
using testing::Sample;

struct Case {
  std::string_view name, script;
  view::Run (*third)() = testing::pipeline;  // of the sample's runs
};
constexpr Case kCases[] = {
    {"home", ""},
    {"question", "a"},
    {"help", "?"},
    {"board", "b"},
    {"evidence", "bgj"},
    {"diff", "bgj2"},
    {"transcript", "bgj3⇥"},
    {"task", "bgj4"},
    {"phases", "↓↓b"},
    {"timeline", "t"},
    {"replayed", "t←←"},
    {"lanes", "↓↓t"},
    {"auto", "↓↓b", testing::auto_run},
    {"plan", "p"},
    {"tell", "bgjm"},
    {"find", "bgj3⇥/tests⏎"},
    {"beads", "n"},
    {"confirm", "ngjjjj⏎"},
    {"abort", "x"},
    {"history", "H"},
    {"ledger", "L"},
    {"command", ":run d"},
    {"output", ":status demo-2⏎"},
};

// Written anew with CAPSULE_WRITE_GOLDENS=1; look at the difference before it is committed.
TEST(Screens, AreAsTheyWereAtFourSizes) {
  const std::string folder = CAPSULE_SOURCE_DIR "/tests/cases/tui/";
  const bool write = std::getenv("CAPSULE_WRITE_GOLDENS") != nullptr;
  constexpr std::pair<int, int> kSizes[] = {{60, 16}, {80, 24}, {120, 40}, {200, 60}};
  for (const Case& one : kCases) {
    const Sample sample(one.third());
    for (const auto& [columns, rows] : kSizes) {
      const std::string path = folder + std::string(one.name) + "@" + std::to_string(columns) +
                               "x" + std::to_string(rows) + ".txt";
      const Played played = play(sample, one.script, columns, rows);
      std::string text = played.screen;
      if (columns == 80)  // one size says how it is painted
        text += draw(played.focus, sample.shown, columns, rows, {}).runs();
      if (write) {
        std::ofstream(path, std::ios::binary) << text;
        continue;
      }
      std::ifstream file(path, std::ios::binary);
      const std::string expected{std::istreambuf_iterator<char>(file), {}};
      EXPECT_EQ(text, expected) << path << ", keys: " << one.script;
    }
  }
}

TEST(Screens, FillTheLargestTerminalThatIsPromised) {
  for (const Case& one : kCases) {
    const Sample sample(one.third());
    const Played played = play(sample, one.script, 300, 100);
    const std::vector<std::string_view> lines = split(played.screen, '\n');
    ASSERT_EQ(lines.size(), 101U) << one.name << ": behind the last line end is nothing";
    for (const std::string_view line : lines)
      EXPECT_LE(canvas::width_of(line), 300) << one.name << ": " << line;
    EXPECT_NE(trimmed(lines[99]), "") << one.name << ": the help bar is the last line";
  }
}

TEST(Screens, AreAsciiWhereTheLocaleIs) {
  for (const Case& one : kCases)
    for (const char byte : play(Sample(one.third()), one.script, 120, 40, {false, false}).screen)
      ASSERT_LT(static_cast<unsigned char>(byte), 0x80) << one.name;
}

TEST(Screens, WithoutColourSayTheSame) {
  for (const Case& one : kCases) {
    const Sample sample(one.third());
    const Played played = play(sample, one.script);
    const canvas::Canvas plain = draw(played.focus, sample.shown, 120, 40, {false, true});
    EXPECT_EQ(plain.text(), played.screen) << one.name;
    EXPECT_FALSE(has(plain.runs(), "red") || has(plain.runs(), "cyan")) << one.name;
  }
}

TEST(Screens, HostileTextsCannotLeaveTheirPlace) {
  for (const Case& one : kCases) {
    const std::string text = play(Sample(one.third()), one.script).screen;
    EXPECT_FALSE(has(text, "\x1b")) << one.name;
    EXPECT_FALSE(has(text, "\xE2\x80\xAE")) << one.name;
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 40) << one.name;
  }
}

TEST(Screens, WhatAnAgentPrintedIsShownWithoutItsControls) {
  const Sample sample;
  const std::string screen = play(sample, "bgj3⇥").screen;
  EXPECT_TRUE(has(screen, "==> 7-critic.log <==")) << screen;
  EXPECT_TRUE(has(screen, "I look at the \uFFFD[2J tests.")) << screen;
}

TEST(Screens, ATerminalThatIsTooSmallIsToldSo) {
  const Sample sample;
  EXPECT_TRUE(has(draw({}, sample.shown, 59, 16, {}).text(), "needs 60×16"));
  EXPECT_TRUE(has(draw({}, sample.shown, 60, 15, {}).text(), "This terminal is 60×15"));
  draw({}, sample.shown, 1, 1, {});
}

TEST(Screens, WhatWasLookedAtIsNotCalledUnchecked) {
  constexpr std::pair<event::Verdict, std::string_view> kWords[] = {
      {event::Verdict::held, "review failed         ✓ holds"},
      {event::Verdict::differs, "review failed         ↻ differs"},
      {event::Verdict::broken, "review failed         ✗ is not so"},
      {event::Verdict::unchecked, "review failed         · not checked"}};
  for (const auto& [verdict, words] : kWords) {
    Sample sample;
    for (view::Run& run : sample.view.runs)
      for (view::Attempt& attempt : run.attempts)
        if (attempt.role == "critic") attempt.claims = {{"it only looked", verdict, "", {}}};
    for (const int columns : {80, 120, 124, 130, 140}) {
      const std::string screen = play(sample, "bgj", columns).screen;
      EXPECT_TRUE(has(screen, words)) << columns << "\n" << screen;
      EXPECT_FALSE(has(screen, "checked   …")) << columns << "\n" << screen;
    }
  }
}

TEST(Screens, NobodyIsSaidToWorkOnARunThatWasCutOff) {
  for (const std::string_view keys : {"bgj", "↓↓b"}) {
    Sample sample;
    for (view::Run& run : sample.view.runs) {
      if (run.life != view::Life::working) continue;
      run.life = view::Life::cut_off;
      run.since = run.newest.at = "2026-01-31T12:07:30Z";
    }
    const std::string before = play(sample, keys).screen;
    EXPECT_TRUE(has(before, "! critic 2            cut off") ||
                has(before, "! execute 2           cut off"))
        << before;
    EXPECT_FALSE(has(before, "▶ execute") || has(before, "▶ critic") || has(before, "works"))
        << before;
    sample.shown.now = "2026-01-31T18:08:00Z";
    EXPECT_FALSE(has(play(sample, keys).screen, "6h")) << "no clock runs on";
  }
}

// Whoever fetches it compares this with what it was: as long as it is the same, nothing is fetched.
TEST(Rows, ATranscriptIsOldOnceItsAgentWasSeenToPrintMore) {
  Sample sample;
  const Focus there = play(sample, "bgj3").focus;
  const auto printed = [&](const Focus& focus) {
    return transcript_wish(focus, sample.shown).printed;
  };
  const std::string key = transcript_wish(there, sample.shown).key();
  EXPECT_EQ(printed(there), 0);
  for (view::Run& run : sample.view.runs)
    for (view::Attempt& attempt : run.attempts) attempt.printed = 7;
  EXPECT_EQ(printed(there), 7);
  EXPECT_EQ(transcript_wish(there, sample.shown).key(), key) << "it is the same page";
  Focus earlier = there;
  earlier.replay = 3;
  EXPECT_EQ(printed(earlier), 0) << "what was printed later is none of that moment's";
}

TEST(Screens, AFigureOfTheHeaderIsWholeOrNotThere) {
  Sample sample;
  for (view::Run& run : sample.view.runs) run.started = "2026-01-31T11:37:00Z";  // 31m
  const auto head = [&](std::string_view keys, int columns) {
    const std::string screen = play(sample, keys, columns).screen;
    return screen.substr(0, screen.find('\n'));
  };
  for (int columns = 60; columns <= 130; ++columns)
    for (const std::string_view keys : {"", "b", "t←"}) {
      const std::string text = head(keys, columns);
      for (const std::string_view half : {" 3  ", " 31  ", "cost  ", "cost 3  ", "cost 3.  ",
                                          "cost 3.2  ", "toda  ", "agent  ", "wor  "})
        EXPECT_FALSE(has(text, half)) << columns << ": " << text;
    }
  EXPECT_TRUE(has(head("b", 130), "31m  cost 3.20")) << head("b", 130);
}

TEST(Screens, NothingToShowIsSaid) {
  Sample sample;
  sample.view = {};
  sample.shown.beads.clear();
  EXPECT_TRUE(has(play(sample, "").screen, "Nothing needs you, as of 12:08:00 UTC."));
  EXPECT_TRUE(has(play(sample, "").screen, "No runs yet."));
  EXPECT_TRUE(has(play(sample, "n", 200, 40).screen, "Make one: capsule bead create --title=TEXT"));
  EXPECT_TRUE(has(play(sample, "H").screen, "Nothing has ended yet."));
  EXPECT_TRUE(play(sample, "⏎btpaxPRrmMX").effects.empty());
}

TEST(Screens, AJournalThatCannotBeReadIsNotCalledNothing) {
  Sample sample;
  sample.view = {};
  sample.shown.trouble = "it is no\ndatabase";
  for (const char* keys : {"", "n", "H"})
    EXPECT_TRUE(has(play(sample, keys).screen, "The journal cannot be read: it is no database"))
        << keys;
  EXPECT_FALSE(has(play(sample, "").screen, "Nothing needs you"));
  EXPECT_FALSE(has(play(sample, "").screen, "No runs yet"));
}

TEST(Screens, ARunThatIsGoneIsCalledThat) {
  Sample sample;
  for (const char* keys : {"b", "t", "bp"}) {
    const Focus focus = play(sample, keys).focus;
    view::Project nothing;
    Shown shown = sample.shown;
    shown.project = &nothing;
    EXPECT_TRUE(has(draw(focus, shown, 120, 40, {}).text(), "This run is not in the journal."))
        << keys;
  }
}

TEST(Presses, AnswerAQuestion) {
  const Sample sample;
  const Played played = play(sample, "aExit 2.⏎");
  ASSERT_EQ(played.effects.size(), 1U);
  EXPECT_EQ(played.effects[0].words,
            (std::vector<std::string>{"answer", "/srv/calculator/PLAN.md", "1", "Exit 2."}));
  EXPECT_FALSE(played.focus.dialog);
}

TEST(Presses, AWholeFileCanBePastedIntoAnAnswer) {
  const Sample sample;
  Focus focus = play(sample, "a").focus;
  ASSERT_TRUE(focus.dialog);
  for (int i = 0; i < 100'000; ++i)
    focus.dialog->text += "日 line\t";  // nobody would wait for a square
  focus.dialog->text += "its end";
  EXPECT_TRUE(has(draw(focus, sample.shown, 100, 30, {}).text(), "line�日 line�its end"));
}

TEST(Presses, APasteIsTakenWholeUpToTheMostThatCanBeTyped) {
  Dialog dialog;
  type(dialog, {canvas::Key::Kind::paste, std::string(6000, 'x') + "\n日"});
  EXPECT_EQ(dialog.text, std::string(6000, 'x') + " 日");
  std::string much;
  for (int i = 0; i < 50'000; ++i) much += "日";
  type(dialog, {canvas::Key::Kind::paste, much});
  EXPECT_GT(dialog.text.size(), 65'530U);
  EXPECT_LE(dialog.text.size(), 65'536U);
  EXPECT_TRUE(dialog.text.ends_with("日")) << "no half of a character";
}

TEST(Presses, EscapeKeepsADraft) {
  const Sample sample;
  EXPECT_TRUE(play(sample, "aExit 2⎋").effects.empty());
  EXPECT_TRUE(has(play(sample, "aExit 2⎋a").screen, "› Exit 2"));
}

TEST(Presses, AChoiceIsMadeByItsNumber) {
  Sample sample;
  view::Item& item = sample.view.inbox[0];
  item.kind = view::Attention::choice;
  item.options = {"retry", "rework"};
  item.actions = {{view::Verb::answer, {"answer", item.name, "1", "retry"}, ""},
                  {view::Verb::answer, {"answer", item.name, "1", "rework"}, ""}};
  const Played played = play(sample, "a2⏎");
  ASSERT_EQ(played.effects.size(), 1U) << played.screen;
  EXPECT_EQ(played.effects[0].words.back(), "rework");
}

TEST(Presses, RunningABeadIsConfirmedByWhatWillHappen) {
  const Sample sample;
  const Played asked = play(sample, "ng⏎");
  EXPECT_TRUE(asked.effects.empty());
  EXPECT_TRUE(has(asked.screen, "Run demo-1?")) << asked.screen;
  EXPECT_TRUE(has(asked.screen, "Contacts"));
  EXPECT_TRUE(has(asked.screen, "Run 2 tasks"));
  EXPECT_TRUE(has(asked.screen, "same as: capsule deliver demo-1 --wait --detach"));
  EXPECT_FALSE(has(asked.screen, "Yes"));
  EXPECT_TRUE(play(sample, "ng⏎⎋").effects.empty()) << "escape is safe";
  const Played run = play(sample, "nG⏎⏎");
  ASSERT_EQ(run.effects.size(), 1U);
  EXPECT_EQ(run.effects[0].words, (std::vector<std::string>{"run", "demo-2", "--detach"}));
  EXPECT_TRUE(play(sample, "ngjj⏎").effects.empty()) << "a closed bead is not run";
  const Played other = play(sample, "nGp⏎r");
  ASSERT_EQ(other.effects.size(), 1U);
  EXPECT_EQ(other.effects[0].words,
            (std::vector<std::string>{"run", "demo-2", "--provider=codex", "--detach"}));
}

TEST(Presses, ATitleWithoutEndLeavesWhatWillHappenInSight) {
  Sample sample;
  sample.shown.beads.back().title = std::string(100'000, 'T');
  for (view::Run& run : sample.view.runs) run.title = std::string(100'000, 'T');
  const std::string run = play(sample, "nG⏎", 60, 16).screen;
  EXPECT_TRUE(has(run, "Makes a worktree")) << run;
  EXPECT_TRUE(has(run, "Run 1 task")) << run;
  EXPECT_TRUE(has(play(sample, "bx", 60, 16).screen, "What they did is kept"))
      << play(sample, "bx", 60, 16).screen;
}

TEST(Presses, AbortWantsItsOwnKeyTwice) {
  const Sample sample;
  EXPECT_TRUE(play(sample, "x⏎").effects.empty()) << "Enter may have been meant for something else";
  const Played played = play(sample, "xx");
  ASSERT_EQ(played.effects.size(), 1U);
  EXPECT_EQ(played.effects[0].words[0], "abort");
}

TEST(Presses, PauseGoesAtOnce) {
  const Sample sample;
  const Played played = play(sample, "P");
  ASSERT_EQ(played.effects.size(), 1U);
  EXPECT_EQ(played.effects[0].words[0], "pause");
}

TEST(Presses, TheCursorFollowsWhatWorksUntilItIsMoved) {
  Sample sample;
  EXPECT_EQ(chosen_phase(play(sample, "↓↓b").focus, sample.shown)->name, "execute");
  const Focus moved = play(sample, "↓↓b↓").focus;
  sample.view.runs[2].phases[2].state = view::Phase::State::passed;
  sample.view.runs[2].phases[4].state = view::Phase::State::working;
  EXPECT_EQ(chosen_phase(play(sample, "↓↓b").focus, sample.shown)->name, "sign-off");
  EXPECT_EQ(chosen_phase(moved, sample.shown)->name, "execute-review");
  const Step follows = press(moved, {Key::Kind::text, "F"}, sample.shown, 120, 40);
  EXPECT_EQ(chosen_phase(follows.focus, sample.shown)->name, "sign-off");
}

TEST(Presses, ARefreshKeepsCursorAndFolds) {
  Sample sample;
  const Focus focus = play(sample, "ngj←").focus;
  EXPECT_EQ(bead_rows(focus, sample.shown).size(), 3U) << "demo-1.1 is folded";
  sample.shown.beads.insert(sample.shown.beads.begin(), Bead{"demo-0", "New", "task", "open", ""});
  EXPECT_EQ(bead_rows(focus, sample.shown).size(), 4U);
  EXPECT_EQ(chosen_bead(focus, sample.shown)->id, "demo-1.1");
  sample.shown.beads.clear();
  EXPECT_EQ(chosen_bead(focus, sample.shown), nullptr);
}

TEST(Presses, AFilterShowsRowsAndWhatIsAboveThem) {
  const Sample sample;
  const Played played = play(sample, "n/phone⏎");
  EXPECT_EQ(bead_rows(played.focus, sample.shown).size(), 3U) << played.screen;
  EXPECT_EQ(bead_rows(play(sample, "n/phone⏎⎋").focus, sample.shown).size(), 6U);
}

TEST(Presses, SlashFindsWordsInATranscriptOrDiffInFocus) {
  Sample sample;
  std::vector<std::string> lines;
  for (int i = 1; i <= 200; ++i)
    lines.push_back("line " + std::to_string(i) + (i % 50 == 0 ? " has a Needle" : ""));
  const Played there = play(sample, "bgj3⇥");
  sample.shown.pages[transcript_wish(there.focus, sample.shown).key()].lines = lines;
  const auto screen = [&](std::string_view keys) {
    return play(sample, "bgj3⇥" + std::string(keys)).screen;
  };
  EXPECT_TRUE(has(screen("/needle"), "needle: 4 lines")) << screen("/needle");
  EXPECT_TRUE(has(screen("/needle⏎"), "line 50 has a Needle")) << screen("/needle⏎");
  EXPECT_TRUE(has(screen("/needle⏎"), "needle: 1 of 4"));
  EXPECT_TRUE(has(screen("/needle⏎n"), "line 100 has a Needle"));
  EXPECT_TRUE(has(screen("/needle⏎nN"), "needle: 1 of 4"));
  EXPECT_TRUE(has(screen("/needle⏎N"), "line 200 has a Needle")) << "before the first is the last";
  EXPECT_TRUE(has(screen("/needle⏎nnnn"), "needle: 1 of 4")) << "after the last comes the first";
  EXPECT_TRUE(has(screen("/pin⏎"), "pin: nowhere"));
  EXPECT_FALSE(has(screen("/needle⎋"), "needle:"));
  const Played ended = play(sample, "bgj3⇥/needle⏎⎋");
  EXPECT_FALSE(has(ended.screen, "needle:"));
  EXPECT_EQ(ended.focus.pane, 1) << "escape ends the search first";
  EXPECT_EQ(play(sample, "bgj3⇥/needle⏎⎋n").focus.screen, Screen::beads);
  EXPECT_EQ(play(sample, "bgj3/needle⏎").focus.filter, "needle") << "the list is in focus";
  EXPECT_TRUE(has(play(sample, "bgj2⇥/two⏎").screen, "two: 1 of 1"));
  EXPECT_FALSE(has(screen("/pin⏎"), "512 KiB"));
  sample.shown.pages[transcript_wish(there.focus, sample.shown).key()].cut = true;
  EXPECT_TRUE(has(screen("/pin⏎"), "pin: nowhere in the last 512 KiB"));
  const Played hit = play(sample, "bgj3⇥/needle⏎");
  const canvas::Canvas drawn = draw(hit.focus, sample.shown, 120, 40, {});
  int painted = 0;
  for (int y = 0; y < drawn.rows(); ++y)
    for (int x = 0; x < drawn.columns(); ++x) {
      const canvas::Paint paint = drawn.at(x, y).paint;
      painted += paint.reverse && paint.colour == canvas::Colour::yellow ? 1 : 0;
    }
  EXPECT_EQ(painted, 6) << "the letters of the one word that is on the screen";
}

TEST(Presses, ATranscriptIsOfOneAttemptWithAWayToTheOthers) {
  const Sample sample;
  const auto wish = [&](std::string_view keys) {
    return joined(transcript_wish(play(sample, keys).focus, sample.shown).words, " ");
  };
  EXPECT_EQ(wish("bgj3"), "log /srv/calculator/PLAN.md --agent=7") << "the newest";
  EXPECT_EQ(wish("bgj3["), "log /srv/calculator/PLAN.md --agent=6");
  EXPECT_EQ(wish("bgj3[[[[["), "log /srv/calculator/PLAN.md --agent=4");
  EXPECT_EQ(wish("bgj3[[]"), "log /srv/calculator/PLAN.md --agent=6");
  EXPECT_TRUE(has(play(sample, "bgj3[").screen, "developer 2 (3 of 4)"));
  EXPECT_TRUE(has(play(sample, "bgj3[").screen, "[ ] other attempts"));
  EXPECT_FALSE(has(play(sample, "bgjjj3").screen, "other attempts")) << "there is one";
  EXPECT_TRUE(play(sample, "bgj3[y").effects.at(0).text.ends_with("--agent=6"));
  Sample earlier;  // a run that another one followed: its name would mean that one
  for (view::Run& run : earlier.view.runs) run.superseded = run.run == "20260131-120000-aaaaaa";
  EXPECT_EQ(transcript_wish(play(sample, "bgj3").focus, earlier.shown).words[1],
            "20260131-120000-aaaaaa");
}

TEST(Presses, BeadsInACircleAreShownAndDoNotHang) {
  Sample sample;
  sample.shown.beads = {{"a", "A", "epic", "open", "b"}, {"b", "B", "epic", "open", "a"}};
  play(sample, "ng⏎");
  EXPECT_EQ(bead_rows({}, sample.shown).size(), 2U);
}

TEST(Presses, ReplayGoesFactByFactAndBack) {
  const Sample sample;
  const Focus earlier = play(sample, "t←").focus;
  EXPECT_EQ(earlier.replay, 113U);
  EXPECT_TRUE(has(play(sample, "t←").screen, "replay: fact 113 of 114"));
  EXPECT_FALSE(play(sample, "t←→").focus.replay) << "the last fact is now";
  EXPECT_FALSE(play(sample, "t←F").focus.replay);
  EXPECT_TRUE(play(sample, "t←P").effects.empty()) << "the past cannot be steered";
}

TEST(Presses, EscapeNeverEndsAnything) {
  const Sample sample;
  EXPECT_TRUE(play(sample, "⎋⎋⎋b⎋⎋t⎋⎋n⎋⎋⎋").effects.empty());
}

TEST(Presses, YCopiesTheCommand) {
  const Sample sample;
  const Played played = play(sample, "y");
  ASSERT_EQ(played.effects.size(), 1U);
  EXPECT_EQ(played.effects[0].kind, Effect::Kind::copy);
  EXPECT_EQ(played.effects[0].text, "capsule answer /srv/calculator/PLAN.md 1 TEXT");
}

TEST(Presses, AClickChoosesARow) {
  const Sample sample;
  Focus focus = play(sample, "b").focus;
  Key click{Key::Kind::press, "", 10, 3};
  focus = press(focus, click, sample.shown, 120, 40).focus;
  EXPECT_EQ(chosen_task(focus, sample.shown)->id, "C-2");
  click.x = 100;
  EXPECT_EQ(press(focus, click, sample.shown, 120, 40).focus.pane, 1);
}

// Whatever is pressed, at whatever size: nothing breaks, and only what was confirmed is asked for.
TEST(Presses, NoKeysBreakTheDashboard) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  Sample sample;
  Focus focus;
  int columns = 120;
  int rows = 40;
  for (int i = 0; i < 6000; ++i) {
    Key key;
    key.kind = static_cast<Key::Kind>(random() % 20);
    key.text = std::string(1, static_cast<char>(' ' + random() % 95));
    key.x = static_cast<int>(random() % 200);
    key.y = static_cast<int>(random() % 60);
    if (random() % 40 == 0) {
      columns = 1 + static_cast<int>(random() % 300);
      rows = 1 + static_cast<int>(random() % 100);
    }
    if (random() % 500 == 0) sample.view.inbox.clear();
    if (random() % 500 == 0 && !sample.view.runs.empty()) sample.view.runs.pop_back();
    if (random() % 300 == 0) sample.view = testing::project();
    Step step = press(std::move(focus), key, sample.shown, columns, rows);
    focus = std::move(step.focus);
    wishes(focus, sample.shown);
    draw(focus, sample.shown, columns, rows, {random() % 2 == 0, random() % 2 == 0});
  }
}

TEST(KeyTable, EveryKeyHasOneMeaningOnAScreen) {
  for (int i = 0; i < kScreens; ++i) {
    std::set<std::string> seen;
    for (const KeyRow& row : key_table()) {
      if ((row.screens & on(static_cast<Screen>(i))) == 0 || row.when != When::always)
        continue;  // those take keys over
      for (const std::string_view key : split(row.keys, ' '))
        EXPECT_TRUE(seen.insert(std::string(key)).second)
            << key << " on " << word_of(static_cast<Screen>(i));
    }
  }
}

TEST(KeyTable, HasEverythingThatAKeyCanDo) {
  std::set<Does> seen;
  for (const KeyRow& row : key_table()) {
    seen.insert(row.does);
    EXPECT_FALSE(row.words.empty() || row.verb.empty());
  }
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(kDoes));
  for (int verb = 0; verb < view::kVerbs; ++verb) {
    const std::string_view name = view::name_of(static_cast<view::Verb>(verb));
    if (name == "show" || name == "log" || name == "approve") continue;  // enter, 3 and a
    EXPECT_TRUE(std::any_of(key_table().begin(), key_table().end(), [&](const KeyRow& row) {
      return row.verb == name && !row.command.empty();
    })) << name;
  }
}

TEST(KeyTable, TheDocumentationHasIt) {
  std::ifstream file(CAPSULE_SOURCE_DIR "/docs/dashboard-terminal.md", std::ios::binary);
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  EXPECT_TRUE(has(page, key_page())) << "put this there:\n" << key_page();
}

}  // namespace
}  // namespace capsule::tui
