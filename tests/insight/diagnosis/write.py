"""Writes .npy and .safetensors byte by byte, as other programs do."""

import json
import struct

import numpy as np

import rounding

NPY = {"float32": "<f4", "float64": "<f8", "float16": "<f2", "int64": "<i8", "int32": "<i4"}
SAFETENSORS = {"F32": "<f4", "F16": "<f2", "F64": "<f8"}


def write_npy(path, values, kind="float32"):
    values = np.ascontiguousarray(np.asarray(values).astype(NPY[kind]))
    path.write_bytes(npy_bytes(NPY[kind], values.shape, values.tobytes()))


def npy_bytes(descr, shape, data):
    text = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {tuple(shape)}, }}"
    header = text.encode() + b" " * (-(len(text) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data


def write_safetensors(path, name, values, kind="BF16"):
    values = np.ascontiguousarray(np.asarray(values, np.float64))
    data = (rounding.bfloat16_words(values) if kind == "BF16" else values.astype(SAFETENSORS[kind])).tobytes()
    header = json.dumps({name: {"dtype": kind, "shape": list(values.shape), "data_offsets": [0, len(data)]}}).encode()
    path.write_bytes(struct.pack("<Q", len(header)) + header + data)


class Folder:
    """The folder of a run's files, and the type of their numbers."""

    def __init__(self, path, kind="float32"):
        self.path = path
        self.kind = kind

    def put(self, name, values):
        """The argument that names the file: bf16 has no .npy."""
        if self.kind in NPY:
            write_npy(self.path / f"{name}.npy", values, self.kind)
            return f"{name}.npy"
        write_safetensors(self.path / f"{name}.safetensors", f"model.{name}", values, self.kind)
        return f"{name}.safetensors:model.{name}"

    def put_positions(self, name, ids):
        """Few as text, many as a file; whole numbers as such."""
        ids = np.asarray(ids)
        if ids.ndim == 1 and len(ids) <= 12 and np.all(ids == np.trunc(ids)):
            return ",".join(str(int(i)) for i in ids)
        whole = np.all(ids == np.trunc(ids))
        write_npy(self.path / f"{name}.npy", ids, "int64" if whole else "float64")
        return f"@{name}.npy"

    def put_config(self, config):
        (self.path / "config.json").write_text(json.dumps(config))
        return "config.json"

    def stored(self, values):
        """What a reader of the file gets."""
        names = {"BF16": "bfloat16", "F16": "float16", "F32": "float32", "F64": None, "float64": None}
        return rounding.rounded(values, names.get(self.kind, self.kind))
