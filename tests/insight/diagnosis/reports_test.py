"""Reported bugs, rebuilt with the parameters of the reports: diagnose must name each.

A report is a repository and a number; how its engine's numbers came about is what the thread says.
"""

import dataclasses
import functools
import json
import pathlib
import tempfile
import unittest

import numpy as np

import biases
import faults
import harness
import models
import rounding
from engine import Engine, yarn_magnitude
from evidence import arguments
from models import BY_NAME, Model, llama_config
from write import Folder


@dataclasses.dataclass(frozen=True)
class Report:
    name: str
    faults: tuple
    model: Model
    changes: dict = dataclasses.field(default_factory=dict)  # of the model's engine
    kind: str = "rotation"
    positions: object = "mixed"
    mode: str = "float32"
    options: dict = dataclasses.field(default_factory=dict)


def changed(name, **changes):
    return dataclasses.replace(BY_NAME[name].engine, **changes)


def moved(rule):
    return {"ids": rule}


def yarn_config(factor, original, **more):
    return llama_config(head_dim=128, num_attention_heads=2, max_position_embeddings=int(factor * original),
                        rope_theta=500000.0, rope_scaling={"rope_type": "yarn", "factor": factor,
                                                           "original_max_position_embeddings": original, **more})


def yarn_model(name, factor, original, attention_factor=None):
    more = {} if attention_factor is None else {"attention_factor": attention_factor}
    engine = Engine(128, 128, base=500000.0, scaling={"kind": "yarn", "factor": factor, "original": original},
                    factor=attention_factor)
    return Model(name, yarn_config(factor, original, **more), engine, reach=int(factor * original) - 1)


LAGUNA = yarn_model("factor 128", 128.0, 4096, yarn_magnitude(128))
LAGUNA_XS = yarn_model("factor 64", 64.0, 4096, 1.0)
TRT_YARN = yarn_model("a factor of its own", 32.0, 8192, 1.2)
PARTIAL = Model("partial", "rotary:head_dim=128,rotary_dim=64,base=1000000", Engine(128, 64, base=1e6))
QUARTER = Model("quarter", "rotary:head_dim=256,rotary_dim=64,base=10000000", Engine(256, 64, base=1e7))
QWEN3 = Model("qwen3", "qwen3-8b", Engine(128, 128, base=1e6))
COHERE = Model("command-r", "rotary:head_dim=128,base=8000000,layout=interleaved",
               Engine(128, 128, base=8e6, layout="interleaved"))
FLUX = Model("image tokens", "rotary:head_dim=64", Engine(64, 64))
GEMMA4 = Model("gemma-4-31b", "gemma-4-31b",
               Engine(512, 512, base=1e6, scaling={"kind": "proportional", "share": 0.25}), ("--part", "text", "--layer", "5"))
NO_SCALING = {"scaling": None, "factor": None}

REPORTS = [
    # Pairs
    Report("llama.cpp#13260: PLaMo with the other type of rope", ("layout",), BY_NAME["plain"], {"layout": "interleaved"}),
    Report("vllm#747: GPT-J rotated as NeoX", ("layout",), BY_NAME["gpt-j"], {"layout": "half"}),
    Report("vllm-metal#44: evens and odds concatenated", ("channels_permuted",), COHERE, {"layout": "interleaved_to_half"}),
    Report("tiny-vllm#6: wrong pairing of Llama", ("layout",), BY_NAME["llama-3.1-8b"], {"layout": "interleaved"}, mode="BF16"),
    Report("transformers 516163776a8: MLA without de-interleaving", ("deinterleave_missing",), BY_NAME["deepseek-v3"],
           {"layout": "half"}),
    # Base and scaling
    Report("SpecForge#265: a drafter at 1e4 for a model of 1e6", ("base",), QWEN3, {"base": 10000.0}),
    # 1e3 is the root of 1e6: exponents i / d instead of 2i / d are the same numbers.
    Report("vllm-ascend#5201: base 1e3 instead of 1e6", ("base", "exponent_step"), QWEN3, {"base": 1000.0}, kind="inv_freq"),
    Report("airllm#369: the default base beyond 1k tokens", ("base",), BY_NAME["llama-3.1-8b"], {"base": 10000.0}),
    Report("unsloth#6197: llama3 scaling dropped, gibberish past 29K", ("scaling_dropped",), BY_NAME["llama-3.1-8b"], NO_SCALING,
           positions=np.concatenate([np.arange(32), np.arange(28672, 32768, 64)])),
    Report("larql#407: llama3 scaling removed, seen at 8 positions", ("scaling_dropped",), BY_NAME["llama-3.1-8b"], NO_SCALING,
           positions=np.arange(8)),
    Report("TransformerLens#910: wrong factor of llama3", ("wrong_factor",), BY_NAME["llama-3.1-8b"],
           {"scaling": {**models.LLAMA3, "factor": 32.0}}, kind="inv_freq"),
    Report("ollama#13452: Gemma 3 global layers unscaled", ("scaling_dropped",), BY_NAME["gemma-3-global"], NO_SCALING),
    Report("ollama#13450: Gemma 3 local layers scaled by 8", ("scaling_added", "positions_scaled"), BY_NAME["gemma-3-local"],
           {"scaling": {"kind": "linear", "factor": 8.0}}),
    Report("llama.cpp#14367: Gemma 3 global layers as local ones", ("wrong_layer",), BY_NAME["gemma-3-global"],
           {"base": 10000.0, "scaling": None}),
    Report("mlx-vlm#1709: 2916 tokens with scale 1", ("scaling_dropped",), BY_NAME["gemma-3-global"], NO_SCALING, kind="tables",
           positions=np.concatenate([np.arange(64), np.arange(195, 2916, 31)])),
    Report("NeMo#14686: GPT-OSS with 131072 for the original length", ("original_length",), BY_NAME["gpt-oss"],
           {"scaling": {**models.GPT_OSS_YARN, "original": 131072}}),
    Report("mlxcel#1358: only the long list of LongRoPE is used", ("longrope_list",), BY_NAME["phi-short"],
           {"length": 10 ** 6}),
    Report("llama.cpp#8995: the list by the configured context", ("longrope_list",), BY_NAME["phi-short"], {"length": 131072},
           kind="tables"),
    Report("neuronx#106: Gemma 4 with the usual partial rotation", ("scaling_kind", "scaling_dropped", "partial_width",
                                                                   "partial_exponent"),
           GEMMA4, {"rotary_dim": 128, "scaling": None}),
    # The factor
    Report("sglang#33558: 1.4852 squared to 2.2058", ("attention_factor_squared",), LAGUNA, {"factor_power": 2.0}),
    Report("vllm#46280: Laguna-XS wants 1.0 and gets 1.4159", ("attention_factor_wrong",), LAGUNA_XS, {"factor": None}),
    Report("TensorRT-LLM#16379: the factor through the log again", ("attention_factor_wrong",), TRT_YARN,
           {"factor": yarn_magnitude(32.0, 1.2)}, kind="tables"),
    Report("ferrox#213: the magnitude of YaRN is missing", ("attention_factor_missing",), BY_NAME["qwen2.5-yarn"],
           {"factor": 1.0}),
    Report("mobius#548: mscale^2 missing in the softmax scale, 1.87 times", ("softmax_scale",), BY_NAME["deepseek-v3-head"],
           kind="scores", options={"times": yarn_magnitude(40) ** -2}),
    Report("TensorRT-LLM#16378: rotated in Python and in C++", ("rotated_twice",), BY_NAME["gpt-oss"], {"turns": 2}),
    # Layers and widths
    Report("executorch#22043: SmolLM3 rotates every layer", ("nope_rotated",), BY_NAME["smollm3-nope"], {"turns": 1}),
    Report("pie#603: the exponent from head_dim", ("partial_exponent",), QUARTER, {"exponent_dim": 256}),
    Report("mlx-lm#1698: GLM rotates 128 of 128", ("partial_width",), BY_NAME["glm-4"], {"rotary_dim": 128}),
    Report("vllm#11883: rotary_dim halved once more", ("partial_width",), PARTIAL, {"rotary_dim": 32}),
    # Positions
    Report("onnxruntime-genai#2354: decode at 0, 10, 11 for 0, 9, 10", ("position_gap",), BY_NAME["llama-2-7b"],
           moved(lambda ids: ids + (ids > 0)), positions=np.array([0, 9, 10, 11, 12, 13])),
    Report("onnxruntime-genai#2354: the decoded tokens alone", ("counted_from_one",), BY_NAME["llama-2-7b"],
           moved(lambda ids: ids + 1), positions=np.arange(9, 40)),
    Report("unsloth#3699: left padding counted", ("padding_counted",), BY_NAME["llama-2-7b"], moved(faults.counted_on),
           positions="padded"),
    Report("Megatron-LM#453: packed documents counted on", ("packing_not_reset",), BY_NAME["llama-2-7b"],
           moved(faults.counted_on), positions="packed", mode="BF16"),
    Report("Megatron-LM#5243: rank 0 at [0,3,0,3] for [0,3,4,7]", ("position_gap", "positions_other", "packing_reset"), BY_NAME["plain"],
           moved(lambda ids: ids % 32), positions=np.concatenate([np.arange(0, 8), np.arange(24, 40), np.arange(56, 64)])),
    Report("diffusers#13922: image tokens from 65536 in bf16", ("positions_rounded",), FLUX, moved(rounding.bfloat16),
           positions=np.concatenate([np.arange(16), 65536 + np.arange(96)])),
    Report("hipfire#391: the slot of the cache instead of the position", ("position_gap", "positions_other"),
           BY_NAME["plain"],
           moved(lambda ids: np.where(ids >= 8, ids - 200, ids)), positions=np.concatenate([np.arange(8), np.arange(208, 260)])),
    Report("gpt-neox#1003: the table made in bf16", ("angle_bfloat16",), BY_NAME["plain"],
           {"factors_type": "bfloat16", "angle_type": "bfloat16"}, kind="tables", positions=np.arange(0, 2048, 17)),
    # Axes
    Report("vllm-omni#1784: sections interleaved instead of chunked", ("sections_order",), BY_NAME["qwen2-vl"],
           {"section_order": "interleaved"}),
    Report("mlx-vlm#576: sections chunked instead of interleaved", ("sections_order",), BY_NAME["qwen3-vl"],
           {"section_order": "chunked"}, kind="tables"),
    Report("vmlx-swift#225: height and width swapped", ("axes_swapped",), BY_NAME["qwen2-vl"], {"axis_order": (0, 2, 1)}),
]


def make(report, path, rng):
    folder = Folder(path, "BF16" if report.mode == "BF16" else "float32")
    wrong = dataclasses.replace(report.model.engine, **report.changes)
    return arguments(folder, report.model, wrong, report.kind, report.mode, rng, report.positions, **report.options)


def two_rotations(path, rng):
    """TensorRT-LLM#16378 as reported: with the wrong pairs as well."""
    folder, model = Folder(path), BY_NAME["gpt-oss"]
    wrong = dataclasses.replace(model.engine, turns=2, layout="interleaved")
    return arguments(folder, model, wrong, "rotation", "float32", rng)


def alibi(rule, spec, path, rng):
    ids = np.arange(32)
    return [spec, "--bias", Folder(path).put("bias", biases.alibi_bias(rule, ids, ids)), "--queries", "0:32", "--keys", "0:32"]


BIASES = [
    ("aprender#2143: slopes from 1.0 instead of 0.5", "slopes_exponent", biases.Alibi(8, first=0), "alibi:heads=8"),
    ("attention-gym#86: distance rewarded", "bias_sign", biases.Alibi(8, times=-1.0), "alibi:heads=8"),
    ("mlx#343: 12 heads by the formula as printed", "slopes_rule", biases.Alibi(12, rule="geometric"), "alibi:heads=12"),
    ("TensorRT-LLM#1611: 40 heads by the other rule", "slopes_rule", biases.Alibi(40, rule="geometric"), "alibi:heads=40"),
    ("flashinfer#5101: every rank with the slopes of the first", "slopes_heads", biases.Alibi(32, ranks=4), "alibi:heads=32"),
]


def make_sinusoids(path, rng):
    folder, ids = Folder(path), np.arange(64)
    values = biases.sinusoid_rows(biases.Sinusoids(512, step=1), ids)
    return ["sinusoidal:width=512", "--table", folder.put("table", values), "--positions", "0:64"]


def make_halves(path, rng):
    folder, ids = Folder(path), np.arange(64)
    values = biases.sinusoid_rows(biases.Sinusoids(64, order="halves"), ids)
    return ["sinusoidal:width=64", "--table", folder.put("table", values), "--positions", "0:64"]


def cases():
    found = [harness.Case(r.name, functools.partial(make, r), "fault", harness.expects(*r.faults)) for r in REPORTS]
    found += [harness.Case(name, functools.partial(alibi, rule, spec), "fault", harness.expects(fault))
              for name, fault, rule, spec in BIASES]
    found.append(harness.Case("TensorRT-LLM#16378: twice, and with the wrong pairs", two_rotations, "fault",
                              (frozenset(["rotated_twice", "layout"]),)))
    found.append(harness.Case("PapersReimplementations#9: exponent i/d", make_sinusoids, "fault",
                              harness.expects("exponent_step")))
    found.append(harness.Case("tensor2tensor's halves for the paper's neighbours", make_halves, "fault",
                              harness.expects("order")))
    return found


class Reports(harness.Mass):
    def test_reported_bugs_have_their_names(self):
        self.check_all(cases(), quick=200)


class WhatCannotBeSeen(unittest.TestCase):
    """Numbers that match because they show too little: the answer says so."""

    def answer(self, model, kind, positions=(0,)):
        with tempfile.TemporaryDirectory() as path:
            given = arguments(Folder(pathlib.Path(path)), model, model.engine, kind, "float32", np.random.default_rng(1),
                              np.array(positions))
            run = harness.diagnose(path, [*given, "--format", "json"])
        self.assertEqual(run.code, 0, str(run))
        return json.loads(run.out)

    def test_position_0_is_the_identity_whatever_is_wrong(self):
        self.assertTrue(self.answer(BY_NAME["plain"], "rotation")["cannot_tell"])
        self.assertTrue(self.answer(BY_NAME["qwen2-vl"], "rotation", [(0, 0, 0)])["cannot_tell"])

    def test_few_positions_do_not_show_a_scaling_for_long_contexts(self):
        told = self.answer(BY_NAME["deepseek-coder"], "tables", [0])["cannot_tell"]
        self.assertTrue(any("scaling" in line for line in told), told)

    def test_frequencies_do_not_show_pairs(self):
        told = self.answer(BY_NAME["llama-3.1-8b"], "inv_freq")["cannot_tell"]
        self.assertTrue(any("layout" in line or "pair" in line or "channel" in line for line in told), told)


if __name__ == "__main__":
    harness.main()
