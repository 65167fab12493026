// Runs that Capsule 0.1 began and did not end: their facts are those of
// tests/golden/journal-v1.sql, in the form of version 1, with the paths and names of a project of
// today. The binary carries them on, and what was recorded stays as it was.
#include <filesystem>

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

// As a process of that time left them: no end, and nobody who holds the subject.
void leave(const std::string& project, const engine::NewRun& run,
           const std::vector<OldFact>& facts) {
  auto store = store::Store::open(project, store::Access::read_write);
  ASSERT_TRUE(store) << store.error().message;
  std::vector<event::NewFact> rows;
  for (const OldFact& fact : facts) rows.push_back({fact.kind, fact.at, fact.body});
  const auto begun = (*store)->begin(run, rows);
  ASSERT_TRUE(begun) << begun.error().message;
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
};

TEST_F(OldUnfinished, APipelineThatWasCutOffGoesOn) {
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

}  // namespace
}  // namespace capsule::test
