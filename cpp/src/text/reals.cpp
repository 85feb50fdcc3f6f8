#include "text/reals.hpp"

#include <charconv>
#include <clocale>
#include <cstdlib>
#include <string>
#if __has_include(<xlocale.h>)
#include <xlocale.h>
#endif

namespace treewright {
namespace {

/// By the C library, and not in the language of the process: for numbers whose size `from_chars` refuses, and
/// where there is none.
bool parse_slowly(const std::string& text, double& value) {
  char* end = nullptr;
#if defined(_WIN32)
  static const _locale_t plain = _create_locale(LC_ALL, "C");
  value = _strtod_l(text.c_str(), &end, plain);
#else
  static const locale_t plain = newlocale(LC_ALL_MASK, "C", nullptr);
  value = strtod_l(text.c_str(), &end, plain);
#endif
  return !text.empty() && end == text.c_str() + text.size();
}

}  // namespace

bool parse_real(std::string_view text, double& value) {
#if defined(__cpp_lib_to_chars)
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc::result_out_of_range)  // which tells neither large from small
    return error == std::errc{} && end == text.data() + text.size();
#endif
  return parse_slowly(std::string(text), value);
}

}  // namespace treewright
