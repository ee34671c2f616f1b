"""``python -m blpk`` is the command ``blpk``."""

import sys

from ._command import main

sys.exit(main())
