"""Input that a command makes itself: which numbers it is, and that they do not depend on what is done with them."""

import json
import unittest

import numpy

from command import Case

STREAM = 0x746F6B656E73  # sets embeddings apart from a learned table of the same seed


class RandomInput(Case):
    def numbers(self, *arguments):
        done = self.run_posenc(*arguments, "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return numpy.array(json.loads(done.stdout)["values"])

    def normal(self, rows, width, seed, std=1.0):
        """The same generator by another way: a learned table."""
        return self.numbers("table", f"learned:rows={rows},width={width},past_end=error", "--init", "normal", "--std",
                            str(std), "--seed", str(seed), "-p", f"0:{rows}", "--dtype", "f32")

    def rows(self, tokens, width):
        return self.numbers("table", f"sinusoidal:width={width}", "-p", f"0:{tokens}")

    def test_random_shape(self):
        out = self.numbers("add", "sinusoidal:width=64", "--random", "2x10x64", "--seed", "1")
        wanted = self.normal(20, 64, 1 ^ STREAM).reshape(2, 10, 64) + self.rows(10, 64)
        self.assertEqual(out.shape, (2, 10, 64))
        numpy.testing.assert_allclose(out, wanted, atol=1e-6)
        half = self.numbers("add", "sinusoidal:width=64", "--random", "[2, 10, 64]", "--seed", "1", "--input-std", "0.5")
        numpy.testing.assert_allclose(half - self.rows(10, 64), (wanted - self.rows(10, 64)) / 2, atol=1e-6)

    def test_tokens_are_rows_of_a_table(self):
        out = self.numbers("add", "sinusoidal:width=8", "--tokens", "5,2,5/0,1,2", "--vocabulary", "6", "--scale", "sqrt")
        table = self.normal(6, 8, STREAM)
        wanted = table[[[5, 2, 5], [0, 1, 2]]] * numpy.sqrt(8.0) + self.rows(3, 8)
        numpy.testing.assert_allclose(out, wanted, atol=1e-6)

    def test_too_large_inputs_are_refused(self):
        for token in ("9223372036854775807", "9223372036854775806", "33554432"):
            self.expect_refused("add", "sinusoidal:width=8", "--tokens", token,
                                message=f"--tokens: a random table for token {token} and width 8 would have more than")
        self.expect_refused("add", "sinusoidal:width=1048576", "--tokens", ",".join(["0"] * 257),
                            message="--tokens: 257 rows of width 1048576 have more than the limit of 268435456 numbers")
        self.expect_refused("add", "sinusoidal:width=1048576", "--words", "a " * 257,
                            message="--words: 257 rows of width 1048576 have more than the limit of 268435456 numbers")

    def test_words_have_vectors_of_their_own(self):
        def vectors(words, *arguments):
            return self.numbers("add", "sinusoidal:width=8", "--words", words, *arguments) - self.rows(3, 8)

        forward, backward = vectors("the cat sat"), vectors("sat cat the")
        numpy.testing.assert_allclose(forward, backward[::-1], atol=1e-6)
        self.assertGreater(abs(forward[0] - forward[1]).min(), 1e-3)
        self.assertGreater(abs(forward - vectors("the cat sat", "--seed", "1")).min(), 1e-3)
        both = self.numbers("add", "sinusoidal:width=8", "--words", "the cat sat/sat cat the") - self.rows(3, 8)
        numpy.testing.assert_allclose(both, [forward, backward], atol=1e-6)

    def test_embeddings_are_not_a_learned_table_of_the_same_seed(self):
        out = self.numbers("add", "learned:rows=10,width=64,past_end=error", "--init", "normal", "--std", "1", "--random",
                           "10x64", "--seed", "1")
        table = self.normal(10, 64, 1)
        x = out - table
        self.assertLess(abs(numpy.corrcoef(x.ravel(), table.ravel())[0, 1]), 0.2)

    def test_queries_keys_and_values_differ(self):
        done = self.run_posenc("attend", "none", "--random", "2x10x4x16", "--seed", "3", "--weights", "w.npy", "-o", "o.npy")
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        q, k, v = (self.normal(80, 16, (3 + (stream << 32)) ^ STREAM).reshape(2, 10, 4, 16) for stream in range(3))
        scores = numpy.einsum("bnhd,bshd->bhns", q, k) / 4.0
        weights = numpy.exp(scores) / numpy.exp(scores).sum(-1, keepdims=True)
        numpy.testing.assert_allclose(numpy.load(self.folder / "w.npy"), weights, atol=1e-6)
        numpy.testing.assert_allclose(numpy.load(self.folder / "o.npy"), numpy.einsum("bhns,bshd->bnhd", weights, v), atol=1e-5)

    def test_learned_numbers_of_a_bias(self):
        for init in ("normal", "uniform"):
            done = self.run_posenc("table", "learned:rows=32,width=2,past_end=error", "--init", init, "--std", "0.5", "--seed",
                                   "5", "-p", "0:32", "-o", "table.npy")
            self.assertEqual(done.returncode, 0)
            given = self.numbers("bias", "t5:heads=2", "--file", "table.npy", "-q", "0:9")
            made = self.numbers("bias", "t5:heads=2", "--init", init, "--std", "0.5", "--seed", "5", "-q", "0:9")
            numpy.testing.assert_allclose(given, made, atol=1e-7)
            self.assertGreater(given.std(), 0.1)
        done = self.run_posenc("bias", "t5:heads=2", "--init", "normal", "-q", "0:2")
        self.assertIn("the learned numbers of t5:heads=2 are not trained: --init normal --seed 0", done.stderr.decode())

    def test_a_file_is_trained_whatever_its_name(self):
        numpy.save(self.folder / "a --init b.npy", numpy.ones((4, 2), "f4"))
        for command in (("add", "learned:past_end=error", "--random", "4x2"), ("bias", "t5:heads=2,num_buckets=4", "-q", "0:2")):
            done = self.run_posenc(*command, "--file", "a --init b.npy")
            self.assertEqual((done.returncode, done.stderr), (0, b""), command)


class Channels(Case):
    def test_a_range_with_a_dash_has_a_hint(self):
        self.expect_refused("table", "sinusoidal:width=8", "--channels", "0-3", "-p", "0:2",
                            message="--channels 0-3: write 0:4 for channels 0 to 3")
        self.expect_refused("table", "sinusoidal:width=8", "--channels", "0-9223372036854775807", "-p", "0:2",
                            message="--channels must be ")

    def run_table(self, *arguments):
        done = self.run_posenc("table", *arguments, "-o", "table.npy")
        self.assertEqual((done.returncode, done.stderr), (0, b""), arguments)
        return numpy.load(self.folder / "table.npy")

    def test_columns_of_a_long_table(self):
        """So many rows that they are made in several blocks."""
        for spec, text, columns in (("sinusoidal:width=512", "0:8,500", [*range(8), 500]), ("sinusoidal:width=512", "511", [511]),
                                    ("rotary:head_dim=64", "31,0", [31, 0, 63, 32])):
            every = self.run_table(spec, "-p", "0:9001:3")
            numpy.testing.assert_array_equal(self.run_table(spec, "-p", "0:9001:3", "--channels", text), every[:, columns])
        every = self.run_table("sinusoidal:width=8", "-p", "0:500000")
        numpy.testing.assert_array_equal(self.run_table("sinusoidal:width=8", "-p", "0:500000", "--channels", "1:8:3"),
                                         every[:, 1::3])


if __name__ == "__main__":
    unittest.main()
