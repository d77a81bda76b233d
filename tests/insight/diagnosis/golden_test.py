"""Numbers recorded from published implementations match; meaningless numbers are not explained.

The configs are those of tests/golden, given as config.json. `posenc show` says which layer a group is, no more.
"""

import functools
import json
import os
import pathlib
import subprocess
import tempfile

import numpy as np

import engine as numpy_engine
import golden_files
import harness
import models
from write import Folder

QUICK = 160
KINDS = {"bfloat16": "BF16"}


@functools.lru_cache(maxsize=None)
def shown(text):
    """The groups of layers that posenc reads from a config."""
    with tempfile.TemporaryDirectory() as path:
        (pathlib.Path(path) / "config.json").write_text(text)
        done = subprocess.run([os.environ["POSENC_PROGRAM"], "show", f"{path}/config.json", "--format", "json"],
                              capture_output=True, check=True)
    return json.loads(done.stdout)["groups"]


def layer_of(group):
    """The options that name the layers of a recorded group, and the number of axes of their positions."""
    groups = shown(json.dumps(group.config))
    part = groups[0]["part"]
    own = [g for g in groups if g["part"] == part and g["spec"]["kind"] == "rotary"]
    layers = group.group["layers"]
    if isinstance(layers, list) and layers:
        own = [g for g in own if layers[0] in g["layers"]]
        found, layer = own[0], layers[0]
    else:
        kind = group.group.get("layer_type")
        found = next((g for g in own if kind and g.get("layer_type") == kind), own[0])
        layer = found["layers"][0] if found["layers"] else None
    options = ["--part", part] if len({g["part"] for g in groups}) > 1 else []
    if layer is not None and len([g for g in groups if g["part"] == part]) > 1:
        options += ["--layer", str(layer)]
    return options, found["spec"]["axes"]


def spec_and_options(folder, group):
    options, axes = layer_of(group)
    length = group.group["seq_len_used"]
    by_length = group.rope.get("rope_type", group.rope.get("type")) in ("dynamic", "longrope", "su")
    if by_length and not group.rope.get("alpha"):  # Hunyuan's base follows from alpha
        options += ["--sequence-length", str(length or 1)]
    return [folder.put_config(group.config), *options], axes


def spread(ids, axes):
    """Text through a model of several axes has the same number on all."""
    return np.repeat(ids[:, None], axes, axis=1) if axes > 1 and ids.ndim == 1 else ids


def make_frequencies(group, path, rng):
    folder = Folder(path)
    spec, _ = spec_and_options(folder, group)
    values = group.array("inv_freq") * group.group.get("angle_multiplier", 1.0)
    values = values[list(group.group.get("freq_index_of_pair", range(group.group["rotary_dim"] // 2)))]
    return [*spec, "--inv-freq", folder.put("inv_freq", values)]


def make_tables(group, path, rng):
    folder = Folder(path, KINDS.get(group.group.get("table_dtype"), "float32"))
    spec, axes = spec_and_options(folder, group)
    ids = folder.put_positions("ids", spread(group.array("positions"), axes))
    return [*spec, "--cos", folder.put("cos", group.array("cos")), "--sin", folder.put("sin", group.array("sin")),
            "--positions", ids]


def whole_heads(group, rng):
    """q before and after the rotation; if only the rotated slice was recorded, unrotated channels are put before it."""
    q, turned = group.array("q"), group.array("q_rotated")
    before = group.group.get("mla", {}).get("rope_offset_in_head", 0) if "q_is" in group.group else 0
    passing = rng.normal(size=(len(q), before))
    return (np.concatenate([passing, part], axis=1) for part in (q, turned))


def make_rotation(group, path, rng):
    folder = Folder(path, KINDS.get(group.group.get("dtype"), "float32"))
    spec, axes = spec_and_options(folder, group)
    q, turned = whole_heads(group, rng)
    ids = folder.put_positions("ids", spread(group.array("q_positions"), axes))
    return [*spec, "--input", folder.put("q", q), "--rotated", folder.put("rotated", turned), "--positions", ids]


def recorded_cases():
    found = []
    for group in golden_files.groups():
        if group.config["model_type"] == "musicflamingo":  # it is rotated by the times of audio windows
            continue
        made = {"inv_freq": make_frequencies, "tables": make_tables, "rotation": make_rotation}
        if group.config["model_type"] == "vjepa2":  # it rotates no pairs
            continue
        if group.name == "b-deepseek-v4-default/main":  # no layer has it, so it cannot be chosen
            continue
        if group.group["layout"] is None or "q_positions" not in group.group:
            del made["rotation"]
        found += [harness.Case(f"{group.name}: {kind}", functools.partial(make, group), "matches",
                               groups=((group.config["model_type"],), (group.rope.get("rope_type"), kind)))
                  for kind, make in made.items()]
    return found


# Biases and rows


def make_bias(spec, values, table, queries, keys, path, rng):
    folder = Folder(path)
    learned = ["--file", folder.put("table", table)] if table is not None else []
    return [spec, "--bias", folder.put("bias", values), *learned, "--queries", folder.put_positions("queries", queries),
            "--keys", folder.put_positions("keys", keys)]


def make_rows(spec, values, positions, path, rng):
    folder = Folder(path, "float64")
    return [spec, "--table", folder.put("table", values), "--positions", folder.put_positions("ids", positions)]


def bias_cases():
    load = golden_files.load
    encoder, foundry, mpt = (load(f"bias/{name}.json") for name in ("c_t5_bias_encoder", "d_llmfoundry_bias", "d_mpt_h4_max8"))
    ten = np.arange(10)
    made = {
        "c_t5_bias_encoder": ("t5:heads=3,buckets=8,max_distance=16", encoder["outputs"]["bias_hqk"],
                              encoder["inputs"]["table"], ten, ten),
        "d_llmfoundry_bias": ("alibi:heads=3", foundry["outputs"]["full"], None, ten[:5], ten[:5]),
        "d_mpt_h4_max8": ("alibi:heads=4", mpt["outputs"]["alibi_h1k"], None, ten[6:7], ten[:7]),
    }
    for path in sorted((golden_files.GOLDEN / "bias").glob("c_t5_bucket_*.json")):
        file = load(path)
        inputs, table = file["inputs"], np.random.default_rng(7).normal(size=(file["inputs"]["num_buckets"], 2))
        direction = "bidirectional" if inputs["bidirectional"] else "causal"
        spec = f"t5:heads=2,buckets={inputs['num_buckets']},max_distance={inputs['max_distance']},direction={direction}"
        values = np.moveaxis(table[file["outputs"]["buckets"]], -1, 0)[:, None, :]
        made[path.stem] = (spec, values, table, [300], np.arange(601))
    return [harness.Case(f"{name}: bias", functools.partial(make_bias, *values), "matches") for name, values in made.items()]


ROWS = {"a_xlm_interleaved": "sinusoidal:width={dim}", "a_marian_table": "sinusoidal:width={dim},order=halves",
        "a_ctrl": "sinusoidal:width={dim},order=halves",
        "a_fairseq_table": "sinusoidal:width={dim},spacing=half,order=halves,odd=zero",
        "a_musicgen": "sinusoidal:width={dim},spacing=half,order=cos_halves,odd=zero",
        "a_whisper": "sinusoidal:width={channels},base={max_timescale},spacing=half,order=halves",
        "a_timesfm": "sinusoidal:width={dim},spacing=half,order=halves,odd=zero"}


def row_cases():
    found = []
    for path in sorted((golden_files.GOLDEN / "sinusoidal").glob("*.json")):
        file = golden_files.load(path)
        spec = next((text for start, text in ROWS.items() if path.stem.startswith(start)), None)
        if spec and "exact_f64" in file["outputs"]:
            make = functools.partial(make_rows, spec.format(**file["inputs"]), file["outputs"]["exact_f64"],
                                     file["inputs"]["positions"])
            found.append(harness.Case(f"{path.stem}: rows", make, "matches"))
    return found


# Numbers that no engine makes


def make_random(model, kind, path, rng):
    folder = Folder(path)
    spec = folder.put_config(model.spec) if isinstance(model.spec, dict) else model.spec
    ids = models.mixed(model, rng)
    start = [spec, *model.options]
    positions = ["--positions", folder.put_positions("ids", ids)]
    q = rng.normal(size=(len(ids), 1, model.engine.head_dim))
    if kind == "random frequencies":
        return [*start, "--inv-freq", folder.put("inv_freq", 10.0 ** rng.uniform(-6, 0, model.engine.pairs))]
    if kind == "random tables":
        return [*start, "--cos", folder.put("cos", rng.normal(size=(len(ids), model.engine.pairs))),
                "--sin", folder.put("sin", rng.normal(size=(len(ids), model.engine.pairs))), *positions]
    turned = rng.normal(size=q.shape) if kind == "random vectors" else numpy_engine.rotate(model.engine, q, ids)
    turned = turned[..., rng.permutation(model.engine.head_dim)] if kind == "shuffled channels" else turned
    return [*start, "--input", folder.put("q", q), "--rotated", folder.put("rotated", turned), *positions]


def make_random_bias(spec, heads, path, rng):
    return [spec, "--bias", Folder(path).put("bias", rng.normal(size=(heads, 20, 20))), "--queries", "0:20", "--keys", "0:20"]


def unexplained_cases():
    kinds = ("random frequencies", "random tables", "random vectors", "shuffled channels")
    names = ("plain", "llama-3.1-8b", "gpt-j", "deepseek-v3", "qwen2.5-yarn", "phi-long", "qwen2-vl", "gemma-3-global")
    found = [harness.Case(f"{name}: {kind}", functools.partial(make_random, models.BY_NAME[name], kind), "not_explained")
             for name in names for kind in kinds]
    found.append(harness.Case("alibi: random bias", functools.partial(make_random_bias, "alibi:heads=12", 12), "not_explained"))
    rows = lambda path, rng: ["sinusoidal:width=64", "--table", Folder(path).put("table", rng.normal(size=(40, 64))),
                              "--positions", "0:40"]
    found.append(harness.Case("sinusoidal: random rows", rows, "not_explained"))
    return found


class Golden(harness.Mass):
    def test_recorded_numbers_match(self):
        self.check_all(recorded_cases(), QUICK)

    def test_recorded_biases_and_rows_match(self):
        self.check_all(bias_cases() + row_cases(), QUICK)

    def test_numbers_of_nothing_are_not_explained(self):
        self.check_all(unexplained_cases(), QUICK)


if __name__ == "__main__":
    harness.main()
