// What the records of a project are made of. Internal to cluster.
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <thread>

#include "cluster/records.h"
#include "cluster/session.h"

namespace capsule::cluster {

// Where this process knows a run to stand: everything up to there was acknowledged to it.
struct Known {
  std::int64_t seq = 0;
  std::int64_t chain = 0;
};

class Lease;

struct Parts {
  Settings settings;
  Session session;
  std::int64_t project = 0;
  std::map<std::string, Known, std::less<>> known;  // by run
  std::vector<const Lease*> leases;                 // that are held by this process

  Parts(const Address& address, Settings given) : settings(std::move(given)), session(address) {}

  std::string id() const { return std::to_string(project); }
  Error error(const Refusal& refusal) const { return error_of(refusal, session.address()); }
  Error damaged(std::string_view run, const std::string& what) const;
  // That of our claim for the run; 0: none.
  std::int64_t epoch_of(std::string_view run) const;
};

// A subject that is held. A thread of its own says so again and again, with a connection of its
// own: the lease lasts as long as the process does, whatever that is doing.
class Lease : public engine::Claim {
 public:
  Lease(std::shared_ptr<Parts> parts, std::string subject, std::string run, std::int64_t epoch,
        std::unique_ptr<engine::Claim> lock);
  ~Lease() override;

  const std::string& subject() const { return subject_; }
  const std::string& run() const { return run_; }
  std::int64_t epoch() const { return epoch_; }
  // Somebody else has it: for good.
  bool lost() const { return lost_; }

 private:
  void beat();

  std::shared_ptr<Parts> parts_;
  std::string subject_, run_;
  std::int64_t epoch_;
  std::unique_ptr<engine::Claim> lock_;
  std::atomic<bool> end_ = false, lost_ = false;
  std::thread beating_;
};

Result<std::unique_ptr<engine::Claim>> take(const std::shared_ptr<Parts>& parts,
                                            std::string_view subject, std::string_view run,
                                            std::string_view now);
Result<void> bring_here(Parts& parts, std::string_view run);
Result<std::optional<engine::Holder>> holder_of(Parts& parts, std::string_view subject);

}  // namespace capsule::cluster
