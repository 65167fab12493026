// Damaged files: whatever is changed in them, the journal either says so or tells what was written.
#include <random>

#include "tests/store/journal_folder.h"

namespace capsule::store {
namespace {

namespace fs = std::filesystem;
using test::fact;
using test::run_named;

class StoreDamage : public test::JournalFolder {
 protected:
  static constexpr int kRuns = 4;
  static constexpr int kFacts = 40;

  // A journal as a killed process leaves it: one part in the file, the rest in the log.
  void SetUp() override {
    write(0, kFacts / 2);
    const auto store = open();
    write_with(*store, kFacts / 2, kFacts);
    for (const char* suffix : {"", "-wal", "-mark"}) original_[suffix] = bytes_of(file(suffix));
    ASSERT_GT(original_["-wal"].size(), 10'000U);
    ASSERT_EQ(original_["-mark"].size(), 32U);
  }

  void write(int from, int to) const { write_with(*open(), from, to); }
  static void write_with(Store& store, int from, int to) {
    for (int i = from; i < to; ++i)
      for (int run = 0; run < kRuns; ++run) {
        const std::string name = "run-" + std::to_string(run);
        const std::vector<event::NewFact> facts{fact(i * kRuns + run, static_cast<std::size_t>(i))};
        if (i == 0) {
          ASSERT_TRUE(store.begin(run_named(name, "bead-" + std::to_string(run % 2)), facts));
        } else {
          ASSERT_TRUE(store.append(name, store.head(name)->last_seq, facts, std::nullopt));
        }
      }
  }

  void restore() {
    fs::remove_all(dir_ + "/.capsule");
    fs::create_directories(dir_ + "/.capsule");
    for (const auto& [suffix, bytes] : original_) put_bytes(file(suffix), bytes);
  }

  enum class Seen { intact, refused, wrong };
  struct Verdict {
    Seen seen;
    std::string why;
  };

  // Reads everything, as `run` and `status` would.
  Verdict look(Access access) const {
    const auto refused = [](const Error& error) {
      const bool clear = error.reason == Reason::damaged || error.reason == Reason::refused ||
                         error.reason == Reason::io;
      return Verdict{
          clear && !error.message.empty() ? Seen::refused : Seen::wrong,
          "reason " + std::to_string(static_cast<int>(error.reason)) + " " + error.message};
    };
    auto store = Store::open(dir_, access);
    if (!store) return refused(store.error());
    const auto runs = (*store)->runs();
    if (!runs) return refused(runs.error());
    if (runs->size() != kRuns) return {Seen::wrong, "runs: " + std::to_string(runs->size())};
    for (int run = 0; run < kRuns; ++run) {
      const std::string name = "run-" + std::to_string(run);
      if ((*runs)[static_cast<std::size_t>(run)].run != name) return {Seen::wrong, "order of runs"};
      const auto facts = (*store)->read(name, 0);
      // A run that the list has cannot be unknown.
      if (!facts && facts.error().reason == Reason::not_found)
        return {Seen::wrong, facts.error().message};
      if (!facts) return refused(facts.error());
      if (facts->size() != kFacts) return {Seen::wrong, "facts: " + std::to_string(facts->size())};
      for (int i = 0; i < kFacts; ++i)
        if ((*facts)[static_cast<std::size_t>(i)].body !=
            fact(i * kRuns + run, static_cast<std::size_t>(i)).body)
          return {Seen::wrong, "fact " + std::to_string(i)};
    }
    return {Seen::intact, ""};
  }

  std::map<std::string, std::string> original_;
};

TEST_F(StoreDamage, WithoutDamageAllIsThere) {
  restore();
  const Verdict verdict = look(Access::read_write);
  EXPECT_EQ(verdict.seen, Seen::intact) << verdict.why;
  EXPECT_TRUE(open()->verify());
}

TEST_F(StoreDamage, FlippedBitsAreNeverTakenForTruth) {
  const std::uint32_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const int rounds = test::full() ? 4'000 : 300;
  int refused = 0;
  for (int round = 0; round < rounds; ++round) {
    restore();
    const std::string suffix =
        std::array{"", "-wal", "-mark"}[random() % 16 == 0 ? 2 : random() % 2];
    std::string bytes = original_[suffix];
    std::string what = "bits of journal.db" + suffix + " at";
    for (std::size_t flips = 1 + random() % 3; flips > 0; --flips) {
      const std::size_t at = random() % bytes.size();
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << (random() % 8)));
      what += " " + std::to_string(at);
    }
    put_bytes(file(suffix), bytes);
    const Verdict verdict = look(round % 2 == 0 ? Access::read_write : Access::read_only);
    ASSERT_NE(verdict.seen, Seen::wrong) << what << ": " << verdict.why;
    refused += verdict.seen == Seen::refused ? 1 : 0;
    if (suffix == "-mark") {
      EXPECT_EQ(verdict.seen, Seen::intact) << what << ": " << verdict.why;
    }
  }
  EXPECT_GT(refused, rounds / 10);  // otherwise nothing was tested
}

TEST_F(StoreDamage, AFileThatWasCutOffIsNeverTakenForTruth) {
  const std::uint32_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const int rounds = test::full() ? 1'500 : 100;
  for (int round = 0; round < rounds; ++round) {
    restore();
    const std::string suffix = round % 2 == 0 ? "" : "-wal";
    const std::size_t size = random() % original_[suffix].size();
    put_bytes(file(suffix), original_[suffix].substr(0, size));
    const Verdict verdict = look(Access::read_write);
    const std::string what = "journal.db" + suffix + " cut at " + std::to_string(size);
    ASSERT_NE(verdict.seen, Seen::wrong) << what << ": " << verdict.why;
    // What is missing at the end of the file may stand in the log; the log's end stands nowhere.
    if (suffix == "-wal") {
      ASSERT_EQ(verdict.seen, Seen::refused) << what;
    }
  }
}

TEST_F(StoreDamage, ALostLogIsNoticed) {
  restore();
  fs::remove(file("-wal"));
  for (const Access access : {Access::read_only, Access::read_write}) {
    const Error error = open_error(access);
    EXPECT_EQ(error.reason, Reason::damaged);
    EXPECT_NE(error.hint.find("backup"), std::string::npos);
  }
}

TEST_F(StoreDamage, ALostIndexOfTheLogIsMadeAnew) {
  restore();
  put_bytes(file("-shm"), std::string(32768, '\x5a'));
  EXPECT_EQ(look(Access::read_write).seen, Seen::intact);
}

TEST_F(StoreDamage, AnEmptiedFileIsNoFreshJournal) {
  restore();
  fs::remove(file("-wal"));
  put_bytes(file(), "");
  EXPECT_EQ(open_error().reason, Reason::damaged);
}

TEST_F(StoreDamage, ARemovedJournalIsBegunAnew) {
  restore();
  fs::remove(file());
  fs::remove(file("-wal"));
  const auto store = open();
  EXPECT_TRUE(store->runs()->empty());
  EXPECT_TRUE(store->begin(run_named("run-0"), std::vector{fact(1)}));
}

TEST_F(StoreDamage, ADamagedJournalIsNotWrittenTo) {
  restore();
  write(kFacts, kFacts);  // moves the log into the file
  std::string bytes = bytes_of(file());
  const std::size_t at = bytes.rfind("\"text\":\"xxx");
  ASSERT_NE(at, std::string::npos);
  bytes[at + 9] = 'y';
  put_bytes(file(), bytes);
  const auto store = open();
  int damaged = 0;
  for (int run = 0; run < kRuns; ++run)
    damaged += store->read("run-" + std::to_string(run), 0) ? 0 : 1;
  EXPECT_EQ(damaged, 1);
  const auto verdict = store->verify();
  ASSERT_FALSE(verdict);
  EXPECT_EQ(verdict.error().reason, Reason::damaged);
}

}  // namespace
}  // namespace capsule::store
