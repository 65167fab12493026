// Tests against real clients of any make (clients.h): those that a test names stand on PATH, in a
// HOME of the test's own, and talk to one scripted model, each in its own API. A test whose clients
// are not in the cache is skipped; ./test leaves it out with one line.
#pragma once

#include <gmock/gmock.h>

#include "tests/client/clients.h"
#include "tests/client/model.h"
#include "tests/program/project.h"

namespace capsule::test {

class AgentTest : public ProjectTest {
 protected:
  void SetUp() override;
  void TearDown() override;  // nothing that the script did not foresee

  // Puts these clients on PATH, ready to talk to the model; false (and the test is skipped) where
  // one is missing. The project is made, too.
  bool with_clients(const std::vector<std::string>& names);
  // Before with_clients: Capsule does not know who they are, and sets none of their switches.
  void hide_from_capsule() { known_to_capsule_ = false; }
  // Clients that are started from now on find no model.
  void hide_model();

  Script& model() { return script_; }
  Room room() const;
  // Lines of the configuration that have these clients, by their own names, talk to the model.
  // `answer_timeout` of each, unless it is empty; `model` is asked for where a client would take
  // any.
  std::string providers_of(const std::vector<std::string>& names,
                           const std::string& answer_timeout = "",
                           const std::string& model = "") const;
  // Lines of the configuration that make `name` a command provider with plain output.
  std::string plain_provider(const std::string& name) const;
  // A workflow "small" of two phases, change and review, and its prompts. The review may only look,
  // and sends the work back twice at most.
  void write_small_workflow();
  // What the model does in it. The first review finds something to mend.
  void script_small_workflow();
  Outcome run_small(std::vector<std::string> more = {}) const;
  // `capsule COMMAND …`, with the time that real clients take on a machine that has much to do.
  Call patiently(const std::string& command, std::vector<std::string> args) const;
  // What the client `name`, who did all of it, told of tokens is what the model charged, to the
  // last one; nothing at all, where it tells none.
  void expect_counted(const Outcome& outcome, const std::string& name);
  // A workflow "one" of a single phase, change, with the same prompt.
  void write_workflow_of_one();

 private:
  Script script_;
  Model model_{script_};
  bool hidden_ = false, known_to_capsule_ = true;
  std::vector<std::string> clients_;
};

// What the model does in the pipeline: every phase done well, by the client's own tool, but for a
// test that the review misses at first.
void script_pipeline(Script& model);

// What the facts of a run, as --json tells them, say of the calls of its agents.
std::vector<Json> facts_of(const Outcome& outcome, const std::string& kind);
Tokens used_in(const Outcome& outcome);

// Suites of each client are instantiated under Client and its name, by which ./test leaves them
// out.
#define FOR_CLIENT(Suite, name, Name)                                    \
  INSTANTIATE_TEST_SUITE_P(Client##Name, Suite, ::testing::Values(name), \
                           [](const auto&) { return name; })

}  // namespace capsule::test
