"""Learn from files one by one: counts of the pieces add up to the counts of the whole, exactly."""

import csv
from pathlib import Path

import numpy as np

import treewright as tw

# Four hospitals, four files. The smallest has never seen some of the states.
asia = tw.load_network("asia")
rng = np.random.default_rng(8)
files = []
for number, n_rows in enumerate([40, 2_000, 3_000, 5_000]):
    rows = asia.sample(n_rows, rng=rng).to_dict()
    files.append(Path(f"hospital_{number}.csv"))
    with files[-1].open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(rows)
        writer.writerows(zip(*rows.values(), strict=True))

pieces = [tw.read_table(path) for path in files]
shards = tw.ShardedTable.aligned(pieces)  # unites the states where a piece lacks some
counter = tw.ShardedCounter([tw.count(piece) for piece in shards])
learned = tw.learn_chow_liu(tw.BIC(counter))

whole = tw.count(tw.read_table(files))
assert learned.structure == tw.learn_chow_liu(tw.BIC(whole)).structure
assert tw.BIC(counter).score(learned.structure) == tw.BIC(whole).score(learned.structure)  # the same bits
print(f"{len(files)} shards of {[piece.n_rows for piece in pieces]} rows, one structure:")
for tail, head in learned.structure.edges():
    print(f"  {tail} -> {head}")

model = tw.fit(learned.structure, counter)
evidence = {"xray": "yes", "smoke": "yes"}
print(f"P(lung | xray, smoke) = {model.query('lung', given=evidence)['yes']:.3f} in the tree")
print(f"                        {asia.query('lung', given=evidence)['yes']:.3f} in truth")
