#include "treewright/criteria/shared_answers.hpp"

#include <algorithm>
#include <stdexcept>

namespace treewright {

AnswerMemory::AnswerMemory(TestAnswers& answers, std::size_t n_variables)
    : answers_(answers), prints_(n_variables, 2) {}

// The two ends in one role, the given in another: the order within a role does not matter.
Fingerprint AnswerMemory::key(const Query& query) const {
  Fingerprint sum = prints_(query.x) ^ prints_(query.y);
  for (const std::uint32_t v : query.given) sum = sum ^ prints_(v, 1);
  return sum;
}

namespace {

bool knows(const KnownAnswer& answer, AnswerMemory::Wanted wanted) {
  switch (wanted) {
    case AnswerMemory::Wanted::decision:
      return !std::isnan(answer.independent);
    case AnswerMemory::Wanted::separation:
      return !std::isnan(answer.p_value);
    case AnswerMemory::Wanted::strength:
      return !std::isnan(answer.strength);
    case AnswerMemory::Wanted::information:
      return !std::isnan(answer.information);
  }
  return false;
}

// Two threads may have learned different things about one question.
void add(KnownAnswer& known, const KnownAnswer& found) {
  const auto take = [](double& to, double from) {
    if (!std::isnan(from)) to = from;
  };
  take(known.independent, found.independent);
  take(known.p_value, found.p_value);
  take(known.strength, found.strength);
  take(known.information, found.information);
}

}  // namespace

ForkLock AnswerMemory::locked() const {
  return {mutex_, [&] { begin_anew(known_, tally_); }};
}

std::vector<KnownAnswer> AnswerMemory::recall(const std::vector<Query>& queries, Wanted wanted,
                                              Cancel& cancel) {
  std::vector<KnownAnswer> out(queries.size());
  std::vector<Fingerprint> keys(queries.size());
  std::vector<std::size_t> open, place(queries.size());  // place[i]: of question i among those evaluated
  FingerprintMap<std::size_t> fresh;                     // the same question may come twice in one batch
  for (std::size_t i = 0; i < queries.size(); ++i) keys[i] = key(queries[i]);
  {
    const ForkLock lock = locked();
    tally_.asked += queries.size();
    for (std::size_t i = 0; i < queries.size(); ++i) {
      const KnownAnswer* known = known_.find(keys[i]);
      if (known && knows(*known, wanted))
        out[i] = *known;
      else if (const std::size_t* first = fresh.find(keys[i]))
        open.push_back(i), place[i] = *first;
      else
        open.push_back(i), place[i] = fresh.put(keys[i], fresh.size());
    }
  }
  if (open.empty()) return out;
  std::vector<Query> asked;
  for (const std::size_t i : open)
    if (place[i] == asked.size()) asked.push_back(queries[i]);
  const std::vector<KnownAnswer> found = evaluate(asked, wanted, cancel);
  const ForkLock lock = locked();
  for (const std::size_t i : open) {
    KnownAnswer* known = known_.find(keys[i]);
    if (!known) {
      ++(queries[i].given.empty() ? tally_.marginal : tally_.conditional);
      known = &known_.put(keys[i], {});
    }
    add(*known, found[place[i]]);
    out[i] = *known;
  }
  return out;
}

std::vector<KnownAnswer> AnswerMemory::evaluate(const std::vector<Query>& queries, Wanted wanted,
                                                Cancel& cancel) {
  std::vector<KnownAnswer> out(queries.size());
  const auto fill = [&](const auto& answers, auto&& put) {
    for (std::size_t i = 0; i < out.size(); ++i) put(out[i], answers[i]);
  };
  switch (wanted) {
    case Wanted::decision:
      fill(answers_.independent(queries, cancel), [](KnownAnswer& to, auto a) { to.independent = a; });
      break;
    case Wanted::separation:
      fill(answers_.separation(queries, cancel),
           [](KnownAnswer& to, double p) { to.p_value = p, to.independent = p >= 0; });
      break;
    case Wanted::strength: {
      const PairAnswers found = answers_.pairs(queries, cancel);
      fill(found.independent, [](KnownAnswer& to, auto a) { to.independent = a; });
      fill(found.strength, [](KnownAnswer& to, double s) { to.strength = s; });
      break;
    }
    case Wanted::information:
      fill(answers_.dependence(queries, cancel), [](KnownAnswer& to, const Dependence& found) {
        to.independent = found.independent, to.information = found.information;
      });
  }
  return out;
}

AnswerMemory::Tally AnswerMemory::tally() const {
  const ForkLock lock = locked();
  return tally_;
}

PartAnswers::PartAnswers(AnswerMemory& memory, std::vector<std::uint32_t> members)
    : memory_(memory), members_(std::move(members)) {}

std::vector<Query> PartAnswers::in_memory(const std::vector<Query>& queries) const {
  std::vector<Query> out = queries;
  for (Query& query : out) {
    query.x = members_.at(query.x);
    query.y = members_.at(query.y);
    if (query.x > query.y) std::swap(query.x, query.y);
    for (std::uint32_t& v : query.given) v = members_.at(v);
    std::ranges::sort(query.given);
  }
  return out;
}

Answers PartAnswers::independent(const std::vector<Query>& queries, Cancel& cancel) {
  Answers out;
  out.reserve(queries.size());
  for (const auto& answer : memory_.recall(in_memory(queries), AnswerMemory::Wanted::decision, cancel))
    out.push_back(answer.independent == 1);
  return out;
}

std::vector<double> PartAnswers::separation(const std::vector<Query>& queries, Cancel& cancel) {
  std::vector<double> out;
  out.reserve(queries.size());
  for (const auto& answer : memory_.recall(in_memory(queries), AnswerMemory::Wanted::separation, cancel))
    out.push_back(answer.p_value);
  return out;
}

PairAnswers PartAnswers::pairs(const std::vector<Query>& queries, Cancel& cancel) {
  PairAnswers out;
  for (const auto& answer : memory_.recall(in_memory(queries), AnswerMemory::Wanted::strength, cancel)) {
    out.independent.push_back(answer.independent == 1);
    out.strength.push_back(answer.strength);
  }
  return out;
}

std::vector<Dependence> PartAnswers::dependence(const std::vector<Query>& queries, Cancel& cancel) {
  std::vector<Dependence> out;
  out.reserve(queries.size());
  for (const auto& answer : memory_.recall(in_memory(queries), AnswerMemory::Wanted::information, cancel))
    out.push_back({answer.independent == 1, answer.information});
  return out;
}

std::size_t PartAnswers::candidates_per_pair(std::size_t round) const {
  return memory_.answers().candidates_per_pair(round);
}

}  // namespace treewright
