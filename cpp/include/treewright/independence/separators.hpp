// The sets that may separate a pair, one after the other.
#pragma once

#include <cstdint>
#include <vector>

namespace treewright {

/// The subsets of one size of what surrounds u, then of what surrounds v, each in lexicographic order of its
/// list; a subset of both comes once. Lists are strongest first, so that the likeliest separator is early.
class SeparatorWalk {
 public:
  using Variables = std::vector<std::uint32_t>;

  /// `in_first[i]`: whether second[i] is also in the first list.
  SeparatorWalk(Variables first, Variables second, std::vector<std::uint8_t> in_first, std::size_t size);

  /// Whether another subset was written to `out`.
  bool next(Variables& out);
  /// Start again with subsets of another size.
  void restart(std::size_t size);
  /// Numbers held: what bounds how many walks are open at once.
  std::size_t length() const { return lists_[0].size() + lists_[1].size(); }

 private:
  bool advance(std::size_t n);
  bool is_new() const;

  Variables lists_[2];
  std::vector<std::uint8_t> in_first_;
  std::vector<std::uint32_t> chosen_;  // rising positions in the current list
  std::size_t size_ = 0, side_ = 0;
  bool started_ = false;
};

}  // namespace treewright
