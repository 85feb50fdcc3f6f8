// Python face of treewright/spanning.hpp: shapes, ownership and the GIL, nothing else.
#include "bind.hpp"

void bind_spanning(nb::module_&) {}
