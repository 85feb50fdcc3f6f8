// Python face of treewright/text/csv.hpp and arrow.hpp: shapes, ownership and the GIL, nothing else.
#include "treewright/text/csv.hpp"

#include <nanobind/stl/optional.h>

#include "bind.hpp"
#include "treewright/text/arrow.hpp"

namespace {

nb::list texts_of(const std::vector<std::string>& texts) {
  nb::list result;
  for (const std::string& text : texts) {
    PyObject* made = PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), nullptr);
    if (made == nullptr) throw nb::python_error();
    result.append(nb::steal(made));
  }
  return result;
}

/// Kind ("whole", "real", "text" or "nothing"), distinct values or those of every row, codes or None, flags
/// of missing rows or None.
nb::tuple columns_as_python(tw::FieldValues&& found) {
  constexpr const char* kinds[] = {"nothing", "whole", "real", "text"};
  nb::object values = found.kind == tw::FieldKind::whole  ? nb::cast(to_numpy(std::move(found.wholes)))
                      : found.kind == tw::FieldKind::real ? nb::cast(to_numpy(std::move(found.reals)))
                                                          : nb::object(texts_of(found.texts));
  nb::object codes = nb::none(), missing = nb::none();
  if (found.is_coded)
    codes = std::visit([](auto&& own) { return nb::cast(to_numpy(std::move(own))); }, std::move(found.codes));
  if (!found.missing.empty()) missing = nb::cast(to_numpy(std::move(found.missing)));
  return nb::make_tuple(kinds[static_cast<std::size_t>(found.kind)], values, codes, missing);
}

nb::tuple arrow_as_python(tw::ArrowColumn&& found) {
  if (auto* texts = std::get_if<tw::FieldValues>(&found.values)) {
    const nb::tuple column = columns_as_python(std::move(*texts));
    if (!found.is_declared) return column;
    return nb::make_tuple("declared", nb::make_tuple(column[1], texts_of(found.declared)), column[2],
                          column[3]);
  }
  nb::object missing = nb::none(), values;
  if (!found.missing.empty()) missing = nb::cast(to_numpy(std::move(found.missing)));
  if (auto* wholes = std::get_if<tw::WholeNumbers>(&found.values))
    values = std::visit([](auto&& own) { return nb::cast(to_numpy(std::move(own))); }, std::move(*wholes));
  else if (auto* large = std::get_if<std::vector<std::uint64_t>>(&found.values))
    values = nb::cast(to_numpy(std::move(*large)));
  else
    values = nb::cast(to_numpy(std::move(std::get<std::vector<double>>(found.values))));
  const bool is_real = std::holds_alternative<std::vector<double>>(found.values);
  const char* kind = is_real ? "real" : found.is_truth ? "truth" : "whole";
  return nb::make_tuple(kind, values, nb::none(), missing);
}

tw::ArrowArrayStream& stream_in(nb::handle capsule) {
  auto* stream =
      static_cast<tw::ArrowArrayStream*>(PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream"));
  if (stream == nullptr) throw nb::python_error();
  return *stream;
}

nb::list read_rows(tw::ArrowReader& reader, std::size_t n_rows, std::size_t expected) {
  std::vector<tw::ArrowColumn> columns =
      interruptible([&](tw::Cancel& cancel) { return reader.read(n_rows, cancel, expected); });
  nb::list result;
  for (tw::ArrowColumn& column : columns) result.append(arrow_as_python(std::move(column)));
  return result;
}

std::optional<std::size_t> read_codes(
    tw::ArrowReader& reader,
    const nb::ndarray<std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>& into, std::size_t begin,
    const Indices& cardinalities) {
  if (into.shape(0) != cardinalities.size()) throw std::invalid_argument("one row of codes a column");
  return interruptible([&](tw::Cancel& cancel) {
    return reader.read_codes({into.data(), into.shape(1), cardinalities}, begin, cancel);
  });
}

}  // namespace

void bind_csv(nb::module_& m) {
  nb::class_<tw::CsvReader>(m, "CsvReader",
                            "Delimited files, block by block, into columns: open, feed, close, finish.")
      .def(
          "__init__",
          [](tw::CsvReader* self, const std::vector<bool>& keeps_texts,
             const std::vector<std::string>& missing) {
            std::vector<tw::FieldRules> rules;
            for (const bool keeps : keeps_texts) rules.push_back({keeps, true, missing});
            new (self) tw::CsvReader(std::move(rules));
          },
          "keeps_texts"_a, "missing"_a,
          "One column for each entry, numbers in it kept as texts or not; `missing` texts stand for nothing.")
      .def(
          "open",
          [](tw::CsvReader& self, std::vector<std::int32_t> columns, const std::string& delimiter,
             bool header, std::size_t first_line, bool fills_short) {
            if (delimiter.size() != 1) throw std::invalid_argument("a delimiter is one byte");
            self.open({std::move(columns), delimiter[0], header, first_line, fills_short});
          },
          "columns"_a, "delimiter"_a, "header"_a, "first_line"_a = 1, "fills_short"_a = false,
          "Begin with a file: the column of each field, or -1; the number of its first line; whether records "
          "with too few fields miss the last ones.")
      .def(
          "feed",
          [](tw::CsvReader& self, const nb::bytes& block) {
            const std::string_view bytes(block.c_str(), block.size());
            interruptible([&](tw::Cancel& cancel) { self.feed(bytes, cancel); });
          },
          "block"_a, "Take the next bytes of the file.")
      .def(
          "close",
          [](tw::CsvReader& self) { interruptible([&](tw::Cancel& cancel) { self.close(cancel); }); },
          "The file has ended.")
      .def_prop_ro("nbytes", &tw::CsvReader::bytes)
      .def_prop_ro(
          "filled",
          [](const tw::CsvReader& self) { return nb::make_tuple(self.n_filled(), self.filled_lines()); },
          "How many records were filled, and the lines of the first.")
      .def_prop_ro("spoilt",
                   [](tw::CsvReader& self) {
                     std::vector<std::size_t> found;
                     for (std::size_t i = 0; i < self.columns().size(); ++i)
                       if (self.columns()[i].is_spoilt()) found.push_back(i);
                     return found;
                   })
      .def(
          "finish",
          [](tw::CsvReader& self, std::size_t column) {
            return columns_as_python(self.columns().at(column).finish());
          },
          "column"_a, "Hand over a column: kind, values, codes or None, flags of missing rows or None.");
  nb::class_<tw::ArrowReader>(m, "ArrowReader", "A stream of Arrow batches, some rows at a time.")
      .def(
          "__init__",
          [](tw::ArrowReader* self, nb::handle capsule) { new (self) tw::ArrowReader(stream_in(capsule)); },
          "capsule"_a, "Takes over what `__arrow_c_stream__` gave.")
      .def_prop_ro("names", [](const tw::ArrowReader& self) { return texts_of(self.names()); })
      .def("read", &read_rows, "n_rows"_a, "expected"_a = 0,
           "The columns of at least `n_rows` rows, or of those that are left, each as CsvReader.finish hands "
           "it over; a dictionary that is the same throughout as (texts, all that it declares). Nothing at "
           "the end. Room is made for as many rows as are expected.")
      .def("read_codes", &read_codes, "into"_a, "begin"_a, "cardinalities"_a,
           "Columns of bytes that count labels from 1 as codes, each a row of `into` that is filled from "
           "`begin` on: how many came. None where a cell is missing or no label.");
}
