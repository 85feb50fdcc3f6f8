// Evidence of many rows, read through any width of codes.
#pragma once

#include <algorithm>
#include <stdexcept>

#include "parallel/draws.hpp"
#include "treewright/inference/forest_batch.hpp"

namespace treewright::forests {

inline constexpr std::int64_t kUnseen = -1;

class EvidenceReader {
 public:
  explicit EvidenceReader(const EvidenceRows& rows) : rows_(rows) {
    for (Var v = 0; v < rows.columns.size(); ++v)
      if (rows.columns[v].codes) seen_.push_back(v);
  }

  std::span<const Var> seen() const { return seen_; }

  std::int64_t code(std::size_t row, Var v) const {
    if (!rows_.columns[v].codes || (rows_.missing[v] && rows_.missing[v][row])) return kUnseen;
    std::int64_t code = 0;
    with_codes(rows_.columns[v].codes, rows_.columns[v].width, [&](const auto* codes) { code = codes[row]; });
    return code;
  }

  /// The codes of a whole row, one per variable.
  void read(std::size_t row, std::span<std::int64_t> codes) const {
    for (Var v = 0; v < codes.size(); ++v) codes[v] = code(row, v);
  }

  bool equal(std::size_t a, std::size_t b) const {
    return std::ranges::all_of(seen_, [&](Var v) { return code(a, v) == code(b, v); });
  }

  Evidence evidence(std::size_t row) const {
    Evidence out;
    for (const Var v : seen_)
      if (const std::int64_t c = code(row, v); c != kUnseen) {
        out.observed.push_back(v);
        out.states.push_back(static_cast<std::uint32_t>(c));
      }
    return out;
  }

  /// A number that equal rows share, from the codes or from the pattern of missing cells alone.
  std::vector<std::uint64_t> hashes(bool codes_too) const {
    std::vector<std::uint64_t> hash(rows_.n_rows, 0x9E3779B97F4A7C15);
    for (const Var v : seen_)
      with_codes(rows_.columns[v].codes, rows_.columns[v].width, [&](const auto* codes) {
        const std::uint8_t* const missing = rows_.missing[v];
        for (std::size_t r = 0; r < rows_.n_rows; ++r) {
          const std::uint64_t item = missing && missing[r] ? 0
                                     : codes_too           ? std::uint64_t{codes[r]} + 1
                                                           : std::uint64_t{1};
          const std::uint64_t mixed = (hash[r] ^ item) * 0xBF58476D1CE4E5B9;
          hash[r] = mixed ^ (mixed >> 29);
        }
      });
    return hash;
  }

 private:
  const EvidenceRows& rows_;
  std::vector<Var> seen_;
};

/// Throws unless there is a column per variable whose codes are states of it.
inline void check_rows(std::span<const std::uint32_t> cardinalities, const EvidenceRows& rows) {
  if (rows.columns.size() != cardinalities.size() || rows.missing.size() != cardinalities.size())
    throw std::invalid_argument("one column per variable is needed");
  for (Var v = 0; v < cardinalities.size(); ++v) {
    if (!rows.columns[v].codes) continue;
    with_codes(rows.columns[v].codes, rows.columns[v].width, [&](const auto* codes) {
      for (std::size_t r = 0; r < rows.n_rows; ++r)
        if (codes[r] >= cardinalities[v] && !(rows.missing[v] && rows.missing[v][r]))
          throw std::out_of_range("a row holds a code that is no state of its variable");
    });
  }
}

}  // namespace treewright::forests
