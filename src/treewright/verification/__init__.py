"""Check a model and the proof of its width, with code that trusts nothing else of the package.

The rules are in `content` (is this file what it says?), `kinds` with `tables` and `pattern` (is this a
model?) and `clusters` (do these clusters prove that width?). They are plain Python over what JSON holds and
import neither graphs nor inference nor the native core, so a fault there cannot hide here. Only `door`
asks the rest of the package for something: to read a foreign file, and for clusters when a file brings none.
What it hands over is then checked like anything else.
"""

from treewright.verification.door import verify
from treewright.verification.report import VerifyReport, Violation
