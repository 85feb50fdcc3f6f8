// Hidden trees as leaves: every variable has a hidden state, and the hidden states form a tree.
//
// P(x, z) = pi(z_root) prod_i T_i[z_parent, z_i] E_i[z_i, x_i]. With `ar` an emission also sees the parent's
// observed value, so that messages are indexed by that value (the *context*) and the hidden state:
//
//   belief[c][h]   likelihood (ar: of x = c, otherwise with the emission summed out) times the messages
//   inner[k][h]    belief with the emission under the parent's context k summed out (ar only)
//   message[k][g]  sum_h T[g][h] inner[k][h], multiplied into the parent's belief[k][g]
#include <algorithm>
#include <stdexcept>

#include "treewright/inference/feature_leaf.hpp"

namespace treewright::features {

namespace {

struct HiddenSite {
  std::uint32_t variable, states, parent;
  std::size_t contexts, parent_contexts;  // 1 without ar
  std::size_t transition, emission;       // where the numbers begin
  std::size_t belief, inner, message;     // where they lie in a room of width one
};

struct SumOfStates {
  static double join(double a, double b) { return a + b; }
};
struct BestOfStates {
  static double join(double a, double b) { return a < b ? b : a; }
};

class HiddenLeaf final : public Leaf {
 public:
  HiddenLeaf(const Arena& arena, Id node)
      : h_(arena.integers_of(node)[0]), ar_(arena.integers_of(node)[1] != 0) {
    const auto about = arena.integers_of(node);
    std::size_t number = 0;
    for (std::uint32_t i = 0; i < about[2]; ++i) {
      HiddenSite site{};
      site.variable = about[3 + 2 * i];
      site.states = arena.cardinalities[site.variable];
      site.parent = about[4 + 2 * i];
      const bool root = site.parent == kNoParent;
      site.contexts = ar_ ? site.states : 1;
      site.parent_contexts = root ? 1 : sites_[site.parent].contexts;
      site.transition = number;
      site.emission = number + (root ? h_ : h_ * h_);
      number = site.emission + site.parent_contexts * h_ * site.states;
      site.belief = room_;
      site.inner = ar_ ? site.belief + site.contexts * h_ : site.belief;
      site.message = site.inner + site.parent_contexts * h_;
      room_ = site.message + site.parent_contexts * h_;
      widest_ = std::max(widest_, site.parent_contexts * h_);
      sites_.push_back(site);
      variables_.push_back(site.variable);
    }
    for (const double log : arena.numbers_of(node)) p_.push_back(std::exp(log));
  }

  std::span<const std::uint32_t> scope() const override { return variables_; }

  void add_log(const CodeBlock& rows, Picks picks, double* out) const override {
    constexpr std::size_t kWidth = 16;
    std::vector<double> room((sites_.size() * h_ + h_ + 1) * kWidth);
    for (std::size_t begin = 0; begin < picks.size(); begin += kWidth)
      add_log_block(rows, picks.subspan(begin, std::min(kWidth, picks.size() - begin)), room.data(), out);
  }

  void add_counts(const CodeBlock&, Picks, const double*, double*) const override {
    throw std::logic_error("hidden states are not counted");
  }

  std::size_t room(std::size_t width) const override { return (room_ + 2 * widest_ + h_) * width; }

  void up(const Block& block, double* room, double* out) const override {
    pass<SumOfStates, SumOfStates>(block, room, out);
  }
  void up_max(const Block& block, double* room, double* out) const override {
    pass<BestOfStates, BestOfStates>(block, room, out);
  }
  void up_bound(const Block& block, double* room, double* out) const override {
    pass<SumOfStates, BestOfStates>(block, room, out);
  }

  void flow(const Block& block, double* room, const double* weight, const Flows& flows) const override {
    const std::size_t w = block.width;
    double* ratio = room + room_ * w;     // posterior of the parent over the message
    double* reach = ratio + widest_ * w;  // sum_g T[g][h] ratio[k][g]
    double* spare = reach + widest_ * w;
    for (const HiddenSite& site : sites_) {
      if (site.parent == kNoParent)
        start(site, room, weight, reach, spare, flows, w);
      else
        descend(site, room, ratio, reach, flows, w);
      if (ar_)
        spread_with_context(block, site, room, reach, flows);
      else
        spread(block, site, room, reach, spare, flows);
    }
  }

  void decode(const Block& block, const double* room, std::uint32_t* codes) const override {
    walk(block, room, codes, [](std::size_t n, auto&& weight) {
      std::size_t best = 0;
      for (std::size_t i = 1; i < n; ++i)
        if (weight(i) > weight(best)) best = i;
      return best;
    });
  }

  void draw(const Block& block, const double* room, RowDraws& draws, std::uint32_t* codes) const override {
    walk(block, room, codes, [&](std::size_t n, auto&& weight) { return draws.choose(n, weight); });
  }

 private:
  const double* transition(const HiddenSite& site) const { return p_.data() + site.transition; }
  const double* emission(const HiddenSite& site) const { return p_.data() + site.emission; }

  void add_log_block(const CodeBlock& rows, Picks picks, double* room, double* out) const {
    const std::size_t w = picks.size();
    double* message = room + sites_.size() * h_ * w;
    double* logs = message + h_ * w;
    std::fill_n(room, sites_.size() * h_ * w, 1.0);
    Scales scales(logs, w);
    for (std::size_t i = sites_.size(); i-- > 0;) {
      const HiddenSite& site = sites_[i];
      double* belief = room + i * h_ * w;
      for (std::size_t r = 0; r < w; ++r) {
        const std::size_t x = rows.of(site.variable)[picks[r]];
        const std::size_t k =
            ar_ && site.parent != kNoParent ? rows.of(sites_[site.parent].variable)[picks[r]] : 0;
        const double* p = emission(site) + k * h_ * site.states + x;
        for (std::size_t h = 0; h < h_; ++h) belief[h * w + r] *= p[h * site.states];
      }
      scales.rescale(belief, h_);
      if (site.parent == kNoParent) {
        std::fill_n(message, w, 0.0);
        for (std::size_t h = 0; h < h_; ++h)
          for (std::size_t r = 0; r < w; ++r) message[r] += transition(site)[h] * belief[h * w + r];
        scales.finish(message);
        continue;
      }
      send<SumOfStates>(transition(site), belief, message, w);
      double* above = room + site.parent * h_ * w;
      for (std::size_t j = 0; j < h_ * w; ++j) above[j] *= message[j];
      scales.rescale(above, h_);
    }
    for (std::size_t r = 0; r < w; ++r) out[picks[r]] += logs[r];
  }

  /// message[g] = sum_h T[g][h] inner[h]
  template <class Join>
  void send(const double* t, const double* inner, double* message, std::size_t w) const {
    for (std::size_t g = 0; g < h_; ++g) {
      double* sum = message + g * w;
      std::fill_n(sum, w, 0.0);
      for (std::size_t h = 0; h < h_; ++h) {
        const double p = t[g * h_ + h];
        const double* here = inner + h * w;
        for (std::size_t r = 0; r < w; ++r) sum[r] = Join::join(sum[r], p * here[r]);
      }
    }
  }

  template <class Join, class Seen>  // over hidden states, over states
  void pass(const Block& block, double* room, double* out) const {
    const std::size_t w = block.width;
    for (const HiddenSite& site : sites_) begin<Seen>(block, site, room + site.belief * w);
    Scales scales(out, w);
    for (std::size_t i = sites_.size(); i-- > 0;) {
      const HiddenSite& site = sites_[i];
      if (ar_) emit<Seen>(site, room, w);
      const double* inner = room + site.inner * w;
      double* message = room + site.message * w;
      if (site.parent == kNoParent) {
        std::fill_n(message, w, 0.0);
        for (std::size_t h = 0; h < h_; ++h)
          for (std::size_t r = 0; r < w; ++r)
            message[r] = Join::join(message[r], transition(site)[h] * inner[h * w + r]);
        scales.finish(message);
        continue;
      }
      for (std::size_t k = 0; k < site.parent_contexts; ++k)
        send<Join>(transition(site), inner + k * h_ * w, message + k * h_ * w, w);
      double* above = room + sites_[site.parent].belief * w;
      const std::size_t cells = site.parent_contexts * h_;
      for (std::size_t j = 0; j < cells * w; ++j) above[j] *= message[j];
      scales.rescale(above, cells);
    }
  }

  template <class Join>
  void begin(const Block& block, const HiddenSite& site, double* belief) const {
    const std::size_t w = block.width;
    if (!ar_) return seen<Join>(block, site, belief);
    for (std::size_t x = 0; x < site.states; ++x)
      for (std::size_t h = 0; h < h_; ++h)
        std::copy_n(block.of(site.variable, x), w, belief + (x * h_ + h) * w);
  }

  /// Without ar: what each hidden state says of the evidence on the variable.
  template <class Join>
  void seen(const Block& block, const HiddenSite& site, double* belief) const {
    const std::size_t w = block.width;
    for (std::size_t h = 0; h < h_; ++h) {
      double* sum = belief + h * w;
      std::fill_n(sum, w, 0.0);
      for (std::size_t x = 0; x < site.states; ++x) {
        const double p = emission(site)[h * site.states + x];
        const double* likelihood = block.of(site.variable, x);
        for (std::size_t r = 0; r < w; ++r) sum[r] = Join::join(sum[r], p * likelihood[r]);
      }
    }
  }

  template <class Join>
  void emit(const HiddenSite& site, double* room, std::size_t w) const {
    const double* belief = room + site.belief * w;
    double* inner = room + site.inner * w;
    for (std::size_t k = 0; k < site.parent_contexts; ++k)
      for (std::size_t h = 0; h < h_; ++h) {
        double* sum = inner + (k * h_ + h) * w;
        std::fill_n(sum, w, 0.0);
        for (std::size_t x = 0; x < site.states; ++x) {
          const double p = emission(site)[(k * h_ + h) * site.states + x];
          const double* here = belief + (x * h_ + h) * w;
          for (std::size_t r = 0; r < w; ++r) sum[r] = Join::join(sum[r], p * here[r]);
        }
      }
  }

  void start(const HiddenSite& site, const double* room, const double* weight, double* reach, double* factor,
             const Flows& flows, std::size_t w) const {
    const double* total = room + site.message * w;
    const double* inner = room + site.inner * w;
    for (std::size_t r = 0; r < w; ++r) factor[r] = weight[r] > 0 ? weight[r] / total[r] : 0;
    for (std::size_t h = 0; h < h_; ++h) {
      double sum = 0;
      for (std::size_t r = 0; r < w; ++r) {
        reach[h * w + r] = transition(site)[h] * factor[r];
        sum += reach[h * w + r] * inner[h * w + r];
      }
      if (flows.counts) flows.counts[site.transition + h] += sum;
    }
  }

  void descend(const HiddenSite& site, const double* room, double* ratio, double* reach, const Flows& flows,
               std::size_t w) const {
    const double* above = room + sites_[site.parent].belief * w;  // the parent's posterior by now
    const double* message = room + site.message * w;
    const double* inner = room + site.inner * w;
    const std::size_t cells = site.parent_contexts * h_;
    for (std::size_t j = 0; j < cells * w; ++j) ratio[j] = above[j] > 0 ? above[j] / message[j] : 0;
    std::fill_n(reach, cells * w, 0.0);
    for (std::size_t k = 0; k < site.parent_contexts; ++k)
      for (std::size_t g = 0; g < h_; ++g) {
        const double* from = ratio + (k * h_ + g) * w;
        for (std::size_t h = 0; h < h_; ++h) {
          const double p = transition(site)[g * h_ + h];
          double* to = reach + (k * h_ + h) * w;
          for (std::size_t r = 0; r < w; ++r) to[r] += p * from[r];
          if (!flows.counts) continue;
          double sum = 0;
          for (std::size_t r = 0; r < w; ++r) sum += from[r] * inner[(k * h_ + h) * w + r];
          flows.counts[site.transition + g * h_ + h] += p * sum;
        }
      }
  }

  /// Turn the belief into the posterior of the hidden state, and share it among the states.
  void spread(const Block& block, const HiddenSite& site, double* room, const double* reach, double* likely,
              const Flows& flows) const {
    const std::size_t w = block.width;
    double* belief = room + site.belief * w;
    for (std::size_t h = 0; h < h_; ++h) {
      double* posterior = belief + h * w;
      std::fill_n(likely, w, 0.0);
      for (std::size_t x = 0; x < site.states; ++x)
        for (std::size_t r = 0; r < w; ++r)
          likely[r] += emission(site)[h * site.states + x] * block.of(site.variable, x)[r];
      for (std::size_t r = 0; r < w; ++r) {
        posterior[r] *= reach[h * w + r];
        likely[r] = posterior[r] > 0 ? posterior[r] / likely[r] : 0;
      }
      for (std::size_t x = 0; x < site.states; ++x) {
        const double p = emission(site)[h * site.states + x];
        const double* likelihood = block.of(site.variable, x);
        double sum = 0;
        for (std::size_t r = 0; r < w; ++r) sum += p * likelihood[r] * likely[r];
        if (flows.counts) flows.counts[site.emission + h * site.states + x] += sum;
        if (!flows.marginals || sum == 0) continue;
        double* states = flows.marginals + (block.first_state[site.variable] + x) * w;
        for (std::size_t r = 0; r < w; ++r) states[r] += p * likelihood[r] * likely[r];
      }
    }
  }

  /// With ar: the posterior of state and hidden state together.
  void spread_with_context(const Block& block, const HiddenSite& site, double* room, const double* reach,
                           const Flows& flows) const {
    const std::size_t w = block.width;
    double* belief = room + site.belief * w;
    std::vector<double> share(w);
    for (std::size_t x = 0; x < site.states; ++x)
      for (std::size_t h = 0; h < h_; ++h) {
        double* posterior = belief + (x * h_ + h) * w;
        std::fill(share.begin(), share.end(), 0.0);
        for (std::size_t k = 0; k < site.parent_contexts; ++k) {
          const std::size_t cell = (k * h_ + h) * site.states + x;
          const double p = emission(site)[cell];
          double sum = 0;
          for (std::size_t r = 0; r < w; ++r) {
            const double part = p * reach[(k * h_ + h) * w + r];
            share[r] += part;
            sum += part * posterior[r];
          }
          if (flows.counts) flows.counts[site.emission + cell] += sum;
        }
        double* states =
            flows.marginals ? flows.marginals + (block.first_state[site.variable] + x) * w : nullptr;
        for (std::size_t r = 0; r < w; ++r) {
          posterior[r] *= share[r];
          if (states) states[r] += posterior[r];
        }
      }
  }

  /// From the roots down, one choice of a hidden state and one of a state per variable.
  template <class Choose>
  void walk(const Block& block, const double* room, std::uint32_t* codes, Choose&& choose) const {
    std::vector<std::size_t> hidden(sites_.size());
    for (std::size_t i = 0; i < sites_.size(); ++i) {
      const HiddenSite& site = sites_[i];
      const bool root = site.parent == kNoParent;
      const std::size_t k = ar_ && !root ? codes[sites_[site.parent].variable] : 0;
      const double* t = transition(site) + (root ? 0 : hidden[site.parent] * h_);
      const double* inner = room + site.inner + k * h_;
      const std::size_t h = choose(h_, [&](std::size_t z) { return t[z] * inner[z]; });
      const double* e = emission(site) + (k * h_ + h) * site.states;
      const double* belief = room + site.belief;
      hidden[i] = h;
      codes[site.variable] = static_cast<std::uint32_t>(choose(site.states, [&](std::size_t x) {
        return e[x] * (ar_ ? belief[x * h_ + h] : block.of(site.variable, x)[0]);
      }));
    }
  }

  std::size_t h_;
  bool ar_;
  std::vector<HiddenSite> sites_;
  std::vector<std::uint32_t> variables_;
  std::vector<double> p_;
  std::size_t room_ = 0, widest_ = 1;
};

}  // namespace

std::unique_ptr<Leaf> make_hidden_leaf(const Arena& arena, Id node) {
  return std::make_unique<HiddenLeaf>(arena, node);
}

}  // namespace treewright::features
