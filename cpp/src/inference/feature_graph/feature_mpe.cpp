#include "treewright/inference/feature_mpe.hpp"

#include <algorithm>

namespace treewright::features {

namespace {

/// Follow the best child of every node from the root.
std::vector<std::uint32_t> read_off(const Program& program, const Workspace& space, const double* rooms) {
  const Arena& arena = program.arena();
  const Block block = space.block();
  const auto places = room_places(program);
  std::vector<std::uint32_t> codes(arena.cardinalities.size(), 0);
  std::vector<Id> waiting{arena.root()};
  while (!waiting.empty()) {
    const Id node = waiting.back();
    waiting.pop_back();
    const auto children = arena.children_of(node);
    const auto numbers = arena.numbers_of(node);
    const auto about = arena.integers_of(node);
    const auto value = [&](std::size_t k) { return numbers[k] + space.up[children[k]]; };
    switch (arena.kinds[node]) {
      case Kind::kOne:
        break;
      case Kind::kAnd:
        waiting.insert(waiting.end(), children.begin(), children.end());
        break;
      case Kind::kMix: {
        std::size_t best = 0;
        for (std::size_t k = 1; k < children.size(); ++k)
          if (value(k) > value(best)) best = k;
        waiting.push_back(children[best]);
        break;
      }
      case Kind::kSplit: {
        std::size_t best = 0;
        const auto weighed = [&](std::size_t k) { return value(k) + *block.log_of(about[0], about[k + 1]); };
        for (std::size_t k = 1; k < children.size(); ++k)
          if (weighed(k) > weighed(best)) best = k;
        codes[about[0]] = about[best + 1];
        waiting.push_back(children[best]);
        break;
      }
      case Kind::kFeature: {
        double holds = value(0);
        for (std::size_t i = 0; i < about.size(); i += 2) holds += *block.log_of(about[i], about[i + 1]);
        const bool chosen = holds > value(1);
        for (std::size_t i = 0; chosen && i < about.size(); i += 2) codes[about[i]] = about[i + 1];
        waiting.push_back(children[chosen ? 0 : 1]);
        break;
      }
      default:
        program.leaf(node)->decode(block, rooms + places[node], codes.data());
    }
  }
  return codes;
}

/// One row and all that differ from it in one variable that is not settled.
class Neighbours {
 public:
  Neighbours(const Program& program, const std::vector<double>& common) : program_(program), common_(common) {
    const auto& cardinalities = program.arena().cardinalities;
    for (std::uint32_t v = 0; v < cardinalities.size(); ++v)
      for (std::uint32_t x = 0; x < cardinalities[v]; ++x)
        if (common[program.first_state()[v] + x] > 0) changes_.push_back({v, x});
  }

  /// Log of the mass of the row after each change.
  std::vector<double> weigh(const std::vector<std::uint32_t>& codes, Cancel& cancel) const {
    std::vector<double> logs(changes_.size());
    constexpr std::size_t kRows = 256;
    for (std::size_t begin = 0; begin < changes_.size(); begin += kRows) {
      const std::size_t n = std::min(kRows, changes_.size() - begin);
      std::vector<std::uint32_t> rows(codes.size() * n);
      std::vector<ConstColumn> columns;
      for (std::size_t v = 0; v < codes.size(); ++v) {
        std::fill_n(rows.begin() + static_cast<std::ptrdiff_t>(v * n), n, codes[v]);
        columns.push_back({rows.data() + v * n, sizeof(std::uint32_t)});
      }
      for (std::size_t i = 0; i < n; ++i)
        rows[changes_[begin + i].first * n + i] = changes_[begin + i].second;
      log_probability_rows(program_, columns, n, logs.data() + begin, cancel);
    }
    const double here = likelihood(codes);
    for (std::size_t i = 0; i < changes_.size(); ++i) {
      const auto [v, x] = changes_[i];
      const double* states = common_.data() + program_.first_state()[v];
      logs[i] += here - std::log(states[codes[v]]) + std::log(states[x]);
    }
    return logs;
  }

  double likelihood(const std::vector<std::uint32_t>& codes) const {
    double log = 0;
    for (std::size_t v = 0; v < codes.size(); ++v)
      log += std::log(common_[program_.first_state()[v] + codes[v]]);
    return log;
  }

  std::pair<std::uint32_t, std::uint32_t> change(std::size_t i) const { return changes_[i]; }
  std::size_t size() const { return changes_.size(); }

 private:
  const Program& program_;
  const std::vector<double>& common_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> changes_;
};

/// Take the best single change again and again, while it gains.
void ascend(const Program& program, const std::vector<double>& common, BestRow& best, Cancel& cancel) {
  const Neighbours neighbours(program, common);
  best.log_mass = kNever;
  while (neighbours.size()) {
    const auto logs = neighbours.weigh(best.codes, cancel);
    const auto found = static_cast<std::size_t>(std::max_element(logs.begin(), logs.end()) - logs.begin());
    if (!(logs[found] > best.log_mass + 1e-12)) break;  // the row itself is among its neighbours
    best.log_mass = logs[found];
    const auto [v, x] = neighbours.change(found);
    best.codes[v] = x;
  }
}

}  // namespace

BestRow most_probable(const Program& program, std::vector<double> common, Cancel& cancel) {
  const Evidence evidence{std::move(common), {}};
  const std::size_t row[] = {0};
  Workspace space(program, 1);
  space.load(program, evidence, row);
  std::vector<double> rooms(room_places(program).back());
  pass_up_max(program, space, rooms.data());
  const double reached = space.up[program.arena().root()];
  BestRow best{std::vector<std::uint32_t>(program.arena().cardinalities.size(), 0), reached, reached};
  if (reached == kNever) return best;
  best.codes = read_off(program, space, rooms.data());
  if (program.deterministic()) return best;
  ascend(program, evidence.common, best, cancel);
  pass_up_bound(program, space, rooms.data());
  best.log_bound = std::max(best.log_mass, space.up[program.arena().root()]);
  return best;
}

}  // namespace treewright::features
