// A test framework in a page: CHECK records failures, TEST registers a case, main runs them all.
#pragma once

#include <cstdio>
#include <exception>
#include <functional>
#include <string>
#include <vector>

namespace check {

struct Case {
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
  Register(const char* name, std::function<void()> body) { cases().push_back({name, std::move(body)}); }
};

inline int run_all() {
  int failed = 0;
  for (const auto& one : cases()) {
    const int before = failures();
    try {
      one.body();
    } catch (const std::exception& error) {
      ++failures();
      std::printf("%s: threw %s\n", one.name, error.what());
    }
    failed += failures() != before;
  }
  std::printf("%zu passed, %d failed\n", cases().size() - failed, failed);
  return failed != 0;
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

#define TEST(name)                                           \
  static void name();                                        \
  static const check::Register register_##name(#name, name); \
  static void name()

int main() { return check::run_all(); }
