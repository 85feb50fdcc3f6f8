#include "treewright/inference/feature_sample.hpp"

#include <algorithm>

#include "treewright/parallel/threads.hpp"

namespace treewright::features {

namespace {

class Sampler {
 public:
  Sampler(const Program& program, const Evidence& evidence)
      : program_(program), space_(program, 1), places_(room_places(program)), rooms_(places_.back()) {
    const std::size_t row[] = {0};
    space_.load(program, evidence, row);
    pass_up(program, space_, rooms_.data());
    for (Id node = 0; node < program.arena().size(); ++node)
      if (program.leaf(node)) program.leaf(node)->prepare(rooms_.data() + places_[node]);
  }

  double log_mass() const { return space_.up[program_.arena().root()]; }

  void draw(RowDraws& draws, std::vector<Id>& waiting, std::uint32_t* codes) const {
    const Arena& arena = program_.arena();
    waiting.assign(1, arena.root());
    while (!waiting.empty()) {
      const Id node = waiting.back();
      waiting.pop_back();
      const auto children = arena.children_of(node);
      const auto about = arena.integers_of(node);
      switch (arena.kinds[node]) {
        case Kind::kOne:
          break;
        case Kind::kAnd:
          waiting.insert(waiting.end(), children.begin(), children.end());
          break;
        case Kind::kMix:
          waiting.push_back(children[choose(node, draws)]);
          break;
        case Kind::kSplit: {
          const std::size_t k = choose(node, draws);
          codes[about[0]] = about[k + 1];
          waiting.push_back(children[k]);
          break;
        }
        case Kind::kFeature: {
          const std::size_t k = choose(node, draws);
          for (std::size_t i = 0; k == 0 && i < about.size(); i += 2) codes[about[i]] = about[i + 1];
          waiting.push_back(children[k]);
          break;
        }
        default:
          program_.leaf(node)->draw(space_.block(), rooms_.data() + places_[node], draws, codes);
      }
    }
  }

 private:
  std::size_t choose(Id node, RowDraws& draws) const {
    const Arena& arena = program_.arena();
    const auto children = arena.children_of(node);
    return draws.choose(children.size(), [&](std::size_t k) {
      const double log = arena.numbers_of(node)[k] + space_.up[children[k]] + decided(node, k);
      return std::exp(log - space_.up[node]);
    });
  }

  /// The likelihood of what child k settles.
  double decided(Id node, std::size_t k) const {
    const Block block = space_.block();
    const auto about = program_.arena().integers_of(node);
    if (program_.arena().kinds[node] == Kind::kSplit) return *block.log_of(about[0], about[k + 1]);
    double log = 0;
    if (program_.arena().kinds[node] == Kind::kFeature && k == 0)
      for (std::size_t i = 0; i < about.size(); i += 2) log += *block.log_of(about[i], about[i + 1]);
    return log;
  }

  const Program& program_;
  Workspace space_;
  std::vector<std::size_t> places_;
  std::vector<double> rooms_;
};

void store(const Column& column, std::size_t row, std::uint32_t code) {
  if (column.width == 1)
    static_cast<std::uint8_t*>(column.codes)[row] = static_cast<std::uint8_t>(code);
  else if (column.width == 2)
    static_cast<std::uint16_t*>(column.codes)[row] = static_cast<std::uint16_t>(code);
  else
    static_cast<std::uint32_t*>(column.codes)[row] = code;
}

}  // namespace

double sample_rows(const Program& program, std::vector<double> common, std::uint64_t seed,
                   std::uint64_t first_row, std::size_t n_rows, std::span<const Column> columns,
                   Cancel& cancel) {
  const Evidence evidence{std::move(common), {}};
  const Sampler sampler(program, evidence);
  if (sampler.log_mass() == kNever) return kNever;
  constexpr std::size_t kRows = 1024;
  const double cost = 30 * static_cast<double>(n_rows) * static_cast<double>(columns.size());
  parallel_for((n_rows + kRows - 1) / kRows, cost, cancel, [&](std::size_t t) {
    cancel.check();
    std::vector<std::uint32_t> codes(columns.size(), 0);
    std::vector<Id> waiting;
    for (std::size_t row = t * kRows; row < std::min(n_rows, (t + 1) * kRows); ++row) {
      RowDraws draws(seed, first_row + row);
      sampler.draw(draws, waiting, codes.data());
      for (std::size_t v = 0; v < columns.size(); ++v) store(columns[v], row, codes[v]);
    }
  });
  return sampler.log_mass();
}

}  // namespace treewright::features
