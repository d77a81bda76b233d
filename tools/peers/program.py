"""Runs posenc and exchanges float32 arrays with it, without NumPy: torch alone is enough."""

import ast
import struct
import subprocess


def run_posenc(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: exit code {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def write_npy(path, data, shape):
    header = repr({"descr": "<f4", "fortran_order": False, "shape": shape})
    header += " " * (-(10 + len(header) + 1) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode("latin1") + data)


def read_npy(path, shape):
    """The values of a version 1 file of this shape, in one row."""
    with open(path, "rb") as file:
        data = file.read()
    size = struct.unpack_from("<H", data, 8)[0]
    header = ast.literal_eval(data[10:10 + size].decode("latin1"))
    if header["descr"] != "<f4" or header["fortran_order"] or header["shape"] != shape:
        raise RuntimeError(f"{path}: expected float32 {list(shape)} but got {header}")
    values = data[10 + size:]
    return struct.unpack(f"<{len(values) // 4}f", values)
