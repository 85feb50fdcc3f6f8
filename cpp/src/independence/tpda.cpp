#include "treewright/independence/tpda.hpp"

#include <algorithm>
#include <numeric>

namespace treewright {

TpdaSearch::TpdaSearch(std::vector<std::uint32_t> rank, const BitMatrix& possible, const BitMatrix& certain,
                       TpdaSettings settings)
    : rank_(std::move(rank)),
      by_name_(rank_.size()),
      possible_(rank_.size()),
      certain_(rank_.size()),
      settings_(settings),
      weight_(rank_.size() * rank_.size(), 0),
      near_(rank_.size()),
      on_path_(rank_.size()),
      seen_(rank_.size()),
      low_(rank_.size()) {
  for (std::uint32_t v = 0; v < size(); ++v) by_name_[rank_[v]] = v;
  for (std::uint32_t x = 0; x < size(); ++x)
    for (std::uint32_t y = x + 1; y < size(); ++y) {
      if (possible.test(by_name_[x], by_name_[y])) possible_.join(x, y);
      if (certain.test(by_name_[x], by_name_[y])) certain_.join(x, y);
    }
}

std::vector<TpdaSearch::Judged> TpdaSearch::judge(const std::vector<Pair>& pairs,
                                                  const std::vector<Set>& given, Asking& asking) {
  std::vector<Query> queries;
  queries.reserve(pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    Query query{by_name_[pairs[i].first], by_name_[pairs[i].second], {}};
    if (!given.empty())
      for (const std::uint32_t v : given[i]) query.given.push_back(by_name_[v]);
    std::ranges::sort(query.given);
    queries.push_back(std::move(query));
  }
  asking.report.tests += static_cast<std::int64_t>(queries.size());
  std::vector<Judged> out;
  out.reserve(queries.size());
  for (const Dependence& found : asking.answers.dependence(queries, asking.cancel))
    out.push_back({found.information,
                   settings_.threshold ? found.information < *settings_.threshold : found.independent});
  return out;
}

TpdaSearch::Judged TpdaSearch::judge_set(Pair pair, const Set& set, Asking& asking) {
  return judge({pair}, {set}, asking).front();
}

std::vector<TpdaSearch::Judged> TpdaSearch::judge_subsets(Pair pair, const Set& set, Asking& asking) {
  std::vector<Set> given;
  for (std::size_t i = 0; i < set.size(); ++i) {
    given.push_back(set);
    given.back().erase(given.back().begin() + static_cast<std::ptrdiff_t>(i));
  }
  return judge(std::vector<Pair>(set.size(), pair), given, asking);
}

void TpdaSearch::join(Pair pair) {
  const auto insert = [&](std::uint32_t x, std::uint32_t y) {
    near_[x].insert(std::ranges::lower_bound(near_[x], y), y);
  };
  insert(pair.first, pair.second), insert(pair.second, pair.first);
}

void TpdaSearch::part(Pair pair) {
  std::erase(near_[pair.first], pair.second);
  std::erase(near_[pair.second], pair.first);
}

TpdaReport TpdaSearch::draft(TestAnswers& answers, Cancel& cancel) {
  TpdaReport report;
  Asking asking{answers, cancel, report};
  std::vector<Pair> pairs;
  for (std::uint32_t x = 0; x < size(); ++x)
    for (std::uint32_t y = x + 1; y < size(); ++y)
      if (possible_.test(x, y)) pairs.emplace_back(x, y);
  const std::vector<Judged> judged = judge(pairs, {}, asking);
  report.pairs = static_cast<std::int64_t>(pairs.size());
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto [x, y] = pairs[i];
    weight_[x * size() + y] = weight_[y * size() + x] = judged[i].information;
    if (!judged[i].small && !certain_.test(x, y)) order.push_back(i);
  }
  std::ranges::stable_sort(
      order, [&](std::size_t a, std::size_t b) { return judged[a].information > judged[b].information; });
  Set root(size());
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](std::uint32_t v) {
    while (root[v] != v) v = root[v] = root[root[v]];
    return v;
  };
  const auto add = [&](Pair pair) {
    root[find(pair.first)] = find(pair.second);
    join(pair), edges_.push_back(pair);
    ++report.changed;
  };
  for (const Pair& pair : pairs)
    if (certain_.test(pair.first, pair.second)) add(pair);
  for (const std::size_t i : order) {
    if (find(pairs[i].first) != find(pairs[i].second))
      add(pairs[i]);
    else
      waiting_.push_back(pairs[i]);
  }
  return report;
}

TpdaReport TpdaSearch::thicken(TestAnswers& answers, Cancel& cancel) {
  TpdaReport report;
  Asking asking{answers, cancel, report};
  for (const Pair& pair : waiting_) {
    cancel.check();
    ++report.pairs;
    if (auto cut = cut_quickly(pair, asking)) {
      cutsets_.emplace_back(pair, std::move(*cut));
    } else {
      join(pair), edges_.push_back(pair);
      ++report.changed;
    }
  }
  waiting_.clear();
  return report;
}

TpdaReport TpdaSearch::thin(TestAnswers& answers, Cancel& cancel) {
  return thin_by(&TpdaSearch::cut_quickly, false, answers, cancel);
}

TpdaReport TpdaSearch::thin_again(TestAnswers& answers, Cancel& cancel) {
  return thin_by(&TpdaSearch::cut_thoroughly, true, answers, cancel);
}

TpdaReport TpdaSearch::thin_by(Needed needed, bool crowded_only, TestAnswers& answers, Cancel& cancel) {
  TpdaReport report;
  Asking asking{answers, cancel, report};
  std::vector<Pair> kept;
  for (const Pair& pair : edges_) {
    cancel.check();
    const std::size_t most = std::max(near_[pair.first].size(), near_[pair.second].size());
    std::optional<Set> cut;
    if (!certain_.test(pair.first, pair.second) && (!crowded_only || most > 3)) {
      part(pair);
      find_paths(pair);
      if (!near_on_paths(pair.first, pair.second, false).empty()) {  // there is another path
        ++report.pairs;
        cut = (this->*needed)(pair, asking);
      }
      if (!cut) join(pair);
    }
    if (cut) {
      cutsets_.emplace_back(pair, std::move(*cut));
      ++report.changed;
    } else {
      kept.push_back(pair);
    }
  }
  edges_ = std::move(kept);
  return report;
}

// The neighbours of one end on the paths to the other, as a whole, then without the one that tells least.
std::optional<TpdaSearch::Set> TpdaSearch::cut_quickly(Pair pair, Asking& asking) {
  find_paths(pair);
  Set first = near_on_paths(pair.first, pair.second, false);
  Set second = near_on_paths(pair.second, pair.first, false);
  if (second.size() < first.size()) std::swap(first, second);
  if (auto cut = shrink_to_cut(pair, strongest(pair, std::move(first)), asking)) return cut;
  return shrink_to_cut(pair, strongest(pair, std::move(second)), asking);
}

std::optional<TpdaSearch::Set> TpdaSearch::shrink_to_cut(Pair pair, Set set, Asking& asking) {
  Judged all = judge_set(pair, set, asking);
  if (all.small) return set;
  while (set.size() > 1) {
    const std::vector<Judged> without = judge_subsets(pair, set, asking);
    const auto least = std::ranges::min_element(without, {}, &Judged::information);
    set.erase(set.begin() + (least - without.begin()));
    if (least->small) return set;
    if (least->information > all.information) return std::nullopt;
    all = *least;
  }
  return std::nullopt;
}

// Neighbours and their neighbours; every variable that adds nothing is left out at once.
std::optional<TpdaSearch::Set> TpdaSearch::cut_thoroughly(Pair pair, Asking& asking) {
  find_paths(pair);
  Set set = near_on_paths(pair.first, pair.second, true);
  if (Set other = near_on_paths(pair.second, pair.first, true); other.size() < set.size())
    set = std::move(other);
  set = strongest(pair, std::move(set));
  while (true) {
    const Judged all = judge_set(pair, set, asking);
    if (all.small) return set;
    const std::vector<Judged> without = judge_subsets(pair, set, asking);
    Set left;
    for (std::size_t i = 0; i < set.size(); ++i) {
      if (without[i].small) {
        set.erase(set.begin() + static_cast<std::ptrdiff_t>(i));
        return set;
      }
      if (without[i].information > all.information + settings_.tolerance) left.push_back(set[i]);
    }
    if (left.size() == set.size() || left.empty()) return std::nullopt;
    set = std::move(left);
  }
}

// A vertex lies on a path between x and y that meets no vertex twice if and only if it is in the block of the
// edge x - y, were it there (Hopcroft & Tarjan 1973): walk from y, never through x, and cut off what hangs on
// a single vertex.
void TpdaSearch::find_paths(Pair pair) {
  const auto [x, y] = pair;
  struct Frame {
    std::uint32_t v, from;
    std::size_t next;
  };
  std::ranges::fill(seen_, 0);
  std::ranges::fill(on_path_, 0);
  seen_[x] = 1, seen_[y] = low_[y] = 2;
  std::uint32_t time = 2;
  Set stack{y};
  std::vector<Frame> frames{{y, x, 0}};
  while (!frames.empty()) {
    Frame& top = frames.back();
    const std::uint32_t v = top.v;
    if (top.next < near_[v].size()) {
      const std::uint32_t u = near_[v][top.next++];
      if (u == top.from) continue;
      if (seen_[u]) {
        low_[v] = std::min(low_[v], seen_[u]);
      } else {
        seen_[u] = low_[u] = ++time;
        stack.push_back(u);
        frames.push_back({u, v, 0});
      }
      continue;
    }
    frames.pop_back();
    if (frames.empty()) break;
    const std::uint32_t above = frames.back().v;
    low_[above] = std::min(low_[above], low_[v]);
    if (low_[v] >= seen_[above]) {  // a block of its own
      while (stack.back() != v) stack.pop_back();
      stack.pop_back();
    }
  }
  for (const std::uint32_t v : stack) on_path_[v] = 1;
  on_path_[x] = on_path_[y] = 0;
}

TpdaSearch::Set TpdaSearch::near_on_paths(std::uint32_t x, std::uint32_t y, bool two_steps) const {
  Set out;
  const auto take = [&](std::uint32_t v) {
    if (v != y && on_path_[v]) out.push_back(v);
  };
  for (const std::uint32_t v : near_[x]) take(v);
  if (two_steps) {
    const std::size_t n = out.size();
    for (std::size_t i = 0; i < n; ++i)
      for (const std::uint32_t v : near_[out[i]]) take(v);
    std::ranges::sort(out);
    out.erase(std::ranges::unique(out).begin(), out.end());
  }
  return out;
}

TpdaSearch::Set TpdaSearch::strongest(Pair pair, Set set) const {
  if (set.size() <= settings_.largest_given) return set;
  std::ranges::stable_sort(set, std::ranges::greater{},
                           [&](std::uint32_t v) { return weight(pair.first, v) + weight(pair.second, v); });
  set.resize(settings_.largest_given);
  std::ranges::sort(set);
  return set;
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> TpdaSearch::edges() const {
  std::vector<Pair> out;
  for (const auto& [x, y] : edges_) out.emplace_back(by_name_[x], by_name_[y]);
  return out;
}

std::vector<Separator> TpdaSearch::cutsets() const {
  std::vector<Separator> out;
  for (const auto& [pair, set] : cutsets_) {
    out.push_back({by_name_[pair.first], by_name_[pair.second], {}});
    for (const std::uint32_t v : set) out.back().given.push_back(by_name_[v]);
  }
  return out;
}

}  // namespace treewright
