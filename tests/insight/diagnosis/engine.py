"""A rotary engine in plain numpy, right or wrong by its fields: the numbers that diagnose is given.

Formulas are those of the papers and of Hugging Face's modeling_rope_utils, in double; nothing here comes from posenc.
N tokens, H heads, D head_dim, R rotary_dim, n = R / 2 pairs, A axes of a position.
"""

import dataclasses
import math
from collections.abc import Callable

import numpy as np

from rounding import rounded


@dataclasses.dataclass(frozen=True)
class Engine:
    head_dim: int
    rotary_dim: int
    base: float = 10000.0
    layout: str = "half"
    start: int = 0  # the first rotated channel
    exponent_dim: int = 0  # 0: rotary_dim
    step: int = 2  # the exponent of pair i is step * i / exponent_dim
    inv_freq: tuple = ()  # given one by one instead of by a rule
    scaling: dict | None = None
    scaled: int = 1  # how many times the scaling is applied
    length: int = 0  # length of the sequence: chooses the list of longrope
    factor: float | None = None  # on cos and sin; None: as the scaling says
    factor_power: float = 1.0
    angle_factor: float = 1.0  # on every frequency
    vector_factor: float = 1.0  # on all channels of the result
    sections: tuple = ()  # pairs of each axis; none: one axis
    section_order: str = "chunked"
    axis_order: tuple = ()  # the coordinate used for each axis; empty: in order
    ids: Callable | None = None  # how the engine changes the position ids
    head_ids: bool = False  # head h is rotated by the position of token h
    sign: int = 1
    swapped: bool = False  # cos and sin are swapped
    turns: int = 1  # how many times a vector is rotated
    frequency_type: str | None = None
    factors_type: str | None = None  # both factors of the product position x frequency
    angle_type: str | None = None  # the product itself
    table_type: str | None = None
    step_type: str | None = None  # products and sums of a rotation

    @property
    def pairs(self):
        return self.rotary_dim // 2


# Frequencies


def frequencies(engine):
    """[n], radians per position."""
    plain = np.array(engine.inv_freq) if engine.inv_freq else plain_frequencies(engine)
    for _ in range(engine.scaled if engine.scaling else 0):
        plain = SCALINGS[engine.scaling["kind"]](plain, engine)
    return rounded(plain * engine.angle_factor, engine.frequency_type)


def plain_frequencies(engine):
    exponents = engine.step * np.arange(engine.pairs) / (engine.exponent_dim or engine.rotary_dim)
    return engine.base ** -exponents


def linear(inv_freq, engine):
    return inv_freq / engine.scaling["factor"]


def dynamic(inv_freq, engine):
    longest, d = engine.scaling["original"], engine.rotary_dim
    length = max(engine.length, longest)
    grown = engine.scaling["factor"] * length / longest - (engine.scaling["factor"] - 1)
    return inv_freq * grown ** (-2.0 * np.arange(engine.pairs) / (d - 2))


def yarn(inv_freq, engine):
    s, d = engine.scaling, engine.rotary_dim

    def pair_that_turns(times):
        return d * math.log(s["original"] / (times * 2 * math.pi)) / (2 * math.log(engine.base))

    low, high = pair_that_turns(s.get("beta_fast", 32)), pair_that_turns(s.get("beta_slow", 1))
    if s.get("truncate", True):
        low, high = math.floor(low), math.ceil(high)
    low, high = max(low, 0), min(high, d - 1)
    high += 0.001 if low == high else 0.0
    ramp = np.clip((np.arange(engine.pairs) - low) / (high - low), 0.0, 1.0)
    return inv_freq / s["factor"] * ramp + inv_freq * (1.0 - ramp)


def llama3(inv_freq, engine):
    s = engine.scaling
    low, high = s.get("low", 1.0), s.get("high", 4.0)
    turns = s["original"] * inv_freq / (2 * math.pi)
    smooth = np.clip((turns - low) / (high - low), 0.0, 1.0) if high > low else (turns >= low).astype(float)
    return (1.0 - smooth) * inv_freq / s["factor"] + smooth * inv_freq


def longrope(inv_freq, engine):
    s = engine.scaling
    return inv_freq / np.array(s["long"] if engine.length > s["original"] else s["short"])


def proportional(inv_freq, engine):
    """Spaced over the whole head; the slowest pairs have frequency 0."""
    turning = int(engine.scaling["share"] * engine.head_dim // 2)
    return np.where(np.arange(engine.pairs) < turning, inv_freq / engine.scaling.get("factor", 1.0), 0.0)


SCALINGS = {"linear": linear, "dynamic": dynamic, "yarn": yarn, "llama3": llama3, "longrope": longrope,
            "proportional": proportional}


def yarn_magnitude(factor, mscale=1.0):
    return 1.0 if factor <= 1 else 0.1 * mscale * math.log(factor) + 1.0


def attention_factor(engine):
    """The factor on cos and sin."""
    return _factor_of_scaling(engine) ** engine.factor_power


def _factor_of_scaling(engine):
    s = engine.scaling
    if engine.factor is not None:
        return engine.factor
    if s and s["kind"] == "yarn":
        if s.get("mscale") and s.get("mscale_all_dim"):
            return yarn_magnitude(s["factor"], s["mscale"]) / yarn_magnitude(s["factor"], s["mscale_all_dim"])
        return yarn_magnitude(s["factor"])
    if s and s["kind"] == "longrope" and s["factor"] > 1:
        return math.sqrt(1.0 + math.log(s["factor"]) / math.log(s["original"]))
    return 1.0


# Angles


def axis_of_pair(engine):
    """[n]: the axis that each pair follows."""
    sections, n = engine.sections, engine.pairs
    if not sections:
        return np.zeros(n, int)
    if engine.section_order == "chunked":
        return np.repeat(np.arange(len(sections)), sections)
    pair = np.arange(n)
    axes = np.zeros(n, int)
    for axis in range(1, len(sections)):
        axes[(pair % len(sections) == axis) & (pair < len(sections) * sections[axis])] = axis
    return axes


def coordinates(engine, positions):
    """[N, n]: the position by which each pair of each token is rotated."""
    ids = np.asarray(positions, np.float64)
    ids = engine.ids(ids) if engine.ids else ids
    if ids.ndim == 1:
        return np.repeat(ids[:, None], engine.pairs, axis=1)
    axes = axis_of_pair(engine)
    return ids[:, np.asarray(engine.axis_order)[axes] if engine.axis_order else axes]


def angles(engine, positions):
    """[N, n]"""
    ids = rounded(coordinates(engine, positions), engine.factors_type)
    inv_freq = rounded(frequencies(engine), engine.factors_type)
    return rounded(ids * inv_freq, engine.angle_type)


def tables(engine, positions):
    """cos and sin, [N, n] each, including the factor."""
    turned = engine.sign * angles(engine, positions)
    factor = attention_factor(engine)
    cos, sin = rounded(np.cos(turned) * factor, engine.table_type), rounded(np.sin(turned) * factor, engine.table_type)
    return (sin, cos) if engine.swapped else (cos, sin)


# Vectors


def channels(layout, n):
    """The channels of the first and second member of each pair, where they are read and where they are written."""
    i = np.arange(n)
    halves, neighbours = (i, i + n), (2 * i, 2 * i + 1)
    if layout == "half":
        return (*halves, *halves)
    if layout == "interleaved":
        return (*neighbours, *neighbours)
    if layout == "interleaved_to_half":
        return (*neighbours, *halves)
    if layout == "deinterleaved_twice":
        once = np.concatenate(neighbours)
        twice = once[once]
        return (twice[:n], twice[n:], *halves)
    raise ValueError(layout)


def rotate(engine, x, positions):
    """x: [N, H, D]; a new array."""
    cos, sin = (table[:, None, :] for table in tables(engine, positions))
    if engine.head_ids:
        cos, sin = (np.broadcast_to(t[:x.shape[1], 0][None], (*x.shape[:2], engine.pairs)) for t in (cos, sin))
    for _ in range(engine.turns):
        x = _rotated_once(engine, x, cos, sin)
    return x * engine.vector_factor


def _rotated_once(engine, x, cos, sin):
    a, b, to_a, to_b = (engine.start + index for index in channels(engine.layout, engine.pairs))
    out = np.array(x, np.float64)
    step = lambda values: rounded(values, engine.step_type)
    out[..., to_a] = step(step(x[..., a] * cos) - step(x[..., b] * sin))
    out[..., to_b] = step(step(x[..., b] * cos) + step(x[..., a] * sin))
    return out


def scores(q, k, scale):
    """q: [N, H, D], k: [S, H, D] already turned; [H, N, S]"""
    return scale * np.einsum("nhd,shd->hns", q, k)
