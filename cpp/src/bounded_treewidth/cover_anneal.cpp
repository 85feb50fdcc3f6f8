#include "treewright/bounded_treewidth/cover_anneal.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace treewright {
namespace {

constexpr std::size_t kPart = 15;             // vertices that are heated together
constexpr std::size_t kSteps = 333;           // changes drawn for each of them
constexpr double kHottest = 0.5, kHot = 0.1;  // temperatures to start at, in median losses
constexpr double kCold = 0.01;                // to end at
constexpr double kLeaves = 0.4, kSlides = 0.45;
constexpr std::size_t kSample = 2000;  // changes drawn to measure the losses
constexpr std::size_t kEven = 16;      // changes at one temperature
constexpr double kBusy = 0.3;          // lower fifth of the losses, in medians, where few edges are idle
constexpr int kKnownBits = 16;         // families remembered: newer ones overwrite older ones

std::size_t bits_of(std::size_t n) { return static_cast<std::size_t>(std::bit_width(n - 1)); }

}  // namespace

bool CoverAnneal::can_remember(std::size_t n, std::size_t bound) { return (bound + 1) * bits_of(n) < 64; }

CoverAnneal::CoverAnneal(FamilyColumns& columns, std::size_t bound, std::uint64_t seed, Cancel& cancel)
    : columns_(columns),
      tree_(columns.size(), bound),
      draws_(seed),
      quick_(seed),
      liked_(columns.size()),
      scores_(columns.size()),
      known_(std::size_t{1} << kKnownBits),
      bits_(bits_of(columns.size())),
      before_{tree_, scores_, 0} {
  for (Vertex v = 0; v < columns_.size(); ++v) {
    cancel.check();
    for (Vertex u = 0; u < columns_.size(); ++u)
      if (u != v) liked_[v].push_back(u);
    std::ranges::stable_sort(liked_[v], std::ranges::greater{},
                             [&](Vertex u) { return columns_.pair_gain(u, v); });
  }
}

/// Of two candidates the best of the four sets, of more what forward selection finds.
BestFamily CoverAnneal::best_family(Vertex v, std::span<const Vertex> clique, Cancel& cancel) {
  if (clique.size() != 2) return *columns_.best_within(v, Order(clique.begin(), clique.end()), cancel);
  BestFamily best{columns_.local(v, {}, cancel), {}};
  const double alone = best.score;
  const auto offer = [&](double score, std::span<const Vertex> parents) {
    if (score > best.score + columns_.threshold()) best = {score, Order(parents.begin(), parents.end())};
  };
  for (std::size_t i = 0; i < 2; ++i) offer(alone + columns_.pair_gain(clique[i], v), clique.subspan(i, 1));
  offer(columns_.local(v, clique, cancel), clique);
  return best;
}

double CoverAnneal::score_of(Vertex v, std::span<const Vertex> clique, Cancel& cancel) {
  if (clique.size() < tree_.width()) return best_family(v, clique, cancel).score;
  std::uint64_t key = v;
  for (const Vertex u : clique) key = key << bits_ | u;
  Known& known = known_[key * 0x9E3779B97F4A7C15 >> (64 - kKnownBits)];
  if (known.key != key) known = {key, best_family(v, clique, cancel).score};
  return known.score;
}

void CoverAnneal::plant(const BitMatrix& graph, Cancel& cancel) {
  tree_.plant(graph, draw_visit(graph, draws_));
  total_ = 0;
  for (Vertex v = 0; v < tree_.size(); ++v) total_ += scores_[v] = score_of(v, tree_.clique(v), cancel);
  if (loss_ < 0) measure_losses(cancel);
}

/// Let it grow from another root: other vertices are leaves then.
void CoverAnneal::turn(Cancel& cancel) { plant(tree_.graph(), cancel); }

bool CoverAnneal::draw_change(Vertex v) {
  const double kind = quick_.uniform();
  if (kind < kLeaves) {
    const double x = quick_.uniform();
    const auto rank = static_cast<std::size_t>(x * x * static_cast<double>(liked_[v].size()));
    return tree_.draw_leaf(v, liked_[v][rank], quick_, change_);
  }
  if (kind < kLeaves + kSlides) return tree_.draw_slide(v, quick_, change_);
  return tree_.draw_exchange(v, quick_, change_);
}

/// What the change gains.
double CoverAnneal::weigh(Cancel& cancel) {
  double gain = 0;
  change_scores_.clear();
  for (std::size_t i = 0; i < change_.vertices.size(); ++i) {
    const Vertex v = change_.vertices[i];
    const std::size_t width = tree_.width();
    change_scores_.push_back(score_of(v, {change_.cliques.data() + i * width, width}, cancel));
    gain += change_scores_.back() - scores_[v];
  }
  return gain;
}

void CoverAnneal::make() {
  tree_.make(change_);
  for (std::size_t i = 0; i < change_.vertices.size(); ++i) scores_[change_.vertices[i]] = change_scores_[i];
}

/// How much is at stake, in the unit of the score: what the temperatures are multiples of.
void CoverAnneal::measure_losses(Cancel& cancel) {
  std::vector<double> losses{0};
  for (std::size_t i = 0; i < kSample; ++i)
    if (draw_change(static_cast<Vertex>(quick_.below(tree_.size())))) losses.push_back(-weigh(cancel));
  std::ranges::sort(losses);
  loss_ = std::max(0.0, losses[losses.size() / 2]);
  is_busy_ = loss_ > 0 && losses[losses.size() / 5] >= kBusy * loss_;
}

bool CoverAnneal::anneal_part(Cancel& cancel) {
  before_.tree = tree_;
  before_.scores = scores_;
  before_.total = total_;
  turn(cancel);
  const Order part = tree_.draw_ball(kPart, quick_);
  const std::size_t steps = kSteps * part.size();
  const double hot = kHot * std::pow(kHottest / kHot, quick_.uniform());
  const double rate = std::log(kCold / hot) / static_cast<double>(steps);
  double temperature = 0;
  for (std::size_t i = 0; i < steps; ++i) {
    if (i % kEven == 0) {
      cancel.check();
      temperature = loss_ * hot * std::exp(rate * static_cast<double>(i));
    }
    if (!draw_change(part[quick_.below(part.size())])) continue;
    const double gain = weigh(cancel);
    if (gain >= 0 || gain > temperature * std::log(quick_.uniform() + 0x1p-33)) make();
  }
  total_ = 0;
  for (const double score : scores_) total_ += score;
  if (total_ >= before_.total) return true;
  std::swap(tree_, before_.tree);
  std::swap(scores_, before_.scores);
  total_ = before_.total;
  return false;
}

BoundedSnapshot CoverAnneal::network(Cancel& cancel) {
  BoundedSnapshot network{std::vector<Order>(tree_.size()), tree_.elimination_order()};
  for (Vertex v = 0; v < tree_.size(); ++v)
    network.parents[v] = best_family(v, tree_.clique(v), cancel).parents;
  return network;
}

}  // namespace treewright
