"""Sets of 16 MiB for the race of automatic choice: kinds of data that the other sets lack.

Every set has a seed of its own. Numbers come from exact operations only, as in kinds.py.
"""

import bz2
import zipfile

import numpy as np

from kinds import bell, skewed, wave

SIZE = 16 << 20


def made():
    """Yields name and contents of every generated set."""
    sets = {}
    singles = [decimals, cents, sparse, records, table, photo, outliers, tallies, genome, log, xyz, flags, steps]
    for seed, make in enumerate(singles):
        sets[make.__name__] = make(np.random.default_rng([20261125, seed]))
    yield from sets.items()
    yield "packed", packed(sets)
    yield "mixture", mixture(sets)


def measured(wheel):
    """Yields the set from a package: shared libraries for x86-64, without the largest one.

    That one holds the same kernels for many processors, with long repeats.
    """
    with zipfile.ZipFile(wheel) as files:
        libraries = [info for info in files.infolist() if ".so" in info.filename]
        libraries.sort(key=lambda info: (-info.file_size, info.filename))
        yield "machine", b"".join(files.read(info) for info in libraries[1:])[:SIZE]


def decimals(rng, width=512, height=256):
    """Returns float64 temperatures on a grid, hour by hour, rounded to a tenth of a degree."""
    y, x = np.mgrid[0:height, 0:width]
    base = 15 + 12 * wave(y / 200) + 5 * wave(x / 170)
    noise = bell(rng, (height, width))
    fields = []
    for hour in range(SIZE // 8 // (width * height)):
        noise = 0.9 * noise + 0.1 * bell(rng, (height, width))
        fields.append(np.round((base + 4 * wave(hour / 12 + x / 300) + 0.4 * noise) * 10) / 10)
    return np.stack(fields)


def cents(rng):
    """Returns float64 amounts with two decimals; round prices are common."""
    count = SIZE // 8
    amounts = np.floor(100 / (0.003 + rng.random(count)))
    popular = (1 + skewed(rng, count, 60)) * 100 - 1
    return np.where(rng.random(count) < 0.4, popular, amounts) / 100


def sparse(rng):
    """Returns float64 values of which 98 of 100 are zero."""
    count = SIZE // 8
    return np.where(rng.random(count) < 0.02, np.round(bell(rng, count) * 1000) / 8, 0.0)


def records(rng):
    """Returns packed records of 22 bytes: number, sensor, value, state, and a name of seven characters."""
    count = SIZE // 22
    fields = [("id", "<u4"), ("sensor", "<u2"), ("value", "<f8"), ("state", "u1"), ("name", "S7")]
    rows = np.zeros(count, fields)
    rows["id"] = np.arange(count)
    rows["sensor"] = skewed(rng, count, 500)
    rows["value"] = np.round(20 + rows["sensor"] / 50 + bell(rng, count), 3)
    rows["state"] = skewed(rng, count, 5)
    names = np.array([b"pump-%02d" % number for number in range(100)])
    rows["name"] = names[rows["sensor"] % 100]
    return rows


def table(rng):
    """Returns CSV: date, place, three measurements with different decimals, a flag."""
    count = SIZE // 36
    day = np.arange(count) // 24
    places = np.array(["Oslo", "Lima", "Cairo", "Quito", "Hanoi", "Perth", "Turin", "Dakar"])
    place = places[skewed(rng, count, 8)]
    temperature = np.round(12 + 9 * wave(day / 180) + 3 * bell(rng, count), 1)
    pressure = np.round(1013 + np.cumsum(bell(rng, count)) / 40, 2)
    rain = np.maximum(0, np.round(6 * bell(rng, count) - 5, 1))
    lines = []
    for d, where, t, p, r in zip(day, place, temperature, pressure, rain):
        date = "%d-%02d-%02d" % (2000 + d // 360, d // 30 % 12 + 1, d % 30 + 1)
        lines.append("%s,%s,%.1f,%.2f,%.1f,%s\n" % (date, where, t, p, r, "ok" if r < 3 else "wet"))
    return "".join(lines).encode()


def photo(rng, width=2048):
    """Returns 8-bit RGB pixels: smooth surfaces with edges, and the noise of a camera."""
    height = SIZE // 3 // width
    y, x = np.mgrid[0:height, 0:width]
    planes = []
    for channel in range(3):
        light = 110 + 50 * wave(x / 800 + channel / 5) + 40 * wave(y / 600) + 20 * wave((x + 2 * y) / 150)
        planes.append(light)
    for _ in range(60):
        column, row = rng.integers(0, width - 300), rng.integers(0, height - 300)
        wide, high = rng.integers(30, 300), rng.integers(30, 300)
        for plane in planes:
            plane[row : row + high, column : column + wide] += rng.integers(-60, 60)
    grain = 2 * bell(rng, (height, width))
    pixels = np.round(np.stack(planes, axis=2) + grain[:, :, None])
    return np.clip(pixels, 0, 255).astype("u1")


def outliers(rng):
    """Returns int32 sensor readings: small steps, and one of a thousand is far off."""
    count = SIZE // 4
    values = np.cumsum(rng.integers(-3, 4, count))
    far = rng.random(count) < 0.001
    return np.where(far, rng.integers(-(2**31), 2**31, count), values).astype("<i4")


def tallies(rng):
    """Returns int32 counts: most are small, a few are large."""
    return np.floor(1 / (0.0005 + rng.random(SIZE // 4)) ** 2 / 4).astype("<i4")


def genome(rng):
    """Returns FASTA: lines of 70 bases, with repeats of which a tenth of the bases are changed."""
    count = SIZE * 70 // 71
    bases = rng.integers(0, 4, count)
    for _ in range(count // 8000):
        length = int(rng.integers(200, 4000))
        source, target = rng.integers(0, count - length, 2)
        piece = bases[source : source + length].copy()
        changed = rng.random(length) < 0.1
        piece[changed] = rng.integers(0, 4, int(changed.sum()))
        bases[target : target + length] = piece
    lines = np.full((count // 70, 71), ord("\n"), "u1")
    lines[:, :70] = np.frombuffer(b"ACGT", "u1")[bases[: count // 70 * 70]].reshape(-1, 70)
    return lines


def log(rng):
    """Returns lines of JSON, as a server logs requests."""
    count = SIZE // 96
    time = np.cumsum(rng.integers(0, 900, count))
    paths = ["/", "/api/v1/items", "/api/v1/items/%d", "/static/app.js", "/login", "/api/v2/search?q=%d", "/health"]
    kind, number, took = skewed(rng, count, 7), skewed(rng, count, 90_000), skewed(rng, count, 4000)
    host = rng.integers(1, 250, count)
    line = '{"ts":%d.%03d,"ip":"10.0.%d.%d","method":"GET","path":"%s","status":%d,"ms":%d}\n'
    lines = []
    for t, k, n, ms, h in zip(time, kind, number, took, host):
        path = paths[k] % n if "%" in paths[k] else paths[k]
        seconds, thousandths = divmod(t, 1000)
        status = 200 if ms % 17 else 404
        lines.append(line % (1_700_000_000 + seconds, thousandths, h % 9, h, path, status, ms))
    return "".join(lines).encode()


def xyz(rng):
    """Returns float64 positions of particles in a box, three coordinates each, sorted by cell."""
    count = SIZE // 24
    cell = np.arange(count) // 8
    place = np.stack([cell % 40, cell // 40 % 40, cell // 1600], axis=1).astype("f8")
    return place + rng.random((count, 3))


def flags(rng):
    """Returns bool: runs of random length."""
    changes = rng.random(SIZE) < 0.02
    return (np.cumsum(changes) % 2).astype("u1")


def steps(rng):
    """Returns uint16 positions of an encoder: an axis that moves with changing speed."""
    speed = np.repeat(rng.integers(-12, 13, SIZE // 2 // 512 + 1), 512)[: SIZE // 2]
    return (np.cumsum(speed + rng.integers(-1, 2, SIZE // 2)) & 0xFFFF).astype("<u2")


def packed(sets):
    """Returns compressed files one after the other, as in an archive."""
    return b"".join(bz2.compress(memoryview(sets[name]).cast("B")) for name in ("photo", "genome", "table", "log"))


def mixture(sets):
    """Returns a file of parts: JSON, float64 of decimals, CSV, int32 counts."""
    parts = [sets["log"], sets["decimals"], sets["table"], sets["tallies"]]
    return b"".join(memoryview(part).cast("B")[: SIZE // 4] for part in parts)
