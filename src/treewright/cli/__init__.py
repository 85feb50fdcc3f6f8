"""The command line: it parses, calls and prints.

Each command is a file of its own; `app` lists them, `errors` turns what went wrong into a message and an exit
code, `output` knows the three ways to answer (for people, bare for scripts, JSON).
"""

from __future__ import annotations

from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    Parameters
    ----------
    arguments
        What follows the program's name; `sys.argv[1:]` when left out.

    Examples
    --------
    >>> main(["score", "asia", "nowhere.csv", "--quiet"])
    1
    """
    try:
        from treewright.cli.app import run

        return run(arguments)
    except KeyboardInterrupt:  # while the commands were being imported
        return 130
