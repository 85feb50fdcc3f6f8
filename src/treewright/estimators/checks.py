"""What scikit-learn's own checks ask of estimators that they are not meant to do, and why."""

from __future__ import annotations

from treewright.estimators.estimator import Settings


def expected_failed_checks(estimator: Settings) -> dict[str, str]:
    """The checks of `sklearn.utils.estimator_checks` that an estimator fails by design, each with its reason.

    scikit-learn takes them as ``check_estimator(estimator, expected_failed_checks=...)``; they are a tag too,
    ``estimator.__sklearn_tags__().expected_failed_checks``.

    Examples
    --------
    >>> import treewright as tw
    >>> sorted(expected_failed_checks(tw.ChowLiuTree()))  # doctest: +NORMALIZE_WHITESPACE
    ['check_estimators_nan_inf', 'check_sample_weight_equivalence_on_dense_data',
     'check_sample_weight_equivalence_on_sparse_data']
    >>> expected_failed_checks(tw.BayesianClassifier())
    {}
    """
    return estimator._expected_failed_checks()
