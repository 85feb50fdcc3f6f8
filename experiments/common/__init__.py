"""What all experiments share: data, folds, intervals, a clock, results, tables, pictures and the run."""

from experiments.common.clock import timed
from experiments.common.data import DensitySet, data_file, data_folder, density, network
from experiments.common.experiment import Experiment, run
from experiments.common.folds import Fold, folds
from experiments.common.intervals import Interval, mean_interval, paired_interval
from experiments.common.pages import fill_table, markdown_table
from experiments.common.plots import Line, Panel, draw
from experiments.common.results import Cell, Results, Row, read_results, write_results

__all__ = [
    "Cell",
    "DensitySet",
    "Experiment",
    "Fold",
    "Interval",
    "Line",
    "Panel",
    "Results",
    "Row",
    "data_file",
    "data_folder",
    "density",
    "draw",
    "fill_table",
    "folds",
    "markdown_table",
    "mean_interval",
    "network",
    "paired_interval",
    "read_results",
    "run",
    "timed",
    "write_results",
]
