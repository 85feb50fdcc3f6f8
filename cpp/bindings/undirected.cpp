// Python face of treewright/undirected.hpp: shapes, ownership and the GIL, nothing else.
#include "bind.hpp"

void bind_undirected(nb::module_&) {}
