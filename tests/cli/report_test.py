"""posenc report: where pages go, and what is left where they cannot."""

import os
import signal
import time
import unittest
from pathlib import Path

from command import Case

SPEC = "alibi:heads=2"


class Report(Case):
    def report(self, *arguments, **options):
        return self.run_posenc("report", *arguments, **options)

    def refused(self, *arguments, says):
        self.expect_refused("report", *arguments, message=says)

    def test_a_folder_is_made_and_kept(self):
        folder = Path(self.folder, "new")
        done = self.report(SPEC, "-o", folder)
        self.assertEqual((done.returncode, done.stdout), (0, b""), done.stderr)
        self.assertEqual([p.name for p in folder.iterdir()], ["index.html"])
        page = (folder / "index.html").read_bytes()
        self.assertTrue(page.startswith(b"<!DOCTYPE html>") and page.endswith(b"</html>\n"))
        self.refused(SPEC, "-o", folder, says="is not empty: --overwrite")
        self.assertEqual((folder / "index.html").read_bytes(), page)
        (folder / "notes.txt").write_text("mine")
        self.assertEqual(self.report("none", "-o", folder, "--overwrite").returncode, 0)
        self.assertNotEqual((folder / "index.html").read_bytes(), page)
        self.assertEqual((folder / "notes.txt").read_text(), "mine")

    def test_an_empty_folder_and_a_file_by_its_name(self):
        empty = Path(self.folder, "empty")
        empty.mkdir()
        self.assertEqual(self.report(SPEC, "-o", empty).returncode, 0)
        page = Path(self.folder, "page.html")
        self.assertEqual(self.report(SPEC, "-o", page).returncode, 0)
        self.assertEqual(page.read_bytes(), (empty / "index.html").read_bytes())
        self.assertEqual(self.report(SPEC).stdout, page.read_bytes())

    def test_what_cannot_be_written_leaves_nothing(self):
        taken = Path(self.folder, "taken")
        taken.write_text("mine")
        self.refused(SPEC, "-o", taken, says="is a file")
        self.assertEqual(taken.read_text(), "mine")
        missing = Path(self.folder, "no", "such")
        self.refused(SPEC, "-o", missing, says="cannot make the folder")
        self.refused(SPEC, "-o", missing / "page.html", says="page.html")
        self.refused("rotary:head_dim=3", "-o", Path(self.folder, "bad"), says="head_dim")
        self.refused("alibi:heads=99999999", "-o", Path(self.folder, "bad"), says="heads")
        self.assertEqual(sorted(os.listdir(self.folder)), ["taken"])

    def test_an_interrupted_report_leaves_nothing(self):
        folder = Path(self.folder, "half")
        specs = ["sinusoidal:width=512", "rotary:head_dim=128", "t5:heads=8", "kerple:heads=8", "fire:heads=8"]
        process = self.start_posenc("report", *specs, "-o", folder)
        time.sleep(0.15)
        process.send_signal(signal.SIGINT)
        if process.wait(timeout=60) != 0:  # else it was done before the signal came
            self.assertEqual(os.listdir(self.folder), [])

    def test_options_that_do_not_go_together(self):
        self.refused(says="a SPEC is needed, or --lesson, or --advise")
        self.refused("--lesson", SPEC, says="takes neither a SPEC")
        self.refused(SPEC, "--sentence", "a b", says="goes with --lesson")
        self.refused(SPEC, "--infer", "9", says="goes with --advise")
        self.refused("--lesson", "--sentence", "one", says="2 to 24 words but has 1")
        self.refused("none", SPEC, "--values", "1", says="for one SPEC")
        self.refused("alibi:heads=4", "--layer", "1", says="--layer is for models and for specs whose layers differ")
        self.refused("alibi:heads=4", "none", "--part", "text", says="--part is for models: all of these are")
        self.refused("--lesson", "--layer", "1", says="--layer is for models")
        self.refused(SPEC, "--random-seed", "x", says="--random-seed must be a whole number")

    def test_the_same_command_gives_the_same_bytes(self):
        for words in ((SPEC, "none"), ("--lesson", "--sentence", "a b a"), ("--advise", "--train", "100")):
            self.assertEqual(self.report(*words).stdout, self.report(*words).stdout)


if __name__ == "__main__":
    unittest.main()
