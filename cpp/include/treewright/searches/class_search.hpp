// Greedy search over equivalence classes: always the best step that improves, until there is none.
//
// For every child and kind of step the improving steps are listed, best first. A step changes few of the
// lists; the others are kept, and shared with the copies of the state that a reopening puts aside. Whether a
// step is sound is asked only when it is the best left, and the path that forbids it is remembered with it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "treewright/searches/class_graph.hpp"
#include "treewright/searches/gain_rows.hpp"

namespace treewright {

struct ClassSearchSettings {
  std::size_t max_parents = ~std::size_t{0};
  std::size_t largest_set = ~std::size_t{0};  // neighbours that a step may choose to orient beside x
  // Of one run, and reopenings of one sweep that improve: with a score that tells members of a class apart a
  // little, improvements could go in circles.
  std::size_t most_steps = ~std::size_t{0};
  std::size_t whole_rows = 1'000;  // variables up to which gains are remembered that are not useful
};

struct ClassSearchTally {
  std::array<std::uint64_t, kMoves> steps{};  // taken, those of reopenings that led nowhere included
  std::uint64_t lists = 0, checks = 0, reopened = 0, improved = 0;

  void add(const ClassSearchTally& other) {
    for (std::size_t move = 0; move < kMoves; ++move) steps[move] += other.steps[move];
    lists += other.lists, checks += other.checks, reopened += other.reopened, improved += other.improved;
  }
};

/// How a vertex that lost all its edges gets new ones before the search goes on.
enum class Return : std::uint8_t {
  step_by_step,  // as the search finds them
  as_sink,       // its best parents at once, no children
  as_source,     // into every family that it improves, no parents
};
inline constexpr std::size_t kReturns = 3;

class ClassSearch {
 public:
  ClassSearch(std::shared_ptr<LocalScores> scores, ClassSearchSettings settings);
  ClassSearch(const ClassSearch&) = delete;
  ClassSearch& operator=(const ClassSearch&) = delete;

  struct Taken {
    ClassOperator step;
    double gain;
  };

  std::size_t size() const { return allowed_.size(); }
  const ClassGraph& graph() const { return state_.graph; }
  /// Score gained since the start.
  double gained() const { return static_cast<double>(state_.units) * scores_->resolution(); }
  const ClassSearchTally& tally() const { return tally_; }
  const LocalScores& scores() const { return *scores_; }
  GainRows& rows() { return rows_; }

  void start_from(const Pdag& marks);
  /// The score of a DAG, given as rows of parents.
  double score(const BitMatrix& parents, Cancel& cancel);
  /// The pairs (x, y) in which x gains as the only parent of y.
  BitMatrix useful_pairs(Cancel& cancel);
  /// Edges may appear between these pairs only; edges that are there may stay.
  void allow(const BitMatrix& pairs);
  /// The cluster of each vertex: work in different ones goes on side by side.
  void set_clusters(std::vector<std::uint32_t> cluster_of);

  /// The best sound step of one kind, if any improves; it is taken.
  std::optional<Taken> step(ClassMove move, Cancel& cancel);
  /// Inserts, deletes and turns, each while they improve, until none does. Says whether anything changed.
  bool run(Cancel& cancel);

  /// Take all edges off one vertex after the other and search again; keep what scores higher. Until a whole
  /// sweep changes nothing. A vertex reopened in vain waits until an edge near it comes or goes.
  void reopen_nodes(Return how, Cancel& cancel);
  /// The same for single edges, weakest first: searched without the pair, then with it.
  void reopen_edges(Cancel& cancel);
  /// Search with edges that cost `discount` less, then at their price again, from there; keep what scores
  /// higher. Edges that pay only together come in by this door. Says whether there is a new class.
  bool loosen(double discount, Cancel& cancel);
  /// Begin again at the best forest among the edges found, all directions open, and keep what scores higher.
  /// Says whether that is the new class.
  bool start_again(Cancel& cancel);

 private:
  struct Candidate {
    double gain;
    Vertex x;
    std::uint32_t first, size;  // of its set, in the pool of the list
    std::uint32_t chosen;       // members of the set that were not forced
  };
  struct Path {
    std::uint32_t first = 0, size = 0;  // in the paths of the list
  };
  struct OperatorList {
    std::vector<Candidate> items;  // best first
    std::vector<Vertex> pool;
    mutable std::vector<Path> obstacles;  // last path found against each item
    mutable std::vector<Vertex> paths;
    std::uint64_t owner = 0;  // the branch that may note paths; the trunk always may
    VertexSet obstacle(std::size_t item) const;
    void note_obstacle(std::size_t item, VertexSet path) const;
    void add(double gain, Vertex x, VertexSet set, std::size_t chosen);
    VertexSet set_of(const Candidate& item) const { return {pool.data() + item.first, item.size}; }
    void sort();
  };
  using ListPointer = std::shared_ptr<const OperatorList>;  // null: to be built
  // The lists of one kind of step. Items before the cursor of a list are blocked by paths that run through
  // the vertices it watches only, so they stay blocked until one of these changes. Who watches a vertex is
  // kept; a list that is built anew may still stand there, and is then looked through once too often.
  struct Lists {
    struct Head {
      double gain = 0;  // of the item at the cursor; 0 when there is none
      std::uint32_t chosen = 0, cursor = 0;
      bool is_better(const Head& other) const {
        return gain != other.gain ? gain > other.gain : gain > 0 && chosen < other.chosen;
      }
    };
    std::vector<ListPointer> of;  // by child
    std::vector<Head> head;
    SharedBits watchers;  // by vertex; none for removals, which nothing can block
    explicit Lists(std::size_t n = 0, bool may_fail = true) : of(n), head(n), watchers(may_fail ? n : 0) {}
    void drop(Vertex y) { of[y] = nullptr; }
    void rewind(Vertex y) { set_cursor(y, 0); }
    void rewind_watchers(Vertex v);
    void set_cursor(Vertex y, std::uint32_t cursor);
  };
  struct State {
    ClassGraph graph;
    std::array<Lists, kMoves> lists;
    std::int64_t units = 0;
  };

  // A place to work in beside others, from the class found so far.
  ClassSearch(const ClassSearch& trunk, std::unique_ptr<LocalScores> scores);
  using Branches = std::vector<std::unique_ptr<ClassSearch>>;
  Branches branches(Cancel& cancel);
  void join(ClassSearch& branch);
  void forget();
  // What is taken apart and searched again: pairs, a vertex standing for itself twice.
  struct Reopening {
    std::function<bool(const Arc&)> is_asked;  // when its turn comes
    std::function<void(ClassSearch&, const Arc&)> attempt;
    std::function<void(const Arc&, std::uint64_t)> in_vain = [](const Arc&, std::uint64_t) {};  // and version
  };
  void sweep_on(const std::function<std::vector<Arc>()>& waiting, const Reopening& how, Cancel& cancel);
  std::size_t sweep(std::vector<Arc> waiting, const Reopening& how, const Branches& branches, Cancel& cancel);
  std::vector<Arc> next_batch(std::vector<Arc>& waiting, const Reopening& how) const;
  std::size_t try_batch(std::span<const Arc> batch, const Reopening& how, const Branches& branches,
                        Cancel& cancel);
  std::vector<std::vector<Vertex>> parts(std::span<const Vertex> vertices) const;
  void build_side_by_side(ClassMove move, std::span<const Vertex> stale, Cancel& cancel);

  ListPointer build_list(ClassMove move, Vertex y, Cancel& cancel);
  ListPointer list_inserts(Vertex y, Cancel& cancel);
  ListPointer list_removals(Vertex y, Cancel& cancel);
  ListPointer list_turns(Vertex y, Cancel& cancel);
  void list_turned_arrows(OperatorList& list, Vertex x, Vertex y, VertexSet parents, VertexSet around,
                          Cancel& cancel);
  void list_turned_lines(OperatorList& list, Vertex x, Vertex y, VertexSet parents, VertexSet around,
                         Cancel& cancel);
  void refresh(ClassMove move, Cancel& cancel);
  void ban(std::optional<Arc> pair);
  bool is_banned(Vertex x, Vertex y) const;
  struct Leader {
    Vertex y;
    Lists::Head next;  // the best of the other children
    Vertex next_y;
    bool still_leads(const Lists& lists) const;
  };
  std::optional<Leader> best_child(ClassMove move) const;
  bool is_sound(ClassMove move, Vertex y, const OperatorList& list, std::size_t item);
  void note_obstacle(ClassMove move, Vertex y, std::size_t item, VertexSet path);
  bool run_move(ClassMove move, std::size_t& left, Cancel& cancel);
  bool may_grow(Vertex y, VertexSet base) const;

  void replace(ClassGraph graph);
  void take_step(const ClassOperator& step);
  void forget_stale(const Changes& changes);
  std::int64_t units_of(double gain) const;
  std::vector<Arc> vertices_to_reopen() const;
  void reopen_node(Vertex v, Return how, Cancel& cancel);
  bool is_better_than(std::int64_t units);
  double worth_of_edges(Vertex v, Cancel& cancel);
  double put_back(Vertex v, Return how, Cancel& cancel);
  double add_as_sink(Vertex v, BitMatrix& parents, Cancel& cancel);
  double add_as_source(Vertex v, BitMatrix& parents, std::span<const Vertex> order, Cancel& cancel);
  void note_changes();
  bool changed_near(Vertex v, std::uint64_t since) const;
  void reopen_edge(Vertex u, Vertex v, Cancel& cancel);
  std::vector<Arc> edges_to_reopen(Cancel& cancel);
  void undo_if_stopped(const State& before, const std::function<void()>& work);
  bool keep_if_better(State&& before);
  Pdag forest_of_edges(Cancel& cancel);
  SharedBits near_pairs() const;
  void forget_inserts();
  void set_discount(double discount);

  std::shared_ptr<LocalScores> scores_;
  ClassSearchSettings settings_;
  GainRows rows_;
  SharedBits allowed_;
  std::optional<Arc> banned_;  // a pair that is out for the moment
  State state_;
  std::uint64_t version_ = 1;              // of what a reopening starts from
  SharedBits seen_;                        // the edges of that version
  std::vector<std::uint64_t> changed_at_;  // version in which edges of a vertex came or went
  std::array<std::vector<std::uint64_t>, kReturns> reopened_at_;  // in which it was reopened in vain
  ClassSearchTally tally_;
  std::uint64_t n_steps_seen_ = 0;  // when a reopening was last judged
  std::vector<std::uint32_t> cluster_of_,
      share_;                                  // what each cluster may have of a batch; empty: no clusters
  std::uint64_t branch_ = 0, n_branches_ = 0;  // which one this is, 0 the trunk; how many there have been
};

}  // namespace treewright
