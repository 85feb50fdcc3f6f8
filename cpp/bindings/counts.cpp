// Python face of treewright/counts.hpp: shapes, ownership and the GIL, nothing else.
#include "bind.hpp"

void bind_counts(nb::module_&) {}
