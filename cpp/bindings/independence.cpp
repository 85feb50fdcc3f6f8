// Python face of treewright/independence.hpp: shapes, ownership and the GIL, nothing else.
#include "bind.hpp"

void bind_independence(nb::module_&) {}
