"""Names that older programs import from here."""

import sys
from builtins import memoryview

PYTHON_VERSION = tuple(sys.version_info[:3])

__all__ = ["PYTHON_VERSION", "memoryview"]
