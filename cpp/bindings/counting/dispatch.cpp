// Python face of treewright/dispatch.hpp: which kernels run.
#include "treewright/counting/dispatch.hpp"

#include "bind.hpp"

void bind_dispatch(nb::module_& m) {
  m.def("simd_level", [] { return std::string(tw::kernels().level); }, "Vector level of the kernels in use.");
  m.def("simd_levels", &tw::simd_levels, "Vector levels of this build and processor, narrowest first.");
  m.def("set_simd_level", &tw::set_simd_level, "level"_a, "Switch kernels; every level gives the same bits.");
}
