"""Models of other libraries, to and from; each library is imported when it is asked for, never before."""

from treewright.models.convert.dot import from_dot, to_dot
from treewright.models.convert.networkx import from_networkx, to_networkx
from treewright.models.convert.pgmpy import from_pgmpy, to_pgmpy
from treewright.models.convert.pyagrum import from_pyagrum, to_pyagrum
