// The journal and the claims of one project, in a PostgreSQL database that all its clones share.
// docs/machines.md describes it.
//
// What differs from a store in a folder: a claim is a lease, which somebody else may take over once
// its holder has been silent for too long, and every claim has an epoch, without which nothing is
// recorded in a run that is held. An append whose answer was cut off is settled by looking, so that
// it is recorded once. While the database is away, what writes waits.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "cluster/address.h"
#include "engine/journal.h"

namespace capsule::cluster {

struct Settings {
  std::string project;           // its root here, as an absolute path
  bool in_folder = false;        // runs are at home in the clone's own journal, not in the clone
  std::string origin;            // the first commit of its history, by which the database knows it
  engine::ProcessIdentity self;  // this process
  // Whether a holder has ended, as far as one can see that from here. Not set: one cannot.
  std::function<bool(const engine::ProcessIdentity&)> has_ended = {};
  // What keeps two processes of this clone off one subject, without the database. Not set: nothing.
  std::function<Result<std::unique_ptr<engine::Claim>>(std::string_view subject)> lock_here = {};
  // What people are told while it waits; not set: nothing.
  std::function<void(const std::string&)> tell = {};
  int away_milliseconds = 900'000;    // how long what writes waits for a database that is away
  int silent_milliseconds = 360'000;  // how long claim() waits for the end of a silent holder
  int beat_milliseconds = 15'000;
};

// Error: refused (there is no journal, one of another version, or this project is not in it), io.
Result<std::unique_ptr<engine::Records>> open_records(const Address& address, Settings settings);

// Of a clone, for people and for the heads of its runs: "HOST, in FOLDER"; or of the journal in its
// folder, whose runs the database has, too, and in which alone they go on.
std::string home_of(const Settings& settings);

// All runs of this clone, from its own journal or to it. Error blocked: somebody works on one.
// Returns how many.
Result<std::size_t> bring_home(const Address& address, const Settings& settings);

}  // namespace capsule::cluster
