// Lets a cursor come to rest: what it only passes is not fetched. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace capsule::dashboard {

inline constexpr std::int64_t kRestMs = 150;

class Rest {
 public:
  // `wanted`: all that is wanted now and was not asked for yet. Returns those of them that have
  // been wanted for as long as a rest, each time that this was called.
  std::vector<std::string> ripe(const std::vector<std::string>& wanted, std::int64_t now_ms) {
    std::map<std::string, std::int64_t> since;
    std::vector<std::string> ripe;
    for (const std::string& one : wanted) {
      const auto before = since_.find(one);
      since[one] = before == since_.end() ? now_ms : before->second;
      if (now_ms - since[one] >= kRestMs) ripe.push_back(one);
    }
    since_ = std::move(since);
    return ripe;
  }

 private:
  std::map<std::string, std::int64_t> since_;
};

}  // namespace capsule::dashboard
