// Sets of vertices as 128-bit numbers: the exclusive or of one random number per vertex (Zobrist 1970).
//
// Adding or removing a vertex is one operation, the order of the vertices does not matter, and two sets that
// a search meets never share a number in practice: a billion sets collide with a chance below 1e-20.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "treewright/graphs/dag.hpp"
#include "treewright/parallel/philox.hpp"

namespace treewright {

struct Fingerprint {
  std::uint64_t low = 0, high = 0;

  bool operator==(const Fingerprint&) const = default;
  Fingerprint operator^(const Fingerprint& other) const { return {low ^ other.low, high ^ other.high}; }
};

/// One fingerprint for each of n vertices in each of some roles.
class Fingerprints {
 public:
  explicit Fingerprints(std::size_t n, std::size_t roles = 1) : n_(n) {
    of_.reserve(n * roles);
    for (std::uint32_t i = 0; i < n * roles; ++i) {
      const PhiloxBlock block = philox({i, 0, 0, 0}, 0x7265776569676874);
      of_.push_back({block[0] | std::uint64_t{block[1]} << 32, block[2] | std::uint64_t{block[3]} << 32});
    }
  }

  const Fingerprint& operator()(std::size_t v, std::size_t role = 0) const { return of_[role * n_ + v]; }
  Fingerprint of(std::span<const Vertex> set) const {
    Fingerprint sum;
    for (const Vertex v : set) sum = sum ^ of_[v];
    return sum;
  }

 private:
  std::size_t n_;
  std::vector<Fingerprint> of_;
};

/// Values by fingerprint: open addressing, never more than half full.
template <class Value>
class FingerprintMap {
 public:
  FingerprintMap() : slots_(64) {}

  std::size_t size() const { return size_; }

  Value* find(const Fingerprint& key) {
    Slot& slot = slots_[position(key)];
    return slot.used ? &slot.value : nullptr;
  }
  const Value* find(const Fingerprint& key) const {
    const Slot& slot = slots_[position(key)];
    return slot.used ? &slot.value : nullptr;
  }
  template <class F>
  void for_each(F&& f) {
    for (Slot& slot : slots_)
      if (slot.used) f(slot.key, slot.value);
  }
  /// The value may move when the next one is put in.
  Value& put(const Fingerprint& key, Value value) {
    if (2 * (size_ + 1) > slots_.size()) grow();
    Slot& slot = slots_[position(key)];
    size_ += !slot.used;
    slot = {key, std::move(value), true};
    return slot.value;
  }
  void clear() {
    if (size_ == 0) return;
    slots_.assign(64, Slot{});
    size_ = 0;
  }

 private:
  struct Slot {
    Fingerprint key;
    Value value{};
    bool used = false;
  };

  std::size_t position(const Fingerprint& key) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = key.low & mask;
    while (slots_[at].used && slots_[at].key != key) at = (at + 1) & mask;
    return at;
  }
  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    for (Slot& slot : old)
      if (slot.used) slots_[position(slot.key)] = std::move(slot);
  }

  std::vector<Slot> slots_;
  std::size_t size_ = 0;
};

}  // namespace treewright
