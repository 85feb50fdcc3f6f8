// Sums of bytes, as packed files keep them: included by kernels.ipp.
//
// A CRC is a remainder of polynomials over bits, so what lies far in front can be moved closer to the end by
// a product without changing the remainder. Four registers of 16 bytes walk over the bytes, each moved by 64
// at a time; what is left of all of them is 16 bytes whose sum is that of everything before.

#if defined(__PCLMUL__)
// x^n over the polynomial of CRC-32, its bits reversed, as a carry-less product wants it.
constexpr Word power_of_x(int n) {
  std::uint32_t rest = 0x80000000u;
  for (int i = 0; i < n; ++i) rest = rest >> 1 ^ (rest & 1 ? 0xedb88320u : 0u);
  return Word{rest} << 1;
}

// Moves 16 bytes so many bytes closer to the end, onto those that are there.
template <int kBytes>
inline __m128i moved(__m128i from, __m128i onto) {
  const __m128i by = _mm_set_epi64x(static_cast<long long>(power_of_x(8 * kBytes - 32)),
                                    static_cast<long long>(power_of_x(8 * kBytes + 32)));
  const __m128i low = _mm_clmulepi64_si128(from, by, 0x00), high = _mm_clmulepi64_si128(from, by, 0x11);
  return _mm_xor_si128(_mm_xor_si128(low, high), onto);
}

std::size_t fold(const std::uint8_t* bytes, std::size_t n, std::uint32_t before, std::uint8_t* rest) {
  constexpr std::size_t kStep = 64;
  if (n < kStep) return 0;
  const auto load = [&](std::size_t at) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + at));
  };
  __m128i own[4] = {_mm_xor_si128(load(0), _mm_cvtsi32_si128(static_cast<int>(before))), load(16), load(32),
                    load(48)};
  std::size_t at = kStep;
  for (; at + kStep <= n; at += kStep)
    for (std::size_t i = 0; i < 4; ++i) own[i] = moved<kStep>(own[i], load(at + 16 * i));
  for (std::size_t i = 1; i < 4; ++i) own[i] = moved<16>(own[i - 1], own[i]);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(rest), own[3]);
  return at;
}
#else
std::size_t fold(const std::uint8_t*, std::size_t, std::uint32_t, std::uint8_t*) { return 0; }
#endif
