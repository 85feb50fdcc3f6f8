#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "parallel/lanes.hpp"
#include "treewright/searches/nodewise.hpp"

namespace treewright::nodewise {

std::vector<double> contrasts(std::uint32_t n_states) {
  const std::size_t width = n_states - 1;
  std::vector<double> out(n_states * width);
  for (std::size_t c = 0; c < width; ++c) {  // the mean of the first states against the next
    const double size = 1 / std::sqrt(static_cast<double>((c + 1) * (c + 2)));
    for (std::size_t s = 0; s <= c; ++s) out[s * width + c] = size;
    out[(c + 1) * width + c] = -static_cast<double>(c + 1) * size;
  }
  return out;
}

Design::Design(std::span<const std::uint32_t> codes, std::span<const double> weights,
               std::vector<std::uint32_t> cardinalities)
    : cardinalities_(std::move(cardinalities)),
      rows_(weights.size()),
      codes_(codes.begin(), codes.end()),
      weights_(whole_lanes(rows_)),
      ones_(whole_lanes(rows_), 1.0),
      offsets_(cardinalities_.size() + 1) {
  if (codes.size() != rows_ * cardinalities_.size())
    throw std::invalid_argument("every row needs one code per variable");
  for (std::size_t i = 0; i < rows_; ++i) {
    if (!(weights[i] >= 0)) throw std::invalid_argument("row weights are numbers from 0 on");
    total_ += weights_[i] = weights[i];
  }
  for (std::size_t v = 0; v < cardinalities_.size(); ++v) {
    if (cardinalities_[v] == 0) throw std::invalid_argument("a variable has at least one state");
    offsets_[v + 1] = offsets_[v] + cardinalities_[v] - 1;
  }
  columns_.resize(offsets_.back() * length());
  for (std::uint32_t v = 0; v < cardinalities_.size(); ++v) {
    const std::vector<double> basis = contrasts(cardinalities_[v]);
    for (std::size_t i = 0; i < rows_; ++i)
      if (this->codes(v)[i] >= cardinalities_[v])
        throw std::out_of_range("a row holds a code that is no state of its variable");
    for (std::size_t c = 0; c < width(v); ++c) {
      double* const out = columns_.data() + (offset(v) + c) * length();
      for (std::size_t i = 0; i < rows_; ++i) out[i] = basis[this->codes(v)[i] * width(v) + c];
    }
  }
}

}  // namespace treewright::nodewise
