"""Messages and exit codes of the four original commands, compared with the reference.

Both tools get the same arguments in the same folder. Exit codes must agree. Our error messages must contain the
reference's words, on stderr. Output on success must agree line by line, except for sizes of compressed data.
"""

import os
import re

from _common import Result, Tally, blpk, plain, work_folder, write
from _reference import reference


def commands(text):
    """Splits a list of commands at semicolons."""
    return [command.strip() for command in text.split(";")]


# Same words and the same exit code.
FAILURES = commands("""
    c missing; c missing out; d missing.blp; d missing; i missing; info missing.blp; a missing.blp data; a data.blp missing;
    a missing data; c data; c data data.blp; d data.blp; d data.blp data; d data; d -e data.blp; -n 0 c data out;
    -n 257 c data out; --nthreads 257 c data out; -n 257; c -z 1x data out; c -z xK data out; c -z -1 data out;
    c --chunk-size -5 data out; c -z 1.5 data out; c --chunk xk data out
""")

# The reference ends in a traceback or prints two lines. We print one clear line, exit with code 1 and leave no files.
OUR_OWN_WORDS = commands("""
    c -z 0 data out; c -z 3000000000 data out; c -t -1 data out; c -t 256 data out; c -m missing data out;
    c -m data data out; d flipped.blp out; d cut.blp out; d version.blp out; info version.blp; info data; info empty;
    info short
""")

# Usage errors: exit code 2 of both.
USAGE = [
    "",
    *commands("""
    c; d; x data; c -l 10 data out; c -c nosuch data out; c -k nosuch data out; a data.blp data more; -v -d c data out;
    c --nosuch data out; -n x c data out; a data.blp; c -t x data out
"""),
]

# Output on success; {out} is a new file each time.
SUCCESSES = commands("""
    -f c data {out}; -v c data {out}; -v -n 1 c data {out}; -v c -z 30000 data {out}; -v c empty {out};
    -v c -o -k None data {out}; -v c -m meta data {out}; -vf c data old; -v d data.blp {out}; -v d meta.blp {out};
    --verb c --check md5 --typesize=4 -l9 data {out}; d meta.blp {out}; -v decompress -e data.blp {out};
    -vfn2 c -sz2K data {out}; i meta.blp; info data.blp; -v a grow.blp data; -v a -e grow.blp short
""")

# Numbers that depend on compressed sizes, which may differ between two encoders.
COMPRESSED = re.compile(
    rb"((?:output file size|orig file size after append|orig file size before append|ratio[a-z ]*): ).*"
)


def prepare(folder):
    """Creates the files that the arguments name, with the reference, so that both tools read the same."""
    data = plain("words", 100_000, 1, 1)
    os.chdir(folder)
    for file in os.listdir("."):
        os.unlink(file)
    write("data", data)
    write("empty", b"")
    write("short", b"blpk\3")
    write("meta", b'{"b": [1, 2.50, null], "a": "text"}')
    reference("c", "-z", "30000", "data", "data.blp")
    reference("c", "-z", "30000", "-m", "meta", "data", "meta.blp")
    reference("c", "-z", "30000", "data", "grow.blp")
    # With -f we overwrite archives, but no other files.
    reference("c", "data", "old")
    good = open("data.blp", "rb").read()
    write("flipped.blp", good[:-2000] + bytes([good[-2000] ^ 1]) + good[-1999:])
    write("cut.blp", good[:-1000])
    write("version.blp", good[:4] + b"\x09" + good[5:])


def listing():
    """Returns names and sizes of the files here."""
    return {file: os.path.getsize(file) for file in os.listdir(".")}


def main():
    tally = Tally()
    with work_folder() as folder:
        home = os.getcwd()
        for command in FAILURES:
            prepare(folder)
            theirs = reference(*command.split())
            prepare(folder)
            before = listing()
            ours = blpk(*command.split())
            both = f"{ours}; the reference: exit {theirs.code}, {theirs.stdout!r}"
            tally.check(ours.code == theirs.code == 1, f"exit code of `{command}`", both)
            words = theirs.stdout.splitlines()[-1]
            words = words.removeprefix(b"blpk: ").removeprefix(b"error: ")
            tally.check(words in ours.stderr, f"message of `{command}`", both)
            tally.check(ours.stderr.startswith(b"blpk: error: ") and not ours.stdout, f"streams of `{command}`", both)
            tally.check(listing() == before, f"files left by `{command}`", both)
        for command in OUR_OWN_WORDS:
            prepare(folder)
            before = listing()
            ours = blpk(*command.split())
            one_line = ours.stderr.startswith(b"blpk: error: ") and ours.stderr.count(b"\n") == 1
            tally.check(ours.code == 1 and one_line and not ours.stdout, f"`{command}`", ours)
            tally.check(listing() == before, f"files left by `{command}`", ours)
        for command in USAGE:
            prepare(folder)
            theirs = reference(*command.split())
            before = listing()
            ours = blpk(*command.split())
            tally.check(ours.code == theirs.code == 2, f"exit code of `{command}`", f"{ours}; the reference {theirs}")
            tally.check(ours.stderr and not ours.stdout, f"streams of `{command}`", ours)
            tally.check(listing() == before, f"files left by `{command}`", ours)
        for command in SUCCESSES:
            prepare(folder)
            theirs = reference(*command.format(out="new").split())
            prepare(folder)
            ours = blpk(*command.format(out="new").split())
            tally.check(ours.ok and theirs.ok, f"exit code of `{command}`", f"{ours}; the reference {theirs}")
            tally.check(not ours.stderr, f"stderr of `{command}`", ours)
            first, second = masked(ours, command), masked(theirs, command)
            differing = [pair for pair in zip(first, second) if pair[0] != pair[1]][:1]
            tally.check(first == second, f"text of `{command}`", f"{differing or (first[-3:], second[-3:])}")
        os.chdir(home)
    tally.finish()


def masked(run: Result, command):
    """Returns the lines of stdout, with compressed sizes blanked if the command compresses."""
    exact = {"d", "decompress", "i", "info"} & set(command.split())
    return (run.stdout if exact else COMPRESSED.sub(rb"\1...", run.stdout)).splitlines()


if __name__ == "__main__":
    main()
