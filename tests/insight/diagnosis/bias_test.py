"""ALiBi, T5 buckets and sinusoids with each of their faults: diagnose must name it."""

import dataclasses
import functools
from collections.abc import Callable

import numpy as np

import biases
import harness
from biases import Alibi, Buckets, Sinusoids
from evidence import NOISE
from write import Folder

ALL_MODES, FINE_MODES = ("float32", "BF16", "noise"), ("float32", "noise")
QUERIES, KEYS = np.arange(24), np.arange(40)


@dataclasses.dataclass(frozen=True)
class Fault:
    name: str
    changes: dict
    where: Callable = lambda rule: True
    modes: tuple = ALL_MODES
    variant: str = ""


RIGHT = Fault("", {})

# SPEC and its meaning.
ALIBI = [
    ("alibi:heads=4", Alibi(4)),
    ("alibi:heads=12", Alibi(12)),
    ("alibi:heads=16", Alibi(16)),
    ("alibi:heads=32,form=causal", Alibi(32, form="causal")),
    ("bloom-560m", Alibi(16, form="key_position")),
]
ALIBI_FAULTS = [
    Fault("slopes_rule", {"rule": "geometric"}, where=lambda rule: rule.heads == 12),
    Fault("slopes_exponent", {"first": 0}),
    Fault("bias_sign", {"times": -1.0}),
    Fault("bias_scaled", {"times": 80 ** -0.5}),
    Fault("slopes_bfloat16", {"slope_type": "bfloat16"}, where=lambda rule: rule.heads > 8, modes=FINE_MODES),
    Fault("alibi_form", {"form": "other"}),
    Fault("slopes_heads", {"ranks": 2}),
    Fault("slopes_heads", {"ranks": 4}, where=lambda rule: rule.heads % 16 == 0, variant="4 ranks"),
    Fault("bias_max", {"bias_max": 16.0}),
]

T5 = [("t5:heads=8", Buckets()), ("t5:heads=8,direction=causal", Buckets(direction="causal"))]
T5_FAULTS = [
    Fault("t5_direction", {"direction": "other"}),
    Fault("t5_buckets", {"buckets": 16}),
    Fault("distance_sign", {"sign": -1}),
    Fault("t5_border", {"border": "ceil"}),
    Fault("max_distance", {"max_distance": 64}),
    Fault("max_distance", {"max_distance": 256}, variant="256"),
    Fault("bias_scaled", {"times": 64 ** -0.5}),
]

SINUSOIDS = [
    ("sinusoidal:width=64", Sinusoids(64)),
    ("sinusoidal:width=64,order=halves", Sinusoids(64, order="halves")),
]
SINUSOID_FAULTS = [
    Fault("order", {"order": "other"}, variant="halves or neighbours"),
    Fault("order", {"order": "cos"}, variant="cosines first"),
    Fault("half_rule", {"spacing": "half"}),
    Fault("first", {"first": 1}, variant="1"),
    Fault("first", {"first": 2}, variant="2"),
    Fault("base", {"base": 1000.0}),
    Fault("exponent_step", {"step": 1}),
    Fault("multiplier", {"multiplier": 8.0}),
]
OTHER = {"direction": {"bidirectional": "causal", "causal": "bidirectional"},
         "order": {"interleaved": "halves", "halves": "interleaved"},
         "form": {"symmetric": "key_position", "causal": "key_position", "key_position": "symmetric"}}


def changed(rule, fault):
    """Names that depend on the rule are looked up."""
    changes = dict(fault.changes)
    for key, word in fault.changes.items():
        if word == "other":
            changes[key] = OTHER[key][getattr(rule, key)]
        if word == "cos":
            changes[key] = f"cos_{rule.order}"
    return dataclasses.replace(rule, **changes)


def folder_of(path, mode):
    return Folder(path, "BF16" if mode == "BF16" else "float32")


def noisy(values, mode, rng):
    return values + NOISE * np.max(np.abs(values)) * rng.normal(size=values.shape) if mode == "noise" else values


def make_alibi(spec, rule, mode, path, rng):
    values = noisy(biases.alibi_bias(rule, QUERIES, KEYS), mode, rng)
    return [spec, "--bias", folder_of(path, mode).put("bias", values), "--queries", "0:24", "--keys", "0:40"]


def make_t5(spec, rule, mode, path, rng):
    folder = folder_of(path, mode)
    queries, keys = np.arange(60, 100), np.arange(0, 300, 3)
    table = folder.stored(rng.normal(size=(32, 8)))
    values = noisy(biases.t5_bias(rule, table, queries, keys), mode, rng)
    return [spec, "--bias", folder.put("bias", values), "--file", folder.put("table", table),
            "--queries", folder.put_positions("queries", queries), "--keys", folder.put_positions("keys", keys)]


def make_sinusoids(spec, rule, mode, path, rng):
    folder = folder_of(path, mode)
    ids = np.concatenate([np.arange(48), np.unique(np.geomspace(50, 5000, 30).astype(int))])
    values = noisy(biases.sinusoid_rows(rule, ids), mode, rng)
    return [spec, "--table", folder.put("table", values), "--positions", folder.put_positions("ids", ids)]


FAMILIES = [(make_alibi, ALIBI, ALIBI_FAULTS), (make_t5, T5, T5_FAULTS), (make_sinusoids, SINUSOIDS, SINUSOID_FAULTS)]


def cases():
    found = []
    for make, specs, some in FAMILIES:
        for spec, rule in specs:
            for fault in [RIGHT, *some]:
                if not fault.where(rule):
                    continue
                label = " ".join(filter(None, [fault.name or "right", fault.variant]))
                found += [harness.Case(f"{spec}: {label}, {mode}", functools.partial(make, spec, changed(rule, fault), mode),
                                       "fault" if fault.name else "matches", harness.expects(fault.name) if fault.name else (),
                                       groups=((spec, label),)) for mode in fault.modes]
    return found


class Bias(harness.Mass):
    def test_faults_have_their_names(self):
        self.check_all(cases(), quick=90)


if __name__ == "__main__":
    harness.main()
