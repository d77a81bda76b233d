"""Arrays that a command cannot use: no axes, no rows, another rank or type, NaN, numbers too large to square."""

import json
import math
import struct
import unittest

import numpy

from command import Case, safetensors


class StrangeArrays(Case):
    def setUp(self):
        super().setUp()
        rng = numpy.random.default_rng(0)
        rows = rng.normal(size=(8, 4)).astype("f4")
        nan = rows.copy()
        nan[3, 1] = math.nan
        for name, array in {"scalar": numpy.float32(3), "empty": rows[:0], "flat": rows[0], "rows": rows, "nan": nan,
                            "bool": rows > 0, "i8": rows.astype("i1"), "complex": rows.astype("c8"), "one": rows[None],
                            "deep": numpy.zeros((2, 2, 2, 4), "f4"), "across": rows.T.copy(),
                            "large": numpy.full((8, 4), 1e308), "wide": numpy.zeros((8, 5), "f4"),
                            "bias": numpy.zeros((1, 8, 8), "f4"),
                            "q": rng.normal(size=(8, 2, 4)).astype("f4")}.items():
            self.save(name, array)

    def save(self, name, array):
        numpy.save(self.folder / f"{name}.npy", array)

    def array(self, name):
        return numpy.load(self.folder / f"{name}.npy")

    def expect(self, commands, found):
        """Each command refuses FILE for every name in `found`, and says what the file has."""
        for name, text in found.items():
            for command in commands:
                with self.subTest(f"{command} with {name}"):
                    words = [word.replace("FILE", f"{name}.npy") for word in command.split()]
                    self.expect_refused(*words, message=f"{name}.npy: ")
                    self.assertIn(text, self.run_posenc(*words).stderr.decode())

    def test_are_refused_by_every_command_that_reads_them(self):
        wrong = {"scalar": "[] f32", "empty": "[0, 4] f32", "flat": "[4] f32", "bool": "[8, 4] bool", "i8": "[8, 4] i8",
                 "complex": "complex numbers are not supported", "nan": "nan"}
        self.expect(["check sinusoidal:width=4 --table FILE", "check rotary:head_dim=4 --table FILE",
                     "plot parts sinusoidal:width=4 --input FILE", "layer --input FILE --heads 2",
                     "resize --file FILE --to 20", "table learned:past_end=error --file FILE --positions 0:2",
                     "diagnose rotary:head_dim=4 --input FILE --rotated FILE",
                     "diagnose rotary:head_dim=4 --cos FILE --sin FILE", "diagnose sinusoidal:width=4 --table FILE"],
                    wrong)
        any_numbers = {name: text for name, text in wrong.items() if name not in ("nan", "empty")}
        self.expect(["rotate rotary:head_dim=4 --input FILE -o out.npy", "add sinusoidal:width=4 --input FILE -o out.npy",
                     "attend none --q FILE --k FILE --v FILE -o out.npy"], any_numbers)
        self.expect(["check alibi:heads=1 --table FILE"], {**wrong, "nan": "[8, 4] f32"})
        self.expect(["diagnose alibi:heads=1 --bias FILE"], wrong)
        self.expect(["diagnose rotary:head_dim=4 --inv-freq FILE"], {"scalar": "[] f32", "empty": "[0, 4] f32"})
        attend = "attend none --q q.npy --k q.npy --v q.npy -o out.npy"
        self.expect([f"{attend} --sinks FILE"], {"scalar": "[] f32", "empty": "[0, 4] f32", "flat": "but is [4]"})
        self.expect([f"{attend} --mask FILE", f"{attend} --key-mask FILE"],
                    {"scalar": "[] f32", "bool": "but is [8, 4]"})
        self.save("none", numpy.zeros((0, 8), "i4"))
        self.expect([f"{attend} --mask FILE", f"{attend} --documents FILE"], {"none": "[0, 8] i32"})
        self.expect(["attend none --q q.npy --k FILE --v FILE -o out.npy"],
                    {"empty": "at least one token but have shape [0, 1, 4]"})
        self.expect(["rotate pope:head_dim=4 --input q.npy --delta FILE -o out.npy"],
                    {"scalar": "[] f32", "empty": "[0, 4] f32", "rows": "must be [2, 4] but is [8, 4]"})

    def test_nan_passes_through_a_rotation(self):
        done = self.run_posenc("rotate", "rotary:head_dim=4", "--input", "nan.npy", "-o", "out.npy")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(numpy.isnan(self.array("out")).sum(), 2)  # the pair of the one number

    def test_no_tokens_give_no_tokens(self):
        done = self.run_posenc("rotate", "rotary:head_dim=4", "--input", "empty.npy", "-o", "out.npy")
        self.assertEqual((done.returncode, self.array("out").shape), (0, (0, 4)))

    def test_check_says_which_axis_is_wrong(self):
        check = ("check", "sinusoidal:width=4", "--table")
        self.expect_refused(*check, "wide.npy", message="wide.npy: the table must have 4 columns, one per channel, but is "
                                                        "[8, 5]")
        self.expect_refused(*check, "across.npy", message="but is [4, 8]; it may be transposed")
        self.expect_refused(*check, "rows.npy", "--positions", "0:3",
                            message="rows.npy: the table must have 3 rows, one per position, but is [8, 4]")
        self.expect_refused(*check, "deep.npy", message="[rows, columns] with one row per position, but got [2, 2, 2, 4]")
        self.expect_refused(*check, "nan.npy", message="nan.npy: channel 1 at position 3 must be finite but is nan")
        same = [self.run_posenc(*check, name, "--format", "json").stdout for name in ("rows.npy", "one.npy")]
        self.assertEqual(*same)

    def test_check_never_writes_what_json_does_not_have(self):
        for spec in ("sinusoidal:width=4", "rotary:head_dim=4"):
            self.expect_refused("check", spec, "--table", "large.npy", "--format", "json",
                                message="0 at position 0 must be at most 1e100 in size but is 1e+308")
        self.save("lowest", numpy.where(numpy.eye(8) > 0, 0.0, -1.7e308)[None])
        done = self.run_posenc("check", "alibi:heads=1", "--table", "lowest.npy", "--format", "json")
        json.loads(done.stdout, parse_constant=lambda word: self.fail(word))

    def test_layer_never_writes_what_is_not_finite(self):
        self.expect_refused("layer", "--input", "large.npy", "--heads", "2", "--format", "json",
                            message="large.npy: the numbers or the weights are too large: the result overflows f64")
        right = {"in_proj_weight": numpy.ones((12, 4), "f4"), "out_proj.weight": numpy.ones((4, 4), "f4")}
        for name, array, message in (
                ("in_proj_weight", numpy.ones((12, 3), "f4"), "m.safetensors: in_proj_weight must be [12, 4] but is [12, 3]"),
                ("in_proj_weight", numpy.full((12, 4), math.nan, "f4"), "m.safetensors: in_proj_weight: element [0, 0] is"),
                ("out_proj.weight", numpy.full((4, 4), math.inf, "f4"), "m.safetensors: out_proj.weight: element [0, 0] is"),
                ("out_proj.weight", numpy.ones((4, 2), "f4"), "m.safetensors: in_proj_weight must be [6, 4]")):
            (self.folder / "m.safetensors").write_bytes(safetensors(**{**right, name: array}))
            self.expect_refused("layer", "--input", "rows.npy", "--heads", "2", "--model", "m.safetensors", message=message)

    def test_learned_numbers_of_biases(self):
        command = "bias t5:heads=2,buckets=4 --queries 0:2 --keys 0:2"
        self.expect([f"{command} --file FILE", f"{command} --parameter table=FILE"],
                    {"scalar": "[] f32", "empty": "[0, 4] f32", "bool": "[8, 4] bool"})

    def test_plot_parts_says_the_size(self):
        self.expect_refused("plot", "parts", "sinusoidal:width=4", "--input", "wide.npy",
                            message="wide.npy: content must be [N, 4] with N at most 64 but is [8, 5]")

    def test_diagnose_compares_large_numbers(self):
        rng = numpy.random.default_rng(1)
        for name in ("a", "b"):
            self.save(name, rng.normal(size=(8, 2, 4)) * 1e200)
            self.save(f"{name}2", rng.normal(size=(8, 8)) * 1e200)
        self.run_posenc("rotate", "rotary:head_dim=4", "--input", "a.npy", "-o", "right.npy")
        # One each: the encoding, its evidence, the exit code.
        for spec, evidence, code in (("rotary:head_dim=4", "--input a.npy --rotated right.npy", 0),
                                     ("rotary:head_dim=4", "--input a.npy --rotated b.npy", 1),
                                     ("rotary:head_dim=4", "--input q.npy --rotated b.npy", 1),
                                     ("rotary:head_dim=4", "--input a.npy --rotated q.npy", 1),
                                     ("rotary:head_dim=8", "--cos a2.npy --sin b2.npy", 1),
                                     ("sinusoidal:width=8", "--table a2.npy", 1), ("alibi:heads=1", "--bias a2.npy", 1)):
            with self.subTest(evidence):
                done = self.run_posenc("diagnose", spec, *evidence.split(), "--format", "json")
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertEqual(json.loads(done.stdout)["verdict"] == "matches", code == 0)
        self.save("scores", numpy.zeros((2, 8, 8)) + 1)
        self.expect_refused("diagnose", "rotary:head_dim=4", "--scores", "scores.npy", "--q", "a.npy", "--k", "b.npy",
                            message="a.npy: its products with k are too large to compute")

    def test_diagnose_takes_the_heads_from_tables(self):
        angles = numpy.arange(50)[:, None] * 10000.0 ** (-numpy.arange(8) / 8)
        tilings = {"pairs": (lambda x: x, "twice the width of pairs_cos.npy, which has one column per pair"),
                   "halves": (lambda x: numpy.tile(x, 2), "the width of halves_cos.npy, which has every column twice"),
                   "neighbours": (lambda x: numpy.repeat(x, 2, 1), "which has every column twice")}
        for name, (tiled, reason) in tilings.items():
            self.save(f"{name}_cos", tiled(numpy.cos(angles)))
            self.save(f"{name}_sin", tiled(numpy.sin(angles)))
            done = self.run_posenc("diagnose", "rope", "--cos", f"{name}_cos.npy", "--sin", f"{name}_sin.npy")
            self.assertEqual(done.returncode, 0, done.stdout)
            self.assertIn("head_dim was not given: using rope:head_dim=16, ", done.stderr.decode())
            self.assertIn(reason, done.stderr.decode())


def gguf(*keys):
    """The bytes of a GGUF file of a Llama without tensors."""
    def text(word):
        return struct.pack("<Q", len(word)) + word.encode()

    entries = text("general.architecture") + struct.pack("<I", 8) + text("llama")
    for key, value in keys:
        entries += text(f"llama.{key}") + struct.pack("<II", 4, value)
    return b"GGUF" + struct.pack("<IQQ", 3, 0, 1 + len(keys)) + entries


class StrangeModels(Case):
    def expect(self, name, data, message):
        (self.folder / name).write_bytes(data)
        for command in ("show", "explain"):
            self.expect_refused(command, name, message=f"{name}: {message}")

    def test_no_heads(self):
        keys = [("embedding_length", 4096), ("block_count", 2), ("attention.head_count", 0)]
        self.expect("m.gguf", gguf(*keys), "key 'llama.attention.head_count' at byte")
        self.expect_refused("show", "m.gguf", message="expected at least 1 head but got 0")
        self.expect("m.gguf", gguf(*keys[:2]), "key 'llama.attention.head_count': this key or attention.key_length is")
        for text, message in (('{"model_type": "llama", "num_attention_heads": 0}', "num_attention_heads: expected a number "
                                                                                   "above 0 but got 0"),
                              ('{"model_type": "t5", "num_heads": 0}', "num_heads: expected a whole number from 1 to 65536 but got 0"),
                              ('{"model_type": "bloom", "n_head": 0}', "n_head: expected a whole number from 1 to 65536 but got 0")):
            self.expect("config.json", text.encode(), message)

    def test_nothing_in_the_file(self):
        for text in (b"", b" \n"):
            self.expect("config.json", text, "the file is empty; expected a posenc spec, a model's config.json, such as "
                                             '{"model_type": "llama", ...}, or a GGUF file')
        self.expect("config.json", b"{}", 'model_type: expected the type of the model, such as {"model_type": "llama"')


if __name__ == "__main__":
    unittest.main()
