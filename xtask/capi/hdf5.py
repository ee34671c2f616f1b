"""Compares our HDF5 plugins with those of hdf5plugin, through h5py and the tools of HDF5.

    hdf5.py PREFIX [--quick]

Each side runs in processes of its own, because a process keeps the first filter that it finds for a number: ours with
HDF5_PLUGIN_PATH, theirs by importing hdf5plugin. Each reads what the other wrote.
"""

from __future__ import annotations

import argparse
import itertools
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import h5py
import numpy

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "xtask" / "python"))

#: Numbers of codecs, by filter. Snappy is only in Blosc1, and not in every build of hdf5plugin.
CODECS = {32001: [0, 1, 2, 4, 5], 32026: [0, 1, 2, 4, 5]}
#: Numbers of the filters before the codec: none, shuffle, bitshuffle, and for Blosc2 delta.
SHUFFLES = {32001: [0, 1, 2], 32026: [0, 1, 2, 3]}
DTYPES = ["u1", "<i2", ">i4", "<f4", "<f8", "S7", "V300", "(3,)<i4", "i4,f8"]
#: Shapes of datasets and of their chunks, which do not divide them.
SHAPES = [((1000,), (300,)), ((50, 70), (16, 33)), ((9, 20, 30), (4, 7, 30)), ((5, 6, 7, 8), (2, 4, 3, 8))]
#: The most seconds of a process, beside other load.
TIMEOUT = 600


def values(dtype: numpy.dtype, shape: tuple[int, ...], seed: int) -> numpy.ndarray:
    """Return items of which half repeat and half do not."""
    random = numpy.random.default_rng(seed)
    count = int(numpy.prod(shape))
    plain = random.integers(0, 256, (count, dtype.itemsize), dtype="u1")
    plain[: count // 2] = numpy.arange(dtype.itemsize, dtype="u1")
    if dtype.kind == "f":
        return random.integers(0, 99, count).astype(dtype).reshape(shape)
    return numpy.frombuffer(plain.tobytes(), dtype=dtype)[:count].reshape(shape)


def cases(quick: bool) -> Iterator[tuple[str, int, tuple[int, ...], numpy.dtype, tuple, tuple]]:
    """Yield name, filter, options, dtype, shape and chunks of each dataset."""
    number = 0
    for filter_id in [32001, 32026]:
        rest = itertools.product(CODECS[filter_id], SHUFFLES[filter_id], DTYPES, SHAPES)
        for codec, shuffle, dtype, (shape, chunks) in rest:
            number += 1
            if quick and number % 7:
                continue
            clevel = number % 10
            name = f"{filter_id} {codec} {shuffle} {clevel} {dtype} {len(shape)}"
            yield name, filter_id, (0, 0, 0, 0, clevel, shuffle, codec), numpy.dtype((dtype)), shape, chunks


def content(dtype: numpy.dtype, shape: tuple, seed: int) -> tuple[object, numpy.ndarray]:
    """Return the dtype of the dataset and its items."""
    if dtype.subdtype:
        base, extra = dtype.subdtype
        return dtype, values(base, (*shape, *extra), seed)
    return dtype, values(dtype, shape, seed)


def write(path: str, quick: bool) -> None:
    with h5py.File(path, "w") as file:
        for seed, (name, filter_id, options, dtype, shape, chunks) in enumerate(cases(quick)):
            stored, data = content(dtype, shape, seed)
            dataset = file.create_dataset(name, shape, stored, chunks=chunks, compression=filter_id, compression_opts=options)
            dataset[...] = data


def read(path: str, quick: bool) -> int:
    """Compare each dataset with what was written. Return the number of different ones."""
    passed = failed = 0
    with h5py.File(path, "r") as file:
        for seed, (name, filter_id, _, dtype, shape, _) in enumerate(cases(quick)):
            if filter_id == 32026 and dtype.itemsize > 255 and len(shape) > 1 and path.endswith("theirs.h5") and "hdf5plugin" in sys.modules:
                # hdf5plugin 7.1.0 does not read what it writes here: the typesize of its frames is 1. We do.
                continue
            _, data = content(dtype, shape, seed)
            try:
                same = file[name][...].tobytes() == data.tobytes()
            except OSError as error:
                same = False
                print(f"{name}: {error}")
            passed, failed = passed + same, failed + (not same)
            if not same:
                print(f"FAILED {Path(path).name}: {name}")
    return report(f"read {Path(path).name}", passed, failed)


def values_equal(ours: str, theirs: str, quick: bool) -> int:
    """Compare what is stored with the datasets: the values of the filter, and which chunks have it."""
    passed = failed = 0
    with h5py.File(ours, "r") as one, h5py.File(theirs, "r") as other:
        for name, *_ in cases(quick):
            same = one[name].id.get_create_plist().get_filter(0)[:3] == other[name].id.get_create_plist().get_filter(0)[:3]
            passed, failed = passed + same, failed + (not same)
            if not same:
                print(f"FAILED values of {name}")
    return report("values of the filters", passed, failed)


def copied(path: str, target: str, quick: bool) -> None:
    """Copy every stored chunk as it is, so that the other side decodes exactly these bytes."""
    with h5py.File(path, "r") as old, h5py.File(target, "w") as new:
        for name, *_ in cases(quick):
            dataset = old[name]
            copy = h5py.h5d.create(new.id, name.encode(), dataset.id.get_type(), dataset.id.get_space(), dataset.id.get_create_plist())
            for index in range(dataset.id.get_num_chunks()):
                at = dataset.id.get_chunk_info(index).chunk_offset
                mask, stored = dataset.id.read_direct_chunk(at)
                copy.write_direct_chunk(at, stored, mask)


def damage(path: str, quick: bool) -> int:
    """Read damaged chunks. Each must be refused or give some bytes, and a truncated one must be refused."""
    passed = failed = refused = 0
    random = numpy.random.default_rng(1)
    data = numpy.arange(4000, dtype="<i4").reshape(50, 80)
    for filter_id, codec, shuffle in itertools.product([32001, 32026], CODECS[32001], [0, 1, 2]):
        with h5py.File(path, "w") as file:
            options = (0, 0, 0, 0, 5, shuffle, codec)
            dataset = file.create_dataset("data", data=data, chunks=data.shape, compression=filter_id, compression_opts=options)
            file.flush()
            _, whole = dataset.id.read_direct_chunk((0, 0))
            short = [whole[:length] for length in sorted(set(random.integers(0, len(whole), 8 if quick else 60).tolist())) if length]
            flipped = []
            header = range(min(len(whole), 130)) if not quick else range(0, min(len(whole), 40), 3)
            for at in [*header, *random.integers(0, len(whole), 8 if quick else 100).tolist()]:
                changed = bytearray(whole)
                changed[at] ^= 1 << int(random.integers(8))
                flipped.append(bytes(changed))
        for number, stored in enumerate([*short, *flipped]):
            with h5py.File(path, "r+") as file:
                file["data"].id.write_direct_chunk((0, 0), stored)
            with h5py.File(path, "r") as file:
                try:
                    file["data"][...]
                    fine = number >= len(short)
                except OSError:
                    fine, refused = True, refused + 1
            passed, failed = passed + fine, failed + (not fine)
            if not fine:
                print(f"FAILED filter {filter_id}, codec {codec}, shuffle {shuffle}: {len(stored)} of {len(whole)} bytes were read")
    print(f"{refused} damaged chunks were refused")
    return report("damaged chunks", passed, failed)


def report(what: str, passed: int, failed: int) -> int:
    print(f"hdf5, {what}: {passed} passed, {failed} failed", flush=True)
    return failed


def is_ours(plugins: str) -> bool:
    return plugins in Path("/proc/self/maps").read_text()


def child(role: str, arguments: list[str], quick: bool) -> int:
    """Run one step as one side."""
    action, *rest = arguments
    if role == "theirs":
        import hdf5plugin  # noqa: F401
    failed = {"write": write, "read": read, "values": values_equal, "copy": copied, "damage": damage}[action](*rest, quick)
    if role == "ours" and action != "copy" and action != "values" and not is_ours(os.environ["HDF5_PLUGIN_PATH"]):
        raise RuntimeError("our plugins were not loaded")
    return 1 if failed else 0


class Sides:
    """Starts processes of either side."""

    def __init__(self, plugins: Path, quick: bool) -> None:
        self.plugins, self.quick = plugins, quick

    def environment(self, role: str) -> dict[str, str]:
        path = {"ours": str(self.plugins), "theirs": "/nonexistent", "none": "/nonexistent"}[role]
        return {**os.environ, "HDF5_PLUGIN_PATH": path}

    def run(self, role: str, *arguments: object) -> bool:
        words = [sys.executable, __file__, *(["--quick"] if self.quick else []), "--child", role, *map(str, arguments)]
        done = subprocess.run(words, env=self.environment(role), timeout=TIMEOUT)
        if done.returncode < 0:
            print(f"FAILED {role} {arguments[0]}: ended by signal {-done.returncode}")
        return done.returncode == 0

    def tool(self, name: str, *arguments: object) -> bool:
        """Run a tool of HDF5 with our plugins."""
        done = subprocess.run([name, *map(str, arguments)], env=self.environment("ours"), capture_output=True, text=True, timeout=TIMEOUT)
        if done.returncode:
            print(f"FAILED {name}: {done.stderr[-500:]}")
        return done.returncode == 0


def tools(sides: Sides, folder: Path) -> list[bool]:
    """Read and write with the programs of HDF5, which have another library than h5py."""
    if not shutil.which("h5repack"):
        print("hdf5: SKIPPED h5repack and h5dump, which were not found")
        return []
    done = []
    for origin in ["ours", "theirs"]:
        plain = folder / f"{origin}-plain.h5"
        done += [sides.tool("h5repack", "-f", "NONE", folder / f"{origin}.h5", plain), sides.run("none", "read", plain)]
        for filter_id in [32001, 32026]:
            packed = folder / f"{origin}-{filter_id}.h5"
            done.append(sides.tool("h5repack", "-f", f"UD={filter_id},1,7,0,0,0,0,5,1,1", plain, packed))
            done.append(sides.run("theirs", "read", packed))
    done.append(sides.tool("h5dump", "-o", folder / "dump.txt", folder / "theirs.h5"))
    return done


def their_data(sides: Sides) -> list[bool]:
    """Run hdf5plugin's own tests and files on our plugins. It leaves filters alone that a plugin path has."""
    from _fetch import sdist

    source = sdist("hdf5plugin", "7.1.0")
    script = (
        "import sys, unittest, numpy, h5py; assert h5py.h5z.filter_avail(32001) and h5py.h5z.filter_avail(32026)\n"
        "import hdf5plugin, hdf5plugin.test as suite\n"
        "for dataset in h5py.File(sys.argv[1]).values(): assert dataset[...].any()\n"
        "loader = unittest.TestLoader(); found = unittest.TestSuite()\n"
        "def walk(tests):\n"
        "    for test in tests:\n"
        "        if isinstance(test, unittest.TestSuite): walk(test)\n"
        # The codecs and filters that Blosc2 loads as plugins are not built in here.
        "        elif 'blosc' in test.id().lower() and 'Blosc2Plugins' not in test.id(): found.addTest(test)\n"
        "walk(loader.loadTestsFromModule(suite))\n"
        "result = unittest.TextTestRunner().run(found); maps = open('/proc/self/maps').read()\n"
        "assert sys.argv[2] in maps, 'not ours'\n"
        "failed = len(result.failures) + len(result.errors)\n"
        "print(f'hdf5, tests of hdf5plugin: {result.testsRun - failed} passed, {failed} failed')\n"
        "sys.exit(failed > 0 or result.testsRun == 0)\n"
    )
    command = [sys.executable, "-c", script, str(source / "test" / "blosc.h5"), str(sides.plugins)]
    return [subprocess.run(command, env=sides.environment("ours"), timeout=TIMEOUT).returncode == 0]


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("prefix", nargs="?", type=Path, help="where the plugins are installed")
    parser.add_argument("--quick", action="store_true", help="every seventh dataset, and less damage")
    parser.add_argument("--child", nargs="+")
    options = parser.parse_args()
    if options.child:
        return child(options.child[0], options.child[1:], options.quick)
    sides = Sides(options.prefix.resolve() / "lib" / "hdf5" / "plugin", options.quick)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        ours, theirs = folder / "ours.h5", folder / "theirs.h5"
        done = [sides.run("ours", "write", ours), sides.run("theirs", "write", theirs)]
        done += [sides.run(role, "read", file) for role in ["ours", "theirs"] for file in [ours, theirs]]
        done.append(sides.run("theirs", "values", ours, theirs))
        for role, file in [("theirs", ours), ("ours", theirs)]:
            copy = file.with_name(f"{file.stem}-chunks.h5")
            done += [sides.run("none", "copy", file, copy), sides.run(role, "read", copy)]
        done.append(sides.run("ours", "damage", folder / "damage.h5"))
        done += tools(sides, folder)
        done += their_data(sides)
    print(f"hdf5, steps: {sum(done)} passed, {len(done) - sum(done)} failed")
    return 0 if all(done) else 1


if __name__ == "__main__":
    sys.exit(main())
