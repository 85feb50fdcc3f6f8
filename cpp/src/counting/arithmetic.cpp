#include "treewright/counting/arithmetic.hpp"

#include <algorithm>
#include <list>
#include <tuple>

#include "parallel/log_gamma.hpp"
#include "treewright/parallel/fork_mutex.hpp"

namespace treewright {
namespace {

// Tables by (alpha, scale); few alphas occur in a search, one per table size. The oldest leaves first.
class TableCache {
 public:
  CellTerm::Table get(double alpha, FixedPoint scale, std::int64_t largest) {
    const std::size_t size = static_cast<std::size_t>(std::min(largest, kTabulated - 1)) + 1;
    const ForkLock lock(mutex_, [&] { begin_anew(entries_, order_); });
    const Key key{alpha, scale.bits()};
    const auto found = entries_.find(key);
    if (found != entries_.end() && found->second.table->size() >= size) {
      order_.splice(order_.begin(), order_, found->second.position);
      return found->second.table;
    }
    // double at least, so that growing costs no more than the final table
    const std::size_t grown =
        found == entries_.end()
            ? size
            : std::min<std::size_t>(std::max(size, 2 * found->second.table->size()), kTabulated);
    auto table = std::make_shared<const std::vector<std::int64_t>>(build(alpha, scale, grown));
    if (found != entries_.end()) {
      found->second.table = table;
      order_.splice(order_.begin(), order_, found->second.position);
      return table;
    }
    order_.push_front(key);
    entries_.emplace(key, Entry{table, order_.begin()});
    if (entries_.size() > kTables) {
      entries_.erase(order_.back());
      order_.pop_back();
    }
    return table;
  }

 private:
  using Key = std::tuple<double, int>;
  struct Entry {
    CellTerm::Table table;
    std::list<Key>::iterator position;
  };
  static constexpr std::size_t kTables = 64;

  static std::vector<std::int64_t> build(double alpha, FixedPoint scale, std::size_t size) {
    std::vector<std::int64_t> table(size, 0);
    if (alpha == 0) {
      for (std::size_t n = 2; n < size; ++n)
        table[n] = scale.quantise(static_cast<double>(n) * std::log(static_cast<double>(n)));
      return table;
    }
    // ln Gamma(alpha + n) - ln Gamma(alpha) as a compensated running sum of logarithms: as exact as lgamma,
    // faster
    double sum = 0, lost = 0;
    for (std::size_t n = 1; n < size; ++n) {
      const double term = std::log(alpha + static_cast<double>(n - 1)) - lost;
      const double next = sum + term;
      lost = (next - sum) - term;
      sum = next;
      table[n] = scale.quantise(sum);
    }
    return table;
  }

  ForkMutex mutex_;
  std::map<Key, Entry> entries_;
  std::list<Key> order_;
};

TableCache shared_tables;

}  // namespace

double CellTerm::formula(double n) const {
  if (alpha_ == 0) return n * std::log(n);
  return log_gamma(alpha_ + n) - log_gamma(alpha_);
}

CellTerm CellTerm::x_log_x(FixedPoint scale, std::int64_t largest) {
  return {0, scale, shared_tables.get(0, scale, largest)};
}

CellTerm CellTerm::log_rising(double alpha, FixedPoint scale, std::int64_t largest) {
  return {alpha, scale, shared_tables.get(alpha, scale, largest)};
}

FixedPoint x_log_x_scale(double n_rows) { return FixedPoint(n_rows * std::log(n_rows + 2)); }

}  // namespace treewright
