// Python face of treewright/counting/table_memory.hpp, and the source that asks Python.
#include "table_memory.hpp"

#include <algorithm>

#include "packed.hpp"
#include "treewright/criteria/counted_answers.hpp"

namespace {

using Tables = std::vector<Indices>;

/// Counts from Python callables: lists of scopes in, one array or (codes, counts) for each out.
class CalledSource final : public tw::TableSource {
 public:
  CalledSource(nb::callable count, nb::callable count_sparse, Indices cardinalities, std::int64_t total)
      : count_(std::move(count)),
        count_sparse_(std::move(count_sparse)),
        cardinalities_(std::move(cardinalities)),
        total_(total) {}
  ~CalledSource() override {
    const nb::gil_scoped_acquire locked;
    count_.reset(), count_sparse_.reset();
  }

  const Indices& cardinalities() const override { return cardinalities_; }
  std::int64_t total() const override { return total_; }

  std::vector<std::vector<std::int64_t>> count(const Tables& scopes, tw::Cancel&) override {
    const nb::gil_scoped_acquire locked;
    std::vector<std::vector<std::int64_t>> found;
    for (const nb::handle one : nb::cast<nb::list>(count_(as_tuples(scopes)))) {
      const auto cells = nb::cast<Array<std::int64_t>>(one);
      found.emplace_back(cells.data(), cells.data() + cells.size());
    }
    return found;
  }
  std::vector<tw::SparseTable<std::int64_t>> count_sparse(const Tables& scopes, tw::Cancel&) override {
    const nb::gil_scoped_acquire locked;
    std::vector<tw::SparseTable<std::int64_t>> found;
    for (const nb::handle one : nb::cast<nb::list>(count_sparse_(as_tuples(scopes)))) {
      const auto [codes, counts] = nb::cast<std::pair<Array<std::int64_t>, Array<std::int64_t>>>(one);
      if (codes.size() != counts.size()) throw std::invalid_argument("one count for each code");
      found.push_back(
          {{codes.data(), codes.data() + codes.size()}, {counts.data(), counts.data() + counts.size()}});
    }
    return found;
  }

 private:
  static nb::list as_tuples(const Tables& scopes) {
    nb::list asked;
    for (const Indices& scope : scopes) {
      nb::list items;
      for (const std::uint32_t v : scope) items.append(v);
      asked.append(nb::tuple(items));
    }
    return asked;
  }

  nb::callable count_, count_sparse_;
  Indices cardinalities_;
  std::int64_t total_;
};

void check_sets(const tw::TableMemory& memory, const Tables& scopes) {
  const Indices& states = memory.source().cardinalities();
  for (const Indices& scope : scopes)
    for (std::size_t i = 0; i < scope.size(); ++i) {
      if (scope[i] >= states.size()) throw std::out_of_range("there is no such variable");
      if (states[scope[i]] == 0) throw std::invalid_argument("a continuous variable has no states to count");
      if (std::find(scope.begin(), scope.begin() + i, scope[i]) != scope.begin() + i)
        throw std::invalid_argument("a scope names each variable once");
    }
}

/// Tables in the order of their scopes.
std::vector<tw::CountTable> recalled(tw::TableMemory& memory, const Tables& scopes) {
  check_sets(memory, scopes);
  Tables sets = scopes;
  for (Indices& set : sets) std::ranges::sort(set);
  return interruptible([&](tw::Cancel& cancel) {
    const auto tables = memory.tables(sets, cancel);
    std::vector<tw::CountTable> found;
    for (std::size_t i = 0; i < scopes.size(); ++i)
      found.push_back(tw::in_order(*tables[i], scopes[i], memory.source().cardinalities()));
    return found;
  });
}

std::vector<nb::object> dense_tables(tw::TableMemory& memory, const Tables& scopes) {
  std::vector<nb::object> out;
  for (tw::CountTable& table : recalled(memory, scopes)) {
    if (table.is_sparse) {
      std::vector<std::int64_t> cells(static_cast<std::size_t>(memory.cells(table.scope)), 0);
      for (std::size_t i = 0; i < table.codes.size(); ++i)
        cells[static_cast<std::size_t>(table.codes[i])] = table.counts[i];
      table.counts = std::move(cells);
    }
    std::vector<std::size_t> shape;
    for (const std::uint32_t v : table.scope) shape.push_back(memory.source().cardinalities()[v]);
    out.push_back(shaped(std::move(table.counts), std::move(shape)));
  }
  return out;
}

std::vector<std::pair<OutArray<std::int64_t>, OutArray<std::int64_t>>> sparse_tables(tw::TableMemory& memory,
                                                                                     const Tables& scopes) {
  std::vector<std::pair<OutArray<std::int64_t>, OutArray<std::int64_t>>> out;
  for (tw::CountTable& table : recalled(memory, scopes)) {
    if (!table.is_sparse) {
      std::vector<std::int64_t> counts;
      for (std::size_t cell = 0; cell < table.counts.size(); ++cell)
        if (table.counts[cell] != 0)
          table.codes.push_back(static_cast<std::int64_t>(cell)), counts.push_back(table.counts[cell]);
      table.counts = std::move(counts);
    }
    out.emplace_back(to_numpy(std::move(table.codes)), to_numpy(std::move(table.counts)));
  }
  return out;
}

}  // namespace

void bind_table_memory(nb::module_& m) {
  nb::class_<tw::TableMemory>(m, "TableMemory",
                              "Tables that were counted, and what can be added up from them.")
      .def_static(
          "of_rows",
          [](const TablePointer& table, std::size_t most_bytes) {
            checked(table);
            return std::make_shared<tw::TableMemory>(std::make_shared<tw::PackedSource>(table), most_bytes);
          },
          "table"_a, "most_bytes"_a = tw::TableMemory::kDefaultBytes, "Tables of packed rows.")
      .def_static(
          "of_calls",
          [](nb::callable count, nb::callable count_sparse, Indices cardinalities, std::int64_t total,
             std::size_t most_bytes) {
            auto source = std::make_shared<CalledSource>(std::move(count), std::move(count_sparse),
                                                         std::move(cardinalities), total);
            return std::make_shared<tw::TableMemory>(std::move(source), most_bytes);
          },
          "count"_a, "count_sparse"_a, "cardinalities"_a, "total"_a,
          "most_bytes"_a = tw::TableMemory::kDefaultBytes,
          "`count` gives flat arrays of all cells, `count_sparse` pairs of codes and counts.")
      .def("counts", &dense_tables, "scopes"_a, "All cells of each scope.")
      .def("sparse_counts", &sparse_tables, "scopes"_a, "Codes (rising) and counts of the occupied cells.")
      .def_prop_ro("n_bytes", &tw::TableMemory::bytes)
      .def_prop_ro(
          "tally",
          [](const tw::TableMemory& self) {
            return std::tuple{self.tally().rounds, self.tally().tables, self.source().passes()};
          },
          "Questions that reached the source, tables asked of it, passes over rows.");
}
