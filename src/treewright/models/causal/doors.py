"""What a network can be asked about acting, once its arcs are read as causes.

Nothing here makes an arc a cause: rows alone do not tell. Each answer says what it rests on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar, cast

from treewright.graphs.directed.pdag import Pdag
from treewright.models.causal.told import Told
from treewright.models.model import DirectedModel

if TYPE_CHECKING:
    from treewright.models.causal.possible import PossibleEffects

Found = TypeVar("Found", bound=Told)


class Actable(DirectedModel):
    """A network whose variables can be set."""

    def __repr__(self) -> str:
        return self._told_after(super().__repr__())

    def _told_after(self, told: str) -> str:
        """With what was set, if anything was."""
        done = ", ".join(sorted(self._provenance.get("do") or ()))
        return f"{told[:-1]}; after do({done}), if arcs are causes>" if done else told

    def do(self, values: Mapping[str, Any] | None = None, /, **more: Any) -> Self:
        """The network after setting variables from outside: their arcs from parents are cut.

        `model.do(smoke="no")`, or `model.do({"smoke": "no", "x ray": "yes"})` for any names and several
        variables; a mapping from states to probabilities sets a variable by lot. The answer is a network like
        any other, with exact answers. What it says about acting holds if every arc is a cause, nothing
        outside the network is a cause of two of its variables, and setting a variable touches nothing else.

        Examples
        --------
        >>> import treewright as tw
        >>> asia = tw.load_network("asia")
        >>> ill = asia.do(lung="yes")
        >>> round(ill.query("dysp")["yes"], 4), round(ill.query("smoke")["yes"], 4)
        (0.79, 0.5)
        >>> round(asia.query("dysp", given={"lung": "yes"})["yes"], 4)  # to see it tells of smoking as well
        0.8145
        """
        from treewright.models.causal.surgery import cut

        return cast("Self", cut(cast("Any", self), {**(values or {}), **more}))


class Causal(Actable, Generic[Found]):
    """A network that tells what setting one variable does to another; `Found` is how it tells it."""

    def effect(
        self,
        treatment: str,
        outcome: str,
        *,
        adjust_for: Iterable[str] | None = None,
        hidden: Iterable[str] = (),
    ) -> Found:
        """What setting one variable does to another, if the arcs are causes.

        The numbers come from the set that the answer names, the first of :func:`treewright.adjustment_sets`
        that tells the effect: a back-door set, or else a front-door set. Surgery (:meth:`do`) agrees with
        each, and answers where no set does because some of its states never meet. With `adjust_for` the set
        is yours; one that does not tell the effect is refused. What nobody measures is `hidden`: no set has
        it.

        Examples
        --------
        >>> import treewright as tw
        >>> tw.load_network("asia").effect("bronc", "dysp")
        dysp given do(bronc)
          bronc  yes     no
          yes    0.8065  0.1935
          no     0.1389  0.8611
          adjusted for {either}
          if every arc is a cause
          if nothing outside the network is a cause of two of its variables
          if setting bronc changes nothing but bronc and what follows from it
        >>> round(tw.load_network("asia").effect("bronc", "dysp").change("yes", to="yes", since="no"), 4)
        0.6676
        """
        from treewright.models.causal.effects import effect_of

        return cast("Found", effect_of(cast("Any", self), treatment, outcome, adjust_for, hidden))

    def effects(self, treatment: str, outcome: str, *, pattern: Pdag | None = None) -> PossibleEffects[Found]:
        """Every effect that a member of the learned class gives, with the number of members (IDA).

        Members of a class fit the rows equally well and differ in the causes of the treatment: each set of
        parents that it has in some member gives one possible effect, by adjusting for it. The class is the
        `pattern` that the network was learned with (of a network that nobody learned, its equivalence class),
        or the one given, which must have the network as member.

        Examples
        --------
        >>> import treewright as tw
        >>> found = tw.load_network("asia").effects("smoke", "lung")
        >>> [(one.parents, one.members) for one in found]
        [((), 2), (('bronc',), 2), (('lung',), 2)]
        >>> [round(bound, 4) for bound in found.bounds("yes", to="yes", since="no")]
        [0.0, 0.09]
        """
        from treewright.models.causal.possible import possible_effects

        found: Any = possible_effects(cast("Any", self), treatment, outcome, pattern)
        return cast("PossibleEffects[Found]", found)
