"""posenc report and posenc lesson: where pages are written, and what is left if they cannot be written."""

import json
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

    def page(self, *arguments):
        done = self.report(*arguments, "-o", "-")
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertTrue(done.stdout.startswith(b"<!DOCTYPE html>") and done.stdout.endswith(b"</html>\n"))
        return done.stdout

    def refused(self, *arguments, says, command="report"):
        self.expect_refused(command, *arguments, message=says)

    def test_without_a_name_the_page_has_its_usual_one(self):
        done = self.report(SPEC)
        self.assertEqual((done.returncode, done.stdout), (0, b""), done.stderr)
        self.assertEqual(done.stderr, b"posenc: wrote posenc-report.html: open it in a browser\n")
        self.assertEqual(os.listdir(self.folder), ["posenc-report.html"])
        file = Path(self.folder, "posenc-report.html")
        self.assertEqual(file.read_bytes(), self.page(SPEC))
        self.assertEqual(self.report("none").returncode, 0)  # its own page is replaced
        self.assertEqual(file.read_bytes(), self.page("none"))

    def test_a_file_of_another_program_is_kept(self):
        file = Path(self.folder, "posenc-report.html")
        file.write_text("<!DOCTYPE html><html>mine</html>")
        self.refused(SPEC, says="'posenc-report.html' is there already, and posenc did not make it")
        self.assertIn("mine", file.read_text())
        self.assertEqual(self.report(SPEC, "--overwrite").returncode, 0)
        self.assertEqual(file.read_bytes(), self.page(SPEC))
        folder = Path(self.folder, "site")
        folder.mkdir()
        (folder / "index.html").write_text("mine")
        self.refused(SPEC, "-o", folder, says="index.html' is there already")
        self.assertEqual((folder / "index.html").read_text(), "mine")

    def test_a_folder_is_made_and_kept(self):
        folder = Path(self.folder, "new")
        done = self.report(SPEC, "-o", folder)
        self.assertEqual((done.returncode, done.stdout), (0, b""), done.stderr)
        self.assertEqual([p.name for p in folder.iterdir()], ["index.html"])
        (folder / "notes.txt").write_text("mine")
        self.assertEqual(self.report("none", "-o", folder).returncode, 0)
        self.assertEqual((folder / "index.html").read_bytes(), self.page("none"))
        self.assertEqual((folder / "notes.txt").read_text(), "mine")
        self.assertEqual(self.report(SPEC, "-o", str(folder) + "/").returncode, 0)
        self.assertEqual(self.report(SPEC, "-o", str(folder) + ".d/").returncode, 0)
        dotted = Path(self.folder, "pages.html")
        dotted.mkdir()
        self.assertEqual(self.report(SPEC, "-o", dotted).returncode, 0)
        self.assertTrue((dotted / "index.html").is_file())

    def test_a_file_by_its_name(self):
        page = Path(self.folder, "page.html")
        for _ in range(2):  # a file that -o names is replaced, as by every command
            page.write_text("old")
            self.assertEqual(self.report(SPEC, "-o", page).returncode, 0)
            self.assertEqual(page.read_bytes(), self.page(SPEC))

    def test_what_cannot_be_written_leaves_nothing(self):
        taken = Path(self.folder, "taken")
        taken.write_text("mine")
        self.refused(SPEC, "-o", taken, says="its name must end in .html; this is another file")
        self.assertEqual(taken.read_text(), "mine")
        for name, says in (("report1.pdf", "must end in .html; to get a PDF, print the page from a browser"),
                           ("report.png", "-o report.png: a page is HTML, so its name must end in .html"),
                           ("report.txt", "must end in .html"), ("no/such", "cannot make the folder"),
                           ("no/page.html", "cannot write 'no/page.html': there is no folder 'no'")):
            self.refused(SPEC, "-o", name, says=says)
        self.refused("rotary:head_dim=3", "-o", "bad", says="head_dim")
        self.refused("alibi:heads=99999999", "-o", "bad", says="heads")
        self.assertEqual(sorted(os.listdir(self.folder)), ["taken"])

    def test_an_interrupted_report_leaves_nothing(self):
        folder = Path(self.folder, "half")
        specs = ["sinusoidal:width=512", "rotary:head_dim=128", "t5:heads=8", "kerple:heads=8", "fire:heads=8"]
        process = self.start_posenc("report", *specs, "-o", folder)
        time.sleep(0.15)
        process.send_signal(signal.SIGINT)
        if process.wait(timeout=60) != 0:  # else it was done before the signal came
            self.assertEqual(os.listdir(self.folder), [])

    def test_options_that_exclude_each_other(self):
        self.refused(says="a report needs a SPEC, for example: posenc report sinusoidal:width=64")
        self.refused(SPEC, "--words", "a b", says="--words is an option of posenc lesson")
        self.refused(SPEC, "--target", "9", says="--target needs --advise")
        self.refused("none", SPEC, "--values", "1", says="learned numbers need exactly one SPEC, but there are 2")
        self.refused("alibi:heads=4", "--layer", "1", says="--layer is for models and for specs whose layers differ")
        self.refused("alibi:heads=4", "none", "--part", "text", says="--part is for models: all of these are")
        self.refused(SPEC, "--seed", "x", says="--seed must be a whole number")
        self.refused("--words", "one", says="2 to 24 words but has 1", command="lesson")
        self.assertEqual(os.listdir(self.folder), [])

    def test_the_lesson(self):
        done = self.run_posenc("lesson", "--words", "a b a")
        self.assertEqual((done.returncode, done.stdout), (0, b""))
        self.assertEqual(done.stderr, b"posenc: wrote posenc-lesson.html: open it in a browser\n")
        page = Path(self.folder, "posenc-lesson.html").read_bytes()
        self.assertIn(b"<code>posenc lesson --words &#39;a b a&#39;</code>", page)
        again = self.run_posenc("lesson", "--words", "a b a", "-o", "-")
        self.assertEqual((again.stdout, again.stderr), (page, b""))

    def test_the_layer_of_the_lesson_is_that_of_the_command(self):
        layer = json.loads(self.run_posenc("layer", "--seed", "3", "--format", "json").stdout)
        page = self.run_posenc("lesson", "--seed", "3", "-o", "-").stdout.decode()
        self.assertIn("<code>posenc layer --map layer.svg --seed 3</code>", page)
        spread = layer["spread_of_one_token"]
        self.assertIn(f"still {spread['encoded']:.2f} from each other", page)
        self.assertIn(f"and {spread['bare']:.2f} if it is x alone", page)
        largest = max(max(row) for row in layer["average_weights"][0])
        self.assertIn(f"averaged over 8 heads: up to {largest:.2f}", page)

    def test_the_lesson_by_its_former_name(self):
        done = self.report("--lesson", "--words", "a b a", "-o", "former.html")
        self.assertEqual(done.returncode, 0)
        self.assertIn(b"posenc: report --lesson is now called lesson; the old name goes away", done.stderr)
        self.assertIn(b"<code>posenc lesson --words &#39;a b a&#39;</code>", Path(self.folder, "former.html").read_bytes())
        self.refused("--lesson", SPEC, says="--lesson takes neither a SPEC nor --advise: use posenc lesson")
        self.refused("--lesson", "--layer", "1", says="--layer is for models")

    def test_the_same_command_gives_the_same_bytes(self):
        for words in ((SPEC, "none"), ("--advise", "--trained", "100")):
            self.assertEqual(self.page(*words), self.page(*words))


if __name__ == "__main__":
    unittest.main()
