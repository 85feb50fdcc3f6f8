// Work that goes on side by side, cut up by clusters.
//
// Every piece of work begins at the same class, in a branch with a memory of its own; what branches learned
// is joined in the order of the pieces. So neither the class nor what was counted for it depends on the
// number of threads. Vertices of different clusters share few families: little is counted by two branches of
// a batch, and what one of them improves seldom makes another begin again.
#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <utility>

#include "treewright/parallel/threads.hpp"
#include "treewright/searches/class_search.hpp"

namespace treewright {
namespace {

// Pieces of work that begin at the same class.
constexpr std::size_t kBatch = 16;
// Lists that one piece of work builds, at most.
constexpr std::size_t kListsAtOnce = 16;
// More than it takes to wake a thread.
constexpr double kWorthThreads = 1e9;

}  // namespace

void ClassSearch::set_clusters(std::vector<std::uint32_t> cluster_of) {
  if (cluster_of.size() != size()) throw std::invalid_argument("one cluster for each variable");
  std::vector<std::size_t> members;
  for (const std::uint32_t cluster : cluster_of) {
    if (cluster >= size()) throw std::invalid_argument("clusters are numbered from 0");
    if (cluster >= members.size()) members.resize(cluster + 1, 0);
    ++members[cluster];
  }
  cluster_of_ = std::move(cluster_of);
  share_.clear();  // a cluster as large as many others gets as much as they do
  for (const std::size_t n : members)
    share_.push_back(static_cast<std::uint32_t>(std::max<std::size_t>(1, kBatch * n / size())));
}

ClassSearch::ClassSearch(const ClassSearch& trunk, std::unique_ptr<LocalScores> scores)
    : scores_(std::move(scores)),
      settings_(trunk.settings_),
      rows_(*scores_, trunk.rows_),
      allowed_(trunk.allowed_),
      banned_(trunk.banned_) {}

// None where nothing can go on side by side.
ClassSearch::Branches ClassSearch::branches(Cancel& cancel) {
  Branches made;
  if (cluster_of_.empty()) return made;
  rows_.count_pairs(cancel);  // which branches only look up
  for (std::size_t i = 0; i < kBatch; ++i) {
    std::unique_ptr<LocalScores> scores = scores_->branch();
    if (!scores) return {};
    made.push_back(std::unique_ptr<ClassSearch>(new ClassSearch(*this, std::move(scores))));
  }
  return made;
}

void ClassSearch::join(ClassSearch& branch) {
  for (const std::uint64_t taken : branch.tally_.steps) n_steps_seen_ += taken;  // judged already
  tally_.add(std::exchange(branch.tally_, {}));
  rows_.join(branch.rows_);
  scores_->join(*branch.scores_);
}

void ClassSearch::forget() {
  tally_ = {};
  rows_.forget();
  scores_->forget();
}

// Sweep after sweep until one changes nothing.
void ClassSearch::sweep_on(const std::function<std::vector<Arc>()>& waiting, const Reopening& how,
                           Cancel& cancel) {
  const Branches beside = branches(cancel);
  std::size_t left = settings_.most_steps;
  for (std::size_t improved = 1; improved > 0 && left > 0; left -= std::min(left, improved))
    improved = sweep(waiting(), how, beside, cancel);
}

// Everything that waits gets its turn; how often that was better.
std::size_t ClassSearch::sweep(std::vector<Arc> waiting, const Reopening& how, const Branches& branches,
                               Cancel& cancel) {
  std::size_t n_better = 0;
  for (std::vector<Arc> batch; !(batch = next_batch(waiting, how)).empty();) {
    const std::uint64_t version = version_;
    const std::size_t first = try_batch(batch, how, branches, cancel);
    for (std::size_t i = 0; i < first; ++i) how.in_vain(batch[i], version);
    if (first == batch.size()) continue;
    ++n_better;  // what comes after it begins at the new class
    waiting.insert(waiting.begin(), batch.begin() + static_cast<std::ptrdiff_t>(first) + 1, batch.end());
  }
  return n_better;
}

// The next ones, few of each cluster; without clusters one after the other.
std::vector<Arc> ClassSearch::next_batch(std::vector<Arc>& waiting, const Reopening& how) const {
  std::vector<Arc> batch, later;
  const std::size_t most = cluster_of_.empty() ? 1 : kBatch;
  std::vector<std::uint32_t> left = share_;
  for (const Arc& pair : waiting) {
    const std::uint32_t here = cluster_of_.empty() ? 0 : cluster_of_[pair.first];
    const std::uint32_t there = cluster_of_.empty() ? 0 : cluster_of_[pair.second];
    if (batch.size() == most || (!left.empty() && (left[here] == 0 || left[there] == 0))) {
      later.push_back(pair);
    } else if (how.is_asked(pair)) {
      batch.push_back(pair);
      if (!left.empty()) --left[here], left[there] -= here != there;
    }
  }
  waiting = std::move(later);
  return batch;
}

// How many were tried in vain before the first that made a better class, which is taken.
std::size_t ClassSearch::try_batch(std::span<const Arc> batch, const Reopening& how, const Branches& branches,
                                   Cancel& cancel) {
  if (branches.empty()) {
    for (std::size_t i = 0; i < batch.size(); ++i) {
      State before = state_;
      undo_if_stopped(before, [&] { how.attempt(*this, batch[i]); });
      if (keep_if_better(std::move(before))) return i;
    }
    return batch.size();
  }
  std::atomic<std::size_t> better{batch.size()};
  parallel_for(batch.size(), kWorthThreads, cancel, [&](std::size_t i) {
    if (i > better.load()) return;
    ClassSearch& branch = *branches[i];
    branch.branch_ = n_branches_ + 1 + i;
    branch.state_ = state_;
    branch.n_steps_seen_ = 1;
    how.attempt(branch, batch[i]);
    if (!branch.is_better_than(state_.units)) return;
    for (std::size_t least = better.load(); i < least && !better.compare_exchange_weak(least, i);) {
    }
  });
  n_branches_ += batch.size();
  const std::size_t first = better.load(), used = std::min(first + 1, batch.size());
  for (std::size_t i = 0; i < used; ++i) join(*branches[i]);
  for (std::size_t i = used; i < batch.size(); ++i) branches[i]->forget();  // as if they had not begun
  if (first < batch.size()) {
    ++tally_.improved;
    state_ = std::move(branches[first]->state_);
    note_changes();
  }
  return first;
}

// Vertices of one cluster together, as long as they are not too many.
std::vector<std::vector<Vertex>> ClassSearch::parts(std::span<const Vertex> vertices) const {
  std::vector<Vertex> order(vertices.begin(), vertices.end());
  std::ranges::stable_sort(order, {}, [&](Vertex v) { return cluster_of_[v]; });
  std::vector<std::vector<Vertex>> out;
  for (const Vertex v : order) {
    if (out.empty() || out.back().size() == kListsAtOnce || cluster_of_[out.back().front()] != cluster_of_[v])
      out.emplace_back();
    out.back().push_back(v);
  }
  return out;
}

void ClassSearch::build_side_by_side(ClassMove move, std::span<const Vertex> stale, Cancel& cancel) {
  const Branches beside = branches(cancel);
  if (beside.empty()) return;
  const std::vector<std::vector<Vertex>> pieces = parts(stale);
  Lists& lists = state_.lists[static_cast<std::size_t>(move)];
  for (const auto& branch : beside) branch->state_.graph = state_.graph;
  for (std::size_t begin = 0; begin < pieces.size(); begin += kBatch) {
    const std::size_t n = std::min(kBatch, pieces.size() - begin);
    std::vector<std::vector<ListPointer>> built(n);
    parallel_for(n, kWorthThreads, cancel, [&](std::size_t i) {
      for (const Vertex y : pieces[begin + i]) built[i].push_back(beside[i]->build_list(move, y, cancel));
    });
    for (std::size_t i = 0; i < n; ++i) {
      join(*beside[i]);
      for (std::size_t k = 0; k < built[i].size(); ++k) {
        const Vertex y = pieces[begin + i][k];
        lists.of[y] = std::move(built[i][k]);
        lists.rewind(y);
      }
    }
  }
}

}  // namespace treewright
