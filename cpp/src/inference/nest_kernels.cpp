#include "inference/nest_kernels.hpp"

namespace treewright::forests {
namespace {

// An axis has at least two entries and a table fewer than 2^63 cells: no nest is deeper than this.
constexpr std::size_t kDeepest = 64;

struct Set {
  template <class T>
  static TREEWRIGHT_INLINE void at(T& dense, const T& other) {
    dense = other;
  }
};

struct Multiply {
  template <class T>
  static TREEWRIGHT_INLINE void at(T& dense, const T& other) {
    dense *= other;
  }
};

struct Sum {
  template <class T>
  static TREEWRIGHT_INLINE void at(const T& dense, T& other) {
    other += dense;
  }
};

struct Max {
  template <class T>
  static TREEWRIGHT_INLINE void at(const T& dense, T& other) {
    other = CellTraits<T>::larger(other, dense);
  }
};

// dense = other or dense *= other over the two innermost axes. kLength 0: any length; kStride 2: any stride.
template <class Op, std::uint64_t kLength, std::uint64_t kStride, class T>
TREEWRIGHT_INLINE void spread(T* __restrict dense, const T* __restrict other, Axis outer, Axis inner) {
  const std::uint64_t n = kLength ? kLength : inner.length;
  const std::uint64_t stride = kStride == 2 ? inner.stride : kStride;
  for (std::uint64_t i = 0; i < outer.length; ++i, dense += n, other += outer.stride)
    for (std::uint64_t j = 0; j < n; ++j) Op::at(dense[j], other[j * stride]);
}

// A row gathered into one cell. Long rows use eight partial results, so that every vector unit agrees.
template <class Op, std::uint64_t kLength, class T>
TREEWRIGHT_INLINE T gathered(const T* __restrict dense, std::uint64_t length) {
  const std::uint64_t n = kLength ? kLength : length;
  if (kLength || n < 8) {
    T total = dense[0];
    for (std::uint64_t j = 1; j < n; ++j) Op::at(dense[j], total);
    return total;
  }
  T part[8];
  for (int k = 0; k < 8; ++k) part[k] = dense[k];
  std::uint64_t j = 8;
  for (; j + 8 <= n; j += 8)
    for (int k = 0; k < 8; ++k) Op::at(dense[j + k], part[k]);
  for (; j < n; ++j) Op::at(dense[j], part[j % 8]);
  for (int k = 0; k < 4; ++k) Op::at(part[k + 4], part[k]);
  Op::at(part[2], part[0]);
  Op::at(part[3], part[1]);
  Op::at(part[1], part[0]);
  return part[0];
}

// Many short rows gathered into one: kept in registers, since adding through memory waits for every store.
template <class Op, std::uint64_t kLength, class T>
TREEWRIGHT_INLINE void pile(const T* __restrict dense, T* __restrict other, std::uint64_t n_rows) {
  T even[kLength], odd[kLength];
  for (std::uint64_t j = 0; j < kLength; ++j) even[j] = dense[j];
  if (n_rows > 1) {
    for (std::uint64_t j = 0; j < kLength; ++j) odd[j] = dense[kLength + j];
    std::uint64_t i = 2;
    for (; i + 1 < n_rows; i += 2)
      for (std::uint64_t j = 0; j < kLength; ++j) {
        Op::at(dense[i * kLength + j], even[j]);
        Op::at(dense[(i + 1) * kLength + j], odd[j]);
      }
    if (i < n_rows)
      for (std::uint64_t j = 0; j < kLength; ++j) Op::at(dense[i * kLength + j], even[j]);
    for (std::uint64_t j = 0; j < kLength; ++j) Op::at(odd[j], even[j]);
  }
  for (std::uint64_t j = 0; j < kLength; ++j) Op::at(even[j], other[j]);
}

// Many longer rows gathered into one, four at a time.
template <class Op, class T>
TREEWRIGHT_INLINE void pile_long(const T* __restrict dense, T* __restrict other, std::uint64_t n_rows,
                                 std::uint64_t n) {
  std::uint64_t i = 0;
  for (; i + 4 <= n_rows; i += 4, dense += 4 * n)
    for (std::uint64_t j = 0; j < n; ++j) {
      T a = dense[j], b = dense[2 * n + j];
      Op::at(dense[n + j], a);
      Op::at(dense[3 * n + j], b);
      Op::at(b, a);
      Op::at(a, other[j]);
    }
  for (; i < n_rows; ++i, dense += n)
    for (std::uint64_t j = 0; j < n; ++j) Op::at(dense[j], other[j]);
}

template <class Op, std::uint64_t kLength, class T>
TREEWRIGHT_INLINE void gather_rows(const T* __restrict dense, T* __restrict other, Axis outer, Axis inner) {
  const std::uint64_t n = kLength ? kLength : inner.length;
  if (inner.stride == 0) {
    for (std::uint64_t i = 0; i < outer.length; ++i)
      Op::at(gathered<Op, kLength>(dense + i * n, n), other[i * outer.stride]);
  } else if (inner.stride == 1 && outer.stride == 0) {
    if constexpr (kLength > 0) {
      pile<Op, kLength>(dense, other, outer.length);
    } else {
      pile_long<Op>(dense, other, outer.length, n);
    }
  } else if (inner.stride == 1) {
    for (std::uint64_t i = 0; i < outer.length; ++i)
      for (std::uint64_t j = 0; j < n; ++j) Op::at(dense[i * n + j], other[i * outer.stride + j]);
  } else {
    for (std::uint64_t i = 0; i < outer.length; ++i)
      for (std::uint64_t j = 0; j < n; ++j)
        Op::at(dense[i * n + j], other[i * outer.stride + j * inner.stride]);
  }
}

// The two innermost axes: other += dense and the like.
template <class Op, class T>
TREEWRIGHT_INLINE void rows(const T* dense, T* other, Axis outer, Axis inner) {
  switch (inner.length) {
    case 2:
      return gather_rows<Op, 2>(dense, other, outer, inner);
    case 3:
      return gather_rows<Op, 3>(dense, other, outer, inner);
    case 4:
      return gather_rows<Op, 4>(dense, other, outer, inner);
    default:
      return gather_rows<Op, 0>(dense, other, outer, inner);
  }
}

template <class Op, std::uint64_t kStride, class T>
TREEWRIGHT_INLINE void spread_rows(T* dense, const T* other, Axis outer, Axis inner) {
  switch (inner.length) {
    case 2:
      return spread<Op, 2, kStride>(dense, other, outer, inner);
    case 3:
      return spread<Op, 3, kStride>(dense, other, outer, inner);
    case 4:
      return spread<Op, 4, kStride>(dense, other, outer, inner);
    default:
      return spread<Op, 0, kStride>(dense, other, outer, inner);
  }
}

template <class Op, class T>
TREEWRIGHT_INLINE void rows(T* dense, const T* other, Axis outer, Axis inner) {
  if (inner.stride == 1) return spread_rows<Op, 1>(dense, other, outer, inner);
  if (inner.stride == 0) return spread_rows<Op, 0>(dense, other, outer, inner);
  spread<Op, 0, 2>(dense, other, outer, inner);
}

template <class Op, class D, class O>
TREEWRIGHT_INLINE void walk(Nest nest, D* dense, O* other) {
  const std::size_t n = nest.size();
  if (n == 0) return Op::at(*dense, *other);
  const Axis inner = nest[n - 1], outer = n > 1 ? nest[n - 2] : Axis{1, 0};
  const std::uint64_t step = inner.length * outer.length;
  std::uint64_t at[kDeepest];  // places on the axes outside
  for (std::size_t axis = 0; axis + 2 < n; ++axis) at[axis] = 0;
  for (;;) {
    rows<Op>(dense, other, outer, inner);
    dense += step;
    std::size_t axis = n > 2 ? n - 2 : 0;
    for (;;) {
      if (axis == 0) return;
      --axis;
      other += nest[axis].stride;
      if (++at[axis] < nest[axis].length) break;
      other -= nest[axis].stride * nest[axis].length;
      at[axis] = 0;
    }
  }
}

// dense = base * other: `base` lies as `dense` does.
template <class D>
TREEWRIGHT_INLINE void product_rows(D* __restrict dense, const double* __restrict base,
                                    const D* __restrict other, Axis outer, Axis inner) {
  for (std::uint64_t i = 0; i < outer.length; ++i) {
    const D* __restrict from = other + i * outer.stride;
    D* __restrict to = dense + i * inner.length;
    const double* __restrict by = base + i * inner.length;
    if (inner.stride == 1) {
      for (std::uint64_t j = 0; j < inner.length; ++j) to[j] = by[j] * from[j];
    } else if (inner.stride == 0) {
      const D same = *from;
      for (std::uint64_t j = 0; j < inner.length; ++j) to[j] = by[j] * same;
    } else {
      for (std::uint64_t j = 0; j < inner.length; ++j) to[j] = by[j] * from[j * inner.stride];
    }
  }
}

template <class D>
TREEWRIGHT_INLINE void walk_product(Nest nest, D* dense, const double* base, const D* other) {
  const std::size_t n = nest.size();
  const Axis inner = n > 0 ? nest[n - 1] : Axis{1, 0}, outer = n > 1 ? nest[n - 2] : Axis{1, 0};
  const std::uint64_t step = inner.length * outer.length;
  std::uint64_t at[kDeepest] = {};
  for (;;) {
    product_rows(dense, base, other, outer, inner);
    dense += step, base += step;
    std::size_t axis = n > 2 ? n - 2 : 0;
    for (;;) {
      if (axis == 0) return;
      --axis;
      other += nest[axis].stride;
      if (++at[axis] < nest[axis].length) break;
      other -= nest[axis].stride * nest[axis].length;
      at[axis] = 0;
    }
  }
}

}  // namespace

TREEWRIGHT_CLONES void nest_set(Nest nest, double* dense, const double* other) {
  walk<Set>(nest, dense, other);
}
TREEWRIGHT_CLONES void nest_multiply(Nest nest, double* dense, const double* other) {
  walk<Multiply>(nest, dense, other);
}
TREEWRIGHT_CLONES void nest_set_product(Nest nest, double* dense, const double* base, const double* other) {
  walk_product(nest, dense, base, other);
}
TREEWRIGHT_CLONES void nest_sum(Nest nest, const double* dense, double* other) {
  walk<Sum>(nest, dense, other);
}
TREEWRIGHT_CLONES void nest_max(Nest nest, const double* dense, double* other) {
  walk<Max>(nest, dense, other);
}

TREEWRIGHT_CLONES void nest_multiply(Nest nest, Lanes* dense, const Lanes* other) {
  walk<Multiply>(nest, dense, other);
}
TREEWRIGHT_CLONES void nest_set_product(Nest nest, Lanes* dense, const double* base, const Lanes* other) {
  walk_product(nest, dense, base, other);
}
TREEWRIGHT_CLONES void nest_sum(Nest nest, const Lanes* dense, Lanes* other) {
  walk<Sum>(nest, dense, other);
}

TREEWRIGHT_CLONES void divide_cells(double* dense, const double* other, std::uint64_t n) {
  for (std::uint64_t i = 0; i < n; ++i) dense[i] = other[i] > 0 ? dense[i] / other[i] : 0;
}
TREEWRIGHT_CLONES void divide_cells(Lanes* dense, const Lanes* other, std::uint64_t n) {
  const Lanes zero = {};
  for (std::uint64_t i = 0; i < n; ++i) dense[i] = other[i] > zero ? dense[i] / other[i] : zero;
}
void divide_cells(WideCell* dense, const WideCell* other, std::uint64_t n) {
  for (std::uint64_t i = 0; i < n; ++i) dense[i] = CellTraits<WideCell>::ratio(dense[i], other[i]);
}

void nest_set(Nest nest, WideCell* dense, const WideCell* other) { walk<Set>(nest, dense, other); }
void nest_multiply(Nest nest, WideCell* dense, const WideCell* other) { walk<Multiply>(nest, dense, other); }
void nest_sum(Nest nest, const WideCell* dense, WideCell* other) { walk<Sum>(nest, dense, other); }
void nest_max(Nest nest, const WideCell* dense, WideCell* other) { walk<Max>(nest, dense, other); }

}  // namespace treewright::forests
