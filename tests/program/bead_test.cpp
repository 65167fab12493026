// `capsule bead` through the built binary, with nothing called bd on PATH unless a test puts it
// there.
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "tests/program/project.h"

namespace capsule::test {
namespace {

class Bead : public ProgramTest {
 protected:
  Outcome bead(std::vector<std::string> args, const std::string& input = {}) const {
    args.insert(args.begin(), "bead");
    return call({.args = std::move(args),
                 .input = input,
                 .env = {{"PATH", path("bin") + ":/usr/bin:/bin"},
                         {"BD_ACTOR", "tester"},
                         {"CAPSULE_TRACKER", std::nullopt}}});
  }
  Json json(std::vector<std::string> args) const {
    args.emplace_back("--json");
    const Outcome outcome = bead(std::move(args));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return Json::parse(outcome.out, nullptr, false);
  }
  void demo() const {
    ASSERT_EQ(bead({"init", "--prefix=demo"}).exit_code, 0);
    ASSERT_EQ(bead({"import", "-i",
                    std::string(CAPSULE_SOURCE_DIR) + "/templates/demo-capsule/issues.jsonl"})
                  .exit_code,
              0);
  }
  std::string issues() const { return path(".beads/issues.jsonl"); }
};

TEST_F(Bead, TheDemoProjectsBeadsAreShownInBdsShape) {
  demo();
  const Json shown = json({"show", "demo-1.1.1"});
  ASSERT_TRUE(shown.is_array());
  ASSERT_EQ(shown.size(), 1U);
  EXPECT_EQ(shown[0]["id"], "demo-1.1.1");
  EXPECT_EQ(shown[0]["title"], "Validate email format");
  EXPECT_EQ(shown[0]["issue_type"], "task");
  EXPECT_EQ(shown[0]["parent"], "demo-1.1");
  const Json& dependency = shown[0]["dependencies"].at(0);
  EXPECT_EQ(dependency["id"], "demo-1.1");
  EXPECT_EQ(dependency["title"], "Add input validation");
  EXPECT_EQ(dependency["status"], "open");
  EXPECT_EQ(dependency["dependency_type"], "parent-child");
  EXPECT_EQ(json({"show", "demo-1"})[0].count("parent"), 0U);
}

TEST_F(Bead, ListOfAParentHidesClosedOnesUnlessAll) {
  demo();
  EXPECT_EQ(json({"list", "--parent=demo-1.1"}).size(), 2U);
  EXPECT_EQ(json({"close", "demo-1.1.1"})[0]["status"], "closed");
  const Json open = json({"list", "--parent=demo-1.1"});
  ASSERT_EQ(open.size(), 1U);
  EXPECT_EQ(open[0]["id"], "demo-1.1.2");
  EXPECT_EQ(open[0]["parent"], "demo-1.1");
  EXPECT_EQ(json({"list", "--parent=demo-1.1", "--all"}).size(), 2U);
  EXPECT_EQ(json({"list", "--status=closed"}).size(), 1U);
  EXPECT_EQ(json({"list", "--parent=demo-9"}), Json::array());
}

TEST_F(Bead, CreateMakesWhatShowAndListAndReadyShow) {
  ASSERT_EQ(bead({"init", "--prefix=app"}).exit_code, 0);
  const Json epic = json({"create", "--title=An epic", "--type=epic", "--priority=1"});
  EXPECT_EQ(epic["id"], "app-1");
  const Json task = json({"create", "--title=A task", "--type=task", "--priority=0",
                          "--parent=app-1", "--description=What", "--acceptance=How"});
  EXPECT_EQ(task["id"], "app-1.1");
  EXPECT_EQ(task["acceptance_criteria"], "How");
  EXPECT_EQ(task["created_by"], "tester");
  EXPECT_EQ(json({"ready"}).size(), 2U);
  EXPECT_EQ(json({"comments", "add", "app-1.1", "well done"})["text"], "well done");
  EXPECT_EQ(json({"show", "app-1.1"})[0]["comments"].at(0)["author"], "tester");
  EXPECT_EQ(bead({"list"}).out,
            "○ open  P0  task  app-1.1  A task\n○ open  P1  epic  app-1    An epic\n");
}

TEST_F(Bead, AClosedBeadIsOpenedAgainAndTheReasonIsKept) {
  demo();
  ASSERT_EQ(json({"close", "demo-1.1.1", "--reason=done"})[0]["close_reason"], "done");
  const Json opened = json({"reopen", "demo-1.1.1", "--reason=empty input fails"});
  EXPECT_EQ(opened[0]["status"], "open");
  EXPECT_EQ(opened[0].count("closed_at"), 0U);
  EXPECT_EQ(opened[0].count("close_reason"), 0U);
  const Json comment = json({"show", "demo-1.1.1"})[0]["comments"].at(0);
  EXPECT_EQ(comment["text"], "Reopened: empty input fails");
  EXPECT_EQ(comment["author"], "tester");
  EXPECT_EQ(json({"list", "--status=closed"}), Json::array());
  const std::string before = read_file(issues());
  EXPECT_EQ(bead({"reopen", "demo-1.1.1"}).exit_code, 0) << "it is open: nothing to do";
  EXPECT_EQ(read_file(issues()), before);
}

TEST_F(Bead, UpdateChangesWhatItNamesAndNothingElse) {
  demo();
  const Json before = json({"show", "demo-1.1.1"})[0];
  EXPECT_EQ(bead({"update", "demo-1.1.1", "--title=Validate e-mail", "--priority=P0",
                  "--status=in_progress", "--notes=see RFC 5322"})
                .out,
            "Updated demo-1.1.1: Validate e-mail\n");
  Json after = json({"show", "demo-1.1.1"})[0];
  EXPECT_EQ(after["title"], "Validate e-mail");
  EXPECT_EQ(after["priority"], 0);
  EXPECT_EQ(after["status"], "in_progress");
  EXPECT_EQ(after["notes"], "see RFC 5322");
  for (const char* key : {"description", "acceptance_criteria", "issue_type", "dependencies"})
    EXPECT_EQ(after.value(key, Json()), before.value(key, Json())) << key;
  EXPECT_EQ(json({"update", "demo-1.1.1", "--notes="})[0].count("notes"), 0U);
  after = json({"update", "demo-1.1.1", "--status=closed"})[0];
  EXPECT_EQ(after.count("closed_at"), 1U);
  after = json({"update", "demo-1.1.1", "--status=open"})[0];
  EXPECT_EQ(after["status"], "open");
  EXPECT_EQ(after.count("closed_at"), 0U);
}

TEST_F(Bead, EveryCommandTakesAProjectFolder) {
  const std::string there = path("with space/ünïcode");
  std::filesystem::create_directories(there);
  const std::string option = "--project-dir=" + there;
  ASSERT_EQ(bead({"init", "--prefix=x", option}).exit_code, 0);
  ASSERT_EQ(bead({"create", "--title=t", option}).exit_code, 0);
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"list"},
                                             {"show", "x-1"},
                                             {"ready"},
                                             {"comments", "add", "x-1", "text"},
                                             {"close", "x-1"},
                                             {"reopen", "x-1"},
                                             {"update", "x-1", "--title=u"}}) {
    std::vector<std::string> args = words;
    args.push_back(option);
    EXPECT_EQ(bead(args).exit_code, 0) << words[0];
  }
  EXPECT_FALSE(std::filesystem::exists(issues()));
}

TEST_F(Bead, HostileTextStaysTextAndNeverReachesTheTerminal) {
  ASSERT_EQ(bead({"init", "--prefix=x"}).exit_code, 0);
  const std::string title = "$(touch pwned) `id` \"q\" 'q' \x1b[2J";
  ASSERT_EQ(bead({"create", "--title=" + title}).exit_code, 0);
  EXPECT_EQ(json({"show", "x-1"})[0]["title"], title);
  EXPECT_EQ(bead({"show", "x-1"}).out.find('\x1b'), std::string::npos);
  EXPECT_EQ(bead({"list"}).out.find('\x1b'), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(path("pwned")));
}

TEST_F(Bead, ExitCodesTellUsageFromWhatIsNotThere) {
  demo();
  for (const std::vector<std::string>& wrong :
       std::vector<std::vector<std::string>>{{"show"},
                                             {"show", "../x"},
                                             {"show", "--", "-rf"},
                                             {"close"},
                                             {"reopen"},
                                             {"reopen", "--", "-rf"},
                                             {"update", "demo-1"},
                                             {"update", "demo-1", "--title="},
                                             {"update", "demo-1", "--title=a\nb"},
                                             {"update", "demo-1", "--notes=\xff"},
                                             {"update", "demo-1", "--status=lost"},
                                             {"update", "demo-1", "--priority=9"},
                                             {"update", "--title=x", "--", "-rf"},
                                             {"comments", "add", "demo-1"},
                                             {"create"},
                                             {"create", "--title=x", "--type=novel"},
                                             {"create", "--title=x", "--priority=9"},
                                             {"create", "--title=a\nb"},
                                             {"list", "--status=lost"},
                                             {"import"},
                                             {"init"},
                                             {"init", "--prefix=a b"},
                                             {"frobnicate"}})
    EXPECT_EQ(bead(wrong).exit_code, 2) << wrong[0];
  for (const std::vector<std::string>& missing :
       std::vector<std::vector<std::string>>{{"show", "demo-9"},
                                             {"close", "demo-9"},
                                             {"reopen", "demo-9"},
                                             {"update", "demo-9", "--title=x"},
                                             {"comments", "add", "demo-9", "x"},
                                             {"create", "--title=x", "--parent=demo-9"},
                                             {"import", "-i", "nowhere.jsonl"},
                                             {"init", "--prefix=demo"},
                                             {"list", "--project-dir=nowhere"}}) {
    const Outcome outcome = bead(missing);
    EXPECT_EQ(outcome.exit_code, 1) << missing[0];
    EXPECT_EQ(outcome.out, "") << missing[0];
    EXPECT_TRUE(outcome.err.starts_with("capsule: ")) << missing[0];
  }
}

TEST_F(Bead, ADamagedLineIsToldWithItsNumberAndNeverLost) {
  demo();
  write_file(issues(), read_file(issues()) + "{\"id\":\"demo-7\",\"title\":\n");
  const Outcome listed = bead({"list"});
  EXPECT_EQ(listed.exit_code, 1);
  EXPECT_NE(listed.out.find("demo-1.1.1"), std::string::npos);
  EXPECT_NE(listed.err.find("issues.jsonl, line 5: not valid JSON"), std::string::npos);
  const Outcome shown = bead({"show", "demo-1.1.1"});
  EXPECT_EQ(shown.exit_code, 0);
  EXPECT_NE(shown.err.find("line 5"), std::string::npos);
  EXPECT_EQ(bead({"show", "demo-7"}).exit_code, 2);
  EXPECT_NE(bead({"create", "--title=new"}).out.find("demo-8"), std::string::npos);
  EXPECT_EQ(bead({"close", "demo-1.1.1"}).exit_code, 0);
  EXPECT_NE(read_file(issues()).find("\n{\"id\":\"demo-7\",\"title\":\n"), std::string::npos);
}

TEST_F(Bead, ADamagedImportNamesItsLineAndChangesNothing) {
  demo();
  const std::string before = read_file(issues());
  write_file(path("bad.jsonl"), "{\"id\":\"demo-5\"}\n\nnope\n");
  const Outcome outcome = bead({"import", "-i", "bad.jsonl"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("bad.jsonl, line 3"), std::string::npos);
  EXPECT_EQ(read_file(issues()), before);
}

TEST_F(Bead, ImportReadsAPipeAndCountsWhatItDid) {
  EXPECT_EQ(bead({"import", "-i", "-", "--json"}, "{\"id\":\"a-1\",\"title\":\"t\"}\r\n").out,
            "{\"created\":1,\"updated\":0,\"unchanged\":0}\n");
  EXPECT_EQ(bead({"import", "-i", "-"}, "{\"id\":\"a-1\",\"title\":\"u\"}").out,
            "Imported: 0 created, 1 updated, 0 unchanged\n");
  EXPECT_NE(bead({"create", "--title=x"}).out.find("a-2"), std::string::npos);
}

// Many programs at once, each through the command line.
TEST_F(Bead, EightProgramsAtOnceLoseNothing) {
  ASSERT_EQ(bead({"init", "--prefix=p"}).exit_code, 0);
  std::vector<std::unique_ptr<Running>> programs;
  for (int i = 0; i < 8; ++i)
    programs.push_back(std::make_unique<Running>(
        prepared({.args = {"bead", "create", "--title=t" + std::to_string(i)},
                  .env = {{"PATH", "/usr/bin:/bin"}}})));
  for (const auto& program : programs) EXPECT_EQ(program->wait().exit_code, 0);
  EXPECT_EQ(json({"list"}).size(), 8U);
}

TEST_F(Bead, TheConfigurationNamesTheTracker) {
  demo();
  write_file(path(".capsule/config.yaml"), "tracker: bd\n");
  const Outcome missing = bead({"show", "demo-1"});
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_NE(missing.err.find("tracker: native"), std::string::npos) << missing.err;
  write_file(path(".capsule/config.yaml"), "tracker: native\n");
  EXPECT_EQ(bead({"show", "demo-1"}).exit_code, 0);
  write_file(path(".capsule/config.yaml"), "tracker: jira\n");
  EXPECT_NE(bead({"show", "demo-1"}).exit_code, 0);
}

TEST_F(Bead, WhereBdIsTheTrackerTheWordsGoToBd) {
  write_file(path("bin/bd"),
             "#!/bin/sh\n[ \"$1\" = version ] && { echo 'bd version 0.49.6 (dev)'; exit; }\n"
             "echo \"$*\" >> log\n[ \"$1\" = close ] && { echo 'no such issue' >&2; exit 3; }\n"
             "printf 'ok \\033[31m\\n'\n");
  ASSERT_EQ(::chmod(path("bin/bd").c_str(), 0755), 0);
  EXPECT_EQ(bead({"list", "--parent=a-1", "--all"}).out, "ok \\x1b[31m\n");
  EXPECT_EQ(bead({"show", "a-1", "--json"}).out, "ok \x1b[31m\n");
  const Outcome closed = bead({"close", "a-1"});
  EXPECT_EQ(closed.exit_code, 1);
  EXPECT_EQ(closed.err, "no such issue\n");
  EXPECT_EQ(bead({"comments", "add", "a-1", "$(id) text"}).exit_code, 0);
  EXPECT_EQ(bead({"reopen", "a-1", "--reason=why", "--json"}).exit_code, 0);
  EXPECT_EQ(bead({"update", "a-1", "--status=open", "--notes=", "--title=t u"}).exit_code, 0);
  EXPECT_EQ(bead({"update", "--notes=x", "--", "--help"}).exit_code, 2) << "no option for bd";
  EXPECT_EQ(read_file(path("log")),
            "list --parent=a-1 --all\nshow a-1 --json\nclose a-1\ncomments add a-1 $(id) text\n"
            "reopen a-1 --reason=why --json\nupdate a-1 --title=t u --status=open --notes=\n");
}

class BeadsInAgents : public ProjectTest {};

// An agent that closes its own bead, or plans more work, would decide what only people decide.
TEST_F(BeadsInAgents, AreReadAndNotChanged) {
  make_project(Way::binary);
  const std::string before = read_file(project() + "/.beads/issues.jsonl");
  on("execute",
     "work; P='" + project() +
         "'\n"
         "for words in 'init --prefix=x' 'import -i x' 'create --title=x' 'close demo-1' "
         "'reopen demo-1' 'update demo-1 --title=x' 'comments add demo-1 x'; do\n"
         "  capsule bead $words --project-dir=\"$P\" >>\"$M/said\" 2>&1; echo \"exit $?\" "
         ">>\"$M/said\"\n"
         "done\n"
         "capsule bead show demo-1 --project-dir=\"$P\" >>\"$M/shown\" 2>&1\n"
         "cp \"$P/.beads/issues.jsonl\" \"$M/issues\"\n"
         "P=execute; say PASS fine \"$files\"");
  ASSERT_EQ(run_bead().exit_code, 0);
  const std::string said = read_file(mock("said"));
  std::size_t refused = 0;
  for (const std::string& line : lines_of(said))
    if (line.find("agents may not call it") != line.npos) ++refused;
  EXPECT_EQ(refused, 7U) << said;
  EXPECT_HAS(said, "an agent ends its work with a signal");
  EXPECT_HAS(read_file(mock("shown")), "The epic");
  EXPECT_EQ(read_file(mock("issues")), before);
}

}  // namespace
}  // namespace capsule::test
