"""The reference's command line and library, run inside this process: starting Python for each call would take longer
than everything else.
"""

import contextlib
import io
import re
import sys

import blosc
import bloscpack
import bloscpack.cli
import bloscpack.log

from _common import Result

# Python 3.12 changed the repr of OrderedDict. blpk prints the form used up to 3.11.
NEW_FORM = re.compile(r"OrderedDict\(\{(.*)\}\)")
NEW_ITEM = re.compile(r"('[^']*'): ('[^']*'|[^,]*)")


def reference(*args):
    """Returns exit code and output of the reference's `blpk ARGS`. A traceback counts as exit code 1."""
    out, err = io.StringIO(), io.StringIO()
    argv, sys.argv = sys.argv, ["blpk", *map(str, args)]
    bloscpack.log.LEVEL = bloscpack.log.NORMAL
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            bloscpack.cli.main()
        code = 0
    except SystemExit as exit:
        code = exit.code or 0
    except BaseException as error:  # bloscpack's ChunkingException is a BaseException
        if isinstance(error, KeyboardInterrupt):
            raise
        code = 1
        err.write(f"Traceback ... {error!r}")
    finally:
        sys.argv = argv
        blosc.set_nthreads(blosc.ncores)
    return Result(code, old_form(out.getvalue()).encode(), err.getvalue().encode())


def old_form(text):
    """Converts reprs of OrderedDict to the form of Python 3.11."""
    items = lambda match: ", ".join(f"({name}, {value})" for name, value in NEW_ITEM.findall(match[1]))
    return NEW_FORM.sub(lambda match: f"OrderedDict([{items(match)}])", text)


def unpack(path):
    """Returns (data, metadata) as the reference reads them, or (error, None)."""
    try:
        return bloscpack.unpack_bytes_from_file(path)
    except Exception as error:
        return error, None
