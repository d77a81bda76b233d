"""Causal attention of 8 heads of 64 channels, [N, H, D], with and without ALiBi, float32, one thread.

torch computes it by scaled_dot_product_attention, which takes heads first and ALiBi as a matrix made before, -inf above
the diagonal; where it has none, and in NumPy, by the recipe: all scores, softmax, product.
"""

import os
import random
import struct
import tempfile

from peers.libraries import NumpyPeer, TorchPeer, installed
from peers.program import read_npy, run_posenc, write_npy

KIND = "attention"
HEADS = 8
HEAD_DIM = 64
CASES = {"attend/causal/f32/1024": (1024, False), "attend/alibi/f32/1024": (1024, True)}
CHECKED = (64, True)


def tokens_of(tokens, seed):
    """The bytes of float32 [tokens, HEADS, HEAD_DIM]."""
    numbers = random.Random(seed)
    count = 64 * HEADS * HEAD_DIM
    block = struct.pack(f"<{count}f", *(numbers.gauss(0.0, 1.0) for _ in range(count)))
    return bytearray(block * (tokens // 64))


SLOPES = [2.0 ** (-8.0 * (head + 1) / HEADS) for head in range(HEADS)]


class TorchAttention(TorchPeer):
    def __init__(self):
        super().__init__()
        self.fused = getattr(self.torch.nn.functional, "scaled_dot_product_attention", None)

    def prepare(self, case):
        tokens, alibi = case
        torch = self.torch
        q, k, v = (torch.frombuffer(tokens_of(tokens, seed), dtype=torch.float32).clone()
                   .view(1, tokens, HEADS, HEAD_DIM).transpose(1, 2) for seed in (1, 2, 3))
        place = torch.arange(tokens, dtype=torch.float32)
        offset = place[None, :] - place[:, None]
        hidden = torch.zeros(tokens, tokens).masked_fill(offset > 0, float("-inf"))
        mask = torch.tensor(SLOPES)[:, None, None] * offset + hidden
        if self.fused is not None:
            attend = (lambda: self.fused(q, k, v, attn_mask=mask)) if alibi else (
                lambda: self.fused(q, k, v, is_causal=True))
        else:
            extra = mask if alibi else hidden
            attend = lambda: torch.softmax(q @ k.transpose(-1, -2) * HEAD_DIM ** -0.5 + extra, -1) @ v

        def run():
            with torch.no_grad():
                return attend().transpose(1, 2)

        return run


class NumpyAttention(NumpyPeer):
    def prepare(self, case):
        tokens, alibi = case
        numpy = self.numpy
        q, k, v = (numpy.frombuffer(tokens_of(tokens, seed), dtype=numpy.float32)
                   .reshape(tokens, HEADS, HEAD_DIM).transpose(1, 0, 2) for seed in (1, 2, 3))
        place = numpy.arange(tokens, dtype=numpy.float32)
        offset = place[None, :] - place[:, None]
        mask = numpy.where(offset > 0, -numpy.inf, 0.0).astype(numpy.float32)
        if alibi:
            mask = numpy.array(SLOPES, dtype=numpy.float32)[:, None, None] * offset + mask

        def run():
            scores = q @ k.transpose(0, 2, 1) * numpy.float32(HEAD_DIM ** -0.5) + mask
            weights = numpy.exp(scores - scores.max(-1, keepdims=True))
            return (weights / weights.sum(-1, keepdims=True) @ v).transpose(1, 0, 2)

        return run


def find_peers():
    return installed(KIND, TorchAttention) or installed(KIND, NumpyAttention)


def posenc_answer(posenc):
    """What posenc attends to, in one row."""
    tokens, _ = CHECKED
    shape = (tokens, HEADS, HEAD_DIM)
    with tempfile.TemporaryDirectory() as folder:
        paths = {name: os.path.join(folder, f"{name}.npy") for name in ("q", "k", "v", "out")}
        for seed, name in enumerate(("q", "k", "v"), start=1):
            write_npy(paths[name], tokens_of(tokens, seed), shape)
        run_posenc([posenc, "attend", f"alibi:heads={HEADS}", "--q", paths["q"], "--k", paths["k"], "--v", paths["v"],
                    "--causal", "-o", paths["out"]])
        return read_npy(paths["out"], shape)
