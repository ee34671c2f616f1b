"""Runs test files of another project with pytest, and counts what passed, failed, or does not apply."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent


def run_suite(
    name: str,
    files: Sequence[Path],
    plugin: str,
    not_applicable: Mapping[str, str],
    folder: Path,
    options: Sequence[str] = (),
) -> int:
    """Run test files in `folder`, print what did not pass, and return the exit code.

    Parameters
    ----------
    plugin : str
        Module in this directory that puts blpk in the place of what the tests test.
    not_applicable : mapping
        Reasons by test name, without parameters. A test that a reason is given for must fail, so that the list stays
        true.
    """
    with tempfile.TemporaryDirectory() as scratch:
        report = Path(scratch) / "report.xml"
        settings = Path(scratch) / "pytest.ini"
        settings.write_text("[pytest]\nasyncio_mode = auto\n")
        command = [sys.executable, "-m", "pytest", "-q", "-p", plugin, "-c", settings, f"--rootdir={folder}"]
        command += ["--import-mode=importlib", "-p", "no:cacheprovider", f"--junitxml={report}", "--no-header"]
        # Child processes of the tests import the tests, too.
        path = os.pathsep.join(filter(None, [str(HERE), str(folder), os.environ.get("PYTHONPATH")]))
        environment = {**os.environ, "PYTHONPATH": path, "PYTHONSAFEPATH": "1"}
        command += [*options, *files]
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=900)
        if not report.exists():
            print(done.stdout[-4000:], done.stderr[-4000:])
            return 1
        counts, failures = _judge(xml.parse(report).iter("testcase"), not_applicable)
    if failures:
        print(done.stdout[-20000:])
    print(f"suite {name}: {counts['passed']} passed, {counts['failed']} failed, {counts['other']} not applicable")
    return 1 if failures or not counts["passed"] else 0


def _judge(cases: Iterable[xml.Element], not_applicable: Mapping[str, str]) -> tuple[Counter[str], bool]:
    """Count the tests by result, and print those that did not pass, without parameters, with their reasons."""
    counts: Counter[str] = Counter()
    reasons: Counter[tuple[str, str]] = Counter()
    unused = set(not_applicable)
    for case in cases:
        test = case.get("name", "")
        plain = re.sub(r"\[.*", "", test, flags=re.DOTALL)
        problem = next((child for child in case if child.tag in ("failure", "error", "skipped")), None)
        key = test if test in not_applicable else plain
        if problem is None:
            counts["passed"] += 1
        elif key in not_applicable:
            unused.discard(key)
            counts["other"] += 1
            reasons[plain, not_applicable[key]] += 1
        elif problem.tag == "skipped":
            counts["other"] += 1
            reasons[plain, f"{problem.get('message')} (says the suite)"] += 1
        else:
            counts["failed"] += 1
            print(f"failed: {test}: {problem.get('message')}")
    for (test, reason), count in sorted(reasons.items()):
        print(f"not applicable: {test} ({count}): {reason}")
    for key in sorted(unused):
        print(f"failed: {key}: is listed as not applicable, but passes or does not exist")
    return counts, bool(counts["failed"] or unused)
