"""The command ``blpk`` of the wheel."""

from __future__ import annotations

import sys

from . import _core


def main() -> int:
    """Run the command line and return its exit code."""
    return _core.run_command(["blpk", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
