#include <atomic>
#include <vector>

#include "check.hpp"
#include "treewright/parallel/threads.hpp"

namespace tw = treewright;

TEST(every_index_is_visited_once) {
  for (std::size_t threads : {1, 2, 4}) {
    tw::set_threads(threads);
    tw::Cancel cancel;
    std::vector<std::atomic<int>> seen(1000);
    tw::parallel_for(seen.size(), 1e9, cancel, [&](std::size_t i) { ++seen[i]; });
    for (const auto& n : seen) CHECK(n == 1);
  }
  tw::set_threads(0);
}

TEST(an_exception_of_a_body_arrives) {
  tw::set_threads(4);
  tw::Cancel cancel;
  bool caught = false;
  try {
    tw::parallel_for(100, 1e9, cancel, [](std::size_t i) {
      if (i == 7) throw std::out_of_range("seven");
    });
  } catch (const std::out_of_range&) {
    caught = true;
  }
  CHECK(caught);
  tw::set_threads(0);
}

TEST(a_request_to_stop_is_obeyed) {
  tw::Cancel cancel;
  cancel.request();
  bool caught = false;
  try {
    tw::parallel_for(10, 0, cancel, [](std::size_t) {});
  } catch (const tw::Cancelled&) {
    caught = true;
  }
  CHECK(caught);
}
