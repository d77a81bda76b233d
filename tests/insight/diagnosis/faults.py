"""Faults of rotary engines: what each changes in a right engine, and where that shows.

The names are those that diagnose answers with.
"""

import dataclasses
from collections.abc import Callable

import numpy as np

import rounding
from engine import attention_factor, yarn_magnitude

ROTATION = ("rotation",)
TABLES = ("tables", "rotation")
FREQUENCIES = ("inv_freq", "tables", "rotation")
SCORES = ("scores",)
ALL_MODES = ("float32", "BF16", "noise")
FINE_MODES = ("float32", "noise")  # if the fault is not larger than the rounding of bf16


@dataclasses.dataclass(frozen=True)
class Fault:
    name: str
    change: Callable  # (model, engine) -> engine
    where: Callable  # model -> whether the model can have it
    evidence: tuple
    variant: str = ""
    positions: str = "mixed"
    modes: tuple = ALL_MODES
    heads: int = 0  # 0: chosen by the test
    side: str = "both"  # for scores: the side with the fault, queries, keys or both
    times: Callable | None = None  # for scores: model -> their factor
    also: Callable = lambda model: ()  # model -> other names for the same numbers

    @property
    def label(self):
        return f"{self.name} ({self.variant})" if self.variant else self.name


def sets(**changes):
    return lambda model, engine: dataclasses.replace(engine, **changes)


def moves(rule):
    """The ids of the engine, after its existing changes."""
    def change(model, engine):
        before = engine.ids or (lambda ids: ids)
        return dataclasses.replace(engine, ids=lambda ids: rule(before(ids)))
    return change


# Which models


def rotates(model):
    return model.engine.turns > 0


def any_of(*names):
    return lambda model: model.name in names


def is_full(model):
    return rotates(model) and model.engine.rotary_dim == model.engine.head_dim


def is_partial(model):
    e = model.engine
    return rotates(model) and e.rotary_dim < e.head_dim and e.start == 0


def has_scaling(*kinds):
    return lambda model: rotates(model) and model.scaling in (kinds or (model.scaling or "none",))


def has_no_scaling(model):
    return rotates(model) and model.scaling is None


def has_factor(model):
    return abs(attention_factor(model.engine) - 1.0) > 0.01


def has_layout(*layouts):
    return lambda model: rotates(model) and model.engine.layout in layouts


def has_axes(model):
    return bool(model.engine.sections)


# Representatives, for faults that do not depend on the model.
PROBES = any_of("plain", "plain-interleaved", "llama-3.1-8b", "gpt-j", "deepseek-v3", "qwen2.5-yarn", "linear")
# Models with scores; the rope part of DeepSeek alone has no scale.
SCORED = any_of("plain", "plain-interleaved", "llama-3.1-8b", "gpt-j", "glm-4", "qwen2.5-yarn", "deepseek-v3-head", "phi-long",
                "qwen2-vl", "gpt-oss", "smollm3-nope")


# Changes that depend on the model


def other_layout(model, engine):
    return dataclasses.replace(engine, layout={"half": "interleaved", "interleaved": "half"}[engine.layout])


def other_base(model, engine):
    return dataclasses.replace(engine, base=10000.0 if engine.base != 10000.0 else 1000000.0)


def other_layer(model, engine):
    return model.other


def drop_scaling(model, engine):
    return dataclasses.replace(engine, scaling=None, factor=None)


def scale_linearly(model, engine):
    return dataclasses.replace(engine, scaling={"kind": "linear", "factor": model.engine.scaling["factor"]}, factor=None)


def other_factor(model, engine):
    factor = {"linear": 10.0, "llama3": 32.0, "yarn": 2.0}[model.scaling]
    return dataclasses.replace(engine, scaling={**engine.scaling, "factor": factor})


def other_original(model, engine):
    return dataclasses.replace(engine, scaling={**engine.scaling, "original": model.original_wrong})


def other_list(model, engine):
    return dataclasses.replace(engine, length=1 if engine.length > engine.scaling["original"] else 10 ** 6)


def factor_of_rule(model, engine):
    return dataclasses.replace(engine, factor=None)


def factor_through_the_log(model, engine):
    return dataclasses.replace(engine, factor=yarn_magnitude(engine.scaling["factor"], engine.factor))


def whole_head(model, engine):
    return dataclasses.replace(engine, rotary_dim=engine.head_dim, exponent_dim=0)


def half_the_width(model, engine):
    return dataclasses.replace(engine, rotary_dim=engine.rotary_dim // 2, exponent_dim=0)


def other_exponent(model, engine):
    return dataclasses.replace(engine, exponent_dim=0 if engine.exponent_dim else engine.head_dim)


def other_end(model, engine):
    return dataclasses.replace(engine, start=0 if engine.start else engine.head_dim - engine.rotary_dim)


def other_order(model, engine):
    return dataclasses.replace(engine, section_order="interleaved" if engine.section_order == "chunked" else "chunked")


def written_in_another_order(model, engine):
    other = {"interleaved": "interleaved_to_half", "interleaved_to_half": "interleaved"}
    return dataclasses.replace(engine, layout=other[engine.layout])


def clamped(model, engine):
    last = model.reach // 4 - 1
    return moves(lambda ids: np.minimum(ids, last))(model, engine)


def restarted(ids):
    count = np.arange(len(ids))
    return count - np.where(count >= 71, 71, np.where(count >= 40, 40, 0))


def shuffled(ids):
    return np.random.default_rng(5).permutation(ids)


def counted_on(ids):
    return np.arange(len(ids), dtype=float)


def is_half_partial(model):
    return 2 * model.engine.rotary_dim == model.engine.head_dim


def same_as_factor(model):
    """If all frequencies are divided by the same number, a factor equals another fault."""
    return ("wrong_factor", "positions_scaled") if model.scaling == "linear" else ()


def scaled_for_attention(model, engine):
    return dataclasses.replace(engine, vector_factor=engine.head_dim ** -0.5)


RIGHT = Fault("", lambda model, engine: engine, lambda model: True, ("inv_freq", "tables", "rotation", "scores"))

FAULTS = [
    # Rotation of vectors
    Fault("not_rotated", sets(turns=0), rotates, ROTATION + SCORES),
    Fault("rotated_twice", sets(turns=2), rotates, ROTATION + SCORES, also=same_as_factor),
    Fault("sign", sets(sign=-1), rotates, TABLES + SCORES),
    Fault("layout", other_layout, has_layout("half", "interleaved"), ROTATION + SCORES),
    Fault("deinterleave_missing", sets(layout="half"), has_layout("interleaved_to_half"), ROTATION + SCORES),
    Fault("deinterleave_twice", sets(layout="deinterleaved_twice"), has_layout("interleaved_to_half"), ROTATION + SCORES),
    Fault("channels_permuted", written_in_another_order, has_layout("interleaved", "interleaved_to_half"), ROTATION),
    Fault("cos_sin_swapped", sets(swapped=True), rotates, TABLES),
    Fault("heads_tokens_transposed", sets(head_ids=True), PROBES, ROTATION, positions="run", heads=4),
    # Which channels, and which exponents
    Fault("partial_width", whole_head, is_partial, ROTATION + SCORES, "whole head"),
    Fault("partial_width", half_the_width, is_partial, ROTATION, "half as many"),
    Fault("partial_exponent", other_exponent, is_partial, FREQUENCIES + SCORES,
          also=lambda model: ("exponent_step",) if is_half_partial(model) else ()),
    Fault("window_end", other_end, lambda m: rotates(m) and m.engine.rotary_dim < m.engine.head_dim, ROTATION + SCORES),
    Fault("exponent_step", sets(step=1), has_no_scaling, FREQUENCIES + SCORES,
          also=lambda model: ("partial_exponent",) if is_half_partial(model) else ()),
    Fault("base", other_base, rotates, FREQUENCIES + SCORES),
    Fault("angle_degrees", sets(angle_factor=np.pi / 180), has_no_scaling, FREQUENCIES, "degrees read",
          also=lambda model: ("scaling_added", "positions_scaled")),
    Fault("angle_degrees", sets(angle_factor=180 / np.pi), any_of("plain"), FREQUENCIES, "degrees made",
          also=lambda model: ("scaling_added", "positions_scaled")),
    # Scalings
    Fault("scaling_dropped", drop_scaling, has_scaling(), FREQUENCIES + SCORES),
    Fault("scaling_twice", sets(scaled=2), has_scaling("linear", "llama3"), FREQUENCIES, also=same_as_factor),
    Fault("scaling_twice", sets(scaled=2), any_of("deepseek-v3", "deepseek-v3-head"), FREQUENCIES, "yarn"),
    Fault("scaling_twice", sets(scaled=2), any_of("qwen2.5-yarn", "gpt-oss"), ("inv_freq",), "yarn"),
    Fault("scaling_kind", scale_linearly, has_scaling("yarn", "llama3", "longrope"), FREQUENCIES),
    Fault("scaling_added", sets(scaling={"kind": "linear", "factor": 4.0}), has_no_scaling, FREQUENCIES,
          also=lambda model: ("positions_scaled",)),
    Fault("wrong_factor", other_factor, has_scaling("linear", "llama3", "yarn"), FREQUENCIES, also=same_as_factor),
    Fault("original_length", other_original, has_scaling("llama3", "yarn"), FREQUENCIES),
    Fault("longrope_list", other_list, has_scaling("longrope"), FREQUENCIES + SCORES),
    Fault("wrong_layer", other_layer, any_of("gemma-3-local", "gemma-3-global"), FREQUENCIES),
    Fault("nope_rotated", other_layer, any_of("smollm3-nope", "command-r7b-nope"), ROTATION + SCORES),
    # The factor
    Fault("attention_factor_missing", sets(factor=1.0), has_factor, TABLES + SCORES),
    Fault("attention_factor_squared", sets(factor_power=2.0), has_factor, TABLES + SCORES),
    Fault("attention_factor_one_side", sets(factor=1.0), has_factor, SCORES, side="keys"),
    Fault("attention_factor_wrong", factor_of_rule, any_of("yarn-factor"), TABLES, "the rule's"),
    Fault("attention_factor_wrong", factor_through_the_log, any_of("yarn-factor"), TABLES, "the log of it"),
    Fault("softmax_scale", sets(), any_of("plain", "llama-3.1-8b"), SCORES, "left out", times=lambda m: 1 / m.scale),
    Fault("softmax_scale", sets(), any_of("deepseek-v3-head"), SCORES, "magnitude left out",
          times=lambda m: yarn_magnitude(40) ** -2),
    Fault("keys_not_rotated", sets(turns=0), rotates, SCORES, side="keys"),
    Fault("queries_not_rotated", sets(turns=0), rotates, SCORES, side="queries"),
    Fault("vectors_scaled", scaled_for_attention, rotates, ROTATION, "1/sqrt(D)",
          also=lambda model: ("attention_factor_wrong",) if is_full(model) else ()),
    Fault("vectors_scaled", sets(vector_factor=0.3), is_partial, ROTATION, "0.3"),
    # Positions
    Fault("counted_from_one", moves(lambda ids: ids + 1), rotates, TABLES),
    Fault("position_offset", moves(lambda ids: ids + 5), rotates, TABLES, "5"),
    Fault("position_offset", moves(lambda ids: ids - 3), PROBES, TABLES, "-3"),
    Fault("position_offset", moves(lambda ids: ids + 131), PROBES, TABLES, "131"),
    Fault("packing_not_reset", moves(counted_on), PROBES, TABLES, positions="packed"),
    Fault("packing_reset", moves(restarted), PROBES, TABLES, positions="run"),
    Fault("padding_counted", moves(counted_on), PROBES, TABLES, positions="padded"),
    Fault("positions_scaled", moves(lambda ids: ids * 3), has_no_scaling, TABLES, "times 3", also=lambda m: ("scaling_added",)),
    Fault("positions_scaled", moves(lambda ids: ids / 4), has_no_scaling, TABLES, "by 4", also=lambda m: ("scaling_added",)),
    Fault("positions_rounded", moves(rounding.bfloat16), PROBES, TABLES, "bfloat16", "odd"),
    Fault("positions_rounded", moves(rounding.float16), PROBES, TABLES, "float16", "odd"),
    Fault("positions_clamped", clamped, PROBES, TABLES),
    Fault("positions_other", moves(shuffled), PROBES, TABLES, "shuffled", "run"),
    # Axes
    Fault("sections_order", other_order, has_axes, TABLES + SCORES),
    Fault("axes_swapped", sets(axis_order=(0, 2, 1)), has_axes, TABLES + SCORES, "h and w"),
    Fault("axes_swapped", sets(axis_order=(1, 0, 2)), has_axes, TABLES, "t and h"),
    Fault("axes_collapsed", sets(sections=(64, 0, 0), section_order="chunked"), has_axes, TABLES + SCORES),
    # Precision
    Fault("angle_float32", sets(frequency_type="float32", angle_type="float32"), any_of("plain", "plain-interleaved"), TABLES,
          positions="million", modes=FINE_MODES),
    Fault("angle_bfloat16", sets(factors_type="bfloat16", angle_type="bfloat16"), PROBES, TABLES, positions="odd"),
    Fault("angle_float16", sets(factors_type="float16", angle_type="float16"), PROBES, TABLES, positions="odd"),
    Fault("frequencies_bfloat16", sets(frequency_type="bfloat16"), PROBES, FREQUENCIES, positions="odd"),
    Fault("frequencies_float16", sets(frequency_type="float16"), PROBES, FREQUENCIES, positions="odd"),
    Fault("table_bfloat16", sets(table_type="bfloat16"), PROBES, TABLES, modes=FINE_MODES),
    Fault("table_float16", sets(table_type="float16"), PROBES, TABLES, modes=FINE_MODES),
    Fault("product_tf32", sets(factors_type="tf32", angle_type="float32"), PROBES, TABLES, positions="odd"),
]

# Scores do not show these: both sides move alike.
INVISIBLE = [
    Fault("counted_from_one", moves(lambda ids: ids + 1), rotates, SCORES),
    Fault("position_offset", moves(lambda ids: ids + 5), rotates, SCORES),
    Fault("channels_permuted", written_in_another_order, has_layout("interleaved", "interleaved_to_half"), SCORES),
]
