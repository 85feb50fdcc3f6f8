// Walks over a dense table beside another one: loop nests with merged axes, no index maps.
//
// The dense side is read in order. The other side moves by one stride per axis, 0 where it has no say.
// Neighbouring axes that move together are joined beforehand, so that most nests are one or two loops deep.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace treewright::forests {

struct Axis {
  std::uint64_t length;
  std::uint64_t stride;  // on the other side; the dense side is in C order
};

using Nest = std::span<const Axis>;  // outermost first

/// Append `axis` as the innermost one, joined with its neighbour where both move as one; axes of length one
/// are dropped. `begin` is where the nest starts in `axes`.
inline void append_axis(std::vector<Axis>& axes, std::size_t begin, Axis axis) {
  if (axis.length == 1) return;
  if (axes.size() > begin) {
    Axis& outer = axes.back();
    if ((axis.stride == 0 && outer.stride == 0) || outer.stride == axis.stride * axis.length) {
      outer.length *= axis.length;
      outer.stride = axis.stride;
      return;
    }
  }
  axes.push_back(axis);
}

}  // namespace treewright::forests
