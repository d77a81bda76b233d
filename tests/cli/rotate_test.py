"""posenc rotate against plain Python: every type and number of axes, ids per batch row, axes of positions, broken input."""

import cmath
import json
import struct
import unittest

from command import Case, npy

CODES = {"<f4": "f", "<f8": "d", "<f2": "e"}
TOLERANCE = {"<f4": 1e-6, "<f8": 1e-14, "<f2": 2e-3, "BF16": 2e-2}
D = 4
SPEC = "rotary:head_dim=4,base=100"
INV_FREQ = (1.0, 0.1)


def numbers(count):
    """Between -1 and 1, no two alike."""
    return [((7 * i + 3) % 101) / 50.5 - 1.0 for i in range(count)]


def turned(head, angles):
    """Layout half, one head."""
    n = len(angles)
    pairs = [complex(head[i], head[n + i]) * cmath.exp(1j * angles[i]) for i in range(n)]
    return [pair.real for pair in pairs] + [pair.imag for pair in pairs]


def expected(values, positions, heads):
    """`positions` has an angle's position per pair and token, or one number for all pairs."""
    out = []
    for token, position in enumerate(positions):
        at = position if isinstance(position, tuple) else (position, position)
        for h in range(heads):
            start = (token * heads + h) * D
            out += turned(values[start:start + D], [p * w for p, w in zip(at, INV_FREQ)])
    return out


def safetensors(dtype, shape, data):
    header = json.dumps({"q": {"dtype": dtype, "shape": shape, "data_offsets": [0, len(data)]}}).encode()
    return struct.pack("<Q", len(header)) + header + data


def bf16(values):
    """Values that bf16 has, and their bytes."""
    data = b"".join(struct.pack("<f", value)[2:] for value in values)
    return [struct.unpack("<f", b"\0\0" + data[i:i + 2])[0] for i in range(0, len(data), 2)], data


class Rotate(Case):
    def write(self, name, shape, values, descr="<f4"):
        data = struct.pack(f"<{len(values)}{CODES[descr]}", *values)
        (self.folder / name).write_bytes(npy(descr, shape, data))
        return list(struct.unpack(f"<{len(values)}{CODES[descr]}", data))

    def write_ids(self, name, shape, ids, descr="<i8", code="q"):
        (self.folder / name).write_bytes(npy(descr, shape, struct.pack(f"<{len(ids)}{code}", *ids)))

    def rotated(self, *arguments, spec=SPEC):
        done = self.run_posenc("rotate", spec, "--input", "q.npy", *arguments)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        return [float(word) for word in done.stdout.split()]

    def expect_near(self, got, want, tolerance):
        self.assertEqual(len(got), len(want))
        for i, (a, b) in enumerate(zip(got, want)):
            self.assertAlmostEqual(a, b, delta=tolerance, msg=f"at {i}")

    def test_every_shape(self):
        for shape, heads in (((3, 4), 1), ((3, 2, 4), 2)):
            values = self.write("q.npy", shape, numbers(3 * heads * D))
            self.expect_near(self.rotated(), expected(values, [0, 1, 2], heads), 1e-6)
            self.expect_near(self.rotated("-p", "5,-7,2.5"), expected(values, [5, -7, 2.5], heads), 1e-6)
        values = self.write("q.npy", (2, 3, 2, 4), numbers(48))
        self.expect_near(self.rotated(), expected(values, [0, 1, 2, 0, 1, 2], 2), 1e-6)
        self.expect_near(self.rotated("--threads", "4"), expected(values, [0, 1, 2, 0, 1, 2], 2), 1e-6)

    def test_every_type_keeps_its_type_and_shape(self):
        for descr in CODES:
            values = self.write("q.npy", (2, 2, 4), numbers(16), descr)
            want = expected(values, [11, 12], 2)
            self.expect_near(self.rotated("-p", "11:13"), want, TOLERANCE[descr])
            self.rotated("-p", "11:13", "-o", "out.npy")
            out = (self.folder / "out.npy").read_bytes()
            self.assertIn(f"'descr': '{descr}'".encode(), out)
            self.assertIn(b"'shape': (2, 2, 4)", out)
            size = struct.calcsize(CODES[descr])
            self.expect_near(struct.unpack(f"<16{CODES[descr]}", out[-16 * size:]), want, TOLERANCE[descr])

    def test_bf16_comes_and_goes_as_safetensors(self):
        values, data = bf16(numbers(8))
        (self.folder / "q.safetensors").write_bytes(safetensors("BF16", [2, 4], data))
        arguments = ("rotate", SPEC, "--input", "q.safetensors:q", "-p", "11:13")
        done = self.run_posenc(*arguments, "-o", "out.safetensors", "--tensor", "q")
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        out = (self.folder / "out.safetensors").read_bytes()
        self.assertIn(b'"q":{"dtype":"BF16","shape":[2,4]', out)
        got = [struct.unpack("<f", b"\0\0" + out[-16 + i:][:2])[0] for i in range(0, 16, 2)]
        self.expect_near(got, expected(values, [11, 12], 1), TOLERANCE["BF16"])
        self.expect_refused(*arguments, "-o", "out.npy", message=".npy files have no bf16")

    def test_ids_of_files(self):
        values = self.write("q.npy", (2, 3, 1, 4), numbers(24))
        ids = [5, 0, 2, 9, 9, 100]
        for descr, code in (("<i8", "q"), ("<i4", "i"), ("|u1", "B"), ("<f8", "d"), ("<f4", "f")):
            self.write_ids("ids.npy", (2, 3), ids, descr, code)
            self.expect_near(self.rotated("-p", "@ids.npy"), expected(values, ids, 1), 1e-5)
        self.write_ids("one.npy", (3, 1), ids[:3])  # one axis, the same for both rows
        self.expect_near(self.rotated("-p", "@one.npy"), expected(values, ids[:3] * 2, 1), 1e-5)

    def test_ids_on_axes(self):
        spec = "rotary:head_dim=4,base=100,axes=2,axis_of_pair=0/1"
        places = [(1, 2), (3, 40), (5, 6), (7, 8), (-9, 10), (11, 12)]
        values = self.write("q.npy", (2, 3, 1, 4), numbers(24))
        self.write_ids("ids.npy", (2, 3, 2), [c for place in places for c in place])
        self.expect_near(self.rotated("-p", "@ids.npy", spec=spec), expected(values, places, 1), 1e-5)
        self.write_ids("ids.npy", (3, 2), [c for place in places[:3] for c in place])
        self.expect_near(self.rotated("-p", "@ids.npy", spec=spec), expected(values, places[:3] * 2, 1), 1e-5)
        self.expect_near(self.rotated("-p", "1/2,3/40,5/6", spec=spec), expected(values, places[:3] * 2, 1), 1e-5)
        self.write_ids("ids.npy", (2, 2, 3), [c for place in places for c in place])
        self.expect_refused("rotate", spec, "--input", "q.npy", "-p", "@ids.npy", "-o", "out.npy",
                            message="has positions on 3 axes but rotary takes 2: the axis comes last, [N, A] or [B, N, A]")

    def test_there_and_back(self):
        values = self.write("q.npy", (3, 2, 4), numbers(24), "<f8")
        self.rotated("-p", "1000000:1000003", "--output-scale", "4", "-o", "there.npy")
        for arguments in (("--inverse", "--output-scale", "0.25"), ("--backward", "--output-scale", "0.25"), ("--to-positions", "0,0,0", "--output-scale", "0.25")):
            done = self.run_posenc("rotate", SPEC, "-i", "there.npy", "-p", "1000000:1000003", *arguments)
            self.expect_near([float(word) for word in done.stdout.split()], values, 1e-13)

    def test_moves_from_file_to_file(self):
        values = self.write("q.npy", (2, 3, 1, 4), numbers(24), "<f8")
        self.write_ids("from.npy", (2, 3), [5, 0, 2, 9, 9, 100])
        self.write_ids("to.npy", (2, 3), [1, 2, 3, 70000, 0, 4])
        self.rotated("-p", "@from.npy", "-o", "q.npy")
        self.expect_near(self.rotated("-p", "@from.npy", "--to-positions", "@to.npy"), expected(values, [1, 2, 3, 70000, 0, 4], 1), 1e-11)

    def test_nothing_to_turn(self):
        self.write("q.npy", (0, 4), [])
        self.assertEqual(self.rotated(), [])
        self.write("q.npy", (3, 0, 4), [])
        self.assertEqual(self.rotated(), [])

    def test_json_has_the_shape(self):
        values = self.write("q.npy", (1, 2, 1, 4), numbers(8))
        done = self.run_posenc("rotate", SPEC, "-i", "q.npy", "-p", "3:5", "--format", "json")
        result = json.loads(done.stdout)
        self.assertEqual((result["schema"], result["direction"], result["dtype"]), ("posenc/1", "forward", "f32"))
        flat = [number for row in result["values"][0] for number in row[0]]
        self.expect_near(flat, expected(values, [3, 4], 1), 1e-6)

    def test_refuses_what_does_not_fit(self):
        refused = lambda message, *arguments: self.expect_refused("rotate", SPEC, "-i", "q.npy", "-o", "out.npy",
                                                                  *arguments, message=message)
        self.write("q.npy", (4,), numbers(4))
        refused("q.npy: expected queries or keys, [N, D], [N, H, D] or [B, N, H, D] of floats, but got [4] f32")
        self.write("q.npy", (1, 1, 1, 1, 4), numbers(4))
        refused("but got [1, 1, 1, 1, 4] f32")
        self.write_ids("q.npy", (3, 4), range(12))
        refused("but got [3, 4] i64")
        self.write("q.npy", (3, 6), numbers(18))
        refused("q.npy: expected [N, H, 4], because 'rotary:head_dim=4,base=100' rotates heads of 4 channels, but got [3, 6]")
        self.write("q.npy", (2, 3, 1, 4), numbers(24))
        self.write_ids("ids.npy", (3, 3), range(9))
        refused("'@ids.npy' has 3 x 3 positions but q.npy has 2 x 3 tokens", "-p", "@ids.npy")
        self.write_ids("ids.npy", (2, 3), [0, 1, 2, 3, 4, float("nan")], "<f8", "d")
        refused("positions must be from -2147483647 to 2147483647 but got nan", "-p", "@ids.npy")
        self.write_ids("ids.npy", (2, 3), [0, 1, 2, 3, 4, 2**31])
        refused("positions must be from -2147483647 to 2147483647 but got 2147483648", "-p", "@ids.npy")
        self.write_ids("ids.npy", (0, 3), [])
        refused("ids.npy: expected positions", "-p", "@ids.npy")
        refused("--output-scale must be a number but got ''", "--output-scale", "")
        (self.folder / "q.npy").write_bytes(b"\x93NUMPY\x01")
        refused("q.npy")


if __name__ == "__main__":
    unittest.main()
