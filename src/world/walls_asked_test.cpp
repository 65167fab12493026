#include "world/walls_asked.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "contain/abilities.h"
#include "world/elsewhere.h"
#include "world/test_support.h"
#include "world/walls.h"

namespace capsule::world {
namespace {

namespace wire = event::work;
using config::ContainNet;
using config::ContainPreset;
using config::Walls;

class WallsAsked : public ProjectTest {
 protected:
  void SetUp() override {
    ProjectTest::SetUp();
    ::unsetenv("CAPSULE_CONTAIN");
  }
  Project with(const std::string& text) const {
    std::filesystem::create_directories(project_ + "/.capsule");
    std::ofstream(project_ + "/.capsule/config.yaml") << text;
    ProjectWords words;
    words.folder = project_;
    return open_project(words).value();
  }
  static workflow::StartAgent phase(const std::string& name) {
    workflow::StartAgent start;
    start.role = name;
    return start;
  }
  static wire::Walls strict() { return {"strict", "proxy", false, false}; }
};

TEST_F(WallsAsked, AnOrderCarriesTheWallsOfTheRun) {
  EXPECT_EQ(walls_asked(with(""), phase("execute")), wire::Walls{});
  const Project project = with("contain: worktree\nphases: {execute: {contain: strict}}\n");
  EXPECT_EQ(walls_asked(project, phase("merge")), (wire::Walls{"worktree", "open", false, false}));
  const auto order =
      wire::read_order(wire::written(order_of(project, phase("execute"), "p", "ref"))).value();
  EXPECT_EQ(order.walls, strict());
}

TEST_F(WallsAsked, TheTighterOfTheRunAndTheWorkerHolds) {
  const Project none = held_to(with(""), strict()).value();
  EXPECT_EQ(none.config.walls_of("execute"), (Walls{ContainPreset::strict, ContainNet::proxy}));
  EXPECT_EQ(none.config.walls_of_setup().preset, ContainPreset::strict);
  EXPECT_TRUE(walls_chosen(none.config)) << "what is asked for is not done without";
  EXPECT_FALSE(none.config.contain.weaker);

  const Project own =
      held_to(with("contain: worktree\nphases: {execute: {contain: {preset: strict, net: off}}}\n"
                   "roles: {developer: {contain: strict}}\n"),
              {"worktree", "proxy", true, true})
          .value();
  EXPECT_EQ(own.config.walls_of("execute"), (Walls{ContainPreset::strict, ContainNet::off}));
  EXPECT_EQ(own.config.walls_of("merge"), (Walls{ContainPreset::worktree, ContainNet::proxy}));
  EXPECT_EQ(own.config.walls_of_role("developer"),
            (Walls{ContainPreset::strict, ContainNet::proxy}));
  EXPECT_FALSE(own.config.contain.weaker) << "the worker refuses";
  EXPECT_TRUE(own.config.contain.broker);

  EXPECT_EQ(held_to(with("contain: strict\n"), {}).value().config.walls_of("").preset,
            ContainPreset::strict)
      << "a run without walls loosens none";
}

TEST_F(WallsAsked, WallsThatAreNotKnownAreRefused) {
  for (const wire::Walls& asked :
       {wire::Walls{"castle", "open"}, wire::Walls{"strict", ""}, wire::Walls{"strict", "some"}})
    EXPECT_EQ(held_to(with(""), asked).error().reason, Reason::damaged) << asked.preset;
}

TEST_F(WallsAsked, OnlyAWorkerWhoseKernelHoldsThemIsGivenTheAgent) {
  EXPECT_EQ(label_of(strict()), "walls:strict");
  EXPECT_EQ(label_of({"strict", "proxy", true, false}), "");
  EXPECT_EQ(label_of({}), "");
  const std::vector<std::string> labels = walls_labels();
  EXPECT_EQ(labels.empty(), contain::namespaces_missing() || contain::overlay_missing());
  if (!labels.empty()) EXPECT_EQ(labels.front(), "walls:worktree");
}

TEST_F(WallsAsked, WhatAWorkerTellsOfWallsAreFactsOfTheRun) {
  const Project project = with("contain: worktree\n");
  workflow::StartAgent start = phase("execute");
  start.agent = 7;
  start.task = "demo-1";
  wire::Report report;
  report.contained = {{"writer", "strict", "proxy", true, 7, true, false, {}}};
  report.refused = {{1, "x", "y", {{"a.example:443", 2, "", ""}}, 0}};
  const wire::Report read = wire::read_report(wire::written(report)).value();
  auto news = walls_told(project, start, read);
  ASSERT_EQ(news.size(), 2U);
  EXPECT_EQ(std::get<workflow::Contained>(news[0].what), report.contained[0]);
  const auto& refused = std::get<workflow::HostsRefused>(news[1].what);
  EXPECT_EQ(refused.agent, 7);
  EXPECT_EQ(refused.role, "execute");
  EXPECT_EQ(refused.hosts, report.refused[0].hosts);

  news = walls_told(project, start, {});
  ASSERT_EQ(news.size(), 1U) << "a worker that says nothing";
  EXPECT_EQ(std::get<workflow::Contained>(news[0].what).preset, "off");
  EXPECT_TRUE(walls_told(with(""), start, {}).empty());
}

}  // namespace
}  // namespace capsule::world
