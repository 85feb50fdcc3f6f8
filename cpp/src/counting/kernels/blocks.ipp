// Body of the block kernels (treewright/block_kernels.hpp), inside the namespace of a level.
typedef float Eight __attribute__((vector_size(32)));
typedef std::int32_t EightInts __attribute__((vector_size(32)));
typedef float EightLoose __attribute__((vector_size(32), aligned(4), may_alias));
typedef std::int32_t EightIntsLoose __attribute__((vector_size(32), aligned(4), may_alias));
typedef float Four __attribute__((vector_size(16)));
typedef float FourLoose __attribute__((vector_size(16), aligned(4), may_alias));

constexpr std::size_t kEights = kRowBlock / 8;
constexpr std::size_t kFewSymbols = 8;  // up to here a symbol is a mask, above it is a row of a table

inline Eight load_eight(const float* p) { return *reinterpret_cast<const EightLoose*>(p); }
inline void store_eight(float* p, Eight v) { *reinterpret_cast<EightLoose*>(p) = v; }
inline Eight spread(float x) { return Eight{} + x; }

// Neighbours joined within each half: (x0+x1, x2+x3, y0+y1, y2+y3 | the same of the upper half).
inline Eight join_neighbours(Eight x, Eight y) {
  return __builtin_shufflevector(x, y, 0, 2, 8, 10, 4, 6, 12, 14) +
         __builtin_shufflevector(x, y, 1, 3, 9, 11, 5, 7, 13, 15);
}

// The sums of four vectors, in the order of a tree that no vector unit changes.
inline Four join_four(Eight x, Eight y, Eight z, Eight w) {
  const Eight joined = join_neighbours(join_neighbours(x, y), join_neighbours(z, w));
  return __builtin_shufflevector(joined, joined, 0, 1, 2, 3) +
         __builtin_shufflevector(joined, joined, 4, 5, 6, 7);
}

inline float join_one(Eight x) { return join_four(x, x, x, x)[0]; }

// ------------------------------------------------------------------ products
template <std::size_t kStates>
inline void multiply_tile(const float* matrix, std::size_t n, const float* in, float* out) {
  Eight low[kStates] = {}, high[kStates] = {};
  for (std::size_t j = 0; j < n; ++j) {
    const Eight x = load_eight(in + j * kRowBlock), y = load_eight(in + j * kRowBlock + 8);
    for (std::size_t i = 0; i < kStates; ++i) {
      const Eight weight = spread(matrix[i * n + j]);
      low[i] += weight * x;
      high[i] += weight * y;
    }
  }
  for (std::size_t i = 0; i < kStates; ++i) {
    store_eight(out + i * kRowBlock, low[i]);
    store_eight(out + i * kRowBlock + 8, high[i]);
  }
}

void multiply(const float* matrix, std::size_t n, const float* in, float* out) {
  for (std::size_t row = 0; row < kRowBlock; row += 16) {
    std::size_t i = 0;
    for (; i + 4 <= n; i += 4) multiply_tile<4>(matrix + i * n, n, in + row, out + i * kRowBlock + row);
    for (; i < n; ++i) multiply_tile<1>(matrix + i * n, n, in + row, out + i * kRowBlock + row);
  }
}

inline void outer_tile(const float* a, const float* b, std::size_t n, float* sums) {
  Eight first[4] = {}, second[4] = {};
  for (std::size_t k = 0; k < kRowBlock; k += 8) {
    const Eight x = load_eight(a + k), y = load_eight(a + kRowBlock + k);
    for (std::size_t j = 0; j < 4; ++j) {
      const Eight z = load_eight(b + j * kRowBlock + k);
      first[j] += x * z;
      second[j] += y * z;
    }
  }
  *reinterpret_cast<FourLoose*>(sums) = join_four(first[0], first[1], first[2], first[3]);
  *reinterpret_cast<FourLoose*>(sums + n) = join_four(second[0], second[1], second[2], second[3]);
}

inline float dot(const float* a, const float* b) {
  Eight sum{};
  for (std::size_t k = 0; k < kRowBlock; k += 8) sum += load_eight(a + k) * load_eight(b + k);
  return join_one(sum);
}

void outer(const float* a, const float* b, std::size_t n, float* sums) {
  const std::size_t pairs = n / 2 * 2, fours = n / 4 * 4;
  for (std::size_t j = 0; j < fours; j += 4)
    for (std::size_t i = 0; i < pairs; i += 2)
      outer_tile(a + i * kRowBlock, b + j * kRowBlock, n, sums + i * n + j);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i < pairs ? fours : 0; j < n; ++j)
      sums[i * n + j] = dot(a + i * kRowBlock, b + j * kRowBlock);
}

// ------------------------------------------------------------------ symbols
// One mask per symbol but the first, which is what remains.
struct Masks {
  EightInts of[kFewSymbols - 1][kEights];
  Masks(const std::uint32_t* symbols, std::size_t n_symbols) {
    for (std::size_t s = 1; s < n_symbols; ++s)
      for (std::size_t k = 0; k < kEights; ++k)
        of[s - 1][k] = *reinterpret_cast<const EightIntsLoose*>(symbols + 8 * k) ==
                       EightInts{} + static_cast<std::int32_t>(s);
  }
};

void look_up(const std::uint32_t* symbols, std::size_t n_symbols, const float* table, std::size_t n,
             float* out) {
  if (n_symbols > kFewSymbols) {
    for (std::size_t row = 0; row < kRowBlock; ++row)
      for (std::size_t h = 0; h < n; ++h) out[h * kRowBlock + row] = table[symbols[row] * n + h];
    return;
  }
  const Masks masks(symbols, n_symbols);
  for (std::size_t h = 0; h < n; ++h)
    for (std::size_t k = 0; k < kEights; ++k) {
      Eight found = spread(table[h]);
      for (std::size_t s = 1; s < n_symbols; ++s)
        found = masks.of[s - 1][k] ? spread(table[s * n + h]) : found;
      store_eight(out + h * kRowBlock + 8 * k, found);
    }
}

void tally(const std::uint32_t* symbols, std::size_t n_symbols, const float* block, std::size_t n,
           float* sums) {
  if (n_symbols > kFewSymbols) {
    for (std::size_t cell = 0; cell < n_symbols * n; ++cell) sums[cell] = 0;
    for (std::size_t row = 0; row < kRowBlock; ++row)
      for (std::size_t h = 0; h < n; ++h) sums[symbols[row] * n + h] += block[h * kRowBlock + row];
    return;
  }
  const Masks masks(symbols, n_symbols);
  for (std::size_t h = 0; h < n; ++h) {
    Eight sum[kFewSymbols] = {};
    for (std::size_t k = 0; k < kEights; ++k) {
      const Eight cells = load_eight(block + h * kRowBlock + 8 * k);
      Eight rest = cells;
      for (std::size_t s = 1; s < n_symbols; ++s) {
        sum[s] += masks.of[s - 1][k] ? cells : Eight{};
        rest = masks.of[s - 1][k] ? Eight{} : rest;
      }
      sum[0] += rest;
    }
    for (std::size_t s = 0; s < n_symbols; ++s) sums[s * n + h] = join_one(sum[s]);
  }
}

// ------------------------------------------------------------------ cell by cell
void times(float* block, const float* factor, std::size_t n) {
  for (std::size_t k = 0; k < n * kRowBlock; k += 8)
    store_eight(block + k, load_eight(block + k) * load_eight(factor + k));
}

void divide(const float* a, const float* b, std::size_t n, float* out) {
  for (std::size_t k = 0; k < n * kRowBlock; k += 8)
    store_eight(out + k, load_eight(a + k) / load_eight(b + k));
}

void rescale(float* block, std::size_t n, double* scale) {
  const auto states = static_cast<float>(n);
  for (std::size_t k = 0; k < kRowBlock; k += 8) {
    Eight sum{};
    for (std::size_t h = 0; h < n; ++h) sum += load_eight(block + h * kRowBlock + k);
    const Eight factor = spread(states) / sum, taken = sum / states;
    for (std::size_t h = 0; h < n; ++h) {
      float* cells = block + h * kRowBlock + k;
      store_eight(cells, load_eight(cells) * factor);
    }
    for (std::size_t lane = 0; lane < 8; ++lane) scale[k + lane] *= static_cast<double>(taken[lane]);
  }
}
