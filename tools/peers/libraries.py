"""The libraries that take part: what every peer made with one of them has."""

import sys


class TorchPeer:
    name = "torch"

    def __init__(self):
        import torch

        torch.set_num_threads(1)
        self.torch = torch
        self.about = {"version": torch.__version__, "threads": torch.get_num_threads()}


class NumpyPeer:
    name = "numpy"

    def __init__(self):
        import numpy

        self.numpy = numpy
        self.about = {"version": numpy.__version__, "threads": 1}


def installed(kind, *makes):
    """Those whose library is here and works; what is missing is said."""
    peers = []
    for make in makes:
        try:
            peers.append(make())
        except ImportError as error:
            print(f"{kind} without {make.name}: {error}", file=sys.stderr)
    return peers
