// Work that other machines may do, by the functions of the database. Internal to cluster.
#pragma once

#include <memory>
#include <vector>

#include "cluster/connection.h"
#include "engine/work.h"

namespace capsule::cluster {

struct Parts;

// With a connection of its own. It fences by the claims that `parts` knows, of which none may come
// or go while another thread calls it.
std::unique_ptr<engine::Work> make_work(std::shared_ptr<const Parts> parts);

// The answers of capsule_v1.workers and capsule_v1.queue.
Result<std::vector<engine::WorkerSeen>> workers_in(const Rows& rows);
std::vector<engine::QueueSeen> queue_in(const Rows& rows);

}  // namespace capsule::cluster
