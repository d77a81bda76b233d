"""posenc layer against NumPy: both residuals, encodings at the input and inside attention, the weights that are averaged."""

import json
import unittest

import numpy

from command import Case, safetensors

B, N, M, H = 2, 20, 64, 8
D = M // H


def sinusoidal(positions, width):
    angles = numpy.arange(positions)[:, None] * 10000.0 ** (-numpy.arange(0, width, 2) / width)
    table = numpy.empty((positions, width))
    table[:, 0::2], table[:, 1::2] = numpy.sin(angles), numpy.cos(angles)
    return table


def rotated(heads):
    """[B, N, H, D], channel c with channel c + D / 2."""
    angles = numpy.arange(N)[:, None, None] * 10000.0 ** (-numpy.arange(0, D, 2) / D)
    first, second = heads[..., : D // 2], heads[..., D // 2 :]
    return numpy.concatenate([first * numpy.cos(angles) - second * numpy.sin(angles),
                              second * numpy.cos(angles) + first * numpy.sin(angles)], axis=-1)


def layer_norm(x):
    return (x - x.mean(-1, keepdims=True)) / numpy.sqrt(x.var(-1, keepdims=True) + 1e-5)


class Layer(Case):
    def setUp(self):
        super().setUp()
        draw = numpy.random.default_rng(3)
        self.x = draw.normal(size=(B, N, M))
        self.in_weight, self.in_bias = draw.normal(size=(3 * M, M)) / 8, draw.normal(size=3 * M)
        self.out_weight, self.out_bias = draw.normal(size=(M, M)) / 8, draw.normal(size=M)
        numpy.save(self.folder / "x.npy", self.x)
        names = {"in_proj_weight": self.in_weight, "in_proj_bias": self.in_bias, "out_proj.weight": self.out_weight,
                 "out_proj.bias": self.out_bias}
        (self.folder / "m.safetensors").write_bytes(
            safetensors(**{"layers.0.self_attn." + name: array for name, array in names.items()}))

    def attention(self, h, bias=0.0, rotate=lambda heads: heads):
        """Output and averaged weights."""
        q, k, v = numpy.split(h @ self.in_weight.T + self.in_bias, 3, axis=-1)
        q, k, v = (array.reshape(h.shape[0], N, H, D) for array in (q, k, v))
        scores = numpy.einsum("bnhd,bshd->bhns", rotate(q), rotate(k)) / numpy.sqrt(D) + bias
        weights = numpy.exp(scores - scores.max(-1, keepdims=True))
        weights /= weights.sum(-1, keepdims=True)
        out = numpy.einsum("bhns,bshd->bnhd", weights, v).reshape(h.shape)
        return out @ self.out_weight.T + self.out_bias, weights.mean(1)

    def run_layer(self, *arguments):
        done = self.run_posenc("layer", *arguments, "--input", "x.npy", "--model", "m.safetensors", "--prefix",
                               "layers.0.self_attn.", "--map", "map.npy", "-o", "out.npy")
        self.assertEqual((done.returncode, done.stderr), (0, b""), arguments)
        return numpy.load(self.folder / "out.npy"), numpy.load(self.folder / "map.npy")

    def check(self, arguments, added, residual, **inside):
        out, average = self.run_layer(*arguments)
        attended, weights = self.attention(added, **inside)
        numpy.testing.assert_allclose(average, weights, atol=1e-12, err_msg=str(arguments))
        numpy.testing.assert_allclose(out, layer_norm(residual + attended), atol=1e-11, err_msg=str(arguments))

    def test_added_to_the_input(self):
        h = self.x + sinusoidal(N, M)
        self.check([], h, h)
        self.check(["sinusoidal:width=64", "--residual", "encoded"], h, h)
        self.check(["sinusoidal", "--residual", "bare"], h, self.x)
        scaled = 8.0 * self.x + sinusoidal(N, M)
        self.check(["--scale", "sqrt"], scaled, scaled)

    def test_inside_attention(self):
        offset = numpy.arange(N)[None, :] - numpy.arange(N)[:, None]
        slopes = 2.0 ** -numpy.arange(1, H + 1)[:, None, None]
        self.check(["alibi"], self.x, self.x, bias=-slopes * abs(offset))
        self.check(["rotary"], self.x, self.x, rotate=rotated)
        self.check(["none", "--causal"], self.x, self.x, bias=numpy.where(offset > 0, -numpy.inf, 0.0))
        h = self.x + sinusoidal(N, M)
        self.check(["alibi", "sinusoidal"], h, h, bias=-slopes * abs(offset))

    def test_what_the_residuals_leave(self):
        done = self.run_posenc("layer", "--input", "x.npy", "--model", "m.safetensors", "--prefix",
                               "layers.0.self_attn.", "--format", "json")
        answer = json.loads(done.stdout)

        def outputs(x):
            h = x + sinusoidal(N, M)
            attended = self.attention(h)[0]
            return layer_norm(h + attended), layer_norm(x + attended)

        encoded, bare = outputs(self.x)
        self.assertAlmostEqual(answer["residuals_differ"]["largest"], abs(encoded - bare).max(), places=10)
        self.assertAlmostEqual(answer["residuals_differ"]["mean"], abs(encoded - bare).mean(), places=10)
        numpy.testing.assert_allclose(answer["values"], encoded, atol=1e-11)
        same = numpy.broadcast_to(self.x[:1, :1], (1, N, M))
        for name, out in zip(("encoded", "bare"), outputs(same)):
            distances = [numpy.linalg.norm(out[0, a] - out[0, b]) for a in range(N) for b in range(a)]
            self.assertAlmostEqual(answer["spread_of_one_token"][name], numpy.mean(distances), places=10)

    def test_memory_is_limited(self):
        message = "the attention weights [1, 8, 20000, 20000] and their averages take 14.4 GB, more than the limit of 4 GB"
        self.expect_refused("layer", "--random", "20000x64", message=message)
        self.expect_refused("layer", "--random", "268435456x1", "--heads", "1", message="; raise it with --max-bytes")
        self.expect_refused("layer", "--random", "2x65536", message="random weights for width 65536 take ")
        self.expect_refused("layer", "--words", "a b c d", "--max-bytes", "575", message="more than the limit of 575")
        self.assertEqual(self.run_posenc("layer", "--random", "4x1", "--heads", "1", "--max-bytes", "128").returncode, 0)

    def test_kinds_have_the_names_of_spec_texts(self):
        for word, kind in (("RoPE", "rotary"), ("ALiBi", "alibi"), ("Sinusoidal", "sinusoidal"), ("NoPE", "none")):
            named, plain = (self.run_posenc("layer", text, "--format", "json") for text in (word, kind))
            self.assertEqual((named.returncode, named.stdout), (0, plain.stdout), named.stderr)
        done = self.run_posenc("layer", "t5-bias", "--init", "normal")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(b"t5:heads=8", done.stdout)

    def test_a_learned_table_has_the_sizes_of_the_layer(self):
        for arguments, sizes in (((), "width=64,rows=20"), (("--random", "3x16"), "width=16,rows=3"),
                                 (("--tokens", "1,2/3,4"), "width=64,rows=2"), (("--words", "a b c"), "width=64,rows=3")):
            done = self.run_posenc("layer", "learned", "--init", "normal", *arguments)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(f"posenc: width, rows and past_end were not given: using learned:{sizes},past_end=error\n",
                          done.stderr.decode())
        numpy.save(self.folder / "table.npy", numpy.zeros((30, 64)))
        done = self.run_posenc("layer", "wpe", "--file", "table.npy")
        self.assertEqual((done.returncode, done.stderr),
                         (0, b"posenc: past_end was not given: using learned:past_end=error\n"))
        done = self.run_posenc("layer", "hybrid", "--init", "normal")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(b"hybrid:fixed.width=64,learned.rows=20,learned.past_end=error", done.stdout)

    def test_labels_of_the_map_are_whole_characters(self):
        done = self.run_posenc("layer", "--words", "\u00fcberm\u00e4\u00dfigkeit a" + 10 * "\u00e9", "--map", "map.svg")
        self.assertEqual(done.returncode, 0, done.stderr)
        svg = (self.folder / "map.svg").read_text("utf-8")  # throws if a character is cut
        self.assertIn(">\u00fcberm\u00e4\u00dfigk<", svg)
        self.assertIn(">a" + 9 * "\u00e9" + "<", svg)
        self.assertIn("background: 0, strongest color: ", svg)

    def test_random_numbers_follow_the_seed(self):
        def out(*arguments):
            done = self.run_posenc("layer", *arguments, "--format", "json")
            self.assertEqual(done.returncode, 0, done.stderr)
            return json.loads(done.stdout)["values"]

        self.assertEqual(numpy.shape(out()), (B, N, M))
        self.assertEqual(out("--dropout", "0.5"), out("--dropout", "0.5", "--seed", "0"))
        self.assertNotEqual(out("--dropout", "0.5"), out())
        self.assertNotEqual(out(), out("--seed", "1"))


if __name__ == "__main__":
    unittest.main()
