#include "treewright/searches/dag_climb.hpp"

#include <algorithm>
#include <cmath>
#include <deque>

#include "treewright/parallel/seeded_draws.hpp"
#include "treewright/searches/climb_width.hpp"

namespace treewright {
namespace {

Fingerprint print_of(Vertex from, Vertex to) {
  const PhiloxBlock block = philox({from, to, 0, 0}, 0x7469676874);
  return {block[0] | std::uint64_t{block[1]} << 32, block[2] | std::uint64_t{block[3]} << 32};
}

// The fingerprint of a graph is that of its set of arcs.
Fingerprint after(const Fingerprint& graph, const Move& move) {
  const Fingerprint changed = graph ^ print_of(move.from, move.to);
  return move.kind == MoveKind::reverse ? changed ^ print_of(move.to, move.from) : changed;
}

// The last structures met.
class Visited {
 public:
  explicit Visited(std::size_t most) : most_(most) {}
  void add(const Fingerprint& graph) {
    if (most_ == 0) return;
    if (last_.size() == most_) last_.pop_front();
    last_.push_back(graph);
  }
  bool has(const Fingerprint& graph) const { return std::ranges::find(last_, graph) != last_.end(); }
  bool empty() const { return last_.empty(); }

 private:
  std::size_t most_;
  std::deque<Fingerprint> last_;
};

class Climber {
 public:
  Climber(LocalScores& scores, ArcRules rules, DagBuilder start, const ClimbSettings& settings,
          Cancel& cancel, const std::function<void(std::size_t, double)>& report)
      : settings_(settings),
        start_(start.children()),
        moves_(scores, std::move(rules), std::move(start), settings.patience == 0, cancel),
        look_ahead_(scores.size()),
        visited_(settings.tabu),
        draws_(settings.seed),
        least_gain_(scores.least_gain()),
        cancel_(cancel),
        report_(report) {
    for (const auto& [from, to] : moves_.graph().arcs()) print_ = print_ ^ print_of(from, to);
    visited_.add(print_);
    if (!settings.treewidth) return;
    width_.emplace(*settings.treewidth, settings.is_number, moves_.graph(), cancel);
    best_order_ = width_->order();
  }

  Climb run() {
    climb();
    std::size_t fruitless = 0;
    while (fruitless < settings_.perturbations && perturb()) {
      const double before = best_;
      climb();
      fruitless = best_ > before ? 0 : fruitless + 1;
    }
    return finish();
  }

  // The graph where it was best: the moves that led there, from the start on. A move that was stopped
  // half-way is none of them.
  Climb finish() {
    BitMatrix& children = start_;
    for (std::size_t i = 0; i < best_step_; ++i) {
      const Move& move = result_.moves[i];
      if (move.kind == MoveKind::add)
        children.set(move.from, move.to);
      else
        children.reset(move.from, move.to);
      if (move.kind == MoveKind::reverse) children.set(move.to, move.from);
    }
    for (Vertex u = 0; u < children.size(); ++u)
      for_each_bit(children.row(u), children.words(),
                   [&](std::size_t v) { result_.arcs.emplace_back(u, static_cast<Vertex>(v)); });
    result_.gain = best_;
    result_.order = best_order_;
    return std::move(result_);
  }

 private:
  // One round: up, then on for as long as the patience lasts.
  void climb() {
    double summit = total_;
    std::size_t idle = 0, barren = 0;
    while (idle < std::max<std::size_t>(settings_.patience, 1)) {
      cancel_.check();
      const auto move = choose();
      if (settings_.patience == 0 && (!move || move->gain <= least_gain_)) {
        if (barren++ >= settings_.covered_rounds || !turn_covered()) break;
        continue;
      }
      if (!move) break;
      apply(*move);
      barren = 0;
      if (total_ > summit + least_gain_)
        summit = total_, idle = 0;
      else
        ++idle;
      turn_covered();
    }
  }

  std::optional<Move> choose() {
    const auto ties = visited_.empty() && !width_
                          ? moves_.best([](const Move&) { return false; }, settings_.look_ahead)
                          : moves_.best([&](const Move& m) { return is_banned(m); }, settings_.look_ahead);
    if (ties.empty()) return std::nullopt;
    if (ties.size() > 1) ++result_.tally.ties;
    const bool matters = settings_.patience > 0 || ties.front().gain > least_gain_;
    return settings_.look_ahead && matters ? look_ahead_.pick(moves_, ties, cancel_) : ties.front();
  }

  bool is_banned(const Move& move) {
    return visited_.has(after(print_, move)) || (width_ && !width_->admits(moves_.graph(), move));
  }

  void apply(const Move& move) {
    moves_.apply(move, cancel_, look_ahead_.column_after(move));
    look_ahead_.forget(move);
    if (width_) width_->follow(moves_.graph(), move);
    print_ = after(print_, move);
    visited_.add(print_);
    total_ += move.gain;
    result_.moves.push_back(move);
    ++result_.tally.steps;
    if (total_ > best_ + least_gain_) {
      best_ = total_, best_step_ = result_.moves.size();
      if (width_) best_order_ = width_->order();
    }
    if (report_) report_(result_.tally.steps, total_);
  }

  // ceil(share of the arcs) legal moves, each drawn uniformly.
  bool perturb() {
    const double arcs = static_cast<double>(moves_.graph().n_arcs());
    const auto wanted = static_cast<std::size_t>(std::ceil(settings_.perturbed_share * arcs));
    bool changed = false;
    for (std::size_t i = 0; i < std::max<std::size_t>(wanted, 1); ++i) {
      cancel_.check();
      std::vector<Move> legal = moves_.all();
      if (width_) std::erase_if(legal, [&](const Move& m) { return !width_->admits(moves_.graph(), m); });
      if (legal.empty()) break;
      apply(legal[draws_.below(legal.size())]);
      changed = true;
    }
    ++result_.tally.perturbations;
    return changed;
  }

  // Draw arcs and turn those that are covered; false when there was nothing to draw.
  bool turn_covered() {
    const std::size_t n_arcs = moves_.graph().n_arcs();
    if (settings_.covered_tries == 0 || n_arcs == 0) return false;
    std::vector<Arc> arcs = moves_.graph().arcs();
    for (std::size_t i = 0; i < settings_.covered_tries; ++i) {
      Arc& arc = arcs[draws_.below(n_arcs)];
      const auto [from, to] = arc;
      if (!is_covered(from, to) || !moves_.rules().allowed.test(to, from) ||
          moves_.rules().required.test(from, to))
        continue;
      cancel_.check();
      apply({MoveKind::reverse, from, to, 0.0});
      arc = {to, from};
      ++result_.tally.covered;
    }
    return true;
  }

  bool is_covered(Vertex from, Vertex to) const {
    const BitMatrix& parents = moves_.graph().parents();
    for (std::size_t i = 0; i < parents.words(); ++i) {
      const Word tail = i == from / 64 ? Word{1} << (from % 64) : 0;
      if ((parents.row(from)[i] | tail) != parents.row(to)[i]) return false;
    }
    return true;
  }

  const ClimbSettings& settings_;
  BitMatrix start_;  // children
  DagMoves moves_;
  LookAhead look_ahead_;
  Visited visited_;
  Draws draws_;
  double least_gain_;
  Cancel& cancel_;
  const std::function<void(std::size_t, double)>& report_;
  Fingerprint print_;
  std::optional<ClimbWidth> width_;
  Order best_order_;
  double total_ = 0, best_ = 0;
  std::size_t best_step_ = 0;
  Climb result_;
};

}  // namespace

Climb climb_dags(LocalScores& scores, ArcRules rules, DagBuilder start, const ClimbSettings& settings,
                 Cancel& cancel, const std::function<void(std::size_t, double)>& report, Climb* kept) {
  Climber climber(scores, std::move(rules), std::move(start), settings, cancel, report);
  try {
    return climber.run();
  } catch (...) {
    if (kept) *kept = climber.finish();
    throw;
  }
}

}  // namespace treewright
