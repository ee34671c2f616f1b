"""`blpk cat --slice` and `blpk stats` compared with NumPy.

Random basic slices of arrays of random shapes and dtypes, in both orders, in every container.
"""

import io
import json
import os
import random

import numpy

from _common import Tally, blpk, in_parallel, sampled, work_folder

DTYPES = ["u1", "<i2", ">f8", "<f4", "<u8", "S3", "V5", "<M8[s]", [("a", "<i4"), ("b", ">f8")]]
CONTAINERS = ["npy", "blp", "b2nd", "bcolz"]
CASES = 400


def array(rng):
    """Returns an array of random bytes."""
    dtype = numpy.dtype(rng.choice(DTYPES))
    shape = tuple(rng.randint(0 if rng.random() < 0.1 else 1, 25) for _ in range(rng.randint(0, 4)))
    count = int(numpy.prod(shape, dtype=int))
    data = numpy.random.default_rng(rng.randrange(1 << 30)).integers(0, 256, count * dtype.itemsize, "u1")
    made = data.view(dtype).reshape(shape)
    return numpy.asfortranarray(made) if rng.random() < 0.4 else made


def entry(rng, length):
    """Returns a random entry of a slice, possibly out of bounds."""
    if rng.random() < 0.25:
        return str(rng.randint(-length - 1, length))
    ends = [rng.choice(["", str(rng.randint(-length - 2, length + 2))]) for _ in range(2)]
    step = rng.choice(["", "", ":1", ":2", ":3", ":-1", ":-2", ":7", ":1000"])
    return ":".join(ends) + step


def slice_of(rng, shape):
    """Returns a random slice: some entries, and sometimes an ellipsis."""
    entries = [entry(rng, length) for length in shape][: rng.randint(0, len(shape))]
    if not entries or rng.random() < 0.3:
        entries.insert(rng.randint(0, len(entries)), "...")
    return ",".join(entries)


def expected(made, text):
    """Returns NumPy's selection; `None` if an index is out of bounds."""
    try:
        # Always an array: a NumPy scalar would lose the byte order.
        return eval(f"made[{text}, ...]" if "..." not in text else f"made[{text}]")  # noqa: S307
    except IndexError:
        return None


def ours(job):
    """Runs blpk on one array. Returns the runs of `convert`, `cat` and `stats`."""
    path, target, options, text = job
    made = blpk("convert", *options, path, target) if target != path else None
    return made, blpk("cat", f"--slice={text}", "--format", "npy", target), blpk("stats", "--json", target)


def job(folder, number):
    rng = random.Random(number)
    made = array(rng)
    path = os.path.join(folder, f"{number}.npy")
    numpy.save(path, made)
    container = rng.choice(CONTAINERS)
    if container == "bcolz" and (made.ndim == 0 or made.dtype.names or 0 in made.shape[1:]):
        container = "b2nd"
    options = []
    if container == "b2nd" and made.ndim:
        chunks = [rng.randint(1, max(1, length)) for length in made.shape]
        blocks = [rng.randint(1, length) for length in chunks]
        options = ["--chunkshape", ",".join(map(str, chunks)), "--blockshape", ",".join(map(str, blocks))]
    if container == "blp":
        options = ["-z", rng.choice([64, 1000, 100_000])]
    target = os.path.join(folder, f"{number}.{container}")
    text = slice_of(rng, made.shape)
    return (path, target, options, text), made, f"#{number} {container} {made.dtype} {made.shape} [{text}]"


def check_stats(tally, what, made, run):
    """Compares statistics: integers exactly, floats approximately."""
    if not tally.check_run(run, f"stats {what}") or made.dtype.kind not in "iuf" or made.size == 0:
        return
    field = json.loads(run.stdout)["fields"][0]
    tally.check(field["count"] == made.size, f"count {what}", field)
    if made.dtype.kind in "iu":
        total = sum(int(item) for item in made.ravel())
        bounds = (int(made.min()), int(made.max()))
        tally.check((field["sum"], field["min"], field["max"]) == (total, *bounds), f"sum {what}", field)
    else:
        finite = made[numpy.isfinite(made)].astype("f8")
        tally.check(field["nans"] == int(numpy.isnan(made).sum()), f"NaNs {what}", field)
        if finite.size:
            scale = numpy.abs(finite).max() or 1.0
            mean, std = (finite / scale).mean() * scale, (finite / scale).std() * scale
            close = abs(field["mean"] - mean) <= 1e-9 * scale and abs(field["std"] - std) <= 1e-9 * scale
            tally.check(close, f"mean and std {what}", f"{field['mean']} {mean} {field['std']} {std}")
    if field["histogram"] is not None:
        counted = sum(field["histogram"]["counts"])
        finite = made.size if made.dtype.kind in "iu" else int(numpy.isfinite(made).sum())
        tally.check(counted == finite, f"histogram {what}", field["histogram"])


class Runs(Tally):
    """A tally that also checks runs."""

    def check_run(self, run, what):
        self.check(run.ok, what, run)
        return run.ok


def main():
    tally = Runs()
    with work_folder() as folder:
        work = [job(folder, number) for number, _ in sampled(range(CASES))]
        for (arguments, made, what), (converted, cat, stats) in zip(work, in_parallel(lambda w: ours(w[0]), work)):
            if converted is not None and not tally.check_run(converted, f"convert {what}"):
                continue
            wanted = expected(made, arguments[3])
            if wanted is None:
                tally.check(cat.code == 1 and "out of bounds" in str(cat.stderr), what, cat)
            elif tally.check_run(cat, what):
                found = numpy.load(io.BytesIO(cat.stdout))
                same = (found.shape, found.dtype, found.tobytes()) == (wanted.shape, wanted.dtype, wanted.tobytes())
                tally.check(same, what, f"{found.dtype} {found.shape}")
            check_stats(tally, what, made, stats)
    tally.finish()


if __name__ == "__main__":
    main()
