// Rows that copies share answer as rows of their own do, whoever writes when.
#include "check.hpp"
#include "treewright/graphs/shared_bits.hpp"
#include "treewright/parallel/seeded_draws.hpp"

namespace tw = treewright;

TEST(shared_bits) {
  tw::Draws draws(11);
  for (const std::size_t n : {0u, 1u, 5u, 64u, 65u, 300u, 2'500u}) {
    std::vector<tw::BitMatrix> own(4, tw::BitMatrix(n));
    std::vector<tw::SharedBits> shared(4, tw::SharedBits(n));
    for (std::size_t i = 0; i < 300 && n > 0; ++i) {
      const std::size_t at = draws.below(4), from = draws.below(4);
      const std::size_t u = draws.below(n), v = draws.below(n);
      switch (draws.below(5)) {
        case 0:
          own[at] = own[from], shared[at] = shared[from];
          break;
        case 1:
          own[at].set(u, v), shared[at].set(u, v);
          break;
        case 2:
          own[at].reset(u, v), shared[at].reset(u, v);
          break;
        case 3:
          own[at].join(u, v), shared[at].join(u, v);
          break;
        case 4:
          own[at].row(u)[v / 64] ^= tw::Word{5}, shared[at].own_row(u)[v / 64] ^= tw::Word{5};
          break;
      }
      CHECK(shared[at].test(u, v) == own[at].test(u, v));
      CHECK((shared[at] == shared[from]) == (own[at] == own[from]));
    }
    for (std::size_t k = 0; k < 4; ++k) {
      CHECK(tw::BitMatrix(shared[k]) == own[k]);
      CHECK(tw::SharedBits(own[k]) == shared[k]);
    }
  }
}
