#include "git/repository.h"

#include "git/settings.h"
#include "git/test_support.h"

namespace capsule::git {
namespace {

using RepositoryTest = GitTest;

TEST_F(RepositoryTest, OpeningTellsTheFoldersTheCommitAndTheBranch) {
  const Repository repository = open();
  EXPECT_EQ(repository.top, project_);
  EXPECT_EQ(repository.common_dir, project_ + "/.git");
  EXPECT_EQ(repository.git_dir, project_ + "/.git");
  EXPECT_EQ(repository.head, git(project_, {"rev-parse", "HEAD"}));
  EXPECT_EQ(repository.branch, "refs/heads/main");
}

TEST_F(RepositoryTest, ASubfolderAndALinkedWorktreeLeadToTheSameRepository) {
  EXPECT_EQ(MUST(open_repository(project_ + "/src")).top, project_);
  git(project_, {"worktree", "add", "-q", root_ + "/other", "-b", "side"});
  const Repository other = MUST(open_repository(root_ + "/other"));
  EXPECT_EQ(other.top, root_ + "/other");
  EXPECT_EQ(other.common_dir, project_ + "/.git");
  EXPECT_EQ(other.branch, "refs/heads/side");
}

// An agent can write to the configuration that its worktree shares with the project.
TEST_F(RepositoryTest, TheConfigurationDoesNotSayWhereTheProjectIs) {
  make_project(root_ + "/elsewhere");
  const auto plant = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"config", "--file", project_ + "/.git/config"});
    git(root_, words);
  };
  for (const std::string& planted : {root_ + "/elsewhere", root_ + "/no/such", std::string("..")}) {
    plant({"core.worktree", planted});
    EXPECT_EQ(MUST(open_repository(project_)).top, project_) << planted;
    EXPECT_EQ(MUST(open_repository(project_ + "/src")).top, project_) << planted;
  }
  plant({"core.bare", "true"});
  EXPECT_EQ(MUST(open_repository(project_)).top, project_);
  plant({"--unset", "core.worktree"});
  EXPECT_EQ(MUST(open_repository(project_)).top, project_);
  plant({"core.bare", "false"});
}

TEST_F(RepositoryTest, ABareRepositoryInsideAProjectIsNotTheProject) {
  git(project_, {"init", "-q", "--bare", project_ + "/bare"});
  EXPECT_EQ(open_repository(project_ + "/bare").error().reason, Reason::refused);
  EXPECT_EQ(open_repository(project_ + "/.git").error().reason, Reason::refused);
}

TEST_F(RepositoryTest, ADetachedHeadIsAState) {
  git(project_, {"checkout", "-q", "--detach"});
  const Repository repository = open();
  EXPECT_EQ(repository.branch, "");
  EXPECT_EQ(repository.head, git(project_, {"rev-parse", "HEAD"}));
}

TEST_F(RepositoryTest, PathsWithLineFeedsQuotesAndBlanksWork) {
  const std::string odd = root_ + "/a\nb 'c' \"d\" $(e) `f` ü -x";
  make_project(odd);
  const Repository repository = MUST(open_repository(odd));
  EXPECT_EQ(repository.top, odd);
  EXPECT_EQ(repository.common_dir, odd + "/.git");
  EXPECT_EQ(repository.head, git(odd, {"rev-parse", "HEAD"}));
  const Worktree worktree = MUST(
      create_worktree(repository, odd + "/.capsule/worktrees/x", "capsule-x", repository.head));
  EXPECT_EQ(git(worktree.path, {"status", "--porcelain"}), "");
  MUST_VOID(remove_worktree(repository, worktree.path, "capsule-x"));
}

TEST_F(RepositoryTest, AFolderThatIsNoRepositoryIsNamedAsSuch) {
  std::filesystem::create_directories(root_ + "/plain");
  const auto result = open_repository(root_ + "/plain");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().reason, Reason::not_found);
  EXPECT_NE(result.error().message.find("not a git repository"), std::string::npos);
  EXPECT_NE(result.error().hint, "");
  EXPECT_EQ(open_repository(root_ + "/nowhere").error().reason, Reason::not_found);
}

TEST_F(RepositoryTest, ABareRepositoryIsRefused) {
  git(root_, {"init", "-q", "--bare", root_ + "/bare"});
  const auto result = open_repository(root_ + "/bare");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().reason, Reason::refused);
  EXPECT_NE(result.error().message.find("bare"), std::string::npos);
}

TEST_F(RepositoryTest, ARepositoryWithoutCommitsIsRefused) {
  git(root_, {"init", "-q", root_ + "/empty"});
  const auto result = open_repository(root_ + "/empty");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().reason, Reason::refused);
  EXPECT_NE(result.error().message.find("no commits yet"), std::string::npos);
  EXPECT_NE(result.error().hint.find("git commit"), std::string::npos);
}

TEST_F(RepositoryTest, AFolderInsideDotGitIsRefused) {
  EXPECT_EQ(open_repository(project_ + "/.git/refs").error().reason, Reason::refused);
}

TEST_F(RepositoryTest, GitVariablesOfTheEnvironmentDoNotLeadAstray) {
  ::setenv("GIT_DIR", "/nowhere", 1);
  ::setenv("GIT_INDEX_FILE", "/nowhere/index", 1);
  const auto result = open_repository(project_);
  ::unsetenv("GIT_DIR");
  ::unsetenv("GIT_INDEX_FILE");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->top, project_);
}

TEST_F(RepositoryTest, ExcludingKeepsWhatIsThereAndIsDoneOnce) {
  const Repository repository = open();
  const std::string path = project_ + "/.git/info/exclude";
  write(path, "# mine\n*.o");
  MUST_VOID(exclude_capsule_dir(repository, {".claude/agents/experts/"}));
  const std::string once = read(path);
  EXPECT_EQ(once, "# mine\n*.o\n.capsule/\n.claude/agents/experts/\n");
  MUST_VOID(exclude_capsule_dir(repository, {".claude/agents/experts/"}));
  EXPECT_EQ(read(path), once);
  write(project_ + "/.capsule/x", "x");
  EXPECT_EQ(git(project_, {"status", "--porcelain"}), "");
  EXPECT_FALSE(std::filesystem::exists(project_ + "/.gitignore"));
}

TEST_F(RepositoryTest, ExcludingMakesTheFileAndNeverWritesThroughALink) {
  const Repository repository = open();
  std::filesystem::remove_all(project_ + "/.git/info");
  MUST_VOID(exclude_capsule_dir(repository));
  EXPECT_EQ(read(project_ + "/.git/info/exclude"), ".capsule/\n");
  write(root_ + "/victim", "keep\n");
  std::filesystem::remove(project_ + "/.git/info/exclude");
  std::filesystem::create_symlink(root_ + "/victim", project_ + "/.git/info/exclude");
  MUST_VOID(exclude_capsule_dir(repository));
  EXPECT_EQ(read(root_ + "/victim"), "keep\n");
  EXPECT_EQ(read(project_ + "/.git/info/exclude"), "keep\n.capsule/\n");
}

TEST_F(RepositoryTest, TheUsersIdentityIsTakenOverAndHasADefault) {
  EXPECT_EQ(settings_of(open()).name, "A User");
  write(home_ + "/.gitconfig", "");
  EXPECT_EQ(settings_of(open()).email, "capsule@localhost");
  git(project_, {"config", "user.name", "Local"});
  EXPECT_EQ(settings_of(open()).name, "Local");
}

TEST(GitSettings, OnlyKnownWordsArePassedOnAndFiltersAreKeptApart) {
  using namespace std::string_literals;
  const Settings settings = read_settings(
      "global\0core.autocrlf\ninput\0local\0core.autocrlf\ntrue\0local\0core.eol\n$(x)\0"
      "global\0filter.lfs.smudge\ngit-lfs smudge -- %f\0local\0filter.a.b.clean\nevil\0"
      "local\0core.excludesfile\n/etc/passwd\0local\0core.filemode\0"s);
  EXPECT_EQ(settings.conversions,
            (std::vector<std::string>{"core.autocrlf=true", "core.filemode=true"}));
  EXPECT_EQ(settings.user_filters,
            (std::vector<std::string>{"filter.lfs.smudge=git-lfs smudge -- %f"}));
  EXPECT_TRUE(settings.repository_filter_names.contains("a.b"));
}

TEST_F(RepositoryTest, Sha256RepositoriesWork) {
  const std::string path = root_ + "/modern";
  std::filesystem::create_directories(path);
  git(path, {"init", "-q", "-b", "main", "--object-format=sha256"});
  write(path + "/a", "a\n");
  git(path, {"add", "."});
  git(path, {"commit", "-q", "-m", "Start"});
  const Repository repository = MUST(open_repository(path));
  EXPECT_EQ(repository.head.size(), 64U);
  const Worktree worktree = MUST(
      create_worktree(repository, path + "/.capsule/worktrees/x", "capsule-x", repository.head));
  write(worktree.path + "/b", "b\n");
  const Snapshot snapshot =
      MUST(take_snapshot(repository, worktree.path, "refs/capsule/r/1-x", "x", repository.head));
  EXPECT_EQ(git(path, {"show", snapshot.commit + ":b"}), "b");
}

}  // namespace
}  // namespace capsule::git
