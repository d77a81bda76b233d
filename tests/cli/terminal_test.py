"""What posenc does on a terminal, and only there."""

import re
import time
import unittest

from command import Case, run_on_terminal, sanitized

ESCAPE = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
EXPLAIN = ("explain", "sinusoidal:width=4", "--positions", "1")
PLOT = ("plot", "heatmap", "sinusoidal:width=64", "--positions", "0:100")


class Binary(Case):
    def test_is_not_written_to_a_terminal(self):
        places = ((), ("-o", "-"), ("-o", "/dev/stdout"))
        for format, more in ((format, more) for format in ("npy", "safetensors") for more in places):
            code, shown, err = run_on_terminal("table", "sinusoidal:width=4", "-p", "0:4", "--format", format, *more)
            self.assertEqual(code, 2)
            self.assertEqual(shown, "")
            self.assertIn("terminal", err)
            self.assertIn("-o", err)

    def test_npy_is_written_to_a_pipe(self):
        done = self.run_posenc("table", "sinusoidal:width=4", "-p", "0:4", "--format", "npy")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(len(done.stdout), 128 + 4 * 4 * 4)


class Colours(Case):
    def colours(self, arguments, **changes):
        code, shown, err = run_on_terminal(*arguments, **changes)
        self.assertEqual((code, err), (0, ""))
        return ESCAPE.search(shown) is not None

    def test_are_shown_on_a_terminal(self):
        self.assertTrue(self.colours(EXPLAIN))
        self.assertTrue(self.colours(PLOT))

    def test_are_not_shown_elsewhere(self):
        for arguments in (EXPLAIN, PLOT):
            done = self.run_posenc(*arguments)
            self.assertEqual(done.returncode, 0)
            self.assertNotIn(b"\x1b", done.stdout)

    def test_follow_the_environment(self):
        for arguments in (EXPLAIN, PLOT):
            self.assertFalse(self.colours(arguments, NO_COLOR="1"))
            self.assertFalse(self.colours(arguments, TERM="dumb"))
            self.assertTrue(self.colours(arguments, NO_COLOR=""))

    def test_follow_the_option(self):
        for arguments in (EXPLAIN, PLOT):
            self.assertFalse(self.colours((*arguments, "--color", "never")))
            self.assertTrue(self.colours((*arguments, "--color", "always"), NO_COLOR="1"))
            done = self.run_posenc(*arguments, "--color", "always")
            self.assertIn(b"\x1b[", done.stdout)

    def test_are_as_many_as_the_terminal_has(self):
        _, shown, _ = run_on_terminal(*PLOT)
        self.assertIn("38;5;", shown)
        self.assertNotIn("38;2;", shown)
        _, shown, _ = run_on_terminal(*PLOT, COLORTERM="truecolor")
        self.assertIn("38;2;", shown)

    def test_end_with_each_line(self):
        _, shown, _ = run_on_terminal(*PLOT)
        for line in shown.splitlines():
            codes = ESCAPE.findall(line)
            self.assertTrue(not codes or codes[-1] == "\x1b[0m", repr(line))


class Size(Case):
    def test_a_plot_fits_the_terminal(self):
        for rows, columns in ((24, 80), (50, 132), (30, 45)):
            for spec, positions in (("sinusoidal:width=512", "0:5000"), ("sinusoidal:width=6", "2147480000:2147483647")):
                _, shown, _ = run_on_terminal("plot", "heatmap", spec, "-p", positions, rows=rows, columns=columns)
                lines = [ESCAPE.sub("", line) for line in shown.splitlines()]
                self.assertLess(len(lines), rows)
                # The heading and the legend may say more than fits a narrow terminal; the picture may not be wider.
                for line in lines[1:-1]:
                    self.assertLessEqual(len(line), columns, line)


class Progress(Case):
    def run_long_enough(self, run):
        """What `run` returns for a table that takes a second: work of less than half of one shows no progress anywhere."""
        positions, seconds = 1500 if sanitized() else 30000, 0.0
        while seconds < 1.0:
            start = time.monotonic()
            result = run("table", "sinusoidal:width=512", "-p", f"0:{positions}", "--format", "csv")
            seconds = time.monotonic() - start
            positions *= 3
        return result

    def test_is_shown_and_wiped_on_a_terminal(self):
        code, shown, _ = self.run_long_enough(lambda *words: run_on_terminal(*words, stdout=False))
        self.assertEqual(code, 0)
        self.assertRegex(shown, r"table \d+ %")
        self.assertTrue(shown.endswith("\r\x1b[K"), repr(shown[-40:]))

    def test_is_not_shown_elsewhere(self):
        done = self.run_long_enough(lambda *words: self.run_posenc(*words, "-o", "/dev/null"))
        self.assertEqual((done.returncode, done.stderr), (0, b""))


if __name__ == "__main__":
    unittest.main()
