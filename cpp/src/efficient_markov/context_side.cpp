#include "treewright/efficient_markov/context_side.hpp"

#include "treewright/counting/dispatch.hpp"

namespace treewright {

const RowContext& ContextSide::context() {
  if (variable_ == whole_.size()) return whole_;
  if (!own_) own_ = whole_.where(variable_, state_);
  return *own_;
}

void ContextSide::count_triples(std::uint32_t i, std::uint32_t j, std::span<const std::uint32_t> others,
                                std::vector<double>& counts) {
  counts.assign(others.size(), 0.0);
  if (!whole_.is_counted_by_bits()) {
    context().count_triples(i, j, others, counts);
    return;
  }
  const BitColumns all = whole_.bit_columns();
  if (!mask_) {
    mask_.emplace();
    if (variable_ < whole_.size()) *mask_ = whole_.rows_with(variable_, state_);
    both_.resize(all.words);
  }
  const Word *first = all.plane(place(i)), *second = all.plane(place(j));
  if (mask_->empty())
    for (std::size_t w = 0; w < all.words; ++w) both_[w] = first[w] & second[w];
  else
    for (std::size_t w = 0; w < all.words; ++w) both_[w] = first[w] & second[w] & (*mask_)[w];
  for (std::size_t k = 0; k < others.size(); ++k) {
    std::int64_t found = 0;
    kernels().and_popcounts(both_.data(), 1, all.words, all.plane(place(others[k])), 1, all.stride, all.words,
                            &found, 1);
    counts[k] = static_cast<double>(found);
  }
}

}  // namespace treewright
