"""Every fault in every model that can have it, as frequencies, tables, rotated vectors and scores: diagnose must name it."""

import dataclasses
import functools

import faults
import harness
import models
from evidence import arguments
from write import Folder

QUICK = 500


def make(model, fault, kind, mode, path, rng):
    wrong = fault.change(model, model.engine)
    folder = Folder(path, "BF16" if mode == "BF16" else "float32")
    return arguments(folder, model, wrong, kind, mode, rng, fault.positions, heads=fault.heads, side=fault.side,
                     times=fault.times(model) if fault.times else 1.0)


def case_of(model, fault, kind, mode, verdict):
    name = f"{model.name}: {fault.label or 'right'}, {kind}, {mode}"
    return harness.Case(name, functools.partial(make, model, fault, kind, mode), verdict,
                        harness.expects(fault.name, *fault.also(model)) if verdict == "fault" else (),
                        groups=((fault.label, model.name), (fault.label, kind, mode)))


def places(fault):
    """Models, kinds of evidence and modes in which a fault shows."""
    for model in filter(fault.where, models.MODELS):
        for kind in fault.evidence:
            if kind == "scores" and not faults.SCORED(model):
                continue
            if kind in ("inv_freq", "tables") and not model.engine.turns:  # a layer without positions has none
                continue
            for mode in fault.modes:
                if kind != "inv_freq" or mode != "BF16":  # frequencies in bf16 are a fault themselves
                    yield model, kind, mode


# PyTorch models round every step. That is not a fault while the angles are right.
STEPS = {"float32": {"frequency_type": "float32", "angle_type": "float32", "table_type": "float32", "step_type": "float32"},
         "BF16": {"frequency_type": "float32", "angle_type": "float32", "table_type": "bfloat16", "step_type": "bfloat16"}}
COMMON = ("layout", "base", "scaling_dropped", "attention_factor_missing", "counted_from_one", "window_end", "sections_order")


def make_stepwise(model, fault, kind, path, rng):
    wrong = dataclasses.replace(fault.change(model, model.engine), **STEPS[kind])
    return arguments(Folder(path, kind), model, wrong, "rotation", kind, rng)


def stepwise_cases():
    found = []
    for fault in (faults.RIGHT, *(f for f in faults.FAULTS if f.name in COMMON)):
        for model in models.MODELS:
            if model.is_plain or not (fault.where(model) and model.engine.turns):
                continue
            verdict, names = ("fault", harness.expects(fault.name)) if fault.name else ("matches", ())
            found += [harness.Case(f"{model.name}: {fault.label or 'right'}, step by step in {kind}",
                                   functools.partial(make_stepwise, model, fault, kind), verdict, names,
                                   groups=((fault.name, kind), (model.name,))) for kind in STEPS]
    return found


def make_typed(model, fault, kind, path, rng):
    wrong = fault.change(model, model.engine)
    return arguments(Folder(path, kind), model, wrong, "rotation", "float32", rng)


def typed_cases():
    """The same numbers in every type that a file can have."""
    found = []
    for kind in ("float64", "float32", "float16", "F64", "F32", "F16", "BF16"):
        for fault in (faults.RIGHT, *(f for f in faults.FAULTS if f.name in ("layout", "scaling_dropped"))):
            name = f"llama-3.1-8b: {fault.label or 'right'} in {kind}"
            make_it = functools.partial(make_typed, models.BY_NAME["llama-3.1-8b"], fault, kind)
            verdict, names = ("fault", harness.expects(fault.name)) if fault.name else ("matches", ())
            found.append(harness.Case(name, make_it, verdict, names))
    return found


def cases(some, verdict):
    return [case_of(model, fault, kind, mode, verdict) for fault in some for model, kind, mode in places(fault)]


class Injection(harness.Mass):
    def test_right_numbers_match(self):
        self.check_all(cases([faults.RIGHT], "matches"), QUICK // 6)

    def test_what_leaves_no_trace_in_scores_matches(self):
        self.check_all(cases(faults.INVISIBLE, "matches"), QUICK // 20)

    def test_models_that_round_every_step(self):
        self.check_all(stepwise_cases(), QUICK // 8)

    def test_every_type_of_file(self):
        self.check_all(typed_cases(), QUICK)

    def test_faults_have_their_names(self):
        self.check_all(cases(faults.FAULTS, "fault"), QUICK)


if __name__ == "__main__":
    harness.main()
