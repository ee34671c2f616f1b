"""The command `blpk` that the wheel installs, and `python -m blpk`."""

import os
import signal
import subprocess
import sys
import sysconfig
import time

import pytest

BLPK = os.path.join(sysconfig.get_path("scripts"), "blpk")


@pytest.fixture(params=["script", "module"])
def blpk(request):
    program = [BLPK] if request.param == "script" else [sys.executable, "-m", "blpk"]
    if request.param == "script" and not os.path.exists(BLPK):
        pytest.skip("the package is not installed")

    def run(*arguments, **options):
        return subprocess.run([*program, *map(str, arguments)], capture_output=True, timeout=60, **options)

    run.program = program
    return run


def test_round_trip_and_exit_codes(blpk, tmp_path):
    plain, packed, back = tmp_path / "a", tmp_path / "a.blp", tmp_path / "b"
    plain.write_bytes(bytes(range(256)) * 1000)
    assert blpk("compress", plain, packed).returncode == 0
    assert blpk("decompress", packed, back).returncode == 0
    assert back.read_bytes() == plain.read_bytes()
    assert blpk("compress", plain, packed).returncode == 1
    assert b"exists" in blpk("compress", plain, packed).stderr
    assert blpk("sing").returncode == 2
    assert blpk("compress", "-", "-", input=b"abc").stdout[:4] == b"blpk"


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_ctrl_c(blpk, tmp_path):
    read, write = os.pipe()
    started = subprocess.Popen([*blpk.program, "compress", "-", str(tmp_path / "out.blp")], stdin=read, stderr=subprocess.PIPE)
    time.sleep(1)
    started.send_signal(signal.SIGINT)
    _, error = started.communicate(timeout=20)
    os.close(read)
    os.close(write)
    assert started.returncode != 0 and b"Traceback" not in error
    assert os.listdir(tmp_path) == []
