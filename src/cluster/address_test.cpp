#include "cluster/address.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace capsule::cluster {
namespace {

std::string value(const Address& address, const std::string& name) {
  for (const auto& [known, said] : address.parameters())
    if (known == name) return said;
  return "";
}

TEST(ClusterAddress, APasswordIsNeverShown) {
  const auto good = Address::parse("postgres://ann:s3cret@db.example:5433/shop");
  ASSERT_TRUE(good);
  EXPECT_EQ(good->shown(), "db.example:5433/shop");
  EXPECT_EQ(value(*good, "password"), "s3cret");
  for (const char* text :
       {"postgres://ann:s3cret@[::1/shop", "host=x password=s3cret", "s3cret",
        "postgres://ann:s3cret@h/shop?nosuch=1", "postgres://ann:s3c%ZZret@h/"}) {
    const auto bad = Address::parse(text);
    ASSERT_FALSE(bad) << text;
    EXPECT_EQ(bad.error().reason, Reason::usage);
    EXPECT_EQ((bad.error().message + bad.error().hint).find("s3c"), std::string::npos) << text;
  }
}

TEST(ClusterAddress, TheServersNameIsVerifiedUnlessItIsThisMachine) {
  const auto mode = [](const char* text) { return value(*Address::parse(text), "sslmode"); };
  EXPECT_EQ(mode("postgres://db.example/shop"), "verify-full");
  EXPECT_EQ(mode("postgres://localhost,db.example/shop"), "verify-full");
  EXPECT_EQ(mode("postgres://db.example/shop?sslmode=require"), "require");
  EXPECT_EQ(mode("postgres://127.0.0.1/shop"), "");
  EXPECT_EQ(mode("postgres://127.evil.example/shop"), "verify-full") << "a name like any other";
  EXPECT_EQ(mode("postgres://localhost/shop?hostaddr=203.0.113.5"), "verify-full")
      << "whatever it is called";
  EXPECT_EQ(mode("postgres:///shop?host=/run/postgresql"), "");
}

TEST(ClusterAddress, OfSeveralServersTheOneThatWritesIsTaken) {
  const auto address = Address::parse("postgres://a,b,c/shop?connect_timeout=3");
  EXPECT_EQ(value(*address, "target_session_attrs"), "read-write");
  EXPECT_EQ(value(*address, "connect_timeout"), "3");
}

}  // namespace
}  // namespace capsule::cluster
