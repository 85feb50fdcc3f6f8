#include "treewright/blanket_scores/blanket_tests.hpp"

#include "blanket_scores/blanket_workspace.hpp"
#include "treewright/parallel/threads.hpp"

namespace treewright {
namespace {

// Tests remembered, about 40 bytes each in a table that is half full.
constexpr std::size_t kMostTests = std::size_t{1} << 21;

}  // namespace

PackedBlanketTests::PackedBlanketTests(std::shared_ptr<const PackedTable> table, BlanketTestSettings settings,
                                       std::vector<std::uint32_t> order)
    : table_(std::move(table)), settings_(settings), order_(std::move(order)) {
  table_->check_scope(order_);
}

PackedBlanketTests::~PackedBlanketTests() = default;

std::unique_ptr<PackedBlanketTests::Workspace> PackedBlanketTests::borrow() {
  const ForkLock lock(mutex_, [&] { begin_anew(idle_); });
  if (idle_.empty()) return nullptr;
  auto workspace = std::move(idle_.back());
  idle_.pop_back();
  return workspace;
}

void PackedBlanketTests::give_back(std::unique_ptr<Workspace> workspace) {
  const ForkLock lock(mutex_, [&] { begin_anew(idle_); });
  idle_.push_back(std::move(workspace));
}

void PackedBlanketTests::answer(std::span<OwnerQuestions> asked, Cancel& cancel) {
  double expected = 0;
  for (const OwnerQuestions& one : asked)
    expected += static_cast<double>(one.outsiders.size() + one.members.size()) *
                (100 + 0.3 * static_cast<double>(table_->n_rows()));
  parallel_for(asked.size(), expected, cancel, [&](std::size_t i) {
    auto workspace = borrow();
    if (!workspace) workspace = std::make_unique<Workspace>(*table_, settings_, order_, cancel);
    workspace->answer(asked[i], cancel);
    give_back(std::move(workspace));
  });
}

Fingerprint RememberedTests::key(Vertex owner, Vertex partner, const Fingerprint& given) const {
  return given ^ prints_(owner, 1) ^ prints_(partner, inner_->is_symmetric() ? 1 : 2);
}

void RememberedTests::answer(std::vector<OwnerQuestions>& asked, Cancel& cancel) {
  struct Place {
    std::size_t of, at;
    bool inside;
  };
  std::vector<OwnerQuestions> open;
  std::vector<std::pair<Place, Fingerprint>> places;  // in the order in which the open questions are asked
  for (std::size_t of = 0; of < asked.size(); ++of) {
    OwnerQuestions& one = asked[of];
    const Fingerprint whole = prints_.of(one.blanket);
    OwnerQuestions rest{one.owner, {}, {}, {}, {}, {}};
    const auto look = [&](std::vector<Vertex>& partners, std::vector<Posterior>& out,
                          std::vector<Vertex>& missing, bool inside) {
      out.resize(partners.size());
      asked_ += partners.size();
      for (std::size_t at = 0; at < partners.size(); ++at) {
        const Vertex y = partners[at];
        const Fingerprint print = key(one.owner, y, inside ? whole ^ prints_(y) : whole);
        if (const Posterior* known = known_.find(print))
          out[at] = *known;
        else
          missing.push_back(y), places.push_back({{of, at, inside}, print});
      }
    };
    look(one.outsiders, one.outside, rest.outsiders, false);
    look(one.members, one.inside, rest.members, true);
    if (rest.outsiders.empty() && rest.members.empty()) continue;
    rest.blanket = one.blanket;
    open.push_back(std::move(rest));
  }
  if (open.empty()) return;
  inner_->answer(open, cancel);
  if (known_.size() + places.size() > kMostTests) known_.clear();
  std::size_t next = 0;
  const auto keep = [&](const Posterior& found) {
    const auto& [place, print] = places[next++];
    (place.inside ? asked[place.of].inside : asked[place.of].outside)[place.at] = found;
    if (known_.find(print)) return;  // two owners asked the same
    ++fresh_;
    if (known_.size() < kMostTests) known_.put(print, found);
  };
  for (const OwnerQuestions& one : open) {
    for (const Posterior& found : one.outside) keep(found);
    for (const Posterior& found : one.inside) keep(found);
  }
}

}  // namespace treewright
