"""Tables from files that `posenc table` does not write: other axes, other types, other byte orders, broken numbers."""

import struct
import unittest

from command import Case, npy

GRID = ("--from", "2x2", "--to", "3x2", "--kept", "1", "--method", "linear")
ROWS = (9.0, 0.0, 1.0, 10.0, 11.0)  # one kept, then a grid whose lines are ten apart
RESIZED = "9\n0\n1\n5\n6\n10\n11\n"


def table(shape, descr="<f4", code="<5f", numbers=ROWS):
    return npy(descr, shape, struct.pack(code, *numbers))


class Resize(Case):
    def resize(self, data, *arguments):
        (self.folder / "table.npy").write_bytes(data)
        return self.run_posenc("resize", "--file", "table.npy", *arguments)

    def expect_bad(self, data, message):
        before = self.names()
        result = self.resize(data, *GRID, "-o", "out.npy")
        self.assertEqual((result.returncode, result.stdout), (2, b""))
        self.assertEqual(result.stderr.decode(), f"posenc: table.npy: {message}\n")
        self.assertEqual(self.names(), sorted({*before, "table.npy"}))

    def test_reads_every_float(self):
        for descr, code in (("<f4", "<5f"), (">f4", ">5f"), ("<f8", "<5d"), ("<f2", "<5e")):
            result = self.resize(table("(5, 1)", descr, code), *GRID)
            self.assertEqual((result.returncode, result.stdout.decode()), (0, RESIZED), descr)

    def test_keeps_a_leading_axis_and_the_type(self):
        for shape, written in (("(5, 1)", "(7, 1)"), ("(1, 5, 1)", "(1, 7, 1)")):
            result = self.resize(table(shape, "<f2", "<5e"), *GRID, "-o", "out.npy")
            self.assertEqual((result.returncode, result.stderr), (0, b""))
            out = (self.folder / "out.npy").read_bytes()
            self.assertIn(b"'<f2'", out)
            self.assertIn(f"'shape': {written}".encode(), out)
            self.assertEqual(struct.unpack("<7e", out[-14:]), (9, 0, 1, 5, 6, 10, 11))
        self.assertIn('"values": [\n    [\n      [9]', self.resize(table("(1, 5, 1)"), *GRID, "--format", "json").stdout.decode())

    def test_refuses_other_axes(self):
        expected = "expected a learned table, [rows, width] or [1, rows, width] of floats, but got "
        self.expect_bad(table("(5,)"), expected + "[5] f32")
        self.expect_bad(table("(5, 1, 1)"), expected + "[5, 1, 1] f32")
        self.expect_bad(table("(1, 1, 5, 1)"), expected + "[1, 1, 5, 1] f32")
        self.expect_bad(table("(1, 1, 1, 5, 1)"), expected + "[1, 1, 1, 5, 1] f32")
        self.expect_bad(table("(5, 0)", code="<0f", numbers=()), expected + "[5, 0] f32")

    def test_refuses_other_types(self):
        self.expect_bad(table("(5, 1)", "<i8", "<5q", range(5)), "expected a learned table, [rows, width] or [1, rows, width] of floats, but got [5, 1] i64")

    def test_refuses_what_is_no_number(self):
        for bad, text in ((float("nan"), "nan"), (float("inf"), "inf"), (float("-inf"), "-inf")):
            numbers = (*ROWS[:3], bad, 0.0)
            self.expect_bad(table("(5, 1)", numbers=numbers), f"row 3, channel 0: expected a finite number but got {text}")
            self.expect_bad(table("(1, 5, 1)", numbers=numbers), f"row 3, channel 0: expected a finite number but got {text}")

    def test_leaves_the_table_alone_when_it_is_the_output(self):
        data = table("(5, 1)")
        result = self.resize(data, *GRID, "-o", "table.npy")
        self.assertEqual(result.returncode, 0)
        self.assertEqual(struct.unpack("<7f", (self.folder / "table.npy").read_bytes()[-28:]), (9, 0, 1, 5, 6, 10, 11))


if __name__ == "__main__":
    unittest.main()
