"""posenc attend against NumPy: encodings, masks, grouped heads, what is written beside the output."""

import unittest

import numpy

from command import Case

N, H, G, D = 5, 4, 2, 4


def softmax(scores):
    largest = scores.max(-1, keepdims=True)
    weights = numpy.exp(scores - numpy.where(numpy.isfinite(largest), largest, 0.0))
    total = weights.sum(-1, keepdims=True)
    return numpy.divide(weights, total, out=numpy.zeros_like(weights), where=total > 0)


def attention(q, k, v, extra=0.0, shown=None, scale=None):
    """Output [N, H, D] and weights [H, N, S]; `extra` is added to the scores."""
    k, v = (numpy.repeat(x.astype("f8"), q.shape[1] // x.shape[1], axis=1) for x in (k, v))
    scores = numpy.einsum("nhd,shd->hns", q.astype("f8"), k) * (scale or q.shape[-1] ** -0.5) + extra
    if shown is not None:
        scores = numpy.where(shown, scores, -numpy.inf)
    weights = softmax(scores)
    return numpy.einsum("hns,shd->nhd", weights, v), weights


class Attend(Case):
    def setUp(self):
        super().setUp()
        random = numpy.random.default_rng(1)
        self.q, self.k, self.v = (random.normal(size=(N, heads, D)).astype("f4") for heads in (H, G, G))
        self.random = random
        for name, array in (("q", self.q), ("k", self.k), ("v", self.v)):
            self.save(name, array)
        i, j = numpy.mgrid[0:N, 0:N]
        self.offset = j - i

    def save(self, name, array):
        numpy.save(self.folder / f"{name}.npy", array)

    def attend(self, *arguments):
        done = self.run_posenc("attend", *arguments, "--q", "q.npy", "--k", "k.npy", "--v", "v.npy", "--weights",
                               "w.npy", "--log-sum-exp", "l.npy", "-o", "out.npy")
        self.assertEqual((done.returncode, done.stderr), (0, b""), arguments)
        return [numpy.load(self.folder / f"{name}.npy") for name in ("out", "w", "l")]

    def check(self, arguments, **wanted):
        out, weights, _ = self.attend(*arguments)
        wanted_out, wanted_weights = attention(self.q, self.k, self.v, **wanted)
        self.assertEqual(out.dtype, numpy.float32)
        numpy.testing.assert_allclose(out, wanted_out, atol=2e-6, err_msg=str(arguments))
        numpy.testing.assert_allclose(weights, wanted_weights, atol=1e-6, err_msg=str(arguments))

    def test_biases(self):
        self.check(["none"])
        self.check(["none", "--softmax-scale", "1.5"], scale=1.5)
        slopes = numpy.array([0.25, 0.0625, 0.015625, 0.00390625])[:, None, None]
        self.check(["alibi:heads=4", "--threads", "2"], extra=-slopes * abs(self.offset))
        self.check(["alibi:heads=4", "--causal"], extra=slopes * self.offset, shown=self.offset <= 0)
        self.check(["alibi:heads=4,added=before_scale"], extra=-slopes * abs(self.offset) / 2.0)
        table = self.random.normal(size=(5, H))
        self.save("table", table)
        rows = numpy.clip(self.offset, -2, 2) + 2
        self.check(["clipped:heads=4,max_distance=2", "--file", "table.npy"], extra=table[rows].transpose(2, 0, 1))
        self.check(["clipped:heads=4,max_distance=2,offset=query_minus_key", "--parameter", "table=table.npy"],
                   extra=table[4 - rows].transpose(2, 0, 1))
        matrix = self.random.normal(size=(H, N, N))
        self.save("matrix", matrix)
        self.check(["matrix:heads=4", "--file", "matrix.npy"], extra=matrix)

    def test_vectors_per_offset(self):
        rows = self.random.normal(size=(3, D))
        self.save("rows", rows)
        vectors = rows[numpy.clip(self.offset, -1, 1) + 1]
        term = numpy.einsum("nhd,nsd->hns", self.q.astype("f8"), vectors) / 2.0
        self.check(["shaw:head_dim=4,left=1,right=1", "--file", "rows.npy"], extra=term)

    def test_a_bias_with_vectors_per_offset(self):
        rows, table = self.random.normal(size=(3, D)), self.random.normal(size=(5, H))
        self.save("rows", rows)
        self.save("table", table)
        vectors = rows[numpy.clip(self.offset, -1, 1) + 1]
        term = numpy.einsum("nhd,nsd->hns", self.q.astype("f8"), vectors) / 2.0
        bias = table[numpy.clip(self.offset, -2, 2) + 2].transpose(2, 0, 1)
        both = ["clipped:heads=4,max_distance=2", "shaw:head_dim=4,left=1,right=1"]
        self.check([*both, "--parameter", "keys=rows.npy", "--parameter", "table=table.npy"], extra=term + bias)
        self.check([*both, "--parameter", "shaw.keys=rows.npy", "--parameter", "clipped.table=table.npy"],
                   extra=term + bias)
        # What may be left out does not claim the first parameter of what needs one.
        slopes = numpy.array([0.25, 0.0625, 0.015625, 0.00390625])[:, None, None]
        self.check(["alibi:heads=4", both[1], "--file", "rows.npy"], extra=term - slopes * abs(self.offset))
        matrix = self.random.normal(size=(H, N, N))
        self.save("matrix", matrix)
        self.check(["matrix:heads=4", both[1], "--parameter", "matrix.values=matrix.npy", "--parameter",
                    "keys=rows.npy"], extra=term + matrix)

    def test_positions_of_keys_are_those_of_queries(self):
        slopes = numpy.array([0.25, 0.0625, 0.015625, 0.00390625])[:, None, None]
        places = numpy.array([3, 5, 6, 10, 20])
        distance = abs(places[:, None] - places[None, :])
        self.check(["alibi:heads=4", "--keys", "3,5,6,10,20"], extra=-slopes * distance)
        self.check(["window:left=4,right=0", "--keys", "3,5,6,10,20"],
                   shown=(distance <= 4) & (self.offset <= 0))

    def test_rotary_with_a_bias(self):
        angle = numpy.arange(N)[:, None, None] * numpy.array([1.0, 0.01])
        turn = numpy.concatenate([numpy.exp(1j * angle)], -1)

        def turned(x):
            pairs = (x[..., :2] + 1j * x[..., 2:]) * turn
            return numpy.concatenate([pairs.real, pairs.imag], -1)

        slopes = numpy.array([0.25, 0.0625, 0.015625, 0.00390625])[:, None, None]
        wanted, _ = attention(turned(self.q), turned(self.k), self.v, extra=-slopes * abs(self.offset),
                              shown=self.offset <= 0)
        for more in ([], ["--positions", "1000:1005"]):
            out, _, _ = self.attend("rotary:head_dim=4", "alibi:heads=4", "--causal", *more)
            numpy.testing.assert_allclose(out, wanted, atol=2e-6)

    def test_masks(self):
        self.check(["none", "--causal", "--window", "2"], shown=(self.offset <= 0) & (self.offset > -2))
        self.check(["none", "--window", "2"], shown=abs(self.offset) <= 2)
        self.check(["window:left=1,right=0"], shown=(self.offset <= 0) & (self.offset >= -1))
        chunk = numpy.arange(N) // 2
        same = chunk[:, None] == chunk[None, :]
        self.check(["chunked:size=2"], shown=same & (self.offset <= 0))
        first = numpy.arange(N)[None, :] < 1
        self.check(["chunked:size=2", "--sink-keys", "1"], shown=(same | first) & (self.offset <= 0))
        keys = numpy.array([1, 1, 0, 1, 0], bool)
        self.save("keys", keys)
        self.check(["none", "--key-mask", "keys.npy"], shown=keys[None, :])
        pairs = self.random.random((N, N)) < 0.5
        pairs[2] = False  # a query that sees nothing gets zeros
        self.save("pairs", pairs)
        self.check(["none", "--mask", "pairs.npy"], shown=pairs)
        documents = numpy.array([3, 3, 7, 7, 7])
        self.save("documents", documents)
        same = documents[:, None] == documents[None, :]
        self.check(["none", "--documents", "documents.npy"], shown=same)
        # The first key of the document is the sink, whether tokens are counted or placed.
        first = numpy.array([1, 0, 1, 0, 0], bool)[None, :]
        near = (abs(self.offset) <= 0) | first
        for more in ([], ["--positions", "5:10"], ["--positions", "5,6,7,8,9"]):
            self.check(["window:left=0,right=0", "--documents", "documents.npy", "--sink-keys", "1", *more],
                       shown=same & near & (self.offset <= 0))
        self.check(["window:left=2,right=1", "--window", "1"], shown=abs(self.offset) <= 1)
        chunk = numpy.arange(N) // 3
        self.check(["window:left=1,right=0", "chunked:size=3", "--positions", "6:11"],
                   shown=(self.offset <= 0) & (self.offset >= -1) & (chunk[:, None] == chunk[None, :]))

    def test_masks_of_specs_go_by_position(self):
        i = numpy.arange(N) * 10
        self.check(["window:left=10,right=0", "--positions", "0:50:10"],
                   shown=(i[None, :] <= i[:, None]) & (i[None, :] >= i[:, None] - 10))
        chunk = (numpy.arange(N) + 1) // 2
        self.check(["chunked:size=2,direction=symmetric", "--positions", "1:6"], shown=chunk[:, None] == chunk[None, :])
        pairs = self.random.random((N, N)) < 0.7
        self.save("pairs", pairs)
        self.check(["window:left=1,right=1", "--mask", "pairs.npy"], shown=pairs & (abs(self.offset) <= 1))

    def test_fewer_queries_than_keys(self):
        self.q = self.q[:2]
        self.save("q", self.q)
        i, j = numpy.mgrid[0:2, 0:N]
        self.check(["none", "--causal"], shown=j <= i + 3)
        self.check(["none", "--causal", "--causal-align", "start"], shown=j <= i)
        self.check(["none", "--causal", "--query-offset", "1"], shown=j <= i + 1)

    def test_sinks_and_sums(self):
        _, plain, sums = self.attend("none")
        sinks = numpy.array([0.0, 1.0, -2.0, 30.0])
        self.save("sinks", sinks)
        _, weights, more = self.attend("none", "--sinks", "sinks.npy")
        share = 1.0 / (1.0 + numpy.exp(sinks[:, None] - sums))
        numpy.testing.assert_allclose(weights, plain * share[:, :, None], rtol=1e-4, atol=1e-12)
        numpy.testing.assert_allclose(more, numpy.logaddexp(sums, sinks[:, None]), rtol=1e-5)

    def test_a_batch_is_its_rows(self):
        out, weights, _ = self.attend("alibi:heads=4", "--causal")
        for name in ("q", "k", "v"):
            self.save(name, numpy.stack([getattr(self, name)] * 2))
        both, weights_of_both, _ = self.attend("alibi:heads=4", "--causal")
        for row in range(2):
            numpy.testing.assert_array_equal(both[row], out)
            numpy.testing.assert_array_equal(weights_of_both[row], weights)

    def test_all_outputs_or_none(self):
        files = ("--q", "q.npy", "--k", "k.npy", "--v", "v.npy", "--weights", "w.npy")
        self.expect_refused("attend", "none", *files, "-o", "nosuch/out.npy", message="nosuch/out.npy")
        self.expect_refused("attend", "none", *files, "--log-sum-exp", "l.xyz", "-o", "out.npy", message="l.xyz")
        self.expect_refused("attend", "none", *files, "-o", "./w.npy", message="two outputs go to")
        self.expect_refused("attend", "none", *files[:-1], "-", message="two outputs go to standard output")

    def test_types(self):
        out, _, _ = self.attend("alibi:heads=4")
        for dtype, tolerance in (("f8", 2e-6), ("f2", 4e-3)):
            for name in ("q", "k", "v"):
                self.save(name, getattr(self, name).astype(dtype))
            got, _, _ = self.attend("alibi:heads=4")
            self.assertEqual(got.dtype, numpy.dtype(dtype))
            numpy.testing.assert_allclose(got.astype("f8"), out, atol=tolerance)


if __name__ == "__main__":
    unittest.main()
