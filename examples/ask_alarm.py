# %% [markdown]
# # Asking questions of ALARM
#
# ALARM is a published network of a patient in intensive care: eight diagnoses, the physiology behind them
# that nobody sees, and what the instruments show. Here nothing is learned. The network is given, an alarm
# goes off, and we ask. The file runs as it is, and cell by cell in an editor that knows `# %%`.

# %%
from pathlib import Path

import numpy as np

import treewright as tw

alarm = tw.load_network("alarm")
diagnoses = ["ANAPHYLAXIS", "DISCONNECT", "HYPOVOLEMIA", "INSUFFANESTH", "INTUBATION", "KINKEDTUBE"]
diagnoses += ["LVFAILURE", "PULMEMBOLUS"]
print(alarm)
print(alarm.cost())

# %% [markdown]
# ## Before anything is seen
#
# The first state of a diagnosis is "it is so", except for the tube, whose first state is "in its place".


# %%
def fault(answer: tw.models.Distribution) -> float:
    """The probability that something is wrong."""
    return 1 - answer["NORMAL"] if "NORMAL" in answer else answer["TRUE"]


prior = alarm.marginals()
for name in diagnoses:
    print(f"{name:14}{fault(prior[name]):7.1%}")

# %% [markdown]
# ## The alarm goes off
#
# The heart beats fast, the pressure of the blood is low, and the catheter in the lung shows a high pressure.
# One propagation answers for every variable at once.

# %%
seen = {"HRBP": "HIGH", "BP": "LOW", "PCWP": "HIGH"}
now = alarm.marginals(given=seen)
print(f"seen in {now.probability_of_evidence:.1%} of all patients")
ranked = sorted(diagnoses, key=lambda name: fault(now[name]) / fault(prior[name]), reverse=True)
for name in ranked[:4]:
    print(f"{name:14}{fault(prior[name]):7.1%} ->{fault(now[name]):7.1%}")

# %% [markdown]
# A picture of the heart, before and after; what was seen is marked.

# %%
heart = ["HYPOVOLEMIA", "LVFAILURE", "HISTORY", "LVEDVOLUME", "STROKEVOLUME", "CVP", "PCWP", "CO", "BP"]
schema = tw.Schema(alarm.schema[name] for name in heart)
part = tw.Dag(schema, [(tail, head) for tail, head in alarm.dag.edges() if {tail, head} <= set(heart)])
Path("heart_before.svg").write_text(tw.to_svg(part, marginals=prior), encoding="utf-8")
Path("heart_after.svg").write_text(tw.to_svg(part, marginals=now, observed=list(seen)), encoding="utf-8")

# %% [markdown]
# ## What somebody believes to have seen
#
# A relative thinks that there was trouble with the heart before, and is right three times out of four. That
# is no fact but a likelihood of every state: soft evidence.

# %%
believed = {**seen, "HISTORY": {"TRUE": 0.75, "FALSE": 0.25}}
for name in ("HYPOVOLEMIA", "LVFAILURE"):
    print(f"{name:14}{fault(now[name]):7.1%} ->{fault(alarm.query(name, believed)):7.1%}")

# %% [markdown]
# ## The one story that explains it best
#
# The most probable joint state of *everything* is not the list of the most probable states: it has to be one
# consistent story. Often we want the story of the diagnoses alone, all else summed out.

# %%
story = alarm.mpe(given=seen)
print({name: story[name] for name in ("HYPOVOLEMIA", "LVFAILURE", "LVEDVOLUME", "STROKEVOLUME")})
verdict = alarm.marginal_map(["HYPOVOLEMIA", "LVFAILURE"], given=seen)
print(dict(verdict), f"{verdict.probability / now.probability_of_evidence:.1%}")

# %% [markdown]
# ## What would be worth looking at next?
#
# The value of an observation is what it is expected to tell about the question: the mutual information of the
# two, given what is seen already. Every instrument is asked in turn.


# %%
def information(joint: np.ndarray) -> float:
    """Mutual information of a joint table of two variables, in bits."""
    apart = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
    cells = joint > 0
    return float((joint[cells] * np.log2(joint[cells] / apart[cells])).sum())


instruments = ["CVP", "EXPCO2", "HISTORY", "HREKG", "HRSAT", "MINVOL", "PAP", "PRESS", "SAO2"]
worth = {name: information(alarm.query(["LVFAILURE", name], seen).array) for name in instruments}
for name in sorted(worth, key=worth.__getitem__, reverse=True)[:3]:
    print(f"{name:8}{worth[name]:.3f} bits about LVFAILURE")
best = max(worth, key=worth.__getitem__)
for state, p in alarm.query(best, seen).items():
    if p > 0:
        after = fault(alarm.query("LVFAILURE", {**seen, best: state}))
        print(f"  {best}={state} ({p:.0%} of the time): LVFAILURE {after:.1%}")

# %% [markdown]
# ## How much hangs on a number?
#
# Tables are guesses. Which findings carry the verdict, and how far does it move when the guess of how many
# patients have lost blood is wrong by a factor of two?

# %%
for name in seen:
    rest = {other: state for other, state in seen.items() if other != name}
    print(f"without {name:6}HYPOVOLEMIA {fault(alarm.query('HYPOVOLEMIA', rest)):.1%}")
tables = dict(zip(alarm.schema.names, alarm.tables, strict=True))
for share in (0.1, 0.2, 0.4):
    guess = tw.BayesianNetwork(alarm.dag, {**tables, "HYPOVOLEMIA": [share, 1 - share]})
    these = fault(guess.query("HYPOVOLEMIA", seen))
    print(f"blood lost by {share:.0%} of all patients: by {these:.1%} of these")

# %% [markdown]
# ## Patients like this one
#
# Rows that agree with what is seen, drawn exactly (none is thrown away), for whatever has no formula.

# %%
patients = alarm.sample(20_000, given=seen, rng=np.random.default_rng(7))
loss, failure = (patients.labels(name) == "TRUE" for name in ("HYPOVOLEMIA", "LVFAILURE"))
print(f"{loss.mean():.1%} have lost blood; exactly {fault(now['HYPOVOLEMIA']):.1%}")
print(f"{(loss | failure).mean():.1%} have lost blood or have a failing heart")

# %% [markdown]
# ## What it costs
#
# Known before any work. A question that does not fit is refused, with the way out.

# %%
print(alarm.cost(given=seen))
print("all 37 together:", "refused" if alarm.cost(targets=alarm.schema.names).refused else "fine")
