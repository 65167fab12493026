// A project in a database of its own, on the real server of the test program.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include "cluster/records.h"
#include "cluster/schema.h"
#include "tests/postgres/server.h"
#include "tests/store/facts.h"

namespace capsule::cluster {

class InADatabase {
 public:
  static constexpr const char* kOrigin = "0123456789abcdef0123456789abcdef01234567";

  static std::string skip() {
    return test::PostgresServer::programs().empty() ? "PostgreSQL is not installed" : "";
  }

  InADatabase() : database(server().fresh_database()) {
    const auto made = set_up(at(), kOrigin, "shop");
    EXPECT_TRUE(made) << made.error().message;
  }

  static test::PostgresServer& server() { return test::PostgresServer::shared(); }
  Address at(const std::string& user = "owner") const {
    return Address::parse(server().address(database, user)).value();
  }
  static Settings settings(const std::string& host = "here") {
    Settings settings;
    settings.project = "/p";
    settings.origin = kOrigin;
    settings.self = {::getpid(), 1, "boot", "machine", host};
    settings.away_milliseconds = 60'000;
    settings.silent_milliseconds = 60'000;
    return settings;
  }
  std::unique_ptr<engine::Records> open(Settings with = settings()) const {
    auto opened = open_records(at(), std::move(with));
    EXPECT_TRUE(opened) << opened.error().message;
    return opened ? *std::move(opened) : nullptr;
  }
  std::string query(const std::string& sql) const { return server().query(database, sql); }

  std::string database;
};

class ClusterTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = InADatabase::skip(); !why.empty()) GTEST_SKIP() << why;
    fixture_ = std::make_unique<InADatabase>();
  }
  InADatabase& there() { return *fixture_; }
  static std::vector<event::NewFact> facts(int from, int count) {
    std::vector<event::NewFact> all;
    for (int i = 0; i < count; ++i) all.push_back(test::fact(from + i));
    return all;
  }

 private:
  std::unique_ptr<InADatabase> fixture_;
};

}  // namespace capsule::cluster
