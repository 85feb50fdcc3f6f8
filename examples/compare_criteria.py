"""Which score finds most of a known network, and from how many rows? And what do the tests say?"""

import numpy as np

import treewright as tw

alarm = tw.load_network("alarm")
table = alarm.sample(10_000, rng=np.random.default_rng(1))
held_out = alarm.sample(5_000, rng=np.random.default_rng(2))

scores = [tw.LogLikelihood, tw.AIC, tw.BIC, tw.BDeu, tw.K2, tw.QNML, tw.SparseQNML]
print(f"{'score':15s}{'rows':>7s}{'edges':>7s}{'right':>7s}{'F1':>7s}{'held out':>10s}")
for n_rows in (200, 2_000, 10_000):
    counter = tw.count(table.head(n_rows))
    for kind in scores:
        structure = tw.learn_chow_liu(kind(counter)).structure
        found = tw.compare(alarm.dag, structure).skeleton
        nats = tw.fit(structure, counter).score(held_out)
        print(f"{kind.__name__:15s}{n_rows:7d}{structure.n_edges:7d}{found.tp:7d}{found.f1:7.3f}{nats:10.3f}")

# One question, several tests, few rows; the oracle knows the answer.
question = ("HYPOVOLEMIA", "PCWP", ("LVEDVOLUME",))
counter = tw.count(table.head(300))
print(f"\nIs {question[0]} independent of {question[1]} given {question[2][0]}?")
print(f"{'oracle':18s}{tw.DSeparationOracle(alarm.dag).independent(*question)}")
for kind in (tw.GTest, tw.ChiSquareTest, tw.PermutationTest, tw.PosteriorTest):
    test = kind(counter)
    print(f"{kind.__name__:18s}{test.independent(*question)}  p = {test.test(*question).p_value:.3f}")
