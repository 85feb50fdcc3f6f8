"""`treewright` in a process that makes tables safe as soon as they are counted, to be killed at any of them.

As it is, tables are safe every five seconds, which is longer than the runs of a test. Here every question is
followed by a commit and a short pause, in which whoever watches the file may strike; in the end the tables
that were counted are told.
"""

import sys
import time

from treewright.cli import main
from treewright.statistics import KeptCounter, kept

PAUSE = 0.004

kept._SECONDS = 0.0
commit, close = KeptCounter.commit, KeptCounter.close


def commit_and_pause(self):
    has_more = bool(self._pending)
    commit(self)
    if has_more:
        time.sleep(PAUSE)


def close_and_tell(self):
    if self._file is not None:
        print(f"counted {self.n_counted}", file=sys.stderr)
    close(self)


KeptCounter.commit, KeptCounter.close = commit_and_pause, close_and_tell

if __name__ == "__main__":
    sys.exit(main())
