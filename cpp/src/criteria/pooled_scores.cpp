#include "treewright/criteria/pooled_scores.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

namespace treewright {
namespace {

// A family that no table has: far below everything else, and finite, so that differences are.
constexpr double kNowhere = -1e300;

}  // namespace

PooledScores::PooledScores(std::vector<TableSet> tables, std::vector<double> rows, double scale,
                           double resolution, double least_gain, Maker make)
    : tables_(std::move(tables)),
      rows_(std::move(rows)),
      scale_(scale),
      resolution_(resolution),
      least_gain_(least_gain),
      make_(std::move(make)) {
  if (rows_.size() > 64) throw std::invalid_argument("at most 64 tables are told apart");
  if (!(resolution > 0)) throw std::invalid_argument("scores are counted in steps above 0");
}

const ScoredPart& PooledScores::part(TableSet tables) {
  const auto found = parts_.find(tables);
  return found != parts_.end() ? found->second : parts_.emplace(tables, make_(tables)).first->second;
}

double PooledScores::rows_of(TableSet tables) const {
  double sum = 0;
  for (std::size_t t = 0; t < rows_.size(); ++t)
    if (tables >> t & 1) sum += rows_[t];
  return sum;
}

std::vector<Vertex> PooledScores::inside(const ScoredPart& part, VertexSet set) const {
  std::vector<Vertex> out;
  out.reserve(set.size());
  for (const Vertex v : set) out.push_back(part.place[v]);
  return out;
}

double PooledScores::in_part(const ScoredPart& part, Vertex child, VertexSet parents, Cancel& cancel) const {
  return part.scores->local(part.place[child], inside(part, parents), cancel);
}

double PooledScores::rounded(double value) const { return std::nearbyint(value / resolution_) * resolution_; }

double PooledScores::steps(Vertex child, VertexSet parents, Cancel& cancel) {
  TableSet tables = tables_[child];
  std::vector<Vertex> left(parents.begin(), parents.end()), taken;
  double total = 0;
  for (bool first = true;; first = false) {
    const std::vector<Vertex> before = taken;
    std::erase_if(left, [&](Vertex p) {
      if ((tables & tables_[p]) != tables) return false;
      taken.insert(std::ranges::upper_bound(taken, p), p);
      return true;
    });
    const ScoredPart& here = part(tables);
    double gain = in_part(here, child, taken, cancel);
    if (!first) gain -= in_part(here, child, before, cancel);
    total += gain * weight(here);
    if (left.empty()) return total;
    // the parent that keeps most rows; of several the first by name
    const Vertex next = *std::ranges::max_element(left, [&](Vertex a, Vertex b) {
      const double rows_a = rows_of(tables & tables_[a]), rows_b = rows_of(tables & tables_[b]);
      return rows_a != rows_b ? rows_a < rows_b : a > b;
    });
    tables &= tables_[next];
    if (tables == 0) return kNowhere;
  }
}

double PooledScores::local(Vertex child, VertexSet parents, Cancel& cancel) {
  ++tally_.families;
  TableSet tables = tables_[child];
  for (const Vertex p : parents) tables &= tables_[p];
  return tables == 0 ? kNowhere : rounded(steps(child, parents, cancel));
}

// As long as the family lies in all tables of the child, a further parent is one more step at most: the
// candidates of one set of tables are asked for in one question.
double PooledScores::additions(Vertex child, VertexSet parents, VertexSet candidates, std::span<double> out,
                               Cancel& cancel) {
  const TableSet own = tables_[child];
  TableSet tables = own;
  for (const Vertex p : parents) tables &= tables_[p];
  std::map<TableSet, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < candidates.size(); ++i) groups[tables & tables_[candidates[i]]].push_back(i);
  tally_.families += candidates.size();
  for (const auto& [where, members] : groups) {
    if (where == 0 || tables != own) {
      std::vector<Vertex> family;
      for (const std::size_t i : members) {
        family.assign(parents.begin(), parents.end());
        family.insert(std::ranges::upper_bound(family, candidates[i]), candidates[i]);
        out[i] = where == 0 ? kNowhere : rounded(steps(child, family, cancel));
      }
      continue;
    }
    const ScoredPart& here = part(where);
    std::vector<Vertex> asked;
    for (const std::size_t i : members) asked.push_back(here.place[candidates[i]]);
    std::vector<double> found(asked.size());
    const double without =
        here.scores->additions(here.place[child], inside(here, parents), asked, found, cancel);
    const double base = where == own ? 0 : steps(child, parents, cancel) - without * weight(here);
    for (std::size_t k = 0; k < members.size(); ++k)
      out[members[k]] = rounded(base + found[k] * weight(here));
  }
  return local(child, parents, cancel);
}

double PooledScores::deletions(Vertex child, VertexSet parents, std::span<double> out, Cancel& cancel) {
  std::vector<Vertex> fewer(parents.begin(), parents.end());
  for (std::size_t i = 0; i < parents.size(); ++i) {
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    out[i] = local(child, fewer, cancel);
    fewer.insert(fewer.begin() + static_cast<std::ptrdiff_t>(i), parents[i]);
  }
  return local(child, parents, cancel);
}

std::vector<double> PooledScores::pair_gains(Cancel& cancel) {
  const std::size_t n = size();
  std::vector<double> gains(n * n, 0.0), out(n);
  for (Vertex child = 0; child < n; ++child) {
    cancel.check();
    std::vector<Vertex> others;
    for (Vertex v = 0; v < n; ++v)
      if (v != child) others.push_back(v);
    const double own = additions(child, {}, others, std::span(out).first(others.size()), cancel);
    for (std::size_t i = 0; i < others.size(); ++i) gains[others[i] * n + child] = out[i] - own;
  }
  return gains;
}

}  // namespace treewright
