#include "treewright/bounded_treewidth/bounded_searches.hpp"

#include <algorithm>
#include <numeric>

#include "treewright/graphs/cpdag.hpp"
#include "treewright/graphs/elimination.hpp"
#include "treewright/graphs/treewidth.hpp"
#include "treewright/parallel/threads.hpp"

namespace treewright {
namespace {

constexpr std::size_t kPatience = 10;  // draws in a row that may bring nothing
constexpr std::size_t kFew = 8;        // variables settled in a round, or one of `kRounds` parts of all
constexpr std::size_t kRounds = 16;
constexpr std::size_t kEnough = 600;     // variables cut off to settle, unless there are more
constexpr std::size_t kMostKicks = 16;   // in a round; fewer, the more variables there are:
constexpr std::size_t kKickable = 1600;  // kicks times variables
constexpr double kWorthAThread = 1e12;   // nanoseconds

using Clock = std::chrono::steady_clock;

/// Of a tree, whose moral graph is its skeleton.
Order order_of_tree(const DagBuilder& tree, std::size_t bound, Cancel& cancel) {
  BitMatrix skeleton(tree.size());
  for (const auto& [from, to] : tree.arcs()) skeleton.join(from, to);
  auto order = fits(std::move(skeleton), static_cast<std::int64_t>(bound), cancel);
  if (!order) throw std::invalid_argument("a start without an order must be a tree");
  return std::move(*order);
}

BoundedProof proof_of(const BitMatrix& moral, const Order& order, Cancel& cancel) {
  BoundedProof proof{eliminate(moral, order).cliques, {}};
  proof.joints = join_tree(proof.cliques, moral.size(), cancel);
  std::erase_if(proof.joints, [](const TreeEdge& edge) { return edge.weight == 0; });
  return proof;
}

}  // namespace

std::int64_t width_of(const BoundedState& state) {
  const BitMatrix later = filled_upward(state.moral(), state.order());
  std::int64_t width = -1;
  for (std::size_t i = 0; i < later.size(); ++i)
    width = std::max(width, static_cast<std::int64_t>(count_bits(later.row(i), later.words())));
  return width;
}

std::vector<Arc> canonical_arcs(const DagBuilder& dag) {
  Order ranks(dag.size());
  std::iota(ranks.begin(), ranks.end(), Vertex{0});
  const Order order = Dag(dag.size(), dag.arcs()).topological_order(ranks);
  const auto member = consistent_extension(cpdag_of(dag.parents(), order), ranks);
  if (!member) throw std::logic_error("a class has a member");
  std::vector<Arc> arcs;
  for (Vertex v = 0; v < dag.size(); ++v)
    for_each_bit(member->parents.row(v), member->parents.words(),
                 [&](std::size_t p) { arcs.emplace_back(static_cast<Vertex>(p), v); });
  return arcs;
}

BoundedSearches::BoundedSearches(LocalScores& scores, ArcRules rules, const DagBuilder& start,
                                 std::optional<Order> order, const BoundedSettings& settings, Cancel& cancel)
    : settings_(settings), arcs_(start.arcs()) {
  Order proof = order ? std::move(*order) : order_of_tree(start, settings.bound, cancel);
  searches_.push_back(
      std::make_unique<BoundedSearch>(scores, std::move(rules), start, std::move(proof), settings, cancel));
  reached_ = best().state().total();
}

void BoundedSearches::set_deadline(Deadline deadline) {
  deadline_ = deadline;
  for (const auto& search : searches_) search->set_deadline(deadline);
}

std::size_t BoundedSearches::find_best() const {
  std::size_t found = 0;
  for (std::size_t i = 1; i < size(); ++i) {
    const BoundedState &one = searches_[i]->state(), &best = searches_[found]->state();
    if (one.total() > best.total() || (one.total() == best.total() && one.dag().arcs() < best.dag().arcs()))
      found = i;
  }
  return found;
}

void BoundedSearches::end_round(Instant began) {
  double reached = searches_.front()->best_score();
  for (const auto& search : searches_) reached = std::max(reached, search->best_score());
  const bool better = reached > reached_;
  if (!better && !listener_) return;
  const BoundedState& state = best().state();
  const std::int64_t width = width_of(state);
  if (better) {
    const std::uint64_t refused = tallies()[5];
    std::vector<Arc> arcs = state.dag().arcs();
    const std::chrono::duration<double> spent = Clock::now() - began;
    BoundedRound round{{}, refused - refused_, width, reached, spent.count()};
    std::ranges::set_difference(arcs, arcs_, std::back_inserter(round.added));
    rounds_.push_back(std::move(round));
    arcs_ = std::move(arcs);
    refused_ = refused;
    reached_ = reached;
  }
  if (!listener_) return;
  listener_({tallies()[2] - before_[2], width, reached});
}

void BoundedSearches::climb(bool swaps, bool afresh, Cancel& cancel) {
  const auto began = Clock::now();
  best().climb(swaps, afresh, cancel);
  end_round(began);
}

bool BoundedSearches::reoptimise(Cancel& cancel) {
  for (bool helped = false;; helped = true) {
    const auto began = Clock::now();
    const bool found = best().redraw(kPatience, cancel);
    end_round(began);
    if (!found) return helped;
    climb(false, false, cancel);
  }
}

void BoundedSearches::settle(Cancel& cancel) {
  const std::size_t n = searches_.front()->state().size();
  if (settle_until(n, cancel) && n < kEnough) settle_until(std::min(n, kEnough - n), cancel);
}

bool BoundedSearches::settle_until(std::size_t last, Cancel& cancel) {
  const std::size_t at_once = std::max(kFew, searches_.front()->state().size() / kRounds);
  bool better = false;
  for (std::size_t first = 0; first < last; first += at_once) {
    const auto began = Clock::now();
    better |= searches_.front()->settle(first, std::min(last, first + at_once), cancel);
    end_round(began);
  }
  return better;
}

void BoundedSearches::spread(const std::vector<LocalScores*>& scores, const std::vector<std::uint64_t>& seeds,
                             Cancel& cancel) {
  if (scores.size() != seeds.size()) throw std::invalid_argument("every seed needs scores of its own");
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    BoundedSettings settings = settings_;
    settings.seed = seeds[i];
    searches_.push_back(std::make_unique<BoundedSearch>(*searches_.front(), *scores[i], settings, cancel));
    searches_.back()->set_deadline(deadline_);
  }
}

void BoundedSearches::restart(const DagBuilder& start, std::optional<Order> order, std::size_t bound,
                              std::size_t max_parents, Cancel& cancel) {
  Order proof = order ? std::move(*order) : order_of_tree(start, bound, cancel);
  const Tallies before = tallies();
  settings_.bound = bound;
  BoundedSearch& known = *searches_.front();
  const std::uint64_t scored = known.n_scored();  // which goes on being counted
  auto next = std::make_unique<BoundedSearch>(known, start, std::move(proof), settings_, max_parents, cancel);
  next->set_deadline(deadline_);
  searches_.clear();
  searches_.push_back(std::move(next));
  before_ = before;
  before_.back() -= scored;
  refused_ = before_[5];
  arcs_ = start.arcs();
  reached_ = best().state().total();
  rounds_.clear();
}

BoundedSearches::Tallies BoundedSearches::tallies() const {
  Tallies sums = before_;
  for (const auto& search : searches_) {
    const BoundedTally& tally = search->tally();
    const BoundedState& state = search->state();
    const Tallies one{tally.moves,     tally.redrawn,     tally.kicks,       tally.accepted,
                      state.n_tests(), state.n_refused(), search->n_scored()};
    for (std::size_t i = 0; i < one.size(); ++i) sums[i] += one[i];
  }
  return sums;
}

void BoundedSearches::begin_again(const std::vector<Arc>& arcs, Cancel& cancel) {
  const auto began = Clock::now();
  parallel_for(size(), kWorthAThread, cancel,
               [&](std::size_t i) { searches_[i]->begin_again(arcs, kPatience, cancel); });
  end_round(began);
}

void BoundedSearches::kick(std::size_t wanted, Cancel& cancel) {
  const std::size_t n = std::max<std::size_t>(1, searches_.front()->state().size());
  const std::size_t at_once = std::clamp<std::size_t>(kKickable / n, 1, kMostKicks);
  for (std::size_t done = 0; done < wanted && !expired(); done += at_once) {
    const auto began = Clock::now();
    const std::size_t most = std::min(at_once, wanted - done);
    parallel_for(size(), kWorthAThread, cancel, [&](std::size_t i) { searches_[i]->kick(most, cancel); });
    end_round(began);
  }
  for (const auto& search : searches_) search->return_to_best(cancel);
}

BoundedProof BoundedSearches::prove(Cancel& cancel) {
  BoundedState& state = best().state();
  state.narrow(cancel);
  return proof_of(state.moral(), state.order(), cancel);
}

BoundedMet BoundedSearches::best_met(Cancel& cancel) const {
  auto found = searches_.front()->best_met();
  for (const auto& search : searches_)
    if (const auto met = search->best_met();
        met.first > found.first || (met.first == found.first && met.second->parents < found.second->parents))
      found = met;
  const auto& [parents, order] = *found.second;
  BoundedMet met{found.first, DagBuilder(parents.size()), {}};
  BitMatrix moral(parents.size());
  for (Vertex v = 0; v < parents.size(); ++v)
    for (const Vertex p : parents[v]) {
      met.dag.add(p, v);
      moral.join(p, v);
      for (const Vertex q : parents[v])
        if (q < p) moral.join(q, p);
    }
  met.proof = proof_of(moral, order, cancel);
  return met;
}

}  // namespace treewright
