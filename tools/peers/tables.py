"""Sinusoidal tables: the recipe of the PyTorch tutorial, float32 throughout, into memory touched before."""

import math
import os
import tempfile

from peers.libraries import NumpyPeer, TorchPeer, installed
from peers.program import read_npy, run_posenc

KIND = "table"
WIDTH = 512
CASES = {"table/f32/5000x512": 5000, "table/f32/65536x512": 65536}
CHECKED = 64


class TorchTable(TorchPeer):
    def prepare(self, rows):
        pe = self.torch.zeros(rows, WIDTH)
        return lambda: self.fill(pe)

    def fill(self, pe):
        torch = self.torch
        position = torch.arange(pe.shape[0]).unsqueeze(1)
        div_term = torch.exp(torch.arange(0, WIDTH, 2) * (-math.log(10000.0) / WIDTH))
        pe[:, 0::2] = torch.sin(position * div_term)
        pe[:, 1::2] = torch.cos(position * div_term)
        return pe


class NumpyTable(NumpyPeer):
    def prepare(self, rows):
        pe = self.numpy.zeros((rows, WIDTH), dtype=self.numpy.float32)
        return lambda: self.fill(pe)

    def fill(self, pe):
        numpy = self.numpy
        position = numpy.arange(pe.shape[0], dtype=numpy.float32)[:, None]
        exponent = numpy.arange(0, WIDTH, 2, dtype=numpy.float32) * numpy.float32(-math.log(10000.0) / WIDTH)
        div_term = numpy.exp(exponent)
        pe[:, 0::2] = numpy.sin(position * div_term)
        pe[:, 1::2] = numpy.cos(position * div_term)
        return pe


def find_peers():
    return installed(KIND, TorchTable, NumpyTable)


def posenc_answer(posenc):
    """The first rows of posenc's table, in one row."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "table.npy")
        run_posenc([posenc, "table", f"sinusoidal:width={WIDTH}", "--positions", f"0:{CHECKED}", "--format", "npy",
                    "-o", path])
        return read_npy(path, (CHECKED, WIDTH))
