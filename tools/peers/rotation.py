"""Rotation of queries [N, H, D] by positions 0 to N, layout half, over cos and sin made before.

posenc rotates in place, as its own benchmark does; torch and NumPy return a new array, as in the models that use
this recipe, and pay for fresh pages of memory where the allocator gives large blocks back to the system (glibc's does);
onnxruntime writes into memory that it was given.
"""

import math
import os
import random
import struct
import tempfile

from peers.libraries import NumpyPeer, TorchPeer, installed
from peers.program import read_npy, run_posenc, write_npy

KIND = "rotation"
HEADS = 32
HEAD_DIM = 128
CASES = {"rotate/half/f32/512": 512, "rotate/half/f32/4096": 4096}
CHECKED = 64


def queries(tokens):
    """The bytes of float32 [tokens, HEADS, HEAD_DIM], the same for all; a multiple of CHECKED tokens."""
    numbers = random.Random(1)
    count = CHECKED * HEADS * HEAD_DIM
    block = struct.pack(f"<{count}f", *(numbers.uniform(-1.0, 1.0) for _ in range(count)))
    return bytearray(block * (tokens // CHECKED))


def angles(tokens):
    """Rows of HEAD_DIM / 2 angles, in double, so that only the rotation itself is compared."""
    inv_freq = [10000.0 ** (-2.0 * pair / HEAD_DIM) for pair in range(HEAD_DIM // 2)]
    return [[token * frequency for frequency in inv_freq] for token in range(tokens)]


def cos_and_sin(tokens):
    """Two lists of rows of HEAD_DIM / 2 values."""
    rows = angles(tokens)
    return [[[function(angle) for angle in row] for row in rows] for function in (math.cos, math.sin)]


def torch_recipe(torch):
    def rotate(q, cos, sin):
        half = q.shape[-1] // 2
        rotate_half = torch.cat((-q[..., half:], q[..., :half]), dim=-1)
        return q * cos + rotate_half * sin

    return rotate


class TorchRotation(TorchPeer):
    """Eager, with the whole width in cos and sin, as in Hugging Face's Llama."""

    def __init__(self):
        super().__init__()
        self.rotate = torch_recipe(self.torch)

    def prepare(self, tokens):
        torch = self.torch
        q = torch.frombuffer(queries(tokens), dtype=torch.float32).clone().view(tokens, HEADS, HEAD_DIM)
        cos, sin = (torch.tensor(rows).repeat(1, 2).unsqueeze(1) for rows in cos_and_sin(tokens))

        def run():
            with torch.no_grad():
                return self.rotate(q, cos, sin)

        return run


class TorchCompiledRotation(TorchRotation):
    """The same, through torch.compile: one program for each size."""

    name = "torch.compile"

    def __init__(self):
        super().__init__()
        if not hasattr(self.torch, "compile"):
            raise ImportError(f"torch {self.torch.__version__} has none")
        try:
            # A whole graph or an error: parts left eager would be timed under the wrong name.
            self.rotate = self.torch.compile(self.rotate, dynamic=False, fullgraph=True)
            for tokens in (CHECKED, *CASES.values()):
                self.prepare(tokens)()
        except Exception as error:  # whatever its compiler, or the one below it, comes up with
            reason = (str(error).strip() or type(error).__name__).splitlines()[0]
            raise ImportError(f"it fails here: {reason}") from error


class OnnxRotation:
    """The operator RotaryEmbedding of onnxruntime; heads side by side, [1, N, H * D]."""

    name = "onnxruntime"

    def __init__(self):
        import numpy
        import onnx
        import onnxruntime

        self.numpy, self.onnx, self.runtime = numpy, onnx, onnxruntime
        self.about = {"version": onnxruntime.__version__, "threads": 1}

    def model(self, tokens):
        onnx, numpy = self.onnx, self.numpy
        helper, types = onnx.helper, onnx.TensorProto
        names = ["input", "position_ids", "cos_cache", "sin_cache"]
        node = helper.make_node("RotaryEmbedding", names, ["output"], domain="com.microsoft", interleaved=0)
        shape = [1, tokens, HEADS * HEAD_DIM]
        inputs = [helper.make_tensor_value_info("input", types.FLOAT, shape),
                  helper.make_tensor_value_info("position_ids", types.INT64, [1, tokens])]
        output = helper.make_tensor_value_info("output", types.FLOAT, shape)
        caches = [onnx.numpy_helper.from_array(numpy.array(rows, dtype=numpy.float32), name)
                  for rows, name in zip(cos_and_sin(tokens), names[2:], strict=True)]
        graph = helper.make_graph([node], "rotation", inputs, [output], caches)
        opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
        # An old format version: a newer onnx may write one that the installed onnxruntime does not read yet.
        return helper.make_model(graph, opset_imports=opsets, ir_version=8)

    def session(self, tokens):
        options = self.runtime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        model = self.model(tokens).SerializeToString()
        return self.runtime.InferenceSession(model, options, providers=["CPUExecutionProvider"])

    def prepare(self, tokens):
        numpy, value = self.numpy, self.runtime.OrtValue.ortvalue_from_numpy
        session = self.session(tokens)
        q = numpy.frombuffer(queries(tokens), dtype=numpy.float32).reshape(1, tokens, HEADS * HEAD_DIM)
        output = value(numpy.zeros_like(q))
        binding = session.io_binding()
        binding.bind_ortvalue_input("input", value(q))
        binding.bind_ortvalue_input("position_ids", value(numpy.arange(tokens, dtype=numpy.int64)[None, :]))
        binding.bind_ortvalue_output("output", output)

        def run():
            session.run_with_iobinding(binding)
            return output

        return run


class NumpyRotation(NumpyPeer):
    """The eager recipe in NumPy."""

    def prepare(self, tokens):
        numpy = self.numpy
        q = numpy.frombuffer(queries(tokens), dtype=numpy.float32).reshape(tokens, HEADS, HEAD_DIM)
        cos, sin = (numpy.tile(numpy.array(rows, dtype=numpy.float32), 2)[:, None, :] for rows in cos_and_sin(tokens))
        half = HEAD_DIM // 2
        return lambda: q * cos + numpy.concatenate((-q[..., half:], q[..., :half]), axis=-1) * sin


def find_peers():
    peers = installed(KIND, TorchRotation, TorchCompiledRotation, OnnxRotation)
    return peers if any(peer.name == "torch" for peer in peers) else peers + installed(KIND, NumpyRotation)


def posenc_answer(posenc):
    """The first rotated queries of posenc, in one row."""
    shape = (CHECKED, HEADS, HEAD_DIM)
    with tempfile.TemporaryDirectory() as folder:
        path, result = os.path.join(folder, "q.npy"), os.path.join(folder, "rotated.npy")
        write_npy(path, queries(CHECKED), shape)
        run_posenc([posenc, "rotate", f"rotary:head_dim={HEAD_DIM},base=10000,layout=half", "--input", path,
                    "--positions", f"0:{CHECKED}", "-o", result])
        return read_npy(result, shape)
