// The journal's tables and the functions by which alone they are used: made, and brought up to
// date, by numbered steps. The owner of the database does that; everybody else is granted a role.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cluster/address.h"
#include "engine/journal.h"

namespace capsule::cluster {

// The number of the newest step that this program knows.
int newest_version();

struct Made {
  int before = 0;  // 0: there was nothing
  int now = 0;
  bool added = false;  // the project was not there yet
  std::string name;    // of the project
};

// Does the steps that are missing, one transaction each, and adds the project: `origin` is the
// first commit of its history, by which all clones of it are known. Any number may do it at once.
// Error refused: the database was made by a newer program, or this user may not.
Result<Made> set_up(const Address& address, const std::string& origin, const std::string& name);

// What there is, for people; nothing is changed.
struct Found {
  std::string server;       // its version
  int version = 0;          // of the journal; 0: there is none, or none that this user may see
  std::string project;      // its name; empty: it is not there
  std::string synchronous;  // the standbys that commits wait for
  std::size_t runs = 0;
  std::vector<engine::Holder> at_work;
  std::vector<engine::WorkerSeen> workers;
  std::vector<engine::QueueSeen> queue;
};
Result<Found> look(const Address& address, const std::string& origin);

}  // namespace capsule::cluster
