"""Models of other libraries, to and from; each library is imported when it is asked for, never before."""

from treewright.models.convert.dot import from_dot, to_dot
from treewright.models.convert.libraries import (
    from_networkx,
    from_pgmpy,
    from_pyagrum,
    to_networkx,
    to_pgmpy,
    to_pyagrum,
)
