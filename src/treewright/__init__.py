"""treewright learns the structure of probabilistic graphical models from tables, and asks them exactly.

Four verbs, in this order: **count**, **learn**, **fit**, **ask**.
"""

from treewright.tables import Schema, Variable

__all__ = ["Schema", "Variable"]
__version__ = "0.1.0"
