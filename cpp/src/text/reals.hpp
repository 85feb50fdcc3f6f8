// Texts as real numbers, wherever the standard library can or cannot.
#pragma once

#include <string_view>

namespace treewright {

/// The nearest number to a text of a minus or none, figures, a point and an exponent, or nan, or inf,
/// whatever the language of the process; one that is too large is infinite, one that is too small is zero or
/// next to it. False if the text is anything else.
bool parse_real(std::string_view text, double& value);

}  // namespace treewright
