#include "treewright/graphs/d_separation.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "treewright/parallel/threads.hpp"

namespace treewright {

void DSeparation::require(Vertex v) const {
  if (v >= dag_.size()) throw std::out_of_range("there is no vertex " + std::to_string(v));
}

void DSeparation::mark(Vertex v, std::uint8_t what) {
  if (marks_[v] == 0) touched_.push_back(v);
  marks_[v] |= what;
}

void DSeparation::mark_ancestors(Vertex v, std::uint8_t what) {
  if (marks_[v] & what) return;
  mark(v, what);
  stack_.assign(1, v);
  while (!stack_.empty()) {
    const Vertex w = stack_.back();
    stack_.pop_back();
    for (const Vertex p : dag_.parents(w))
      if (!(marks_[p] & what)) mark(p, what), stack_.push_back(p);
  }
}

void DSeparation::begin(std::span<const Vertex> given) {
  for (const Vertex z : given) mark(z, kGiven), mark_ancestors(z, kAboveGiven);
}

void DSeparation::throw_ball(Vertex v, std::uint8_t side) {
  if (marks_[v] & side) return;
  mark(v, side);
  balls_.emplace_back(v, side);
}

// With a target only what lies above x, y or the given can matter: a path leaving that set never comes back.
bool DSeparation::walk(Vertex target) {
  const bool bounded = target != kUnbounded;
  while (!balls_.empty()) {
    const auto [v, side] = balls_.back();
    balls_.pop_back();
    const bool given = marks_[v] & kGiven;
    if (v == target && !given) return true;
    if (side == kFromBelow ? !given : (marks_[v] & kAboveGiven) != 0)
      for (const Vertex p : dag_.parents(v)) throw_ball(p, kFromBelow);
    if (given) continue;
    for (const Vertex c : dag_.children(v))
      if (!bounded || marks_[c] & (kRelevant | kAboveGiven)) throw_ball(c, kFromAbove);
  }
  return false;
}

void DSeparation::forget() {
  for (const Vertex v : touched_) marks_[v] = 0;
  touched_.clear();
  balls_.clear();
}

bool DSeparation::separated(Vertex x, Vertex y, std::span<const Vertex> given) {
  require(x), require(y);
  for (const Vertex z : given) require(z);
  if (x == y || std::ranges::find_if(given, [&](Vertex z) { return z == x || z == y; }) != given.end())
    throw std::invalid_argument("x, y and the given must differ");
  begin(given);
  mark_ancestors(x, kRelevant), mark_ancestors(y, kRelevant);
  throw_ball(x, kFromBelow);
  const bool connected = walk(y);
  forget();
  return !connected;
}

std::vector<std::uint8_t> separated_many(const Dag& dag, std::span<const SeparationQuery> queries,
                                         Cancel& cancel) {
  constexpr std::size_t block = 256;
  std::vector<std::uint8_t> answers(queries.size());
  const double expected = 5.0 * static_cast<double>(queries.size()) * static_cast<double>(dag.size() + 10);
  parallel_for((queries.size() + block - 1) / block, expected, cancel, [&](std::size_t b) {
    DSeparation walker(dag);
    for (std::size_t i = b * block; i < std::min((b + 1) * block, queries.size()); ++i) {
      const auto& [x, y, given] = queries[i];
      answers[i] = walker.separated(x, y, given);
    }
  });
  return answers;
}

}  // namespace treewright
