#include "agent/redaction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "json/text.h"

namespace capsule::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::string kToken = "sk-ant-api03-" + std::string(30, 'a') + "Z9_x";

std::string redact(std::string_view text, const std::vector<std::string>& secrets = {},
                   std::size_t piece = 1 << 20) {
  Redaction redaction(secrets);
  std::string out;
  for (std::size_t at = 0; at < text.size(); at += piece)
    out += redaction.feed(text.substr(at, piece));
  out += redaction.finish();
  return out;
}

TEST(Redaction, ValuesThatWereHandedOverAreReplacedWhereverTheyStand) {
  const std::vector<std::string> secrets{"hunter2-hunter2"};
  EXPECT_EQ(redact("a hunter2-hunter2b, xhunter2-hunter2", secrets), "a [redacted]b, x[redacted]");
  EXPECT_EQ(redact("hunter2-hunter", secrets), "hunter2-hunter");
}

TEST(Redaction, AlsoAsTheyStandInJson) {
  const std::string secret = "a\"b\\c\nd-secret";
  EXPECT_EQ(redact("{\"k\":" + json::quoted(secret) + "}", {secret}), "{\"k\":\"[redacted]\"}");
  EXPECT_EQ(redact("<" + secret + ">", {secret}), "<[redacted]>");
}

TEST(Redaction, KnownShapesOfKeysAreReplaced) {
  const std::string many[] = {
      kToken,
      "sk-proj-" + std::string(40, 'A') + "0",
      "ghp_" + std::string(36, 'x'),
      "github_pat_" + std::string(40, 'x'),
      "AKIAABCDEFGHIJKLMNOP",
      "AIza" + std::string(35, 'b'),
      "xoxb-123456789012-abcdefghij",
      "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NSJ9.abcdefghijklmnop",
      "-----BEGIN RSA PRIVATE KEY-----\nMIIEabc\nxyz\n-----END RSA PRIVATE KEY-----",
      "-----BEGIN PRIVATE KEY-----\\nMIIE\\n-----END PRIVATE KEY-----",
  };
  for (const std::string& one : many) {
    EXPECT_EQ(redact("key=" + one + ";"), "key=[redacted];") << one;
    EXPECT_EQ(redact(one), "[redacted]") << one;
    EXPECT_EQ(redact("line\\n" + one + "\""), "line\\n[redacted]\"") << one;
    for (std::size_t piece = 1; piece < 12; ++piece)
      EXPECT_EQ(redact("key " + one + " end", {}, piece), "key [redacted] end") << piece << one;
  }
}

TEST(Redaction, WordsThatOnlyLookAlikeStay) {
  for (const std::string text :
       {"task-ABCDEFGHIJKLMNOPQRSTUVW0", "sk-circle-fade-dot-something-long", "sk-short1A",
        "ghp_tooshort", "AKIAABC", "eyJhbG.x.y", "-----BEGIN CERTIFICATE-----\nabc",
        "--- a/x\n+++ b/x", "the asking-for-TOKENS-1234567890-things", "BAKIAABCDEFGHIJKLMNOP"})
    EXPECT_EQ(redact(text), text);
}

TEST(Redaction, AKeyThatIsNeverClosedIsReplacedAsFarAsItGoes) {
  EXPECT_EQ(redact("x -----BEGIN PRIVATE KEY-----\nMIIE"), "x [redacted]");
}

TEST(Redaction, PiecesMakeNoDifference) {
  std::mt19937 random(7);
  const std::string parts[] = {kToken,
                               "plain words ",
                               "\\n",
                               "s",
                               "sk-",
                               "hunter2-hunter2",
                               "hunter2",
                               "-----BEGIN ",
                               "PRIVATE KEY-----",
                               "-----END KEY-----",
                               "eyJ",
                               "AKIA",
                               "\n",
                               "task-",
                               "{\"a\":\"",
                               "\"}"};
  for (int round = 0; round < 400; ++round) {
    std::string text;
    for (int i = 0; i < 12; ++i) text += parts[random() % std::size(parts)];
    const std::string whole = redact(text, {"hunter2-hunter2"});
    EXPECT_EQ(redact(text, {"hunter2-hunter2"}, 1 + random() % 9), whole) << text;
  }
}

TEST(Redaction, ItCounts) {
  Redaction redaction({"hunter2-hunter2"});
  redaction.feed("hunter2-hunter2 " + kToken);
  redaction.finish();
  EXPECT_EQ(redaction.count(), 2);
}

TEST(Secrets, AreKnownByTheNameOfTheVariableAndTheLookOfTheValue) {
  EXPECT_TRUE(is_secret("ANTHROPIC_API_KEY", "abc12345"));
  EXPECT_TRUE(is_secret("GITHUB_TOKEN", "sixteen-letters!"));
  EXPECT_TRUE(is_secret("db_password", "S3cret!!"));
  EXPECT_FALSE(is_secret("HOME", "abc12345"));
  EXPECT_FALSE(is_secret("API_KEY", "short1"));
  EXPECT_FALSE(is_secret("MAX_OUTPUT_TOKENS", "12345678"));
  EXPECT_FALSE(is_secret("DB_PASSWORD", "postgres"));
  EXPECT_FALSE(is_secret("SSH_KEY_FILE", "/home/me/.ssh/id_ed25519"));
  EXPECT_FALSE(is_secret("API_KEY", "/run/keys/api"));
  EXPECT_FALSE(is_secret("DB_PASSWORD_FILE", "/run/secrets/db"));
  EXPECT_TRUE(is_secret("AWS_SECRET_ACCESS_KEY", "/wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEK"));
  for (const char* name : {"AZURE_DEVOPS_EXT_PAT", "DB_PASS", "MYSQL_PWD", "NPM_CONFIG__AUTH",
                           "AWS_CREDENTIALS", "KEY_PASSPHRASE"})
    EXPECT_TRUE(is_secret(name, "aB3dE6gH9j")) << name;
  for (const char* name : {"PATTERN", "COMPASS", "GIT_AUTHOR_NAME", "AUTHORITY", "DISPATCH"})
    EXPECT_FALSE(is_secret(name, "aB3dE6gH9j")) << name;
  EXPECT_FALSE(is_secret("PWD", "/home/me/project"));
  EXPECT_FALSE(is_secret("SSH_AUTH_SOCK", "/run/user/1000/keyring/ssh"));
  for (const char* path : {"/etc/creds", "~/creds/key.json", "../creds.json", "creds/prod-1.json"})
    EXPECT_FALSE(is_secret("GOOGLE_APPLICATION_CREDENTIALS", path)) << path;
  EXPECT_TRUE(is_secret("GOOGLE_CREDENTIALS", R"({"private_key_id": "k-1"})"));
}

TEST(Secrets, InHeadersAreWhatStandsBehindTheirNames) {
  EXPECT_THAT(secrets_in("ANTHROPIC_CUSTOM_HEADERS",
                         "Authorization: Bearer aB3dE6gH9j\nX-Tenant: customers\nx-api-key: "
                         "q1w2e3r4\nanthropic-beta: on\nX-Route: pc-1234567890abcdef"),
              ElementsAre("aB3dE6gH9j", "q1w2e3r4", "pc-1234567890abcdef"));
  EXPECT_THAT(secrets_in("OTEL_EXPORTER_OTLP_HEADERS", "api-key=q1w2e3r4,other=text"),
              ElementsAre("q1w2e3r4"));
  EXPECT_THAT(secrets_in("HEADERS", "none at all"), IsEmpty());
  EXPECT_THAT(secrets_in("SUBJECT", "x-api-key: q1w2e3r4"), IsEmpty());
}

TEST(Secrets, InAUrlAreItsPasswords) {
  EXPECT_THAT(secrets_in("DATABASE_URL", "postgres://app:S3cret!!@db.local:5432/app"),
              ElementsAre("S3cret!!"));
  EXPECT_THAT(secrets_in("PEERS", "https://a:q1w2e3r4@x https://b:p@ss1234@y/z?u=v:w"),
              ElementsAre("q1w2e3r4", "p@ss1234"));
  EXPECT_THAT(secrets_in("DATABASE_URL", "postgres://postgres:postgres@localhost/app"), IsEmpty());
  EXPECT_THAT(secrets_in("PROXY", "http://proxy.local:8080"), IsEmpty());
  EXPECT_THAT(secrets_in("REMOTE", "https://host/path:with@signs"), IsEmpty());
}

}  // namespace
}  // namespace capsule::agent
