"""Runs the tests of bloscpack 0.16.0, unmodified, against the module `bloscpack` of blpk-bloscpack.

Run it with the interpreter of an environment that has blpk, blpk-bloscpack, NumPy and pytest. If python-blosc is
installed, the tests compare with it.
"""

import contextlib
import io
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE / "nose_tests")]
sys.path.append(str(HERE / "nose_tests" / "fallback"))

from _fetch import sdist  # noqa: E402

#: Tests that cannot pass, each with its reason.
NOT_APPLICABLE: dict[str, str] = {}


class Results:
    """Outcome of every test, by its name."""

    def __init__(self) -> None:
        self.passed: list[str] = []
        self.failed: dict[str, str] = {}
        self.skipped: dict[str, str] = {}

    def pytest_runtest_logreport(self, report):
        name = report.nodeid.rsplit("/", 1)[-1]
        if report.failed:
            self.failed[name] = report.longreprtext
        elif report.skipped:
            self.skipped[name] = str(report.longrepr)
        elif report.when == "call":
            self.passed.append(name)

    def pytest_collectreport(self, report):
        if report.failed:
            self.failed[report.nodeid] = report.longreprtext


def main() -> int:
    tests = sdist("bloscpack", "0.16.0") / "test"
    results = Results()
    options = ["-q", "--no-header", "--tb=no", "-p", "no:cacheprovider", "-p", "nose_plugin", "-W", "ignore"]
    # Only the last line of this script is counted.
    with contextlib.redirect_stdout(io.StringIO()):
        status = pytest.main([*options, "-c", "/dev/null", "--rootdir", str(tests), str(tests)], plugins=[results])
    import blosc
    import bloscpack

    if tests.parent in Path(bloscpack.__file__).parents:
        raise RuntimeError(f"the tests ran against the original, {bloscpack.__file__}")
    print(f"bloscpack: {bloscpack.__file__}\nblosc: {blosc.__file__}")
    unexpected = 0
    for name, text in (results.failed | results.skipped).items():
        reason = NOT_APPLICABLE.get(name)
        unexpected += reason is None
        print(f"{'not applicable' if reason else 'FAILED'}: {name}: {reason or text}")
    excused = len(results.failed) + len(results.skipped) - unexpected
    print(f"suite bloscpack: {len(results.passed)} passed, {unexpected} failed, {excused} not applicable")
    return int(unexpected > 0 or status not in (0, 1) or not results.passed)


if __name__ == "__main__":
    sys.exit(main())
