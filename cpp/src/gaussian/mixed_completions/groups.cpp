#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <stdexcept>

#include "treewright/gaussian/mixed_completions.hpp"

namespace treewright::mixed {
namespace {

constexpr double kLeastShare = 1e-20;  // of a row: what is below is lost in the last digit of any sum
constexpr double kNever = -std::numeric_limits<double>::infinity();
const double kLogTwoPi = std::log(2 * std::numbers::pi);

double log_normal(double rest, double variance) {
  return -0.5 * (kLogTwoPi + std::log(variance) + rest * rest / variance);
}

class Unions {
 public:
  explicit Unions(std::size_t n) : above_(n) { std::iota(above_.begin(), above_.end(), Var{0}); }
  Var find(Var v) {
    while (above_[v] != v) v = above_[v] = above_[above_[v]];
    return v;
  }
  void join(Var a, Var b) { above_[find(a)] = find(b); }

 private:
  std::vector<Var> above_;
};

/// A table of logarithms over missing states.
struct LogTable {
  std::vector<Var> states;
  std::vector<double> logs;
};

/// Lines that hang together by numbers nobody sees.
struct Part {
  std::vector<const Lines*> lines;
  std::vector<Var> numbers, states;
};

class Opener {
 public:
  Opener(const Network& network, const Rows& rows, std::size_t row, double most_states)
      : network_(network),
        most_states_(most_states),
        codes_(rows.states.size()),
        values_(rows.numbers.size()),
        place_(rows.numbers.size()),
        unions_(codes_.size() + values_.size()) {
    for (std::size_t v = 0; v < codes_.size(); ++v) {
      const std::int32_t code = rows.states[v][row];
      open_states_.push_back(code < 0);
      codes_[v] = code < 0 ? 0 : static_cast<std::uint32_t>(code);
    }
    for (std::size_t v = 0; v < values_.size(); ++v) {
      values_[v] = rows.numbers[v][row];
      open_numbers_.push_back(std::isnan(values_[v]));
    }
  }

  std::vector<Group> groups(double& log_density) {
    log_density_ = 0;
    join_families();
    std::vector<Group> found;
    for (const Var root : roots()) found.push_back(group(root));
    for (const Table& table : network_.tables)
      if (first_open(table) == kNobody) log_density_ += std::log(table.cells[cell(table.states)]);
    for (const Lines& lines : network_.lines)
      if (first_open(lines) == kNobody) log_density_ += log_density_of(lines);
    log_density = log_density_;
    return found;
  }

 private:
  static constexpr Var kNobody = std::numeric_limits<Var>::max();

  // States come first among all variables, numbers after them.
  Var node_of_number(Var v) const { return static_cast<Var>(codes_.size()) + v; }

  template <class Use>
  void each_open(const std::vector<Var>& states, const std::vector<Var>& numbers, Use&& use) const {
    for (const Var v : states)
      if (open_states_[v]) use(v);
    for (const Var v : numbers)
      if (open_numbers_[v]) use(node_of_number(v));
  }
  static std::vector<Var> members(const Lines& lines) {
    std::vector<Var> all = lines.numbers;
    all.push_back(lines.child);
    return all;
  }
  Var first_open(const Table& table) const {
    Var first = kNobody;
    each_open(table.states, {}, [&](Var v) { first = std::min(first, v); });
    return first;
  }
  Var first_open(const Lines& lines) const {
    Var first = kNobody;
    each_open(lines.states, members(lines), [&](Var v) { first = std::min(first, v); });
    return first;
  }

  void join_families() {
    for (const Table& table : network_.tables)
      if (const Var first = first_open(table); first != kNobody)
        each_open(table.states, {}, [&](Var v) { unions_.join(v, first); });
    for (const Lines& lines : network_.lines)
      if (const Var first = first_open(lines); first != kNobody)
        each_open(lines.states, members(lines), [&](Var v) { unions_.join(v, first); });
  }

  std::vector<Var> roots() {
    std::vector<Var> found;
    for (Var v = 0; v < codes_.size(); ++v)
      if (open_states_[v]) found.push_back(unions_.find(v));
    for (Var v = 0; v < values_.size(); ++v)
      if (open_numbers_[v]) found.push_back(unions_.find(node_of_number(v)));
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
  }

  std::size_t cell(const std::vector<Var>& states) const {
    std::size_t at = 0;
    for (const Var v : states) at = at * network_.cardinalities[v] + codes_[v];
    return at;
  }

  double log_density_of(const Lines& lines) const {
    const std::size_t at = cell(lines.states), n = lines.numbers.size();
    double rest = values_[lines.child] - lines.intercepts[at];
    for (std::size_t k = 0; k < n; ++k) rest -= lines.slopes[at * n + k] * values_[lines.numbers[k]];
    return log_normal(rest, lines.variances[at]);
  }

  std::size_t joint_states(const std::vector<Var>& states) const {
    double n = 1;
    for (const Var v : states) n *= network_.cardinalities[v];
    if (n > most_states_) {
      forests::Cost cost;
      cost.largest_scope = states;
      cost.largest_cells = n;
      cost.bytes = 8 * n;
      throw forests::TooLarge(std::move(cost));
    }
    return static_cast<std::size_t>(n);
  }

  /// Call `use(k)` with the codes of these missing states set to each joint state in turn.
  template <class Use>
  void each_state(const std::vector<Var>& states, Use&& use) {
    const std::size_t n = joint_states(states);
    for (const Var v : states) codes_[v] = 0;
    for (std::size_t k = 0; k < n; ++k) {
      use(k);
      for (std::size_t i = states.size(); i-- > 0;) {
        if (++codes_[states[i]] < network_.cardinalities[states[i]]) break;
        codes_[states[i]] = 0;
      }
    }
  }

  std::vector<Var> open_of(const std::vector<Var>& states) const {
    std::vector<Var> found;
    for (const Var v : states)
      if (open_states_[v]) found.push_back(v);
    return found;
  }

  Group group(Var root) {
    Group found;
    std::vector<LogTable> tables;
    std::vector<Part> parts;
    for (Var v = 0; v < codes_.size(); ++v)
      if (open_states_[v] && unions_.find(v) == root) found.states.push_back(v);
    for (const Table& table : network_.tables)
      if (const Var first = first_open(table); first != kNobody && unions_.find(first) == root) {
        LogTable made{open_of(table.states), {}};
        each_state(made.states,
                   [&](std::size_t) { made.logs.push_back(std::log(table.cells[cell(table.states)])); });
        tables.push_back(std::move(made));
      }
    for (const Lines& lines : network_.lines)
      if (const Var first = first_open(lines); first != kNobody && unions_.find(first) == root)
        add_lines(lines, tables, parts);
    for (Part& part : parts) found.normals.push_back(normals(part, tables));
    weigh(found, tables, parts);
    return found;
  }

  /// Lines whose numbers are all there are a table; others belong to a part.
  void add_lines(const Lines& lines, std::vector<LogTable>& tables, std::vector<Part>& parts) {
    std::vector<Var> hidden;
    for (const Var v : members(lines))
      if (open_numbers_[v]) hidden.push_back(v);
    if (hidden.empty()) {
      LogTable made{open_of(lines.states), {}};
      each_state(made.states, [&](std::size_t) { made.logs.push_back(log_density_of(lines)); });
      tables.push_back(std::move(made));
      return;
    }
    Part joined;
    const auto touches = [&](const Part& part) {
      return std::any_of(hidden.begin(), hidden.end(), [&](Var v) {
        return std::find(part.numbers.begin(), part.numbers.end(), v) != part.numbers.end();
      });
    };
    const auto add = [](std::vector<Var>& to, const std::vector<Var>& from) {
      for (const Var v : from)
        if (std::find(to.begin(), to.end(), v) == to.end()) to.push_back(v);
    };
    for (std::size_t k = 0; k < parts.size();) {
      if (!touches(parts[k])) {
        ++k;
        continue;
      }
      joined.lines.insert(joined.lines.end(), parts[k].lines.begin(), parts[k].lines.end());
      add(joined.numbers, parts[k].numbers);
      add(joined.states, parts[k].states);
      parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(k));
    }
    joined.lines.push_back(&lines);
    add(joined.numbers, hidden);
    add(joined.states, open_of(lines.states));
    std::sort(joined.lines.begin(), joined.lines.end());  // which stand parents first
    std::sort(joined.numbers.begin(), joined.numbers.end());
    std::sort(joined.states.begin(), joined.states.end());
    parts.push_back(std::move(joined));
  }

  /// The numbers of a part in each joint state of its own, and the table that what is shown makes of it.
  Normals normals(const Part& part, std::vector<LogTable>& tables) {
    Normals found;
    found.numbers = part.numbers;
    LogTable made{part.states, {}};
    for (std::size_t k = 0; k < part.numbers.size(); ++k) place_[part.numbers[k]] = k;
    const std::size_t width = part.numbers.size();
    std::vector<double> mean(width), covariance(width * width), cross(width);
    each_state(part.states, [&](std::size_t) {
      std::fill(mean.begin(), mean.end(), 0.0);
      std::fill(covariance.begin(), covariance.end(), 0.0);
      double log_density = 0;
      for (const Lines* lines : part.lines) log_density += add_line(*lines, mean, covariance, cross);
      made.logs.push_back(log_density);
      found.mean.insert(found.mean.end(), mean.begin(), mean.end());
      found.covariance.insert(found.covariance.end(), covariance.begin(), covariance.end());
    });
    tables.push_back(std::move(made));
    return found;
  }

  /// One more number: it joins those that are missing, or what it shows says something of them.
  double add_line(const Lines& lines, std::vector<double>& mean, std::vector<double>& covariance,
                  std::vector<double>& cross) const {
    const std::size_t at = cell(lines.states), n = lines.numbers.size(), width = mean.size();
    double centre = lines.intercepts[at], spread = lines.variances[at];
    std::fill(cross.begin(), cross.end(), 0.0);
    for (std::size_t k = 0; k < n; ++k) {
      const double slope = lines.slopes[at * n + k];
      const Var parent = lines.numbers[k];
      centre += slope * (open_numbers_[parent] ? mean[place_[parent]] : values_[parent]);
      if (open_numbers_[parent])
        for (std::size_t i = 0; i < width; ++i) cross[i] += slope * covariance[place_[parent] * width + i];
    }
    for (std::size_t k = 0; k < n; ++k)
      if (open_numbers_[lines.numbers[k]])
        spread += lines.slopes[at * n + k] * cross[place_[lines.numbers[k]]];
    if (open_numbers_[lines.child]) {
      const std::size_t own = place_[lines.child];
      mean[own] = centre;
      for (std::size_t i = 0; i < width; ++i)
        covariance[own * width + i] = covariance[i * width + own] = cross[i];
      covariance[own * width + own] = spread;
      return 0;
    }
    const double rest = values_[lines.child] - centre;
    for (std::size_t i = 0; i < width; ++i) mean[i] += cross[i] * (rest / spread);
    for (std::size_t i = 0; i < width; ++i)
      for (std::size_t j = 0; j < width; ++j) covariance[i * width + j] -= cross[i] * (cross[j] / spread);
    return log_normal(rest, spread);
  }

  /// How probable each joint state of the group is; those that never show in a sum are not kept.
  void weigh(Group& found, const std::vector<LogTable>& tables, const std::vector<Part>& parts) {
    std::vector<double> logs;
    each_state(found.states, [&](std::size_t) {
      double sum = 0;
      for (const LogTable& table : tables) sum += table.logs[cell(table.states)];
      logs.push_back(sum);
    });
    const double highest = *std::max_element(logs.begin(), logs.end());
    if (highest == kNever) throw std::domain_error("the network gives a row no chance");
    double total = 0;
    for (double& log : logs) total += log = std::exp(log - highest);
    log_density_ += highest + std::log(total);
    std::vector<std::vector<std::uint32_t>> renumbered;
    for (const Part& part : parts) renumbered.emplace_back(joint_states(part.states), kNobody);
    each_state(found.states, [&](std::size_t k) {
      const double share = logs[k] / total;
      if (!(share > kLeastShare)) return;
      found.shares.push_back(share);
      for (const Var v : found.states) found.codes.push_back(codes_[v]);
      for (std::size_t p = 0; p < parts.size(); ++p) {
        std::uint32_t& number = renumbered[p][cell(parts[p].states)];
        number = 0;
        found.normals[p].which.push_back(static_cast<std::uint32_t>(cell(parts[p].states)));
      }
    });
    for (std::size_t p = 0; p < parts.size(); ++p) keep_used(found.normals[p], renumbered[p]);
  }

  static void keep_used(Normals& normals, std::vector<std::uint32_t>& number) {
    const std::size_t width = normals.numbers.size();
    std::uint32_t kept = 0;
    for (std::size_t k = 0; k < number.size(); ++k) {
      if (number[k] == kNobody) continue;
      std::copy_n(normals.mean.begin() + static_cast<std::ptrdiff_t>(k * width), width,
                  normals.mean.begin() + static_cast<std::ptrdiff_t>(kept * width));
      std::copy_n(normals.covariance.begin() + static_cast<std::ptrdiff_t>(k * width * width), width * width,
                  normals.covariance.begin() + static_cast<std::ptrdiff_t>(kept * width * width));
      number[k] = kept++;
    }
    normals.mean.resize(kept * width);
    normals.covariance.resize(kept * width * width);
    normals.mean.shrink_to_fit();
    normals.covariance.shrink_to_fit();
    for (std::uint32_t& which : normals.which) which = number[which];
  }

  const Network& network_;
  double most_states_, log_density_ = 0;
  std::vector<std::uint32_t> codes_;
  std::vector<double> values_;
  std::vector<std::size_t> place_;
  std::vector<bool> open_states_, open_numbers_;
  Unions unions_;
};

}  // namespace

std::vector<Group> groups_of(const Network& network, const Rows& rows, std::size_t row, double most_states,
                             double& log_density) {
  return Opener(network, rows, row, most_states).groups(log_density);
}

std::size_t Group::bytes() const {
  std::size_t n = sizeof(Group) + 4 * (states.size() + codes.size()) + 8 * shares.size();
  for (const Normals& one : normals)
    n += sizeof(Normals) + 4 * (one.numbers.size() + one.which.size()) +
         8 * (one.mean.size() + one.covariance.size());
  return n;
}

void Network::validate() const {
  const auto fits = [](bool is_so) {
    if (!is_so) throw std::invalid_argument("tables and lines do not fit the variables");
  };
  const auto size = [&](const std::vector<Var>& states) {
    std::size_t n = 1;
    for (const Var v : states) {
      fits(v < cardinalities.size());
      n *= cardinalities[v];
    }
    return n;
  };
  for (const Table& table : tables) fits(table.cells.size() == size(table.states));
  for (const Lines& one : lines) {
    const std::size_t n = size(one.states);
    fits(one.child < n_numbers && one.intercepts.size() == n && one.variances.size() == n);
    fits(one.slopes.size() == n * one.numbers.size());
    for (const Var v : one.numbers) fits(v < n_numbers);
  }
}

}  // namespace treewright::mixed
