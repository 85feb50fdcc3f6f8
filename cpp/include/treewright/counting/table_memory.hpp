// Tables that were counted, remembered for searches that ask for the same sets and for parts of them.
//
// A question names many sets; what is known is looked up, what lies inside a table that is known or asked for
// is added up, and the rest is asked of the source in one round. A source may be packed rows, a database, a
// cluster or a file of tables that were counted before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "treewright/counting/packed.hpp"
#include "treewright/counting/sparse_counts.hpp"
#include "treewright/graphs/fingerprints.hpp"
#include "treewright/parallel/fork_mutex.hpp"

namespace treewright {

/// The counts of a set of columns, which rise: all cells in C order or, where `is_sparse`, the occupied ones.
struct CountTable {
  std::vector<std::uint32_t> scope;
  bool is_sparse = false;
  std::vector<std::int64_t> codes, counts;  // no codes where all cells are there

  std::size_t bytes() const { return 8 * (codes.size() + counts.size()) + 4 * scope.size(); }
};
using TablePtr = std::shared_ptr<const CountTable>;

/// Whoever can count. Scopes rise; every call is a round, so each should hold all that is wanted.
class TableSource {
 public:
  virtual ~TableSource() = default;

  virtual const std::vector<std::uint32_t>& cardinalities() const = 0;
  /// Rows, or the sum of their weights.
  virtual std::int64_t total() const = 0;
  /// All cells of each scope.
  virtual std::vector<std::vector<std::int64_t>> count(const std::vector<std::vector<std::uint32_t>>& scopes,
                                                       Cancel& cancel) = 0;
  /// The occupied cells of each scope, fewer than 2^63 in all.
  virtual std::vector<SparseTable<std::int64_t>> count_sparse(
      const std::vector<std::vector<std::uint32_t>>& scopes, Cancel& cancel) = 0;
  /// Whether a round costs so much that it pays to ask for more than is wanted now.
  virtual bool is_far() const { return true; }
  /// Passes over rows so far, where the source knows.
  virtual std::uint64_t passes() const { return 0; }
};

/// Packed rows; tables of a round are counted in passes that they share.
class PackedSource final : public TableSource {
 public:
  explicit PackedSource(std::shared_ptr<const PackedTable> table);

  const std::vector<std::uint32_t>& cardinalities() const override { return table_->cardinalities(); }
  std::int64_t total() const override { return table_->total(); }
  std::vector<std::vector<std::int64_t>> count(const std::vector<std::vector<std::uint32_t>>& scopes,
                                               Cancel& cancel) override;
  std::vector<SparseTable<std::int64_t>> count_sparse(const std::vector<std::vector<std::uint32_t>>& scopes,
                                                      Cancel& cancel) override;
  std::uint64_t passes() const override { return passes_; }

 private:
  std::shared_ptr<const PackedTable> table_;
  std::uint64_t passes_ = 0;
};

struct MemoryTally {
  std::uint64_t rounds = 0;  // questions that reached the source
  std::uint64_t tables = 0;  // that it was asked for
};

class TableMemory {
 public:
  static constexpr std::size_t kDefaultBytes = std::size_t{256} << 20;

  explicit TableMemory(std::shared_ptr<TableSource> source, std::size_t most_bytes = kDefaultBytes);

  const TableSource& source() const { return *source_; }
  const MemoryTally& tally() const { return tally_; }
  std::size_t bytes() const { return bytes_; }
  double cells(std::span<const std::uint32_t> scope) const;
  /// Sets of columns, each rising; one table for each, which stays as long as it is held. At most one round
  /// for tables of few cells, and one for others.
  std::vector<TablePtr> tables(const std::vector<std::vector<std::uint32_t>>& sets, Cancel& cancel);

 private:
  struct Kept {
    TablePtr table;
    std::list<Fingerprint>::iterator place;
  };
  struct Hash {
    std::size_t operator()(const Fingerprint& print) const { return print.low; }
  };
  template <class Value>
  using PrintMap = std::unordered_map<Fingerprint, Value, Hash>;

  bool is_dense(std::span<const std::uint32_t> scope) const;
  bool can_be_added_up(const CountTable& larger) const;
  TablePtr recall(const std::vector<std::uint32_t>& set, const Fingerprint& print);
  TablePtr keep(CountTable&& table, const Fingerprint& print);
  TablePtr keep_part(CountTable&& table, const Fingerprint& print);
  CountTable part_of(const CountTable& larger, const std::vector<std::uint32_t>& set) const;
  void count(const std::vector<std::vector<std::uint32_t>>& sets, std::vector<TablePtr>& out, Cancel& cancel);
  void forget_oldest();

  std::shared_ptr<TableSource> source_;
  std::size_t most_bytes_, bytes_ = 0;
  Fingerprints prints_;
  PrintMap<Kept> kept_;
  PrintMap<Fingerprint> larger_;  // of a set: the smallest table known that has one or two variables more
  std::list<Fingerprint> by_age_;
  MemoryTally tally_;
  ForkMutex mutex_;  // of one question at a time
};

}  // namespace treewright
