// What is the user's in a repository is compared, by reading files, with what it was before.
#include "git/ground.h"

#include <sys/stat.h>

#include "git/test_support.h"

namespace capsule::git {
namespace {

using Texts = std::vector<std::string>;

class GroundTest : public GitTest {
 protected:
  void SetUp() override {
    GitTest::SetUp();
    repository_ = open();
    before_ = look(repository_, Extent::all);
  }
  Differences found() {
    return differences(repository_, before_, look(repository_, Extent::all, &before_),
                       "refs/heads/main", {"*.tmp"});
  }
  void expect_nothing() {
    const Differences none = found();
    EXPECT_EQ(none.what, Texts{});
    EXPECT_EQ(none.files, Texts{});
    EXPECT_FALSE(none.main_moved);
  }
  Repository repository_;
  Ground before_;
};

TEST_F(GroundTest, NothingDiffersWhereNothingHappened) { expect_nothing(); }

TEST_F(GroundTest, WhatCapsuleItselfDoesIsNoDifference) {
  const Worktree worktree = make_worktree(repository_);
  write(worktree.path + "/new.c", "int n;\n");
  MUST(take_snapshot(repository_, worktree.path, "refs/capsule/r/1-x", "x", repository_.head));
  commit(worktree.path, {"new.c"}, "Mine");
  expect_nothing();
}

TEST_F(GroundTest, WhatGitDoesToItsFilesAloneIsNoDifference) {
  write(project_ + "/README", "changed\n");
  git(project_, {"tag", "v1"});
  before_ = look(repository_, Extent::all);
  git(project_, {"pack-refs", "--all"});
  git(project_, {"gc", "-q"});
  git(project_, {"status"});
  git(project_, {"update-index", "--index-version", "4"});
  const std::string touched = project_ + "/src/main.c";
  ASSERT_EQ(::utimensat(AT_FDCWD, touched.c_str(), nullptr, 0), 0);
  expect_nothing();
  git(project_, {"status"});
  expect_nothing();
}

TEST_F(GroundTest, RefsThatWereMadeMovedOrRemovedAreNamed) {
  git(project_, {"branch", "side"});
  git(project_, {"tag", "old"});
  git(project_, {"pack-refs", "--all"});
  before_ = look(repository_, Extent::all);
  git(project_, {"commit", "-q", "--allow-empty", "-m", "More"});
  git(project_, {"branch", "-f", "side", "main"});
  git(project_, {"tag", "-d", "old"});
  git(project_, {"tag", "new"});
  const Differences now = found();
  const std::string from = repository_.head.substr(0, 12);
  const std::string to = git(project_, {"rev-parse", "main"}).substr(0, 12);
  EXPECT_EQ(now.what, (Texts{"refs/heads/side moved from " + from + " to " + to,
                             "refs/tags/old was removed (it was at " + from + ")",
                             "refs/tags/new was made at " + to}));
  EXPECT_TRUE(now.main_moved);
  EXPECT_EQ(now.main_what, "refs/heads/main moved from " + from + " to " + to);
  EXPECT_EQ(now.main_from, repository_.head);
}

TEST_F(GroundTest, AnotherBranchThatIsCheckedOutIsTold) {
  git(project_, {"checkout", "-q", "-b", "side"});
  const Differences now = found();
  ASSERT_EQ(now.what.size(), 2U);
  EXPECT_EQ(now.what[1],
            "HEAD of the checkout was 'ref: refs/heads/main' and is 'ref: refs/heads/side'");
}

TEST_F(GroundTest, WhatIsStagedIsToldUnlessTheCommitMovedToo) {
  write(project_ + "/README", "staged\n");
  git(project_, {"add", "README"});
  EXPECT_EQ(found().what, Texts{"what is staged in the checkout changed"});
  git(project_, {"commit", "-q", "-m", "Theirs"});
  EXPECT_EQ(found().what, Texts{});
  EXPECT_TRUE(found().main_moved);
}

TEST_F(GroundTest, SettingsAreComparedByContent) {
  git(project_, {"config", "alias.hi", "status"});
  write(project_ + "/.git/hooks/pre-push", "exit 0\n");
  write(project_ + "/.git/info/attributes", "* filter=x\n");
  EXPECT_EQ(found().what, (Texts{".git/config was changed", ".git/hooks/pre-push was made",
                                 ".git/info/attributes was made"}));
  before_ = look(repository_, Extent::all);
  ::chmod((project_ + "/.git/hooks/pre-push").c_str(), 0755);
  std::filesystem::remove(project_ + "/.git/info/attributes");
  EXPECT_EQ(found().what,
            (Texts{".git/hooks/pre-push was changed", ".git/info/attributes was removed"}));
}

TEST_F(GroundTest, FilesOfTheCheckoutAreNamed) {
  write(project_ + "/mine.txt", "mine\n");
  write(project_ + "/README", "my words\n");
  before_ = look(repository_, Extent::all);
  write(project_ + "/README", "their words\n");       // one that differed already
  std::filesystem::remove(project_ + "/src/main.c");  // tracked
  std::filesystem::remove(project_ + "/mine.txt");    // never committed
  write(project_ + "/src/new.c", "int n;\n");
  write(project_ + "/more/new.c", "int n;\n");
  write(project_ + "/x.tmp", "nobody misses it\n");
  const Differences now = found();
  EXPECT_EQ(now.files, (Texts{"README", "src/main.c", "more", "src/new.c", "mine.txt"}));
  EXPECT_EQ(now.what, Texts{});
}

TEST_F(GroundTest, IgnoredFilesDoNotCount) {
  write(project_ + "/.gitignore", "*.o\nbuild/\n");
  git(project_, {"add", ".gitignore"});
  git(project_, {"commit", "-q", "-m", "Ignore"});
  write(project_ + "/old.o", "x");
  before_ = look(repository_, Extent::all);
  write(project_ + "/src/main.o", "x");
  write(project_ + "/build/x", "x");
  std::filesystem::remove(project_ + "/old.o");
  expect_nothing();
}

TEST_F(GroundTest, AFileThatIsMadeToLookUntouchedIsStillSeen) {
  struct stat info {};
  const std::string path = project_ + "/README";
  ASSERT_EQ(::stat(path.c_str(), &info), 0);
  write(path, "HELLO\n");  // as long as before
  const timespec times[] = {info.st_atim, info.st_mtim};
  ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  EXPECT_EQ(found().files, Texts{"README"});
}

TEST_F(GroundTest, InARunInPlaceOnlySettingsAreLookedAt) {
  before_ = look(repository_, Extent::settings);
  git(project_, {"commit", "-q", "--allow-empty", "-m", "More"});
  write(project_ + "/README", "new\n");
  git(project_, {"config", "alias.hi", "status"});
  const Differences now =
      differences(repository_, before_, look(repository_, Extent::settings), "refs/heads/main", {});
  EXPECT_EQ(now.what, Texts{".git/config was changed"});
  EXPECT_EQ(now.files, Texts{});
}

// As git itself writes it, in each of its versions, and with what else may stand in it.
TEST_F(GroundTest, TheIndexIsReadInEveryVersion) {
  for (int i = 0; i < 50; ++i)
    write(project_ + "/deep/er/file-" + std::string(static_cast<std::size_t>(i), 'x'), "x");
  write(project_ + "/intended", "x");
  git(project_, {"add", "deep"});
  git(project_, {"add", "-N", "intended"});
  git(project_, {"update-index", "--skip-worktree", "README"});
  std::vector<std::uint64_t> staged;
  for (const char* version : {"2", "3", "4"}) {
    git(project_, {"update-index", "--index-version", version});
    const auto index = read_index(read(project_ + "/.git/index"), false);
    ASSERT_TRUE(index) << version;
    std::string names;
    for (const IndexEntry& entry : index->entries) names += entry.path + "\n";
    EXPECT_EQ(trimmed(names), git(project_, {"ls-files"})) << version;
    EXPECT_FALSE(index->entries.front().watched);
    staged.push_back(index->staged);
  }
  EXPECT_EQ(staged[0], staged[1]);
  EXPECT_EQ(staged[0], staged[2]);
}

TEST_F(GroundTest, ABrokenIndexIsNoIndex) {
  const std::string whole = read(project_ + "/.git/index");
  for (std::size_t size = 0; size + 1 < whole.size(); ++size)
    if (const auto index = read_index(whole.substr(0, size), false)) {
      EXPECT_LE(index->entries.size(), 2U);
    }
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string broken = whole;
    broken[at] = static_cast<char>(~broken[at]);
    (void)read_index(broken, false);
  }
  EXPECT_FALSE(read_index("", false));
  EXPECT_FALSE(read_index(std::string(100, '\0'), false));
}

// Enough files for several threads: each of them is seen once, whoever asks for it.
TEST_F(GroundTest, FilesAreSeenInALargeCheckoutToo) {
  for (int i = 0; i < 1500; ++i)
    write(project_ + "/many/f" + std::to_string(i) + ".txt", "as it was\n");
  git(project_, {"add", "-A"});
  git(project_, {"commit", "-q", "-m", "Many"});
  before_ = look(repository_, Extent::all);
  for (const int i : {0, 700, 1499})
    write(project_ + "/many/f" + std::to_string(i) + ".txt", "changed, and longer\n");
  std::filesystem::remove(project_ + "/many/f1000.txt");
  Texts files = found().files;
  std::sort(files.begin(), files.end());
  EXPECT_EQ(files, (Texts{"many/f0.txt", "many/f1000.txt", "many/f1499.txt", "many/f700.txt"}));
}

TEST_F(GroundTest, AGlanceSeesAllButWhatIsWrittenIntoFiles) {
  const auto settled = [&] {
    const timespec then[2] = {{.tv_sec = 1'700'000'000, .tv_nsec = 0},
                              {.tv_sec = 1'700'000'000, .tv_nsec = 0}};
    for (const char* folder : {"", "/src"})
      ASSERT_EQ(::utimensat(AT_FDCWD, (project_ + folder).c_str(), then, 0), 0);
    before_ = look(repository_, Extent::all);
  };
  const auto seen = [&] { return !glance(repository_, Extent::all, before_); };
  EXPECT_TRUE(seen());  // its folders were made just now
  settled();
  EXPECT_FALSE(seen());
  write(project_ + "/README", "changed\n");
  EXPECT_FALSE(seen());
  std::filesystem::remove(project_ + "/src/main.c");
  EXPECT_TRUE(seen());
  settled();
  git(project_, {"add", "-A"});
  EXPECT_TRUE(seen());
  settled();
  git(project_, {"config", "core.bare", "true"});
  EXPECT_TRUE(seen());
  settled();
  git(project_, {"update-ref", "refs/heads/side", "HEAD"});
  EXPECT_TRUE(seen());
}

}  // namespace
}  // namespace capsule::git
