// Tells people: by the desktop, the terminal or a command of theirs. Never waits and never fails a
// run: what cannot be told is said once, to whoever made the sender. One thread, that of the loop.
#pragma once

#include <chrono>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>

#include "config/config.h"
#include "notify/notice.h"
#include "process/tree.h"

namespace capsule::notify {

// Somebody looks at a face of the project and has just touched it. Faces say so, as often as they
// like: it is a file whose time is set.
void note_presence(const std::string& root);
// Whether somebody did within the last minute.
bool somebody_looks(const std::string& root);

class Sender {
 public:
  struct Surroundings {
    std::string root;  // of the project: commands run there
    // As getenv.
    std::function<const char*(const char*)> variable;
    std::function<int()> minute_of_day;  // local
    // The terminal of the run; empty: it has none.
    std::function<void(const std::string& bytes)> ring;
    // What became of one telling, for people: `way` is its name in the configuration. Called once
    // for each way that fails, or for all with `tell_all`.
    std::function<void(const std::string& way, const Result<void>&)> became;
    bool tell_all = false;
    std::chrono::milliseconds patience{10000};  // with a command that does not end
  };
  // The loop must outlive it. What is under way when it goes is ended.
  Sender(process::Loop& loop, std::map<std::string, config::Notify, std::less<>> ways,
         Surroundings surroundings);
  ~Sender();
  Sender(const Sender&) = delete;
  Sender& operator=(const Sender&) = delete;

  // By all ways that are for it. Nothing in quiet hours, or while somebody looks.
  void send(const Notice& notice);
  // By one way, whatever the hour. Requires: there is one of that name.
  void send_by(const std::string& way, const Notice& notice);
  bool busy() const { return !calls_.empty(); }
  // Turns the loop until nothing is under way; bounded by the time that a command has.
  void finish();

  static constexpr std::size_t kMostAtOnce = 16;

 private:
  struct Call;
  void show_on_desktop(const std::string& way, const Notice& notice, bool words);
  void ring(const std::string& way, const Notice& notice, bool words);
  void start(const std::string& way, std::vector<std::string> argv, std::string input);
  void report(const std::string& way, const Result<void>& result);

  process::Loop& loop_;
  std::map<std::string, config::Notify, std::less<>> ways_;
  Surroundings surroundings_;
  std::list<std::unique_ptr<Call>> calls_;
  std::set<std::string> failed_;
};

}  // namespace capsule::notify
