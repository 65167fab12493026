// Stands between a client and the server, passes on what they say, and cuts a connection off once
// the server has answered what it is told: that answer nobody gets.
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace capsule::test {

class Intermediary {
 public:
  explicit Intermediary(std::string server);
  ~Intermediary();
  Intermediary(const Intermediary&) = delete;
  Intermediary& operator=(const Intermediary&) = delete;

  std::string address(const std::string& database) const;
  // The next statement with that text, once.
  void swallow_answer_to(const std::string& text);
  int swallowed() const { return swallowed_; }

 private:
  void accept_all();
  void pass_on(int client);
  bool is_it(const std::string& said);

  std::string server_, folder_;
  int listening_ = -1;
  int end_[2] = {-1, -1};
  std::mutex mutex_;
  std::string text_;
  std::atomic<int> swallowed_ = 0;
  std::vector<std::thread> passing_;
  std::thread accepting_;
};

}  // namespace capsule::test
