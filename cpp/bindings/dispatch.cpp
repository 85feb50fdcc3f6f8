// Python face of treewright/dispatch.hpp: shapes, ownership and the GIL, nothing else.
#include "bind.hpp"

void bind_dispatch(nb::module_&) {}
