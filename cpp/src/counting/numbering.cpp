#include "treewright/counting/numbering.hpp"

#include <algorithm>

#include "parallel/kept.hpp"
#include "treewright/counting/dispatch.hpp"

namespace treewright {
namespace {

void extend_ids(std::span<std::uint32_t> ids, CodeColumn column, std::uint32_t radix, std::size_t begin = 0) {
  column.visit([&](const auto* codes) {
    if constexpr (sizeof(*codes) == 1)
      kernels().extend32_8(ids.data(), codes + begin, ids.size(), radix);
    else if constexpr (sizeof(*codes) == 2)
      kernels().extend32_16(ids.data(), codes + begin, ids.size(), radix);
    else
      kernels().extend32_32(ids.data(), codes + begin, ids.size(), radix);
  });
}

void declared_ids(const PackedTable& table, std::span<const std::uint32_t> scope, std::size_t begin,
                  std::span<std::uint32_t> ids) {
  std::fill(ids.begin(), ids.end(), 0);
  for (const std::uint32_t v : scope) extend_ids(ids, table.codes(v), table.cardinality(v), begin);
}

// Number the codes that occur, in rising order: one pass marks, one pass maps.
std::size_t renumber(std::vector<std::uint32_t>& ids, std::size_t bound) {
  std::vector<std::uint32_t> number(bound, 0);
  for (std::uint32_t id : ids) number[id] = 1;
  std::uint32_t next = 0;
  for (std::uint32_t& one : number) one = one ? next++ : 0;
  for (std::uint32_t& id : ids) id = number[id];
  return next;
}

// The same for codes that no array could hold: by sorting.
std::size_t renumber_pairs(std::vector<std::uint32_t>& ids, CodeColumn column, std::uint64_t radix) {
  std::vector<std::uint64_t> keys(ids.size());
  column.visit([&](const auto* codes) {
    for (std::size_t i = 0; i < ids.size(); ++i) keys[i] = ids[i] * radix + codes[i];
  });
  std::vector<std::uint64_t> sorted = keys;
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  for (std::size_t i = 0; i < ids.size(); ++i)
    ids[i] =
        static_cast<std::uint32_t>(std::lower_bound(sorted.begin(), sorted.end(), keys[i]) - sorted.begin());
  return sorted.size();
}

}  // namespace

Contexts configurations(const PackedTable& table, std::span<const std::uint32_t> scope, Cancel& cancel) {
  Contexts out;
  out.ids.assign(table.n_rows(), 0);
  // numbers may run this far before the ones that do not occur are squeezed out
  const std::uint64_t limit = std::max<std::uint64_t>(65536, 4 * table.n_rows());
  std::uint64_t bound = 1;
  bool squeezed = false;
  for (std::uint32_t v : scope) {
    cancel.check();
    const std::uint64_t r = table.cardinality(v);
    const CodeColumn column = table.codes(v);
    if (bound * r > limit && bound > 1) {
      bound = std::max<std::uint64_t>(1, renumber(out.ids, bound));
      squeezed = true;
    }
    if (bound * r > std::max<std::uint64_t>(limit, std::uint64_t{1} << 26)) {
      bound = std::max<std::uint64_t>(1, renumber_pairs(out.ids, column, r));
      squeezed = true;
    } else {
      extend_ids(out.ids, column, static_cast<std::uint32_t>(r));
      bound *= r;
    }
  }
  if (squeezed || bound > kKeepDeclared) {
    bound = renumber(out.ids, bound);
    out.first_row.assign(bound, 0);
    for (std::size_t i = out.ids.size(); i-- > 0;) out.first_row[out.ids[i]] = static_cast<std::uint32_t>(i);
  }
  out.n_groups = bound;
  return out;
}

namespace {

// Codes of the last stage, before they are numbered: of 64 bits.
void wide_codes(const Contexts& contexts, const PackedTable& table, std::size_t begin,
                std::span<std::uint64_t> codes) {
  std::fill(codes.begin(), codes.end(), 0);
  for (std::size_t k = 0; k < contexts.stages.size(); ++k) {
    const Contexts::Stage& stage = contexts.stages[k];
    for (const std::uint32_t v : stage.scope)
      table.codes(v).visit([&](const auto* states) {
        const std::uint64_t r = table.cardinality(v);
        for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = codes[i] * r + states[begin + i];
      });
    if (k + 1 < contexts.stages.size())
      for (std::uint64_t& code : codes) code = stage.known->of(code);
  }
}

// Few declared configurations: a table has the number of each, and the first row is found on the way.
void number_by_table(Contexts& out, const PackedTable& table, std::uint64_t declared, Cancel& cancel) {
  std::vector<std::uint32_t> first(declared, 0), ids;  // 1 + the first row of a configuration
  each_block(table, cancel, [&](std::size_t begin, std::size_t n) {
    ids.resize(n);
    declared_ids(table, out.stages[0].scope, begin, ids);
    for (std::size_t i = 0; i < n; ++i)
      if (first[ids[i]] == 0) first[ids[i]] = static_cast<std::uint32_t>(begin + i + 1);
  });
  std::vector<std::uint32_t> number(declared, 0);
  for (std::size_t code = 0; code < declared; ++code)
    if (first[code]) {
      number[code] = static_cast<std::uint32_t>(out.first_row.size());
      out.first_row.push_back(first[code] - 1);
    }
  out.n_groups = out.first_row.size();
  out.stages[0].known.emplace(std::move(number), out.n_groups);
}

// Many: those that occur are marked or hashed, one stage after the other.
void number_last_stage(Contexts& out, const PackedTable& table, std::uint64_t declared, std::uint64_t marked,
                       Cancel& cancel) {
  KnownCodes known(declared, marked);
  std::vector<std::uint64_t> codes;
  each_block(table, cancel, [&](std::size_t begin, std::size_t n) {
    codes.resize(n);
    wide_codes(out, table, begin, codes);
    known.see(codes);
  });
  known.number();
  out.n_groups = known.size();
  out.stages.back().known = std::move(known);
}

void find_first_rows(Contexts& out, const PackedTable& table, Cancel& cancel) {
  constexpr std::uint32_t kNone = 0xffffffff;
  out.first_row.assign(out.n_groups, kNone);
  std::vector<std::uint32_t> scratch;
  each_block(table, cancel, [&](std::size_t begin, std::size_t n) {
    const std::uint32_t* ids = out.of_block(table, begin, n, scratch);
    for (std::size_t i = 0; i < n; ++i)
      if (out.first_row[ids[i]] == kNone) out.first_row[ids[i]] = static_cast<std::uint32_t>(begin + i);
  });
}

}  // namespace

const std::uint32_t* Contexts::of_block(const PackedTable& table, std::size_t begin, std::size_t n,
                                        std::vector<std::uint32_t>& scratch) const {
  if (are_kept) return ids.data() + begin;
  scratch.resize(n);
  const Stage& last = stages.back();
  if (stages.size() == 1 && (!last.known || !last.known->numbers().empty())) {  // codes of 32 bits
    declared_ids(table, last.scope, begin, scratch);
    if (last.known)
      for (std::uint32_t& id : scratch) id = last.known->numbers()[id];
  } else {
    const Kept<std::vector<std::uint64_t>> kept;
    std::vector<std::uint64_t>& codes = *kept;
    codes.resize(n);
    wide_codes(*this, table, begin, codes);
    for (std::size_t i = 0; i < n; ++i) scratch[i] = last.known->of(codes[i]);
  }
  for (const std::uint32_t v : behind) extend_ids(scratch, table.codes(v), table.cardinality(v), begin);
  return scratch.data();
}

Contexts configurations_in_blocks(const PackedTable& table, std::span<const std::uint32_t> scope,
                                  Cancel& cancel, const Numbering& how) {
  if (table.n_rows() <= how.few_rows) return configurations(table, scope, cancel);
  Contexts out;
  out.are_kept = false;
  out.stages.resize(1);
  std::uint64_t declared = 1;
  for (const std::uint32_t v : scope) {
    const std::uint64_t r = table.cardinality(v);
    if (declared > how.most_codes / r) {
      number_last_stage(out, table, declared, how.marked, cancel);
      declared = out.n_groups;
      out.stages.emplace_back();
    }
    out.stages.back().scope.push_back(v);
    declared *= r;
  }
  out.n_groups = declared;
  if (out.stages.size() == 1 && declared <= kKeepDeclared) return out;
  if (out.stages.size() == 1 && declared <= how.looked_up) {
    number_by_table(out, table, declared, cancel);
  } else {
    number_last_stage(out, table, declared, how.marked, cancel);
    find_first_rows(out, table, cancel);
  }
  return out;
}

void extend(Contexts& contexts, const PackedTable& table, std::uint32_t v) {
  if (contexts.are_kept)
    extend_ids(contexts.ids, table.codes(v), table.cardinality(v));
  else
    contexts.behind.push_back(v);
  contexts.n_groups *= table.cardinality(v);
}

}  // namespace treewright
