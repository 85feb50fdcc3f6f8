#include "treewright/efficient_markov/set_information.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace treewright {
namespace {

using Weighted = std::pair<std::uint64_t, double>;

/// Equal codes made one, in rising order.
void merge_equal(std::vector<Weighted>& codes) {
  std::stable_sort(codes.begin(), codes.end(),
                   [](const Weighted& a, const Weighted& b) { return a.first < b.first; });
  std::size_t kept = 0;
  for (std::size_t k = 0; k < codes.size(); ++k) {
    if (kept && codes[kept - 1].first == codes[k].first)
      codes[kept - 1].second += codes[k].second;
    else
      codes[kept++] = codes[k];
  }
  codes.resize(kept);
}

}  // namespace

Cut least_cut(std::size_t n, const std::function<double(std::uint32_t)>& value) {
  std::vector<std::uint32_t> groups;
  for (std::size_t i = 0; i < n; ++i) groups.push_back(std::uint32_t{1} << i);
  Cut best{1, std::numeric_limits<double>::infinity()};
  while (groups.size() > 1) {
    // order: each next group is the one that the union so far keeps cheapest
    std::vector<std::uint32_t> order{groups[0]}, left(groups.begin() + 1, groups.end());
    std::uint32_t joined = groups[0];
    while (!left.empty()) {
      std::size_t next = 0;
      double least = std::numeric_limits<double>::infinity();
      for (std::size_t k = 0; k < left.size(); ++k)
        if (const double key = value(joined | left[k]) - value(left[k]); key < least) least = key, next = k;
      order.push_back(left[next]);
      joined |= left[next];
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(next));
    }
    const std::uint32_t last = order.back(), before = order[order.size() - 2];  // the pendant pair
    if (const double cut = value(last); cut < best.value) best = {last, cut};
    std::erase(groups, last);
    *std::find(groups.begin(), groups.end(), before) |= last;
  }
  return best;
}

SetInformation::SetInformation(const RowContext& context, std::span<const std::uint32_t> scope)
    : size_(scope.size()), total_(context.total()) {
  std::vector<std::uint32_t> shifts;
  std::uint32_t used = 0;
  for (const std::uint32_t i : scope) {
    const auto states = static_cast<std::uint32_t>(context.local(i).states.size());
    const auto width = static_cast<std::uint32_t>(std::bit_width(states - 1));
    if (used + width > 64 || size_ > 32)
      throw std::invalid_argument("a set of " + std::to_string(size_) +
                                  " variables has more states than 64 bits can number");
    fields_.push_back(width == 64 ? ~std::uint64_t{0} : ((std::uint64_t{1} << width) - 1) << used);
    shifts.push_back(used);
    used += width;
  }
  context.for_each_row(scope, [&](const std::uint32_t* states, double weight) {
    std::uint64_t code = 0;
    for (std::size_t k = 0; k < size_; ++k)
      if (shifts[k] < 64) code |= std::uint64_t{states[k]} << shifts[k];
    configurations_.emplace_back(code, weight);
  });
  merge_equal(configurations_);
}

double SetInformation::entropy(std::uint32_t part) {
  if (total_ <= 0) return 0;
  if (const auto known = known_.find(part); known != known_.end()) return known->second;
  std::uint64_t mask = 0;
  for (std::size_t k = 0; k < size_; ++k)
    if (part >> k & 1) mask |= fields_[k];
  std::vector<Weighted> codes = configurations_;
  for (Weighted& code : codes) code.first &= mask;
  merge_equal(codes);
  double sum = total_ * std::log(total_);
  for (const auto& [code, weight] : codes)
    if (weight > 0) sum -= weight * std::log(weight);
  return known_[part] = std::max(sum / total_, 0.0);
}

double SetInformation::across(std::uint32_t part) {
  const auto all = static_cast<std::uint32_t>((std::uint64_t{1} << size_) - 1);
  return std::max(entropy(part) + entropy(all & ~part) - entropy(all), 0.0);
}

}  // namespace treewright
