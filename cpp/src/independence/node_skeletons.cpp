#include "treewright/independence/node_skeletons.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <stdexcept>

namespace treewright {

NodeSkeletons::NodeSkeletons(Variables rank, const std::vector<Variables>& nodes, const BitMatrix& possible,
                             BitMatrix certain, LocalSearch local)
    : rank_(std::move(rank)),
      by_name_(rank_.size()),
      nodes_of_(rank_.size()),
      tested_(rank_.size()),
      certain_(std::move(certain)),
      joined_(rank_.size()),
      local_(local),
      strength_(rank_.size() * rank_.size(), 0) {
  for (std::uint32_t v = 0; v < size(); ++v) by_name_[rank_[v]] = v;
  for (const Variables& given : nodes) {
    Node node{given, BitMatrix(given.size())};
    for (const std::uint32_t v : given)
      if (v >= size()) throw std::out_of_range("a node names a variable that is not there");
    std::ranges::sort(node.members, {}, [&](std::uint32_t v) { return rank_[v]; });
    for (std::size_t i = 0; i < node.members.size(); ++i) {
      nodes_of_[node.members[i]].push_back(static_cast<std::uint32_t>(nodes_.size()));
      for (std::size_t j = i + 1; j < node.members.size(); ++j)
        if (possible.test(node.members[i], node.members[j])) {
          node.adjacent.join(i, j);
          tested_.join(node.members[i], node.members[j]);
        }
    }
    nodes_.push_back(std::move(node));
  }
  joined_ = tested_;
}

template <class F>
void NodeSkeletons::for_each_open(F&& f) const {
  for (std::uint32_t h = 0; h < nodes_.size(); ++h) {
    const Node& node = nodes_[h];
    for (std::size_t i = 0; i < node.members.size(); ++i)
      for_each_bit(node.adjacent.row(i), node.adjacent.words(), [&](std::size_t j) {
        if (i < j && !certain_.test(node.members[i], node.members[j])) f(h, i, j);
      });
  }
}

void NodeSkeletons::separate(std::uint32_t h, std::size_t i, std::size_t j, Variables given) {
  Node& node = nodes_[h];
  const std::uint32_t u = node.members[i], v = node.members[j];
  node.adjacent.reset(i, j), node.adjacent.reset(j, i);
  joined_.reset(u, v), joined_.reset(v, u);
  separators_.push_back({u, v, h, std::move(given)});
}

void NodeSkeletons::part(std::uint32_t u, std::uint32_t v, Variables given) {
  if (rank_.at(u) > rank_.at(v)) std::swap(u, v);
  joined_.reset(u, v), joined_.reset(v, u);
  separators_.push_back({u, v, static_cast<std::uint32_t>(nodes_.size()), std::move(given)});
}

LevelReport NodeSkeletons::settle(std::size_t level, TestAnswers& answers, Cancel& cancel) {
  if (level == 0) return settle_pairs(answers, cancel);
  PairQueue queue(true, answers, cancel);
  for_each_open([&](std::uint32_t h, std::size_t i, std::size_t j) {
    const Node& node = nodes_[h];
    queue.add({node.members[i], node.members[j], walk(node, i, j, level), h});
  });
  for (SeparatedPair& one : queue.finish()) {  // only now: all of a level see the same surroundings
    const Variables& members = nodes_[one.node].members;
    const auto place = [&](std::uint32_t v) {
      return static_cast<std::size_t>(
          std::ranges::lower_bound(members, rank_[v], {}, [&](std::uint32_t w) { return rank_[w]; }) -
          members.begin());
    };
    separate(one.node, place(one.u), place(one.v), std::move(one.given));
  }
  return queue.report();
}

// A pair of several nodes is asked once, and leaves all of them.
LevelReport NodeSkeletons::settle_pairs(TestAnswers& answers, Cancel& cancel) {
  LevelReport report;
  std::vector<Query> queries;
  for (const std::uint32_t u : by_name_)
    for_each_bit(tested_.row(u), tested_.words(), [&](std::size_t v) {
      if (rank_[u] < rank_[v]) queries.push_back({u, static_cast<std::uint32_t>(v), {}});
    });
  const PairAnswers found = answers.pairs(queries, cancel);
  BitMatrix apart(size());
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const auto [u, v] = std::pair(queries[i].x, queries[i].y);
    strength_[u * size() + v] = strength_[v * size() + u] = found.strength[i];
    if (found.independent[i]) apart.join(u, v);
  }
  std::vector<std::tuple<std::uint32_t, std::size_t, std::size_t>> gone;
  for_each_open([&](std::uint32_t h, std::size_t i, std::size_t j) {
    ++report.pairs;
    if (apart.test(nodes_[h].members[i], nodes_[h].members[j])) gone.emplace_back(h, i, j);
  });
  for (const auto& [h, i, j] : gone) separate(h, i, j, {});
  report.tests = report.pairs;
  report.removed = static_cast<std::int64_t>(gone.size());
  return report;
}

bool NodeSkeletons::has_candidates(std::size_t level) const {
  bool found = false;
  for_each_open([&](std::uint32_t h, std::size_t i, std::size_t j) {
    const BitMatrix& adjacent = nodes_[h].adjacent;
    const std::size_t around = std::max(count_bits(adjacent.row(i), adjacent.words()),
                                        count_bits(adjacent.row(j), adjacent.words()));
    const std::size_t others = local_ == LocalSearch::everybody ? nodes_[h].members.size() - 2 : around - 1;
    found = found || others >= level;
  });
  return found;
}

void NodeSkeletons::sort_candidates(Variables& candidates, std::uint32_t u, std::uint32_t v) const {
  const auto weight = [&](std::uint32_t w) { return std::min(strength(u, w), strength(v, w)); };
  std::ranges::sort(candidates, [&](std::uint32_t a, std::uint32_t b) {
    const double first = weight(a), second = weight(b);
    return first != second ? first > second : rank_[a] < rank_[b];
  });
}

SeparatorWalk NodeSkeletons::walk(const Node& node, std::size_t i, std::size_t j, std::size_t size) const {
  const std::uint32_t u = node.members[i], v = node.members[j];
  Variables first, second;
  std::vector<std::uint8_t> in_first;
  if (local_ == LocalSearch::everybody) {
    std::ranges::copy_if(node.members, std::back_inserter(first),
                         [&](std::uint32_t w) { return w != u && w != v; });
    sort_candidates(first, u, v);
    return {std::move(first), {}, {}, size};
  }
  const auto around = [&](std::size_t end, std::size_t other, Variables& out) {
    for_each_bit(node.adjacent.row(end), node.adjacent.words(), [&](std::size_t k) {
      if (k != other) out.push_back(node.members[k]);
    });
    sort_candidates(out, u, v);
  };
  around(i, j, first), around(j, i, second);
  for (const std::uint32_t w : second) in_first.push_back(std::ranges::find(first, w) != first.end());
  return {std::move(first), std::move(second), std::move(in_first), size};
}

SeparatorWalk NodeSkeletons::walk_around(const Node& node, std::uint32_t u, std::uint32_t v) const {
  Variables first, second;
  std::vector<std::uint8_t> in_first;
  for (const std::uint32_t w : node.members) {
    if (joined_.test(u, w)) first.push_back(w);
    if (joined_.test(v, w)) second.push_back(w), in_first.push_back(joined_.test(u, w));
  }
  return {std::move(first), std::move(second), std::move(in_first), 0};
}

std::vector<TripleEvidence> NodeSkeletons::weigh_triples(bool around, std::optional<std::size_t> depth,
                                                         TestAnswers& answers, Cancel& cancel,
                                                         std::int64_t& n_tests) const {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<const SeparatedPair*>> known;
  for (const SeparatedPair& one : separators_) known[{one.u, one.v}].push_back(&one);
  TripleScale scale(unshielded_triples(rank_, joined_, tested_), answers, cancel);
  scale.for_each_pair([&](std::uint32_t u, std::uint32_t v) {
    std::set<Variables> seen;  // nodes overlap
    const auto weigh = [&](const Variables& given) {
      Variables sorted = given;
      std::ranges::sort(sorted);
      if (seen.insert(std::move(sorted)).second) scale.weigh(u, v, given);
    };
    for (const SeparatedPair* one : known[{u, v}]) weigh(one->given);
    if (!around) return;
    Variables shared, subset;
    std::ranges::set_intersection(nodes_of_[u], nodes_of_[v], std::back_inserter(shared));
    for (const std::uint32_t h : shared) {
      SeparatorWalk sets = walk_around(nodes_[h], u, v);
      const std::size_t most = std::min(nodes_[h].members.size() - 2, depth.value_or(size()));
      for (std::size_t many = 0; many <= most; ++many)
        for (sets.restart(many); sets.next(subset);) weigh(subset);
    }
  });
  return scale.finish(n_tests);
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> NodeSkeletons::local_edges(std::size_t h) const {
  const Node& node = nodes_.at(h);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  for (std::size_t i = 0; i < node.members.size(); ++i)
    for_each_bit(node.adjacent.row(i), node.adjacent.words(), [&](std::size_t j) {
      if (i < j) edges.emplace_back(node.members[i], node.members[j]);
    });
  return edges;
}

}  // namespace treewright
