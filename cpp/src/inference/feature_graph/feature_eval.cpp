#include "treewright/inference/feature_eval.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <string>

#include "treewright/parallel/threads.hpp"

namespace treewright::features {

namespace {

/// out = log sum_k exp(terms_k), where term(k) is a row of `width` logarithms made by `fill(k, row)`.
template <class Fill>
void join_terms(std::size_t n, std::size_t width, std::vector<double>& terms, double* out, Fill&& fill) {
  terms.resize(n * width);
  for (std::size_t k = 0; k < n; ++k) fill(k, terms.data() + k * width);
  for (std::size_t r = 0; r < width; ++r) {
    double largest = kNever;
    std::size_t finite = 0;
    for (std::size_t k = 0; k < n; ++k) {
      const double term = terms[k * width + r];
      finite += term != kNever;
      largest = std::max(largest, term);
    }
    out[r] = largest;
    if (finite < 2) continue;  // what is observed chooses one child: nothing to add
    double sum = 0;
    for (std::size_t k = 0; k < n; ++k) sum += std::exp(terms[k * width + r] - largest);
    out[r] = largest + std::log(sum);
  }
}

template <class Fill>
void take_best(std::size_t n, std::size_t width, std::vector<double>& terms, double* out, Fill&& fill) {
  terms.resize(width);
  std::fill_n(out, width, kNever);
  for (std::size_t k = 0; k < n; ++k) {
    fill(k, terms.data());
    for (std::size_t r = 0; r < width; ++r) out[r] = std::max(out[r], terms[r]);
  }
}

enum class Way { kSum, kBest, kBound };

/// The rows that give each node a chance: those of its parents, less what is observed otherwise.
void find_live(const Program& program, Workspace& space) {
  const Arena& arena = program.arena();
  const Block block = space.block();
  const auto seen = [&](std::uint32_t variable, std::uint32_t state) {
    const double* likelihood = block.of(variable, state);
    std::uint32_t rows = 0;
    for (std::size_t r = 0; r < space.width; ++r) rows |= (likelihood[r] > 0 ? 1U : 0U) << r;
    return rows;
  };
  space.live.assign(arena.size(), 0);
  space.live.back() = static_cast<std::uint32_t>((std::uint64_t{1} << space.width) - 1);
  for (Id node = arena.root() + 1; node-- > 0;) {
    const std::uint32_t here = space.live[node];
    if (!here) continue;
    const auto children = arena.children_of(node);
    const auto about = arena.integers_of(node);
    for (std::size_t k = 0; k < children.size(); ++k) {
      std::uint32_t rows = here;
      if (arena.kinds[node] == Kind::kSplit) rows &= seen(about[0], about[k + 1]);
      if (arena.kinds[node] == Kind::kFeature && k == 0)
        for (std::size_t i = 0; i < about.size(); i += 2) rows &= seen(about[i], about[i + 1]);
      space.live[children[k]] |= rows;
    }
  }
}

template <Way kWay>
void ask_leaf(const Leaf& leaf, const Block& block, double* room, double* out) {
  if constexpr (kWay == Way::kBest)
    leaf.up_max(block, room, out);
  else if constexpr (kWay == Way::kBound)
    leaf.up_bound(block, room, out);
  else
    leaf.up(block, room, out);
}

/// A leaf that few rows reach sees only those.
template <Way kWay>
void ask_gathered(const Program& program, Workspace& space, Id node, double* out) {
  const Leaf& leaf = *program.leaf(node);
  space.gathered.gather(program, leaf, space.block(), space.live[node]);
  double found[kBlock];
  ask_leaf<kWay>(leaf, space.gathered.block(), space.room.data(), found);
  std::fill_n(out, space.width, kNever);
  for (std::size_t i = 0; i < space.gathered.rows().size(); ++i) out[space.gathered.rows()[i]] = found[i];
}

/// In a room where answers stay, or, when nobody looks at them again, of the rows that need the leaf.
template <Way kWay>
void ask(const Program& program, Workspace& space, Id node, double* room, double* out) {
  if (!room && 2 * std::popcount(space.live[node]) <= static_cast<int>(space.width))
    ask_gathered<kWay>(program, space, node, out);
  else
    ask_leaf<kWay>(*program.leaf(node), space.block(), room ? room : space.room.data(), out);
}

template <Way kWay>
void pass(const Program& program, Workspace& space, double* rooms, const std::vector<std::size_t>& places) {
  const Arena& arena = program.arena();
  const Block block = space.block();
  const std::size_t w = space.width;
  std::vector<double> terms;
  const auto up = [&](Id node) { return space.up.data() + node * w; };
  const auto join = [&](std::size_t n, double* out, auto&& fill) {
    if constexpr (kWay != Way::kSum)
      take_best(n, w, terms, out, fill);
    else
      join_terms(n, w, terms, out, fill);
  };
  for (Id node = 0; node < arena.size(); ++node) {
    double* out = up(node);
    if (!space.live[node]) {
      std::fill_n(out, w, kNever);
      continue;
    }
    const auto children = arena.children_of(node);
    const auto numbers = arena.numbers_of(node);
    const auto about = arena.integers_of(node);
    const auto edge = [&](std::size_t k, double* term) {
      for (std::size_t r = 0; r < w; ++r) term[r] = numbers[k] + up(children[k])[r];
    };
    switch (arena.kinds[node]) {
      case Kind::kOne:
        std::fill_n(out, w, 0.0);
        break;
      case Kind::kAnd:
        std::copy_n(up(children[0]), w, out);
        for (std::size_t k = 1; k < children.size(); ++k)
          for (std::size_t r = 0; r < w; ++r) out[r] += up(children[k])[r];
        break;
      case Kind::kMix:
        if constexpr (kWay == Way::kBound)
          join_terms(children.size(), w, terms, out, edge);
        else
          join(children.size(), out, edge);
        break;
      case Kind::kSplit:
        join(children.size(), out, [&](std::size_t k, double* term) {
          edge(k, term);
          const double* likelihood = block.log_of(about[0], about[k + 1]);
          for (std::size_t r = 0; r < w; ++r) term[r] += likelihood[r];
        });
        break;
      case Kind::kFeature:
        join(2, out, [&](std::size_t k, double* term) {
          edge(k, term);
          for (std::size_t i = 0; k == 0 && i < about.size(); i += 2) {
            const double* likelihood = block.log_of(about[i], about[i + 1]);
            for (std::size_t r = 0; r < w; ++r) term[r] += likelihood[r];
          }
        });
        break;
      default:
        ask<kWay>(program, space, node, rooms ? rooms + places[node] : nullptr, out);
    }
  }
}

}  // namespace

Program::Program(Arena arena) : arena_(std::move(arena)), deterministic_(is_deterministic(arena_)) {
  if (arena_.size() == 0) throw std::invalid_argument("a feature graph has at least one node");
  first_state_.push_back(0);
  for (const std::uint32_t r : arena_.cardinalities) first_state_.push_back(first_state_.back() + r);
  leaves_.reserve(arena_.size());
  for (Id node = 0; node < arena_.size(); ++node) {
    leaves_.push_back(make_leaf(arena_, node));
    row_cost_ += 10 + 2 * static_cast<double>(arena_.numbers_of(node).size());
  }
  take_apart();
}

void Program::take_apart() {
  std::vector<Component> found;
  std::vector<Component> waiting{{arena_.root(), 0.0, {}}};
  while (!waiting.empty()) {
    Component one = std::move(waiting.back());
    waiting.pop_back();
    if (arena_.kinds[one.root] != Kind::kMix) {
      found.push_back(std::move(one));
      continue;
    }
    // mixtures of mixtures that share parts could unfold without end
    if (found.size() + waiting.size() > arena_.size()) return;
    const auto children = arena_.children_of(one.root);
    for (std::size_t k = children.size(); k-- > 0;)
      waiting.push_back({children[k], one.log_weight + arena_.numbers_of(one.root)[k], {}});
  }
  std::vector<std::uint8_t> reached;
  for (Component& one : found) {
    reached.assign(one.root + 1, 0);
    reached[one.root] = 1;
    for (Id node = one.root + 1; node-- > 0;) {
      if (!reached[node]) continue;
      if (arena_.kinds[node] == Kind::kMix) return;
      one.nodes.push_back(node);
      for (const Id child : arena_.children_of(node)) reached[child] = 1;
    }
  }
  components_ = std::move(found);
}

std::size_t Program::room(std::size_t width) const {
  std::size_t largest = 0;
  for (const auto& leaf : leaves_)
    if (leaf) largest = std::max(largest, leaf->room(width));
  return largest;
}

std::vector<std::size_t> room_places(const Program& program) {
  std::vector<std::size_t> places{0};
  for (Id node = 0; node < program.arena().size(); ++node)
    places.push_back(places.back() + (program.leaf(node) ? program.leaf(node)->room(1) : 0));
  return places;
}

Workspace::Workspace(const Program& program, std::size_t width)
    : width(width),
      first_state(program.first_state().data()),
      likelihoods(program.n_states() * width),
      log_likelihoods(program.n_states() * width),
      up(program.arena().size() * width),
      room(program.room(width)) {}

void Workspace::load(const Program& program, const Evidence& evidence, std::span<const std::size_t> picks) {
  const auto& cardinalities = program.arena().cardinalities;
  for (std::size_t v = 0; v < cardinalities.size(); ++v) {
    const std::size_t r = cardinalities[v];
    double* here = likelihoods.data() + first_state[v] * width;
    const double* common = evidence.common.data() + first_state[v];
    for (std::size_t x = 0; x < r; ++x) std::fill_n(here + x * width, width, common[x]);
    if (v >= evidence.rows.columns.size() || !evidence.rows.columns[v].codes) continue;
    const ConstColumn& column = evidence.rows.columns[v];
    const std::uint8_t* missing = evidence.rows.missing[v];
    for (std::size_t i = 0; i < width; ++i) {
      const std::size_t row = picks[i < picks.size() ? i : 0];
      if (missing && missing[row]) continue;
      const std::uint32_t code = column.width == 1   ? static_cast<const std::uint8_t*>(column.codes)[row]
                                 : column.width == 2 ? static_cast<const std::uint16_t*>(column.codes)[row]
                                                     : static_cast<const std::uint32_t*>(column.codes)[row];
      if (code >= r)
        throw std::invalid_argument("code " + std::to_string(code) + " in a column of " + std::to_string(r) +
                                    " states");
      for (std::size_t x = 0; x < r; ++x)
        if (x != code) here[x * width + i] = 0;
    }
  }
  for (std::size_t i = 0; i < likelihoods.size(); ++i)
    log_likelihoods[i] = likelihoods[i] == 1 ? 0 : std::log(likelihoods[i]);
}

void Gathered::gather(const Program& program, const Leaf& leaf, const Block& block, std::uint32_t rows) {
  first_state_ = block.first_state;
  picks_.clear();
  for (; rows; rows &= rows - 1) picks_.push_back(static_cast<std::uint32_t>(std::countr_zero(rows)));
  likelihoods_.resize(program.n_states() * kBlock);
  const std::size_t n = picks_.size();
  for (const std::uint32_t v : leaf.scope())
    for (std::uint32_t x = 0; x < program.arena().cardinalities[v]; ++x) {
      const double* from = block.of(v, x);
      double* to = likelihoods_.data() + (first_state_[v] + x) * n;
      for (std::size_t i = 0; i < n; ++i) to[i] = from[picks_[i]];
    }
}

void pass_up_everywhere(const Program& program, Workspace& space) {
  const auto all = static_cast<std::uint32_t>((std::uint64_t{1} << space.width) - 1);
  space.live.assign(program.arena().size(), all);
  pass<Way::kSum>(program, space, nullptr, {});
}

void pass_up(const Program& program, Workspace& space, double* rooms) {
  find_live(program, space);
  pass<Way::kSum>(program, space, rooms, rooms ? room_places(program) : std::vector<std::size_t>{});
}

void pass_up_max(const Program& program, Workspace& space, double* rooms) {
  find_live(program, space);
  pass<Way::kBest>(program, space, rooms, room_places(program));
}

void pass_up_bound(const Program& program, Workspace& space, double* rooms) {
  find_live(program, space);
  pass<Way::kBound>(program, space, rooms, room_places(program));
}

void log_mass_rows(const Program& program, const Evidence& evidence, double* out, Cancel& cancel) {
  const std::size_t n = evidence.rows.n_rows, task = 16 * kBlock;
  parallel_for((n + task - 1) / task, program.row_cost() * static_cast<double>(n), cancel,
               [&](std::size_t t) {
                 Workspace space(program, kBlock);
                 std::vector<std::size_t> picks;
                 const std::size_t end = std::min(n, (t + 1) * task);
                 for (std::size_t begin = t * task; begin < end; begin += kBlock) {
                   cancel.check();
                   picks.clear();
                   for (std::size_t row = begin; row < std::min(end, begin + kBlock); ++row)
                     picks.push_back(row);
                   space.load(program, evidence, picks);
                   pass_up(program, space);
                   const double* root = space.up.data() + program.arena().root() * kBlock;
                   std::copy_n(root, picks.size(), out + begin);
                 }
               });
}

}  // namespace treewright::features
