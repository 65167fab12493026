#include "workspace/names.h"

#include <cstdint>

#include "base/hash.h"
#include "base/ids.h"

namespace capsule::workspace {

std::string short_hash(std::string_view text) {
  std::uint64_t hash = hash_of(text);
  constexpr char kHex[] = "0123456789abcdef";
  std::string word;
  for (int i = 0; i < 16; ++i, hash >>= 4) word += kHex[hash & 15];
  return word;
}

std::string own_name(std::string_view run, std::string_view key) {
  // The end of a run's name tells runs apart; two plans may use the same task ids.
  const std::string prefix(run.substr(run.find_last_of('-') + 1));
  const std::string name = prefix + "-" + std::string(key);
  return valid_id(name) ? name : prefix + "-" + short_hash(key);
}

std::string shared_ref(std::string_view run, std::string_view key) {
  return "refs/capsule/work/" + std::string(run) + "/" +
         (valid_id(key) ? std::string(key) : short_hash(key));
}

std::string plan_branch(std::string_view plan, std::string_view subject) {
  plan.remove_prefix(plan.find_last_of('/') + 1);
  if (plan.ends_with(".md")) plan.remove_suffix(3);
  std::string name =
      "capsule-plan-" + std::string(plan.substr(0, 60)) + "-" + short_hash(subject).substr(0, 6);
  return valid_id(name) ? name : "capsule-plan-" + short_hash(subject);
}

}  // namespace capsule::workspace
