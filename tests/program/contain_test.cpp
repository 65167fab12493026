// capsule contain as a user calls it: what the command sees, what it leaves, how it ends.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>

#include "contain/layer.h"
#include "tests/contain/kernel.h"
#include "tests/program/harness.h"
#include "tests/program/terminal.h"

namespace capsule::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

enum class Who { caller, other };

constexpr const char* kOther = "4242";  // a user without an entry in /etc/passwd

class Contain : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    write_file(home(".ssh/id"), "CANARY-KEY");
    write_file(home("other/file"), "CANARY-OTHER");
    write_file(home("work/file"), "as it was\n");
  }
  std::string home(std::string_view name = "") const {
    return path("home") + (name.empty() ? "" : "/" + std::string(name));
  }
  virtual Call contained(std::vector<std::string> options, std::vector<std::string> command) const {
    Call call;
    call.args = {"contain"};
    call.args.insert(call.args.end(), options.begin(), options.end());
    if (!command.empty()) call.args.emplace_back("--");
    call.args.insert(call.args.end(), command.begin(), command.end());
    call.cwd = home("work");
    call.env = {{"HOME", home()},
                {"CAPSULE_TEST_SECRET", "CANARY-VARIABLE"},
                {"CAPSULE_CONTAIN", std::nullopt}};
    return prepared(call);
  }
  Outcome inside(std::vector<std::string> options, const std::string& script) const {
    return run(contained(std::move(options), {"sh", "-c", script}));
  }
  // Whether nobody holds the file any more.
  bool is_free(const std::string& file) const {
    const int fd = ::open(file.c_str(), O_RDWR | O_CLOEXEC);
    const bool free = fd >= 0 && ::flock(fd, LOCK_EX | LOCK_NB) == 0;
    ::close(fd);
    return free;
  }
};

// The walls are the same for root and for others. Where the tests are run by root, they are run by
// another user too.
class ContainBy : public Contain, public ::testing::WithParamInterface<Who> {
 protected:
  void SetUp() override {
    Contain::SetUp();
    if (GetParam() == Who::other && ::geteuid() != 0)
      GTEST_SKIP() << "only root can run it as somebody else";
    give_away();
  }
  // Everything that a test made belongs to whoever calls capsule.
  void give_away() const {
    if (GetParam() == Who::caller) return;
    const std::string owner = std::string(kOther) + ":" + kOther;
    ASSERT_EQ(run({.args = {"-R", owner, dir()}, .program = "chown"}).exit_code, 0);
  }
  Call contained(std::vector<std::string> options,
                 std::vector<std::string> command) const override {
    Call call = Contain::contained(std::move(options), std::move(command));
    if (GetParam() == Who::caller) return call;
    call.args.insert(call.args.begin(), {std::string("--reuid=") + kOther, "--regid=4242",
                                         "--clear-groups", CAPSULE_BINARY});
    call.program = "setpriv";
    return call;
  }
};

INSTANTIATE_TEST_SUITE_P(AsUser, ContainBy, ::testing::Values(Who::caller, Who::other),
                         [](const auto& row) {
                           return row.param == Who::caller ? "Caller" : "AnotherUser";
                         });

TEST_P(ContainBy, TheCommandSeesItsFolderAndNothingElseOfTheUser) {
  const Outcome outcome = inside({"--preset=strict"},
                                 "cat file; ls -a ~; cat ~/.ssh/id ~/other/file ../other/file "
                                 "/proc/1/environ; env; ls /proc | grep -c '^[0-9]'");
  EXPECT_THAT(outcome.out, HasSubstr("as it was"));
  EXPECT_THAT(outcome.out + outcome.err, Not(HasSubstr("CANARY")));
  EXPECT_THAT(outcome.out, HasSubstr("\nwork\n"));
  EXPECT_THAT(outcome.out, Not(HasSubstr(".ssh")));
}

TEST_P(ContainBy, AWriterChangesItsFolderAndNothingElse) {
  const Outcome outcome =
      inside({"--preset=strict"},
             "echo new >made; echo x >~/.bashrc; echo x >/tmp/mine; echo x >/etc/mine; "
             "echo x >/usr/mine; echo x >/mine; chmod 700 /usr; ls /tmp ~/.bashrc");
  EXPECT_EQ(read_file(home("work/made")), "new\n");
  EXPECT_THAT(outcome.out, HasSubstr("mine")) << "its own /tmp";
  EXPECT_FALSE(fs::exists(home(".bashrc")));
  for (const char* file : {"/tmp/mine", "/etc/mine", "/usr/mine", "/mine"})
    EXPECT_FALSE(fs::exists(file)) << file;
}

TEST_P(ContainBy, WhatAReviewerOrAGateChangesVanishes) {
  for (const char* role : {"--role=reviewer", "--role=gate"}) {
    const Outcome outcome =
        inside({role}, "echo changed >file; cat file; mkdir d && echo x >d/e && ls; rm file; ls");
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("changed\nd\nfile\nd\n"));
    EXPECT_EQ(read_file(home("work/file")), "as it was\n");
    EXPECT_FALSE(fs::exists(home("work/d")));
  }
}

TEST_P(ContainBy, PlacesAreGivenByName) {
  const Outcome outcome =
      inside({"--read=~/other", "--scratch=" + home("cache"), "--env=CAPSULE_TEST_SECRET"}, "true");
  EXPECT_EQ(outcome.exit_code, 125) << "a place has to exist";
  EXPECT_THAT(outcome.err, HasSubstr("cache"));
  const Outcome given = inside({"--read=~/other", "--env=CAPSULE_TEST_SECRET"},
                               "cat ~/other/file; echo $CAPSULE_TEST_SECRET; echo x >~/other/file");
  EXPECT_THAT(given.out, HasSubstr("CANARY-OTHER"));
  EXPECT_THAT(given.out, HasSubstr("CANARY-VARIABLE"));
  EXPECT_EQ(read_file(home("other/file")), "CANARY-OTHER");
  EXPECT_EQ(inside({"--write=" + home("other")}, "echo x >~/other/file").exit_code, 0);
  EXPECT_EQ(read_file(home("other/file")), "x\n");
}

TEST_P(ContainBy, LayersThatVanishAreApartAndNobodyReachesWhereTheyLie) {
  for (const char* name : {"one", "two"}) {
    fs::create_directories(home(name));
    fs::permissions(home(name), fs::perms::all);
  }
  const Outcome outcome = inside({"--role=reviewer", "--scratch=~/one", "--scratch=~/two"},
                                 "echo here >~/one/new; echo x >new; ls ~/two; cat ~/one/new; "
                                 "ls -d /.scratch; ls / | grep -c scratch");
  EXPECT_EQ(outcome.out, "here\n0\n") << outcome.err;
  EXPECT_TRUE(fs::is_empty(home("one")));
}

TEST_F(Contain, WhatTheConfigurationSaysHoldsHereAndOptionsGoBeforeIt) {
  write_file(home(".config/capsule/config.yaml"),
             "contain: {preset: strict, read: [~/other], env: [CAPSULE_TEST_SECRET]}\n");
  write_file(home("work/.capsule/config.yaml"), "contain: {env: []}\n");
  const Outcome told = run(contained({"--explain"}, {}));
  EXPECT_THAT(told.out, HasSubstr("Preset strict"));
  EXPECT_THAT(told.out, HasSubstr("  contain.preset: strict (" + home(".config/capsule")));
  EXPECT_THAT(told.out, HasSubstr("  contain.env: [] ("));
  const Outcome outcome = inside({}, "cat ~/other/file; echo \"[$CAPSULE_TEST_SECRET]\"");
  EXPECT_EQ(outcome.out, "CANARY-OTHER[]\n");
  EXPECT_THAT(run(contained({"--explain", "--preset=worktree"}, {})).out,
              HasSubstr("Preset worktree"));
  write_file(home("work/.capsule/config.yaml"), "contain: {read: [~/.ssh]}\n");
  const Outcome looser = inside({}, "true");
  EXPECT_EQ(looser.exit_code, 125);
  EXPECT_THAT(looser.err, HasSubstr(".capsule/config.yaml:1: contain.read"));
}

TEST_P(ContainBy, AMountAppearsWhereItIsToldToAndNotWhereItLies) {
  const Outcome outcome =
      inside({"--mount=" + home("elsewhere/file") + "=" + home("other/file")},
             "cat ~/elsewhere/file; echo x >~/elsewhere/file; cat ~/other/file; ls -A ~");
  EXPECT_THAT(outcome.out, HasSubstr("CANARY-OTHER"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("other\n")));
  EXPECT_EQ(read_file(home("other/file")), "CANARY-OTHER");
  EXPECT_EQ(inside({"--mount=nothing"}, "true").exit_code, 125);
}

TEST_P(ContainBy, AHomeOfItsOwnIsKeptFromOneCommandToTheNext) {
  fs::create_directories(home("kept"));
  give_away();
  const Outcome first = inside({"--home=" + home("kept")}, "mkdir ~/.x && echo here >~/.x/file");
  EXPECT_EQ(first.exit_code, 0) << first.err;
  const Outcome second = inside({"--home=" + home("kept")}, "cat ~/.x/file; ls -A ~; ls ~/kept");
  EXPECT_THAT(second.out, HasSubstr("here\n.x\n")) << second.err;
  EXPECT_THAT(second.out, Not(HasSubstr(".ssh")));
  EXPECT_EQ(read_file(home("kept/.x/file")), "here\n");
}

TEST_P(ContainBy, ALayerIsKeptReadableAndOutOfReach) {
  write_file(home("work/gone"), "x");
  write_file(home("work/whole/inner"), "x");
  write_file(home("work/anew/inner"), "x");
  fs::create_directories(home("layer"));
  give_away();
  const Outcome outcome = inside({"--role=reviewer", "--layer=" + home("layer")},
                                 "echo more >>file; rm gone; rm -r whole; touch keep; rm -r anew; "
                                 "mkdir anew; echo y >anew/other; ls ~; ls ~/layer /.scratch");
  EXPECT_THAT(outcome.out, Not(HasSubstr("anew"))) << "only the folder itself shows";
  EXPECT_THAT(outcome.err, HasSubstr("layer'")) << outcome.out;
  EXPECT_EQ(read_file(home("work/file")), "as it was\n");
  // Only root may look there: an end of the overlay that writes the whole disk out has no mark.
  if (::geteuid() == 0) EXPECT_TRUE(fs::exists(home("layer/work/work/incompat/volatile")));
  const auto listed = contain::list_layer(home("layer"), home("work"));
  ASSERT_TRUE(listed) << listed.error().message;
  using Kind = contain::LayerChange::Kind;
  EXPECT_EQ(listed->all, (std::vector<contain::LayerChange>{{Kind::removed, "anew/inner"},
                                                            {Kind::added, "anew/other"},
                                                            {Kind::changed, "file"},
                                                            {Kind::removed, "gone"},
                                                            {Kind::added, "keep"},
                                                            {Kind::removed, "whole/"}}));
}

TEST_P(ContainBy, TheExitCodeAndTheSignalAreTheCommands) {
  EXPECT_EQ(inside({}, "exit 0").exit_code, 0);
  EXPECT_EQ(inside({}, "exit 7").exit_code, 7);
  EXPECT_EQ(inside({}, "kill -TERM $$").exit_code, 128 + SIGTERM);
  EXPECT_EQ(inside({}, "kill -KILL $$").exit_code, 128 + SIGKILL);
  EXPECT_EQ(run(contained({}, {"no-such-program"})).exit_code, 127);
  EXPECT_EQ(run(contained({}, {"./file"})).exit_code, 126);
  EXPECT_EQ(run(contained({}, {"sh", "-c", "cat"})).exit_code, 0);
}

TEST_P(ContainBy, NoProcessIsSetuidTracesTheFirstOrMakesNamespaces) {
  const Outcome outcome =
      inside({"--preset=strict"},
             "chmod u+s file || echo no setuid; unshare -U true 2>&1 || echo no namespace; "
             "cat /proc/1/maps 2>&1 || echo no look; kill -9 1; mount -t tmpfs x /tmp 2>&1 || echo "
             "no mount; grep -E 'CapEff|NoNewPrivs|Seccomp:' /proc/self/status");
  for (const char* answer : {"no setuid", "no namespace", "no look", "no mount",
                             "CapEff:\t0000000000000000", "NoNewPrivs:\t1", "Seccomp:\t2"})
    EXPECT_THAT(outcome.out, HasSubstr(answer)) << outcome.err;
}

TEST_P(ContainBy, NothingSurvivesTheEndOfTheCommand) {
  const Outcome outcome =
      inside({"--preset=strict"},
             "setsid sh -c 'exec 9<file; flock 9; echo held >held; exec sleep 600' "
             "</dev/null >/dev/null 2>&1 & while ! [ -e held ]; do sleep 0.01; done");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(is_free(home("work/file")));
}

TEST_P(ContainBy, NothingSurvivesWhenCapsuleIsKilled) {
  Running running(contained({"--preset=strict"},
                            {"sh", "-c",
                             "trap '' TERM INT HUP; setsid sh -c 'exec 9<file; flock 9; echo held "
                             ">held; exec sleep 600' & sleep 600"}));
  ASSERT_TRUE(eventually([&] { return fs::exists(home("work/held")); })) << running.err_so_far();
  EXPECT_FALSE(is_free(home("work/file")));
  running.send(SIGKILL);
  running.wait();
  EXPECT_TRUE(eventually([&] { return is_free(home("work/file")); }));
}

TEST_F(Contain, ASignalToCapsuleIsPassedOn) {
  Running running(contained(
      {}, {"sh", "-c", "trap 'exit 9' USR1; echo ready >ready; while :; do sleep 0.05; done"}));
  ASSERT_TRUE(eventually([&] { return fs::exists(home("work/ready")); })) << running.err_so_far();
  running.send(SIGUSR1);
  EXPECT_EQ(running.wait().exit_code, 9);
}

TEST_F(Contain, CtrlCReachesTheCommandOnceAndEndsEverything) {
  AtTerminal terminal(contained(
      {"--preset=strict"},
      {"sh", "-c",
       "setsid sh -c 'exec 9<file; flock 9; echo held >held; exec sleep 600' & trap 'echo caught; "
       "exit 3' INT; while ! [ -e held ]; do sleep 0.01; done; test -t 0 && echo on a terminal; "
       "while :; do sleep 0.05; done"}));
  ASSERT_TRUE(terminal.shows("on a terminal")) << terminal.screen();
  terminal.type("\x03");
  EXPECT_EQ(terminal.wait(), 3);
  EXPECT_THAT(terminal.screen(), HasSubstr("caught"));
  EXPECT_TRUE(is_free(home("work/file")));
}

TEST_F(Contain, CtrlCEndsACommandThatDoesNothingAboutIt) {
  AtTerminal terminal(contained({}, {"cat"}));  // a shell has moments in which it misses the key
  terminal.type("ready\n");
  ASSERT_TRUE(terminal.shows("ready\r\nready")) << terminal.screen();
  terminal.type("\x03");
  EXPECT_EQ(terminal.wait(), 128 + SIGINT);
}

// A port of this machine's loopback on which somebody listens.
class Listener {
 public:
  Listener() : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const name = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(::bind(fd_, name, size), 0);
    EXPECT_EQ(::listen(fd_, 8), 0);
    EXPECT_EQ(::getsockname(fd_, name, &size), 0);
    port_ = std::to_string(ntohs(address.sin_port));
  }
  ~Listener() { ::close(fd_); }
  int fd() const { return fd_; }
  const std::string& port() const { return port_; }

 private:
  int fd_;
  std::string port_;
};

TEST_F(Contain, OnlyAnOpenNetworkLeadsToWhatListensOnThisMachine) {
  const Listener listener;
  const std::string call = "exec 3<>/dev/tcp/127.0.0.1/" + listener.port();
  EXPECT_EQ(run(contained({"--net=open"}, {"bash", "-c", call})).exit_code, 0);
  EXPECT_NE(run(contained({"--net=off"}, {"bash", "-c", call})).exit_code, 0);
  EXPECT_NE(run(contained({"--preset=strict"}, {"bash", "-c", call})).exit_code, 0);
  EXPECT_NE(run(contained({"--role=gate"}, {"bash", "-c", call})).exit_code, 0);
}

TEST_P(ContainBy, AForwardedPortIsThereByItsNumberAndNoOtherIs) {
  const Listener forwarded;
  const Listener other;
  std::thread host([&] {
    const int caller = ::accept4(forwarded.fd(), nullptr, nullptr, SOCK_CLOEXEC);
    char text[6] = {};
    if (::recv(caller, text, 5, MSG_WAITALL) == 5) (void)!::send(caller, text, 5, MSG_NOSIGNAL);
    ::close(caller);
  });
  const Outcome outcome = run(
      contained({"--preset=strict", "--forward=" + forwarded.port()},
                {"bash", "-c",
                 "exec 3<>/dev/tcp/127.0.0.1/" + forwarded.port() +
                     "; printf hello >&3; cat <&3; exec 4<>/dev/tcp/127.0.0.1/" + other.port()}));
  host.join();
  EXPECT_EQ(outcome.out, "hello");
  EXPECT_NE(outcome.exit_code, 0);
}

TEST_P(ContainBy, HostsThatWereRefusedAreListedAtTheEndWithTheLineThatAllowsThem) {
  const std::string ask =
      "ask() { exec 3<>/dev/tcp/127.0.0.1/${HTTPS_PROXY##*:}; printf '%s HTTP/1.1\\r\\n\\r\\n' "
      "\"$1\" >&3; head -1 <&3; exec 3>&-; }; ";
  const Outcome outcome = run(
      contained({"--preset=strict", "--allow=api.example.com:443"},
                {"bash", "-c",
                 ask + "ask 'CONNECT other.example.com:443'; ask 'CONNECT other.example.com:443'; "
                       "ask 'GET http://api.example.com/'; ask 'CONNECT localhost:5432'; exit 7"}));
  EXPECT_EQ(outcome.exit_code, 7);
  EXPECT_THAT(outcome.out, HasSubstr("HTTP/1.1 403 Forbidden"));
  EXPECT_EQ(outcome.err,
            "capsule: other.example.com:443 was refused 2 times: it is not on the list  "
            "(allow: [\"other.example.com:443\"])\n"
            "capsule: api.example.com:80 was refused 1 time: it is not on the list  "
            "(allow: [\"api.example.com:80\"])\n"
            "capsule: localhost:5432 was refused 1 time: it is not on the list  "
            "(forward: [5432])\n");
}

TEST_F(Contain, TheProxyIsNamedByEveryVariableThatProgramsLookFor) {
  Call call = contained({"--preset=strict", "--allow=api.example.com:443", "--forward=3128",
                         "--env=HTTPS_PROXY", "--env=NO_PROXY"},
                        {"env"});
  call.env["HTTPS_PROXY"] = "http://proxy.example.com:1";
  call.env["NO_PROXY"] = "*";
  const std::string out = run(call).out;
  for (const char* name : {"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy"})
    EXPECT_THAT("\n" + out, HasSubstr("\n" + std::string(name) + "=http://127.0.0.1:3129\n"));
  EXPECT_THAT(out, HasSubstr("NO_PROXY=localhost,127.0.0.1,::1\n"));
  EXPECT_THAT(out, Not(HasSubstr("proxy.example.com")));
  EXPECT_THAT(inside({"--net=off"}, "env").out, Not(HasSubstr("_PROXY")));
}

TEST_F(Contain, AHostOrPortThatCannotBeHadIsRefusedBeforeAnythingRan) {
  for (const char* option :
       {"--allow=api.example.com", "--allow=https://api.example.com:443", "--allow=*:443",
        "--allow=127.0.0.1:80", "--allow=169.254.169.254:80", "--forward=0", "--forward=70000"}) {
    const Outcome outcome = run(contained({"--preset=strict", option}, {"touch", "ran"}));
    EXPECT_EQ(outcome.exit_code, 125) << option;
    EXPECT_FALSE(outcome.err.empty());
  }
  EXPECT_EQ(run(contained({"--forward=http"}, {"touch", "ran"})).exit_code, 125);
  EXPECT_FALSE(fs::exists(home("work/ran")));
}

TEST_F(Contain, AnInheritedDescriptorStaysOutside) {
  const int leaked = ::open(home(".ssh").c_str(), O_RDONLY | O_DIRECTORY);  // not close-on-exec
  ASSERT_GT(leaked, 2);
  const std::string at = "/proc/self/fd/" + std::to_string(leaked);
  const Outcome outcome = inside({}, "ls " + at + "/ 2>&1; ls /proc/self/fd");
  EXPECT_THAT(outcome.out, Not(HasSubstr("id\n")));
  ::close(leaked);
}

TEST_F(Contain, ThePlaceOfARepositoryIsKeptFromAWriter) {
  write_file(home("work/.git/config"), "[core]\n");
  const Outcome outcome =
      inside({}, "echo '\tfsmonitor = evil' >>.git/config; mv .git git; rm -rf .git; ls -a");
  EXPECT_EQ(read_file(home("work/.git/config")), "[core]\n");
  EXPECT_THAT(outcome.out, HasSubstr(".git"));
}

TEST_F(Contain, AFolderInSharedMemoryIsThereAndItsNeighboursAreNot) {
  std::string folder = "/dev/shm/capsule-test-XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  write_file(folder + "/mine/file", "here\n");
  write_file(folder + "/secret", "CANARY-SHM");
  Call call =
      contained({}, {"sh", "-c", "cat file; echo new >made; cat ../secret; ls -A /dev/shm/*"});
  call.cwd = folder + "/mine";
  const Outcome outcome = run(call);
  EXPECT_THAT(outcome.out, HasSubstr("here\n"));
  EXPECT_THAT(outcome.out, HasSubstr("mine\n"));
  EXPECT_THAT(outcome.out + outcome.err, Not(HasSubstr("CANARY")));
  EXPECT_TRUE(fs::exists(folder + "/mine/made"));
  fs::remove_all(folder);
}

TEST_F(Contain, NeitherTheHomeNorAFolderAsStdinIsHandedOver) {
  Call call = contained({}, {"touch", "ran"});
  call.cwd = home();
  const Outcome outcome = run(call);
  EXPECT_EQ(outcome.exit_code, 125);
  EXPECT_THAT(outcome.err, HasSubstr("is your home"));
  EXPECT_FALSE(fs::exists(home("ran")));
  Call folder = contained({}, {"touch", "ran"});
  folder.input_file = home();
  const Outcome refused = run(folder);
  EXPECT_EQ(refused.exit_code, 125);
  EXPECT_THAT(refused.err, HasSubstr("lead outside"));
  EXPECT_FALSE(fs::exists(home("work/ran")));
}

TEST_F(Contain, ExplainSaysPlacesRulesAndGapsAndRunsNothing) {
  const Outcome outcome = run(contained({"--preset=strict", "--explain"}, {"touch", "ran"}));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const char* words : {"Preset strict, role writer", "May be changed\n", "May be read\n",
                            "network     off", "held by     namespaces", "gap"})
    EXPECT_THAT(outcome.out, HasSubstr(words));
  EXPECT_THAT(outcome.out, HasSubstr("  " + home("work") + "\n"));
  EXPECT_FALSE(fs::exists(home("work/ran")));
}

TEST_F(Contain, WordsOfTheCommandAreItsOwn) {
  EXPECT_THAT(run(contained({}, {"echo", "--net=off", "--", "--help"})).out,
              HasSubstr("--net=off -- --help"));
  Call call = contained({}, {});
  call.args.insert(call.args.end(), {"echo", "--explain"});
  EXPECT_EQ(run(call).out, "--explain\n") << "the first word that is no option begins the command";
  EXPECT_EQ(run(contained({}, {})).exit_code, 125) << "2 may be what a command ends with";
}

// Only for what is run in it.
Outcome on_a_kernel(void (*lacking)(), const Call& call) {
  Outcome outcome;
  std::thread([&] {
    lacking();
    outcome = run(call);
  }).join();
  return outcome;
}

TEST_F(Contain, WhatTheKernelLacksIsRefusedBeforeAnythingRan) {
  struct {
    void (*lacking)();
    const char* words;
    const char* remedy;
  } const kRows[] = {{without_user_namespaces, "user namespaces", "namespaces"},
                     {without_landlock, "no Landlock", "lsm="},
                     {without_new_mounts, "tmpfs", "namespaces"},
                     {without_seccomp, "seccomp", "CONFIG_SECCOMP_FILTER"}};
  for (const auto& row : kRows) {
    const Outcome outcome = on_a_kernel(row.lacking, contained({}, {"touch", "ran"}));
    EXPECT_EQ(outcome.exit_code, 125) << row.words;
    EXPECT_THAT(outcome.err, HasSubstr(row.words));
    EXPECT_THAT(outcome.err, HasSubstr(row.remedy));
    EXPECT_FALSE(fs::exists(home("work/ran"))) << row.words;
    EXPECT_EQ(on_a_kernel(row.lacking, contained({"--explain"}, {})).exit_code, 125) << row.words;
  }
}

TEST_F(Contain, WithoutNamespacesLandlockStandsAloneWhenAskedForAndSaysWhatIsOpen) {
  const Outcome outcome = on_a_kernel(
      without_user_namespaces,
      contained({"--missing=weaker"}, {"sh", "-c",
                                       "echo new >made; cat ~/.ssh/id " + home(".ssh/id") +
                                           " /etc/shadow; env; echo x >~/mine && cat ~/mine; "
                                           "setsid sleep 600 </dev/null >/dev/null 2>&1 &"}));
  EXPECT_THAT(outcome.err, HasSubstr("capsule: weaker: there are no namespaces"));
  EXPECT_EQ(read_file(home("work/made")), "new\n");
  EXPECT_THAT(outcome.out + outcome.err, Not(HasSubstr("CANARY")));
  EXPECT_THAT(outcome.out, Not(HasSubstr("root:")));
  EXPECT_FALSE(fs::exists(home("mine")));
  EXPECT_EQ(on_a_kernel(without_user_namespaces,
                        contained({"--missing=weaker", "--preset=strict"}, {"touch", "ran"}))
                .exit_code,
            125);
  EXPECT_FALSE(fs::exists(home("work/ran")));
}

TEST_F(Contain, WithoutNamespacesThereIsNoProxyAndNothingRuns) {
  for (const char* option : {"--allow=api.example.com:443", "--forward=5432"}) {
    const Outcome outcome =
        on_a_kernel(without_user_namespaces,
                    contained({"--missing=weaker", "--net=proxy", option}, {"touch", "ran"}));
    EXPECT_EQ(outcome.exit_code, 125);
    EXPECT_THAT(outcome.err, HasSubstr("neither a proxy"));
  }
  EXPECT_FALSE(fs::exists(home("work/ran")));
}

TEST_F(Contain, WithoutLandlockTheNamespacesStandAloneWhenAskedFor) {
  const Outcome outcome = on_a_kernel(
      without_landlock,
      contained({"--missing=weaker", "--net=off"}, {"sh", "-c", "cat ~/.ssh/id; echo done"}));
  EXPECT_THAT(outcome.err, HasSubstr("capsule: weaker: there is no Landlock"));
  EXPECT_THAT(outcome.out, HasSubstr("done"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("CANARY")));
}

TEST_F(Contain, InsideItselfItIsRefused) {
  const Outcome outcome =
      run(contained({"--read=" + fs::path(CAPSULE_BINARY).parent_path().string()},
                    {CAPSULE_BINARY, "contain", "--", "touch", "ran"}));
  EXPECT_EQ(outcome.exit_code, 125) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("namespaces"));
  EXPECT_FALSE(fs::exists(home("work/ran")));
}

}  // namespace
}  // namespace capsule::test
