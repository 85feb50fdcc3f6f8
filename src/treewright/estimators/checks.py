"""What scikit-learn's own checks ask of estimators that they are not meant to do, and why."""

from __future__ import annotations

from treewright.estimators.estimator import Settings

_CUTS = (
    "the check draws real numbers: columns of states are wanted, and where bins= cuts numbers evenly, "
    "the cuts are those of the rows, whatever they weigh; weights of rows of "
    "states are rows repeated"
)
_GAPS = "fit refuses NaN, as missing='error' says; predict takes it, since what is not seen is summed out"


def expected_failed_checks(estimator: Settings) -> dict[str, str]:
    """The checks of `sklearn.utils.estimator_checks` that an estimator fails by design, each with its reason.

    Examples
    --------
    >>> import treewright as tw
    >>> sorted(expected_failed_checks(tw.ChowLiuTree()))  # doctest: +NORMALIZE_WHITESPACE
    ['check_estimators_nan_inf', 'check_sample_weight_equivalence_on_dense_data',
     'check_sample_weight_equivalence_on_sparse_data']
    >>> expected_failed_checks(tw.BayesianClassifier())
    {}
    """
    if not hasattr(estimator, "missing"):
        return {}
    rows = ("dense", "sparse")
    made = {f"check_sample_weight_equivalence_on_{kind}_data": _CUTS for kind in rows}
    return {**made, "check_estimators_nan_inf": _GAPS} if estimator.missing == "error" else made
