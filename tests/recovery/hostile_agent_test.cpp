// Agents that try to steer their own run, to have Capsule execute something, or to stop it.
#include <filesystem>

#include "tests/recovery/project.h"

namespace capsule::test {
namespace {

namespace fs = std::filesystem;

class HostileAgent : public RecoveryTest {
 protected:
  void SetUp() override {
    RecoveryTest::SetUp();
    place_ = make_place("project");
  }
  Place place_;
};

TEST_F(HostileAgent, CannotCallTheCommandsThatAreForPeople) {
  const std::string capsule = CAPSULE_BINARY;
  std::string script;
  for (const char* words : {"run plain-2", "merge plain-1", "abort plain-1", "pause plain-1",
                            "prep plain-2", "run-phase execute .", "gc --older-than=0s",
                            "approve plain-1", "reject plain-1 --because=x"})
    script += "(cd '" + place_.folder + "' && env -i PATH=\"$PATH\" HOME=\"$HOME\" setsid '" +
              capsule + "' " + words + " >>\"$notes/said\" 2>&1; echo \"" + words +
              " -> $?\" >>\"$notes/said\") || true\n";
  before("execute", script);
  const Outcome outcome = capsule_in(place_, {"run", kPlain});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  const std::string said = read_file(note("said"));
  int refusals = 0;
  for (const std::string& line : lines_in(said)) {
    EXPECT_FALSE(line.ends_with("-> 0")) << said;
    if (line.find("agents may not call it") != std::string::npos) ++refusals;
  }
  EXPECT_EQ(refusals, 9) << said;
  EXPECT_EQ(git(place_, {"log", "--merges", "--format=%s", "main"}),
            "Merge plain-1: Make plain-1\n");
}

TEST_F(HostileAgent, MayReadWhatIsThere) {
  const std::string capsule = CAPSULE_BINARY;
  std::string script;
  for (const char* words : {"snapshots plain-1", "ledger", "config show", "bead show plain-1"})
    script += "(cd '" + place_.folder + "' && '" + capsule + "' " + words +
              " >/dev/null 2>>\"$notes/said\"; echo \"$?\" >>\"$notes/codes\")\n";
  before("execute", script);
  EXPECT_EQ(capsule_in(place_, {"run", kPlain}).exit_code, 0);
  EXPECT_EQ(read_file(note("codes")), "0\n0\n0\n0\n") << read_file(note("said"));
}

// In the shared configuration, which every worktree of the project reads.
TEST_F(HostileAgent, CannotHaveCapsuleExecuteWhatItPlantsInTheSharedConfiguration) {
  const std::string evil = path("evil");
  write_file(evil, "#!/bin/sh\necho \"$0 $*\" >>'" + note("executed") + "'\ncat 2>/dev/null\n");
  fs::permissions(evil, fs::perms::owner_all);
  fs::create_directories(path("hooks"));
  for (const char* hook : {"reference-transaction", "post-checkout", "pre-commit", "post-merge",
                           "post-commit", "pre-merge-commit", "post-index-change", "update"})
    fs::copy(evil, path("hooks/") + hook);
  // After its own last git call: from here on only Capsule calls git.
  const std::string plant =
      "c='" + place_.folder + "/.git/config'; e='" + evil +
      "'\n"
      "for k in core.fsmonitor core.sshCommand core.editor core.pager diff.external "
      "filter.x.smudge filter.x.clean filter.x.process merge.x.driver gpg.program "
      "credential.helper; do git config -f \"$c\" $k \"$e\"; done\n"
      "git config -f \"$c\" filter.x.required true\n"
      "git config -f \"$c\" core.hooksPath '" +
      path("hooks") +
      "'\n"
      "git config -f \"$c\" commit.gpgSign true\n"
      "git config -f \"$c\" core.attributesFile '" +
      path("attributes") +
      "'\n"
      "printf '* filter=x diff=x merge=x\\n' >'" +
      place_.folder + "/.git/info/attributes'\n";
  write_file(path("attributes"), "* filter=x merge=x\n");
  // The agents of the phases before merge call no git; merge's commits first.
  before("test-review", plant);
  before("merge", "cp '" + place_.folder + "/.git/config' '" + path("config") +
                      "'\n"
                      "printf '[core]\\n\\trepositoryformatversion = 0\\n' >'" +
                      place_.folder + "/.git/config'\nrm '" + place_.folder +
                      "/.git/info/attributes'\n"
                      "git add tests plain-1.txt && git commit -q -m \"$CAPSULE_COMMIT_MSG\"\n" +
                      plant + "say PASS committed; exit 0");
  const Outcome outcome = capsule_in(place_, {"run", kPlain});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(read_file(note("executed")), "");
  before("test-review", "");
  before("merge",
         "git() { command git -c core.fsmonitor= -c core.hooksPath=/dev/null "
         "-c commit.gpgSign=false -c filter.x.required=false -c filter.x.clean= "
         "-c filter.x.process= -c filter.x.smudge= \"$@\"; }");
  const Outcome next = capsule_in(place_, {"run", "plain-2"});
  EXPECT_EQ(next.exit_code, 0) << next.out << next.err;
  EXPECT_EQ(read_file(note("executed")), "");
  // So that the check of the checkout after the test is ours alone.
  fs::remove(place_.folder + "/.git/info/attributes");
  write_file(place_.folder + "/.git/config", "[core]\n\trepositoryformatversion = 0\n");
}

TEST_F(HostileAgent, CannotStopTheRunWithLockFilesAndRefsThatLookLikeOptions) {
  before("execute-review",
         "g='" + place_.folder +
             "/.git'\n"
             "main=$(git rev-parse main)\n"
             "for lock in index HEAD config packed-refs refs/heads/main refs/heads/capsule-plain-1 "
             "shallow; do mkdir -p \"$(dirname \"$g/$lock\")\"; : >\"$g/$lock.lock\"; "
             "touch -d '2 hours ago' \"$g/$lock.lock\"; done\n"
             "for w in \"$g\"/worktrees/*/; do : >\"${w}index.lock\"; : >\"${w}HEAD.lock\"; "
             "touch -d '2 hours ago' \"${w}index.lock\" \"${w}HEAD.lock\"; done\n"
             "for ref in heads/--upload-pack=touch heads/-h tags/--output=x heads/--exec tags/main "
             "heads/refs/heads/main heads/HEAD; do mkdir -p \"$(dirname \"$g/refs/$ref\")\"; "
             "echo \"$main\" >\"$g/refs/$ref\"; done\n");
  before("merge", "git_dir=$(git rev-parse --absolute-git-dir); rm -f \"$git_dir\"/*.lock '" +
                      place_.folder + "/.git/refs/heads/capsule-plain-1.lock' '" + place_.folder +
                      "/.git/packed-refs.lock'");
  const Outcome outcome = capsule_in(place_, {"run", kPlain});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  for (const char* ref : {"heads/--upload-pack=touch", "heads/-h", "tags/--output=x",
                          "heads/--exec", "tags/main", "heads/refs/heads/main", "heads/HEAD"})
    fs::remove(place_.folder + "/.git/refs/" + ref);
  for (const char* lock : {"index", "HEAD", "config", "packed-refs", "refs/heads/main", "shallow"})
    fs::remove(place_.folder + "/.git/" + lock + ".lock");
}

// What the tests above do outside is done to a repository of its own, which is thrown away.
TEST_F(HostileAgent, InsideWallsNeitherConfigurationNorLocksNorRefsOfItsReachTheProject) {
  inside_walls_with_notes();
  const std::string g = place_.folder + "/.git";
  write_file(path("notes/evil"), "#!/bin/sh\necho \"$0 $*\" >>'" + note("executed") + "'\n");
  fs::permissions(note("evil"), fs::perms::all);
  const std::string config = read_file(g + "/config");
  const std::string plant =
      "g='" + g + "'; main=$(git rev-parse main)\n" +
      "for k in core.fsmonitor core.sshCommand core.editor diff.external filter.x.smudge "
      "filter.x.clean merge.x.driver gpg.program; do git config -f \"$g/config\" $k '" +
      note("evil") + "'; done\n" +
      "mkdir -p \"$g/info\" \"$g/hooks\" && printf '* filter=x merge=x\\n' "
      ">\"$g/info/attributes\"\n"
      "for h in post-checkout pre-commit post-merge reference-transaction; do cp '" +
      note("evil") + "' \"$g/hooks/$h\"; done\n" +
      "for l in index HEAD config packed-refs refs/heads/main; do : >\"$g/$l.lock\"; done\n"
      "for r in heads/--upload-pack=touch heads/-h tags/main; do mkdir -p \"$g/refs/${r%/*}\"; "
      "echo "
      "\"$main\" >\"$g/refs/$r\"; done\n: >\"$notes/planted\"\n";
  before("execute-review", plant);
  const Outcome outcome = capsule_in(place_, {"run", kPlain});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_TRUE(fs::exists(note("planted"))) << "else this shows nothing";
  EXPECT_EQ(read_file(note("executed")), "");
  EXPECT_EQ(read_file(g + "/config"), config);
  EXPECT_FALSE(fs::exists(g + "/info/attributes"));
  EXPECT_FALSE(fs::exists(g + "/refs/heads/main.lock"));
  EXPECT_EQ(git(place_, {"for-each-ref", "--format=%(refname)", "refs/heads", "refs/tags"}),
            "refs/heads/main\n");
}

class Convergence : public RecoveryTest {
 protected:
  Outcome stuck(const std::string& setting) {
    const Place place = make_place("project", setting);
    before("execute-review",
           "echo asked >>\"$notes/asked\"; say NEEDS_WORK 'the same words'; exit 0");
    return capsule_in(place, {"run", kPlain, "--max-retries=4"});
  }
  std::size_t asked() const { return lines_in(read_file(note("asked"))).size(); }
};

TEST_F(Convergence, StopEndsTheRunAtTheSecondSameReviewOfTheSameFiles) {
  const Outcome outcome = stuck("");
  EXPECT_EQ(outcome.exit_code, 1) << outcome.out << outcome.err;
  EXPECT_EQ(asked(), 2U);
  EXPECT_HAS(outcome.out, "said the same twice about the same files");
}

TEST_F(Convergence, WarnSaysSoAndSpendsTheAttempts) {
  const Outcome outcome = stuck("convergence: warn\n");
  EXPECT_EQ(outcome.exit_code, 1) << outcome.out << outcome.err;
  EXPECT_EQ(asked(), 4U);
  EXPECT_HAS(outcome.out + outcome.err, "the same");
  EXPECT_HAS(outcome.out + outcome.err, "twice");
}

TEST_F(Convergence, OffOnlySpendsTheAttempts) {
  const Outcome outcome = stuck("convergence: off\n");
  EXPECT_EQ(outcome.exit_code, 1) << outcome.out << outcome.err;
  EXPECT_EQ(asked(), 4U);
  EXPECT_EQ((outcome.out + outcome.err).find("twice"), std::string::npos);
}

}  // namespace
}  // namespace capsule::test
