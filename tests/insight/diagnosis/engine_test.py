"""The numpy engine against numbers that published implementations recorded: this is what makes it an oracle."""

import io
import unittest

import numpy as np

import biases
import engine as numpy_engine
import golden_files
import rounding
import write
from engine import Engine

# Models whose class adds to the rule something that the config's dictionary does not say.
OTHER_RULES = {"olmo3", "deepseek_v4", "hunyuan_v1_moe", "phimoe", "pixtral", "mistral4", "vjepa2", "gemma4_unified",
               "musicflamingo"}


def scaling_of(group):
    """The scaling and explicit factor that a flat dictionary says, or None where this test does not read it."""
    rope, text = group.rope, group.config.get("text_config", group.config)
    kind = rope.get("rope_type", rope.get("type", "default"))
    longest = text.get("max_position_embeddings", 0)
    original = text.get("original_max_position_embeddings") or rope.get("original_max_position_embeddings") or longest
    if kind in ("default", "mrope"):
        return {}
    if kind == "linear":
        return {"kind": kind, "factor": rope["factor"]}
    if kind == "dynamic":
        return {"kind": kind, "factor": rope["factor"], "original": longest}
    if kind == "llama3":
        return {"kind": kind, "factor": rope["factor"], "original": original, "low": rope["low_freq_factor"],
                "high": rope["high_freq_factor"]}
    if kind == "yarn" and "short_factor" not in rope:
        given = {key: rope[key] for key in ("beta_fast", "beta_slow", "mscale", "mscale_all_dim") if rope.get(key)}
        nested = group.group.get("layer_type") is not None
        return {"kind": kind, "factor": rope["factor"] or longest / original, "original": original, **given,
                "truncate": nested or rope.get("truncate", True)}
    if kind in ("longrope", "su", "yarn"):
        return {"kind": "longrope", "factor": rope.get("factor") or longest / original, "original": original,
                "short": rope["short_factor"], "long": rope["long_factor"]}
    if kind == "proportional":
        share = rope.get("partial_rotary_factor", text.get("partial_rotary_factor", 1.0))
        return {"kind": kind, "factor": rope.get("factor", 1.0), "share": share}
    return None


def theta_of(group):
    text = group.config.get("text_config", group.config)
    return group.rope.get("rope_theta", text.get("rope_theta", text.get("rotary_emb_base")))


def engine_of(group):
    """From the config; None where it leaves the base or the scaling to the class."""
    g, scaling, base = group.group, scaling_of(group), theta_of(group)
    other = group.config.get("model_type") in OTHER_RULES or "freq_index_of_pair" in g or "angle_multiplier" in g
    if scaling is None or not isinstance(base, (int, float)) or other:
        return None
    text = group.config.get("text_config", group.config)
    interleaved = any(word in text.get("model_type", "") for word in ("qwen3", "cohere_compass"))
    return Engine(head_dim=g["head_dim"], rotary_dim=g["rotary_dim"], base=base, layout=g["layout"] or "half",
                  scaling=scaling or None, factor=group.rope.get("attention_factor"), length=g["seq_len_used"] or 0,
                  sections=tuple(group.rope.get("mrope_section", ())) if group.has_axes else (),
                  section_order="interleaved" if interleaved else "chunked")


def recorded_engine(group):
    """With the frequencies of the file, so that tables are a test of their own."""
    g = group.group
    index = g.get("freq_index_of_pair", range(g["rotary_dim"] // 2))
    inv_freq = group.array("inv_freq") * g.get("angle_multiplier", 1.0)
    start = g.get("rope_offset", 0) if "q_is" not in g else 0
    return Engine(head_dim=g["head_dim"], rotary_dim=g["rotary_dim"], layout=g["layout"] or "half",
                  start=start, inv_freq=tuple(inv_freq[list(index)]), factor=g["attention_factor"])


def per_pair(group, key):
    """Positions as [N, n] where pairs follow different axes."""
    ids = group.positions(key)
    axes = group.group.get("axis_of_pair")
    return ids if ids.ndim == 1 else ids[:, axes]


def tables_at(engine, ids):
    if ids.ndim == 1:
        return numpy_engine.tables(engine, ids)
    turned, factor = ids * numpy_engine.frequencies(engine), numpy_engine.attention_factor(engine)
    return np.cos(turned) * factor, np.sin(turned) * factor


def is_rotation(group):
    """V-JEPA 2 turns no pairs, and MusicFlamingo has times instead of axes."""
    return "cos" in group.group and group.config["model_type"] not in ("vjepa2", "musicflamingo")


class Rotary(unittest.TestCase):
    def test_frequencies_follow_the_config(self):
        checked = set()
        for group in golden_files.groups():
            engine = engine_of(group)
            if engine is None:
                continue
            with self.subTest(group.name):
                got, want = numpy_engine.frequencies(engine), group.array("inv_freq")
                np.testing.assert_allclose(got, want, rtol=1e-6, atol=0)
                self.assertAlmostEqual(numpy_engine.attention_factor(engine), group.group["attention_factor"], delta=1e-6)
                if engine.sections:
                    self.assertEqual(numpy_engine.axis_of_pair(engine).tolist(), group.group["axis_of_pair"])
            checked.add((engine.scaling or {"kind": "none"})["kind"] + ("/axes" if engine.sections else ""))
        self.assertLessEqual({*numpy_engine.SCALINGS, "none", "none/axes"}, checked)

    def test_tables_follow_the_frequencies(self):
        for group in filter(is_rotation, golden_files.groups()):
            with self.subTest(group.name):
                engine, ids = recorded_engine(group), per_pair(group, "positions")
                turned = np.abs(ids if ids.ndim == 2 else ids[:, None]) * numpy_engine.frequencies(engine)
                coarse = 2.0 ** -8 if group.group.get("table_dtype") == "bfloat16" else 4e-7
                for got, key in zip(tables_at(engine, ids), ("cos", "sin")):  # the recorder's product is a float32
                    self.assertTrue(np.all(np.abs(got - group.array(key)) <= coarse + 1.3 * 2.0 ** -23 * turned), key)

    def test_queries_turn_by_the_tables(self):
        layouts = set()
        for group in filter(is_rotation, golden_files.groups()):
            if group.group["layout"] is None or "q_positions" not in group.group:
                continue
            with self.subTest(group.name):
                engine, ids, q = recorded_engine(group), per_pair(group, "q_positions"), group.array("q")
                cos, sin = (table[:, None, :] for table in tables_at(engine, ids))
                got = numpy_engine._rotated_once(engine, q[:, None, :], cos, sin)[:, 0]
                turned = np.max(np.abs(ids if ids.ndim == 2 else ids[:, None]) * numpy_engine.frequencies(engine))
                coarse = 4 * 2.0 ** -8 if group.group.get("dtype") == "bfloat16" else 2e-6
                delta = (coarse + 2.6 * 2.0 ** -23 * turned) * np.max(np.abs(q))
                np.testing.assert_allclose(got, group.array("q_rotated"), rtol=0, atol=delta)
            layouts.add(engine.layout)
        self.assertEqual(layouts, {"half", "interleaved", "interleaved_to_half"})

    def test_scores_know_the_distance_only(self):
        engine = Engine(head_dim=8, rotary_dim=8)
        rng = np.random.default_rng(1)
        q, k = rng.normal(size=(1, 2, 8)), rng.normal(size=(1, 2, 8))
        at = lambda i, j: numpy_engine.scores(numpy_engine.rotate(engine, q, [i]), numpy_engine.rotate(engine, k, [j]), 0.5)
        np.testing.assert_allclose(at(3, 17), at(103, 117), atol=1e-12)
        self.assertGreater(np.max(np.abs(at(3, 17) - at(3, 18))), 0.01)

    def test_published_magnitudes(self):
        yarn = {"kind": "yarn", "factor": 40, "original": 4096, "mscale": 1.0, "mscale_all_dim": 1.0}
        deepseek = Engine(head_dim=64, rotary_dim=64, scaling=yarn)
        self.assertEqual(numpy_engine.attention_factor(deepseek), 1.0)
        self.assertAlmostEqual(192 ** -0.5 * numpy_engine.yarn_magnitude(40) ** 2, 0.1352337788608801, delta=1e-15)
        self.assertAlmostEqual(numpy_engine.yarn_magnitude(128), 1.4852, delta=5e-5)
        self.assertAlmostEqual(numpy_engine.yarn_magnitude(64), 1.4159, delta=5e-5)


class Biases(unittest.TestCase):
    def test_slopes(self):
        exact = golden_files.load("bias/d_alibi_slopes_exact.json")["outputs"]["exact_slopes"]
        for heads, values in exact.items():
            np.testing.assert_allclose(biases.slopes(biases.Alibi(int(heads))), values, rtol=1e-15)

    def test_alibi_of_every_query(self):
        full = golden_files.load("bias/d_llmfoundry_bias.json")["outputs"]["full"]
        np.testing.assert_allclose(biases.alibi_bias(biases.Alibi(3), range(5), range(5)), full, rtol=1e-6)

    def test_buckets(self):
        files = sorted((golden_files.GOLDEN / "bias").glob("c_t5_bucket_*.json"))
        self.assertEqual(len(files), 20)
        for path in files:
            with self.subTest(path.stem):
                file = golden_files.load(path)
                offsets = np.concatenate([np.arange(-300, 301), file["inputs"]["large_relative_position"]])
                got = biases.bucket(bucket_rule(file["inputs"]), [0], offsets)[0].tolist()
                outputs = file["outputs"]
                self.assertEqual(got, outputs["buckets"] + outputs["large_buckets"])

    def test_t5_bias(self):
        file = golden_files.load("bias/c_t5_bias_encoder.json")
        got = biases.t5_bias(biases.Buckets(8, 16), file["inputs"]["table"], np.arange(10), np.arange(10))
        self.assertEqual(got.tolist(), file["outputs"]["bias_hqk"])

    def test_sinusoids(self):
        for name, rule in (("a_marian_table_d8", biases.Sinusoids(8, order="halves")),
                           ("a_xlm_interleaved_d64", biases.Sinusoids(64)),
                           ("a_fairseq_table_d64", biases.Sinusoids(64, order="halves", spacing="half"))):
            file = golden_files.load(f"sinusoidal/{name}.json")
            rows = biases.sinusoid_rows(rule, np.array(file["inputs"]["positions"]))
            np.testing.assert_allclose(rows, file["outputs"]["exact_f64"], atol=1e-9, err_msg=name)


def bucket_rule(inputs):
    direction = "bidirectional" if inputs["bidirectional"] else "causal"
    return biases.Buckets(inputs["num_buckets"], inputs["max_distance"], direction)


class Rounding(unittest.TestCase):
    def test_to_the_nearest_ties_to_even(self):
        step = 2.0 ** -7
        self.assertEqual(rounding.bfloat16([1 + step / 2, 1 + 3 * step / 2, 1 + step * 0.51, 257.0]).tolist(),
                         [1.0, 1 + 2 * step, 1 + step, 256.0])
        self.assertEqual(rounding.tf32([2049.0, 2051.0, 1 / 3]).tolist(), [2048.0, 2052.0, 0.333251953125])
        self.assertTrue(np.isinf(rounding.bfloat16([np.inf, -np.inf])).all())
        values = np.random.default_rng(2).normal(size=1000)
        self.assertLessEqual(np.max(np.abs(rounding.bfloat16(values) / values - 1)), 2.0 ** -8)

    def test_npy_is_what_numpy_reads(self):
        for kind in write.NPY:
            values = np.arange(6).reshape(2, 3).astype(write.NPY[kind])
            got = np.load(io.BytesIO(write.npy_bytes(write.NPY[kind], values.shape, values.tobytes())))
            self.assertTrue(np.array_equal(got, values) and got.dtype == values.dtype)


if __name__ == "__main__":
    unittest.main()
