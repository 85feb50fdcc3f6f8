// Whether numbers became too small for all of their digits, as the processor remembers it.
//
// Products and sums of positive numbers keep their digits unless they underflow, and every underflow raises a
// flag that stays: reading it costs a few cycles for a whole propagation, and no loop has to look at its
// cells.
#pragma once

#if defined(__SSE2__)
#include <xmmintrin.h>
#else
#include <cfenv>
#endif

namespace treewright::forests {

/// The flag of the calling thread, lowered at the beginning.
class LostDigits {
 public:
  LostDigits() {
    if (seen()) lower();
  }

#if defined(__SSE2__)
  bool seen() const {
    settle();
    return _mm_getcsr() & kUnderflow;
  }

 private:
  static constexpr unsigned kUnderflow = 0x10;
  static void lower() { _mm_setcsr(_mm_getcsr() & ~kUnderflow); }
  // what was stored so far is computed before the flag is read
  static void settle() { asm volatile("" ::: "memory"); }
#else
  bool seen() const { return std::fetestexcept(FE_UNDERFLOW) != 0; }

 private:
  static void lower() { std::feclearexcept(FE_UNDERFLOW); }
#endif
};

// A number that underflows is wrong by less than 2^-1074. While messages keep more than this of what their
// largest cells allow, no sum of such errors comes near 1e-289 of the whole.
inline constexpr double kSafe = 1e-25, kLogSafe = -57.5;

}  // namespace treewright::forests
