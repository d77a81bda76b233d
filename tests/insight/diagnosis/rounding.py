"""Rounds numbers to the types of accelerators; results are doubles that the type can hold."""

import numpy as np


def float32(values):
    return np.asarray(values, np.float64).astype(np.float32).astype(np.float64)


def float16(values):
    with np.errstate(over="ignore"):
        return np.asarray(values, np.float64).astype(np.float16).astype(np.float64)


def bfloat16(values):
    return _fewer_bits(values, 16)


def tf32(values):
    return _fewer_bits(values, 13)


def bfloat16_words(values):
    """The upper halves of float32, to the nearest, ties to even."""
    return (_fewer_bits(values, 16).astype(np.float32).view(np.uint32) >> 16).astype("<u2")


def _fewer_bits(values, dropped):
    words = np.ascontiguousarray(np.asarray(values, np.float64).astype(np.float32)).view(np.uint32).astype(np.uint64)
    odd = (words >> dropped) & 1
    kept = (words + (1 << (dropped - 1)) - 1 + odd) >> dropped << dropped
    special = (words & 0x7F800000) == 0x7F800000  # infinities and NaN are not rounded
    return np.where(special, words, kept).astype(np.uint32).view(np.float32).astype(np.float64)


TYPES = {"float32": float32, "float16": float16, "bfloat16": bfloat16, "tf32": tf32}


def rounded(values, name):
    """Unchanged if `name` is None."""
    return np.asarray(values, np.float64) if name is None else TYPES[name](values)
