// Keys that steer what is chosen, by the commands that they run; the wheel; what a wait looks like.
#include <gtest/gtest.h>

#include "ui/tui/play.h"
#include "ui/tui/rows.h"

namespace capsule::tui {
namespace {

using testing::has;
using testing::Key;
using testing::play;
using testing::Played;
using testing::Sample;
using view::Attention;
using view::Verb;
using Words = std::vector<std::string>;

// Its first item is of that kind, with these actions.
struct Asked : Sample {
  Asked(Attention kind, std::vector<view::Action> actions) {
    view.inbox[0].kind = kind;
    view.inbox[0].actions = std::move(actions);
  }
};

// The words of the one command that the keys asked for; none: they asked for none, or several.
Words asked_by(const Sample& sample, std::string_view keys) {
  const Played played = play(sample, keys);
  if (played.effects.size() != 1) return {};
  EXPECT_EQ(played.effects[0].kind, Effect::Kind::command);
  EXPECT_FALSE(played.focus.dialog) << "it is sent";
  return played.effects[0].words;
}

constexpr const char* kPlan = "/srv/calculator/PLAN.md";

TEST(Steering, TellGoesToTheChosenTaskOrTheWholeRun) {
  const Sample sample;
  EXPECT_EQ(asked_by(sample, "bgjmTests, too.⏎"), (Words{"tell", kPlan, "C-2", "Tests, too."}));
  EXPECT_EQ(asked_by(sample, "mStop it⏎"), (Words{"tell", kPlan, "Stop it"}));
  EXPECT_EQ(asked_by(sample, "m--all⏎"), (Words{"tell", kPlan, "--", "--all"}))
      << "a text is none of its options";
  EXPECT_TRUE(has(play(sample, "bgjm").screen, "Tell /srv/calculator/PLAN.md C-2"));
  EXPECT_TRUE(play(sample, "m⏎").effects.empty()) << "nothing is no text";
  EXPECT_TRUE(has(play(sample, "mwords⎋m").screen, "› words")) << "escape keeps a draft";
}

TEST(Steering, RejectWantsWhatHasToBeDifferent) {
  const Asked sample(Attention::approval, {{Verb::approve, {"approve", "demo-1"}, ""},
                                           {Verb::reject, {"reject", "demo-1"}, "TEXT"}});
  EXPECT_TRUE(has(play(sample, "X").screen, "What has to be different?"));
  EXPECT_EQ(asked_by(sample, "XNo tests.⏎"), (Words{"reject", "demo-1", "--because=No tests."}));
  EXPECT_TRUE(play(sample, "X⏎").effects.empty()) << "not without words";
  EXPECT_EQ(asked_by(sample, "aa"), (Words{"approve", "demo-1"}));
  EXPECT_TRUE(has(play(Sample(), "X").screen, "not now: reject"));
}

TEST(Steering, AMergeIsTriedAgainOnceThatIsConfirmed) {
  const Asked sample(Attention::refused_merge, {{Verb::merge, {"merge", "demo-1"}, ""}});
  const Played shown = play(sample, "M");
  EXPECT_TRUE(shown.effects.empty());
  EXPECT_TRUE(has(shown.screen, "Its checks run again, and then it is merged.")) << shown.screen;
  EXPECT_EQ(asked_by(sample, "MM"), (Words{"merge", "demo-1", "--detach"}));
  EXPECT_TRUE(play(sample, "M⎋").effects.empty());
  EXPECT_TRUE(has(play(Sample(), "M").screen, "not now: try the merge"));
}

TEST(Steering, AParkedProviderIsLiftedAtOnce) {
  const Asked sample(Attention::quota, {{Verb::lift, {"agents", "resume", "codex"}, ""}});
  EXPECT_EQ(asked_by(sample, "u"), (Words{"agents", "resume", "codex"}));
  EXPECT_TRUE(has(play(Sample(), "u").screen, "not now: let agents"));
}

Focus turned(Focus focus, Key::Kind wheel, const Sample& sample) {
  return press(std::move(focus), {wheel, "", 5, 5}, sample.shown, 120, 40).focus;
}

TEST(Steering, TheWheelMovesAListAndScrollsAPane) {
  Sample sample;
  Focus focus = play(sample, "bg").focus;
  ASSERT_EQ(chosen_task(focus, sample.shown)->id, "C-1");
  focus = turned(std::move(focus), Key::Kind::wheel_down, sample);
  EXPECT_EQ(chosen_task(focus, sample.shown)->id, "C-4") << "three rows";
  focus = turned(std::move(focus), Key::Kind::wheel_up, sample);
  EXPECT_EQ(chosen_task(focus, sample.shown)->id, "C-1");
  focus = turned(std::move(focus), Key::Kind::wheel_up, sample);
  EXPECT_EQ(chosen_task(focus, sample.shown)->id, "C-1") << "before the first is nothing";

  focus = play(sample, "bgj3⇥").focus;
  sample.shown.pages[transcript_wish(focus, sample.shown).key()].lines = Words(200, "a line");
  focus = press(focus, {Key::Kind::home}, sample.shown, 120, 40).focus;
  ASSERT_EQ(focus.scroll, 0);
  focus = turned(std::move(focus), Key::Kind::wheel_down, sample);
  EXPECT_EQ(focus.scroll, 3);
  EXPECT_EQ(chosen_task(focus, sample.shown)->id, "C-2") << "the list stays";
  focus = turned(std::move(focus), Key::Kind::wheel_up, sample);
  EXPECT_EQ(focus.scroll, 0);

  focus = play(sample, "a").focus;
  focus = turned(std::move(focus), Key::Kind::wheel_down, sample);
  EXPECT_EQ(focus.dialog->scroll, 1) << "a question may be long";
}

std::string row_of(const std::string& screen, std::string_view name) {
  for (const std::string_view line : split(screen, '\n'))
    if (line.find(name) != line.npos) return std::string(line);
  return {};
}

// The waits of runs of phases and of auto mode have no task, and a budget's may have none.
TEST(Timeline, AWaitOfTheWholeRunIsOnEveryRow) {
  using Kind = view::Band::Kind;
  using testing::minute;
  for (const auto& [kind, sign] : {std::pair(Kind::person, "?···"), std::pair(Kind::budget, "…···"),
                                   std::pair(Kind::provider, "…···")})
    for (const auto& [keys, run, rows] : {std::tuple("↓↓t", 2, Words{"execute-review", "sign-off"}),
                                          std::tuple("t", 1, Words{"C-5", "C-6"})}) {
      Sample sample;
      view::Run& its = sample.view.runs[static_cast<std::size_t>(run)];
      its.bands = {{kind, "", 7, minute(2), minute(4)}};
      const std::string screen = play(sample, keys).screen;
      for (const std::string& row : rows)
        EXPECT_TRUE(has(row_of(screen, row), sign)) << keys << ", " << row << "\n" << screen;
      its.bands = {{kind, rows[0], 7, minute(2), minute(4)}};
      const std::string one = play(sample, keys).screen;
      EXPECT_TRUE(has(row_of(one, rows[0]), sign)) << one;
      EXPECT_FALSE(has(row_of(one, rows[1]), sign)) << "of its task alone\n" << one;
    }
}

}  // namespace
}  // namespace capsule::tui
