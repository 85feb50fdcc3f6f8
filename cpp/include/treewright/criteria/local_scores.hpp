// What a native search asks of a score, whoever answers: the core, a matrix of moments or Python.
//
// Variables are *vertices* here: numbered by the rank of their names. A search that breaks ties by number
// then breaks them by name, and its result cannot depend on the order of the columns.
//
// Scores are doubles on a grid, multiples of `resolution()`: differences of a few of them are exact, so moves
// that the score cannot tell apart tie to the last bit, and "improves" means more than `least_gain()`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "treewright/counting/packed.hpp"
#include "treewright/criteria/scores.hpp"
#include "treewright/gaussian/gaussian.hpp"
#include "treewright/graphs/dag.hpp"
#include "treewright/graphs/fingerprints.hpp"
#include "treewright/parallel/cancel.hpp"

namespace treewright {

using VertexSet = std::span<const Vertex>;

/// How much was asked, and how much of that had to be counted.
struct ScoreTally {
  std::uint64_t families = 0;  // local scores handed out
  std::uint64_t sets = 0;      // tables counted one by one
  std::uint64_t passes = 0;    // a child against all candidates, in one pass over the rows
  std::uint64_t tables = 0;    // counted in either way, pairs left out

  void add(const ScoreTally& other) {
    families += other.families, sets += other.sets, passes += other.passes, tables += other.tables;
  }
};

/// Decomposable scores of families. Not for several threads at once, since answers may be remembered: each
/// works with a branch, which knows what its trunk knows and keeps to itself what it learns until it is
/// joined.
class LocalScores {
 public:
  LocalScores() = default;
  LocalScores(const LocalScores&) = delete;
  LocalScores& operator=(const LocalScores&) = delete;
  virtual ~LocalScores() = default;

  virtual std::size_t size() const = 0;
  virtual bool is_score_equivalent() const = 0;
  virtual double resolution() const = 0;
  /// Gains up to this mean nothing: 0 where scores are exact, a few units where they carry rounding.
  virtual double least_gain() const { return 0; }

  virtual double local(Vertex child, VertexSet parents, Cancel& cancel) = 0;
  /// out[i] = local(child, parents + candidates[i]); returns local(child, parents).
  virtual double additions(Vertex child, VertexSet parents, VertexSet candidates, std::span<double> out,
                           Cancel& cancel) = 0;
  /// out[i] = local(child, parents - parents[i]); returns local(child, parents).
  virtual double deletions(Vertex child, VertexSet parents, std::span<double> out, Cancel& cancel) = 0;
  /// Additions and deletions in one question: what a search asks when a child got other parents.
  virtual double around(Vertex child, VertexSet parents, VertexSet candidates, std::span<double> with,
                        std::span<double> without, Cancel& cancel) {
    if (!parents.empty()) deletions(child, parents, without, cancel);
    return additions(child, parents, candidates, with, cancel);
  }
  /// gains[parent * n + child]: what one parent adds to a child without parents; 0 on the diagonal.
  virtual std::vector<double> pair_gains(Cancel& cancel) = 0;

  /// The family costs more than any fit could return, so a search need not ask for it.
  virtual bool is_hopeless(Vertex, VertexSet) const { return false; }
  /// None of the candidates can raise the score of a family that scores `own`, whatever the data say.
  virtual bool is_exhausted(Vertex /*child*/, VertexSet /*parents*/, VertexSet /*candidates*/,
                            double /*own*/) const {
    return false;
  }
  /// From so many candidates on, all candidates of a child cost no more than these.
  virtual std::size_t full_batch() const { return ~std::size_t{0}; }
  /// Every question is a journey: whoever remembers gains by child and base asks for all of them at once.
  virtual bool prefers_rows() const { return false; }

  /// For another thread, as long as this one neither answers nor goes away; null where one thread is all that
  /// there can be.
  virtual std::unique_ptr<LocalScores> branch() const { return nullptr; }
  /// Take over what a branch of this one learned; it begins anew.
  void join(LocalScores& branch) {
    tally_.add(branch.tally_);
    take_over(branch);
    branch.forget();
  }
  /// Nothing is remembered any more, as if nothing had been asked.
  void forget() {
    tally_ = {};
    forget_answers();
  }

  const ScoreTally& tally() const { return tally_; }

 protected:
  virtual void take_over(LocalScores& /*branch*/) {}
  virtual void forget_answers() {}

  ScoreTally tally_;
};

/// What discrete scores share, whoever counts for them: a value of every set of variables, and prices.
class DiscreteScores : public LocalScores {
 public:
  std::size_t size() const override { return order_.size(); }
  bool is_score_equivalent() const override { return score_.settings().kind != ScoreKind::k2; }
  double resolution() const override;
  bool is_hopeless(Vertex child, VertexSet parents) const override;
  bool is_exhausted(Vertex child, VertexSet parents, VertexSet candidates, double own) const override;

  const std::vector<std::uint32_t>& order() const { return order_; }

 protected:
  /// `order[v]` is the column of vertex v, `states` how many states each column has; `edge_price` is what
  /// every parent costs beside the score, and `pair_prices`, if there are any, what certain pairs cost beyond
  /// (by vertex, a symmetric matrix): all of them multiples of the resolution.
  DiscreteScores(FamilyScore score, double edge_price, std::vector<std::uint32_t> order,
                 const std::vector<std::uint32_t>& states, std::vector<double> pair_prices);
  DiscreteScores(const DiscreteScores* trunk)
      : score_(trunk->score_),
        edge_price_(trunk->edge_price_),
        pair_prices_(trunk->pair_prices_),
        order_(trunk->order_),
        states_(trunk->states_),
        prints_(trunk->prints_) {}

  double states(Vertex v) const { return states_[v]; }
  double cells(VertexSet set) const;
  double price(Vertex child, Vertex parent) const {
    return pair_prices_ ? edge_price_ + (*pair_prices_)[child * order_.size() + parent] : edge_price_;
  }
  double price(Vertex child, VertexSet parents) const {
    if (!pair_prices_) return edge_price_ * static_cast<double>(parents.size());
    double sum = 0;
    for (const Vertex parent : parents) sum += price(child, parent);
    return sum;
  }
  bool has_prices() const { return edge_price_ != 0 || pair_prices_; }

  FamilyScore score_;
  double edge_price_;
  std::shared_ptr<const std::vector<double>> pair_prices_;  // null: none
  std::vector<std::uint32_t> order_, states_;
  Fingerprints prints_;
};

/// Discrete scores, counted natively. Set functions are remembered by set, so that families which share a
/// set count it once; those of a set with each other vertex are remembered as rows, so that a child with its
/// parents and a parent with the child in its place share a pass over the rows.
class PackedScores final : public DiscreteScores {
 public:
  PackedScores(std::shared_ptr<const PackedTable> table, ScoreSettings settings, double edge_price,
               std::vector<std::uint32_t> order, std::vector<double> pair_prices = {});

  // sums of real weights depend on their order, so a set that is counted in two ways may differ by a step
  double least_gain() const override { return table_->is_real() ? 4 * resolution() : 0; }
  double local(Vertex child, VertexSet parents, Cancel& cancel) override;
  double additions(Vertex child, VertexSet parents, VertexSet candidates, std::span<double> out,
                   Cancel& cancel) override;
  double deletions(Vertex child, VertexSet parents, std::span<double> out, Cancel& cancel) override;
  double around(Vertex child, VertexSet parents, VertexSet candidates, std::span<double> with,
                std::span<double> without, Cancel& cancel) override;
  std::vector<double> pair_gains(Cancel& cancel) override;
  std::size_t full_batch() const override;
  std::unique_ptr<LocalScores> branch() const override;

  const PackedTable& table() const { return *table_; }

 private:
  std::vector<std::uint32_t> columns(VertexSet set) const;
  double set_value(VertexSet set, const Fingerprint& print, Vertex child_of_parents, Cancel& cancel);
  double count_set(VertexSet set, double states_of_child, Cancel& cancel) const;

  struct SetRow {
    double own;
    std::vector<double> with;  // by vertex; 0 for members of the set
  };
  struct Memory {
    FingerprintMap<double> values;
    FingerprintMap<std::uint32_t> places;
    std::vector<SetRow> rows;
    const SetRow* row(const Fingerprint& print) const {
      const std::uint32_t* place = places.find(print);
      return place ? &rows[*place] : nullptr;
    }
    void forget_rows() { places.clear(), rows.clear(); }
  };
  explicit PackedScores(const PackedScores* trunk);
  void take_over(LocalScores& branch) override;
  void forget_answers() override;
  bool remembers_rows(VertexSet parents, VertexSet candidates) const;
  const double* known_value(const Fingerprint& print) const;
  const SetRow* known_row(const Fingerprint& print) const;
  void count_rows(Vertex child, VertexSet parents, Cancel& cancel);
  void put_row(const Fingerprint& print, double own, VertexSet others, const std::vector<double>& with);
  double additions_from_sets(Vertex child, VertexSet parents, VertexSet candidates, std::span<double> out,
                             Cancel& cancel);
  double additions_from_rows(Vertex child, VertexSet parents, VertexSet candidates, std::span<double> out,
                             Cancel& cancel);

  std::shared_ptr<const PackedTable> table_;
  Memory memory_;
  const Memory* trunk_ = nullptr;  // of a branch: what was known when it began
};

/// Gaussian BIC; its variables are in name order already.
class GaussianScores final : public LocalScores {
 public:
  /// `edge_price` is what every parent costs beside the score, a multiple of the resolution.
  explicit GaussianScores(std::shared_ptr<const gaussian::GaussianScore> score, double edge_price = 0)
      : score_(std::move(score)), edge_price_(edge_price) {}

  std::size_t size() const override { return score_->size(); }
  bool is_score_equivalent() const override { return true; }
  double resolution() const override { return score_->unit(); }
  double local(Vertex child, VertexSet parents, Cancel& cancel) override;
  double additions(Vertex child, VertexSet parents, VertexSet candidates, std::span<double> out,
                   Cancel& cancel) override;
  double deletions(Vertex child, VertexSet parents, std::span<double> out, Cancel& cancel) override;
  std::vector<double> pair_gains(Cancel& cancel) override;
  std::unique_ptr<LocalScores> branch() const override {
    return std::make_unique<GaussianScores>(score_, edge_price_);
  }

 private:
  double price(std::size_t n_parents) const { return edge_price_ * static_cast<double>(n_parents); }

  std::shared_ptr<const gaussian::GaussianScore> score_;
  double edge_price_;
};

}  // namespace treewright
