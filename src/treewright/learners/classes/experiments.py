"""Networks from rows of which some were made: what was set tells directions that rows alone do not.

Networks are told apart where one of two neighbours was set and the other was not (Hauser & Buehlmann 2012): a
class of networks with the same independences falls into smaller ones. The search is among networks, since the
score of one depends on its directions; the pattern of the result has the arrows that all networks of its
smaller class share.
"""

from __future__ import annotations

from dataclasses import replace

from treewright import _core
from treewright.arguments import EXPERIMENTS, require
from treewright.criteria.scores.experiment_score import ExperimentScore
from treewright.graphs import BoundKnowledge, Cpdag, Dag, Knowledge, bind_knowledge
from treewright.graphs.directed.orientation import add_directions
from treewright.graphs.directed.pdag import Pdag
from treewright.graphs.edges import resolve_pairs
from treewright.learners.classes.dag_climbing import climb, require_some
from treewright.learners.learned import LearnedNetwork
from treewright.ranges import in_range
from treewright.statistics.experiments import Experiments
from treewright.types import Progress

LAST = 10  # structures that the walk does not come back to


@in_range
def learn_from_experiments(
    experiments: Experiments,
    score: str = "bic",
    *,
    ess: float | None = None,
    knowledge: Knowledge | BoundKnowledge | None = None,
    patience: int = 10,
    max_parents: int | None = None,
    progress: Progress | None = None,
) -> LearnedNetwork[Dag]:
    """Learn a network from rows in which some variables were set.

    Parameters
    ----------
    experiments
        The rows, with the column that names what was set.
    score, ess
        The name of a score of counts, and its equivalent sample size where it has one.
    knowledge
        Arcs that are required or forbidden, and tiers.
    patience
        How many moves it walks on without a better network.
    max_parents
        At most so many parents for each variable.
    progress
        Called with what each step did.

    Returns
    -------
    LearnedNetwork[Dag]
        The best network met. Its `pattern` has arrows where the rows, what was set or the knowledge tell a
        direction; `cpdag` is the class that rows without experiments would leave.

    Notes
    -----
    What has to be assumed: that what was set took nothing but the value it was given (no side effects), and
    that no common cause of two columns is missing from the table.

    Examples
    --------
    >>> import treewright as tw
    >>> rows = {"a": [0, 1] * 40, "b": [0, 1] * 20 + [0, 0, 1, 1] * 10, "set": ["none"] * 40 + ["b"] * 40}
    >>> experiments = tw.statistics.Experiments(tw.read_table(rows), "set")
    >>> learned = learn_from_experiments(experiments)
    >>> learned.pattern.directed_edges(), learned.cpdag.undirected_edges()
    ([('a', 'b')], [('a', 'b')])
    """
    require("learn_from_experiments", EXPERIMENTS, experiments)
    require_some(patience=patience)
    judge = ExperimentScore(experiments, score, ess=ess)
    known = bind_knowledge(knowledge, experiments.schema)
    settings = _core.ClimbSettings()
    settings.tabu, settings.patience = LAST, patience
    learned = climb(judge, settings, known, max_parents=max_parents, progress=progress)
    dag = learned.dag
    n_told = len(told_apart(dag, experiments))
    told = f"what was set directs {n_told} of {dag.n_edges} edges itself"
    pattern = pattern_of(dag, experiments, known)
    return replace(learned, structure=dag.as_one_of(pattern), notes=(told,))


def told_apart(dag: Dag, experiments: Experiments) -> list[tuple[str, str]]:
    """The arcs of which one end was set in some row in which the other was not."""
    return [
        (tail, head)
        for tail, head in dag.edges()
        if any((tail in target) != (head in target) for target in experiments.targets)
    ]


def pattern_of(dag: Dag, experiments: Experiments, known: BoundKnowledge) -> Pdag:
    """The class of a network, with the arrows that experiments and knowledge tell, and what follows."""
    arcs = resolve_pairs(dag.schema, told_apart(dag, experiments))
    arcs = [*arcs, *resolve_pairs(dag.schema, known.pattern_of(dag).directed_edges())]
    return add_directions(Cpdag.of(dag), arcs)
