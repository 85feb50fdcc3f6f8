// Python face of treewright/gaussian.hpp: shapes, ownership and the GIL, nothing else.
#include "bind.hpp"

void bind_gaussian(nb::module_&) {}
