"""What is no evidence is refused: exit 2, one line that names the file or the option, nothing on stdout."""

import json
import pathlib
import struct
import tempfile
import unittest

import numpy as np

import biases
import engine as numpy_engine
import harness
from engine import Engine
from write import Folder, npy_bytes, write_npy

SPEC = "rotary:head_dim=8"
N = 16


class Refused(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)
        rng = np.random.default_rng(1)
        engine, ids = Engine(8, 8), np.arange(N)
        self.q, self.k = rng.normal(size=(N, 8)), rng.normal(size=(N, 8))
        self.rotated = numpy_engine.rotate(engine, self.q[:, None], ids)[:, 0]
        keys = numpy_engine.rotate(engine, self.k[:, None], ids)
        self.scores = numpy_engine.scores(self.rotated[:, None], keys, 8 ** -0.5)[0]
        self.cos, self.sin = numpy_engine.tables(engine, ids)
        self.bias = biases.alibi_bias(biases.Alibi(4), ids, ids)
        self.put(q=self.q, k=self.k, rotated=self.rotated, scores=self.scores, cos=self.cos, sin=self.sin, bias=self.bias,
                 inv_freq=numpy_engine.frequencies(engine), rows=biases.sinusoid_rows(biases.Sinusoids(8), ids),
                 table=rng.normal(size=(32, 4)))

    def put(self, **arrays):
        for name, values in arrays.items():
            write_npy(self.path / f"{name}.npy", values)

    def refused(self, *arguments, names):
        """`names`: words that the line must have."""
        for tail in ((), ("--format", "json")):
            run = harness.diagnose(self.path, [*arguments, *tail])
            with self.subTest(" ".join(run.arguments)):
                self.assertEqual((run.code, run.out), (2, ""), str(run))
                self.assertTrue(run.err.startswith("posenc: "), run.err)
                lines = run.err.splitlines()
                self.assertLessEqual(len(lines), 2, run.err)
                self.assertTrue(len(lines) == 1 or lines[1] == "posenc: see posenc diagnose --help", run.err)
                for name in names:
                    self.assertIn(name, run.err)

    def rotation(self, *more, positions=f"0:{N}", spec=SPEC):
        return (spec, "--input", "q.npy", "--rotated", "rotated.npy", "--positions", positions, *more)

    def test_learned_numbers_that_are_missing_are_named(self):
        self.refused("kerple:heads=4", "--bias", "bias.npy", names=["kerple needs the parameter p, [4]"])
        run = harness.diagnose(self.path, ["kerple:heads=4", "--bias", "bias.npy"])
        self.assertNotIn("--bias", run.err)

    def test_a_choice_is_for_what_depends_on_it(self):
        self.refused(*self.rotation("--layer", "1"), names=["--layer is for models and for specs whose layers differ"])
        self.refused("alibi:heads=4", "--bias", "bias.npy", "--sequence-length", "8",
                     names=["--sequence-length is for scalings that depend on it (dynamic, longrope): 'alibi:heads=4' does not depend on it"])

    def tables(self, *more, positions=f"0:{N}"):
        return (SPEC, "--cos", "cos.npy", "--sin", "sin.npy", "--positions", positions, *more)

    def attention(self, *more):
        return (SPEC, "--scores", "scores.npy", "--q", "q.npy", "--k", "k.npy", "--queries", f"0:{N}", "--keys", f"0:{N}", *more)

    def biased(self, *more):
        return ("alibi:heads=4", "--bias", "bias.npy", "--queries", f"0:{N}", "--keys", f"0:{N}", *more)

    def rows(self, *more):
        return ("sinusoidal:width=8", "--table", "rows.npy", "--positions", f"0:{N}", *more)

    def test_whole_evidence_is_taken(self):
        for arguments in (self.rotation(), self.tables(), self.attention(), self.biased(), self.rows(),
                          (SPEC, "--inv-freq", "inv_freq.npy")):
            run = harness.diagnose(self.path, [*arguments, "--format", "json"])
            self.assertEqual((run.code, run.err), (0, ""), str(run))
            self.assertEqual(json.loads(run.out)["verdict"], "matches")

    def test_shapes_that_do_not_fit(self):
        self.put(rotated=self.rotated[:, :6])
        self.refused(*self.rotation(), names=["rotated.npy"])
        self.put(rotated=self.rotated[:5])
        self.refused(*self.rotation(), names=["rotated.npy"])
        self.put(q=self.q[0], rotated=self.rotated[0])
        self.refused(*self.rotation(), names=["q.npy"])
        self.put(cos=self.cos[:, :3])
        self.refused(*self.tables(), names=["cos.npy"])
        self.put(cos=self.cos, sin=self.sin[:7])
        self.refused(*self.tables(), names=["sin.npy"])
        self.put(inv_freq=np.ones((2, 3, 4)))
        self.refused(SPEC, "--inv-freq", "inv_freq.npy", names=["inv_freq.npy"])

    def test_shapes_of_scores_biases_and_rows(self):
        self.put(scores=self.scores[:, :9])
        self.refused(*self.attention(), names=["scores.npy"])
        self.put(scores=self.scores, q=self.q[:, :6])
        self.refused(*self.attention(), names=["q.npy"])
        self.put(q=self.q, k=self.k[:9])
        self.refused(*self.attention(), names=["k.npy"])
        self.put(bias=self.bias[:3])
        self.refused(*self.biased(), names=["bias.npy"])
        self.put(rows=np.ones((N, 6)))
        self.refused(*self.rows(), names=["rows.npy"])

    def test_heads_that_do_not_fit(self):
        self.refused(*self.rotation(spec="rotary:head_dim=16"), names=["q.npy", "16"])
        self.refused(*self.rotation(spec="llama-3.1-8b"), names=["q.npy", "128"])
        self.refused(*self.rotation(spec="rotary:head_dim=7"), names=["head_dim", "7"])

    def test_numbers_that_are_none(self):
        for bad in (np.nan, np.inf, -np.inf):
            for name, arguments in (("q", self.rotation()), ("rotated", self.rotation()), ("cos", self.tables()),
                                    ("inv_freq", (SPEC, "--inv-freq", "inv_freq.npy")), ("rows", self.rows())):
                right = np.load(self.path / f"{name}.npy")
                wrong = right.copy()
                wrong.flat[3] = bad
                self.put(**{name: wrong})
                self.refused(*arguments, names=[f"{name}.npy"])
                self.put(**{name: right})

    def test_scores_may_be_masked_but_not_nan(self):
        masked = np.where(np.tri(N, dtype=bool), self.scores, -np.inf)
        self.put(scores=masked)
        self.assertEqual(harness.diagnose(self.path, self.attention()).code, 0)
        for bad in (np.nan, np.inf):
            masked[3, 1] = bad
            self.put(scores=masked)
            self.refused(*self.attention(), names=["scores.npy"])
        self.put(scores=np.full((N, N), -np.inf))
        self.refused(*self.attention(), names=["scores.npy"])

    def test_all_zero_shows_nothing(self):
        self.put(q=0 * self.q)
        self.refused(*self.rotation(), names=["q.npy", "zero"])
        self.put(q=self.q, rotated=0 * self.rotated)
        self.refused(*self.rotation(), names=["rotated.npy", "zero"])
        self.put(cos=0 * self.cos, sin=0 * self.sin)
        self.refused(*self.tables(), names=["zero"])
        self.put(inv_freq=np.zeros(4))
        self.refused(SPEC, "--inv-freq", "inv_freq.npy", names=["inv_freq.npy", "zero"])

    def test_empty_arrays(self):
        self.put(q=np.zeros((0, 8)), rotated=np.zeros((0, 8)), inv_freq=np.zeros(0))
        self.refused(*self.rotation(positions="0:0"), names=[])
        self.refused(*self.rotation(), names=["q.npy"])
        self.refused(SPEC, "--inv-freq", "inv_freq.npy", names=["inv_freq.npy"])

    def test_integers_are_no_evidence(self):
        write_npy(self.path / "q.npy", np.arange(N * 8).reshape(N, 8), "int64")
        self.refused(*self.rotation(), names=["q.npy"])
        write_npy(self.path / "inv_freq.npy", np.ones(4), "int32")
        self.refused(SPEC, "--inv-freq", "inv_freq.npy", names=["inv_freq.npy"])

    def test_broken_files(self):
        whole = (self.path / "q.npy").read_bytes()
        for broken in (whole[:-1], whole[:40], whole[:5], b"", b"text", whole + b"more"):
            (self.path / "q.npy").write_bytes(broken)
            self.refused(*self.rotation(), names=["q.npy"])
        (self.path / "q.npy").write_bytes(npy_bytes("<c8", (N, 8), bytes(N * 8 * 8)))
        self.refused(*self.rotation(), names=["q.npy"])
        self.refused(SPEC, "--input", "none.npy", "--rotated", "rotated.npy", "--positions", "0:16", names=["none.npy"])

    def test_broken_safetensors(self):
        folder = Folder(self.path, "BF16")
        name = folder.put("half", self.q)
        arguments = lambda source: (SPEC, "--input", source, "--rotated", "rotated.npy", "--positions", f"0:{N}")
        self.refused(*arguments("half.safetensors:other"), names=["half.safetensors", "other"])
        data = (self.path / "half.safetensors").read_bytes()
        for broken in (data[:-2], data[:6], struct.pack("<Q", 1 << 60) + data[8:]):
            (self.path / "half.safetensors").write_bytes(broken)
            self.refused(*arguments(name), names=["half.safetensors"])

    def test_positions_that_do_not_fit(self):
        self.refused(*self.rotation(positions="0:15"), names=["15", "16"])
        self.refused(*self.rotation(positions="0,x"), names=["--positions"])
        write_npy(self.path / "ids.npy", np.arange(N * 3).reshape(N, 3), "int64")
        self.refused(*self.rotation(positions="@ids.npy"), names=["ids.npy"])
        self.refused(*self.rotation(positions="@none.npy"), names=["none.npy"])
        self.refused(*self.attention()[:-1], "0:9", names=["9", "16"])

    def test_companions_that_are_missing(self):
        self.refused(SPEC, "--cos", "cos.npy", "--positions", "0:16", names=["--sin"])
        self.refused(SPEC, "--sin", "sin.npy", "--positions", "0:16", names=["--cos"])
        self.refused(SPEC, "--input", "q.npy", "--positions", "0:16", names=["--rotated"])
        self.refused(SPEC, "--rotated", "rotated.npy", "--positions", "0:16", names=["--input"])
        self.refused(SPEC, "--scores", "scores.npy", "--q", "q.npy", "--queries", "0:16", "--keys", "0:16", names=["--k"])
        self.refused(SPEC, "--q", "q.npy", "--k", "k.npy", names=["--scores"])

    def test_two_kinds_of_evidence_or_none(self):
        self.refused(SPEC, names=["--inv-freq"])
        self.refused(SPEC, "--positions", "0:16", names=["--inv-freq"])
        self.refused(*self.rotation("--inv-freq", "inv_freq.npy"), names=["--inv-freq", "--input"])
        self.refused(*self.tables("--input", "q.npy", "--rotated", "rotated.npy"), names=["--cos", "--input"])

    def test_evidence_of_another_kind(self):
        self.refused("alibi:heads=4", "--inv-freq", "inv_freq.npy", names=["--inv-freq", "alibi"])
        self.refused(SPEC, "--bias", "bias.npy", "--queries", "0:16", "--keys", "0:16", names=["--bias", "rotary"])
        self.refused("sinusoidal:width=8", "--input", "q.npy", "--rotated", "rotated.npy", "--positions", "0:16",
                     names=["--input", "sinusoidal"])

    def test_words_that_are_wrong(self):
        self.refused("rotary:head_dim=8,bases=3", "--inv-freq", "inv_freq.npy", names=["bases"])
        self.refused("no-such-model", "--inv-freq", "inv_freq.npy", names=["no-such-model"])
        self.refused(*self.rotation("--layer", "99", spec="smollm3-3b"), names=["99"])
        self.refused(*self.rotation("--part", "vision", spec="llama-3.1-8b"), names=["vision"])
        self.refused(*self.attention("--softmax-scale", "x"), names=["--softmax-scale"])
        self.refused(*self.attention("--softmax-scale", "0"), names=["--softmax-scale"])
        self.refused(*self.rotation("--softmax-scale", "2"), names=["--softmax-scale"])


if __name__ == "__main__":
    harness.main()
