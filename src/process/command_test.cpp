#include "process/command.h"

#include <sys/stat.h>

#include <filesystem>

#include "process/test_support.h"

namespace capsule::process {
namespace {

using namespace testing;

Spec shell(std::string text) { return {.argv = {"sh", "-c", std::move(text)}}; }

struct Folder {
  Folder() {
    char name[] = "/tmp/capsule-process-XXXXXX";
    path = ::mkdtemp(name);
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string write(const std::string& name, const std::string& text, mode_t mode) const {
    std::string file = path + "/" + name;
    std::ofstream(file) << text;
    ::chmod(file.c_str(), mode);
    return file;
  }
  std::string path;
};

TEST(Command, ReturnsOutputErrorsAndExitCode) {
  const auto output = run(shell("echo out; echo err >&2; exit 3"));
  ASSERT_TRUE(output);
  EXPECT_EQ(output->out, "out\n");
  EXPECT_EQ(output->err, "err\n");
  EXPECT_EQ(output->exit_code, 3);
  EXPECT_EQ(output->term_signal, 0);
  EXPECT_FALSE(output->ok());
}

TEST(Command, TellsTheSignalThatEndedIt) {
  const auto output = run(shell("kill -SEGV $$"));
  ASSERT_TRUE(output);
  EXPECT_EQ(output->term_signal, SIGSEGV);
  EXPECT_EQ(output->exit_code, -1);
  EXPECT_FALSE(output->ok());
}

TEST(Command, AMissingProgramIsNamed) {
  const auto output = run({.argv = {"no-such-program-here"}});
  ASSERT_FALSE(output);
  EXPECT_EQ(output.error().reason, Reason::missing_program);
  EXPECT_NE(output.error().message.find("no-such-program-here"), std::string::npos);
}

TEST(Command, AProgramThatMayNotBeRunIsToldApart) {
  const Folder folder;
  folder.write("tool", "#!/bin/sh\n", 0644);
  const auto output = run({.argv = {"tool"}, .env = {{"PATH", folder.path + ":/usr/bin:/bin"}}});
  ASSERT_FALSE(output);
  EXPECT_EQ(output.error().reason, Reason::refused);
}

TEST(Command, AFolderOnThePathThatHasTheNameOfAProgramIsNotTheProgram) {
  const Folder folder;
  std::filesystem::create_directory(folder.path + "/tool-that-is-a-folder");
  const auto output = run({.argv = {"tool-that-is-a-folder"}, .env = {{"PATH", folder.path}}});
  ASSERT_FALSE(output);
  EXPECT_EQ(output.error().reason, Reason::missing_program);
}

TEST(Command, AScriptWhoseInterpreterIsMissingIsAMissingProgram) {
  const Folder folder;
  const auto output = run({.argv = {folder.write("tool", "#!/no/such/interpreter\n", 0755)}});
  ASSERT_FALSE(output);
  EXPECT_EQ(output.error().reason, Reason::missing_program);
}

TEST(Command, AScriptWithoutAFirstLineRunsAsShellsRunIt) {
  const Folder folder;
  const auto output = run({.argv = {folder.write("tool", "echo \"$1\"\n", 0755), "a b"}});
  ASSERT_TRUE(output);
  EXPECT_EQ(output->out, "a b\n");
}

TEST(Command, ThePathOfTheGivenEnvironmentCounts) {
  const Folder folder;
  folder.write("git", "#!/bin/sh\necho mine\n", 0755);
  const auto output = run({.argv = {"git"}, .env = {{"PATH", folder.path}}});
  ASSERT_TRUE(output);
  EXPECT_EQ(output->out, "mine\n");
}

TEST(Command, AProgramInTheFolderItRunsInIsNotTakenFromARelativePath) {
  const Folder folder;
  folder.write("tool-of-the-repository", "#!/bin/sh\necho taken\n", 0755);
  const auto output = run(
      {.argv = {"tool-of-the-repository"}, .cwd = folder.path, .env = {{"PATH", ".::/usr/bin"}}});
  ASSERT_FALSE(output);
  EXPECT_EQ(output.error().reason, Reason::missing_program);
}

TEST(Command, ANameWithASlashIsRelativeToItsFolder) {
  const Folder folder;
  folder.write("tool", "#!/bin/sh\npwd\n", 0755);
  const auto output = run({.argv = {"./tool"}, .cwd = folder.path});
  ASSERT_TRUE(output);
  EXPECT_EQ(output->out, std::filesystem::canonical(folder.path).string() + "\n");
}

TEST(Command, AMissingFolderIsNotAMissingProgram) {
  const auto output = run({.argv = {"true"}, .cwd = "/no/such/folder"});
  ASSERT_FALSE(output);
  EXPECT_EQ(output.error().reason, Reason::not_found);
}

TEST(Command, VariablesAreSetAndTakenOut) {
  ::setenv("CAPSULE_TEST_A", "inherited", 1);
  ::setenv("CAPSULE_TEST_B", "inherited", 1);
  Spec spec = shell("echo \"${CAPSULE_TEST_A-none} $CAPSULE_TEST_B $CAPSULE_TEST_C\"");
  spec.env = {{"CAPSULE_TEST_A", std::nullopt}, {"CAPSULE_TEST_C", "new=1"}};
  const auto output = run(spec);
  ASSERT_TRUE(output);
  EXPECT_EQ(output->out, "none inherited new=1\n");
}

TEST(Command, AWordWithANulByteIsRefusedAndNotCut) {
  const auto output = run({.argv = {"echo", std::string("a\0b", 3)}});
  ASSERT_FALSE(output);
  EXPECT_EQ(output.error().reason, Reason::usage);
}

TEST(Command, AnArgumentThatIsTooLongIsAUsageError) {
  EXPECT_TRUE(run({.argv = {"true", std::string(131071, 'x')}}));
  const auto output = run({.argv = {"true", std::string(131072, 'x')}});
  ASSERT_FALSE(output);
  EXPECT_EQ(output.error().reason, Reason::usage);
}

TEST(Command, MuchInputAndMuchOutputDoNotWaitForEachOther) {
  const std::string text(5'000'000, 'x');
  const auto output = run({.argv = {"cat"}, .input = text});
  ASSERT_TRUE(output);
  EXPECT_EQ(output->out, text);
}

TEST(Command, InputThatNobodyReadsIsNoError) {
  const auto output = run({.argv = {"true"}, .input = std::string(5'000'000, 'x')});
  ASSERT_TRUE(output);
  EXPECT_TRUE(output->ok());
}

TEST(Command, WithoutInputItReadsTheEndAtOnce) {
  const auto output = run({.argv = {"cat"}});
  ASSERT_TRUE(output);
  EXPECT_EQ(output->out, "");
}

TEST(Command, BothStreamsAreReadAtTheSameTime) {
  const auto output =
      run(shell("head -c 3000000 /dev/zero >&2; head -c 3000000 /dev/zero; echo x >&2"));
  ASSERT_TRUE(output);
  EXPECT_EQ(output->out.size(), 3'000'000U);
  EXPECT_EQ(output->err.size(), 1024U * 1024U);
  EXPECT_TRUE(output->err_truncated);
  EXPECT_FALSE(output->out_truncated);
}

TEST(Command, OutputBeyondTheLimitIsReadAndThrownAway) {
  Spec spec = shell("head -c 1000000 /dev/zero; exit 5");
  spec.max_out_bytes = 1000;
  const auto output = run(spec);
  ASSERT_TRUE(output);
  EXPECT_EQ(output->out.size(), 1000U);
  EXPECT_TRUE(output->out_truncated);
  EXPECT_EQ(output->exit_code, 5);
}

TEST(Command, OutputCanBeTakenInPieces) {
  std::size_t bytes = 0;
  Spec spec = shell("head -c 1000000 /dev/zero");
  spec.max_out_bytes = 0;
  spec.on_out = [&](std::string_view piece) { bytes += piece.size(); };
  const auto output = run(spec);
  ASSERT_TRUE(output);
  EXPECT_EQ(bytes, 1'000'000U);
  EXPECT_FALSE(output->out_truncated);
}

// Long enough for a shell to set its trap, on a machine with much else to do.
constexpr auto kBegun = 3s;

TEST(Command, AfterTheDeadlineItIsAskedAndThenKilled) {
  Spec spec = shell("trap '' TERM; echo begun; while :; do sleep 1; done");
  spec.deadline = Clock::now() + kBegun;
  spec.grace = 100ms;
  const auto output = run(spec);
  ASSERT_TRUE(output);
  EXPECT_TRUE(output->timed_out);
  EXPECT_EQ(output->term_signal, SIGKILL);
  EXPECT_EQ(output->out, "begun\n");
  EXPECT_FALSE(output->ok());
}

TEST(Command, AProgramThatTidiesUpAtTheDeadlineStillTimedOut) {
  Spec spec = shell("trap 'echo tidy; exit 0' TERM; while :; do sleep 0.05; done");
  spec.deadline = Clock::now() + kBegun;
  const auto output = run(spec);
  ASSERT_TRUE(output);
  EXPECT_EQ(output->exit_code, 0);
  EXPECT_EQ(output->out, "tidy\n");
  EXPECT_FALSE(output->ok());
}

TEST(Command, SomebodyInTheBackgroundWhoHoldsTheOutputIsNotWaitedFor) {
  const auto output = run(shell("sleep 30 & echo $!"));
  ASSERT_TRUE(output);
  const pid_t background = std::atoi(output->out.c_str());
  ASSERT_GT(background, 0);
  EXPECT_EQ(::kill(background, SIGKILL), 0) << "it was waited for";
}

TEST(Command, LeavesNoZombieAndNoOpenFile) {
  ASSERT_TRUE(run({.argv = {"true"}}));
  const int fds = open_fds();
  const int children = children_of_this();
  const int count = full() ? 1000 : 100;
  for (int i = 0; i < count; ++i) ASSERT_TRUE(run({.argv = {"true"}, .input = "x"}));
  for (int i = 0; i < 10; ++i) ASSERT_FALSE(run({.argv = {"no-such-program-here"}}));
  EXPECT_EQ(open_fds(), fds);
  EXPECT_EQ(children_of_this(), children);
}

TEST(Command, ChildrenInheritNoFileOfOurs) {
  const int leaky = ::open("/dev/null", O_RDONLY);  // as whoever started us may have left one open
  ASSERT_GE(leaky, 3);
  const auto output = run(shell("ls /proc/self/fd | wc -l"));
  ::close(leaky);
  ASSERT_TRUE(output);
  EXPECT_EQ(output->out, "4\n") << "0, 1, 2 and the folder that ls reads";
}

TEST(Command, SignalsThatWeIgnoreOrBlockAreUsualForChildren) {
  sigset_t term;
  sigemptyset(&term);
  sigaddset(&term, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &term, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
  const auto output = run({.argv = {"cat", "/proc/self/status"}});
  ::pthread_sigmask(SIG_UNBLOCK, &term, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  ASSERT_TRUE(output);
  EXPECT_EQ(signals(output->out, "SigBlk"), 0U);
  EXPECT_EQ(signals(output->out, "SigIgn"), 0U);
}

TEST(Command, ExitStatusesArriveEvenIfSigchldWasIgnored) {
  ::signal(SIGCHLD, SIG_IGN);
  const auto output = run(shell("exit 7"));
  ::signal(SIGCHLD, SIG_DFL);
  ASSERT_TRUE(output);
  EXPECT_EQ(output->exit_code, 7);
}

TEST(Command, SeveralThreadsMayRunCommandsAtOnce) {
  std::vector<std::thread> threads;
  std::atomic<int> good{0};
  threads.reserve(8);
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&good, i] {
      for (int k = 0; k < 10; ++k) {
        const auto output = run(shell("exit " + std::to_string(i)));
        if (output && output->exit_code == i) ++good;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, 80);
}

}  // namespace
}  // namespace capsule::process
