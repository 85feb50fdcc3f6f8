// Python face of treewright/directed.hpp: shapes, ownership and the GIL, nothing else.
#include "bind.hpp"

void bind_directed(nb::module_&) {}
