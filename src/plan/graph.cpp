#include "plan/graph.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>

namespace capsule::plan {
namespace {

constexpr std::size_t kCycleWork = 4'000'000;  // edges looked at when cycles share tasks

// The groups of nodes that reach one another along `edges`, of more than one node or with an edge
// to itself; only nodes whose `inside` is set count. Tarjan's, with a stack of its own.
std::vector<std::vector<std::size_t>> groups_of(const std::vector<std::vector<std::size_t>>& edges,
                                                const std::vector<std::size_t>& nodes,
                                                std::vector<char>& inside) {
  std::vector<std::size_t> number(edges.size(), 0), low(edges.size(), 0);
  std::vector<char> open(edges.size(), 0);
  std::vector<std::size_t> stack;
  std::vector<std::pair<std::size_t, std::size_t>> walk;
  std::vector<std::vector<std::size_t>> groups;
  std::size_t count = 0;
  for (const std::size_t root : nodes) {
    if (!inside[root] || number[root] != 0) continue;
    walk.emplace_back(root, 0);
    while (!walk.empty()) {
      auto& [node, at] = walk.back();
      if (at == 0) {
        number[node] = low[node] = ++count;
        stack.push_back(node);
        open[node] = 1;
      }
      bool down = false;
      while (at < edges[node].size()) {
        const std::size_t next = edges[node][at++];
        if (!inside[next]) continue;
        if (number[next] == 0) {
          walk.emplace_back(next, 0);
          down = true;
          break;
        }
        if (open[next]) low[node] = std::min(low[node], number[next]);
      }
      if (down) continue;
      const std::size_t done = node;
      walk.pop_back();
      if (!walk.empty()) low[walk.back().first] = std::min(low[walk.back().first], low[done]);
      if (low[done] != number[done]) continue;
      std::vector<std::size_t> group;
      std::size_t member = done;
      do {
        member = stack.back();
        stack.pop_back();
        open[member] = 0;
        group.push_back(member);
      } while (member != done);
      const bool to_itself =
          std::find(edges[done].begin(), edges[done].end(), done) != edges[done].end();
      if (group.size() > 1 || to_itself) {
        std::sort(group.begin(), group.end());
        groups.push_back(std::move(group));
      }
    }
  }
  std::sort(groups.begin(), groups.end());
  return groups;
}

// The shortest way from `start` back to itself along `edges`; the group makes sure there is one.
std::vector<std::size_t> way_back(const std::vector<std::vector<std::size_t>>& edges,
                                  std::size_t start, const std::vector<std::size_t>& group) {
  std::unordered_map<std::size_t, std::optional<std::size_t>> from;
  for (const std::size_t node : group) from[node] = {};
  std::vector<std::size_t> queue{start};
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const std::size_t node = queue[i];
    for (const std::size_t next : edges[node]) {
      if (next == start) {
        std::vector<std::size_t> path{start};
        for (std::size_t at = node; at != start; at = *from[at]) path.push_back(at);
        path.push_back(start);
        std::reverse(path.begin(), path.end());
        return path;
      }
      const auto found = from.find(next);
      if (found == from.end() || found->second) continue;
      found->second = node;
      queue.push_back(next);
    }
  }
  return {start, start};
}

}  // namespace

Graph graph_of(const std::vector<event::delivery::Task>& tasks,
               const std::unordered_map<std::string, std::size_t>& index) {
  Graph graph;
  graph.blockers.resize(tasks.size());
  graph.dependants.resize(tasks.size());
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    auto& blockers = graph.blockers[i];
    for (const std::string& id : tasks[i].blocked_by)
      if (const auto found = index.find(id); found != index.end())
        blockers.push_back(found->second);
    std::sort(blockers.begin(), blockers.end());
    blockers.erase(std::unique(blockers.begin(), blockers.end()), blockers.end());
    for (const std::size_t blocker : blockers) graph.dependants[blocker].push_back(i);
  }
  return graph;
}

Order order_of(const Graph& graph) {
  Order order;
  const std::size_t count = graph.blockers.size();
  order.level.resize(count);
  std::vector<std::size_t> open(count), wave, next;
  for (std::size_t i = 0; i < count; ++i) {
    open[i] = graph.blockers[i].size();
    if (open[i] == 0) wave.push_back(i);
  }
  for (std::size_t level = 0; !wave.empty(); ++level) {
    for (const std::size_t node : wave) {
      order.level[node] = level;
      order.nodes.push_back(node);
      for (const std::size_t dependant : graph.dependants[node])
        if (--open[dependant] == 0) next.push_back(dependant);
    }
    std::sort(next.begin(), next.end());
    wave.swap(next);
    next.clear();
  }
  return order;
}

std::vector<std::vector<std::size_t>> cycles_of(const Graph& graph, std::size_t limit) {
  std::vector<std::vector<std::size_t>> cycles;
  auto edges = graph.blockers;
  std::vector<char> inside(edges.size(), 1);
  std::vector<std::size_t> all(edges.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  auto groups = groups_of(edges, all, inside);
  std::size_t work = 0;
  // Each group gives one cycle; without one edge of it the group is looked at again, so that cycles
  // that share tasks are all told while that is cheap.
  while (!groups.empty() && cycles.size() < limit) {
    const std::vector<std::size_t> group = std::move(groups.back());
    groups.pop_back();
    std::vector<std::size_t> path = way_back(edges, group.front(), group);
    auto& cut = edges[path[path.size() - 2]];
    cut.erase(std::remove(cut.begin(), cut.end(), path.back()), cut.end());
    cycles.push_back(std::move(path));
    work += edges.size();
    for (const std::size_t node : group) work += edges[node].size();
    if (work > kCycleWork) continue;
    inside.assign(edges.size(), 0);
    for (const std::size_t node : group) inside[node] = 1;
    for (auto& rest : groups_of(edges, group, inside)) groups.push_back(std::move(rest));
  }
  std::sort(cycles.begin(), cycles.end());
  return cycles;
}

std::vector<bool> ordered(const Graph& graph, const Order& order,
                          const std::vector<std::pair<std::size_t, std::size_t>>& pairs) {
  std::vector<bool> result(pairs.size());
  std::vector<std::uint64_t> reached(graph.blockers.size());
  for (std::size_t first = 0; first < pairs.size(); first += 64) {
    const std::size_t count = std::min<std::size_t>(64, pairs.size() - first);
    std::fill(reached.begin(), reached.end(), 0);
    for (std::size_t i = 0; i < count; ++i)
      reached[pairs[first + i].first] |= std::uint64_t{1} << i;
    for (const std::size_t node : order.nodes)
      if (const std::uint64_t bits = reached[node]; bits != 0)
        for (const std::size_t dependant : graph.dependants[node]) reached[dependant] |= bits;
    for (std::size_t i = 0; i < count; ++i)
      result[first + i] = (reached[pairs[first + i].second] >> i & 1) != 0;
  }
  return result;
}

}  // namespace capsule::plan
