"""What an installed wheel has to do anywhere: count, learn, fit, ask, keep; and the command line answers."""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import treewright as tw
from treewright.reports.explorer.page_file import joined_script


def main() -> None:
    asia = tw.load_network("asia")
    counter = tw.count(asia.sample(5_000, rng=np.random.default_rng(0)))
    learned = tw.learn_bounded_treewidth(tw.BIC(counter), treewidth=2)
    model = tw.fit(learned.structure, counter)
    assert learned.width <= 2
    assert 0 < model.query("dysp", given={"smoke": "yes"})["yes"] < 1
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "asia.twm"
        model.save(path)
        assert tw.load(path) == model
    assert "class JunctionForest" in joined_script("beliefs.js")  # files that are no Python came along
    subprocess.run([sys.executable, "-m", "treewright", "doctor"], check=True)


if __name__ == "__main__":
    main()
