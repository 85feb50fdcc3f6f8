// Body of all kernels. The including file defines TW_LEVEL (a namespace name) and, for wider units, TW_AVX2
// or TW_AVX512; nothing else differs between levels but the primitives of the first section. TW_LANES
// overrides the width of vectors, so that tests can try the 512-bit loops on a processor without such
// registers.
#include <cstddef>
#include <cstdint>

#if defined(TW_AVX2) || defined(TW_AVX512) || defined(__SSE2__)
#include <immintrin.h>
#endif

#include "treewright/counting/kernels.hpp"

namespace treewright::TW_LEVEL {
namespace {

using Word = std::uint64_t;

// ------------------------------------------------------------------ primitives
// Vectors of the compiler: and, or, xor and shift work on them for every unit, in one or several registers.
#if defined(TW_LANES)
constexpr std::size_t kLanes = TW_LANES;
#elif defined(TW_AVX512)
constexpr std::size_t kLanes = 8;
#else
constexpr std::size_t kLanes = 4;
#endif
typedef Word Wide __attribute__((vector_size(8 * kLanes)));  // kernel A
typedef Word Row __attribute__((vector_size(32)));           // kernel B: 256 planes of one row
typedef std::uint8_t Bytes __attribute__((vector_size(32)));
typedef Word WideLoose __attribute__((vector_size(8 * kLanes), aligned(8), may_alias));
typedef Word RowLoose __attribute__((vector_size(32), aligned(8), may_alias));

inline Wide load_wide(const Word* p) { return *reinterpret_cast<const WideLoose*>(p); }
inline Row load_row(const Word* p) { return *reinterpret_cast<const RowLoose*>(p); }

inline Word popcount_word(Word x) {
#if defined(TW_AVX2) || defined(TW_AVX512)
  return static_cast<Word>(__builtin_popcountll(x));
#else
  // without the instruction the compiler would call a library function
  x -= x >> 1 & 0x5555555555555555ull;
  x = (x & 0x3333333333333333ull) + (x >> 2 & 0x3333333333333333ull);
  x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0full;
  return x * 0x0101010101010101ull >> 56;
#endif
}

// Per 64-bit lane the number of set bits.
inline Wide popcount_lanes(Wide v) {
#if defined(TW_AVX512)
  return (Wide)_mm512_popcnt_epi64((__m512i)v);
#elif defined(TW_AVX2)
  const __m256i nibble = _mm256_set1_epi8(0x0f);
  const __m256i table = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2,
                                         3, 1, 2, 2, 3, 2, 3, 3, 4);
  const __m256i low = _mm256_shuffle_epi8(table, _mm256_and_si256((__m256i)v, nibble));
  const __m256i high = _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16((__m256i)v, 4), nibble));
  return (Wide)_mm256_sad_epu8(_mm256_add_epi8(low, high), _mm256_setzero_si256());
#else
  v -= v >> 1 & 0x5555555555555555ull;
  v = (v & 0x3333333333333333ull) + (v >> 2 & 0x3333333333333333ull);
  v = (v + (v >> 4)) & 0x0f0f0f0f0f0f0f0full;
  v += v >> 8;
  v += v >> 16;
  v += v >> 32;
  return v & 0x7full;
#endif
}

inline Word sum_lanes(Wide v) {
  Word total = 0;
  for (std::size_t i = 0; i < kLanes; ++i) total += v[i];
  return total;
}

inline bool any(Row v) {
#if defined(TW_AVX2) || defined(TW_AVX512)
  return !_mm256_testz_si256((__m256i)v, (__m256i)v);
#else
  return (v[0] | v[1] | v[2] | v[3]) != 0;
#endif
}

// 32 bits to 32 bytes: `value` where the bit is set, else 0.
inline Bytes spread(std::uint32_t bits, std::uint8_t value) {
#if defined(TW_AVX512)
  return (Bytes)_mm256_maskz_set1_epi8(bits, static_cast<char>(value));
#elif defined(TW_AVX2)
  const __m256i pick = _mm256_setr_epi64x(0x0000000000000000ll, 0x0101010101010101ll, 0x0202020202020202ll,
                                          0x0303030303030303ll);
  const __m256i bit = _mm256_set1_epi64x(static_cast<long long>(0x8040201008040201ull));
  const __m256i copies = _mm256_shuffle_epi8(_mm256_set1_epi32(static_cast<int>(bits)), pick);
  const __m256i hit = _mm256_cmpeq_epi8(_mm256_and_si256(copies, bit), bit);
  return (Bytes)_mm256_and_si256(hit, _mm256_set1_epi8(static_cast<char>(value)));
#else
  Row out;
  for (int i = 0; i < 4; ++i) {
    // copy the byte eight times, keep bit j in byte j, move it to the byte's lowest bit
    Word w = (bits >> (8 * i) & 0xff) * 0x0101010101010101ull & 0x8040201008040201ull;
    w = (w + 0x7f7f7f7f7f7f7f7full) >> 7 & 0x0101010101010101ull;
    out[i] = w * value;
  }
  return (Bytes)out;
#endif
}

template <class V>
inline void carry_save(V& high, V& low, V a, V b, V c) {
  const V half = a ^ b;
  high = (a & b) | (half & c);
  low = half ^ c;
}

// ------------------------------------------------------------------ planes
// 64 codes against one state: a word with a bit where they are equal.
inline Word equal_word(const std::uint8_t* codes, std::uint8_t state) {
#if defined(TW_AVX512)
  return _mm512_cmpeq_epi8_mask(_mm512_loadu_si512(codes), _mm512_set1_epi8(static_cast<char>(state)));
#elif defined(TW_AVX2)
  const __m256i wanted = _mm256_set1_epi8(static_cast<char>(state));
  const auto half = [&](const std::uint8_t* p) {
    const __m256i block = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
    return static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(block, wanted)));
  };
  return half(codes) | static_cast<Word>(half(codes + 32)) << 32;
#elif defined(__SSE2__)
  const __m128i wanted = _mm_set1_epi8(static_cast<char>(state));
  Word word = 0;
  for (int i = 0; i < 4; ++i) {
    const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(codes + 16 * i));
    word |= static_cast<Word>(static_cast<std::uint16_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(block, wanted))))
            << (16 * i);
  }
  return word;
#else
  Word word = 0;
  for (int i = 0; i < 64; ++i) word |= static_cast<Word>(codes[i] == state) << i;
  return word;
#endif
}

void build_planes(const std::uint8_t* codes, std::size_t n_rows, std::size_t n_planes, Word* planes,
                  std::size_t stride) {
  const std::size_t full = n_rows / 64;
  for (std::size_t w = 0; w < full; ++w)
    for (std::size_t s = 0; s < n_planes; ++s)
      planes[s * stride + w] = equal_word(codes + 64 * w, static_cast<std::uint8_t>(s));
  for (std::size_t s = 0; s < n_planes && n_rows % 64; ++s) {
    Word word = 0;
    for (std::size_t i = 64 * full; i < n_rows; ++i) word |= static_cast<Word>(codes[i] == s) << (i % 64);
    planes[s * stride + full] = word;
  }
}

// ------------------------------------------------------------------ kernel A
// Harley-Seal: carry-save adders turn eight vectors into one popcount of the eights.
inline Word and_popcount(const Word* __restrict a, const Word* __restrict b, std::size_t words) {
  std::size_t i = 0;
  Word total = 0;
#ifndef TW_AVX512  // there a popcount is one instruction: adders would only cost
  constexpr std::size_t step = 8 * kLanes;
  if (words >= 2 * step) {
    Wide ones{}, twos{}, fours{}, eights_sum{};
    const auto at = [&](std::size_t k) {
      return load_wide(a + i + kLanes * k) & load_wide(b + i + kLanes * k);
    };
    for (; i + step <= words; i += step) {
      Wide twos_a, twos_b, fours_a, fours_b, eights;
      carry_save(twos_a, ones, ones, at(0), at(1));
      carry_save(twos_b, ones, ones, at(2), at(3));
      carry_save(fours_a, twos, twos, twos_a, twos_b);
      carry_save(twos_a, ones, ones, at(4), at(5));
      carry_save(twos_b, ones, ones, at(6), at(7));
      carry_save(fours_b, twos, twos, twos_a, twos_b);
      carry_save(eights, fours, fours, fours_a, fours_b);
      eights_sum += popcount_lanes(eights);
    }
    total = 8 * sum_lanes(eights_sum) + 4 * sum_lanes(popcount_lanes(fours)) +
            2 * sum_lanes(popcount_lanes(twos)) + sum_lanes(popcount_lanes(ones));
  }
#endif
  Wide rest{};
  for (; i + kLanes <= words; i += kLanes) rest += popcount_lanes(load_wide(a + i) & load_wide(b + i));
  total += sum_lanes(rest);
  for (; i < words; ++i) total += popcount_word(a[i] & b[i]);
  return total;
}

void and_popcounts(const Word* a, std::size_t n_a, std::size_t a_stride, const Word* b, std::size_t n_b,
                   std::size_t b_stride, std::size_t words, std::int64_t* out, std::size_t out_stride) {
  for (std::size_t i = 0; i < n_a; ++i)
    for (std::size_t j = 0; j < n_b; ++j)
      out[i * out_stride + j] +=
          static_cast<std::int64_t>(and_popcount(a + i * a_stride, b + j * b_stride, words));
}

void split(const Word* mask, const Word* planes, std::size_t n_planes, std::size_t stride, std::size_t words,
           Word* masks, std::size_t mask_stride, std::int64_t* counts) {
  const auto pass = [&](const Word* plane, Word* out, Word* rest, bool first) {
    Wide sum{};
    std::size_t i = 0;
    for (; i + kLanes <= words; i += kLanes) {
      const Wide all = load_wide(mask + i), some = all & load_wide(plane + i);
      sum += popcount_lanes(some);
      *reinterpret_cast<WideLoose*>(out + i) = some;
      *reinterpret_cast<WideLoose*>(rest + i) = (first ? all : load_wide(rest + i)) ^ some;
    }
    Word total = sum_lanes(sum);
    for (; i < words; ++i) {
      const Word some = mask[i] & plane[i];
      total += popcount_word(some);
      out[i] = some;
      rest[i] = (first ? mask[i] : rest[i]) ^ some;
    }
    return static_cast<std::int64_t>(total);
  };
  Word* rest = masks + n_planes * mask_stride;
  for (std::size_t s = 0; s < n_planes; ++s)
    counts[s] = pass(planes + s * stride, masks + s * mask_stride, rest, s == 0);
  if (n_planes == 0)
    for (std::size_t i = 0; i < words; ++i) rest[i] = mask[i];
}

// ------------------------------------------------------------------ kernel B
// Counters for 256 planes at once, one vector per binary digit; the lowest four stay in registers.
constexpr int kMostDigits = 17;  // groups of at most 65,535 rows

inline void add16(const Row* v, Row& ones, Row& twos, Row& fours, Row& eights, Row* higher) {
  Row twos_a, twos_b, fours_a, fours_b, eights_a, eights_b, carry;
  carry_save(twos_a, ones, ones, v[0], v[1]);
  carry_save(twos_b, ones, ones, v[2], v[3]);
  carry_save(fours_a, twos, twos, twos_a, twos_b);
  carry_save(twos_a, ones, ones, v[4], v[5]);
  carry_save(twos_b, ones, ones, v[6], v[7]);
  carry_save(fours_b, twos, twos, twos_a, twos_b);
  carry_save(eights_a, fours, fours, fours_a, fours_b);
  carry_save(twos_a, ones, ones, v[8], v[9]);
  carry_save(twos_b, ones, ones, v[10], v[11]);
  carry_save(fours_a, twos, twos, twos_a, twos_b);
  carry_save(twos_a, ones, ones, v[12], v[13]);
  carry_save(twos_b, ones, ones, v[14], v[15]);
  carry_save(fours_b, twos, twos, twos_a, twos_b);
  carry_save(eights_b, fours, fours, fours_a, fours_b);
  carry_save(carry, eights, eights, eights_a, eights_b);
  for (Row* digit = higher; any(carry); ++digit) {
    const Row next = *digit & carry;
    *digit ^= carry;
    carry = next;
  }
}

template <class Count>
inline void flush(const Row* digits, int n_digits, std::size_t n_chunks, std::uint32_t shift, Count* out) {
  for (std::size_t chunk = 0; chunk < n_chunks; ++chunk) {
    const auto bits = [&](int k) {
      return static_cast<std::uint32_t>(digits[k][chunk / 2] >> (32 * (chunk % 2)));
    };
    Bytes low{}, high{};
    for (int k = 0; k < n_digits && k < 8; ++k) low |= spread(bits(k), static_cast<std::uint8_t>(1u << k));
    for (int k = 8; k < n_digits; ++k) high |= spread(bits(k), static_cast<std::uint8_t>(1u << (k - 8)));
    std::uint8_t lows[32], highs[32];
    __builtin_memcpy(lows, &low, 32);
    Count* __restrict to = out + 32 * chunk;
    if (n_digits <= 8) {
      for (int i = 0; i < 32; ++i) to[i] += static_cast<Count>(lows[i]) << shift;
    } else {
      __builtin_memcpy(highs, &high, 32);
      for (int i = 0; i < 32; ++i)
        to[i] += (static_cast<Count>(lows[i]) | static_cast<Count>(highs[i]) << 8) << shift;
    }
  }
}

template <class Count>
inline void add_groups(const Word* rows, std::size_t row_words, const std::uint16_t* order,
                       const std::uint32_t* starts, std::size_t n_groups, std::size_t skip,
                       std::uint32_t shift, Count* out, std::size_t out_stride) {
  for (std::size_t g = 0; g < n_groups; ++g) {
    const std::size_t begin = starts[g], size = starts[g + 1] - begin;
    if (g == skip || size == 0) continue;
    int n_digits = 0;
    for (std::size_t rest = size; rest; rest >>= 1) ++n_digits;
    for (std::size_t word = 0; word < row_words; word += 4) {
      const Word* base = rows + word;
      Row digits[kMostDigits + 1];
      for (int k = 4; k <= n_digits || k == 4; ++k) digits[k] = Row{};
      Row ones{}, twos{}, fours{}, eights{}, v[16];
      std::size_t i = 0;
      for (; i + 16 <= size; i += 16) {
        const std::uint16_t* ids = order + begin + i;
        for (int k = 0; k < 16; ++k) v[k] = load_row(base + ids[k] * row_words);
        add16(v, ones, twos, fours, eights, digits + 4);
      }
      if (i < size) {  // the rest, padded with rows of zeros
        const std::uint16_t* ids = order + begin + i;
        const std::size_t left = size - i;
        for (std::size_t k = 0; k < 16; ++k) v[k] = k < left ? load_row(base + ids[k] * row_words) : Row{};
        add16(v, ones, twos, fours, eights, digits + 4);
      }
      digits[0] = ones, digits[1] = twos, digits[2] = fours, digits[3] = eights;
      const std::size_t words = row_words - word < 4 ? row_words - word : 4;
      flush(digits, n_digits, 2 * words, shift, out + g * out_stride + 64 * word);
    }
  }
}

void add_grouped(const Word* rows, std::size_t row_words, const std::uint16_t* order,
                 const std::uint32_t* starts, std::size_t n_groups, std::size_t skip, std::uint32_t shift,
                 std::uint32_t* out, std::size_t out_stride) {
  add_groups(rows, row_words, order, starts, n_groups, skip, shift, out, out_stride);
}

void add_grouped_wide(const Word* rows, std::size_t row_words, const std::uint16_t* order,
                      const std::uint32_t* starts, std::size_t n_groups, std::size_t skip,
                      std::uint32_t shift, std::uint64_t* out, std::size_t out_stride) {
  add_groups(rows, row_words, order, starts, n_groups, skip, shift, out, out_stride);
}

// ------------------------------------------------------------------ codes
// A byte pointer may alias everything; __restrict is what lets these passes be vectorised.
template <class Code, class Column>
inline void extend(Code* __restrict codes, const Column* __restrict column, std::size_t n,
                   std::uint32_t radix) {
  const Code r = static_cast<Code>(radix);
  for (std::size_t i = 0; i < n; ++i) codes[i] = static_cast<Code>(codes[i] * r + column[i]);
}

void pair16_8(std::uint16_t* __restrict codes, const std::uint8_t* __restrict first,
              const std::uint8_t* __restrict second, std::size_t n, std::uint32_t radix) {
  const auto r = static_cast<std::uint16_t>(radix);
  for (std::size_t i = 0; i < n; ++i) codes[i] = static_cast<std::uint16_t>(first[i] * r + second[i]);
}
void extend16_8(std::uint16_t* codes, const std::uint8_t* column, std::size_t n, std::uint32_t radix) {
  extend(codes, column, n, radix);
}
void extend32_8(std::uint32_t* codes, const std::uint8_t* column, std::size_t n, std::uint32_t radix) {
  extend(codes, column, n, radix);
}
void extend32_16(std::uint32_t* codes, const std::uint16_t* column, std::size_t n, std::uint32_t radix) {
  extend(codes, column, n, radix);
}
void extend32_32(std::uint32_t* codes, const std::uint32_t* column, std::size_t n, std::uint32_t radix) {
  extend(codes, column, n, radix);
}

// ------------------------------------------------------------------ blocks of hidden states
#include "blocks.ipp"

// ------------------------------------------------------------------ sums of bytes
#include "sums.ipp"

}  // namespace

extern const Kernels table;
const Kernels table = {TW_NAME,
                       build_planes,
                       and_popcounts,
                       add_grouped,
                       add_grouped_wide,
                       split,
                       pair16_8,
                       extend16_8,
                       extend32_8,
                       extend32_16,
                       extend32_32,
                       fold,
                       {multiply, outer, look_up, tally, times, divide, rescale}};

}  // namespace treewright::TW_LEVEL
