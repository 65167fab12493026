// What a worker says to the database and hears from it, beside its loop: that it lives, what it
// takes, what came of it. While the database is away this waits, and agents go on.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/files.h"
#include "engine/work.h"

namespace capsule::run {

struct WorkerNews {
  enum class What {
    taken,    // claim
    lost,     // the claim of `token` is over: nobody wants what its agent does
    counted,  // what was reported for it counts, and it is over
    refused,  // what was reported counts for nothing
    away,     // the database is; text
    back,     // it is there again
    reborn,   // it was silent for too long, and has another number now
  };
  What what{};
  std::int64_t token = 0;
  engine::WorkClaim claim = {};
  std::string text = {};
};

class WorkerCalls {
 public:
  struct Wish {
    std::string name;
    std::vector<std::string> labels;
    int slots = 1;
  };
  // `number`: from enlist(). `most`: so many claims and no more; 0: any number.
  WorkerCalls(std::unique_ptr<engine::Work> work, std::int64_t number, Wish wish, int most);
  // It leaves: what it has is ready again.
  ~WorkerCalls();
  WorkerCalls(const WorkerCalls&) = delete;
  WorkerCalls& operator=(const WorkerCalls&) = delete;

  int fd() const { return fd_.fd(); }  // readable when there is news
  std::vector<WorkerNews> news();
  void report(std::int64_t token, std::string result);
  void give_back(std::int64_t token);
  void drain();
  bool idle() const;  // it has nothing, and takes nothing more

 private:
  void run();
  void turn(std::unique_lock<std::mutex>& lock);
  void sleep(std::unique_lock<std::mutex>& lock);
  void attend(std::unique_lock<std::mutex>& lock);
  void hand_in(std::unique_lock<std::mutex>& lock);
  bool take(std::unique_lock<std::mutex>& lock);
  void be_born_again(std::unique_lock<std::mutex>& lock);
  void tell(WorkerNews news);
  bool failed(const Error& error);

  const std::unique_ptr<engine::Work> work_;
  const Wish wish_;
  const File fd_, wake_;
  mutable std::mutex mutex_;
  std::int64_t number_;
  int left_;  // claims that it may still take; -1: any number
  bool ended_ = false, draining_ = false, told_draining_ = false, away_ = false;
  std::int64_t next_beat_ms_ = 0;
  std::set<std::int64_t> held_;
  std::map<std::int64_t, std::string> reports_;
  std::set<std::int64_t> returned_;
  std::vector<WorkerNews> news_;
  std::thread thread_;
};

}  // namespace capsule::run
