#include "ui/tui/commanding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ui/tui/play.h"
#include "ui/tui/rows.h"

namespace capsule::tui {
namespace {

using ::testing::ElementsAre;
using testing::has;
using ::testing::IsEmpty;
using testing::Key;
using testing::play;
using testing::Played;
using testing::Sample;
using Words = std::vector<std::string>;

TEST(CommandLine, RunsWhatIsTypedAndShowsWhatItPrinted) {
  const Sample sample;
  Played played = play(sample, ":status demo-2⏎");
  ASSERT_EQ(played.effects.size(), 1U);
  EXPECT_EQ(played.effects[0].kind, Effect::Kind::command);
  EXPECT_EQ(played.effects[0].words, (Words{"status", "demo-2"}));
  EXPECT_EQ(played.effects[0].number, 1);
  EXPECT_TRUE(has(played.screen, "capsule status demo-2")) << played.screen;
  EXPECT_TRUE(has(played.screen, "runs;"));
  show_output(played.focus, 1, "capsule status demo-2", {"all is well", "", ""}, 0);
  const std::string ended = draw(played.focus, sample.shown, 120, 40, {}).text();
  EXPECT_TRUE(has(ended, "all is well")) << ended;
  EXPECT_TRUE(has(ended, "✓ done"));
  show_output(played.focus, 1, "", {"no such run"}, 2);
  EXPECT_TRUE(has(draw(played.focus, sample.shown, 120, 40, {}).text(), "✗ failed, exit code 2"));
  EXPECT_FALSE(press(played.focus, {Key::Kind::escape}, sample.shown, 120, 40).focus.dialog);
}

TEST(CommandLine, WhoHasLeftTheOutputGetsOneLineOfIt) {
  const Sample sample;
  Focus focus = play(sample, ":status x⏎⎋").focus;
  show_output(focus, 1, "capsule status x", {"first", "last"}, 0);
  EXPECT_FALSE(focus.dialog);
  EXPECT_EQ(focus.note, "capsule status x: first");
  focus = play(sample, ":status x⏎⎋a").focus;
  show_output(focus, 1, "capsule status x", {"first", "last"}, 1);
  EXPECT_EQ(focus.note, "capsule status x: last");
  EXPECT_EQ(focus.dialog->kind, Dialog::Kind::input) << "what is typed elsewhere stays";
}

TEST(CommandLine, WhatCanGoOnAloneIsToldTo) {
  const Sample sample;
  EXPECT_EQ(meant("run demo-2", sample.shown).words, (Words{"run", "--detach", "demo-2"}));
  EXPECT_EQ(meant("capsule run --detach demo-2", sample.shown).words,
            (Words{"run", "--detach", "demo-2"}));
  EXPECT_EQ(meant("run --help", sample.shown).words, (Words{"run", "--help"}));
}

TEST(CommandLine, RefusesWhatHasNoPlaceThereAndSaysWhatToDo) {
  const Sample sample;
  EXPECT_TRUE(has(meant("ui", sample.shown).why_not, "Not here: this is it"));
  EXPECT_TRUE(has(meant("dashboard", sample.shown).why_not, "Not here"));
  EXPECT_TRUE(has(meant("log demo-2 --follow", sample.shown).why_not, "without --follow"));
  EXPECT_EQ(meant("log demo-2", sample.shown).why_not, "");
  EXPECT_TRUE(has(meant("statsu", sample.shown).why_not, "is it status?"));
  EXPECT_EQ(meant("bead", sample.shown).words, Words{"bead"}) << "the program says what follows";
  EXPECT_TRUE(has(meant("status 'x", sample.shown).why_not, "quote"));
  EXPECT_THAT(meant("  ", sample.shown).words, IsEmpty());
  const Played refused = play(sample, ":ui⏎");
  EXPECT_THAT(refused.effects, IsEmpty());
  EXPECT_TRUE(has(refused.screen, "Not here: this is it.")) << refused.screen;
}

TEST(CommandLine, TabCompletesAsMuchAsIsSureAndThenGoesThroughTheRest) {
  const Sample sample;
  const auto text = [&](std::string_view keys) {
    return play(sample, ":" + std::string(keys)).focus.dialog->text;
  };
  EXPECT_EQ(text("st⇥"), "status ");
  EXPECT_EQ(text("be⇥"), "bead ");
  EXPECT_EQ(text("bead ⇥"), "bead list ");
  EXPECT_EQ(text("run d⇥"), "run demo-");
  EXPECT_EQ(text("run d⇥⇥"), "run demo-1");
  EXPECT_EQ(text("run d⇥⇥⇥"), "run demo-1.1");
  EXPECT_EQ(text("run --p⇥"), "run --provider=");
  EXPECT_EQ(text("run --provider=co⇥"), "run --provider=codex ");
  EXPECT_EQ(text("status /⇥C-⇥"), "status /srv/calculator/PLAN.md C-1") << "tasks of that run";
  EXPECT_EQ(text("xyz⇥"), "xyz");
}

TEST(CommandLine, ProposesWhatCouldComeNext) {
  const Sample sample;
  EXPECT_TRUE(has(play(sample, ":").screen, "Take one bead to main"));
  Words beads;
  for (const auto& one : completion_of("run ", sample.shown).proposals) beads.push_back(one.word);
  EXPECT_THAT(beads, ElementsAre("demo-1", "demo-1.1", "demo-1.1.2", "demo-1.1.3", "demo-2"))
      << "one is closed";
  EXPECT_TRUE(has(play(sample, ":status demo-2 x ").screen, "capsule status RUN"));
}

TEST(CommandLine, RemembersWhatWasRun) {
  const Sample sample;
  const auto text = [&](std::string_view keys) {
    return play(sample, ":status a⏎⎋:status b⏎⎋:" + std::string(keys)).focus.dialog->text;
  };
  EXPECT_EQ(text("↑"), "status b");
  EXPECT_EQ(text("↑↑↑"), "status a");
  EXPECT_EQ(text("new↑↓"), "new");
  EXPECT_EQ(text("new⎋:"), "new") << "escape keeps it";
  EXPECT_EQ(text("a b←c"), "a cb") << "there is a cursor";
}

TEST(Trees, AShellAndAnEditorGoToTheWorktreeOfWhatIsChosen) {
  Sample sample;
  view::Run& delivery = sample.view.runs[1];
  delivery.trees = {{"C-2", "", ""}};
  sample.view.runs[2].trees = {{"", "/p/.capsule/worktrees/demo-1.1.2", "capsule-demo-1.1.2"}};
  Played played = play(sample, "bgjo");
  ASSERT_EQ(played.effects.size(), 1U) << played.screen;
  EXPECT_EQ(played.effects[0].kind, Effect::Kind::shell);
  EXPECT_EQ(played.effects[0].words, (Words{delivery.run, "C-2"}));
  played = play(sample, "↓↓be");
  ASSERT_EQ(played.effects.size(), 1U) << played.screen;
  EXPECT_EQ(played.effects[0].kind, Effect::Kind::editor);
  EXPECT_EQ(played.effects[0].text, "/p/.capsule/worktrees/demo-1.1.2");
  EXPECT_TRUE(has(play(sample, "bgo").screen, "C-1 is merged: its worktree is gone"));
  EXPECT_TRUE(has(play(sample, "bGo").screen, "C-6 has no worktree"));
  EXPECT_THAT(play(sample, "bGoHo").effects, IsEmpty());
}

// An epic of which four tasks are delivered.
struct Campaign : Sample {
  Campaign() {
    view::Run run = testing::delivery();
    run.subject = "delivery:demo-1";
    run.name = "demo-1";
    run.tasks.resize(3);
    run.tasks[0].id = "demo-1.1.1";
    run.tasks[1].id = "demo-1.1.2";
    run.tasks[2].id = "demo-1.1.3";
    run.actions[0].words = {"pause", "demo-1"};
    run.done = 1;
    run.all = 3;
    view.inbox.clear();
    view.runs = {run};
  }
};

TEST(Campaigns, TheTreeShowsHowFarEachBeadIs) {
  const Campaign sample;
  const std::string screen = play(sample, "n").screen;
  EXPECT_TRUE(has(screen, "▼ ▶ demo-1 Contacts")) << screen;
  EXPECT_TRUE(has(screen, "1/3, 1 failed"));
  EXPECT_TRUE(has(screen, "▼ ▶ demo-1.1 Validation")) << "as its tasks are";
  EXPECT_TRUE(has(screen, "critic 2"));
  EXPECT_TRUE(has(screen, "✗ demo-1.1.3"));
  EXPECT_TRUE(has(play(sample, "ngjjjj").screen, "three attempts were not enough"));
  EXPECT_TRUE(has(play(sample, "ng").screen, "demo-1.1.3: three attempts were not enough"));
}

TEST(Campaigns, TheCursorFollowsWhatWorksUntilItIsMoved) {
  Campaign sample;
  Focus focus = play(sample, "n").focus;
  EXPECT_EQ(chosen_bead(focus, sample.shown)->id, "demo-1.1.2");
  sample.view.runs[0].tasks[1].stage = view::Stage::complete;
  sample.view.runs[0].tasks[2].stage = view::Stage::review;
  EXPECT_EQ(chosen_bead(focus, sample.shown)->id, "demo-1.1.3");
  const Focus moved = press(focus, {Key::Kind::up}, sample.shown, 120, 40).focus;
  sample.view.runs[0].tasks[2].stage = view::Stage::failed;
  EXPECT_EQ(chosen_bead(moved, sample.shown)->id, "demo-1.1.2");
  EXPECT_EQ(chosen_bead(focus, sample.shown)->id, "demo-1") << "nothing works";
}

TEST(Campaigns, ABeadThatIsRunIsFollowedAndItsRunCanBeSteeredFromTheTree) {
  Sample idle;
  idle.view.runs.clear();
  idle.view.inbox.clear();
  const Focus focus = play(idle, "njG⏎⏎").focus;
  EXPECT_EQ(focus.started, "demo-2");
  EXPECT_EQ(chosen_bead(focus, idle.shown)->id, "demo-2") << "it does not run yet";
  const Campaign sample;
  EXPECT_EQ(chosen_bead(focus, sample.shown)->id, "demo-2") << "what else works does not matter";
  const Played opened = play(sample, "n⏎");
  EXPECT_EQ(opened.focus.screen, Screen::board) << opened.screen;
  EXPECT_EQ(chosen_task(opened.focus, sample.shown)->id, "demo-1.1.2");
  const Played paused = play(sample, "nP");
  ASSERT_EQ(paused.effects.size(), 1U);
  EXPECT_EQ(paused.effects[0].words, (Words{"pause", "demo-1"}));
}

}  // namespace
}  // namespace capsule::tui
