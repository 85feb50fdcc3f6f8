// The average of all networks in which the class and one finding are the parents of all other findings: what
// it says about each row. The states of all findings stand in one line, those of each finding together.
#pragma once

#include <cstdint>
#include <span>

#include "treewright/parallel/cancel.hpp"

namespace treewright {

struct OneDependence {
  std::span<const std::uint32_t>
      starts;                     // where the states of each finding begin; one more entry for the end
  std::span<const double> joint;  // log-probability of a state and a class: states x classes
  std::span<const double> given;  // of a state given the class and another: others x states x classes
  std::size_t n_classes;
};

/// For each row and class the logarithm of the sum, over every state that a row shows or leaves open, of its
/// joint probability with all that the row shows: rows x classes, not normalised. `cells`: rows x findings,
/// places in the line of states, negative where nothing is shown. Throws std::out_of_range for other places.
void one_dependence_logs(const OneDependence& tables, std::span<const std::int32_t> cells,
                         std::span<double> out, Cancel& cancel);

}  // namespace treewright
