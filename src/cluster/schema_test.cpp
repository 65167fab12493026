#include "cluster/schema.h"

#include <thread>

#include "cluster/connection.h"
#include "cluster/schema_steps.h"
#include "tests/postgres/project.h"

namespace capsule::cluster {
namespace {

class ClusterSchema : public ClusterTest {};

TEST_F(ClusterSchema, ManyAtOnceMakeItOnce) {
  const std::string fresh = InADatabase::server().fresh_database();
  const Address address = Address::parse(InADatabase::server().address(fresh)).value();
  std::vector<Result<Made>> made(4);
  std::vector<std::thread> threads;
  for (auto& one : made) threads.emplace_back([&] { one = set_up(address, "abc", "shop"); });
  for (std::thread& thread : threads) thread.join();
  int first = 0, added = 0;
  for (const auto& one : made) {
    ASSERT_TRUE(one) << one.error().message;
    first += one->before == 0 ? 1 : 0;
    added += one->added ? 1 : 0;
    EXPECT_EQ(one->now, newest_version());
  }
  EXPECT_EQ(first, 1);
  EXPECT_EQ(added, 1);
}

TEST_F(ClusterSchema, AnEarlierOneIsBroughtUpToDateWithWhatItHolds) {
  const std::string fresh = InADatabase::server().fresh_database();
  const Address address = Address::parse(InADatabase::server().address(fresh)).value();
  const auto opened = Connection::open(address);
  ASSERT_TRUE(opened);
  ASSERT_TRUE((*opened)->run(schema_steps().front()));
  ASSERT_TRUE((*opened)->run("INSERT INTO capsule.projects(name, origin) VALUES ('old', 'abc')"));
  const auto made = set_up(address, "abc", "shop");
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->before, 1);
  EXPECT_EQ(made->now, newest_version());
  EXPECT_EQ(made->name, "old");
  EXPECT_EQ(InADatabase::server().query(fresh, "SELECT count(*) FROM capsule.branches"), "0");
}

TEST_F(ClusterSchema, AProjectKeepsTheNameThatItGotFirst) {
  const auto again = set_up(there().at(), InADatabase::kOrigin, "another");
  ASSERT_TRUE(again);
  EXPECT_EQ(again->name, "shop");
  EXPECT_FALSE(again->added);
}

TEST_F(ClusterSchema, ANewerDatabaseIsLeftAlone) {
  there().query("UPDATE capsule.meta SET version = 99");
  const auto refused = set_up(there().at(), InADatabase::kOrigin, "shop");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().reason, Reason::refused);
  const auto closed = open_records(there().at(), InADatabase::settings());
  ASSERT_FALSE(closed);
  EXPECT_EQ(closed.error().reason, Reason::refused);
  EXPECT_NE(closed.error().message.find("newer"), std::string::npos);
  EXPECT_EQ(there().query("SELECT version FROM capsule.meta"), "99");
}

TEST_F(ClusterSchema, WithoutAJournalOrTheProjectWhatIsMissingIsSaid) {
  const std::string empty = InADatabase::server().fresh_database();
  const Address nothing = Address::parse(InADatabase::server().address(empty)).value();
  const auto none = open_records(nothing, InADatabase::settings());
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().reason, Reason::refused);
  EXPECT_NE(none.error().hint.find("capsule cluster init"), std::string::npos);
  Settings other = InADatabase::settings();
  other.origin = "another";
  const auto unknown = open_records(there().at(), other);
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().message.find("does not know this project"), std::string::npos);
}

// As whoever was granted one of the roles.
class ClusterRoles : public ClusterTest {
 protected:
  std::unique_ptr<Connection> as(const std::string& role) {
    const std::string user = role + "_of_" + there().database;
    there().query("CREATE ROLE " + user + " LOGIN IN ROLE " + role);
    auto opened = Connection::open(there().at(user));
    EXPECT_TRUE(opened) << opened.error().message;
    return *std::move(opened);
  }
  static bool denied(Connection& connection, const std::string& sql) {
    const Answer answer = connection.call(sql.c_str());
    return !answer && answer.error().why == Why::denied;
  }
};

TEST_F(ClusterRoles, AWorkerTouchesNoTableAndReplacesNoFunction) {
  const auto worker = as("capsule_worker");
  const std::string tables = there().query(
      "SELECT string_agg(c.relname, ' ') FROM pg_class c"
      " WHERE c.relnamespace = 'capsule'::regnamespace AND c.relkind IN ('r', 'p', 'S')");
  ASSERT_NE(tables.find("facts"), std::string::npos);
  std::istringstream names(tables);
  for (std::string name; names >> name;) {
    EXPECT_TRUE(denied(*worker, "SELECT * FROM capsule." + name)) << name;
    if (name.find("_seq") != std::string::npos || name == "epochs") continue;
    EXPECT_TRUE(denied(*worker, "DELETE FROM capsule." + name)) << name;
  }
  EXPECT_TRUE(denied(*worker, "CREATE TABLE capsule.more(x int)"));
  EXPECT_TRUE(
      denied(*worker, "CREATE FUNCTION capsule_v1.more() RETURNS int LANGUAGE sql AS 'SELECT 1'"));
  EXPECT_TRUE(denied(*worker, "SELECT capsule_v1.tick()"));
  EXPECT_EQ(
      there().query(
          "SELECT count(*) FROM pg_proc WHERE pronamespace = 'capsule_v1'::regnamespace"
          " AND NOT (prosecdef AND proconfig::text LIKE '%search_path=pg_catalog, pg_temp%')"),
      "0");
}

TEST_F(ClusterRoles, AWorkerCarriesRunsOnAndAReaderOnlyLooks) {
  as("capsule_worker");
  const auto worker =
      open_records(there().at("capsule_worker_of_" + there().database), InADatabase::settings());
  ASSERT_TRUE(worker) << worker.error().message;
  const auto claim = (*worker)->claim("demo-1", "a", "now");
  ASSERT_TRUE(claim) << claim.error().message;
  ASSERT_TRUE((*worker)->begin(test::run_named("a"), facts(0, 1)));
  ASSERT_TRUE((*worker)->append("a", 1, facts(1, 1), std::nullopt));
  EXPECT_TRUE((*worker)->take_branch("a", "refs/heads/main"));

  const auto reader = as("capsule_reader");
  EXPECT_TRUE(denied(*reader, "SELECT capsule_v1.release(1, 'demo-1', 1)"));
  EXPECT_TRUE(denied(*reader, "SELECT capsule_v1.take_branch(1, 'main', 'a', 1)"));
  EXPECT_TRUE(denied(*reader, "SELECT capsule_v1.bring_here(1, 'a', 'home', -1)"));
  EXPECT_TRUE(denied(*reader, "SELECT * FROM capsule.facts"));
  const auto looking =
      open_records(there().at("capsule_reader_of_" + there().database), InADatabase::settings());
  ASSERT_TRUE(looking) << looking.error().message;
  EXPECT_EQ((*looking)->read("a", 0)->size(), 2U);
  EXPECT_TRUE(*(*looking)->holder("demo-1"));
  const auto refused = (*looking)->append("a", 2, facts(2, 1), std::nullopt);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().reason, Reason::refused);
  EXPECT_FALSE((*looking)->claim("demo-2", "b", "now"));
}

TEST_F(ClusterRoles, AWorkerDoesWorkAndAReaderOnlySeesIt) {
  as("capsule_worker");
  const auto reader = as("capsule_reader");
  const auto worker =
      open_records(there().at("capsule_worker_of_" + there().database), InADatabase::settings());
  ASSERT_TRUE(worker) << worker.error().message;
  const auto work = (*worker)->work();
  const auto number = work->enlist("one", {"linux"}, 1);
  ASSERT_TRUE(number) << number.error().message;
  EXPECT_TRUE(work->attend(*number, false));
  EXPECT_FALSE(work->take(*number).value());
  // Nobody wants anything of a run that he does not carry on.
  EXPECT_EQ(work->put({"a", 1, {}, "", "{}"}).error().reason, Reason::conflict);
  for (const char* call :
       {"SELECT capsule_v1.enlist(1, 'x', '{}', 1)", "SELECT capsule_v1.attend(1, false)",
        "SELECT capsule_v1.take(1)", "SELECT capsule_v1.report(1, 1, '')",
        "SELECT capsule_v1.leave(1)", "SELECT capsule_v1.drop(1, 'a', 1, 0)",
        "SELECT capsule_v1.done(1, 'a', 1)", "SELECT capsule_v1.reap()"})
    EXPECT_TRUE(denied(*reader, call)) << call;
  const auto seen = look(there().at("capsule_reader_of_" + there().database), InADatabase::kOrigin);
  ASSERT_TRUE(seen) << seen.error().message;
  ASSERT_EQ(seen->workers.size(), 1U);
  EXPECT_EQ(seen->workers[0].labels, std::vector<std::string>{"linux"});
}

}  // namespace
}  // namespace capsule::cluster
