// Destroy a few families, climb, keep what is better: iterated local search.
//
// A kick empties families that lie together in the moral graph, so that their arcs can be laid out anew, and
// now and then cuts a vertex off entirely or lays a family into the best bag that has room for it. The climb
// afterwards is short, since everything else still stands. Where gains tie, as those of an arc and its
// reverse between two vertices without parents, chance decides, or the climb would lead back where it came
// from.
//
// When nothing better has come for long a third of the network is destroyed, all that lies together there,
// and the search goes on from what grows in its place; when that has come to rest too it goes back to the
// best network met: by turns.
#include <algorithm>

#include "treewright/bounded_treewidth/bounded_search.hpp"

namespace treewright {
namespace {

constexpr std::size_t kSmallestBall = 2, kLargestBall = 8, kHugeBall = 24;
constexpr double kHuge = 0.15;       // now and then far more is destroyed, which sparse networks need
constexpr double kLeastShare = 0.3;  // of the parents that are dropped
constexpr double kIsolates = 0.7, kReattaches = 0.3, kRedraws = 0.05;
constexpr std::size_t kSetsTried = 6;
constexpr std::uint64_t kGuesses = 60;  // of an order, for each vertex that is settled
constexpr double kFarBehind = 50;       // temperatures below the best: start from there again
constexpr std::size_t kLong = 300;      // kicks without anything better
constexpr std::size_t kParts = 3;       // one of so many is destroyed then

}  // namespace

std::size_t BoundedSearch::kick(std::size_t most, Cancel& cancel) {
  if (state_.size() == 0) return 0;
  std::size_t done = 0;
  for (; done < most && !expired(); ++done) {
    kick_once(cancel);
    if (++idle_ >= kLong) turn_over(cancel);
  }
  return done;
}

/// What `damage` and a climb make of the network, if that is no worse than by the tolerance.
template <class Damage>
bool BoundedSearch::try_out(const Damage& damage, double tolerance, Cancel& cancel) {
  cancel.check();
  state_.remember();
  climb_.remember(cancel);
  climb_.shuffle(draws_);
  const double before = current_;
  damage();
  climb(false, false, cancel);
  if (current_ >= before - tolerance) return true;
  state_.roll_back(cancel);
  climb_.roll_back();
  current_ = before;
  return false;
}

void BoundedSearch::kick_once(Cancel& cancel) {
  ++tally_.kicks;
  if (is_annealing_due(cancel)) return anneal_once(cancel);
  const double tolerance = settings_.temperature > 0 ? settings_.temperature * draws_.exponential() : 0;
  const auto kick = [&] {
    damage(draw_ball(draw_size()), cancel);
    if (!draws_.happens(kRedraws)) return;
    climb(false, false, cancel);
    redraw_once(cancel);
  };
  if (try_out(kick, tolerance, cancel)) ++tally_.accepted;
  if (!strays_ && current_ < best_ - kFarBehind * settings_.temperature) return_to_best(cancel);
}

bool BoundedSearch::settle(std::size_t first, std::size_t last, Cancel& cancel) {
  const double before = current_;
  for (Vertex v = static_cast<Vertex>(first); v < std::min(last, state_.size()) && !expired(); ++v) {
    state_.let_guess(kGuesses);
    try_out([&] { clear(v, cancel), isolate(v, cancel); }, 0, cancel);
  }
  state_.let_guess(BoundedState::kAlways);
  return current_ > before + columns_.threshold();
}

/// Destroy much and go on from there; or, where that was done and has come to rest, go back to the best.
void BoundedSearch::turn_over(Cancel& cancel) {
  strays_ = !strays_;
  if (strays_) {
    for (const Vertex v : draw_ball(std::max<std::size_t>(kSmallestBall, state_.size() / kParts)))
      clear(v, cancel), isolate(v, cancel);
    climb_.shuffle(draws_);
    climb(false, false, cancel);
    settle(0, state_.size(), cancel);
  } else {
    return_to_best(cancel);
  }
  highest_ = current_;
  idle_ = 0;
}

std::size_t BoundedSearch::draw_size() {
  const std::size_t largest = draws_.happens(kHuge) ? kHugeBall : kLargestBall;
  return kSmallestBall + draws_.below(largest - kSmallestBall + 1);
}

/// Vertices that lie together in the moral graph: breadth first from one of them, neighbours in random order.
Order BoundedSearch::draw_ball(std::size_t wanted) {
  const std::size_t n = state_.size();
  Order ball{static_cast<Vertex>(draws_.below(n))};
  std::vector<char> seen(n, 0);
  seen[ball.front()] = 1;
  for (std::size_t i = 0; i < ball.size() && ball.size() < wanted; ++i) {
    Order around;
    for_each_bit(state_.moral().row(ball[i]), state_.moral().words(), [&](std::size_t u) {
      if (!seen[u]) around.push_back(static_cast<Vertex>(u));
    });
    draws_.shuffle(around);
    for (const Vertex u : around) {
      if (ball.size() == wanted) break;
      seen[u] = 1;
      ball.push_back(u);
    }
  }
  return ball;
}

void BoundedSearch::damage(const Order& ball, Cancel& cancel) {
  const double share = kLeastShare + (1 - kLeastShare) * draws_.uniform();
  for (const Vertex v : ball) drop_some(v, share, cancel);
  if (draws_.happens(kIsolates)) {
    const std::size_t some = 1 + draws_.below(2);
    for (std::size_t i = 0; i < some; ++i) isolate(ball[draws_.below(ball.size())], cancel);
  }
  if (draws_.happens(kReattaches)) {
    Order turn = ball;
    draws_.shuffle(turn);
    for (const Vertex v : turn) clear(v, cancel);
    for (const Vertex v : turn) reattach(v, cancel);
  }
}

void BoundedSearch::drop_some(Vertex child, double share, Cancel& cancel) {
  Order kept;
  for (const Vertex p : state_.parents(child))
    if (columns_.rules().required.test(p, child) || !draws_.happens(share)) kept.push_back(p);
  if (kept.size() < state_.parents(child).size()) state_.shrink(child, std::move(kept), cancel);
}

/// Out of the families of all its children.
void BoundedSearch::isolate(Vertex v, Cancel& cancel) {
  Order children;
  for_each_bit(state_.dag().children().row(v), state_.dag().children().words(),
               [&](std::size_t child) { children.push_back(static_cast<Vertex>(child)); });
  for (const Vertex child : children) {
    if (columns_.rules().required.test(v, child)) continue;
    Order kept = state_.parents(child);
    std::erase(kept, v);
    state_.shrink(child, std::move(kept), cancel);
  }
}

void BoundedSearch::clear(Vertex child, Cancel& cancel) {
  Order kept;
  for (const Vertex p : state_.parents(child))
    if (columns_.rules().required.test(p, child)) kept.push_back(p);
  if (kept.size() < state_.parents(child).size()) state_.shrink(child, std::move(kept), cancel);
}

/// The best parents that lie together in a bag of the cover, of the few best sets the first that fits.
void BoundedSearch::reattach(Vertex child, Cancel& cancel) {
  const OrderTest& bags = state_.bags();
  const double enough = state_.score(child) + columns_.threshold();
  const auto may_be_parent = [&](Vertex u) {
    return u != child && columns_.rules().allowed.test(u, child) && !state_.dag().is_ancestor(child, u);
  };
  std::vector<char> useful(state_.size());  // a bag without any of these does not help
  for (Vertex u = 0; u < state_.size(); ++u) useful[u] = columns_.pair_gain(u, child) > 0 && may_be_parent(u);
  std::vector<BestPointer> found;
  Order bag;
  for (Vertex v = 0; v < state_.size(); ++v) {
    bool helps = useful[v];
    bags.for_each_later(v, [&](Vertex u) { helps |= useful[u] != 0; });
    if (!helps) continue;
    bag.clear();
    if (may_be_parent(v)) bag.push_back(v);
    bags.for_each_later(v, [&](Vertex u) {
      if (may_be_parent(u)) bag.push_back(u);
    });
    std::ranges::sort(bag);
    BestPointer best = columns_.best_within(child, bag, cancel);
    if (best && best->score > enough) found.push_back(std::move(best));
  }
  std::ranges::sort(found, [](const BestPointer& a, const BestPointer& b) {
    return a->score != b->score ? a->score > b->score : a->parents < b->parents;
  });
  const auto last = std::unique(found.begin(), found.end(), [](const BestPointer& a, const BestPointer& b) {
    return a->parents == b->parents;
  });
  found.erase(last, found.end());
  for (std::size_t i = 0; i < std::min(found.size(), kSetsTried); ++i)
    if (state_.change({{child, found[i]->parents}}, cancel)) return;
}

}  // namespace treewright
