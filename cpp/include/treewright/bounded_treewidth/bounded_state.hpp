// A network under a width bound, with the proof that it keeps it.
//
// The proof is an elimination order whose width on the *present* moral graph is within the bound. It is
// carried through every change: a family that loses parents keeps it, a family that gains some keeps it if it
// still holds or takes the order that the width test found. It is never derived from the final graph, where a
// test that guesses might fail.
//
// An edge of the moral graph is there as long as some family holds both its ends; the number of such families
// is kept for every pair, so that trying a change and taking it back cost the square of a family's size.
#pragma once

#include <vector>

#include "treewright/bounded_treewidth/family_columns.hpp"
#include "treewright/graphs/order_test.hpp"
#include "treewright/graphs/width_test.hpp"

namespace treewright {

struct FamilyChange {
  Vertex child;
  Order parents;  // rising
};

/// All families with their proof.
struct BoundedSnapshot {
  std::vector<Order> parents;
  Order order;
};

/// What whoever remembers moves has to look at again.
struct BoundedChanges {
  Order children;              // their families are others
  Order freed;                 // members of families that shrank: what was refused to them may fit now
  std::vector<Word> loosened;  // vertices that may have lost descendants
};

class BoundedState {
 public:
  /// Throws std::invalid_argument unless `order` proves that the start is within the bound.
  BoundedState(FamilyColumns& columns, const DagBuilder& start, Order order, std::size_t bound,
               Cancel& cancel);

  std::size_t size() const { return parents_.size(); }
  std::size_t bound() const { return bound_; }
  FamilyColumns& columns() { return columns_; }
  const ArcRules& rules() const { return columns_.rules(); }
  const DagBuilder& dag() const { return dag_; }
  const BitMatrix& moral() const { return moral_; }
  const Order& order() const { return order_; }
  /// The bags of the cover that the order makes, as what each vertex is joined to when it goes.
  const OrderTest& bags();
  const Order& parents(Vertex v) const { return parents_[v]; }
  double score(Vertex v) const { return scores_[v]; }
  double total() const;
  const FamilyColumn& column(Vertex v, Cancel& cancel);

  /// Make these changes, none of which closes a cycle, if the width allows it; otherwise change nothing.
  bool change(const std::vector<FamilyChange>& changes, Cancel& cancel);
  /// Leave parents out: always within the bound.
  void shrink(Vertex child, Order parents, Cancel& cancel);
  /// All families anew, with their own proof.
  void adopt(const BoundedSnapshot& snapshot, Cancel& cancel);
  BoundedSnapshot snapshot() const { return {parents_, order_}; }
  /// Look for a new proof; the old one stays if there is none.
  void renew_order(Cancel& cancel);
  /// Look for proofs of smaller and smaller width, down to where there is none.
  void narrow(Cancel& cancel);

  /// Where safe rules do not decide, how often to guess a new order from now on; after that only the one at
  /// hand may prove a change, which is much quicker.
  void let_guess(std::uint64_t times) { guesses_left_ = times; }
  static constexpr std::uint64_t kAlways = ~std::uint64_t{0};

  /// From now on remember what families were; `roll_back` makes them so again, as if nothing had been: what
  /// was refused in between is forgotten by whoever refused it.
  void remember();
  void roll_back(Cancel& cancel);

  /// What has changed since that was forgotten last.
  const BoundedChanges& changes() const { return changes_; }
  void forget_changes();

  /// Counts changes; `shrunk_at` says when a family that held v last lost something.
  std::uint32_t clock() const { return clock_; }
  std::uint32_t shrunk_at(Vertex v) const { return shrunk_at_[v]; }
  std::uint32_t last_shrink() const { return last_shrink_; }  // of any family
  std::uint64_t n_tests() const { return n_tests_; }
  std::uint64_t n_refused() const { return n_refused_; }

  /// Throws std::logic_error unless everything kept agrees with what is counted anew.
  void check(Cancel& cancel);
  /// Check after every change from now on.
  void check_always() { checks_ = true; }

 private:
  struct Remembered {
    Vertex child;
    Order parents;
  };

  void add_to_moral(Vertex child, const Order& parents);
  void take_from_moral(Vertex child, const Order& parents);
  void note_edge(Vertex u, Vertex v) { test_.toggle(u, v), order_test_.touch(u, v); }
  void loosen(Vertex from);
  void replace(const std::vector<FamilyChange>& changes, Cancel& cancel);
  void stamp(Vertex child);
  bool within_bound(Cancel& cancel);
  bool holds() { return order_test_.holds(moral_); }
  void set_order(Order order);
  void become(const std::vector<FamilyChange>& changes, const Order& order, Cancel& cancel);

  FamilyColumns& columns_;
  std::size_t bound_;
  DagBuilder dag_;
  std::vector<Order> parents_;
  std::vector<double> scores_;
  std::vector<ColumnPointer> column_of_;
  BitMatrix moral_;
  WidthTest test_;
  OrderTest order_test_;
  std::vector<std::uint32_t> families_;  // u * n + v: how many hold both
  Order order_;
  BoundedChanges changes_;
  std::vector<Remembered> remembered_;
  std::vector<char> is_remembered_;
  std::vector<std::pair<Vertex, std::uint32_t>> remembered_stamps_;
  std::uint32_t remembered_shrink_ = 0;
  Order remembered_order_;
  bool remembers_ = false, checks_ = false;
  std::uint64_t guesses_left_ = kAlways;
  std::vector<std::uint32_t> shrunk_at_;
  std::uint32_t clock_ = 1, last_shrink_ = 1;
  std::uint64_t n_tests_ = 0, n_refused_ = 0;
};

}  // namespace treewright
