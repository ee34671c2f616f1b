"""Sets of 4 MiB with element types and shapes that the core sets of mkdata.py lack.

Every set has a seed of its own. Numbers come from exact operations only (integers, `+ - * /`), because the last bit of
`sin` or `exp` depends on the machine.
"""

import numpy as np

SIZE = 4 << 20


def made():
    """Yields name and array of every set."""
    for seed, make in enumerate([points, rows, mask, keys, halves, signal, audio, counts, weights]):
        rng = np.random.default_rng([20261124, seed])
        yield make.__name__, make(rng)


def points(rng):
    """Returns points of a laser scan: rows across a rough slope, three float32 coordinates in millimetres."""
    count, across = SIZE // 12, 600
    row, column = np.divmod(np.arange(count), across)
    x = column * 0.05 + 0.01 * bell(rng, count)
    y = row * 0.04 + 0.01 * bell(rng, count)
    z = 210 + 0.3 * y + 2 * wave(x / 9 + y / 13) + 0.02 * bell(rng, count)
    return np.round(np.stack([x, y, z], axis=1), 3).astype("<f4")


def rows(rng):
    """Returns rows of 24 bytes, a table of trades: time, instrument, price, volume, side and padding."""
    count = SIZE // 24
    columns = [("time", "<i8"), ("key", "<u4"), ("price", "<f4"), ("volume", "<u4"), ("side", "u1"), ("pad", "V3")]
    table = np.zeros(count, columns)
    table["time"] = 1_700_000_000_000_000_000 + np.cumsum(rng.integers(1, 4_000_000, count) // 1000 * 1000)
    table["key"] = skewed(rng, count, 3000)
    start = rng.integers(500, 50_000, 3000)
    table["price"] = (start[table["key"]] + rng.integers(-40, 41, count)) / 100
    table["volume"] = 100 * (1 + skewed(rng, count, 200))
    table["side"] = rng.integers(0, 2, count)
    return table


def mask(rng, side=2048, knots=5):
    """Returns a land mask: 1 where a smooth random surface is above the sea, 0 elsewhere."""
    heights = rng.random((knots + 1, knots + 1))
    at = np.arange(side) * knots / side
    low = at.astype(int)
    rest = at - low
    ease = rest * rest * (3 - 2 * rest)
    between = heights[low] * (1 - ease[:, None]) + heights[low + 1] * ease[:, None]
    surface = between[:, low] * (1 - ease) + between[:, low + 1] * ease
    return (surface > 0.5).astype("u1")


def keys(rng):
    """Returns keys of 16 characters: a region, a year and a running number, in random order."""
    count = SIZE // 16
    regions = np.array([b"DE-BY", b"DE-HH", b"FR-75", b"IT-RM", b"ES-MD", b"PL-WA", b"SE-AB", b"PT-11"])
    region = regions[skewed(rng, count, 8)]
    year = np.char.mod("-%02d-", rng.integers(18, 26, count)).astype("S4")
    number = np.char.mod("%07d", rng.permutation(count * 3)[:count]).astype("S7")
    return np.char.add(np.char.add(region, year), number)


def halves(rng, side=1448):
    """Returns a float16 field: temperatures of a smooth map, with the noise of a sensor."""
    y, x = np.mgrid[0:side, 0:side]
    field = 288 + 12 * wave(x / 700) * wave(y / 500) + 4 * wave((x + y) / 90) + 0.05 * bell(rng, (side, side))
    return field.ravel()[: SIZE // 2].astype("<f2")


def signal(rng):
    """Returns complex64 samples of a receiver: three carriers and noise, from a converter of 12 bits."""
    count = SIZE // 8
    at = np.arange(count)
    parts = []
    for quarter in (0.0, 0.5):
        part = 30 * bell(rng, count)
        for period, height in ((17.3, 400), (61.7, 250), (5.1, 90)):
            part += height * wave(2 * at / period + quarter)
        parts.append(np.round(part) / 2048)
    return np.stack(parts, axis=1).astype("<f4")


def audio(rng, rate=44_100):
    """Returns 16-bit stereo: notes of three harmonics that fade, at different places, over a quiet room."""
    frames = SIZE // 4
    sound = 12 * bell(rng, (frames, 2))
    for start in range(0, frames, rate // 4):
        length = min(rate, frames - start)
        time = np.arange(length) / rate
        fade = np.maximum(0, 1 - time) ** 2 * np.minimum(1, 100 * time)
        pitch, place = 110 * (1 + rng.integers(0, 24) / 8), rng.random()
        note = sum(wave(2 * pitch * k * time) / k for k in (1, 2, 3)) * fade
        sound[start : start + length] += 3500 * note[:, None] * np.array([place, 1 - place])
    return np.clip(np.round(sound), -32768, 32767).astype("<i2")


def counts(rng):
    """Returns float64 counts of cells and genes: nine of ten are zero, the others small, a few large."""
    count = SIZE // 8
    large = np.floor(1 / (0.002 + rng.random(count)))
    return np.where(rng.random(count) < 0.1, large, 0.0)


def weights(rng, width=1024):
    """Returns float32 weights of a network: layers of different scale, a few of them NaN."""
    layers = [bell(rng, (width, width // 4)) * (0.02 + 0.1 * rng.random()) for _ in range(4)]
    values = np.concatenate(layers, axis=None).astype("<f4")
    values[rng.random(values.size) < 0.0005] = np.nan
    return values


def bell(rng, shape):
    """Returns numbers that are distributed about normally: the sum of four uniform ones."""
    return sum(rng.random(shape) for _ in range(4)) - 2


def wave(at):
    """Returns a wave of period 2 that resembles a sine: parabolas between -1 and 1."""
    phase = np.asarray(at) % 2 - 1
    return -4 * phase * (1 - abs(phase))


def skewed(rng, count, end):
    """Returns integers below `end`, small ones more often."""
    return (rng.random(count) * rng.random(count) * end).astype("i8")
