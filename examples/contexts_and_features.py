"""Count parts of the rows: what depends on what may differ from one context to another."""

import numpy as np

import treewright as tw

# In the old machine the upper position of the switch is always loud; in the new one it makes no difference.
rng = np.random.default_rng(4)
n_rows = 4_000
machine = rng.choice(["old", "new"], n_rows)
switch = rng.choice(["up", "down"], n_rows)
noise = rng.choice(["quiet", "loud"], n_rows)
noise = np.where((machine == "old") & (switch == "up"), "loud", noise)
table = tw.read_table({"machine": machine, "switch": switch, "noise": noise})

old = tw.Feature({"machine": "old"})
for feature in (old, ~old):
    part = tw.count(table.where(feature))
    shared = tw.mutual_information(part, "switch", "noise")
    decision = "independent" if tw.GTest(part, alpha=0.01).independent("switch", "noise") else "dependent"
    print(f"{feature!s:18s}{part.n_rows:6d} rows  {shared:.4f} nats  switch and noise are {decision}")

# Features combine and name several variables.
loud_and_up = tw.Feature({"noise": "loud", "switch": "up"})
print(f"{loud_and_up}: {table.where(loud_and_up).n_rows} rows")
print(f"{loud_and_up & ~old}: {table.where(loud_and_up & ~old).n_rows} rows")

# A feature and its negation split the rows in two, so their counts add up to the whole.
sides = [tw.count(table.where(side)).counts(("machine", "switch")) for side in (loud_and_up, ~loud_and_up)]
assert (sides[0] + sides[1] == tw.count(table).counts(("machine", "switch"))).all()
print("a feature and its negation add up to the whole")
