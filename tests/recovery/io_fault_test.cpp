// A disk that fails Capsule's n-th write, sync, rename or new file, once or from then on, broken or
// full, in the middle of a whole run. The journal stays sound, the person is told, and once the
// disk works again the run gets to the same end.
#include <errno.h>

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <set>

#include "base/text.h"
#include "tests/recovery/project.h"

namespace capsule::test {
namespace {

constexpr int kFaultParts = 32;
constexpr std::size_t kEvery = 40;    // all of the first forty
constexpr std::size_t kSamples = 12;  // and this many of the others

struct Fault {
  int error;
  bool for_good;
  const char* name;
};
constexpr std::array<Fault, 4> kFaults{{{EIO, false, "EIO once"},
                                        {ENOSPC, true, "ENOSPC for good"},
                                        {EIO, true, "EIO for good"},
                                        {ENOSPC, false, "ENOSPC once"}}};

// A phase that a fault has ended keeps its number, and the next one gets the next: the order of the
// snapshots is compared, not their numbers.
std::string without_numbers(std::string_view state) {
  constexpr std::string_view kSnapshot = "snapshot: refs/capsule/RUN/";
  std::string text;
  for (std::string_view line : split(state, '\n')) {
    if (line.starts_with(kSnapshot)) {
      text += kSnapshot;
      line.remove_prefix(std::min(line.find('-'), line.size()));
    }
    text.append(line) += '\n';
  }
  return text;
}

// An agent whose log could not be written is ended, and goes on with what it has when the run is
// resumed. It may have written its entry to the worklog by then, and writes it again: entries that
// follow upon their like are dropped.
std::string without_repeated_entries(std::string_view state) {
  constexpr std::string_view kEntry = "worklog: ## Phase: ";
  std::string text, entry, before;
  const auto end_entry = [&] {
    if (entry != before) text += entry;
    before = std::exchange(entry, {});
  };
  for (const std::string_view line : split(state.substr(0, state.size() - 1), '\n')) {
    if (!line.starts_with("worklog: ") || line.starts_with("worklog: ##")) end_entry();
    std::string& to = line.starts_with(kEntry) || !entry.empty() ? entry : text;
    to.append(line) += '\n';
  }
  return text + entry;
}

class FailingDisk : public RecoveryTest {
 protected:
  void SetUp() override {
    RecoveryTest::SetUp();
    prepare();
    const Place place = make_place("healthy");
    Call call = failing(place, 0, kFaults[0]);
    call.env["FAILING_DISK_CALLS"] = note("calls");
    const Outcome outcome = run(call);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
    calls_ = lines_in(read_file(note("calls")));
    ASSERT_GT(calls_.size(), kEvery);
    expected_ = without_numbers(final_state(place, kPlain));
  }

  virtual void prepare() {}

  Call failing(const Place& place, std::size_t n, const Fault& fault) const {
    Call call = calling(place, {"run", kPlain});
    call.env["LD_PRELOAD"] = CAPSULE_FAILING_DISK;
    call.env["ASAN_OPTIONS"] = "verify_asan_link_order=0";
    call.env["FAILING_DISK_AT"] = std::to_string(n);
    call.env["FAILING_DISK_ERROR"] = std::to_string(fault.error);
    call.env["FAILING_DISK_FOR_GOOD"] = fault.for_good ? "1" : "0";
    return call;
  }

  void fail_at(std::size_t n, const Fault& fault) {
    SCOPED_TRACE("call " + std::to_string(n) + " (" + calls_[n - 1] + "), " + fault.name);
    const Place place =
        make_place("fault-" + std::to_string(n) + "-" + std::to_string(&fault - kFaults.data()));
    const Outcome outcome = run(failing(place, n, fault));
    const std::string said = outcome.out + outcome.err;
    expect_sound(place);
    if (outcome.exit_code != 0) {
      EXPECT_EQ(outcome.exit_code, 2) << said;
      const bool clear = said.find("Input/output error") != std::string::npos ||
                         said.find("No space left on device") != std::string::npos ||
                         said.find("disk") != std::string::npos;
      EXPECT_TRUE(clear) << "no clear message: " << said;
      const Outcome again = run_to_end(place, kPlain);
      EXPECT_EQ(again.exit_code, 0) << again.out << again.err << "\nbefore: " << said;
    }
    const std::string state = without_numbers(final_state(place, kPlain));
    EXPECT_EQ(outcome.exit_code == 0 ? state : without_repeated_entries(state), expected_)
        << "before: " << said;
  }

  std::vector<std::string> calls_;
  std::string expected_;
};

// The library must see what it is to fail: the journal's log and its syncs, files that are made
// anew and renamed, and the logs of agents.
TEST_F(FailingDisk, SeesEveryKindOfWriteOfARun) {
  for (const char* part : {"pwrite ", "fdatasync ", "rename ", "open ", "write ", "journal.db-wal",
                           "worklog.md", "run-id", "issues.jsonl", ".capsule/output/"}) {
    const bool seen = std::any_of(calls_.begin(), calls_.end(), [&](const std::string& call) {
      return call.find(part) != std::string::npos;
    });
    EXPECT_TRUE(seen) << part;
  }
}

// The last of what git is given to read are the snapshots around the sign-off and the merge. One
// that cannot be written is no snapshot without a commit: the claims about it would be missing.
TEST_F(FailingDisk, WhatGitIsGivenToReadNeverCostsAClaim) {
  constexpr int kLast = 8;
  int failed = 0;
  for (std::size_t n = calls_.size(); n > 0 && failed < kLast; --n) {
    if (calls_[n - 1].find("capsule-stdin") == std::string::npos) continue;
    fail_at(n, kFaults[0]);
    ++failed;
  }
  EXPECT_EQ(failed, kLast);
}

// What an agent gets of its own, and what is taken over from it, is written, too.
class FailingDiskInsideWalls : public FailingDisk {
  void prepare() override { inside_walls_with_notes(); }
};

TEST_F(FailingDiskInsideWalls, LeavesASoundJournalAClearMessageAndAWayOn) {
  const std::size_t samples = full_tests() ? 24 : 3;
  const std::size_t step = calls_.size() / samples, seed = rotation();
  for (std::size_t n = 1 + seed % step; n <= calls_.size(); n += step) {
    fail_at(n, kFaults[(n / step + seed) % kFaults.size()]);
    if (HasFatalFailure()) return;
  }
}

class IoFaults : public FailingDisk, public ::testing::WithParamInterface<int> {};

// What a call does to which file. What a run gives a name of its own has a number in it: of that
// counts what follows the first dot.
std::string kind_of_call(std::string_view call) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  std::string kind;
  for (std::string_view part : split(call, '/')) {
    if (std::any_of(part.begin(), part.end(), is_digit))
      part.remove_prefix(std::min(part.find('.'), part.size()));
    std::copy_if(part.begin(), part.end(), std::back_inserter(kind), std::not_fn(is_digit));
    kind += '/';
  }
  return kind;
}

// All calls with every fault are two thousand runs. So each call fails in one way, once or for
// good, broken or full by turns, and the first of each kind of call in two; of those beyond the
// fortieth the short suite takes a sample, each in one way.
TEST_P(IoFaults, LeaveASoundJournalAClearMessageAndAWayOn) {
  const bool all = std::getenv("CAPSULE_TEST_FULL") != nullptr;
  const std::size_t seed = rotation();
  const std::size_t step = std::max<std::size_t>((calls_.size() - kEvery) / kSamples, 1);
  const std::size_t offset = seed % step;
  std::printf("calls %zu: 1 to %zu, then every %zu. with offset %zu (CAPSULE_TEST_SEED=%zu)\n",
              calls_.size(), kEvery, step, offset, seed);
  std::set<std::string> kinds;
  // The number of the last call may differ by a few from run to run: what is not reached, is none.
  for (std::size_t n = 1; n <= calls_.size(); ++n) {
    const bool first = kinds.insert(kind_of_call(calls_[n - 1])).second;
    if (n % kFaultParts != static_cast<std::size_t>(GetParam())) continue;
    const std::size_t turn = (n / kFaultParts + seed) % kFaults.size();
    if (all || n <= kEvery || (n - kEvery) % step == offset) fail_at(n, kFaults[turn]);
    if (all && first) fail_at(n, kFaults[(turn + 1) % kFaults.size()]);
    if (HasFatalFailure()) return;
  }
  std::printf("kinds %zu\n", kinds.size());
  EXPECT_GT(kinds.size(), 40U) << "calls of different kinds look alike";
  EXPECT_LT(kinds.size(), calls_.size() / 3) << "calls of one kind look different";
}

INSTANTIATE_TEST_SUITE_P(Part, IoFaults, ::testing::Range(0, kFaultParts));

}  // namespace
}  // namespace capsule::test
