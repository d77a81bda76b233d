"""What an engine hands to diagnose: frequencies, tables, rotated vectors or scores, written as files."""

import numpy as np

import engine as numpy_engine
from models import POSITIONS

NOISE = 1e-7  # relative to a vector's length, on every channel: the effect of another summation order


def spec_of(folder, model):
    spec = folder.put_config(model.spec) if isinstance(model.spec, dict) else model.spec
    return [spec, *model.options]


def noisy(values, rng, mode, size=None):
    """`size` is the scale of the noise; by default the length of the last axis."""
    if mode != "noise":
        return values
    size = np.linalg.norm(values, axis=-1, keepdims=True) if size is None else size
    return values + NOISE * size * rng.normal(size=values.shape)


def inv_freq(folder, model, wrong, mode, rng, **_):
    values = numpy_engine.frequencies(wrong)
    return ["--inv-freq", folder.put("inv_freq", noisy(values, rng, mode, np.abs(values)))]


def tables(folder, model, wrong, mode, rng, positions, **_):
    """One column per pair or per channel, in halves or neighbours, with or without leading axes of length 1: all are in use."""
    shape = rng.integers(5)
    arguments = []
    for name, values in zip(("cos", "sin"), numpy_engine.tables(wrong, positions)):
        values = noisy(values, rng, mode, np.ones((1, 1)))
        if shape in (1, 3):
            values = np.concatenate([values, values], axis=1)
        if shape == 2:
            values = np.repeat(values, 2, axis=1)
        if shape in (3, 4):
            values = values[None] if shape == 3 else values[None, None]
        arguments += [f"--{name}", folder.put(name, values)]
    return [*arguments, "--positions", folder.put_positions("ids", positions)]


def vectors(folder, rng, count, heads, model):
    return folder.stored(rng.normal(size=(count, heads, model.engine.head_dim)))


def rotation(folder, model, wrong, mode, rng, positions, heads, **_):
    heads = heads or int(rng.integers(1, 3))
    q = vectors(folder, rng, len(positions), heads, model)
    turned = noisy(numpy_engine.rotate(wrong, q, positions), rng, mode)
    if heads == 1 and rng.integers(2):
        q, turned = q[:, 0], turned[:, 0]
    return ["--input", folder.put("q", q), "--rotated", folder.put("rotated", turned),
            "--positions", folder.put_positions("ids", positions)]


def scores(folder, model, wrong, mode, rng, positions, side="both", times=1.0, **_):
    """Queries at every third position; some runs hide the keys ahead."""
    heads, at = int(rng.integers(1, 3)), positions[::3]
    q, k = vectors(folder, rng, len(at), heads, model), vectors(folder, rng, len(positions), heads, model)
    of_queries, of_keys = (wrong if side in ("both", who) else model.engine for who in ("queries", "keys"))
    values = numpy_engine.scores(numpy_engine.rotate(of_queries, q, at), numpy_engine.rotate(of_keys, k, positions),
                                 model.scale * times)
    values = noisy(values, rng, mode, model.scale * times * model.engine.head_dim)
    if rng.integers(2):
        order = positions if positions.ndim == 1 else positions[:, 0]
        values = np.where(order[None, None, :] > order[::3][None, :, None], -np.inf, values)
    if heads == 1 and rng.integers(2):
        q, k, values = q[:, 0], k[:, 0], values[0]
    return ["--scores", folder.put("scores", values), "--q", folder.put("q", q), "--k", folder.put("k", k),
            "--queries", folder.put_positions("queries", at), "--keys", folder.put_positions("keys", positions)]


KINDS = {rule.__name__: rule for rule in (inv_freq, tables, rotation, scores)}


def arguments(folder, model, wrong, kind, mode, rng, positions="mixed", **options):
    """The command line after `diagnose`; its files are in the folder."""
    ids = POSITIONS[positions](model, rng) if isinstance(positions, str) else np.asarray(positions)
    return [*spec_of(folder, model),
            *KINDS[kind](folder, model, wrong, mode, rng, positions=ids, **{"heads": 0, **options})]
