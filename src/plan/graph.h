// Who waits for whom, as a graph over indices. Pure; linear in nodes and edges unless it says
// otherwise; no recursion, so that a long chain cannot use up the stack.
#pragma once

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "event/delivery.h"

namespace capsule::plan {

struct Graph {
  std::vector<std::vector<std::size_t>>
      blockers;  // known ones, each once, in the order of the plan's text
  std::vector<std::vector<std::size_t>> dependants;
};
Graph graph_of(const std::vector<event::delivery::Task>& tasks,
               const std::unordered_map<std::string, std::size_t>& index);

// The nodes so that blockers come first; by level, then by index. What is in a cycle, or behind
// one, is left out.
struct Order {
  std::vector<std::size_t> nodes;
  std::vector<std::size_t> level;  // of each node that is not left out; 0: no blockers
};
Order order_of(const Graph& graph);

// Paths of cycles, each along "is blocked by" and closed (the first again at the end), beginning
// with its earliest task. Every group of tasks that wait for one another has at least one; at most
// `limit` in all.
std::vector<std::vector<std::size_t>> cycles_of(const Graph& graph, std::size_t limit);

// For each pair whether the second waits for the first, directly or not. Sixty-four pairs cost one
// pass over the graph. Requires: no cycle.
std::vector<bool> ordered(const Graph& graph, const Order& order,
                          const std::vector<std::pair<std::size_t, std::size_t>>& pairs);

}  // namespace capsule::plan
