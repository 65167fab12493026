// capsule serve through the binary: who may read, who may act, and what an agent of the same user
// is told that has the address and the session.
#include <signal.h>

#include <algorithm>
#include <filesystem>

#include "tests/program/deliver_project.h"
#include "tests/program/terminal.h"

namespace capsule::test {
namespace {

struct Page {
  int status = 0;
  std::string head, body;
};

class ServeTest : public DeliveryTest {
 protected:
  // Starts it and waits for its address.
  void serve(std::vector<std::string> more = {}) {
    std::vector<std::string> words = {"serve"};
    words.insert(words.end(), more.begin(), more.end());
    serving = std::make_unique<Running>(calling(words));
    ASSERT_TRUE(eventually([&] { return serving->out_so_far().find('\n') != std::string::npos; }))
        << serving->err_so_far();
    address = serving->out_so_far().substr(0, serving->out_so_far().find('\n'));
    origin = address.substr(0, address.find("/?"));
  }
  // With the session of the first address.
  void enter() {
    const Page first = get(address, {"-c", path("jar")});
    EXPECT_EQ(first.status, 303);
  }
  static Page page_of(const std::string& out) {
    Page page;
    if (out.size() > 9) page.status = std::atoi(out.c_str() + 9);
    const std::size_t end = out.find("\r\n\r\n");
    page.head = out.substr(0, end);
    if (end != std::string::npos) page.body = out.substr(end + 4);
    return page;
  }
  Page get(const std::string& url, std::vector<std::string> more = {}) const {
    Call curl;
    curl.program = "curl";
    curl.args = {"-s", "-i", "--max-time", "60"};
    curl.args.insert(curl.args.end(), more.begin(), more.end());
    curl.args.push_back(url);
    return page_of(call(curl).out);
  }
  Page read(const std::string& what) const {
    return get(origin + "/api/v1/" + what, {"-b", path("jar")});
  }
  Page act(const Json& action, std::vector<std::string> more = {}) const {
    std::vector<std::string> words = {
        "-b", path("jar"),         "-H", "X-Capsule: 1", "-H", "Content-Type: application/json",
        "-H", "Origin: " + origin, "-d", action.dump()};
    words.insert(words.end(), more.begin(), more.end());
    return get(origin + "/api/v1/actions", words);
  }
  // The row of that key in a view; null when there is none.
  static Json row(const Page& view, const std::string& key) {
    const Json all = Json::parse(view.body);
    for (const Json& one : all.at("rows"))
      if (one.at("key").get<std::string>().starts_with(key)) return one.at("row");
    return nullptr;
  }
  static Json answer_to(const Json& item, const std::string& text) {
    return {{"verb", "answer"},
            {"run", item.at("run")},
            {"task", item.at("task")},
            {"question", item.at("question")},
            {"text", text}};
  }
  void ask_for_a_colour() const {
    write_plan({{"T-1"}, {"T-2"}});
    on("developer", "T-1", 1,
       "printf 'TASK_INCOMPLETE: T-1\\n\\nBlocker: which colour\\nNeeded: a colour\\n'");
    on("developer", "T-1", 2, "good");
  }
  void TearDown() override {
    if (serving) {
      serving->send(SIGINT);
      EXPECT_EQ(serving->wait().exit_code, 0);
    }
    DeliveryTest::TearDown();
  }

  std::unique_ptr<Running> serving;
  std::string address, origin;
};

TEST_F(ServeTest, TheAddressIsGoodForOneBrowserAndNothingIsShownWithoutIt) {
  serve();
  EXPECT_EQ(get(origin + "/").status, 403);
  EXPECT_EQ(get(origin + "/api/v1/view").status, 403);
  EXPECT_EQ(get(origin + "/?token=00000000000000000000000000000000").status, 403);
  enter();
  EXPECT_EQ(get(address).status, 403) << "it was used";
  const Page page = get(origin + "/", {"-b", path("jar")});
  EXPECT_EQ(page.status, 200);
  EXPECT_HAS(page.body, "app.js");
  EXPECT_HAS(page.head, "trusted-types 'none'");
  EXPECT_EQ(read("view").status, 200);
  EXPECT_EQ(read("nothing").status, 404);
  EXPECT_EQ(get(origin + "/../../etc/passwd", {"-b", path("jar"), "--path-as-is"}).status, 404);
}

TEST_F(ServeTest, AnotherHostOrOriginIsRefusedBeforeAnythingElse) {
  serve();
  enter();
  EXPECT_EQ(get(origin + "/", {"-b", path("jar"), "-H", "Host: evil.example"}).status, 421);
  EXPECT_EQ(get(address, {"-H", "Host: evil.example"}).status, 421);
  EXPECT_EQ(get(origin + "/", {"-b", path("jar"), "-H", "Origin: http://evil.example"}).status,
            403);
  const Page options = get(origin + "/", {"-b", path("jar"), "-X", "OPTIONS"});
  EXPECT_EQ(options.status, 405);
  EXPECT_HAS(options.head, "\r\nAllow: GET, HEAD");
  const Page looked = read("actions");
  EXPECT_EQ(looked.status, 405);
  EXPECT_HAS(looked.head, "\r\nAllow: POST");
  const Json answer = {{"verb", "answer"}, {"run", "r"}, {"text", "x"}};
  EXPECT_EQ(act(answer, {"-H", "Origin: http://evil.example"}).status, 403);
  EXPECT_EQ(act(answer, {"-H", "Content-Type: text/plain"}).status, 415);
  const Page bare =
      get(origin + "/api/v1/actions", {"-b", path("jar"), "-H", "Content-Type: application/json",
                                       "-H", "Origin: " + origin, "-d", answer.dump()});
  EXPECT_EQ(bare.status, 403) << "without our header";
  EXPECT_EQ(act(answer).status, 404) << "there is no such run";
  EXPECT_EQ(act(Json::array()).status, 400);
}

TEST_F(ServeTest, APersonAnswersInThePageAndTheRunGoesOnWithIt) {
  ask_for_a_colour();
  ASSERT_EQ(deliver().exit_code, 1);
  serve();
  enter();
  const Json item = row(read("view"), "inbox/");
  ASSERT_FALSE(item.is_null());
  EXPECT_EQ(item.at("kind"), "question");
  EXPECT_HAS(item.at("text").get<std::string>(), "which colour");
  const Json wrong = {{"verb", "answer"}, {"run", item.at("run")}, {"question", 1}, {"text", ""}};
  EXPECT_EQ(act(wrong).status, 404) << "it belongs to a task";
  const Json blank = answer_to(item, " ");
  EXPECT_EQ(act(blank).status, 400);
  const Json answer = answer_to(item, "--blue");
  const Page done = act(answer);
  EXPECT_EQ(done.status, 202) << done.body;
  EXPECT_EQ(act(answer).status, 409) << "the first answer wins";
  EXPECT_EQ(deliver().exit_code, 0);
  EXPECT_HAS(agent_call("developer", "T-1", 2).prompt, "--blue");
  EXPECT_TRUE(eventually([&] { return row(read("view"), "inbox/").is_null(); }));
}

TEST_F(ServeTest, WhatFailedIsTriedAgainAndGoesOnWhenThePageHasEnded) {
  write_plan({{"T-1"}, {"T-2", "T-1"}});
  on("auditor", "T-1", 1, "printf 'AUDIT_FAILED: T-1\\n\\nFailed Criteria:\\n- it: FAILED\\n'");
  // The page knows the run by its name: who works on it is what it was started with.
  configure("provider: claude\n");
  std::filesystem::remove(path("bin/claude"));
  ASSERT_EQ(deliver({"--provider=mine"}).exit_code, 1);
  on("auditor", "T-1", calls("auditor", "T-1") + 1, "good");
  on("developer", "T-1", calls("developer", "T-1") + 1,
     "echo here >\"$M/here\"; while [ ! -e \"$M/go\" ]; do sleep 0.05; done; good");
  serve();
  enter();
  const Json item = row(read("view"), "inbox/");
  ASSERT_FALSE(item.is_null());
  EXPECT_EQ(item.at("kind"), "failed");
  EXPECT_EQ(item.at("actions").at(0).at("verb"), "retry");
  const Json retry = {{"verb", "retry"}, {"run", item.at("run")}, {"task", item.at("task")}};
  const Page begun = act(retry);
  EXPECT_EQ(begun.status, 202) << begun.body;
  ASSERT_TRUE(eventually([&] { return !test::read_file(path("mock/here")).empty(); }));
  EXPECT_TRUE(eventually([&] { return act(retry).status == 404; })) << "it goes on already";
  serving->send(SIGINT);
  EXPECT_EQ(serving->wait().exit_code, 0);
  serving.reset();
  write_file(path("mock/go"), "");
  EXPECT_EQ(capsule_in({"attach", plan_file()}).exit_code, 0);
  expect_delivered({"T-1", "T-2"});
}

TEST_F(ServeTest, AParkedProviderIsLetGoFromThePageAndTheRunGoesOn) {
  write_plan({{"T-1"}});
  on("developer", "T-1", 1,
     "echo \"API Error: Request rejected (429) · Claude AI usage limit reached|$(($(date +%s) + "
     "86400))\"; exit 1");
  on("developer", "T-1", 2, "good");
  serve();
  enter();
  Running going(calling({"deliver", plan_file(), "--provider=claude"}));
  Json item;
  ASSERT_TRUE(eventually([&] {
    item = row(read("view"), "inbox/");
    return !item.is_null();
  })) << going.out_so_far();
  EXPECT_EQ(item.at("kind"), "quota");
  EXPECT_EQ(item.at("actions").at(0).at("verb"), "lift");
  Json lift = {{"verb", "lift"},
               {"run", item.at("run")},
               {"task", item.value("task", "")},
               {"item", "another"}};
  EXPECT_EQ(act(lift).status, 404) << "it is none of the inbox";
  lift["item"] = item.at("key");
  const Page lifted = act(lift);
  EXPECT_EQ(lifted.status, 202) << lifted.body;
  EXPECT_HAS(lifted.body, "claude is free again");
  EXPECT_EQ(going.wait().exit_code, 0);
  expect_delivered({"T-1"});
}

// The agent has everything that could be stolen: the address, the session, the right headers.
TEST_F(ServeTest, AnAgentCannotAnswerItsOwnQuestion) {
  write_plan({{"T-1"}, {"T-2", "T-1"}});
  ask_for_a_colour();
  ASSERT_EQ(deliver().exit_code, 1);
  serve();
  enter();
  const Json item = row(read("view"), "inbox/");
  const Json answer = answer_to(item, "mine");
  write_file(path("mock/answer.json"), answer.dump());
  const std::string curl =
      "curl -s -o \"$M/said\" -w '%{http_code}' -b '" + path("jar") +
      "' -H 'X-Capsule: 1' -H 'Content-Type: application/json' -H 'Origin: " + origin +
      "' -d @\"$M/answer.json\" " + origin + "/api/v1/actions";
  use_plan("OTHER.md");
  write_plan({{"T-3"}});
  on("developer", "T-3", 1,
     curl + " >\"$M/code\"; (setsid " + curl +
         " >\"$M/code2\" 2>&1 &); while [ ! -s \"$M/code2\" ]; "
         "do sleep 0.05; done; good");
  ASSERT_EQ(deliver().exit_code, 0);
  EXPECT_EQ(test::read_file(path("mock/code")), "403");
  EXPECT_EQ(test::read_file(path("mock/code2")), "403");
  EXPECT_HAS(test::read_file(path("mock/said")), "agents may not");
  EXPECT_HAS(capsule_in({"questions"}).out, "which colour");
  EXPECT_EQ(act(answer).status, 202) << "a person can";
}

TEST_F(ServeTest, AnAgentCannotStartOne) {
  write_plan({{"T-1"}});
  on("developer", "T-1", 1,
     "timeout 20 capsule serve >\"$M/said\" 2>&1; echo $? >\"$M/code\"; good");
  EXPECT_EQ(deliver().exit_code, 0);
  EXPECT_NE(test::read_file(path("mock/code")), "124\n");
  EXPECT_HAS(test::read_file(path("mock/said")), "is for people");
}

// Nobody can read them who may read the files of the user, or sees processes.
TEST_F(ServeTest, TokenAndSessionAreInNoFileAndInNoProcessTable) {
  ask_for_a_colour();
  ASSERT_EQ(deliver().exit_code, 1);
  serve();
  enter();
  EXPECT_EQ(act(answer_to(row(read("view"), "inbox/"), "blue")).status, 202);
  const std::string token = address.substr(address.find("token=") + 6);
  std::string session = test::read_file(path("jar"));
  while (session.ends_with('\n')) session.pop_back();
  session = session.substr(session.rfind('\t') + 1);
  ASSERT_EQ(token.size(), 32U) << address;
  ASSERT_EQ(session.size(), 32U) << test::read_file(path("jar"));
  const std::string process = "/proc/" + std::to_string(serving->pid()) + "/";
  std::map<std::string, std::string> texts = {
      {"arguments", test::read_file(process + "cmdline")},
      {"environment", test::read_file(process + "environ")}};
  EXPECT_HAS(texts["arguments"], "serve");
  EXPECT_HAS(texts["environment"], "HOME=" + path("home"));
  bool journal = false;
  for (const std::string& folder : {project() + "/.capsule", path("home")})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
      if (entry.is_regular_file()) {
        const std::string text = test::read_file(entry.path());
        journal |= text.find("which colour") != std::string::npos;
        texts[entry.path()] = text;
      }
  EXPECT_TRUE(journal) << "it is looked for where it could be";
  for (const auto& [name, text] : texts)
    for (const std::string& secret : {token, session})
      EXPECT_EQ(text.find(secret), std::string::npos) << "in: " << name;
}

TEST_F(ServeTest, ReadOnlyHasNoEffects) {
  ask_for_a_colour();
  ASSERT_EQ(deliver().exit_code, 1);
  serve({"--read-only"});
  enter();
  const Json item = row(read("view"), "inbox/");
  const Json answer = answer_to(item, "blue");
  EXPECT_EQ(act(answer).status, 405);
}

TEST_F(ServeTest, ShowsDiffsTranscriptsAndTheRunAsItWas) {
  write_plan({{"T-1"}});
  ASSERT_EQ(deliver().exit_code, 0);
  serve();
  enter();
  const Json all = row(read("view"), "run/");
  const std::string run = all.at("run");
  const Json attempt = row(read("view?run=" + run), "run/" + run + "/agent/");
  const std::string agent = std::to_string(attempt.at("agent").get<int>());
  const Page diff = read("diff?run=" + run + "&task=T-1&from=0&to=" + agent);
  EXPECT_EQ(diff.status, 200) << diff.body;
  EXPECT_HAS(diff.body, "T-1.txt");
  const Page transcript = read("transcript?run=" + run + "&agent=" + agent);
  EXPECT_EQ(transcript.status, 200) << transcript.body;
  EXPECT_HAS(transcript.body, "READY_FOR_REVIEW");
  EXPECT_EQ(read("transcript?run=" + run + "&agent=999").status, 404);
  const Page then = read("view?run=" + run + "&at=2");
  EXPECT_EQ(then.status, 200);
  EXPECT_EQ(row(then, "run/" + run).value("done", 0), 0);
  EXPECT_EQ(row(read("view?run=" + run), "run/" + run).value("done", 0), 1);
}

TEST_F(ServeTest, AnyTwoAttemptsAreComparedAndALongDiffIsCutOff) {
  write_plan({{"T-1"}, {"T-2"}});
  on("developer", "T-1", 1, "echo first >T-1.txt; ready");
  on("critic", "T-1", 1, "printf 'REVIEW_FAILED: T-1\\n\\nIssues:\\n- not the last word\\n'");
  on("developer", "T-1", 2, "echo last >T-1.txt; ready");
  on("critic", "T-1", 2, "good");
  on("developer", "T-2", 1, "seq 1 100000 >T-2.txt; ready");
  ASSERT_EQ(deliver().exit_code, 0);
  serve();
  enter();
  const std::string run = row(read("view"), "run/").at("run");
  std::map<std::string, std::vector<int>> kept;
  const Json all = Json::parse(read("view?run=" + run).body);
  for (const Json& one : all.at("rows"))
    if (one.at("row").contains("snapshot") && one.at("row").value("role", "") == "developer")
      kept[one.at("row").at("task")].push_back(one.at("row").at("agent"));
  ASSERT_EQ(kept["T-1"].size(), 2U);
  ASSERT_EQ(kept["T-2"].size(), 1U);
  const auto diff = [&](int from, int to) {
    const Page page =
        read("diff?run=" + run + "&from=" + std::to_string(from) + "&to=" + std::to_string(to));
    EXPECT_EQ(page.status, 200) << page.body;
    return Json::parse(page.body);
  };
  std::sort(kept["T-1"].begin(), kept["T-1"].end());
  const Json between = diff(kept["T-1"][0], kept["T-1"][1]);
  EXPECT_HAS(between.at("text").get<std::string>(), "\n-first\n+last\n");
  EXPECT_FALSE(between.value("truncated", false));
  EXPECT_HAS(diff(kept["T-1"][1], kept["T-1"][0]).at("text").get<std::string>(),
             "\n-last\n+first\n");
  EXPECT_HAS(diff(0, kept["T-1"][0]).at("text").get<std::string>(), "new file");
  // Without another, it is what the attempt itself changed.
  EXPECT_HAS(diff(0, kept["T-1"][1]).at("text").get<std::string>(), "\n-first\n+last\n");
  // Of one task against another's, too: any two.
  EXPECT_HAS(diff(kept["T-1"][1], kept["T-2"][0]).at("text").get<std::string>(), "-last");
  const Json cut = diff(0, kept["T-2"][0]);
  EXPECT_EQ(cut.at("truncated"), true);
  EXPECT_EQ(cut.at("text").get<std::string>().size(), 512U << 10U);
  EXPECT_LACKS(cut.at("text").get<std::string>(), "+100000");
}

// Until it has ended, the name of its log does not tell whose it is.
TEST_F(ServeTest, AnAgentOfTheFirstPhaseIsReadWhileItWorks) {
  write_file(project() + "/.beads/issues.jsonl",
             R"({"id":"b-1","title":"T","status":"open","priority":1,"issue_type":"task"})"
             "\n");
  git({"add", "."});
  git({"commit", "-q", "-m", "Beads"});
  write_file(path("bin/agent"),
             "#!/bin/sh\ncat >/dev/null\necho \"I am at $CAPSULE_PHASE\"\necho aside >&2\n"
             "while [ ! -e '" +
                 path("go") + "' ]; do sleep 0.05; done\n");
  serve();
  enter();
  Running going(calling({"run", "b-1"}));
  std::string run;
  ASSERT_TRUE(eventually([&] {
    const Json row = ServeTest::row(read("view"), "run/");
    run = row.is_null() ? "" : row.at("run");
    return !run.empty() && read("transcript?run=" + run + "&agent=1").status == 200;
  }));
  EXPECT_TRUE(eventually([&] {
    return read("transcript?run=" + run + "&agent=1").body.find("I am at test-writer") !=
           std::string::npos;
  }));
  EXPECT_TRUE(eventually([&] {
    return read("transcript?run=" + run + "&agent=1&of=stderr").body.find("aside") !=
           std::string::npos;
  }));
  EXPECT_EQ(read("transcript?run=" + run + "&agent=2").status, 404);
  write_file(path("go"), "");
  EXPECT_NE(going.wait().exit_code, 0) << "its agent ends without a signal";
}

TEST_F(ServeTest, NamesThatAreNoneAreRefused) {
  write_plan({{"T-1"}});
  ASSERT_EQ(deliver().exit_code, 0);
  serve();
  enter();
  const std::string run = row(read("view"), "run/").at("run");
  for (const std::string& bad : std::vector<std::string>{
           "diff?run=--output%3Dx&to=1", "diff?run=" + run + "&to=--help",
           "diff?run=" + run + "&to=-1", "transcript?run=..%2F..%2Fetc&agent=1",
           "transcript?run=" + run + "&agent=..%2Fpasswd", "view?run=" + run + "&at=x"})
    EXPECT_EQ(read(bad).status, 400) << bad;
  EXPECT_EQ(read("diff?run=" + run + "&to=999").status, 404);
  EXPECT_EQ(read("view?run=none").status, 404);
}

TEST_F(ServeTest, AStreamTellsRowsAndTakesUpWhereItWasLeft) {
  write_plan({{"T-1"}});
  serve();
  enter();
  Call curl;
  curl.program = "curl";
  curl.args = {"-s", "-N", "-b", path("jar"), origin + "/api/v1/events?from=0"};
  const Running stream(prepared(curl));
  ASSERT_EQ(deliver().exit_code, 0);
  ASSERT_TRUE(eventually([&] {
    return stream.out_so_far().find("\"stage\":\"complete\"") != std::string::npos;
  })) << stream.out_so_far();
  EXPECT_HAS(stream.out_so_far(), "event: rows\nid: ");
  curl.args = {"-s", "-N", "-b", path("jar"), "-H", "Last-Event-ID: 3", origin + "/api/v1/events"};
  const Running again(prepared(curl));
  EXPECT_TRUE(eventually(
      [&] { return again.out_so_far().find("\"stage\":\"complete\"") != std::string::npos; }));
  curl.args = {"-s", "-N", "-b", path("jar"), origin + "/api/v1/events?from=0&facts=1"};
  const Running facts(prepared(curl));
  EXPECT_TRUE(eventually([&] {
    return facts.out_so_far().find("event: fact\nid: 1\ndata: {\"event\":\"") != std::string::npos;
  }));
  curl.args = {"-s", "-N", "-b", path("jar"), origin + "/api/v1/events?from=999999"};
  const Running lost(prepared(curl));
  EXPECT_TRUE(
      eventually([&] { return lost.out_so_far().find("event: reload") != std::string::npos; }));
}

TEST_F(ServeTest, OutlivesAJournalThatIsDeletedAndMadeAnew) {
  ask_for_a_colour();
  ASSERT_EQ(deliver().exit_code, 1);
  serve();
  enter();
  const std::string first = row(read("view"), "inbox/").at("run");
  Call curl;
  curl.program = "curl";
  curl.args = {"-s", "-N", "-b", path("jar"), origin + "/api/v1/events"};
  const Running stream(prepared(curl));
  ASSERT_TRUE(eventually([&] { return !stream.out_so_far().empty(); }));
  std::filesystem::remove_all(project() + "/.capsule");
  EXPECT_TRUE(eventually([&] { return row(read("view"), "run/").is_null(); }));
  EXPECT_TRUE(row(read("view"), "inbox/").is_null());
  EXPECT_EQ(read("view?run=" + first).status, 404);
  EXPECT_EQ(read("transcript?run=" + first + "&agent=1").status, 404);
  EXPECT_TRUE(eventually(
      [&] { return stream.out_so_far().find("event: reload\nid: ") != std::string::npos; }));
  configure("");
  use_plan("OTHER.md");
  write_plan({{"T-3"}});
  on("developer", "T-3", 1,
     "printf 'TASK_INCOMPLETE: T-3\\n\\nBlocker: which size\\nNeeded: a size\\n'");
  ASSERT_EQ(deliver().exit_code, 1);
  ASSERT_TRUE(eventually([&] { return !row(read("view"), "inbox/").is_null(); }));
  const Json item = row(read("view"), "inbox/");
  EXPECT_NE(item.at("run"), first);
  EXPECT_HAS(item.at("text").get<std::string>(), "which size");
  EXPECT_TRUE(
      eventually([&] { return stream.out_so_far().find("which size") != std::string::npos; }));
  const Json answer = answer_to(item, "large");
  EXPECT_EQ(act(answer).status, 202);
  EXPECT_TRUE(eventually([&] { return row(read("view"), "inbox/").value("answered", false); }));
}

TEST_F(ServeTest, ASocketWorksAsAPortDoes) {
  const std::string socket = path("page");
  serve({"--socket=" + socket});
  const std::string url = address.substr(0, address.find(' '));
  const Page first = get(url, {"--unix-socket", socket, "-c", path("jar")});
  EXPECT_EQ(first.status, 303);
  EXPECT_EQ(
      get("http://localhost/api/v1/view", {"--unix-socket", socket, "-b", path("jar")}).status,
      200);
  EXPECT_EQ(get("http://evil.example/", {"--unix-socket", socket, "-b", path("jar")}).status, 421);
}

TEST_F(ServeTest, EnterPrintsAnotherAddressAndControlCEndsIt) {
  AtTerminal person(calling({"serve"}));
  ASSERT_TRUE(person.shows("press Enter for another"));
  const auto address_at = [&](std::size_t from) {
    const std::size_t begin = person.screen().find("http://", from);
    return person.screen().substr(begin, person.screen().find_first_of("\r\n", begin) - begin);
  };
  const std::string first = address_at(0);
  const std::size_t seen = person.screen().size();
  person.type("\n");
  ASSERT_TRUE(eventually([&] {
    const std::size_t at = person.screen().find("http://", seen);
    return at != std::string::npos && person.screen().find('\n', at) != std::string::npos;
  }));
  EXPECT_EQ(get(first).status, 403) << "the earlier one is forgotten";
  EXPECT_EQ(get(address_at(seen)).status, 303);
  person.type("\x03");
  EXPECT_EQ(person.wait(), 0);
}

// The program that opens it may be the browser: it is answered while it runs, and is not ended.
TEST_F(ServeTest, OpensTheAddressInTheBrowserOfTheUser) {
  write_file(path("bin/xdg-open"), "#!/bin/sh\ncurl -s -o /dev/null -w '%{http_code}' \"$1\" >'" +
                                       path("opening") + "'\nmv '" + path("opening") + "' '" +
                                       path("opened") + "'\n");
  std::filesystem::permissions(path("bin/xdg-open"), std::filesystem::perms::owner_all);
  serve({"--open"});
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(path("opened")); }));
  EXPECT_EQ(test::read_file(path("opened")), "303");
  EXPECT_EQ(get(address).status, 403) << "that was its browser";
}

// For work on the page: its files come from a folder.
TEST_F(ServeTest, ThePageMayComeFromAFolder) {
  write_file(path("web/app.js"), "// mine\n");
  env()["CAPSULE_WEB"] = path("web");
  serve();
  enter();
  EXPECT_HAS(get(origin + "/app.js", {"-b", path("jar")}).body, "// mine");
}

TEST_F(ServeTest, WordsThatExcludeEachOtherAreAnError) {
  EXPECT_EQ(capsule_in({"serve", "--port=1", "--socket=x"}).exit_code, 2);
  EXPECT_EQ(capsule_in({"serve", "--port=99999"}).exit_code, 2);
  EXPECT_EQ(capsule_in({"serve", "--open", "--socket=x"}).exit_code, 2);
}

}  // namespace
}  // namespace capsule::test
