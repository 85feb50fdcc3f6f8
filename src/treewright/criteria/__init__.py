"""Judge a claim (independent? better?) from statistics, or from a graph as oracle."""

from treewright.criteria.audited import AuditedTest
from treewright.criteria.independence import IndependenceTest, Query, TestResult, as_query, canonical_query
from treewright.criteria.oracle import DSeparationOracle

__all__ = [
    "AuditedTest",
    "DSeparationOracle",
    "IndependenceTest",
    "Query",
    "TestResult",
    "as_query",
    "canonical_query",
]
