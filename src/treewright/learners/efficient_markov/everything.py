"""What to try, in which order, for a stack of models.

Networks of bounded treewidth first, since they cost next to nothing; then hidden trees with a few smoothings,
the best single family on most data, mixtures of trees of growing size, mixtures and bags of cutset networks
for tables that are not wide, and larger hidden trees. What is left of the budget goes where the last model of
a kind added most to the mixture of all, for what it cost. Every model that is learned stays in the pool:
models that are worse alone help where they differ. Where there are too many rows for what a model may cost,
it is learned from some of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from treewright import _core
from treewright.learners.efficient_markov.bounded import network_price, train_bag, train_network
from treewright.learners.efficient_markov.cutset import CutsetSettings, cutset_options
from treewright.learners.efficient_markov.density import Candidate, LearningRows, Meter, thinned
from treewright.learners.efficient_markov.hidden_tree import (
    HiddenSettings,
    hidden_price,
    train_hidden,
    variants,
)
from treewright.learners.efficient_markov.mixture_plan import (
    CutsetComponents,
    TreeComponents,
    cutset_price,
    train_mixture,
)
from treewright.types import Floats

Tried = list[tuple[float, HiddenSettings]]  # hidden trees learned so far, with their scores

_WIDE = 300  # variables: above, tables are taken for sparse texts, and cutset networks cost too much
# transitions, emissions
_SMOOTHINGS = ((0.3, 1.0), (1.0, 5.0), (3.0, 2.0))
_WIDE_SMOOTHINGS = ((0.3, 1.0), (1.0, 5.0))
_LESS, _MORE = (0.1, 0.1), (1.0, 20.0)  # for wide tables: beyond the better of the two
_SIZES = (10, 30, 80, 160)
_ROWS_PER_COMPONENT = 50
_FEWEST_EPOCHS = 5  # of a schedule that is worth to begin
_WIDTHS = (4, 8, 12, 16)  # of bounded networks, while they gain
_BAG = 10  # networks in a bag of them
_AGAIN = 8  # more models of each kind at most, when only what gains goes on
_WITH_START = 9.0  # epochs: a few, and what clusters and the tree take before them
_BAGS = (
    ("bag of deep cutsets", 40, CutsetSettings(30.0, 1.0, 3.0, candidates=2, candidate_share=0.3)),
    ("bag of cutsets", 20, CutsetSettings(300.0, 1.0, 3.0, candidates=5, candidate_share=0.5)),
)
# the most of the budget that each phase takes; what they leave goes to what still gains
_NETWORKS, _HIDDEN, _TREES, _CUTSETS, _LARGER, _ALL = 0.12, 0.3, 0.2, 0.12, 0.2, 0.97


def learn_everything(
    rows: LearningRows, seed: int, meter: Meter
) -> Iterator[tuple[str, Iterable[Candidate]]]:
    """The phases, each with the models that it learns."""
    plan = Plan(rows, seed, meter)
    yield "bounded networks", plan.watched("networks", plan.networks())
    yield "hidden trees", plan.watched("hidden", plan.hidden_trees())
    yield "mixtures of trees", plan.watched("trees", plan.tree_mixtures())
    if not plan.is_wide:
        yield "cutset networks", plan.watched("cutsets", plan.cutsets())
    yield "larger hidden trees", plan.watched("hidden", plan.larger_trees())
    yield "what still gains", plan.what_still_gains()


class Gains:
    """The mixture of all models so far on the validation rows, and what each kind added last."""

    def __init__(self, rows: LearningRows) -> None:
        self.shares = np.asarray(rows.valid.weights) / rows.valid.total
        self.mixed: Floats | None = None
        self.rates: dict[str, float] = {}  # by kind: nats that its last model added, for a second of work

    def add(self, kind: str, logs: Floats, work: float) -> None:
        before = self.mixed
        self.mixed = logs if before is None else self.with_another(before, logs)
        gain = 0.0 if before is None else float((self.shares * (self.mixed - before)).sum())
        self.rates[kind] = np.inf if before is None else max(gain, 0.0) / max(work, 1e-9)

    def with_another(self, mixed: Floats, logs: Floats) -> Floats:
        """The best mixture of what there is with one more model: concave in its weight."""
        more = np.expm1(np.minimum(logs - mixed, 600.0))  # how much likelier a row is under the other alone
        low, high = 0.0, 1.0 - 1e-9
        for _ in range(20):
            weight = (low + high) / 2
            if float((self.shares * more / (1 + weight * more)).sum()) > 0:
                low = weight
            else:
                high = weight
        found: Floats = mixed + np.log1p(low * more)
        return found


class Plan:
    """Which models are learned from the rows, as far as the budget goes."""

    def __init__(self, rows: LearningRows, seed: int, meter: Meter) -> None:
        self.rows, self.seed, self.meter = rows, seed, meter
        self.is_wide = len(rows.schema) > _WIDE
        self.gains = Gains(rows)
        self.hidden: Tried = []
        self.width = 0  # of the best bounded network
        self.end = 0.0  # nominal seconds when the phase has to be over

    def begin(self, share: float) -> None:
        """A phase that takes this much of the budget at most."""
        self.end = min(self.meter.spent + self.some(share), self.some(_ALL))

    @property
    def left(self) -> float:
        """Nominal seconds until the phase has to be over."""
        return max(self.end - self.meter.spent, 0.0)

    def some(self, share: float) -> float:
        """Nominal seconds."""
        return share * self.meter.budget

    def watched(self, kind: str, proposals: Iterable[Candidate]) -> Iterator[Candidate]:
        """The models as they come; what each adds is written down."""
        before = self.meter.spent
        for found in proposals:
            if np.isfinite(found.score):
                self.gains.add(kind, found.valid_logs, self.meter.spent - before)
            before = self.meter.spent
            yield found

    def networks(self) -> Iterator[Candidate]:
        """Wider ones while validation rows gain, then a bag of the best width."""
        self.begin(_NETWORKS)
        best, price = -np.inf, 0.0
        for treewidth in _WIDTHS:
            expected = max(network_price(self.rows, treewidth), price)
            if self.width and (expected > self.left / 2 or self.meter.is_late()):
                break
            if self.is_wide and expected > self.left:  # pairs of many variables take too long
                break
            before = self.meter.spent
            found = train_network(self.rows, treewidth, self.seed, self.meter, allowance=self.some(0.08))
            price = self.meter.spent - before
            if found is None:
                break
            yield found
            if found.score <= best:
                break
            best, self.width = found.score, treewidth
            if treewidth >= len(self.rows.schema) - 1:
                break
        if self.width:
            yield from self.network_bag(0, self.left)

    def network_bag(self, number: int, allowance: float) -> Iterator[Candidate]:
        """As many networks as may be paid, if there are two at least."""
        size = min(_BAG, int(allowance / network_price(self.rows, self.width)))
        if size > 1 and not self.meter.is_late():
            seed = self.seed + 1 + _BAG * number
            found = train_bag(self.rows, self.width, size, seed, self.meter, allowance=allowance)
            if found is not None:
                yield found

    def hidden_trees(self) -> Iterator[Candidate]:
        """Sixteen hidden states with a few smoothings; the first always fits."""
        self.begin(_HIDDEN)
        smoothings = list(_WIDE_SMOOTHINGS if self.is_wide else _SMOOTHINGS)
        for number in range(3):
            if number == len(smoothings):
                is_more = len(self.hidden) > 1 and self.hidden[1][0] > self.hidden[0][0]
                smoothings.append(_MORE if is_more else _LESS)
            transitions, emissions = smoothings[number]
            settings = HiddenSettings(transitions=transitions, emissions=emissions, seed=self.seed)
            few = min(_FEWEST_EPOCHS * 1.2 * hidden_price(self.rows, settings), self.left)
            allowance = max(self.left / (3 - number), few)
            yield from self.tried(
                settings, allowance if number else max(allowance, self.some(0.1)), number == 0
            )

    def larger_trees(self) -> Iterator[Candidate]:
        """The best smoothing with 32 hidden states; with 8 where that brings nothing."""
        if not self.hidden:
            return
        self.begin(_LARGER)
        score, best = max(self.hidden, key=lambda pair: pair[0])
        yield from self.tried(replace(best, states=32), self.left)
        if max(self.hidden, key=lambda pair: pair[0])[0] <= score:
            yield from self.tried(replace(best, states=8), self.left)

    def tried(self, settings: HiddenSettings, allowance: float, must: bool = False) -> Iterator[Candidate]:
        """One hidden tree, if the work allowed is enough for a few epochs and its numbers stay finite."""
        dear = _FEWEST_EPOCHS * hidden_price(self.rows, settings) > allowance
        if (self.meter.is_late() or dear) and not must:
            return
        rows = thinned(self.rows, hidden_price(self.rows, settings) * _WITH_START, allowance, self.seed)
        found = train_hidden(rows, settings, self.meter, allowance=allowance)
        if found is not None:
            self.hidden.append((found.score, settings))
            yield found

    def tree_mixtures(self) -> Iterator[Candidate]:
        """More and more trees while validation rows gain, with little and with much shrinkage."""
        self.begin(_TREES)
        most = max(self.rows.train.total / _ROWS_PER_COMPONENT, 2)
        learned = False  # one mixture is always there, however little time there is
        for shrinkage in (20.0, 80.0) if self.is_wide else (3.0, 20.0):
            family = TreeComponents(smoothing=0.1 if self.is_wide else 1.0, shrinkage=shrinkage)
            best = float("-inf")
            for size in _SIZES:
                before, left = self.meter.spent, self.left
                if (size > most and size > _SIZES[0]) or (learned and not left):
                    break
                if learned and self.meter.is_late():
                    return
                components, allowance = min(size, max(int(most), 2)), max(left, self.some(0.05))
                found = train_mixture(
                    self.rows, family, components, self.seed, self.meter, allowance=allowance
                )
                learned = True
                yield found
                if found.score <= best or 3 * (self.meter.spent - before) > self.left:
                    break
                best = found.score

    def cutsets(self) -> Iterator[Candidate]:
        """A mixture of shallow networks, and bags of deep ones that differ by the splits they may take."""
        self.begin(_CUTSETS)
        if self.left and not self.meter.is_late():
            size = int(min(10, max(self.rows.train.total // (10 * _ROWS_PER_COMPONENT), 2)))
            allowance = self.left / (1 + len(_BAGS))
            yield train_mixture(
                self.rows, CutsetComponents(), size, self.seed, self.meter, allowance=allowance
            )
        for number in range(len(_BAGS)):
            yield from self.cutset_bag(number, self.left / (len(_BAGS) - number), self.seed)

    def cutset_bag(self, number: int, allowance: float, seed: int) -> Iterator[Candidate]:
        """As many networks as may be paid; what one costs is learned from the first."""
        if not allowance or self.meter.is_late():
            return
        name, size, settings = _BAGS[number]
        options = cutset_options(settings)
        rows = thinned(self.rows, 2 * cutset_price(self.rows, settings), allowance, seed)
        first = _core.bag_of_cutsets(rows.train, 1, options, seed)
        self.meter.pay(first.work)
        fit = int(max(min(size, (allowance - first.work * 1e-9) * 1e9 // max(first.work, 1.0)), 1))
        network = _core.bag_of_cutsets(rows.train, fit, options, seed) if fit > 1 else first
        self.meter.pay(network.work if fit > 1 else 0.0)
        found = Candidate.of(f"{name} ({fit})", network, rows, 1)
        self.meter.tell(found.name, 1, found.score)
        yield found

    def what_still_gains(self) -> Iterator[Candidate]:
        """More models of the kind whose last one gained most for its work, until none does."""
        self.begin(1.0)
        made = dict.fromkeys(("hidden", "networks", "cutsets"), 0)
        ended: set[str] = set()
        while not self.meter.is_late():
            open_kinds = [kind for kind in made if self.gains.rates.get(kind, 0.0) > 0 and kind not in ended]
            if not open_kinds or self.left < self.some(0.02):
                return
            kind = max(open_kinds, key=lambda one: self.gains.rates[one])
            found = list(self.watched(kind, self.another(kind, made[kind])))
            made[kind] += 1
            if not found or made[kind] == _AGAIN:
                ended.add(kind)
            yield from found

    def another(self, kind: str, number: int) -> Iterator[Candidate]:
        """One more model of a kind, that differs from those before."""
        if kind == "networks":
            yield from self.network_bag(number + 1, self.left / 3)
        elif kind == "cutsets":
            seed = self.seed + 7919 * (number + 1)
            yield from self.cutset_bag(number % len(_BAGS), self.left / 3, seed)
        elif self.hidden:
            _, best = max(self.hidden, key=lambda pair: pair[0])
            yield from self.tried(variants(replace(best, seed=self.seed), number), self.left)
