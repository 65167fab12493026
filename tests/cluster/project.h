// Projects of the program tests whose journal is in a real PostgreSQL.
#pragma once

#include <filesystem>

#include "tests/postgres/server.h"
#include "tests/program/deliver_project.h"
#include "tests/program/project.h"

namespace capsule::test {

class ClusterProgram : public ProjectTest {
 protected:
  void SetUp() override {
    ProjectTest::SetUp();
    if (PostgresServer::programs().empty()) GTEST_SKIP() << "PostgreSQL is not installed";
    make_project(Way::binary);
    server().start();
    database_ = server().fresh_database();
    const Outcome made = command("cluster", {"init", address()});
    ASSERT_EQ(made.exit_code, 0) << made.out << made.err;
    env()["CAPSULE_JOURNAL"] = address();
  }
  // Nothing may be left running, not even the server.
  void TearDown() override {
    if (!PostgresServer::programs().empty()) server().kill9();
    ProjectTest::TearDown();
  }
  static PostgresServer& server() { return PostgresServer::shared(); }
  std::string address() const { return server().address(database_); }
  std::string query(const std::string& sql) const { return server().query(database_, sql); }
  bool has_folder_journal() const {
    return std::filesystem::exists(project() + "/.capsule/journal.db");
  }

  // A clone of the project, as on another machine.
  std::string second() {
    const std::string folder = path("second");
    EXPECT_EQ(git({"clone", "-q", project(), folder}).exit_code, 0);
    std::filesystem::copy(project() + "/.beads", folder + "/.beads",
                          std::filesystem::copy_options::recursive);
    return folder;
  }
  Outcome in(const std::string& folder, const std::string& name,
             std::vector<std::string> args) const {
    Call wanted = calling(name, std::move(args));
    wanted.cwd = folder;
    return call(wanted);
  }

 private:
  std::string database_;
};

class ClusterDelivery : public DeliveryTest {
 protected:
  void SetUp() override {
    DeliveryTest::SetUp();
    if (PostgresServer::programs().empty()) GTEST_SKIP() << "PostgreSQL is not installed";
    server().start();
    database_ = server().fresh_database();
    const Outcome made = capsule_in({"cluster", "init", server().address(database_)});
    ASSERT_EQ(made.exit_code, 0) << made.out << made.err;
    env()["CAPSULE_JOURNAL"] = server().address(database_);
  }
  void TearDown() override {
    if (!PostgresServer::programs().empty()) server().kill9();
    DeliveryTest::TearDown();
  }
  static PostgresServer& server() { return PostgresServer::shared(); }

  std::string database_;
};

}  // namespace capsule::test
