"""`python -m treewright` is the same as `treewright`."""

import sys

from treewright.cli import main

if __name__ == "__main__":
    sys.exit(main())
