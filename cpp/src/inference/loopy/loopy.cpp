#include "treewright/inference/loopy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace treewright {
namespace {

void normalise(std::span<double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  for (double& value : values) value = sum > 0 ? value / sum : 1 / static_cast<double>(values.size());
}

class Messages {
 public:
  explicit Messages(const ScopedTables& product) : product_(product), around_(product.cardinalities.size()) {
    for (std::uint32_t f = 0; f < product.scopes.size(); ++f) {
      starts_.emplace_back();
      for (const std::uint32_t v : product.scopes[f]) {
        starts_.back().push_back(to_variable_.size());
        around_[v].push_back(to_variable_.size());
        to_variable_.insert(to_variable_.end(), product.cardinalities[v], 1.0 / product.cardinalities[v]);
      }
    }
  }

  /// Renew the messages out of one table; the largest change.
  double renew(std::uint32_t f, double damping) {
    const auto& scope = product_.scopes[f];
    gather(f);
    std::vector<std::vector<double>> out(scope.size());
    for (std::size_t k = 0; k < scope.size(); ++k) out[k].assign(product_.cardinalities[scope[k]], 0.0);
    each_cell(f, [&](std::size_t cell, const std::vector<std::uint32_t>& states) {
      double before = product_.tables[f][cell];
      for (std::size_t k = 0; k < scope.size(); ++k) {  // all messages in but the one from k
        double rest = before;
        for (std::size_t l = k + 1; l < scope.size(); ++l) rest *= in_[l][states[l]];
        out[k][states[k]] += rest;
        before *= in_[k][states[k]];
      }
    });
    double largest = 0;
    for (std::size_t k = 0; k < scope.size(); ++k) {
      normalise(out[k]);
      double* const message = to_variable_.data() + starts_[f][k];
      for (std::size_t s = 0; s < out[k].size(); ++s) {
        largest = std::max(largest, std::abs(out[k][s] - message[s]));
        message[s] = damping * message[s] + (1 - damping) * out[k][s];
      }
    }
    return largest;
  }

  std::vector<double> belief(std::uint32_t v) const {
    std::vector<double> out(product_.cardinalities[v], 1.0);
    for (const std::size_t start : around_[v]) {
      for (std::size_t s = 0; s < out.size(); ++s) out[s] *= to_variable_[start + s];
      normalise(out);
    }
    normalise(out);
    return out;
  }

  /// Mean log of a table under its belief plus the entropy of that belief.
  double energy_and_entropy(std::uint32_t f) {
    gather(f);
    std::vector<double> belief(product_.tables[f].size());
    each_cell(f, [&](std::size_t cell, const std::vector<std::uint32_t>& states) {
      belief[cell] = product_.tables[f][cell];
      for (std::size_t k = 0; k < states.size(); ++k) belief[cell] *= in_[k][states[k]];
    });
    normalise(belief);
    double sum = 0;
    for (std::size_t cell = 0; cell < belief.size(); ++cell)
      if (belief[cell] > 0 && product_.tables[f][cell] > 0)
        sum += belief[cell] * (std::log(product_.tables[f][cell]) - std::log(belief[cell]));
    return sum;
  }

  std::size_t degree(std::uint32_t v) const { return around_[v].size(); }

 private:
  // messages from the variables of a table into it
  void gather(std::uint32_t f) {
    const auto& scope = product_.scopes[f];
    in_.resize(scope.size());
    for (std::size_t k = 0; k < scope.size(); ++k) {
      in_[k].assign(product_.cardinalities[scope[k]], 1.0);
      for (const std::size_t start : around_[scope[k]]) {
        if (start == starts_[f][k]) continue;
        for (std::size_t s = 0; s < in_[k].size(); ++s) in_[k][s] *= to_variable_[start + s];
        normalise(in_[k]);
      }
    }
  }

  template <class Visit>
  void each_cell(std::uint32_t f, Visit&& visit) const {
    const auto& scope = product_.scopes[f];
    std::vector<std::uint32_t> states(scope.size());
    for (std::size_t cell = 0; cell < product_.tables[f].size(); ++cell) {
      visit(cell, states);
      for (std::size_t k = scope.size(); k-- > 0;) {
        if (++states[k] < product_.cardinalities[scope[k]]) break;
        states[k] = 0;
      }
    }
  }

  const ScopedTables& product_;
  std::vector<std::vector<std::size_t>> starts_, around_;  // of messages: per table, per variable
  std::vector<double> to_variable_;
  std::vector<std::vector<double>> in_;
};

}  // namespace

LoopyBeliefs propagate_loopily(const ScopedTables& product, std::span<const std::uint32_t> order,
                               const LoopySettings& settings, Cancel& cancel) {
  product.validate();
  Messages messages(product);
  LoopyBeliefs out;
  out.residual = std::numeric_limits<double>::infinity();
  while (out.sweeps < settings.most_sweeps && !(out.residual <= settings.tolerance)) {
    out.residual = 0;
    for (const std::uint32_t f : order) {
      cancel.check();
      out.residual = std::max(out.residual, messages.renew(f, settings.damping));
    }
    ++out.sweeps;
  }
  for (const std::uint32_t f : order) out.log_partition += messages.energy_and_entropy(f);
  for (std::uint32_t v = 0; v < product.cardinalities.size(); ++v) {
    const std::vector<double> belief = messages.belief(v);
    for (const double share : belief)
      if (share > 0)
        out.log_partition += (static_cast<double>(messages.degree(v)) - 1) * share * std::log(share);
    out.marginals.insert(out.marginals.end(), belief.begin(), belief.end());
  }
  return out;
}

}  // namespace treewright
