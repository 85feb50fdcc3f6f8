// Python face of treewright/sampling.hpp: shapes, ownership and the GIL, nothing else.
#include "bind.hpp"

void bind_sampling(nb::module_&) {}
