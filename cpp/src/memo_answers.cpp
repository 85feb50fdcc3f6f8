#include "treewright/memo_answers.hpp"

#include <algorithm>

namespace treewright {

std::size_t MemoAnswers::Hash::operator()(const Key& key) const {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const std::uint32_t v : key) hash = (hash ^ v) * 0x100000001b3u;
  return static_cast<std::size_t>(hash ^ (hash >> 29));
}

MemoAnswers::Key MemoAnswers::key_of(const Query& query) {
  Key key{std::min(query.x, query.y), std::max(query.x, query.y)};
  key.insert(key.end(), query.given.begin(), query.given.end());
  std::sort(key.begin() + 2, key.end());
  return key;
}

std::vector<double> MemoAnswers::separation(const std::vector<Query>& queries, Cancel& cancel) {
  std::vector<Query> fresh;
  std::vector<double*> kept, unanswered;
  for (const Query& query : queries) {
    const auto [entry, is_new] = known_.try_emplace(key_of(query), -1.0);
    kept.push_back(&entry->second);  // entries stay where they are when the table grows
    if (is_new) fresh.push_back(query), unanswered.push_back(&entry->second);
  }
  if (!fresh.empty()) {
    const std::vector<double> found = inner_.separation(fresh, cancel);
    for (std::size_t i = 0; i < found.size(); ++i) *unanswered[i] = found[i];
  }
  n_asked_ += static_cast<std::int64_t>(queries.size());
  std::vector<double> out;
  out.reserve(queries.size());
  for (const double* p : kept) out.push_back(*p);
  return out;
}

Answers MemoAnswers::independent(const std::vector<Query>& queries, Cancel& cancel) {
  Answers out;
  for (const double p : separation(queries, cancel)) out.push_back(p >= 0);
  return out;
}

PairAnswers MemoAnswers::pairs(const std::vector<Query>& queries, Cancel& cancel) {
  PairAnswers found = inner_.pairs(queries, cancel);
  std::vector<Query> apart;
  for (std::size_t i = 0; i < queries.size(); ++i)
    if (found.independent[i])
      apart.push_back(queries[i]);
    else
      known_.try_emplace(key_of(queries[i]), -1.0);
  separation(apart, cancel);  // for their p-values
  n_asked_ += static_cast<std::int64_t>(queries.size() - apart.size());
  return found;
}

}  // namespace treewright
