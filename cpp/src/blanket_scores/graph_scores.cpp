// Totals of blanket scores under flips: what changes, and nothing else, is tested again.
#include "treewright/blanket_scores/graph_scores.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace treewright {

std::vector<Vertex> GraphScore::blanket(Vertex v) const {
  std::vector<Vertex> out;
  for_each_bit(graph_.row(v), graph_.words(), [&](std::size_t u) { out.push_back(static_cast<Vertex>(u)); });
  return out;
}

void GraphScore::toggle(Vertex x, Vertex y) {
  graph_.row(x)[y / 64] ^= Word{1} << (y % 64);
  graph_.row(y)[x / 64] ^= Word{1} << (x % 64);
}

namespace {

// Pairs whose questions and answers are held at the same time.
constexpr std::size_t kPairsAtOnce = std::size_t{1} << 18;

// Evidence against independence is at most what the margins of a pair can hold, and priors add little.
double least_term(BlanketTests& tests) {
  double states = 2;
  for (Vertex v = 0; v < tests.size(); ++v) states = std::max<double>(states, tests.cardinality(v));
  return -2 * tests.n_rows() * std::log(states) - 2000;
}

}  // namespace

BlanketScore::BlanketScore(std::shared_ptr<RememberedTests> tests, BlanketScoreSettings settings)
    : GraphScore(tests->size()),
      tests_(std::move(tests)),
      settings_(settings),
      floor_(least_term(tests_->inner())),
      scale_(static_cast<double>(size() * size() + 1) * (std::abs(settings.edge_price) - floor_)),
      weight_(size(), 0),
      terms_(size() * size(), 0) {}

std::int64_t BlanketScore::fixed(double value) const { return scale_.quantise(std::max(value, floor_)); }

double BlanketScore::weight_of(const Word* row) const {
  if (settings_.owner == OwnerRule::degree) return static_cast<double>(count_bits(row, graph_.words()));
  double cells = 1;
  for_each_bit(row, graph_.words(),
               [&](std::size_t u) { cells *= tests_->inner().cardinality(static_cast<Vertex>(u)); });
  return cells;
}

BlanketScore::Share BlanketScore::share(double first, double second, Vertex u, Vertex v) const {
  if (settings_.kind == BlanketKind::independent) return {1, 1};
  if (first == second && settings_.tie == OwnerTie::mean) return {0.5, 0.5};
  const bool first_owns = first < second || (first == second && u < v);
  return first_owns ? Share{1, 0} : Share{0, 1};
}

void BlanketScore::judge(const std::vector<std::pair<Vertex, Vertex>>& pairs, Cancel& cancel) {
  constexpr std::size_t kNobody = static_cast<std::size_t>(-1);
  std::vector<std::size_t> place(size(), kNobody);
  std::vector<OwnerQuestions> asked;
  const auto ask = [&](Vertex owner, Vertex partner) {
    if (place[owner] == kNobody) {
      place[owner] = asked.size();
      asked.push_back({owner, blanket(owner), {}, {}, {}, {}});
    }
    OwnerQuestions& one = asked[place[owner]];
    (graph_.test(owner, partner) ? one.members : one.outsiders).push_back(partner);
  };
  for (const auto& [u, v] : pairs) {
    const Share shares = share(u, v);
    if (shares.of_first > 0) ask(u, v);
    if (shares.of_second > 0) ask(v, u);
  }
  tests_->answer(asked, cancel);
  for (const auto& [u, v] : pairs) {
    sum_ -= term(u, v);
    term(u, v) = graph_.test(u, v) ? fixed(-settings_.edge_price) : 0;
    sum_ += term(u, v);
  }
  const auto add = [&](Vertex owner, Vertex partner, double log_posterior) {
    const Share shares = share(owner, partner);
    const std::int64_t part = fixed(shares.of_first * log_posterior);
    term(owner, partner) += part;
    sum_ += part;
  };
  for (const OwnerQuestions& one : asked) {
    for (std::size_t i = 0; i < one.outsiders.size(); ++i)
      add(one.owner, one.outsiders[i], one.outside[i].log_independent);
    for (std::size_t i = 0; i < one.members.size(); ++i)
      add(one.owner, one.members[i], one.inside[i].log_dependent);
  }
}

void BlanketScore::start(const BitMatrix& graph, Cancel& cancel) {
  if (graph.size() != size()) throw std::invalid_argument("the graph has other variables than the score");
  graph_ = graph;
  std::ranges::fill(terms_, 0);
  sum_ = 0;
  for (Vertex v = 0; v < size(); ++v) weight_[v] = weight_of(graph_.row(v));
  std::vector<std::pair<Vertex, Vertex>> pairs;
  for (Vertex u = 0; u < size(); ++u) {
    for (Vertex v = u + 1; v < size(); ++v) pairs.emplace_back(u, v);
    if (pairs.size() < kPairsAtOnce && u + 1 < size()) continue;
    judge(pairs, cancel);
    pairs.clear();
  }
}

// Only the blankets of x and y change: a pair keeps its term unless x or y owns it before or after.
void BlanketScore::flip(Vertex x, Vertex y, Cancel& cancel) {
  const double before_x = weight_[x], before_y = weight_[y];
  toggle(x, y);
  weight_[x] = weight_of(graph_.row(x));
  weight_[y] = weight_of(graph_.row(y));
  std::vector<std::pair<Vertex, Vertex>> pairs{{x, y}};
  const auto collect = [&](Vertex end, Vertex other, double before) {
    for (Vertex b = 0; b < size(); ++b)
      if (b != end && b != other &&
          (share(before, weight_[b], end, b).of_first > 0 || share(end, b).of_first > 0))
        pairs.emplace_back(end, b);
  };
  collect(x, y, before_x);
  collect(y, x, before_y);
  judge(pairs, cancel);
}

void BlanketScore::tabulate(Cancel& cancel) {
  const std::size_t n = size(), sets = std::size_t{1} << n;
  if (n > 6) throw std::invalid_argument("all graphs are judged up to six variables");
  std::vector<OwnerQuestions> asked;
  for (Vertex v = 0; v < n; ++v)
    for (std::size_t set = 0; set < sets; ++set) {
      if (set >> v & 1) continue;
      OwnerQuestions one{v, {}, {}, {}, {}, {}};
      for (Vertex u = 0; u < n; ++u)
        if (u != v) (set >> u & 1 ? one.members : one.outsiders).push_back(u);
      one.blanket = one.members;
      asked.push_back(std::move(one));
    }
  tests_->answer(asked, cancel);
  table_.assign(n * sets * n, 0);
  for (const OwnerQuestions& one : asked) {
    std::size_t set = 0;
    for (const Vertex u : one.blanket) set |= std::size_t{1} << u;
    double* row = table_.data() + (one.owner * sets + set) * n;
    for (std::size_t i = 0; i < one.outsiders.size(); ++i)
      row[one.outsiders[i]] = one.outside[i].log_independent;
    for (std::size_t i = 0; i < one.members.size(); ++i) row[one.members[i]] = one.inside[i].log_dependent;
  }
}

double BlanketScore::one_sided(const Word* blankets, Vertex from, Vertex to) const {
  return table_[((from << size()) + blankets[from]) * size() + to];
}

double BlanketScore::total_of(const Word* blankets) const {
  double weights[6], total = 0;
  for (Vertex v = 0; v < size(); ++v) weights[v] = weight_of(blankets + v);
  for (Vertex u = 0; u < size(); ++u)
    for (Vertex v = u + 1; v < size(); ++v) {
      const Share shares = share(weights[u], weights[v], u, v);
      if (shares.of_first > 0) total += shares.of_first * one_sided(blankets, u, v);
      if (shares.of_second > 0) total += shares.of_second * one_sided(blankets, v, u);
      if (blankets[u] >> v & 1) total -= settings_.edge_price;
    }
  return total;
}

PseudoScore::PseudoScore(std::shared_ptr<LocalScores> scores, BitMatrix movable)
    : GraphScore(scores->size()),
      scores_(std::move(scores)),
      movable_(std::move(movable)),
      own_(size(), 0),
      gains_(size() * size(), 0) {
  if (movable_.size() != size()) throw std::invalid_argument("one row for each variable");
}

void PseudoScore::judge(Vertex v, Cancel& cancel) {
  const std::vector<Vertex> parents = blanket(v);
  std::vector<Vertex> candidates;
  bool leaves = false;
  for_each_bit(movable_.row(v), movable_.words(), [&](std::size_t u) {
    if (graph_.test(v, u))
      leaves = true;
    else
      candidates.push_back(static_cast<Vertex>(u));
  });
  std::vector<double> with(candidates.size()), less(parents.size());
  if (leaves)
    own_[v] = scores_->around(v, parents, candidates, with, less, cancel);
  else if (!candidates.empty())
    own_[v] = scores_->additions(v, parents, candidates, with, cancel);
  else
    own_[v] = scores_->local(v, parents, cancel);
  for (std::size_t i = 0; i < candidates.size(); ++i) gains_[v * size() + candidates[i]] = with[i] - own_[v];
  if (leaves)
    for (std::size_t i = 0; i < parents.size(); ++i) gains_[v * size() + parents[i]] = less[i] - own_[v];
}

void PseudoScore::start(const BitMatrix& graph, Cancel& cancel) {
  if (graph.size() != size()) throw std::invalid_argument("the graph has other variables than the score");
  graph_ = graph;
  for (Vertex v = 0; v < size(); ++v) judge(v, cancel);
}

void PseudoScore::flip(Vertex x, Vertex y, Cancel& cancel) {
  toggle(x, y);
  judge(x, cancel);
  judge(y, cancel);
}

double PseudoScore::total() const {
  double sum = 0;  // local scores lie on a grid: no order of adding rounds
  for (const double own : own_) sum += own;
  return sum;
}

void PseudoScore::tabulate(Cancel& cancel) {
  const std::size_t n = size(), sets = std::size_t{1} << n;
  if (n > 6) throw std::invalid_argument("all graphs are judged up to six variables");
  table_.assign(n * sets, 0);
  for (Vertex v = 0; v < n; ++v)
    for (std::size_t set = 0; set < sets; ++set) {
      if (set >> v & 1) continue;
      std::vector<Vertex> members;
      for (Vertex u = 0; u < n; ++u)
        if (set >> u & 1) members.push_back(u);
      table_[v * sets + set] = scores_->local(v, members, cancel);
    }
}

double PseudoScore::total_of(const Word* blankets) const {
  double sum = 0;
  for (std::size_t v = 0; v < size(); ++v) sum += table_[(v << size()) + blankets[v]];
  return sum;
}

}  // namespace treewright
