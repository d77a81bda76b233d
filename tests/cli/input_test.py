"""Positions and frequencies from files: whole ones, and broken ones that are refused by name."""

import struct
import unittest

from command import Case, npy

SPEC = "sinusoidal:width=4"


class Files(Case):
    def write(self, data, name="ids.npy"):
        (self.folder / name).write_bytes(data)

    def expect_same_rows(self, positions, spec=SPEC):
        from_file = self.run_posenc("table", spec, "-p", "@ids.npy", "--format", "csv")
        from_text = self.run_posenc("table", spec, "-p", positions, "--format", "csv")
        self.assertEqual((from_file.returncode, from_file.stderr), (0, b""))
        self.assertEqual(from_file.stdout, from_text.stdout)

    def test_give_what_text_gives(self):
        for descr, code in (("<i8", "<3q"), ("<i4", "<3i"), (">i8", ">3q"), (">i4", ">3i"), ("|u1", "3B"), ("<u2", "<3H")):
            self.write(npy(descr, "(3,)", struct.pack(code, 7, 0, 100)))
            self.expect_same_rows("7,0,100")
        for descr, code in (("<f8", "<2d"), (">f4", ">2f"), ("<f2", "<2e")):
            self.write(npy(descr, "(2,)", struct.pack(code, 0.5, -2)))
            self.expect_same_rows("0.5,-2")
        for version in (2, 3):
            self.write(npy("<i8", "(1,)", struct.pack("<q", 2147483647), version=version))
            self.expect_same_rows("2147483647")

    def test_give_frequencies(self):
        self.write(npy("<f8", "(2,)", struct.pack("<2d", 1, 0.25)), "w.npy")
        given = self.run_posenc("table", "sinusoidal:width=4,inv_freq=@w.npy", "-p", "3", "--format", "csv")
        listed = self.run_posenc("table", "sinusoidal:width=4,inv_freq=1/0.25", "-p", "3", "--format", "csv")
        self.assertEqual((given.returncode, given.stdout), (0, listed.stdout))

    def expect_bad_table(self, data, message):
        self.write(data, "wpe.npy")
        self.write(npy("<f4", "(1, 2)", struct.pack("<2f", 1, 2)), "x.npy")
        spec = "learned:past_end=error"
        self.expect_refused("table", spec, "--file", "wpe.npy", "-p", "0", "-o", "out.npy", message=message)
        self.expect_refused("add", spec, "--file", "wpe.npy", "--input", "x.npy", "-o", "out.npy", message=message)
        self.assertFalse((self.folder / "out.npy").exists())

    def test_of_learned_tables_that_are_none(self):
        numbers = struct.pack("<6f", 1, 2, 3, float("nan"), 5, 6)
        self.expect_bad_table(npy("<f4", "(3, 2)", numbers), "wpe.npy: row 1, channel 1: expected a finite number")
        numbers = struct.pack("<6f", 1, 2, 3, 4, float("-inf"), 6)
        self.expect_bad_table(npy("<f4", "(3, 2)", numbers), "wpe.npy: row 2, channel 0: expected a finite number")
        self.expect_bad_table(npy("<f4", "(6,)", numbers), "[1, rows, width] of floats, but got [6] f32")
        self.expect_bad_table(npy("<f4", "(0, 2)", b""), "[1, rows, width] of floats, but got [0, 2] f32")
        self.expect_bad_table(npy("<i4", "(3, 2)", numbers), "[1, rows, width] of floats, but got [3, 2] i32")

    def test_of_learned_tables_with_an_axis_of_one_in_front(self):
        self.write(npy("<f4", "(1, 3, 2)", struct.pack("<6f", 1, 2, 3, 4, 5, 6)), "wpe.npy")
        result = self.run_posenc("table", "learned:past_end=error", "--file", "wpe.npy", "-p", "2", "--format", "csv")
        self.assertEqual((result.returncode, result.stdout), (0, b"position,0,1\n2,5,6\n"))

    def expect_bad(self, data, message):
        self.write(data)
        for output in ((), ("-o", "table.npy")):
            self.expect_refused("table", SPEC, "-p", "@ids.npy", *output, message="ids.npy")
            self.expect_refused("table", SPEC, "-p", "@ids.npy", *output, message=message)

    def test_that_are_truncated(self):
        whole = npy("<i8", "(3,)", struct.pack("<3q", 1, 2, 3))
        for length in (0, 3, 6, 9, 30, len(whole) - 1):
            self.expect_bad(whole[:length], "ids.npy")
        self.expect_bad(whole[:-8], "")
        self.expect_bad(whole + b"x", "")

    def test_with_a_header_that_is_too_long(self):
        self.expect_bad(npy("<i8", "(1,)", b"", version=2, header_size=0xFFFFFFFF), "header")
        self.expect_bad(npy("<i8", "(1,)", b"", header_size=0xFFFF), "header")

    def test_of_a_size_that_cannot_be(self):
        self.expect_bad(npy("<i8", "(1000000000000,)", b"\0" * 8), "")
        self.expect_bad(npy("<i8", "(4611686018427387904, 4)", b"\0" * 8), "")
        self.expect_bad(npy("<i8", "(-1,)", b""), "")

    def test_of_another_type(self):
        self.expect_bad(npy("<c8", "(1,)", b"\0" * 8), "c8")
        self.expect_bad(npy("|O", "(1,)", b"\0" * 8), "O")
        self.expect_bad(npy("<U3", "(1,)", b"\0" * 12), "U3")
        self.expect_bad(b"0 1 2\n", "")

    def test_of_another_shape(self):
        self.expect_bad(npy("<i8", "()", b"\0" * 8), "got shape []")
        self.expect_bad(npy("<i8", "(0,)", b""), "got shape [0]")
        self.expect_bad(npy("<i8", "(1, 1, 1)", b"\0" * 8), "got shape [1, 1, 1]")
        self.write(npy("<i8", "(1, 2)", b"\0" * 16))
        self.expect_refused("table", SPEC, "-p", "@ids.npy", message="'@ids.npy' has positions on 2 axes but sinusoidal takes 1")

    def test_with_numbers_that_are_no_positions(self):
        self.expect_bad(npy("<i8", "(1,)", struct.pack("<q", 2147483648)), "but got 2147483648")
        self.expect_bad(npy("<f8", "(1,)", struct.pack("<d", float("nan"))), "but got nan")
        self.expect_bad(npy("<f8", "(1,)", struct.pack("<d", float("-inf"))), "but got -inf")
        self.expect_bad(npy("<u8", "(1,)", b"\xff" * 8), "")

    def test_that_are_folders_or_missing(self):
        (self.folder / "folder").mkdir()
        self.expect_refused("table", SPEC, "-p", "@folder", message="folder: Is a directory")
        self.expect_refused("table", SPEC, "-p", "@none.npy", message="none.npy: No such file or directory")
        self.expect_refused("table", "folder", "-p", "1", message="folder: Is a directory")

    def test_of_frequencies_that_do_not_fit(self):
        self.write(npy("<f8", "(3,)", struct.pack("<3d", 1, 2, 3)), "w.npy")
        self.expect_refused("table", "sinusoidal:width=4,inv_freq=@w.npy", "-p", "1", message="2, but has 3")
        self.write(npy("<f8", "(2,)", struct.pack("<2d", 1, float("inf"))), "w.npy")
        self.expect_refused("table", "sinusoidal:width=4,inv_freq=@w.npy", "-p", "1", message="finite but got inf")


if __name__ == "__main__":
    unittest.main()
