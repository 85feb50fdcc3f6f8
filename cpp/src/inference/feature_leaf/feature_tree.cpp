// Trees and k-trees as leaves: one message per variable, to the last placed of its parents.
//
// The belief of a family is P(x | parents) times the likelihoods of x times the messages of the families that
// hang on x; its sum over x is the message. As the parents form a clique, the message fits into the family of
// the last of them, its *host*.
#include <algorithm>

#include "treewright/inference/feature_leaf.hpp"

namespace treewright::features {

namespace {

struct Family {
  std::uint32_t variable, states;
  std::vector<std::uint32_t> parents, strides;  // positions, and steps in the parents' cells
  std::size_t first, parent_cells;              // numbers begin here: parent_cells x states
  std::size_t belief, message;                  // where they lie in a room of width one
  std::uint32_t host = kNoParent;
  std::vector<std::uint32_t> into_message;  // per cell of the host: the cell of the message

  std::size_t cells() const { return parent_cells * states; }
};

class TreeLeaf final : public Leaf {
 public:
  TreeLeaf(const Arena& arena, Id node) : logs_(arena.numbers_of(node)) {
    const auto about = arena.integers_of(node);
    std::size_t at = 1, first = 0;
    for (std::uint32_t i = 0; i < about[0]; ++i) {
      Family family{};
      family.variable = about[at];
      family.states = arena.cardinalities[family.variable];
      family.parents.assign(about.begin() + static_cast<std::ptrdiff_t>(at) + 2,
                            about.begin() + static_cast<std::ptrdiff_t>(at) + 2 + about[at + 1]);
      at += 2 + family.parents.size();
      lay_out(family, first);
      first += family.cells();
      variables_.push_back(family.variable);
      families_.push_back(std::move(family));
    }
    for (const double log : logs_) cells_.push_back(std::exp(log));
  }

  std::span<const std::uint32_t> scope() const override { return variables_; }

  void add_log(const CodeBlock& rows, Picks picks, double* out) const override {
    for (const Family& family : families_) {
      const std::uint32_t* codes = rows.of(family.variable);
      const double* logs = logs_.data() + family.first;
      if (family.parents.empty()) {
        for (const auto row : picks) out[row] += logs[codes[row]];
      } else if (family.parents.size() == 1) {
        const std::uint32_t* above = rows.of(families_[family.parents[0]].variable);
        for (const auto row : picks) out[row] += logs[above[row] * family.states + codes[row]];
      } else {
        for (const auto row : picks) out[row] += logs[cell_of(family, rows, row)];
      }
    }
  }

  void add_counts(const CodeBlock& rows, Picks picks, const double* weights, double* counts) const override {
    for (const Family& family : families_)
      for (const auto row : picks) counts[family.first + cell_of(family, rows, row)] += weights[row];
  }

  std::size_t room(std::size_t width) const override { return (room_ + largest_) * width; }

  void up(const Block& block, double* room, double* out) const override {
    pass(block, room, out, [](double a, double b) { return a + b; });
  }
  void up_max(const Block& block, double* room, double* out) const override {
    pass(block, room, out, [](double a, double b) { return a < b ? b : a; });
  }

  void flow(const Block& block, double* room, const double* weight, const Flows& flows) const override {
    const std::size_t w = block.width;
    double* above = room + room_ * w;  // the joint distribution of the parents, then divided by the message
    for (const Family& family : families_) {
      if (family.host == kNoParent)
        std::copy_n(weight, w, above);
      else
        project(family, room, above, w);
      const double* message = room + family.message * w;
      for (std::size_t i = 0; i < family.parent_cells * w; ++i)
        above[i] = above[i] > 0 ? above[i] / message[i] : 0;
      for (std::size_t cell = 0; cell < family.cells(); ++cell) {
        double* belief = room + (family.belief + cell) * w;
        const double* factor = above + cell / family.states * w;
        double sum = 0;
        for (std::size_t r = 0; r < w; ++r) sum += belief[r] *= factor[r];
        if (flows.counts) flows.counts[family.first + cell] += sum;
        if (!flows.marginals) continue;
        double* states = flows.marginals + (block.first_state[family.variable] + cell % family.states) * w;
        for (std::size_t r = 0; r < w; ++r) states[r] += belief[r];
      }
    }
  }

  void decode(const Block&, const double* room, std::uint32_t* codes) const override {
    for (const Family& family : families_) {
      const double* begin = row_of_beliefs(family, room, codes);
      codes[family.variable] =
          static_cast<std::uint32_t>(std::max_element(begin, begin + family.states) - begin);
    }
  }

  void draw(const Block&, const double* room, RowDraws& draws, std::uint32_t* codes) const override {
    for (const Family& family : families_) {
      const double* begin = row_of_beliefs(family, room, codes);
      const auto state = draws.choose(family.states, [&](std::size_t x) { return begin[x]; });
      codes[family.variable] = static_cast<std::uint32_t>(state);
    }
  }

 private:
  void lay_out(Family& family, std::size_t first) {
    family.first = first;
    family.strides.resize(family.parents.size());
    std::uint32_t stride = 1;
    for (std::size_t i = family.parents.size(); i-- > 0;) {
      family.strides[i] = stride;
      stride *= families_[family.parents[i]].states;
    }
    family.parent_cells = stride;
    if (!family.parents.empty()) {
      family.host = *std::max_element(family.parents.begin(), family.parents.end());
      map_host(family);
    }
    family.belief = room_;
    family.message = room_ + family.cells();
    room_ += family.cells() + family.parent_cells;
    largest_ = std::max(largest_, family.parent_cells);
  }

  /// Which cell of the message belongs to each cell of the host's family.
  void map_host(Family& family) {
    const Family& host = families_[family.host];
    family.into_message.assign(host.cells(), 0);
    for (std::size_t i = 0; i < family.parents.size(); ++i) {
      std::size_t step = 1, states = host.states;
      if (family.parents[i] != family.host) {
        const auto found = std::find(host.parents.begin(), host.parents.end(), family.parents[i]);
        step = host.strides[static_cast<std::size_t>(found - host.parents.begin())] * host.states;
        states = families_[family.parents[i]].states;
      }
      for (std::size_t cell = 0; cell < host.cells(); ++cell)
        family.into_message[cell] += static_cast<std::uint32_t>(cell / step % states) * family.strides[i];
    }
  }

  template <class Join>
  void pass(const Block& block, double* room, double* out, Join join) const {
    const std::size_t w = block.width;
    for (const Family& family : families_)
      for (std::size_t cell = 0; cell < family.cells(); ++cell) {
        const double p = cells_[family.first + cell];
        const double* likelihood = block.of(family.variable, cell % family.states);
        double* belief = room + (family.belief + cell) * w;
        for (std::size_t r = 0; r < w; ++r) belief[r] = p * likelihood[r];
      }
    Scales scales(out, w);
    for (std::size_t i = families_.size(); i-- > 0;) {
      const Family& family = families_[i];
      double* message = room + family.message * w;
      for (std::size_t cell = 0; cell < family.parent_cells; ++cell) {
        double* sum = message + cell * w;
        const double* belief = room + (family.belief + cell * family.states) * w;
        std::copy_n(belief, w, sum);
        for (std::size_t x = 1; x < family.states; ++x)
          for (std::size_t r = 0; r < w; ++r) sum[r] = join(sum[r], belief[x * w + r]);
      }
      if (family.host == kNoParent) {
        scales.finish(message);
        continue;
      }
      const Family& host = families_[family.host];
      double* belief = room + host.belief * w;
      for (std::size_t cell = 0; cell < host.cells(); ++cell) {
        const double* factor = message + family.into_message[cell] * w;
        for (std::size_t r = 0; r < w; ++r) belief[cell * w + r] *= factor[r];
      }
      scales.rescale(belief, host.cells());
    }
  }

  void project(const Family& family, const double* room, double* above, std::size_t w) const {
    std::fill_n(above, family.parent_cells * w, 0.0);
    const Family& host = families_[family.host];
    for (std::size_t cell = 0; cell < host.cells(); ++cell) {
      const double* belief = room + (host.belief + cell) * w;
      double* sum = above + family.into_message[cell] * w;
      for (std::size_t r = 0; r < w; ++r) sum[r] += belief[r];
    }
  }

  std::size_t cell_of(const Family& family, const CodeBlock& rows, std::size_t row) const {
    std::size_t above = 0;
    for (std::size_t i = 0; i < family.parents.size(); ++i)
      above += family.strides[i] * rows.of(families_[family.parents[i]].variable)[row];
    return above * family.states + rows.of(family.variable)[row];
  }

  const double* row_of_beliefs(const Family& family, const double* room, const std::uint32_t* codes) const {
    std::size_t above = 0;
    for (std::size_t i = 0; i < family.parents.size(); ++i)
      above += family.strides[i] * codes[families_[family.parents[i]].variable];
    return room + family.belief + above * family.states;
  }

  std::span<const double> logs_;
  std::vector<double> cells_;
  std::vector<Family> families_;
  std::vector<std::uint32_t> variables_;
  std::size_t room_ = 0, largest_ = 1;
};

}  // namespace

std::unique_ptr<Leaf> make_tree_leaf(const Arena& arena, Id node) {
  return std::make_unique<TreeLeaf>(arena, node);
}

}  // namespace treewright::features
