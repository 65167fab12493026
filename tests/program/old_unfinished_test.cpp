// Runs that Capsule 0.1 began and did not end: their facts are those of
// tests/golden/journal-v1.sql, in the form of version 1, with the paths and names of a project of
// today. The binary carries them on, and what was recorded stays as it was.
#include <filesystem>
#include <span>

#include "store/store.h"
#include "tests/program/deliver_project.h"
#include "tests/program/demo_project.h"

namespace capsule::test {
namespace {

using ::testing::HasSubstr;

struct OldFact {
  std::string kind, at, body;
};

// The facts of one run of the golden journal, in their order.
std::vector<OldFact> old_facts(int run) {
  std::vector<OldFact> facts;
  const std::string sql = read_file(CAPSULE_SOURCE_DIR "/tests/golden/journal-v1.sql");
  const std::string between = "','";
  std::size_t at = 0;
  while ((at = sql.find("INSERT INTO facts VALUES(", at)) != std::string::npos) {
    const std::string line = sql.substr(at, sql.find('\n', at) - at);
    at += line.size();
    const std::size_t comma = line.find(','), kind = line.find(",'") + 2;
    if (std::stoi(line.substr(comma + 1)) != run) continue;
    const std::size_t time = line.find(between, kind), body = line.find(between, time + 3);
    std::string text = line.substr(body + 3, line.rfind("',") - body - 3);
    for (std::size_t quote = 0; (quote = text.find("''", quote)) != std::string::npos; ++quote)
      text.erase(quote, 1);
    facts.push_back({line.substr(kind, time - kind), line.substr(time + 3, body - time - 3), text});
  }
  EXPECT_FALSE(facts.empty());
  return facts;
}

std::string with(std::string text, const std::string& from, const std::string& to) {
  std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from << " in " << text;
  for (; at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

// As a process of that time left them, and nobody who holds the subject. `outcome`: of a run that
// ended with the last of them.
void leave(const std::string& project, const engine::NewRun& run, const std::vector<OldFact>& facts,
           const std::string& outcome = "") {
  auto store = store::Store::open(project, store::Access::read_write);
  ASSERT_TRUE(store) << store.error().message;
  std::vector<event::NewFact> rows;
  for (const OldFact& fact : facts) rows.push_back({fact.kind, fact.at, fact.body});
  const std::span<const event::NewFact> all(rows);
  const std::size_t at_once = outcome.empty() ? rows.size() : rows.size() - 1;
  const auto begun = (*store)->begin(run, all.first(at_once));
  ASSERT_TRUE(begun) << begun.error().message;
  if (outcome.empty()) return;
  const auto ended = (*store)->append(run.run, *begun, all.subspan(at_once),
                                      engine::Ending{rows.back().at, outcome});
  ASSERT_TRUE(ended) << ended.error().message;
}

// They stand there as they did, whatever came after them.
void expect_kept(const std::string& project, const std::string& run,
                 const std::vector<OldFact>& facts) {
  auto store = store::Store::open(project, store::Access::read_only);
  ASSERT_TRUE(store) << store.error().message;
  EXPECT_TRUE((*store)->verify());
  const auto now = (*store)->read(run, 0);
  ASSERT_TRUE(now) << now.error().message;
  ASSERT_GE(now->size(), facts.size());
  for (std::size_t i = 0; i < facts.size(); ++i) {
    EXPECT_EQ((*now)[i].kind, facts[i].kind);
    EXPECT_EQ((*now)[i].at, facts[i].at);
    EXPECT_EQ((*now)[i].body, facts[i].body);
  }
}

const char* const kRun = "20261116-172807-d0cf45";

class OldUnfinished : public DemoProject {
 protected:
  void SetUp() override {
    DemoProject::SetUp();
    make_project();
    program("agent", "exec claude \"$@\"\n");
    write_file(project() + "/.capsule/config.yaml", "providers: {mine: {command: [agent]}}\n");
  }
  // Does the work of each phase, and says so.
  void pipeline_agent() const {
    program("claude", R"(
cat >/dev/null
echo "$CAPSULE_PHASE" >>')" +
                          path("phases") + R"('
case $CAPSULE_PHASE in
  test-writer) echo 'exit 1' >src/new_test.sh; files='"src/new_test.sh"' ;;
  execute) echo done >src/new.txt; files='"src/new.txt"' ;;
  merge) git add -A >&2 && git commit -qm Work >&2; files= ;;
  *) files= ;;
esac
echo '{"status":"PASS","feedback":"f","files_changed":['"$files"'],"summary":"s"}'
)");
  }
  std::string git_line(std::vector<std::string> args) const {
    const Outcome said = git(std::move(args));
    EXPECT_EQ(said.exit_code, 0) << said.err;
    return said.out.substr(0, said.out.find('\n'));
  }
};

TEST_F(OldUnfinished, APipelineThatHadJustBegunGoesOn) {
  pipeline_agent();
  std::vector<OldFact> facts = old_facts(2);
  facts.resize(1);
  ASSERT_EQ(facts[0].kind, "run_started");
  leave(project(), {kRun, "pipeline", "demo-1.1.2", facts[0].at}, facts);
  EXPECT_EQ(Json::parse(in({"status", "demo-1.1.2", "--json"}).out)["state"], "cut_off");
  const Outcome done = in({"run", "demo-1.1.2"});
  EXPECT_EQ(done.exit_code, 0) << done.out << done.err;
  EXPECT_THAT(git({"show", "main:src/new.txt"}).out, HasSubstr("done"));
  expect_kept(project(), kRun, facts);
  EXPECT_EQ(Json::parse(in({"status", "demo-1.1.2", "--json"}).out)["run"], kRun);
}

// Its worktree stands as its agent left it, and the snapshots that it had taken are there.
TEST_F(OldUnfinished, APipelineThatWasCutOffInExecuteGoesOnThere) {
  pipeline_agent();
  ASSERT_EQ(in({"prep", "demo-1.1.2"}).exit_code, 0);
  for (const char* end : {"", "-wal", "-shm"})
    std::filesystem::remove(project() + "/.capsule/journal.db" + end);
  const std::string tree = project() + "/.capsule/worktrees/demo-1.1.2";
  write_file(tree + "/src/new_test.sh", "exit 1\n");
  ASSERT_EQ(git({"-C", tree, "add", "-A"}).exit_code, 0);
  const std::string files = git_line({"-C", tree, "write-tree"});
  ASSERT_EQ(git({"-C", tree, "reset", "-q"}).exit_code, 0);
  const std::string head = git_line({"rev-parse", "HEAD"});
  const std::string commit = git_line({"-c", "user.name=c", "-c", "user.email=c@c", "commit-tree",
                                       "-p", head, "-m", "kept", files});
  std::vector<OldFact> facts = old_facts(2);
  ASSERT_EQ(facts.size(), 20U);
  ASSERT_EQ(facts.back().kind, "phase_started");
  for (OldFact& fact : facts) {
    for (const auto& [was, is] : {std::pair<std::string, std::string>{"/srv/demo", project()},
                                  {"dade293cdca7d85629ac631ac0bda1bb77acfaf0", head}})
      if (fact.body.find(was) != std::string::npos) fact.body = with(fact.body, was, is);
    if (fact.kind != "snapshot_taken") continue;
    Json body = Json::parse(fact.body);
    body["commit"] = commit;
    body["tree"] = files;
    fact.body = body.dump();
    ASSERT_EQ(git({"update-ref", body["ref"].get<std::string>(), commit}).exit_code, 0);
  }
  leave(project(), {kRun, "pipeline", "demo-1.1.2", facts[0].at}, facts);
  write_file(tree + "/src/half.txt", "half\n");
  EXPECT_EQ(Json::parse(in({"status", "demo-1.1.2", "--json"}).out)["state"], "cut_off");
  const Outcome done = in({"run", "demo-1.1.2"});
  EXPECT_EQ(done.exit_code, 0) << done.out << done.err;
  EXPECT_EQ(read_file(path("phases")), "execute\nexecute-review\nsign-off\nmerge\n");
  EXPECT_THAT(git({"show", "main:src/new.txt"}).out, HasSubstr("done"));
  EXPECT_THAT(git({"show", "main:src/new_test.sh"}).out, HasSubstr("exit 1"));
  expect_kept(project(), kRun, facts);
  EXPECT_EQ(Json::parse(in({"status", "demo-1.1.2", "--json"}).out)["run"], kRun);
}

// Its worktree and its snapshots were in another project: what the run had done is not here.
TEST_F(OldUnfinished, APipelineWhoseWorktreeAndSnapshotsAreGoneIsRefusedAndKept) {
  pipeline_agent();
  const std::vector<OldFact> facts = old_facts(2);
  leave(project(), {kRun, "pipeline", "demo-1.1.2", facts[0].at}, facts);
  const Outcome refused = in({"run", "demo-1.1.2"});
  EXPECT_EQ(refused.exit_code, 2) << refused.out << refused.err;
  EXPECT_THAT(
      refused.out + refused.err,
      HasSubstr("the snapshot 870ed0ec02b0a5c906aaa86ecf36ef7f27757cca is not in this repository"));
  EXPECT_FALSE(std::filesystem::exists(path("phases"))) << "no agent was paid";
  EXPECT_THAT(in({"status", "demo-1.1.2"}).out, HasSubstr("cover the empty value"));
  expect_kept(project(), kRun, facts);
}

TEST_F(OldUnfinished, AnAutoRunThatWasCutOffGoesOn) {
  auto_agent();
  std::vector<OldFact> facts = old_facts(4);
  facts.resize(1);
  ASSERT_EQ(facts[0].kind, "auto_started");
  leave(project(), {kRun, "auto", "auto mode", facts[0].at}, facts);
  EXPECT_EQ(Json::parse(in({"status", "auto", "--json"}).out)["state"], "cut_off");
  const Outcome done = in({"auto", "continue"});
  EXPECT_EQ(done.exit_code, 0) << done.out << done.err;
  EXPECT_EQ(git({"show", "main:greeting.txt"}).out, "hello\n");
  expect_kept(project(), kRun, facts);
}

// Its place was in another project: what the run had done is not here.
TEST_F(OldUnfinished, AnAutoRunWhoseWorktreeIsGoneIsRefusedAndKept) {
  auto_agent();
  std::vector<OldFact> facts = old_facts(4);
  leave(project(), {kRun, "auto", "auto mode", facts[0].at}, facts);
  const Outcome refused = in({"auto", "continue"});
  EXPECT_EQ(refused.exit_code, 1) << refused.out << refused.err;
  EXPECT_THAT(refused.err, HasSubstr("is gone; what it held is kept as refs/capsule/"));
  EXPECT_THAT(in({"status", "auto"}).out, HasSubstr("which greeting is wanted?"));
  expect_kept(project(), kRun, facts);
}

class OldUnfinishedDelivery : public DeliveryTest {};

TEST_F(OldUnfinishedDelivery, OneThatWasCutOffWhileItsDeveloperWorkedGoesOn) {
  write_plan({{"T-1"}});
  std::vector<OldFact> facts = old_facts(3);
  facts.resize(4);
  ASSERT_EQ(facts[0].kind, "delivery_started");
  ASSERT_EQ(facts[3].kind, "agent_dispatched");
  facts[0].body = with(facts[0].body, "/srv/demo/PLAN.md", plan_file());
  leave(project(), {kRun, "delivery", std::filesystem::canonical(plan_file()), facts[0].at}, facts);
  EXPECT_EQ(Json::parse(capsule_in({"status", plan_file(), "--json"}).out)["state"], "cut_off");
  const Delivered done = deliver();
  EXPECT_EQ(done.exit_code, 0) << done.err;
  expect_delivered({"T-1"});
  expect_kept(project(), kRun, facts);
  EXPECT_EQ(calls("developer", "T-1"), 1);
}

TEST_F(OldUnfinishedDelivery, OneThatAPersonHaltedGoesOnWithItsRepair) {
  write_plan({{"T-1"}});
  std::vector<OldFact> facts = old_facts(3);
  ASSERT_EQ(facts.back().kind, "delivery_ended");
  facts[0].body = with(facts[0].body, "/srv/demo/PLAN.md", plan_file());
  leave(project(), {kRun, "delivery", std::filesystem::canonical(plan_file()), facts[0].at}, facts,
        "halted");
  EXPECT_EQ(Json::parse(capsule_in({"status", plan_file(), "--json"}).out)["outcome"], "halted");
  const Delivered done = deliver();
  EXPECT_EQ(done.exit_code, 0) << done.err;
  expect_delivered({"T-1"});
  EXPECT_EQ(calls("remediation", "none"), 1);
  EXPECT_EQ(calls("health-auditor", "none"), 1);
  expect_kept(project(), kRun, facts);
  EXPECT_EQ(done.events.back()["run"], kRun);
}

}  // namespace
}  // namespace capsule::test
