#include "world/doctor.h"

#include <algorithm>

#include "world/init.h"
#include "world/test_support.h"

namespace capsule::world {
namespace {

class Setup : public ProjectTest {
 protected:
  void configure(const std::string& yaml) { write(project_ + "/.capsule/config.yaml", yaml); }
  Findings examined(const std::string& provider = "rehearsal") {
    ProjectWords words;
    words.folder = project_;
    words.provider = provider;
    return examine(words);
  }
  static const Finding* about(const Findings& findings, const std::string& what) {
    const auto found = std::find_if(findings.begin(), findings.end(),
                                    [&](const Finding& one) { return one.what == what; });
    return found == findings.end() ? nullptr : &*found;
  }
};

TEST_F(Setup, AnInitialisedProjectIsReady) {
  configure("tracker: native\n");
  EXPECT_FALSE(is_ready(examined())) << "there are no beads yet";
  const InitSteps steps = MUST(initialise(*project));
  EXPECT_TRUE(std::any_of(steps.begin(), steps.end(), [](const auto& one) { return one.changed; }));
  EXPECT_TRUE(is_ready(examined()));
  for (const InitStep& step : MUST(initialise(*project)))
    EXPECT_FALSE(step.changed && step.what.starts_with("prompts/")) << step.what;
}

TEST_F(Setup, AProblemOfTheConfigurationIsToldWithWhatMendsIt) {
  configure("max_retries: many\n");
  const Findings findings = examined();
  const Finding* config = about(findings, "config");
  ASSERT_NE(config, nullptr);
  EXPECT_EQ(config->health, Health::bad);
  EXPECT_NE(config->text.find("config.yaml:1"), std::string::npos) << config->text;
  EXPECT_FALSE(is_ready(findings));
}

TEST_F(Setup, AnAgentThatNobodyKnowsIsAProblem) {
  configure("tracker: native\n");
  const Findings findings = examined("nobody");
  ASSERT_FALSE(is_ready(findings));
}

// A run without them is refused: it would fall back on nobody at night.
TEST_F(Setup, AFallbackThatIsNotInstalledIsAProblem) {
  configure(
      "tracker: native\nfallbacks: [here, gone]\nproviders:\n"
      "  here: {command: [/bin/true]}\n  gone: {command: [/no/such/program]}\n");
  ASSERT_TRUE(initialise(*project));
  const Findings findings = examined();
  ASSERT_NE(about(findings, "fallback here"), nullptr);
  EXPECT_EQ(about(findings, "fallback here")->health, Health::good);
  const Finding* gone = about(findings, "fallback gone");
  ASSERT_NE(gone, nullptr);
  EXPECT_EQ(gone->health, Health::bad);
  EXPECT_EQ(gone->text, "/no/such/program is not installed");
  EXPECT_FALSE(is_ready(findings));
}

TEST_F(Setup, AWorktreeThatNobodyWorksInIsOnlyDoubtful) {
  configure("tracker: native\n");
  ASSERT_TRUE(initialise(*project));
  make_worktree(project->repository, "demo-1");
  const Findings findings = examined();
  const Finding* worktree = about(findings, "worktree");
  ASSERT_NE(worktree, nullptr);
  EXPECT_EQ(worktree->health, Health::doubtful);
  EXPECT_NE(worktree->mend.at(0).find("capsule run demo-1"), std::string::npos);
  EXPECT_TRUE(is_ready(findings));
}

TEST_F(Setup, EveryProtectionOfContainedCommandsHasARow) {
  configure("tracker: native\n");
  const Findings findings = examined();
  const Finding* namespaces = about(findings, "user namespaces");
  ASSERT_NE(namespaces, nullptr);
  std::vector<const char*> rows{"user namespaces", "landlock", "seccomp"};
  // Without them nobody can say.
  if (namespaces->health == Health::good) rows.push_back("overlay");
  for (const char* what : rows) {
    const Finding* row = about(findings, what);
    ASSERT_NE(row, nullptr) << what;
    EXPECT_NE(row->health, Health::bad) << "nothing but contain itself needs it";
    EXPECT_EQ(row->health == Health::good, row->mend.empty()) << row->text;
  }
}

}  // namespace
}  // namespace capsule::world
