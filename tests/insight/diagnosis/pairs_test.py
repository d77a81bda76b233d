"""Two common faults at once: diagnose must name both."""

import dataclasses
import functools
import itertools

import faults
import harness
import models
from evidence import arguments
from write import Folder

QUICK = 100
NAMES = ("layout", "sign", "base", "scaling_dropped", "attention_factor_missing", "attention_factor_squared",
         "counted_from_one", "position_offset", "partial_exponent", "window_end", "longrope_list", "sections_order",
         "axes_swapped", "wrong_factor", "original_length", "deinterleave_missing", "channels_permuted")
MODELS = ("plain", "llama-3.1-8b", "gpt-j", "pythia", "deepseek-v3", "deepseek-v3-head", "qwen2.5-yarn", "gpt-oss", "linear",
          "phi-long", "qwen2-vl", "qwen3-vl")

# Pairs in which the second undoes or contains the first, or both together equal a third.
EXCLUDED = [
    {"counted_from_one", "position_offset"},
    {"base", "partial_exponent"},  # other exponents equal another base
    {"attention_factor_missing", "attention_factor_squared"},
    {"scaling_dropped", "attention_factor_missing"},
    {"scaling_dropped", "attention_factor_squared"},
    {"scaling_dropped", "longrope_list"},
    {"scaling_dropped", "wrong_factor"},
    {"scaling_dropped", "original_length"},
    {"deinterleave_missing", "channels_permuted"},
    {"layout", "channels_permuted"},
]


def common_faults(model):
    """The first variant of each name that the model can have."""
    seen = {}
    for fault in faults.FAULTS:
        if fault.name in NAMES and "rotation" in fault.evidence and fault.where(model):
            seen.setdefault(fault.name, fault)
    return list(seen.values())


def pairs(model):
    for one, other in itertools.combinations(common_faults(model), 2):
        if {one.name, other.name} not in EXCLUDED:
            yield one, other


def both(model, one, other):
    """Applies both in order; what a scaling fault reads from the model does not affect the other."""
    engine = one.change(model, model.engine)
    return other.change(dataclasses.replace(model, engine=engine), engine)


def make(model, one, other, kind, path, rng):
    folder = Folder(path, "BF16" if kind == "BF16" else "float32")
    return arguments(folder, model, both(model, one, other), "rotation", kind, rng)


def cases():
    found = []
    for model in (models.BY_NAME[name] for name in MODELS):
        for one, other in pairs(model):
            for mode in ("float32", "BF16"):
                found.append(harness.Case(f"{model.name}: {one.name} + {other.name}, {mode}",
                                          functools.partial(make, model, one, other, mode), "fault",
                                          (frozenset([one.name, other.name]),), groups=((one.name, other.name),)))
    return found


class Pairs(harness.Mass):
    def test_both_names_come_back(self):
        self.check_all(cases(), QUICK)


if __name__ == "__main__":
    harness.main()
