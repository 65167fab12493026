// A real project with a journal, for the tests of this folder.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/run.h"
#include "event/auto.h"
#include "event/delivery.h"
#include "event/pipeline.h"
#include "git/test_support.h"
#include "store/store.h"
#include "world/project.h"

namespace capsule::world {

inline constexpr const char* kAt = "2026-01-01T00:00:00.000Z";

// A project with a real journal, into which a test records runs of every workflow.
class ProjectTest : public git::GitTest {
 protected:
  void SetUp() override {
    GitTest::SetUp();
    ProjectWords words;
    words.folder = project_;
    auto opened = open_project(words);
    ASSERT_TRUE(opened) << opened.error().message;
    project = std::make_unique<Project>(*std::move(opened));
    project->option.clear();
    (void)git::exclude_capsule_dir(project->repository);
    auto store_opened = store::Store::open(project_, store::Access::read_write);
    ASSERT_TRUE(store_opened) << store_opened.error().message;
    store = *std::move(store_opened);
  }

  template <class Fact>
  static event::NewFact fact(const Fact& one) {
    return {std::string(kind_of(one)), kAt, body_of(one)};
  }
  void record(const std::string& run, const std::string& workflow, const std::string& subject,
              const std::vector<event::NewFact>& facts, const std::string& outcome = "") {
    const auto begun = store->begin({run, workflow, subject, kAt}, facts);
    ASSERT_TRUE(begun) << begun.error().message;
    if (!outcome.empty()) {
      ASSERT_TRUE(store->append(run, *begun, {}, engine::Ending{kAt, outcome}));
    }
  }
  void pipeline(const std::string& run, const std::string& bead, event::Outcome outcome) {
    event::RunStarted started;
    started.bead = bead;
    started.title = "Title of " + bead;
    std::vector<event::NewFact> facts{fact(event::PipelineFact(started))};
    const bool ended = outcome != event::Outcome::none;
    if (ended) facts.push_back(fact(event::PipelineFact(event::RunEnded{outcome, ""})));
    record(run, "pipeline", bead, facts, ended ? std::string(name_of(outcome)) : "");
  }
  // With one task that asks a question.
  void delivery(const std::string& run, const std::string& subject, const char* task = "T-1") {
    using namespace event::delivery;  // NOLINT: its facts
    DeliveryStarted started;
    started.plan = subject;
    started.title = "The plan";
    Task one;
    one.id = task;
    one.criteria = {"x"};
    started.tasks = {one};
    event::delivery::AgentFinished asks;
    asks.agent = 1;
    asks.signal = signal::Signal::divine_clarification;
    asks.fields = {{"Question", "Which colour?"}};
    record(run, "delivery", subject,
           {fact(DeliveryFact(started)),
            fact(DeliveryFact(VerifyFinished{VerifyPurpose::baseline, {}, ""})),
            fact(DeliveryFact(
                AgentDispatched{1, signal::Role::developer, task, 1, 1, Why::fresh, "", ""})),
            fact(DeliveryFact(asks))});
  }
  void auto_run(const std::string& run, event::auto_run::Outcome outcome) {
    namespace autos = event::auto_run;
    autos::Started started;
    started.task = "Validate phone numbers\nand more";
    started.at = kAt;
    autos::Fact ended = autos::Ended{outcome, "which?", kAt};
    record(run, "auto", std::string(engine::kAutoSubject),
           {fact(autos::Fact(started)), fact(ended)}, std::string(autos::name_of(outcome)));
  }

  std::unique_ptr<Project> project;
  std::unique_ptr<store::Store> store;
};

}  // namespace capsule::world
