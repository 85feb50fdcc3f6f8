"""What scikit-learn asks of estimators beside fitting: tags, and who is handed `sample_weight`.

scikit-learn has no tag for checks that fail by design: `check_estimator` takes them as an argument. Here they
are a tag as well, in the way in which scikit-learn lets others add tags: a field of a class derived from its
own.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Any, Self

from treewright.errors import SettingError

_WEIGHED = ("fit", "partial_fit", "score")  # methods that may take sample_weight


@cache
def tags_class() -> Any:
    """scikit-learn's tags, and the checks that fail by design."""
    from sklearn.utils import Tags  # type: ignore[import-not-found,unused-ignore]

    @dataclass
    class OurTags(Tags):  # type: ignore[misc,unused-ignore]
        """With `expected_failed_checks`: each by name, with its reason."""

        expected_failed_checks: dict[str, str] = field(default_factory=dict)

    return OurTags


class Routed:
    """Requests of `sample_weight`, as scikit-learn's metadata routing wants them; asked for by it only.

    These estimators have no `transform`, so there is no output to set: `set_output` of a pipeline passes by.
    """

    __slots__ = ()

    def get_metadata_routing(self) -> Any:
        """What each method is handed by scikit-learn's meta-estimators, a copy."""
        from sklearn.utils.metadata_routing import (  # type: ignore[import-not-found,unused-ignore]
            MetadataRequest,
            get_routing_for_object,
        )

        asked = vars(self).get("_metadata_request")
        if asked is None:
            asked = MetadataRequest(owner=self)
            for method in _WEIGHED:
                if hasattr(self, method):
                    getattr(asked, method).add_request(param="sample_weight", alias=None)
        return get_routing_for_object(asked)

    def set_fit_request(self, *, sample_weight: bool | str | None) -> Self:
        """Whether `fit` is handed `sample_weight`, or under which other name."""
        return self._request("fit", sample_weight)

    def set_partial_fit_request(self, *, sample_weight: bool | str | None) -> Self:
        """Whether `partial_fit` is handed `sample_weight`, or under which other name."""
        return self._request("partial_fit", sample_weight)

    def set_score_request(self, *, sample_weight: bool | str | None) -> Self:
        """Whether `score` is handed `sample_weight`, or under which other name."""
        return self._request("score", sample_weight)

    def _request(self, method: str, alias: bool | str | None) -> Self:
        import sklearn  # type: ignore[import-not-found,unused-ignore]

        if not sklearn.get_config()["enable_metadata_routing"]:
            raise RuntimeError(
                f"set_{method}_request is for metadata routing, which is off; switch it on with "
                "sklearn.set_config(enable_metadata_routing=True)"
            )
        if not hasattr(self, method):
            raise SettingError(f"{type(self).__name__} has no {method} with these settings")
        asked = self.get_metadata_routing()
        getattr(asked, method).add_request(param="sample_weight", alias=alias)
        vars(self)["_metadata_request"] = asked
        return self
