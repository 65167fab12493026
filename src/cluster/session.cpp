#include "cluster/session.h"

#include <poll.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/clock.h"

namespace capsule::cluster {

bool is_away(const Refusal& refusal) {
  return refusal.why == Why::away || refusal.why == Why::again || refusal.why == Why::doubtful;
}

Patience::Patience(int milliseconds) : until_(monotonic_ms() + milliseconds) {}

bool is_asked_to_stop() {
  sigset_t waiting;
  ::sigemptyset(&waiting);
  ::sigpending(&waiting);
  return ::sigismember(&waiting, SIGINT) == 1 || ::sigismember(&waiting, SIGTERM) == 1 ||
         ::sigismember(&waiting, SIGHUP) == 1;
}

bool Patience::wait() {
  constexpr int kLongest = 500, kStep = 20;
  const std::int64_t left = until_ - monotonic_ms();
  if (left <= 0) return false;
  const std::int64_t end = monotonic_ms() + std::min<std::int64_t>(left, pause_);
  while (monotonic_ms() < end) {
    if (is_asked_to_stop()) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(kStep));
  }
  pause_ = std::min(pause_ * 2, kLongest);
  return true;
}

Answer Session::call(const char* sql, const Values& values) {
  if (!connection_ || connection_->broken()) {
    connection_.reset();
    auto opened = Connection::open(address_);
    if (!opened) return tl::unexpected(opened.error());
    connection_ = *std::move(opened);
    listens_.clear();
  }
  return connection_->call(sql, values);
}

Answer Session::insist(const char* sql, const Values& values, int away_milliseconds) {
  Answer answer = call(sql, values);
  if (answer || !is_away(answer.error())) return answer;
  answer = call(sql, values);
  Patience patience(away_milliseconds);
  bool told = false;
  while (!answer && is_away(answer.error())) {
    if (away_milliseconds > 0 && waiting && !told) waiting(answer.error());
    told = true;
    if (!patience.wait()) break;
    answer = call(sql, values);
  }
  return answer;
}

std::vector<std::string> Session::hear(const std::vector<std::string>& wanted, int wake,
                                       int milliseconds) {
  for (const std::string& channel : wanted)
    if (connection_ && !connection_->broken() && !listens_.contains(channel) &&
        connection_->call(("LISTEN " + channel).c_str()))
      listens_.insert(channel);
  if (connection_ && !connection_->broken())
    return connection_->heard(wake, std::chrono::milliseconds(milliseconds));
  pollfd look{wake, POLLIN, 0};
  (void)::poll(&look, 1, milliseconds);
  return {};
}

}  // namespace capsule::cluster
