"""`python -m experiments.scoreboard` makes the board."""

from experiments.common import run
from experiments.scoreboard.board import EXPERIMENT

if __name__ == "__main__":
    run(EXPERIMENT)
