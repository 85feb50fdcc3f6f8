// A test framework in a page: CHECK records failures, TEST registers a case, main runs them.
#pragma once

#include <cstdio>
#include <exception>
#include <functional>
#include <string_view>
#include <thread>
#include <vector>

namespace check {

struct Case {
  std::string_view file;
  const char* name;
  std::function<void()> body;
};

inline std::vector<Case>& cases() {
  static std::vector<Case> all;
  return all;
}

inline int& failures() {
  static int n = 0;
  return n;
}

struct Register {
  Register(const char* file, const char* name, std::function<void()> body) {
    cases().push_back({file, name, std::move(body)});
  }
};

/// "folder/test_x.cpp" is test_x.
inline std::string_view stem_of(std::string_view path) {
  const std::string_view name = path.substr(path.find_last_of("/\\") + 1);
  return name.substr(0, name.find('.'));
}

/// Run the cases of one file, or all of them, in some way; a file without any is a failure.
inline int run_all(std::string_view file, const std::function<void(const Case&)>& run_one) {
  int run = 0, failed = 0;
  for (const auto& one : cases()) {
    if (!file.empty() && stem_of(one.file) != file) continue;
    ++run;
    const int before = failures();
    try {
      run_one(one);
    } catch (const std::exception& error) {
      ++failures();
      std::printf("%s: threw %s\n", one.name, error.what());
    }
    failed += failures() != before;
  }
  std::printf("%d passed, %d failed\n", run - failed, failed);
  return failed != 0 || run == 0;
}

/// Call `body(i)` on n threads at once; what one of them throws is thrown here.
inline void side_by_side(std::size_t n, const std::function<void(std::size_t)>& body) {
  std::vector<std::exception_ptr> thrown(n);
  std::vector<std::thread> threads;
  threads.reserve(n);
  const auto join = [&] {
    for (auto& thread : threads) thread.join();
  };
  try {
    for (std::size_t i = 0; i < n; ++i)
      threads.emplace_back([&, i] {
        try {
          body(i);
        } catch (...) {
          thrown[i] = std::current_exception();
        }
      });
  } catch (...) {
    join();
    throw;
  }
  join();
  for (const auto& error : thrown)
    if (error) std::rethrow_exception(error);
}

template <class Error, class F>
bool throws(F&& f) {
  try {
    f();
  } catch (const Error&) {
    return true;
  }
  return false;
}

}  // namespace check

#define CHECK(condition)                                                        \
  do {                                                                          \
    if (!(condition)) {                                                         \
      ++check::failures();                                                      \
      std::printf("%s:%d: CHECK(%s) failed\n", __FILE__, __LINE__, #condition); \
    }                                                                           \
  } while (false)

#define TEST(name)                                                     \
  static void name();                                                  \
  static const check::Register register_##name(__FILE__, #name, name); \
  static void name()
