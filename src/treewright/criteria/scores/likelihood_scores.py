"""Scores that start from the maximised likelihood and pay for what was fitted.

With n_jk rows in which the parents are in configuration j and the child in state k, the likelihood part is
``sum n_jk ln(n_jk / n_j)``. The scores differ in the price: nothing, one nat a free parameter (AIC), half the
logarithm of the rows a parameter (BIC), or the exact regret of having fitted a multinomial (qNML).
"""

from __future__ import annotations

from treewright.criteria.scores.discrete_score import CountScore


class LogLikelihood(CountScore):
    """Maximised log-likelihood, without a price: it grows with every parent.

    Examples
    --------
    >>> from treewright.statistics.joint import JointCounts
    >>> from treewright.tables.schema import Schema, Variable
    >>> schema = Schema([Variable("treated", ("no", "yes")), Variable("well", ("no", "yes"))])
    >>> score = LogLikelihood(JointCounts(schema, [[20, 10], [5, 25]]))
    >>> round(score.local("well", ["treated"]), 4)
    -32.6123
    """

    kind = "log_likelihood"


class AIC(CountScore):
    """Akaike's criterion: log-likelihood less the number of free parameters, (r - 1) q for each family.

    Examples
    --------
    >>> import treewright as tw
    >>> counter = tw.count(tw.read_table({"treated": [0] * 6 + [1] * 6, "well": [0] * 5 + [1] * 7}))
    >>> AIC(counter).local("well") < AIC(counter).local("well", ["treated"])
    True
    """

    kind = "aic"


class BIC(CountScore):
    """Schwarz's criterion: log-likelihood less half the logarithm of the rows for each free parameter.

    All declared configurations of the parents count, seen or not. The price of an astronomically large family
    saturates at 1e300, so that sums stay finite.

    Examples
    --------
    >>> from treewright.statistics.joint import JointCounts
    >>> from treewright.tables.schema import Schema, Variable
    >>> schema = Schema([Variable("treated", ("no", "yes")), Variable("well", ("no", "yes"))])
    >>> counter = JointCounts(schema, [[20, 10], [5, 25]])
    >>> round(BIC(counter).local("well", ["treated"]), 4)
    -36.7066
    """

    kind = "bic"


class QNML(CountScore):
    r"""Quotient normalised maximum likelihood.

    .. math:: H(P + v) - H(P) - [reg(N, |P + v|) - reg(N, |P|)]

    where H is the sum of n ln n over the cells of a set of variables, \|S\| its number of cells and
    ``reg(N, K)`` the logarithm of the multinomial normaliser, by the approximation of [2]_. Against BIC it is
    lenient with variables of many states and needs no parameter.

    References
    ----------
    .. [1] Silander, Leppä-aho, Jääsaari & Roos (2018). Quotient normalized maximum likelihood criterion for
       learning Bayesian network structures. AISTATS.
    .. [2] Szpankowski & Weinberger (2012). Minimax pointwise redundancy for memoryless models over large
       alphabets. IEEE Transactions on Information Theory 58.

    Examples
    --------
    >>> import treewright as tw
    >>> score = QNML(tw.count(tw.read_table({"a": [0] * 6 + [1] * 6, "b": [0] * 5 + [1] * 7})))
    >>> score.local("a") + score.local("b", ["a"]) == score.local("b") + score.local("a", ["b"])
    True
    """

    kind = "qnml"
