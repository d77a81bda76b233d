"""Biases on scores and encodings of the input in plain numpy: ALiBi, T5 buckets, sinusoids."""

import dataclasses
import math

import numpy as np

from rounding import rounded

# ALiBi


@dataclasses.dataclass(frozen=True)
class Alibi:
    heads: int
    rule: str = "interleaved"  # if heads is not a power of two
    bias_max: float = 8.0
    first: int = 1  # the number of the first head in the exponent
    ranks: int = 1  # every rank computes the slopes of its heads as if they were all
    form: str = "symmetric"
    slope_type: str | None = None
    times: float = 1.0


def slopes(alibi):
    """[H]"""
    own = dataclasses.replace(alibi, heads=alibi.heads // alibi.ranks)
    return rounded(np.tile(_slopes_of_rank(own), alibi.ranks), alibi.slope_type)


def _slopes_of_rank(alibi):
    power = 2 ** int(math.log2(alibi.heads))
    if power == alibi.heads or alibi.rule == "geometric":
        return _geometric(alibi, alibi.heads)
    return np.concatenate([_geometric(alibi, power), _geometric(alibi, 2 * power)[::2][:alibi.heads - power]])


def _geometric(alibi, heads):
    return 2.0 ** (-alibi.bias_max * (np.arange(heads) + alibi.first) / heads)


def alibi_bias(alibi, queries, keys):
    """[H, N, S]"""
    i, j = np.asarray(queries, float)[:, None], np.asarray(keys, float)[None, :]
    reach = {"symmetric": -np.abs(i - j), "causal": -np.maximum(i - j, 0.0), "key_position": j + 0.0 * i}[alibi.form]
    return alibi.times * slopes(alibi)[:, None, None] * reach


# T5


@dataclasses.dataclass(frozen=True)
class Buckets:
    buckets: int = 32
    max_distance: int = 128
    direction: str = "bidirectional"
    sign: int = 1  # -1: query minus key
    border: str = "floor"
    times: float = 1.0


def bucket(rule, queries, keys):
    """[N, S]: the row of the table that each query and key read."""
    offset = rule.sign * (np.asarray(keys)[None, :] - np.asarray(queries)[:, None])
    count, base = rule.buckets, np.zeros(offset.shape, int)
    if rule.direction == "bidirectional":
        count //= 2
        base = np.where(offset > 0, count, 0)
        distance = np.abs(offset)
    else:
        distance = np.maximum(-offset, 0)
    exact = count // 2
    steps = np.log(np.maximum(distance, 1) / exact) / math.log(rule.max_distance / exact) * (count - exact)
    # A distance on the boundary must not fall below it because of the rounding of two logarithms.
    whole = {"floor": np.floor(steps + 1e-9), "ceil": np.ceil(steps - 1e-9), "round": np.rint(steps)}[rule.border]
    return base + np.where(distance < exact, distance, np.minimum(exact + whole.astype(int), count - 1))


def t5_bias(rule, table, queries, keys):
    """table: [buckets, H]; [H, N, S]"""
    return rule.times * np.moveaxis(np.asarray(table)[bucket(rule, queries, keys)], -1, 0)


# Sinusoids


@dataclasses.dataclass(frozen=True)
class Sinusoids:
    width: int
    base: float = 10000.0
    spacing: str = "width"
    step: int = 2
    first: int = 0
    order: str = "interleaved"
    multiplier: float = 1.0


def sinusoid_rows(rule, positions):
    """[N, width]"""
    n = rule.width // 2
    exponents = rule.step * np.arange(n) / rule.width if rule.spacing == "width" else np.arange(n) / max(n - 1, 1)
    turned = (np.asarray(positions, float) + rule.first)[:, None] * rule.base ** -exponents
    pair = [np.cos(turned), np.sin(turned)] if rule.order.startswith("cos") else [np.sin(turned), np.cos(turned)]
    rows = np.concatenate(pair, axis=1)
    if rule.order.endswith("interleaved"):
        rows = np.stack(pair, axis=-1).reshape(len(rows), rule.width)
    return rule.multiplier * rows
