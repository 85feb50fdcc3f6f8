"""Which modules are mutated, how many mutants of each are tried, and the test files that answer for it."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]

# beside the file that mirrors a module: tests under another name
ELSEWHERE = {
    "criteria.scores.dirichlet_scores": ["criteria/scores/test_scores.py"],
    "criteria.scores.discrete_score": ["criteria/scores/test_scores.py"],
    "criteria.scores.score": ["criteria/scores/test_scores.py", "criteria/scores/test_native_scores.py"],
    "criteria.tests.audited": ["criteria/tests/test_oracle.py", "criteria/tests/test_discrete_tests.py"],
    "criteria.tests.independence": ["criteria/tests/test_discrete_tests.py"],
    "criteria.graph_scores.marginal_pseudo_likelihood": ["criteria/graph_scores/test_blanket_scores.py"],
    "graphs.directed.pdag": ["graphs/directed/test_cpdag.py", "graphs/directed/test_extension.py"],
    "graphs.knowledge.rules": ["graphs/knowledge/test_knowledge.py"],
    "graphs.undirected.collapse": ["inference/test_completion.py"],
    "inference.batch": ["inference/test_junction_tree.py", "models/test_rows.py"],
    "inference.refusals": [
        "inference/test_sampling_seed.py",
        "inference/test_junction_tree.py",
        "models/discrete/test_bayesian_network.py",
    ],
    "learners.bayesian_knots.dependency_tree": ["learners/bayesian_knots/test_pipeline.py"],
    "learners.bayesian_knots.expansion": ["learners/bayesian_knots/test_cluster_finding.py"],
    "learners.bayesian_knots.stars": ["learners/bayesian_knots/test_cluster_finding.py"],
    "learners.separation_trees.settings": ["learners/separation_trees/test_databases.py"],
    "models.discrete.family_counts": [
        "models/discrete/test_bayesian_network.py",
        "models/fitting/test_fit.py",
    ],
    "models.fitting.fit": [
        "models/undirected/test_markov_fitting.py",
        "models/continuous/test_gaussian_fit.py",
    ],
    "tables.cuts.hartemink": ["tables/cuts/test_cuts.py"],
    "tables.cuts.mdl": ["tables/cuts/test_cuts.py"],
    "tables.schema": ["tables/test_table.py", "inference/test_evidence.py"],
}
# Modules that decide something, with tests that are quick.
MODULES = {
    "statistics.several.homogeneity": 40,
    "statistics.state_merging": 40,
    "statistics.information": 15,
    "statistics.joint": 10,
    "statistics.merged": 15,
    "statistics.moments": 15,
    "statistics.several.pooled": 20,
    "criteria.scores.dirichlet_scores": 15,
    "criteria.scores.pooled_score": 15,
    "criteria.tests.independence": 15,
    "criteria.tests.posterior_test": 10,
    "criteria.graph_scores.marginal_pseudo_likelihood": 15,
    "graphs.compare": 20,
    "graphs.directed.cpdag": 15,
    "graphs.directed.orientation": 15,
    "graphs.directed.d_separation": 15,
    "graphs.undirected.blocks": 15,
    "graphs.undirected.spanning": 15,
    "graphs.undirected.collapse": 10,
    "graphs.knowledge.database_design": 15,
    "inference.completion": 20,
    "inference.evidence": 15,
    "inference.refusals": 10,
    "learners.classes.chow_liu": 15,
    "learners.classes.score_choice": 15,
    "learners.independence.collider_rules": 25,
    "learners.markov_baselines.graphical_lasso": 30,
    "learners.markov_baselines.pac_junction_tree": 20,
    "learners.separation_trees.settings": 10,
    "models.fitting.em": 25,
    "models.fitting.fit": 15,
    "models.fitting.databases": 15,
    "models.discrete.family_counts": 20,
    "tables.schema": 15,
    "tables.features": 15,
    "tables.cuts.mdl": 20,
    "tables.cuts.hartemink": 20,
    "tables._reading.bins": 20,
}


def tests_of(module: str) -> list[str]:
    """The test file that mirrors a module, and those that are named for it."""
    *folders, name = module.split(".")
    mirror = Path("tests", *folders, f"test_{name}.py")
    named = [f"tests/{file}" for file in ELSEWHERE.get(module, [])]
    return [*([mirror.as_posix()] if (ROOT / mirror).exists() else []), *named]
