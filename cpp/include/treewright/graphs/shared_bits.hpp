// Rows of bits that are copied often and changed little: copies share blocks of rows until one of them
// writes.
//
// A search that tries something and may take it back copies its graphs before every attempt. With thousands
// of vertices a whole matrix is megabytes, and an attempt changes a few rows of it.
#pragma once

#include <algorithm>
#include <atomic>
#include <new>
#include <utility>

#include "treewright/graphs/bits.hpp"

namespace treewright {

/// A square matrix of bits as a BitMatrix is; different copies may be used by different threads.
class SharedBits {
 public:
  explicit SharedBits(std::size_t n = 0)
      : n_(n), words_(words_for(n)), shift_(shift_for(n, words_)), blocks_((n + rows() - 1) >> shift_) {
    if (blocks_.empty()) return;
    const Block zero(rows() * words_);
    for (Block& block : blocks_) block = zero;
  }
  explicit SharedBits(const BitMatrix& bits) : SharedBits(bits.size()) {
    for (std::size_t v = 0; v < n_; ++v)
      if (std::any_of(bits.row(v), bits.row(v) + words_, [](Word word) { return word != 0; }))
        std::copy_n(bits.row(v), words_, own_row(v));
  }
  explicit operator BitMatrix() const {
    BitMatrix out(n_);
    for (std::size_t v = 0; v < n_; ++v) std::copy_n(row(v), words_, out.row(v));
    return out;
  }

  std::size_t size() const { return n_; }
  std::size_t words() const { return words_; }
  const Word* row(std::size_t v) const { return blocks_[v >> shift_].words() + (v & (rows() - 1)) * words_; }
  /// To be written to: from here on no copy shares it.
  Word* own_row(std::size_t v) {
    return blocks_[v >> shift_].own(rows() * words_) + (v & (rows() - 1)) * words_;
  }

  bool test(std::size_t u, std::size_t v) const { return row(u)[v / 64] >> (v % 64) & 1; }
  void set(std::size_t u, std::size_t v) {
    if (!test(u, v)) own_row(u)[v / 64] |= Word{1} << (v % 64);
  }
  void reset(std::size_t u, std::size_t v) {
    if (test(u, v)) own_row(u)[v / 64] &= ~(Word{1} << (v % 64));
  }
  void join(std::size_t u, std::size_t v) { set(u, v), set(v, u); }

  bool operator==(const SharedBits& other) const {
    if (n_ != other.n_) return false;
    for (std::size_t v = 0; v < n_; ++v)
      if (row(v) != other.row(v) && !std::equal(row(v), row(v) + words_, other.row(v))) return false;
    return true;
  }

 private:
  static constexpr std::size_t kBlockWords = 1024;

  // How many rows a block has, as a power of two.
  static std::size_t shift_for(std::size_t n, std::size_t words) {
    const std::size_t fit =
        std::bit_floor(std::max<std::size_t>(1, kBlockWords / std::max<std::size_t>(1, words)));
    return static_cast<std::size_t>(
        std::countr_zero(std::min(fit, std::bit_ceil(std::max<std::size_t>(1, n)))));
  }
  std::size_t rows() const { return std::size_t{1} << shift_; }

  // Words with the number of those who hold them in front.
  class Block {
   public:
    Block() = default;
    explicit Block(std::size_t n) : head_(new (::operator new(sizeof(Head) + n * sizeof(Word))) Head) {
      std::fill_n(words(), n, Word{0});
    }
    Block(const Block& other) : head_(other.head_) {
      if (head_) head_->holders.fetch_add(1, std::memory_order_relaxed);
    }
    Block(Block&& other) noexcept : head_(std::exchange(other.head_, nullptr)) {}
    Block& operator=(Block other) noexcept {
      std::swap(head_, other.head_);
      return *this;
    }
    ~Block() {
      if (!head_ || head_->holders.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
      head_->~Head();
      ::operator delete(head_);
    }
    Word* words() const { return reinterpret_cast<Word*>(head_ + 1); }
    Word* own(std::size_t n) {
      if (head_->holders.load(std::memory_order_acquire) != 1) {
        Block copy(n);
        std::copy_n(words(), n, copy.words());
        std::swap(head_, copy.head_);
      }
      return words();
    }

   private:
    struct Head {
      std::atomic<std::uint64_t> holders{1};
    };
    Head* head_ = nullptr;
  };

  std::size_t n_, words_, shift_;
  std::vector<Block> blocks_;
};

}  // namespace treewright
