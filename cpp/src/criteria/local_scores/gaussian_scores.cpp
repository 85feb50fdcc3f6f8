// Local scores of a matrix of moments.
#include "treewright/criteria/local_scores.hpp"

namespace treewright {
namespace {

gaussian::Family family_of(Vertex child, VertexSet parents) {
  return {child, std::vector<gaussian::Rank>(parents.begin(), parents.end())};
}

}  // namespace

double GaussianScores::local(Vertex child, VertexSet parents, Cancel& cancel) {
  ++tally_.families;
  const gaussian::Family family = family_of(child, parents);
  return score_->local_many(std::span(&family, 1), cancel).scores.front() - price(parents.size());
}

double GaussianScores::additions(Vertex child, VertexSet parents, VertexSet candidates, std::span<double> out,
                                 Cancel& cancel) {
  tally_.families += candidates.size();
  const auto values = score_->local_additions(family_of(child, parents), candidates, cancel);
  for (std::size_t i = 0; i < candidates.size(); ++i) out[i] = values.scores[i] - price(parents.size() + 1);
  return local(child, parents, cancel);
}

double GaussianScores::deletions(Vertex child, VertexSet parents, std::span<double> out, Cancel& cancel) {
  std::vector<gaussian::Family> families(parents.size() + 1, family_of(child, parents));
  for (std::size_t i = 0; i < parents.size(); ++i)
    families[i].second.erase(families[i].second.begin() + static_cast<std::ptrdiff_t>(i));
  tally_.families += families.size();
  const auto values = score_->local_many(families, cancel);
  for (std::size_t i = 0; i < parents.size(); ++i) out[i] = values.scores[i] - price(parents.size() - 1);
  return values.scores.back() - price(parents.size());
}

std::vector<double> GaussianScores::pair_gains(Cancel& cancel) {
  const std::size_t n = size();
  std::vector<double> gains(n * n, 0.0), with(n);
  for (Vertex child = 0; child < n; ++child) {
    std::vector<Vertex> others;
    for (Vertex v = 0; v < n; ++v)
      if (v != child) others.push_back(v);
    const double own = additions(child, {}, others, with, cancel);
    for (std::size_t i = 0; i < others.size(); ++i) gains[others[i] * n + child] = with[i] - own;
  }
  return gains;
}

}  // namespace treewright
