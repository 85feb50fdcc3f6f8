// One thread's tools for testing owners one after the other: ways to count, behind one question.
#pragma once

#include <algorithm>
#include <vector>

#include "treewright/blanket_scores/blanket_tests.hpp"
#include "treewright/counting/dispatch.hpp"
#include "treewright/counting/partners.hpp"

namespace treewright {

// Groups that are counted by masks; beyond, rows are grouped.
inline constexpr double kMasks = 64;
// With so many partners one grouped pass is cheaper than masks, from this many groups on.
inline constexpr std::size_t kManyPartners = 12;
inline constexpr double kFewMasks = 16;
// Cells up to which the table of a blanket and its owner is held whole.
inline constexpr double kJointCells = 16384;

/// What one thread needs to answer owners one after the other.
class PackedBlanketTests::Workspace {
 public:
  Workspace(const PackedTable& raw, const BlanketTestSettings& settings,
            const std::vector<std::uint32_t>& order, Cancel& cancel)
      : table_(raw.is_real() ? raw : rows_to_search(raw, cancel)), settings_(settings), order_(order) {
    // with real weights there may be more occupied cells than the weights add up to
    n_rows_ =
        raw.is_real() ? std::max(raw.real_total(), static_cast<double>(raw.n_rows())) : raw.real_total();
  }

  void answer(OwnerQuestions& asked, Cancel& cancel) {
    owner_ = order_[asked.owner];
    r_owner_ = table_.cardinality(owner_);
    blanket_.clear();
    for (const Vertex v : asked.blanket) blanket_.push_back(order_[v]);
    asked.outside.resize(asked.outsiders.size());
    asked.inside.resize(asked.members.size());
    slices_ = cells_of(table_, blanket_);
    if (table_.is_real())
      answer_real(asked, cancel);
    else if (can_mask() && (asked.outsiders.size() < kManyPartners || slices_ * r_owner_ < kFewMasks))
      answer_by_masks(asked, cancel);
    else
      answer_by_groups(asked, cancel);
  }

 private:
  using Exact = PosteriorAccumulator<std::int64_t>;

  struct Kept {
    std::size_t r_x, r_y;
    Exact accumulator;
  };
  Exact& accumulator(std::size_t r_y, double slices) {
    for (Kept& kept : kept_)
      if (kept.r_x == r_owner_ && kept.r_y == r_y) {
        kept.accumulator.reset(slices);
        return kept.accumulator;
      }
    kept_.push_back(
        {r_owner_, r_y,
         Exact(settings_.between(r_owner_, r_y), n_rows_, r_owner_, r_y, slices, table_.total())});
    return kept_.back().accumulator;
  }

  bool can_mask() const {
    if (table_.is_weighted() || slices_ * static_cast<double>(r_owner_) > kMasks || table_.is_wide(owner_))
      return false;
    return std::ranges::none_of(blanket_, [&](std::uint32_t v) { return table_.is_wide(v); });
  }

  // masks of every configuration of the blanket and, within it, of every state of the owner
  void split_rows(Cancel& cancel) {
    const Planes& planes = table_.planes(cancel);
    stride_ = plane_stride(table_.n_rows());
    masks_.resize(stride_);
    std::fill(masks_.begin(), masks_.end(), 0);
    std::fill_n(masks_.begin(), planes.words, ~Word{0});
    if (table_.n_rows() % 64) masks_[planes.words - 1] = (Word{1} << (table_.n_rows() % 64)) - 1;
    joint_.assign(1, static_cast<std::int64_t>(table_.n_rows()));
    for (const std::uint32_t v : blanket_) split_by(planes, v);
    split_by(planes, owner_);
  }
  void split_by(const Planes& planes, std::uint32_t v) {
    const std::size_t n_planes = planes.of(v), r = n_planes + 1, n = joint_.size();
    finer_.resize(n * r * stride_);
    sizes_.resize(n * r);
    for (std::size_t g = 0; g < n; ++g) {
      std::int64_t* counts = sizes_.data() + g * r;
      kernels().split(masks_.data() + g * stride_, planes.plane(planes.first[v]), n_planes, planes.stride,
                      planes.words, finer_.data() + g * r * stride_, stride_, counts);
      std::int64_t rest = joint_[g];
      for (std::size_t s = 0; s < n_planes; ++s) rest -= counts[s];
      counts[n_planes] = rest;
    }
    masks_.swap(finer_);
    joint_.swap(sizes_);
  }

  void answer_by_masks(OwnerQuestions& asked, Cancel& cancel) {
    cancel.check();
    split_rows(cancel);
    for (std::size_t i = 0; i < asked.members.size(); ++i)
      asked.inside[i] = judge_member(asked.members[i], asked.blanket);
    for (std::size_t i = 0; i < asked.outsiders.size(); ++i)
      asked.outside[i] = judge_by_masks(order_[asked.outsiders[i]], cancel);
  }

  Posterior judge_by_masks(std::uint32_t y, Cancel& cancel) {
    const std::size_t r_y = table_.cardinality(y);
    Exact& accumulator = this->accumulator(r_y, slices_);
    if (table_.is_wide(y)) {
      const PartnerContext context(table_, owner_, blanket_, cancel);
      visit_partner<std::int64_t>(context, y, cancel,
                                  [&](const auto* cells) { accumulator.stratum(cells, r_owner_, r_y); });
      return accumulator.finish_as_given();
    }
    const Planes& planes = table_.planes(cancel);
    const std::size_t groups = joint_.size(), n_planes = r_y - 1;
    counted_.assign(groups * std::max<std::size_t>(n_planes, 1), 0);
    kernels().and_popcounts(masks_.data(), groups, stride_, planes.plane(planes.first[y]), n_planes,
                            planes.stride, planes.words, counted_.data(), n_planes);
    if (r_y == 2 && r_owner_ == 2) {
      for (std::size_t g = 0; g < groups; g += 2)
        accumulator.fourfold(counted_[g], joint_[g] - counted_[g], counted_[g + 1],
                             joint_[g + 1] - counted_[g + 1]);
      return accumulator.finish_as_given();
    }
    cells_.resize(r_owner_ * r_y);
    for (std::size_t first = 0; first < groups; first += r_owner_) {
      for (std::size_t k = 0; k < r_owner_; ++k) {
        std::int64_t rest = joint_[first + k];
        for (std::size_t s = 0; s < n_planes; ++s)
          rest -= cells_[k * r_y + s] = counted_[(first + k) * n_planes + s];
        cells_[k * r_y + n_planes] = rest;
      }
      accumulator.stratum(cells_.data(), r_owner_, r_y);
    }
    return accumulator.finish_as_given();
  }

  void answer_by_groups(OwnerQuestions& asked, Cancel& cancel) {
    cancel.check();
    if (!asked.members.empty()) answer_members(asked, cancel);
    if (asked.outsiders.empty()) return;
    const PartnerContext context(table_, owner_, blanket_, cancel);
    const auto one_by_one = [&](std::size_t i) {
      const std::uint32_t y = order_[asked.outsiders[i]];
      const std::size_t r_y = table_.cardinality(y);
      Exact& accumulator = this->accumulator(r_y, slices_);
      visit_partner<std::int64_t>(context, y, cancel,
                                  [&](const auto* cells) { accumulator.stratum(cells, r_owner_, r_y); });
      asked.outside[i] = accumulator.finish_as_given();
    };
    if (!context.groups_pay(asked.outsiders.size(), blanket_.size() + 1, cancel)) {
      for (std::size_t i = 0; i < asked.outsiders.size(); ++i) one_by_one(i);
      return;
    }
    const Planes& planes = table_.planes(cancel);
    with_grouped(table_, context.contexts, cancel, [&](const auto& counted) {
      for (std::size_t i = 0; i < asked.outsiders.size(); ++i) {
        const std::uint32_t y = order_[asked.outsiders[i]];
        if (table_.is_wide(y)) {
          one_by_one(i);
          continue;
        }
        const std::size_t r_y = table_.cardinality(y);
        Exact& accumulator = this->accumulator(r_y, slices_);
        if (r_y == 2 && r_owner_ == 2)
          visit_fourfold(context, counted, planes.first[y], accumulator);
        else
          visit_grouped(context, counted, planes, y, cells_,
                        [&](const auto* cells) { accumulator.stratum(cells, r_owner_, r_y); });
        asked.outside[i] = accumulator.finish_as_given();
      }
    });
  }

  template <class Counted>
  static void visit_fourfold(const PartnerContext& context, const Counted& counted, std::size_t plane,
                             Exact& accumulator) {
    for (std::size_t g = 0; g < 2 * context.n_configurations; g += 2) {
      const auto a = static_cast<std::int64_t>(counted.row(g)[plane]);
      const auto c = static_cast<std::int64_t>(counted.row(g + 1)[plane]);
      accumulator.fourfold(a, counted.group_sizes[g] - a, c, counted.group_sizes[g + 1] - c);
    }
  }

  // one table of the blanket and the owner holds what every member is tested with
  void answer_members(OwnerQuestions& asked, Cancel& cancel) {
    const double cells = slices_ * static_cast<double>(r_owner_);
    if (cells <= kJointCells) {
      scope_.assign(blanket_.begin(), blanket_.end());
      scope_.push_back(owner_);
      joint_.assign(static_cast<std::size_t>(cells), 0);
      add_counts(table_, scope_, joint_, cancel);
      for (std::size_t i = 0; i < asked.members.size(); ++i)
        asked.inside[i] = judge_member(asked.members[i], asked.blanket);
      return;
    }
    for (std::size_t i = 0; i < asked.members.size(); ++i) {
      const std::uint32_t y = order_[asked.members[i]];
      const std::size_t r_y = table_.cardinality(y);
      const PartnerContext context(table_, owner_, without(y), cancel);
      Exact& accumulator = this->accumulator(r_y, cells_of(table_, scope_));
      visit_partner<std::int64_t>(context, y, cancel,
                                  [&](const auto* strata) { accumulator.stratum(strata, r_owner_, r_y); });
      asked.inside[i] = accumulator.finish_as_given();
    }
  }

  // the blanket without one member, in `scope_`
  ScopeView without(std::uint32_t y) {
    scope_.clear();
    for (const std::uint32_t v : blanket_)
      if (v != y) scope_.push_back(v);
    return scope_;
  }

  // the table `joint_` with the axis of one member moved beside that of the owner
  Posterior judge_member(Vertex member, const std::vector<Vertex>& blanket) {
    const auto at = static_cast<std::size_t>(std::ranges::find(blanket, member) - blanket.begin());
    const std::size_t r_y = table_.cardinality(blanket_[at]);
    std::size_t stride = r_owner_;
    for (std::size_t i = at + 1; i < blanket_.size(); ++i) stride *= table_.cardinality(blanket_[i]);
    Exact& accumulator = this->accumulator(r_y, cells_of(table_, without(blanket_[at])));
    cells_.resize(r_owner_ * r_y);
    for (std::size_t outer = 0; outer < joint_.size(); outer += stride * r_y)
      for (std::size_t inner = outer; inner < outer + stride; inner += r_owner_) {
        for (std::size_t k = 0; k < r_owner_; ++k)
          for (std::size_t s = 0; s < r_y; ++s) cells_[k * r_y + s] = joint_[inner + s * stride + k];
        accumulator.stratum(cells_.data(), r_owner_, r_y);
      }
    return accumulator.finish_as_given();
  }

  void answer_real(OwnerQuestions& asked, Cancel& cancel) {
    const auto judge = [&](const PartnerContext& context, std::uint32_t y, double slices) {
      const std::size_t r_y = table_.cardinality(y);
      PosteriorAccumulator<double> accumulator(settings_.between(r_owner_, r_y), n_rows_, r_owner_, r_y,
                                               slices, 0);
      visit_partner<double>(context, y, cancel,
                            [&](const auto* cells) { accumulator.stratum(cells, r_owner_, r_y); });
      return accumulator.finish_as_given();
    };
    const PartnerContext whole(table_, owner_, blanket_, cancel);
    for (std::size_t i = 0; i < asked.outsiders.size(); ++i)
      asked.outside[i] = judge(whole, order_[asked.outsiders[i]], slices_);
    for (std::size_t i = 0; i < asked.members.size(); ++i) {
      const std::uint32_t y = order_[asked.members[i]];
      const PartnerContext rest(table_, owner_, without(y), cancel);
      asked.inside[i] = judge(rest, y, cells_of(table_, scope_));
    }
  }

  const PackedTable& table_;
  const BlanketTestSettings& settings_;
  const std::vector<std::uint32_t>& order_;
  double n_rows_, slices_ = 1;
  std::uint32_t owner_ = 0;
  std::size_t r_owner_ = 1;
  std::vector<std::uint32_t> blanket_, scope_;
  std::vector<Kept> kept_;
  AlignedVector<Word> masks_, finer_;
  std::size_t stride_ = 0;  // of masks
  std::vector<std::int64_t> joint_, sizes_, counted_, cells_;
};

}  // namespace treewright
