"""The rotary models of the tests: the SPEC and options for posenc, and the same as fields of an engine.

The fields are written from the published configs, not read from posenc.
"""

import dataclasses

import numpy as np

from engine import Engine, yarn_magnitude


@dataclasses.dataclass(frozen=True)
class Model:
    name: str
    spec: str | dict  # a SPEC, a catalog model, or a config.json
    engine: Engine
    options: tuple = ()
    reach: int = 8192  # the farthest position, at which slow pairs have rotated visibly
    softmax_scale: float = 0.0  # 0: 1 / sqrt(head_dim)
    other: Engine | None = None  # the encoding of the model's other layers
    original_wrong: int = 0  # a length that could be mistaken for the original one

    @property
    def scale(self):
        return self.softmax_scale or self.engine.head_dim ** -0.5

    @property
    def scaling(self):
        return (self.engine.scaling or {}).get("kind")

    @property
    def is_plain(self):
        """A SPEC of its own: nothing but what is written holds."""
        return isinstance(self.spec, str) and ":" in self.spec


LLAMA3 = {"kind": "llama3", "factor": 8.0, "original": 8192, "low": 1.0, "high": 4.0}
QWEN_YARN = {"kind": "yarn", "factor": 4.0, "original": 32768}
DEEPSEEK_YARN = {"kind": "yarn", "factor": 40.0, "original": 4096, "mscale": 1.0, "mscale_all_dim": 1.0}
GPT_OSS_YARN = {"kind": "yarn", "factor": 32.0, "original": 4096, "truncate": False}

SHORT = [round(1.0 + 0.013 * i, 3) for i in range(32)]
LONG = [round(1.0 + 0.05 * i + 0.06 * i * i, 3) for i in range(32)]
LONGROPE = {"kind": "longrope", "factor": 32.0, "original": 4096, "short": SHORT, "long": LONG}


def llama_config(**changes):
    return {"model_type": "llama", "hidden_size": 256, "num_attention_heads": 4, "num_hidden_layers": 4,
            "max_position_embeddings": 4096, "rope_theta": 10000.0, **changes}


QWEN_CONFIG = {"model_type": "qwen2", "hidden_size": 3584, "num_attention_heads": 28, "num_key_value_heads": 4,
               "num_hidden_layers": 28, "max_position_embeddings": 131072, "rope_theta": 1000000.0,
               "rope_scaling": {"type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32768}}
PHI_CONFIG = {"model_type": "phi3", "hidden_size": 256, "num_attention_heads": 4, "num_key_value_heads": 4,
              "num_hidden_layers": 4, "max_position_embeddings": 131072, "original_max_position_embeddings": 4096,
              "rope_theta": 10000.0, "rope_scaling": {"type": "longrope", "short_factor": SHORT, "long_factor": LONG}}
# A factor on cos and sin that is not what the scaling would give.
FACTOR_CONFIG = llama_config(max_position_embeddings=16384, rope_scaling={
    "rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 4096, "attention_factor": 1.25})
FACTOR_YARN = {"kind": "yarn", "factor": 4.0, "original": 4096}

QWEN_ENGINE = Engine(128, 128, base=1e6, scaling=QWEN_YARN)
DEEPSEEK_ENGINE = Engine(64, 64, layout="interleaved_to_half", scaling=DEEPSEEK_YARN)
GEMMA_LOCAL, GEMMA_GLOBAL = Engine(256, 256), Engine(256, 256, base=1e6, scaling={"kind": "linear", "factor": 8.0})
SMOLLM_ENGINE = Engine(128, 128, base=5e6)
TEXT = ("--part", "text")
COMMAND_ENGINE = Engine(128, 128, base=50000.0, layout="interleaved")


def standing(engine):
    """The engine of a layer without positions."""
    return dataclasses.replace(engine, turns=0)


MODELS = [
    Model("plain", "rotary:head_dim=64", Engine(64, 64)),
    Model("plain-interleaved", "rotary:head_dim=32,base=100000,layout=interleaved",
          Engine(32, 32, base=100000.0, layout="interleaved")),
    Model("exponent-of-head", "rotary:head_dim=64,rotary_dim=16,exponent_dim=64", Engine(64, 16, exponent_dim=64)),
    Model("llama-2-7b", "llama-2-7b", Engine(128, 128)),
    Model("llama-3.1-8b", "llama-3.1-8b", Engine(128, 128, base=500000.0, scaling=LLAMA3), reach=120000,
          original_wrong=131072),
    Model("gpt-j", "gpt-j-6b", Engine(256, 64, layout="interleaved"), reach=2040),
    Model("pythia", "pythia-1.4b", Engine(128, 32), reach=2040),
    Model("glm-4", "glm-4-9b", Engine(128, 64, layout="interleaved")),
    Model("deepseek-v3", "deepseek-v3", DEEPSEEK_ENGINE, reach=160000, original_wrong=163840,
          softmax_scale=192 ** -0.5 * yarn_magnitude(40) ** 2),
    Model("deepseek-v3-head", "deepseek-v3", dataclasses.replace(DEEPSEEK_ENGINE, head_dim=192, start=128), reach=160000,
          original_wrong=163840, softmax_scale=192 ** -0.5 * yarn_magnitude(40) ** 2),
    Model("qwen2.5-yarn", QWEN_CONFIG, QWEN_ENGINE, reach=120000, original_wrong=131072),
    Model("gpt-oss", "gpt-oss-20b", Engine(64, 64, base=150000.0, scaling=GPT_OSS_YARN), reach=120000,
          original_wrong=131072),
    Model("yarn-factor", FACTOR_CONFIG, Engine(64, 64, scaling=FACTOR_YARN, factor=1.25), reach=16000,
          original_wrong=16384),
    Model("linear", "rotary:head_dim=64,scaling=linear,factor=4", Engine(64, 64, scaling={"kind": "linear", "factor": 4.0})),
    Model("deepseek-coder", "deepseek-coder-6.7b",
          Engine(128, 128, base=100000.0, scaling={"kind": "linear", "factor": 4.0}), reach=16000),
    Model("phi-long", PHI_CONFIG, Engine(64, 64, scaling=LONGROPE, length=131072), ("--sequence-length", "131072"),
          reach=130000),
    Model("phi-short", PHI_CONFIG, Engine(64, 64, scaling=LONGROPE, length=4096), ("--sequence-length", "4096"), reach=4095),
    Model("qwen2-vl", "qwen2-vl-7b", Engine(128, 128, base=1e6, sections=(16, 24, 24)), TEXT, reach=30000),
    Model("qwen3-vl", "qwen3-vl-8b",
          Engine(128, 128, base=5e6, sections=(24, 20, 20), section_order="interleaved"), TEXT, reach=100000),
    Model("gemma-3-local", "gemma-3-4b", GEMMA_LOCAL, ("--layer", "0", *TEXT), other=GEMMA_GLOBAL),
    Model("gemma-3-global", "gemma-3-4b", GEMMA_GLOBAL, ("--layer", "5", *TEXT), reach=100000, other=GEMMA_LOCAL),
    Model("smollm3", "smollm3-3b", SMOLLM_ENGINE, ("--layer", "0"), reach=60000),
    Model("smollm3-nope", "smollm3-3b", standing(SMOLLM_ENGINE), ("--layer", "3"), reach=60000, other=SMOLLM_ENGINE),
    Model("command-r7b-nope", "command-r7b", standing(COMMAND_ENGINE), ("--layer", "3"), other=COMMAND_ENGINE),
]
BY_NAME = {model.name: model for model in MODELS}


# Positions that show the faults


def mixed(model, rng):
    """A run from 0, then growing strides up to the reach of the model; on several axes: text, an image and distant text."""
    far = np.unique(np.geomspace(70, model.reach, 40).astype(int) | 1)
    if not model.engine.sections:
        return np.concatenate([np.arange(48), far])
    text = np.repeat(np.arange(12)[:, None], 3, axis=1)
    t, h, w = np.meshgrid(np.arange(2), np.arange(3), np.arange(5), indexing="ij")
    picture = 12 + np.stack([t, 3 * h, 2 * w], axis=-1).reshape(-1, 3)
    later = np.stack([far, far + 1 + np.arange(len(far)) % 17, far + 2 * (np.arange(len(far)) % 23)], axis=-1)
    return np.concatenate([text, picture, later])


def run(model, rng):
    return np.arange(96)


def packed(model, rng):
    """Four documents, each counted from 0."""
    return np.concatenate([np.arange(length) for length in (17, 31, 24, 24)])


def padded(model, rng):
    """Seven tokens of padding on the left."""
    return np.maximum(np.arange(80) - 7, 0)


def odd(model, rng):
    """Odd numbers above 2048, which tf32 and float16 do not have."""
    return np.concatenate([np.arange(32), 2049 + 2 * np.arange(40), 4097 + 62 * np.arange(40)])


def million(model, rng):
    return np.concatenate([np.arange(16), 900000 + 1009 * np.arange(100)])


POSITIONS = {rule.__name__: rule for rule in (mixed, run, packed, padded, odd, million)}
