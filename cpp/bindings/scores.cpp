// Python face of treewright/scores.hpp: shapes, ownership and the GIL, nothing else.
#include "bind.hpp"

void bind_scores(nb::module_&) {}
