#include "world/journal_move.h"

#include <unistd.h>

#include <algorithm>

#include "base/clock.h"
#include "base/files.h"
#include "base/text.h"
#include "git/private_dir.h"
#include "store/store.h"
#include "world/journal.h"

namespace capsule::world {
namespace {

using engine::Records;
using engine::RunHead;
using Claims = std::vector<std::unique_ptr<engine::Claim>>;

constexpr std::size_t kFactsAtOnce = 5'000;

bool says_the_same(const event::Fact& one, const event::Fact& other) {
  return one.kind == other.kind && one.at == other.at && one.body == other.body;
}

// Only what is missing there. Returns how many facts.
Result<std::uint64_t> copy_run(Records& from, Records& to, const RunHead& head) {
  const std::vector<event::Fact> facts = TRY(from.read(head.run, 0));
  std::vector<event::Fact> there;
  RunHead known = {};
  auto found = to.head(head.run);
  if (found) {
    known = *std::move(found);
    there = TRY(to.read(head.run, 0));
  } else if (found.error().reason != Reason::not_found) {
    return tl::unexpected(found.error());
  } else {
    TRY(to.begin({head.run, head.workflow, head.subject, head.started_at}, {}));
  }
  if (there.size() > facts.size() ||
      !std::equal(there.begin(), there.end(), facts.begin(), says_the_same))
    return fail(Reason::conflict,
                "the run " + printable(head.run) + " has gone on in both journals");
  std::uint64_t last = known.last_seq;
  for (std::size_t at = there.size(); at < facts.size();) {
    std::vector<event::NewFact> some;
    for (; at < facts.size() && some.size() < kFactsAtOnce; ++at)
      some.push_back({facts[at].kind, facts[at].at, facts[at].body});
    last = TRY(to.append(head.run, last, some));
  }
  if (head.ended_at != known.ended_at || head.outcome != known.outcome)
    TRY(to.append(head.run, last, {}, engine::Ending{head.ended_at, head.outcome}));
  return facts.size() - there.size();
}

// Nobody carries on what has not ended while these live.
Result<Claims> claim_open(Records& records, const std::vector<RunHead>& heads) {
  Claims claims;
  std::vector<std::string> subjects;
  for (const RunHead& head : heads) {
    if (!head.ended_at.empty() || !head.home.empty()) continue;
    if (std::find(subjects.begin(), subjects.end(), head.subject) != subjects.end()) continue;
    claims.push_back(TRY(records.claim(head.subject, head.run, utc_now())));
    subjects.push_back(head.subject);
  }
  return claims;
}

Result<Moved> copy_all(Records& from, Records& to, const std::vector<RunHead>& heads) {
  Moved moved;
  for (const RunHead& head : heads) {
    if (!head.home.empty()) continue;  // it is another clone's
    moved.facts += TRY(copy_run(from, to, head));
    ++moved.runs;
  }
  return moved;
}

Result<std::unique_ptr<store::Store>> folder_journal(const Project& project, store::Access access) {
  auto journal = TRY(store::Store::open(project.root(), access));
  journal->also_lock_in(git::capsule_area(project.repository) + "/locks");
  return journal;
}

}  // namespace

Result<Moved> import_journal(const Project& project) {
  const std::string note = moved_note(project.root());
  if (!exists(project.root() + "/.capsule/journal.db"))
    return fail(Reason::not_found, "there is no journal in this folder to move");
  DatabasePart& database = *database_part();
  const auto from = TRY(folder_journal(project, store::Access::read_write));
  const auto to = TRY(database.open_copy(project.root()));
  const Claims claims = TRY(claim_open(*from, TRY(from->runs())));
  Moved moved;
  if (!exists(note)) {
    moved = TRY(copy_all(*from, *to, TRY(from->runs())));
    const Database there = TRY(database.look("", project.root()));
    TRY_VOID(write_file(note, there.address));
  }
  // From here on nobody begins anything in the folder; who was about to, has.
  for (const RunHead& head : TRY(from->runs()))
    if (!to->head(head.run)) moved.facts += TRY(copy_run(*from, *to, head));
  moved.runs = TRY(database.bring_home(project.root(), false));
  return moved;
}

Result<Moved> export_journal(const Project& project) {
  DatabasePart& database = *database_part();
  const auto from = TRY(database.open(project.root(), ""));
  // What a process that was killed still holds is taken from it here.
  TRY(claim_open(*from, TRY(from->runs())));
  TRY(database.bring_home(project.root(), true));
  const auto copied = TRY(database.open_copy(project.root()));
  const auto to = TRY(folder_journal(project, store::Access::read_write));
  const Moved moved = TRY(copy_all(*copied, *to, TRY(copied->runs())));
  ::unlink(moved_note(project.root()).c_str());
  return moved;
}

}  // namespace capsule::world
