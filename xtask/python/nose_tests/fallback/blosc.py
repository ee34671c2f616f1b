"""The functions of python-blosc that tests call, by blpk. Only imported if python-blosc is not installed."""

import blpk

BLOSC_MAX_TYPESIZE = 255
BLOSC_MAX_BUFFERSIZE = 2**31 - 17


def compress(data, typesize=8, clevel=9, shuffle=1, cname="blosclz"):
    filters = ("none", "shuffle", "bitshuffle")[int(shuffle)]
    return blpk.compress(data, typesize=typesize, clevel=clevel, filters=filters, codec=cname)


def decompress(chunk):
    return blpk.decompress(chunk)
