// Python face of treewright/counting/mapped.hpp: packed files.
#include "treewright/counting/mapped.hpp"

#include <nanobind/stl/optional.h>

#include "keep_alive.hpp"
#include "packed.hpp"

namespace {

using Bytes = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using SectionPointer = std::shared_ptr<tw::MappedSections>;
using Maybe = std::optional<std::size_t>;

std::size_t place(const Maybe& section) { return section.value_or(tw::MappedRows::kNone); }

// Damage is told as the error that Python has for files, with its message.
void raise_format_error(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const tw::DamagedFile& damage) {
    const nb::object error = nb::module_::import_("treewright.errors").attr("FormatError");
    PyErr_SetString(error.ptr(), damage.what());
  }
}

nb::object words(const TablePointer& table, const tw::Word* data, std::vector<std::size_t> shape) {
  return nb::cast(
      nb::ndarray<nb::numpy, const std::uint64_t>(data, shape.size(), shape.data(), nb::find(table)));
}

nb::tuple bits_of(const TablePointer& table) {
  std::vector<bool> wide;
  for (std::size_t v = 0; v < checked(table).n_variables(); ++v) wide.push_back(table->is_wide(v));
  std::vector<std::int64_t> marginals;
  const auto [planes, rows] = interruptible([&](tw::Cancel& cancel) {
    if (!table->is_real())
      for (const auto& counts : table->marginals(cancel))
        marginals.insert(marginals.end(), counts.begin(), counts.end());
    return std::pair{&table->planes(cancel), &table->row_bits(cancel)};
  });
  return nb::make_tuple(
      wide, planes->words, words(table, planes->bits.data(), {planes->count(), planes->stride}),
      words(table, rows->bits.data(), {table->n_rows() * rows->words}), to_numpy(std::move(marginals)));
}

}  // namespace

void bind_mapped(nb::module_& m) {
  nb::register_exception_translator(raise_format_error);
  m.def(
      "crc32",
      [](const Bytes& bytes, std::uint32_t before) {
        const nb::gil_scoped_release unlocked;
        return tw::crc32({bytes.data(), bytes.size()}, before);
      },
      "bytes"_a, "before"_a = 0, "The sum that sections of packed files are checked with, that of zlib.");

  nb::class_<tw::MappedSections>(m, "MappedSections", "The bytes of a mapped file, in sections.")
      .def(
          "__init__",
          [](tw::MappedSections* self, const std::string& path, const Bytes& bytes,
             const std::vector<std::tuple<std::string, std::size_t, std::size_t, std::size_t,
                                          std::vector<std::uint32_t>>>& listed,
             int file) {
            std::vector<tw::FileSection> sections;
            for (const auto& [name, offset, length, part, sums] : listed)
              sections.push_back({name, offset, length, part, sums});
            std::vector<nb::object> kept{nb::cast(bytes)};
            new (self) tw::MappedSections(path, {bytes.data(), bytes.size()}, std::move(sections), file,
                                          keep_alive(std::move(kept)));
          },
          "path"_a, "bytes"_a, "sections"_a, "file"_a = -1,
          "Sections are (name, offset, length, bytes of a part, sums).")
      .def(
          "check",
          [](const tw::MappedSections& self, std::size_t section) {
            interruptible([&](tw::Cancel& cancel) { self.trusted(section, cancel); });
          },
          "section"_a, "Compare a section with its sums, once; damage raises FormatError.");

  m.def(
      "mapped_table",
      [](const SectionPointer& file, const Indices& cardinalities, std::size_t n_rows,
         const std::vector<std::pair<Maybe, std::uint8_t>>& codes, const std::vector<std::uint8_t>& wide,
         const std::tuple<Maybe, Maybe, Maybe, Maybe>& others, bool is_real, std::int64_t total,
         double real_total, std::pair<std::size_t, std::size_t> run, const Indices& first_planes,
         const Indices& first_states, const std::optional<Array<std::int64_t>>& integer_weights,
         const std::optional<Array<double>>& real_weights) {
        tw::MappedRows rows{file, {}, {}, wide};
        std::tie(rows.begin, rows.n_file_rows) = run;
        rows.first_planes = first_planes, rows.first_states = first_states;
        for (const auto& [section, width] : codes) {
          rows.codes.push_back(place(section));
          rows.widths.push_back(width);
        }
        std::tie(rows.planes, rows.row_bits, rows.marginals, rows.weights) =
            std::apply([](const auto&... section) { return std::tuple{place(section)...}; }, others);
        rows.is_real = is_real, rows.total = total, rows.real_total = real_total;
        tw::RowWeights weights;
        std::vector<nb::object> kept;
        if (integer_weights) {
          if (integer_weights->size() != n_rows) throw std::invalid_argument("one weight a row");
          weights.integers = integer_weights->data();
          kept.push_back(nb::cast(*integer_weights));
        }
        if (real_weights) {
          if (real_weights->size() != n_rows) throw std::invalid_argument("one weight a row");
          weights.reals = real_weights->data();
          kept.push_back(nb::cast(*real_weights));
        }
        return std::make_shared<tw::PackedTable>(std::move(rows), cardinalities, n_rows, weights,
                                                 keep_alive(std::move(kept)));
      },
      "file"_a, "cardinalities"_a, "n_rows"_a, "codes"_a, "wide"_a, "others"_a, "is_real"_a, "total"_a,
      "real_total"_a, "run"_a, "first_planes"_a, "first_states"_a, "integer_weights"_a = nb::none(),
      "real_weights"_a = nb::none(),
      "Rows that stay in their file; `others` are the sections of planes, row bits, marginals and weights, "
      "`run` the first row and the rows of the file, the firsts where a column has planes and marginals.");

  m.def("plane_stride", &tw::plane_stride, "n_rows"_a, "Words between the planes of so many rows.");
  m.def("bits_of", &bits_of, "table"_a,
        "Wide flags, words of a plane, planes, row bits and marginals of a packed table.");
}
