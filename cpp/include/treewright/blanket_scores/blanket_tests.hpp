// Is a variable independent of the others given its blanket? The questions of scores that judge blankets.
//
// All questions of one owner share its blanket, so they are asked together: rows are grouped once by the
// blanket and the owner, and every other variable is counted against the groups. Members of the blanket are
// tested given the rest of it, all from one table of the blanket and the owner.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "treewright/counting/packed.hpp"
#include "treewright/criteria/independence.hpp"
#include "treewright/graphs/fingerprints.hpp"
#include "treewright/parallel/fork_mutex.hpp"

namespace treewright {

/// What one owner asks; vertices are numbered by the rank of their names, sets rise.
struct OwnerQuestions {
  Vertex owner;
  std::vector<Vertex> blanket;
  std::vector<Vertex> outsiders;           // owner against each, given the blanket
  std::vector<Vertex> members;             // owner against each, given the rest of the blanket
  std::vector<Posterior> outside, inside;  // the answers
};

struct BlanketTestSettings {
  PosteriorSettings test;
  bool matched = false;  // alpha = gamma r_y, beta = gamma r_x: margins of the joint prior

  PosteriorSettings between(std::size_t r_x, std::size_t r_y) const {
    PosteriorSettings out = test;
    if (matched) {
      out.alpha = test.gamma * static_cast<double>(r_y);
      out.beta = test.gamma * static_cast<double>(r_x);
    }
    return out;
  }
  bool is_symmetric() const { return matched || test.alpha == test.beta; }
};

/// Somebody who tests; answers do not depend on who else is asked in the same call.
class BlanketTests {
 public:
  BlanketTests() = default;
  BlanketTests(const BlanketTests&) = delete;
  BlanketTests& operator=(const BlanketTests&) = delete;
  virtual ~BlanketTests() = default;

  virtual std::size_t size() const = 0;
  virtual std::uint32_t cardinality(Vertex v) const = 0;
  virtual double n_rows() const = 0;
  /// Whether owner and partner may change places.
  virtual bool is_symmetric() const = 0;
  virtual void answer(std::span<OwnerQuestions> asked, Cancel& cancel) = 0;
};

/// Tests of packed rows: bit masks while groups are few, one grouped pass when they are many.
class PackedBlanketTests final : public BlanketTests {
 public:
  /// `order[v]` is the column of vertex v.
  PackedBlanketTests(std::shared_ptr<const PackedTable> table, BlanketTestSettings settings,
                     std::vector<std::uint32_t> order);
  ~PackedBlanketTests() override;

  std::size_t size() const override { return order_.size(); }
  std::uint32_t cardinality(Vertex v) const override { return table_->cardinality(order_[v]); }
  double n_rows() const override { return table_->real_total(); }
  bool is_symmetric() const override { return settings_.is_symmetric(); }
  void answer(std::span<OwnerQuestions> asked, Cancel& cancel) override;

 private:
  class Workspace;
  std::unique_ptr<Workspace> borrow();
  void give_back(std::unique_ptr<Workspace> workspace);

  std::shared_ptr<const PackedTable> table_;
  BlanketTestSettings settings_;
  std::vector<std::uint32_t> order_;
  ForkMutex mutex_;
  std::vector<std::unique_ptr<Workspace>> idle_;
};

/// Tests that are remembered, up to a bound; then all are forgotten. Not for several threads at once.
class RememberedTests {
 public:
  explicit RememberedTests(std::shared_ptr<BlanketTests> inner)
      : inner_(std::move(inner)), prints_(inner_->size(), 3) {}

  /// Answer what is known, ask for the rest.
  void answer(std::vector<OwnerQuestions>& asked, Cancel& cancel);

  BlanketTests& inner() { return *inner_; }
  std::size_t size() const { return inner_->size(); }
  std::uint64_t asked() const { return asked_; }
  std::uint64_t fresh() const { return fresh_; }
  /// For whoever shares the memory.
  ForkLock locked() {
    return {mutex_, [&] { begin_anew(known_, asked_, fresh_); }};
  }

 private:
  Fingerprint key(Vertex owner, Vertex partner, const Fingerprint& given) const;

  std::shared_ptr<BlanketTests> inner_;
  Fingerprints prints_;
  FingerprintMap<Posterior> known_;
  std::uint64_t asked_ = 0, fresh_ = 0;
  ForkMutex mutex_;
};

}  // namespace treewright
