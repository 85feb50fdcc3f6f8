#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "treewright/inference/loopy.hpp"
#include "treewright/parallel/threads.hpp"

namespace treewright {
namespace {

constexpr std::size_t kPseudoRowsPerTask = 512;  // rows

std::uint32_t code_at(const ConstColumn& column, std::size_t row) {
  switch (column.width) {
    case 1:
      return static_cast<const std::uint8_t*>(column.codes)[row];
    case 2:
      return static_cast<const std::uint16_t*>(column.codes)[row];
    default:
      return static_cast<const std::uint32_t*>(column.codes)[row];
  }
}

struct Use {
  std::uint32_t table;
  std::uint64_t stride;
};

}  // namespace

void pseudo_log_rows(const ScopedTables& product, std::span<const ConstColumn> columns, std::span<double> out,
                     Cancel& cancel) {
  product.validate();
  const std::size_t n = product.cardinalities.size(), n_tables = product.scopes.size();
  std::vector<std::vector<Use>> uses(n);
  std::vector<std::vector<double>> logs(n_tables);
  for (std::uint32_t f = 0; f < n_tables; ++f) {
    for (const double cell : product.tables[f]) logs[f].push_back(std::log(cell));
    std::uint64_t stride = 1;
    for (std::size_t k = product.scopes[f].size(); k-- > 0;) {
      uses[product.scopes[f][k]].push_back({f, stride});
      stride *= product.cardinalities[product.scopes[f][k]];
    }
  }
  const std::size_t n_blocks = (out.size() + kPseudoRowsPerTask - 1) / kPseudoRowsPerTask;
  const double each = 20.0 * static_cast<double>(n + n_tables) * static_cast<double>(out.size());
  parallel_for(n_blocks, each, cancel, [&](std::size_t block) {
    std::vector<std::uint32_t> states(n);
    std::vector<std::uint64_t> cells(n_tables);
    std::vector<double> energies;
    for (std::size_t row = block * kPseudoRowsPerTask;
         row < std::min(out.size(), (block + 1) * kPseudoRowsPerTask); ++row) {
      for (std::size_t v = 0; v < n; ++v) {
        states[v] = code_at(columns[v], row);
        if (states[v] >= product.cardinalities[v])
          throw std::out_of_range("a row holds a code that is no state of its variable");
      }
      std::fill(cells.begin(), cells.end(), 0);
      for (std::size_t v = 0; v < n; ++v)
        for (const Use& use : uses[v]) cells[use.table] += states[v] * use.stride;
      double sum = 0;
      for (std::size_t v = 0; v < n; ++v) {
        energies.assign(product.cardinalities[v], 0.0);
        for (const Use& use : uses[v]) {
          const std::uint64_t first = cells[use.table] - states[v] * use.stride;
          for (std::size_t s = 0; s < energies.size(); ++s)
            energies[s] += logs[use.table][first + s * use.stride];
        }
        const double largest = *std::max_element(energies.begin(), energies.end());
        double mass = 0;
        for (const double energy : energies) mass += std::exp(energy - largest);
        // where no state of the variable is possible, the row is not
        sum += largest == -std::numeric_limits<double>::infinity()
                   ? largest
                   : energies[states[v]] - largest - std::log(mass);
      }
      out[row] = sum;
    }
  });
}

}  // namespace treewright
