// Tests against the real client (tests/client/install says which): it stands as `claude` on PATH in
// the place of the mock, talks to a scripted model, and has a HOME, a TMPDIR and an environment of
// its own. Without the client these tests are skipped; ./test leaves them out with one line.
#pragma once

#include <gmock/gmock.h>

#include "tests/client/model.h"
#include "tests/program/project.h"

namespace capsule::test {

// A signal of the contract dialect, after some text as a model writes it.
std::string signal_text(const std::string& status, const std::string& feedback,
                        const std::string& files = "");

// The same of the block dialect: a completion.
std::string completion(const std::string& signal);

class ClientTest : public ProjectTest {
 protected:
  void SetUp() override;
  void TearDown() override;  // nothing that the script did not foresee

  Script& model() { return script_; }
  static const std::string& version();  // of the client
  // The client itself, as a person calls it, in the project.
  Outcome client(std::vector<std::string> args, std::string input = {}) const;
  void install_hook();  // in the project, and committed

 private:
  Script script_;
  Model model_{script_};
};

}  // namespace capsule::test
