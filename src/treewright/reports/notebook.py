"""What a notebook shows: the picture of a model, a graph, a comparison, confidence, an answer, a result.

The picture is one SVG with bars and a legend, which documents made from notebooks keep; front ends that show
HTML get it in a box that scrolls, below a line of figures.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from treewright.graphs.compare import Comparison
from treewright.graphs.feature_graph import FeatureGraph
from treewright.learners import EdgeConfidence
from treewright.models.answers import Distribution, Marginals
from treewright.models.continuous.normal_answers import JointNormal, Normal, NormalMarginals
from treewright.models.mixed.mixtures import MixedMarginals, NormalMixture
from treewright.models.model import ModelBase
from treewright.reports.cards import Card, answer_card, card_of, draw_card
from treewright.reports.comparison_picture import comparison_picture, comparison_words
from treewright.reports.feature_picture import PARTS, upper_nodes
from treewright.reports.render import Picture, framed, key_figures, model_picture, scrolled, style_of, to_svg

_GAP = 14.0
_WIDTH = 860.0  # of rows of boxes
_MOST_CARDS = 60
_MOST_STATES = 24  # of a joint distribution
_ANSWERS = (Distribution, Marginals, Normal, NormalMixture, JointNormal, NormalMarginals, MixedMarginals)
_BOTH_UP_TO = 200_000  # letters of a picture that is given by itself too


def bundle_for_notebook(thing: Any) -> dict[str, str]:
    """The forms in which a notebook may show something, by type of content.

    Examples
    --------
    >>> from treewright.networks import load_network
    >>> sorted(bundle_for_notebook(load_network("asia")))
    ['image/svg+xml', 'text/html', 'text/plain']
    """
    picture, said = _shown(thing)
    bundle = {"text/plain": repr(thing), "text/html": scrolled(picture, said)}
    if len(picture) <= _BOTH_UP_TO:
        bundle["image/svg+xml"] = str(picture)
    return bundle


def _shown(thing: Any) -> tuple[Picture, str]:
    """The picture and a line above it; of what was learned, those of its model or its structure."""
    if not isinstance(thing, ModelBase):
        thing = getattr(thing, "model", getattr(thing, "structure", thing))
    if isinstance(thing, _ANSWERS):
        return _answer(thing)
    if isinstance(thing, Comparison):
        return comparison_picture(thing), comparison_words(thing)
    if isinstance(thing, EdgeConfidence):
        often = thing.averaged_network(threshold=0.5)
        said = f"{len(often.edges()):,} edges found by at least half of {thing.repetitions:,} resamplings"
        return to_svg(often, confidence=thing), said
    if isinstance(thing, FeatureGraph):
        said = f"{len(thing.schema):,} variables · feature graph of {thing.n_nodes:,} nodes"
        return to_svg(upper_nodes(thing), arrows=PARTS), said
    if isinstance(thing, ModelBase):
        return model_picture(thing), key_figures(thing)  # type: ignore[arg-type]
    return to_svg(thing), key_figures(thing)


def _answer(answer: Any) -> tuple[Picture, str]:
    log, what = getattr(answer, "log_probability_of_evidence", None), "ln P"
    if log is None:
        log, what = answer.log_density_of_evidence, "ln of density"
    said = f"given evidence with {what} = {log:.4g}" if log else "given nothing"
    if isinstance(answer, Distribution | Normal | NormalMixture):
        return _cards([_answer_card(answer)]), said
    cards = [_answer_card(answer[name]) for name in answer.names[:_MOST_CARDS]]
    left = len(answer) - len(cards)
    return _cards(cards), said + (f"; {left:,} more variables are not shown" if left else "")


def _answer_card(answer: Distribution | Normal | NormalMixture) -> Card:
    if not isinstance(answer, Distribution):
        return answer_card(answer.name, answer)
    numbers = answer.array.ravel()[:_MOST_STATES].tolist()
    keys = (", ".join(map(str, key)) if isinstance(key, tuple) else str(key) for key in answer)
    rows = list(zip(keys, numbers, strict=False))
    rows += [("", 0.0)] * (answer.array.size - len(rows))  # counted, not shown
    return card_of(", ".join(answer.names), rows)


def _cards(cards: Sequence[Card]) -> Picture:
    """Boxes side by side, in rows."""
    parts, left, top, high, widest = [], 0.0, 0.0, 0.0, 0.0
    for card in cards:
        if left > 0 and left + card.width > _WIDTH:
            left, top, high = 0.0, top + high + _GAP, 0.0
        parts.append(draw_card(card, (left + card.width / 2, top + card.height / 2)))
        left += card.width + _GAP
        high, widest = max(high, card.height), max(widest, left - _GAP)
    title = f"distributions of {len(cards)} variables"
    return framed(parts, widest, top + high, title, style=style_of(cards))
