// Hidden trees written out: a mixture for every state of the parent, over nodes shared by all of them.
#include "treewright/inference/feature_graph.hpp"

namespace treewright::features {

namespace {

struct ExpandedSite {
  std::uint32_t variable, parent;
  std::size_t states, contexts;  // of the variable; values of the parent that the emission sees
  const double *transition, *emission;
  std::vector<std::size_t> children;
};

class Expander {
 public:
  Expander(ArenaBuilder& builder, const Arena& arena, Id node)
      : builder_(builder), h_(arena.integers_of(node)[0]), ar_(arena.integers_of(node)[1] != 0) {
    const auto about = arena.integers_of(node);
    const double* at = arena.numbers_of(node).data();
    for (std::size_t i = 0; i < about[2]; ++i) {
      const std::uint32_t variable = about[3 + 2 * i], parent = about[4 + 2 * i];
      const bool root = parent == kNoParent;
      ExpandedSite site{variable, parent, arena.cardinalities[variable], 1, at, nullptr, {}};
      if (ar_ && !root) site.contexts = sites_[parent].states;
      site.emission = at + (root ? h_ : h_ * h_);
      at = site.emission + site.contexts * h_ * site.states;
      if (!root) sites_[parent].children.push_back(i);
      sites_.push_back(site);
    }
    mixtures_.resize(sites_.size());
  }

  Id run() {
    std::vector<Id> roots;
    for (std::size_t i = sites_.size(); i-- > 0;) {
      const ExpandedSite& site = sites_[i];
      for (std::size_t k = 0; k < site.contexts; ++k) {
        std::vector<Id> below;
        for (std::size_t h = 0; h < h_; ++h) below.push_back(under(site, k, h));
        if (site.parent == kNoParent) {
          roots.push_back(builder_.add_mix(below, {site.transition, h_}));
          continue;
        }
        for (std::size_t g = 0; g < h_; ++g)
          mixtures_[i].push_back(builder_.add_mix(below, {site.transition + g * h_, h_}));
      }
    }
    return builder_.add_and(roots);
  }

 private:
  /// A variable in hidden state h, its parent showing k, and all that hangs on it.
  Id under(const ExpandedSite& site, std::size_t k, std::size_t h) {
    const std::span<const double> emission{site.emission + (k * h_ + h) * site.states, site.states};
    const std::uint32_t scope[] = {site.variable};
    if (!ar_ || site.children.empty()) {
      std::vector<Id> parts{builder_.add_table(scope, emission)};
      for (const std::size_t child : site.children) parts.push_back(mixtures_[child][h]);
      return builder_.add_and(parts);
    }
    std::vector<std::uint32_t> states;
    std::vector<Id> cases;
    for (std::uint32_t x = 0; x < site.states; ++x) {
      std::vector<Id> parts;
      for (const std::size_t child : site.children) parts.push_back(mixtures_[child][x * h_ + h]);
      states.push_back(x);
      cases.push_back(builder_.add_and(parts));
    }
    return builder_.add_split(site.variable, states, cases, emission);
  }

  ArenaBuilder& builder_;
  std::size_t h_;
  bool ar_;
  std::vector<ExpandedSite> sites_;
  std::vector<std::vector<Id>> mixtures_;  // per site: [parent's value][parent's hidden state]
};

}  // namespace

Arena expanded(const Arena& arena) {
  ArenaBuilder builder(arena.cardinalities);
  std::vector<Id> here, below;
  for (Id node = 0; node < arena.size(); ++node) {
    below.clear();
    for (const Id child : arena.children_of(node)) below.push_back(here[child]);
    here.push_back(arena.kinds[node] == Kind::kHidden ? Expander(builder, arena, node).run()
                                                      : builder.add_copy(arena, node, below));
  }
  return builder.finish(here.back());
}

}  // namespace treewright::features
