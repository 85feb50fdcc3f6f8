// Python face of treewright/independence.hpp, chi_square.hpp and permutation.hpp: shapes, ownership and the
// GIL.
#include "treewright/criteria/independence.hpp"

#include "bind.hpp"
#include "settings.hpp"
#include "treewright/criteria/chi_square.hpp"
#include "treewright/criteria/permutation.hpp"

namespace {

using Codes = std::vector<Array<std::int64_t>>;
using Shapes = Matrix<std::int64_t>;
using Judged = std::pair<OutArray<double>, OutArray<double>>;

template <class T>
std::vector<tw::TestTable<T>> tables_of(const Codes& codes, const std::vector<Cells<T>>& counts,
                                        const Shapes& states, const Array<double>& slices) {
  const std::size_t n = counts.size();
  if (states.shape(0) != n || states.shape(1) != 2 || slices.size() != n ||
      (!codes.empty() && codes.size() != n))
    throw std::invalid_argument("two numbers of states, one of slices and one array of codes for each table");
  std::vector<tw::TestTable<T>> tables;
  tables.reserve(n);
  for (std::size_t i = 0; i < n; ++i)
    tables.push_back({codes.empty() ? std::span<const std::int64_t>{} : span_of(codes[i]),
                      {counts[i].data(), counts[i].size()},
                      static_cast<std::size_t>(states.data()[2 * i]),
                      static_cast<std::size_t>(states.data()[2 * i + 1]),
                      slices.data()[i]});
  return tables;
}

template <class Settings, class T>
Judged judge(const Settings& settings, double n_rows, const std::vector<tw::TestTable<T>>& tables) {
  std::vector<double> first(tables.size()), second(tables.size());
  interruptible([&](tw::Cancel& cancel) {
    tw::test_tables<T>(settings, n_rows, std::span<const tw::TestTable<T>>(tables), first, second, cancel);
  });
  return {to_numpy(std::move(first)), to_numpy(std::move(second))};
}

template <class T>
void bind_tests_of(nb::module_& m) {
  m.def(
      "test_tables",
      [](const std::string& statistic, const std::string& degrees, double n_rows, const Codes& codes,
         const std::vector<Cells<T>>& counts, const Shapes& states, const Array<double>& slices) {
        return judge(test_settings(statistic, degrees), n_rows, tables_of<T>(codes, counts, states, slices));
      },
      "statistic"_a, "degrees"_a, "n_rows"_a, "codes"_a.noconvert(), "counts"_a.noconvert(), "states"_a,
      "slices"_a,
      "Statistics and degrees of freedom of tables, strata x u x v; `codes` is empty for dense tables.");
  m.def(
      "posterior_tables",
      [](double prior, double alpha, double beta, double gamma, bool all_slices, double n_rows,
         const Codes& codes, const std::vector<Cells<T>>& counts, const Shapes& states,
         const Array<double>& slices) {
        return judge(tw::PosteriorSettings{prior, alpha, beta, gamma, all_slices}, n_rows,
                     tables_of<T>(codes, counts, states, slices));
      },
      "prior"_a, "alpha"_a, "beta"_a, "gamma"_a, "all_slices"_a, "n_rows"_a, "codes"_a.noconvert(),
      "counts"_a.noconvert(), "states"_a, "slices"_a, "log P(independent) and log P(dependent) of tables.");
}

template <class F>
OutArray<double> mapped(const Array<double>& input, F&& f) {
  std::vector<double> output(input.size());
  for (std::size_t i = 0; i < output.size(); ++i) output[i] = f(i);
  return to_numpy(std::move(output));
}

}  // namespace

void bind_independence(nb::module_& m) {
  bind_tests_of<std::int64_t>(m);
  bind_tests_of<double>(m);
  m.def(
      "permutation_tables",
      [](std::int64_t permutations, double alpha, bool stop_early, const Codes& codes,
         const std::vector<Cells<std::int64_t>>& counts, const Shapes& states, const Array<double>& slices,
         const Array<std::uint64_t>& keys) {
        const auto tables = tables_of<std::int64_t>(codes, counts, states, slices);
        std::vector<double> p(tables.size());
        interruptible([&](tw::Cancel& cancel) {
          tw::permutation_p({permutations, alpha, stop_early}, tables, span_of(keys), p, cancel);
        });
        return to_numpy(std::move(p));
      },
      "permutations"_a, "alpha"_a, "stop_early"_a, "codes"_a.noconvert(), "counts"_a.noconvert(), "states"_a,
      "slices"_a, "keys"_a, "Permutation p-values of tables; each test draws from the stream of its key.");
  m.def(
      "chi_square_sf",
      [](const Array<double>& x, const Array<double>& df) {
        if (x.size() != df.size()) throw std::invalid_argument("one df for each x");
        return mapped(x, [&](std::size_t i) { return tw::chi_square_sf(x.data()[i], df.data()[i]); });
      },
      "x"_a, "df"_a, "Upper tail of the chi-square distribution.");
  m.def(
      "critical_values",
      [](double alpha, const Array<double>& df) {
        const auto level = tw::CriticalValues::of(alpha);
        return mapped(df, [&](std::size_t i) { return (*level)(df.data()[i]); });
      },
      "alpha"_a, "df"_a,
      "The chi-square values that are exceeded with probability alpha; each is computed once.");
}
