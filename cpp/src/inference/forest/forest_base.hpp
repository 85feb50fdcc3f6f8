// One tree for every question: the factors of each node multiplied beforehand.
#pragma once

#include "treewright/inference/forest_plan.hpp"

namespace treewright::forests {

void multiply_base(const FactorSet& set, Plan& plan);

}  // namespace treewright::forests
