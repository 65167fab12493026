#include "git/lock.h"

#include "git/test_support.h"

namespace capsule::git {
namespace {

// What a git that we call has open as 3, as a child of it sees it.
std::string third_file(const Repository& repository) {
  const Result<Answer> answer =
      ask(repository, {.args = {"look"}, .settings = {"alias.look=!readlink /proc/self/fd/3"}});
  return answer ? std::string(trimmed(answer->out)) : answer.error().message;
}

using LockTest = GitTest;

// The system lets a lock go when the last process that has its file open ends. So when a Capsule is
// killed, the next one waits for a git that the first has left at work, and no lock file of a
// living git appears under its hands.
TEST_F(LockTest, IsHeldUntilTheGitThatItWasTakenForHasEnded) {
  const Repository repository = MUST(open_repository(project_));
  const RepositoryLock lock = MUST(RepositoryLock::take(repository));
  EXPECT_EQ(third_file(repository), repository.common_dir + "/capsule.lock");
}

TEST_F(LockTest, IsNotHeldByAGitThatIsCalledWithoutIt) {
  const Repository repository = MUST(open_repository(project_));
  EXPECT_EQ(third_file(repository), "");
  { const RepositoryLock lock = MUST(RepositoryLock::take(repository)); }
  EXPECT_EQ(third_file(repository), "");
}

}  // namespace
}  // namespace capsule::git
