"""The faults without posenc: each shows in its evidence, and no two faults with different names give the same numbers."""

import unittest

import numpy as np

import engine as numpy_engine
import faults
import models
from injection_test import places


def numbers(model, fault, kind, positions):
    """The numbers of the evidence."""
    wrong = fault.change(model, model.engine)
    if kind == "inv_freq":
        return np.log(numpy_engine.frequencies(wrong))  # small ones count as much as large ones
    if kind == "tables":
        return np.concatenate(numpy_engine.tables(wrong, positions))
    rng = np.random.default_rng(3)
    q, k = (rng.normal(size=(len(positions), 4, model.engine.head_dim)) for _ in range(2))
    if kind == "rotation":
        return numpy_engine.rotate(wrong, q, positions)
    of_queries, of_keys = (wrong if fault.side in ("both", who) else model.engine for who in ("queries", "keys"))
    times = fault.times(model) if fault.times else 1.0
    return numpy_engine.scores(numpy_engine.rotate(of_queries, q, positions), numpy_engine.rotate(of_keys, k, positions),
                               times)


def difference(a, b):
    return np.inf if a.shape != b.shape else np.max(np.abs(a - b)) / np.max(np.abs(b))


def combinations():
    """(model, kind, positions, faults that show there)"""
    found = {}
    for fault in faults.FAULTS:
        for model, kind, mode in places(fault):
            if mode == "float32":
                found.setdefault((model.name, kind, fault.positions), []).append(fault)
    return found


class Faults(unittest.TestCase):
    def test_every_fault_shows(self):
        for (name, kind, rule), some in combinations().items():
            model = models.BY_NAME[name]
            ids = models.POSITIONS[rule](model, None)
            right = numbers(model, faults.RIGHT, kind, ids)
            for fault in some:
                with self.subTest(f"{name}: {fault.label}, {kind}"):
                    least = 0.05 if "BF16" in fault.modes and kind != "inv_freq" else 1e-5
                    self.assertGreater(difference(numbers(model, fault, kind, ids), right), least)

    def test_what_is_told_apart_differs(self):
        for (name, kind, rule), some in combinations().items():
            model = models.BY_NAME[name]
            ids = models.POSITIONS[rule](model, None)
            made = [(fault, numbers(model, fault, kind, ids)) for fault in some]
            for i, (one, values) in enumerate(made):
                for other, others in made[:i]:
                    if one.name == other.name or other.name in one.also(model) or one.name in other.also(model):
                        continue
                    with self.subTest(f"{name}: {one.label} and {other.label}, {kind}"):
                        self.assertGreater(difference(values, others), 1e-5)

    def test_what_leaves_no_trace_leaves_none(self):
        for fault in faults.INVISIBLE:
            for model, kind, _ in places(fault):
                ids = models.mixed(model, None)
                right = numbers(model, faults.RIGHT, kind, ids)
                self.assertLess(difference(numbers(model, fault, kind, ids), right), 1e-9)


if __name__ == "__main__":
    unittest.main()
