# Made by python docs/make_reference.py
import collections.abc
import os
import treewright.graphs.knowledge.knowledge
import treewright.models.discrete.family_counts
import treewright.tables.schema
from typing import Any, Literal, Optional, Union

from treewright.estimators.checks import expected_failed_checks as expected_failed_checks
from treewright.estimators.classifier import BayesianClassifier as _BayesianClassifier
from treewright.estimators.estimator import Estimator as Estimator
from treewright.estimators.markov import BlanketMarkov as _BlanketMarkov
from treewright.estimators.markov import EfficientMarkov as _EfficientMarkov
from treewright.estimators.networks import PC as _PC
from treewright.estimators.networks import BoundedTreewidth as _BoundedTreewidth
from treewright.estimators.networks import ChowLiuTree as _ChowLiuTree
from treewright.estimators.networks import HillClimbing as _HillClimbing
from treewright.estimators.networks import Knots as _Knots
from treewright.estimators.separation_tree import SeparationTree as _SeparationTree

class BayesianClassifier(_BayesianClassifier):
    structure: str
    max_parents: int
    smoothing: float
    calibrate: bool
    folds: int
    class_weight: Union[collections.abc.Mapping[Any, float], Literal['balanced'], None]
    missing: Literal['state', 'sum']
    categorical: Union[collections.abc.Iterable[str], Literal['auto', 'all']]
    unseen: Literal['ignore', 'error']
    bins: int | None
    def __init__(
        self,
        *,
        structure: str = ...,
        max_parents: int = ...,
        smoothing: float = ...,
        calibrate: bool = ...,
        folds: int = ...,
        class_weight: Union[collections.abc.Mapping[Any, float], Literal['balanced'], None] = ...,
        missing: Literal['state', 'sum'] = ...,
        categorical: Union[collections.abc.Iterable[str], Literal['auto', 'all']] = ...,
        unseen: Literal['ignore', 'error'] = ...,
        bins: int | None = ...,
    ) -> None: ...

class BlanketMarkov(_BlanketMarkov):
    criterion: str
    search: str
    treewidth: int | None
    max_blanket: int | None
    knowledge: treewright.graphs.knowledge.knowledge.Knowledge | None
    prior: treewright.models.discrete.family_counts.Dirichlet | float | None
    missing: Literal['error', 'drop', 'state', 'em', 'available']
    unseen: Literal['error', 'ignore', 'state']
    bins: int | tuple[str, int] | tuple[str, str] | tuple[str, int, int] | collections.abc.Sequence[float] | collections.abc.Mapping[str, int | tuple[str, int] | tuple[str, str] | tuple[str, int, int] | collections.abc.Sequence[float]] | None
    mend: bool
    schema: treewright.tables.schema.Schema | None
    seed: int
    def __init__(
        self,
        *,
        score: str = ...,
        search: str = ...,
        treewidth: int | None = ...,
        max_blanket: int | None = ...,
        knowledge: treewright.graphs.knowledge.knowledge.Knowledge | None = ...,
        prior: treewright.models.discrete.family_counts.Dirichlet | float | None = ...,
        missing: Literal['error', 'drop', 'state', 'em', 'available'] = ...,
        unseen: Literal['error', 'ignore', 'state'] = ...,
        bins: int | tuple[str, int] | tuple[str, str] | tuple[str, int, int] | collections.abc.Sequence[float] | collections.abc.Mapping[str, int | tuple[str, int] | tuple[str, str] | tuple[str, int, int] | collections.abc.Sequence[float]] | None = ...,
        mend: bool = ...,
        schema: treewright.tables.schema.Schema | None = ...,
        seed: int = ...,
    ) -> None: ...

class EfficientMarkov(_EfficientMarkov):
    delta: Union[float, Literal['auto', 'gtest']]
    largest_set: int | None
    feature_length: int
    search: Literal['greedy', 'exhaustive']
    min_rows: float | None
    min_variables: int
    smoothing: float | None
    leaf: Literal['tree', 'independent']
    criterion: Literal['inverse-square', 'inverse-exponential']
    balance_tolerance: float
    max_depth: int | None
    prior: treewright.models.discrete.family_counts.Dirichlet | None
    missing: Literal['error', 'drop', 'state', 'em', 'available']
    unseen: Literal['error', 'ignore', 'state']
    bins: int | tuple[str, int] | tuple[str, str] | tuple[str, int, int] | collections.abc.Sequence[float] | collections.abc.Mapping[str, int | tuple[str, int] | tuple[str, str] | tuple[str, int, int] | collections.abc.Sequence[float]] | None
    mend: bool
    schema: treewright.tables.schema.Schema | None
    seed: int
    def __init__(
        self,
        *,
        delta: Union[float, Literal['auto', 'gtest']] = ...,
        largest_set: int | None = ...,
        feature_length: int = ...,
        search: Literal['greedy', 'exhaustive'] = ...,
        min_rows: float | None = ...,
        min_variables: int = ...,
        smoothing: float | None = ...,
        leaf: Literal['tree', 'independent'] = ...,
        score: Literal['inverse-square', 'inverse-exponential'] = ...,
        balance_tolerance: float = ...,
        max_depth: int | None = ...,
        prior: treewright.models.discrete.family_counts.Dirichlet | None = ...,
        missing: Literal['error', 'drop', 'state', 'em', 'available'] = ...,
        unseen: Literal['error', 'ignore', 'state'] = ...,
        bins: int | tuple[str, int] | tuple[str, str] | tuple[str, int, int] | collections.abc.Sequence[float] | collections.abc.Mapping[str, int | tuple[str, int] | tuple[str, str] | tuple[str, int, int] | collections.abc.Sequence[float]] | None = ...,
        mend: bool = ...,
        schema: treewright.tables.schema.Schema | None = ...,
        seed: int = ...,
    ) -> None: ...

class PC(_PC):
    test: str
    alpha: float
    depth: int | None
    collider_rule: Literal['contest', 'majority', 'conservative', 'first']
    knowledge: treewright.graphs.knowledge.knowledge.Knowledge | None
    prior: treewright.models.discrete.family_counts.Dirichlet | float | None
    missing: Literal['error', 'drop', 'state', 'em', 'available']
    unseen: Literal['error', 'ignore', 'state']
    bins: int | tuple[str, int] | tuple[str, str] | tuple[str, int, int] | collections.abc.Sequence[float] | collections.abc.Mapping[str, int | tuple[str, int] | tuple[str, str] | tuple[str, int, int] | collections.abc.Sequence[float]] | None
    mend: bool
    schema: treewright.tables.schema.Schema | None
    seed: int
    def __init__(
        self,
        *,
        test: str = ...,
        alpha: float = ...,
        depth: int | None = ...,
        collider_rule: Literal['contest', 'majority', 'conservative', 'first'] = ...,
        knowledge: treewright.graphs.knowledge.knowledge.Knowledge | None = ...,
        prior: treewright.models.discrete.family_counts.Dirichlet | float | None = ...,
        missing: Literal['error', 'drop', 'state', 'em', 'available'] = ...,
        unseen: Literal['error', 'ignore', 'state'] = ...,
        bins: int | tuple[str, int] | tuple[str, str] | tuple[str, int, int] | collections.abc.Sequence[float] | collections.abc.Mapping[str, int | tuple[str, int] | tuple[str, str] | tuple[str, int, int] | collections.abc.Sequence[float]] | None = ...,
        mend: bool = ...,
        schema: treewright.tables.schema.Schema | None = ...,
        seed: int = ...,
    ) -> None: ...

class BoundedTreewidth(_BoundedTreewidth):
    treewidth: int
    criterion: str
    effort: float | None
    max_parents: int | None
    knowledge: treewright.graphs.knowledge.knowledge.Knowledge | None
    prior: treewright.models.discrete.family_counts.Dirichlet | float | None
    missing: Literal['error', 'drop', 'state', 'em', 'available']
    unseen: Literal['error', 'ignore', 'state']
    bins: int | tuple[str, int] | tuple[str, str] | tuple[str, int, int] | collections.abc.Sequence[float] | collections.abc.Mapping[str, int | tuple[str, int] | tuple[str, str] | tuple[str, int, int] | collections.abc.Sequence[float]] | None
    mend: bool
    schema: treewright.tables.schema.Schema | None
    seed: int
    def __init__(
        self,
        *,
        treewidth: int = ...,
        score: str = ...,
        effort: float | None = ...,
        max_parents: int | None = ...,
        knowledge: treewright.graphs.knowledge.knowledge.Knowledge | None = ...,
        prior: treewright.models.discrete.family_counts.Dirichlet | float | None = ...,
        missing: Literal['error', 'drop', 'state', 'em', 'available'] = ...,
        unseen: Literal['error', 'ignore', 'state'] = ...,
        bins: int | tuple[str, int] | tuple[str, str] | tuple[str, int, int] | collections.abc.Sequence[float] | collections.abc.Mapping[str, int | tuple[str, int] | tuple[str, str] | tuple[str, int, int] | collections.abc.Sequence[float]] | None = ...,
        mend: bool = ...,
        schema: treewright.tables.schema.Schema | None = ...,
        seed: int = ...,
    ) -> None: ...

class ChowLiuTree(_ChowLiuTree):
    criterion: str
    knowledge: treewright.graphs.knowledge.knowledge.Knowledge | None
    prior: treewright.models.discrete.family_counts.Dirichlet | float | None
    missing: Literal['error', 'drop', 'state', 'em', 'available']
    unseen: Literal['error', 'ignore', 'state']
    bins: int | tuple[str, int] | tuple[str, str] | tuple[str, int, int] | collections.abc.Sequence[float] | collections.abc.Mapping[str, int | tuple[str, int] | tuple[str, str] | tuple[str, int, int] | collections.abc.Sequence[float]] | None
    mend: bool
    schema: treewright.tables.schema.Schema | None
    seed: int
    def __init__(
        self,
        *,
        score: str = ...,
        knowledge: treewright.graphs.knowledge.knowledge.Knowledge | None = ...,
        prior: treewright.models.discrete.family_counts.Dirichlet | float | None = ...,
        missing: Literal['error', 'drop', 'state', 'em', 'available'] = ...,
        unseen: Literal['error', 'ignore', 'state'] = ...,
        bins: int | tuple[str, int] | tuple[str, str] | tuple[str, int, int] | collections.abc.Sequence[float] | collections.abc.Mapping[str, int | tuple[str, int] | tuple[str, str] | tuple[str, int, int] | collections.abc.Sequence[float]] | None = ...,
        mend: bool = ...,
        schema: treewright.tables.schema.Schema | None = ...,
        seed: int = ...,
    ) -> None: ...

class HillClimbing(_HillClimbing):
    criterion: str
    effort: int
    max_parents: int | None
    set_by: str | None
    knowledge: treewright.graphs.knowledge.knowledge.Knowledge | None
    prior: treewright.models.discrete.family_counts.Dirichlet | float | None
    missing: Literal['error', 'drop', 'state', 'em', 'available']
    unseen: Literal['error', 'ignore', 'state']
    bins: int | tuple[str, int] | tuple[str, str] | tuple[str, int, int] | collections.abc.Sequence[float] | collections.abc.Mapping[str, int | tuple[str, int] | tuple[str, str] | tuple[str, int, int] | collections.abc.Sequence[float]] | None
    mend: bool
    schema: treewright.tables.schema.Schema | None
    seed: int
    def __init__(
        self,
        *,
        score: str = ...,
        effort: int = ...,
        max_parents: int | None = ...,
        set_by: str | None = ...,
        knowledge: treewright.graphs.knowledge.knowledge.Knowledge | None = ...,
        prior: treewright.models.discrete.family_counts.Dirichlet | float | None = ...,
        missing: Literal['error', 'drop', 'state', 'em', 'available'] = ...,
        unseen: Literal['error', 'ignore', 'state'] = ...,
        bins: int | tuple[str, int] | tuple[str, str] | tuple[str, int, int] | collections.abc.Sequence[float] | collections.abc.Mapping[str, int | tuple[str, int] | tuple[str, str] | tuple[str, int, int] | collections.abc.Sequence[float]] | None = ...,
        mend: bool = ...,
        schema: treewright.tables.schema.Schema | None = ...,
        seed: int = ...,
    ) -> None: ...

class Knots(_Knots):
    criterion: str
    fast: bool
    expansion: Union[float, Literal['adaptive']]
    filter: Optional[Literal['pc1', 'clusters', 'partners']]
    effort: int | None
    max_parents: int | None
    knowledge: treewright.graphs.knowledge.knowledge.Knowledge | None
    prior: treewright.models.discrete.family_counts.Dirichlet | float | None
    missing: Literal['error', 'drop', 'state', 'em', 'available']
    unseen: Literal['error', 'ignore', 'state']
    bins: int | tuple[str, int] | tuple[str, str] | tuple[str, int, int] | collections.abc.Sequence[float] | collections.abc.Mapping[str, int | tuple[str, int] | tuple[str, str] | tuple[str, int, int] | collections.abc.Sequence[float]] | None
    mend: bool
    schema: treewright.tables.schema.Schema | None
    seed: int
    def __init__(
        self,
        *,
        score: str = ...,
        fast: bool = ...,
        expansion: Union[float, Literal['adaptive']] = ...,
        filter: Optional[Literal['pc1', 'clusters', 'partners']] = ...,
        effort: int | None = ...,
        max_parents: int | None = ...,
        knowledge: treewright.graphs.knowledge.knowledge.Knowledge | None = ...,
        prior: treewright.models.discrete.family_counts.Dirichlet | float | None = ...,
        missing: Literal['error', 'drop', 'state', 'em', 'available'] = ...,
        unseen: Literal['error', 'ignore', 'state'] = ...,
        bins: int | tuple[str, int] | tuple[str, str] | tuple[str, int, int] | collections.abc.Sequence[float] | collections.abc.Mapping[str, int | tuple[str, int] | tuple[str, str] | tuple[str, int, int] | collections.abc.Sequence[float]] | None = ...,
        mend: bool = ...,
        schema: treewright.tables.schema.Schema | None = ...,
        seed: int = ...,
    ) -> None: ...

class SeparationTree(_SeparationTree):
    hypergraph: collections.abc.Iterable[collections.abc.Iterable[str]] | str | os.PathLike[str] | None
    engine: Literal['auto', 'class', 'tests']
    criterion: str | None
    effort: int
    max_parents: int | None
    test: Literal['g', 'chi-square']
    alpha: float | None
    alpha_uig: float
    refine_above: Union[int, Literal['auto'], None]
    completion: Literal['fit', 'none']
    legitimacy: Literal['error', 'report', 'skip']
    knowledge: treewright.graphs.knowledge.knowledge.Knowledge | None
    prior: treewright.models.discrete.family_counts.Dirichlet | float | None
    missing: Literal['error', 'drop', 'state', 'em', 'available']
    unseen: Literal['error', 'ignore', 'state']
    bins: int | tuple[str, int] | tuple[str, str] | tuple[str, int, int] | collections.abc.Sequence[float] | collections.abc.Mapping[str, int | tuple[str, int] | tuple[str, str] | tuple[str, int, int] | collections.abc.Sequence[float]] | None
    mend: bool
    schema: treewright.tables.schema.Schema | None
    seed: int
    def __init__(
        self,
        *,
        hypergraph: collections.abc.Iterable[collections.abc.Iterable[str]] | str | os.PathLike[str] | None = ...,
        engine: Literal['auto', 'class', 'tests'] = ...,
        score: str | None = ...,
        effort: int = ...,
        max_parents: int | None = ...,
        test: Literal['g', 'chi-square'] = ...,
        alpha: float | None = ...,
        alpha_uig: float = ...,
        refine_above: Union[int, Literal['auto'], None] = ...,
        completion: Literal['fit', 'none'] = ...,
        legitimacy: Literal['error', 'report', 'skip'] = ...,
        knowledge: treewright.graphs.knowledge.knowledge.Knowledge | None = ...,
        prior: treewright.models.discrete.family_counts.Dirichlet | float | None = ...,
        missing: Literal['error', 'drop', 'state', 'em', 'available'] = ...,
        unseen: Literal['error', 'ignore', 'state'] = ...,
        bins: int | tuple[str, int] | tuple[str, str] | tuple[str, int, int] | collections.abc.Sequence[float] | collections.abc.Mapping[str, int | tuple[str, int] | tuple[str, str] | tuple[str, int, int] | collections.abc.Sequence[float]] | None = ...,
        mend: bool = ...,
        schema: treewright.tables.schema.Schema | None = ...,
        seed: int = ...,
    ) -> None: ...
