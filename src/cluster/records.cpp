#include "cluster/records.h"

#include "base/check.h"
#include "base/checksum.h"
#include "base/ids.h"
#include "base/text.h"
#include "cluster/parts.h"
#include "cluster/schema.h"
#include "cluster/work.h"

namespace capsule::cluster {

using engine::RunHead;
using event::Fact;
using event::NewFact;

namespace {

// Each fact's checksum goes on from that of the fact before it.
std::int64_t chained(std::int64_t chain, std::string_view run, std::int64_t seq,
                     std::string_view kind, std::string_view at, std::string_view body) {
  return static_cast<std::int64_t>(Checksum(static_cast<std::uint64_t>(chain))
                                       .add(run)
                                       .add(static_cast<std::uint64_t>(seq))
                                       .add(kind)
                                       .add(at)
                                       .add(body)
                                       .value());
}

// Facts as the functions of the database want them, and where the run stands with them.
struct Sheet {
  Sheet(std::string_view run, const Known& from, std::span<const NewFact> facts) : end(from) {
    std::vector<std::string_view> kind_list, at_list, body_list;
    chains = "{" + std::to_string(from.chain);
    for (const NewFact& fact : facts) {
      end.chain = chained(end.chain, run, ++end.seq, fact.kind, fact.at, fact.body);
      kind_list.push_back(fact.kind);
      at_list.push_back(fact.at);
      body_list.push_back(fact.body);
      chains += "," + std::to_string(end.chain);
    }
    chains += "}";
    kinds = array_of(kind_list);
    ats = array_of(at_list);
    bodies = array_of(body_list);
  }

  std::string kinds, ats, bodies, chains;
  Known end;
};

tl::unexpected<Error> no_such_run(std::string_view run) {
  return fail(Reason::not_found, "there is no run " + printable(run));
}

// The database takes nothing else, and says so late.
Result<void> check_texts(std::span<const NewFact> facts) {
  for (const NewFact& fact : facts)
    for (const std::string* text : {&fact.kind, &fact.at, &fact.body})
      if (text->find('\0') != std::string::npos)
        return fail(Reason::usage, "a fact of the journal contains a zero byte");
  return {};
}

class DatabaseRecords : public engine::Records {
 public:
  explicit DatabaseRecords(std::shared_ptr<Parts> parts) : parts_(std::move(parts)) {}

  Result<std::uint64_t> begin(const engine::NewRun& run, std::span<const NewFact> facts) override {
    CHECK(valid_id(run.run));
    TRY_VOID(check_texts(facts));
    const Sheet sheet(run.run, {}, facts);
    const Values values{parts_->id(),   run.run,        run.workflow,
                        run.subject,    run.started_at, home_of(parts_->settings),
                        epoch(run.run), sheet.kinds,    sheet.ats,
                        sheet.bodies,   sheet.chains};
    return record(run.run, sheet.end,
                  "SELECT capsule_v1.begin($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)", values,
                  facts.empty());
  }

  Result<std::uint64_t> append(std::string_view run, std::uint64_t after,
                               std::span<const NewFact> facts,
                               const std::optional<engine::Ending>& ending) override {
    TRY_VOID(check_texts(facts));
    const Known from = TRY(known_at(run, static_cast<std::int64_t>(after)));
    const Sheet sheet(run, from, facts);
    Values values{parts_->id(), std::string(run), std::to_string(after), epoch(run),
                  sheet.kinds,  sheet.ats,        sheet.bodies,          sheet.chains};
    values.push_back(ending ? std::optional(ending->at) : std::nullopt);
    values.push_back(ending ? std::optional(ending->outcome) : std::nullopt);
    return record(run, sheet.end,
                  "SELECT capsule_v1.append($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)", values,
                  facts.empty());
  }

  Result<std::vector<Fact>> read(std::string_view run, std::uint64_t after) override {
    const Answer answer = look("SELECT * FROM capsule_v1.facts($1, $2, $3)",
                               {parts_->id(), std::string(run), std::to_string(after)});
    if (!answer) return tl::unexpected(parts_->error(answer.error()));
    if (answer->empty()) return no_such_run(run);
    const Row& head = answer->front();
    Known at{static_cast<std::int64_t>(after), 0};
    std::vector<Fact> facts;
    for (std::size_t i = 1; i < answer->size(); ++i) {
      const Row& row = (*answer)[i];
      const std::int64_t seq = number_of(row[0]), chain = number_of(row[4]);
      if (i == 1 && after > 0 && seq == at.seq) {
        at.chain = chain;
        continue;
      }
      if (i == 1 && after > 0) break;  // the fact that it is to go on from is not there
      at.chain = chained(at.chain, run, ++at.seq, row[1], row[2], row[3]);
      if (seq != at.seq || chain != at.chain)
        return tl::unexpected(
            parts_->damaged(run, "fact " + std::to_string(seq) + " was changed or moved"));
      facts.push_back({static_cast<std::uint64_t>(seq), std::string(run), row[1], row[2], row[3]});
    }
    const std::int64_t last = number_of(head[2]);
    if (static_cast<std::int64_t>(after) > last)
      return fail(Reason::not_found,
                  "the run " + printable(run) + " has no fact number " + std::to_string(after));
    if (at.seq != last || at.chain != number_of(head[4]) || number_of(head[1]) != last)
      return tl::unexpected(parts_->damaged(run, "facts are missing"));
    TRY_VOID(remember(run, at));
    return facts;
  }

  Result<RunHead> head(std::string_view run) override {
    std::vector<RunHead> heads = TRY(list(std::string(run), std::nullopt));
    if (heads.empty()) return no_such_run(run);
    return std::move(heads.front());
  }
  Result<std::vector<RunHead>> runs() override { return list(std::nullopt, std::nullopt); }
  Result<std::vector<RunHead>> runs_of(std::string_view subject) override {
    return list(std::nullopt, std::string(subject));
  }

  Result<std::unique_ptr<engine::Claim>> claim(std::string_view subject, std::string_view run,
                                               std::string_view now) override {
    return take(parts_, subject, run, now);
  }
  Result<std::optional<engine::Holder>> holder(std::string_view subject) override {
    return holder_of(*parts_, subject);
  }

  Result<void> intact() override {
    for (const Lease* lease : parts_->leases) {
      const Answer ours =
          lease->lost() ? Answer(Rows{{"f"}})
                        : parts_->session.insist(
                              "SELECT capsule_v1.holds($1, $2, $3)",
                              {parts_->id(), lease->subject(), std::to_string(lease->epoch())},
                              parts_->settings.away_milliseconds);
      if (!ours) return tl::unexpected(parts_->error(ours.error()));
      if (ours->at(0).at(0) != "t") return tl::unexpected(parts_->error({Why::fenced, ""}));
    }
    return {};
  }

  // An epoch that is taken and not used is no harm: the call may be repeated.
  Result<std::int64_t> take_branch(std::string_view run, std::string_view branch) override {
    const Answer epoch = parts_->session.insist(
        "SELECT capsule_v1.take_branch($1, $2, $3, $4)",
        {parts_->id(), std::string(branch), std::string(run), this->epoch(run)},
        parts_->settings.away_milliseconds);
    if (!epoch) return tl::unexpected(parts_->error(epoch.error()));
    return number_of(epoch->at(0).at(0));
  }

  Result<void> bring_here(std::string_view run) override {
    return cluster::bring_here(*parts_, run);
  }

  Result<void> verify() override {
    for (const RunHead& head : TRY(runs())) TRY(read(head.run, 0));
    return {};
  }

  std::unique_ptr<engine::Work> work() override { return make_work(parts_); }

  const std::string& project() const override { return parts_->settings.project; }

 private:
  std::string epoch(std::string_view run) const { return std::to_string(parts_->epoch_of(run)); }
  Answer look(const char* sql, const Values& values) {
    return parts_->session.insist(sql, values, 0);
  }

  Result<void> remember(std::string_view run, const Known& at) {
    const auto known = parts_->known.find(run);
    if (known == parts_->known.end()) {
      parts_->known.emplace(run, at);
      return {};
    }
    // A server that was given the place of another may not have all that the other acknowledged.
    if (known->second.seq > at.seq)
      return tl::unexpected(parts_->damaged(
          run, "it ends at fact " + std::to_string(at.seq) + " but had " +
                   std::to_string(known->second.seq) + ", which the database had said were kept"));
    known->second = at;
    return {};
  }

  // The chain at `after`: what this process saw last, or what the head says. A wrong one is no
  // harm: the database compares.
  Result<Known> known_at(std::string_view run, std::int64_t after) {
    const auto known = parts_->known.find(run);
    if (known != parts_->known.end() && known->second.seq == after) return known->second;
    const Answer answer = parts_->session.insist("SELECT * FROM capsule_v1.heads($1, $2, NULL)",
                                                 {parts_->id(), std::string(run)},
                                                 parts_->settings.away_milliseconds);
    if (!answer) return tl::unexpected(parts_->error(answer.error()));
    if (answer->empty()) return no_such_run(run);
    const Known at{number_of(answer->at(0)[7]), number_of(answer->at(0)[8])};
    TRY_VOID(remember(run, at));
    if (at.seq != after) return tl::unexpected(parts_->error({Why::conflict, ""}));
    return at;
  }

  // Gives the call until it is known whether it was recorded: `end` is where the run stands then.
  Result<std::uint64_t> record(std::string_view run, const Known& end, const char* sql,
                               const Values& values, bool repeatable) {
    Session& session = parts_->session;
    Patience patience(parts_->settings.away_milliseconds);
    bool uncertain = false, told = false;
    for (;;) {
      const Answer answer = session.call(sql, values);
      if (answer) break;
      const Why why = answer.error().why;
      const bool overtaken = why == Why::conflict || why == Why::exists;
      if (!is_away(answer.error()) && !overtaken)
        return tl::unexpected(parts_->error(answer.error()));
      if (why == Why::away || why == Why::doubtful) uncertain = true;
      // What an earlier try of ours may have done cannot be told from what somebody else did, but
      // by looking; nor what others wrote from what the database lost.
      if (!repeatable || overtaken) {
        const Answer settled =
            session.insist("SELECT * FROM capsule_v1.settle($1, $2)",
                           {parts_->id(), std::string(run)}, parts_->settings.away_milliseconds);
        if (!settled) return tl::unexpected(parts_->error(settled.error()));
        const bool recorded = uncertain && !settled->empty() &&
                              number_of(settled->at(0)[0]) == end.seq &&
                              number_of(settled->at(0)[1]) == end.chain;
        if (recorded) break;
        if (overtaken) {
          if (!settled->empty())
            TRY_VOID(remember(run, {number_of(settled->at(0)[0]), number_of(settled->at(0)[1])}));
          return tl::unexpected(parts_->error(answer.error()));
        }
      }
      if (!told && parts_->settings.tell)
        parts_->settings.tell("the database is away; waiting for it: " + answer.error().message);
      told = true;
      if (!patience.wait()) return tl::unexpected(parts_->error(answer.error()));
    }
    TRY_VOID(remember(run, end));
    return static_cast<std::uint64_t>(end.seq);
  }

  Result<std::vector<RunHead>> list(const std::optional<std::string>& run,
                                    const std::optional<std::string>& subject) {
    const Answer answer =
        look("SELECT * FROM capsule_v1.heads($1, $2, $3)", {parts_->id(), run, subject});
    if (!answer) return tl::unexpected(parts_->error(answer.error()));
    std::vector<RunHead> heads;
    for (const Row& row : *answer)
      heads.push_back({row[0], row[1], row[2], row[3], row[4], row[5],
                       static_cast<std::uint64_t>(number_of(row[6])),
                       static_cast<std::uint64_t>(number_of(row[7])),
                       row[9] == home_of(parts_->settings) ? "" : row[9]});
    return heads;
  }

  std::shared_ptr<Parts> parts_;
};

}  // namespace

Error Parts::damaged(std::string_view run, const std::string& what) const {
  return {Reason::damaged,
          "the journal in the database at " + session.address().shown() + " is damaged: the run " +
              printable(run) + ": " + what,
          "see to the database, or restore it from a backup"};
}

std::int64_t Parts::epoch_of(std::string_view run) const {
  for (const Lease* lease : leases)
    if (lease->run() == run) return lease->epoch();
  return 0;
}

namespace {

Result<std::shared_ptr<Parts>> parts_of(const Address& address, Settings settings) {
  auto parts = std::make_shared<Parts>(address, std::move(settings));
  const auto fits = [&]() -> Result<void> {
    const Answer version = parts->session.call("SELECT capsule_v1.version()", {});
    if (!version) return tl::unexpected(parts->error(version.error()));
    const std::int64_t number = number_of(version->at(0).at(0));
    if (number > newest_version())
      return fail(Reason::refused,
                  "the journal in the database at " + address.shown() +
                      " was made by a newer capsule (version " + std::to_string(number) +
                      "; this one knows " + std::to_string(newest_version()) + ")",
                  "update capsule");
    if (number < newest_version()) return tl::unexpected(parts->error({Why::foreign, ""}));
    return {};
  };
  TRY_VOID(fits());
  const Answer project =
      parts->session.call("SELECT capsule_v1.project($1)", {parts->settings.origin});
  if (!project) return tl::unexpected(parts->error(project.error()));
  parts->project = number_of(project->at(0).at(0));
  if (parts->project == 0)
    return fail(Reason::refused,
                "the database at " + address.shown() + " does not know this project",
                "its owner adds it, in any clone: capsule cluster init ADDRESS");
  if (parts->settings.tell)
    parts->session.waiting = [tell = parts->settings.tell](const Refusal& refusal) {
      tell("the database is away; waiting for it: " + refusal.message);
    };
  return parts;
}

}  // namespace

std::string home_of(const Settings& settings) {
  return settings.self.host + (settings.in_folder ? ", in the journal of " : ", in ") +
         settings.project;
}

Result<std::size_t> bring_home(const Address& address, const Settings& settings) {
  const auto parts = TRY(parts_of(address, settings));
  Settings before = settings;
  before.in_folder = !settings.in_folder;
  const Answer moved = parts->session.insist("SELECT capsule_v1.rehome($1, $2, $3)",
                                             {parts->id(), home_of(before), home_of(settings)}, 0);
  if (!moved) return tl::unexpected(parts->error(moved.error()));
  return static_cast<std::size_t>(number_of(moved->at(0).at(0)));
}

Result<std::unique_ptr<engine::Records>> open_records(const Address& address, Settings settings) {
  return std::make_unique<DatabaseRecords>(TRY(parts_of(address, std::move(settings))));
}

}  // namespace capsule::cluster
