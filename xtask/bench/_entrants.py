"""The programs and settings that the race of automatic choice compares."""

import itertools
import shutil
import sys
from dataclasses import dataclass

# Codecs and levels of the fixed settings.
QUICK_EFFORTS = [("lz4", 1), ("lz4", 9), ("zstd", 1), ("zstd", 3), ("zstd", 5)]
SLOW_EFFORTS = [("lz4hc", 9), ("zstd", 9)]
FILTERS = ["none", "shuffle", "bitshuffle"]
# More filters than these three are for frames only.
FRAME_FILTERS = "shuffle,bytedelta"


@dataclass(frozen=True)
class Entrant:
    """A program with its options. The names of input and output follow them."""

    name: str
    compress: tuple
    decompress: tuple
    ending: str
    # Stands between input and output.
    infix: tuple = ()

    def compressing(self, plain, packed):
        return *self.compress, plain, *self.infix, packed

    def decompressing(self, packed, plain):
        return *self.decompress, packed, *self.infix, plain


def quick(blpk, typesize):
    """Returns the entrants that take part with whole sets. The first one is the default of `blpk`."""
    settings = [fixed(blpk, typesize, *setting) for setting in settings_of(QUICK_EFFORTS, typesize)]
    framed = [fixed(blpk, typesize, "zstd", level, FRAME_FILTERS, ".b2frame") for level in (1, 3, 5)]
    autos = [auto(blpk, goal, ending) for goal in ("fast", "balanced") for ending in (".blp", ".b2frame")]
    return [ours(blpk, "default"), *autos, zstd(3), lz4(1), *settings, *framed]


def slow(blpk, typesize):
    """Returns the entrants that need seconds per MiB."""
    settings = [fixed(blpk, typesize, *setting) for setting in settings_of(SLOW_EFFORTS, typesize)]
    framed = fixed(blpk, typesize, "zstd", 9, FRAME_FILTERS, ".b2frame")
    return [auto(blpk, "small", ".blp"), auto(blpk, "small", ".b2frame"), zstd(19), *settings, framed]


def settings_of(efforts, typesize):
    """Yields codec, level and filter. Single bytes are not shuffled."""
    filters = [name for name in FILTERS if typesize > 1 or name != "shuffle"]
    return [(codec, level, name) for (codec, level), name in itertools.product(efforts, filters)]


def auto(blpk, goal, ending):
    return ours(blpk, f"auto {goal}", f"--auto={goal}", ending=ending)


def fixed(blpk, typesize, codec, level, filters, ending=".blp"):
    options = ["-c", codec, "-l", level, "-t", typesize, "--filter", filters]
    return ours(blpk, f"{codec} {level} {filters}", *options, ending=ending)


def ours(blpk, name, *options, ending=".blp"):
    name += " frame" if ending == ".b2frame" else ""
    return Entrant(name, (blpk, "-q", "-n", 1, "c", *options), (blpk, "-q", "-n", 1, "d"), ending)


def zstd(level):
    program = (installed("zstd"), "-q", "--single-thread")
    return Entrant(f"zstd -{level}", (*program, f"-{level}"), (*program, "-d"), ".zst", ("-o",))


def lz4(level):
    program = (installed("lz4"), "-q")
    return Entrant(f"lz4 -{level}", (*program, f"-{level}"), (*program, "-d"), ".lz4")


def installed(program):
    return shutil.which(program) or sys.exit(f"{program} is not installed")
