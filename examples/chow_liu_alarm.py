"""Learn a tree from rows of ALARM, see how far it is from the truth, ask it, draw it."""

from pathlib import Path

import numpy as np

import treewright as tw

alarm = tw.load_network("alarm")
table = alarm.sample(10_000, rng=np.random.default_rng(1))
training, held_out = table.split([0.8, 0.2], np.random.default_rng(2))

counter = tw.count(training)
learned = tw.learn_chow_liu(tw.BIC(counter))
model = tw.fit(learned.structure, counter)

found = tw.compare(alarm.dag, learned.structure).skeleton
print(f"{found.tp} of {found.tp + found.fn} edges found, {found.fp} wrong, in {learned.trace.seconds:.3f} s")

nothing = tw.fit(tw.Dag.empty(training.schema), counter)
for name, one in [("independent", nothing), ("tree", model), ("truth", alarm)]:
    print(f"{name:12s}{one.score(held_out):8.3f} nats a row")

evidence = {"HR": "HIGH", "BP": "LOW", "PCWP": "HIGH"}
print(f"P(HYPOVOLEMIA) = {model.query('HYPOVOLEMIA')['TRUE']:.3f} before")
print(f"P(HYPOVOLEMIA) = {model.query('HYPOVOLEMIA', given=evidence)['TRUE']:.3f} given {evidence}")

model.save("alarm.twm")
Path("alarm.html").write_text(tw.to_html(model, title="A tree for ALARM", given=evidence), encoding="utf-8")
print("wrote alarm.twm and alarm.html")
