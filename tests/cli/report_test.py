"""posenc report and posenc lesson: where pages are written, and what is left if they cannot be written."""

import json
import os
import re
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

    def test_a_token_without_positions_has_the_same_output_in_both_orders(self):
        for seed in ("0", "3", "7"):
            page = self.run_posenc("lesson", "--seed", seed, "--words", "I saw her duck", "-o", "-").stdout.decode()
            rows = re.findall("<td>none</td><td>([-0-9., ]+)</td><td>([-0-9., ]+)</td>", page)
            self.assertEqual(len(rows), 3)
            demo = self.run_posenc("demo", "permutation", "--words", "I saw her", "--permutation", "2,0,1", "--width",
                                   "4", "--heads", "1", "--seed", seed).stdout.decode()
            pairs = re.findall(r"^  \S+((?: +[-0-9.]+)+)   \|((?: +[-0-9.]+)+)$", demo, re.MULTILINE)
            self.assertEqual(len(pairs), 3)
            for first, second in rows + pairs:
                self.assertEqual(first.strip(), second.strip(), seed)

    def test_the_lesson_asks_about_equal_words_only_if_there_are_some(self):
        for words, equal in (("I saw her duck", False), ("a b a", True)):
            page = self.run_posenc("lesson", "--words", words, "-o", "-").stdout.decode().lower()
            self.assertEqual("equal words had equal rows" in page, equal)
            self.assertEqual("equal words have equal rows" in page, equal)
            self.assertIn("and now?", page)

    def test_the_numbers_of_a_model_are_not_made_up(self):
        table = "gpt2 has a learned table, which is in its weights: give the file as --file model.safetensors:TENSOR"
        self.refused("gpt2", says=table)
        self.refused("gpt2", says=table, command="layer")
        given = "t5-small has learned numbers, which are in its weights: give them as --parameter NAME=model.safetensors"
        for command in ("report", "layer"):
            self.refused("t5-small", "--part", "encoder", says=given, command=command)
        self.refused("t5-small", "--part", "encoder", says="or use untrained ones with posenc report t5:heads=8")
        self.refused("gpt2", SPEC, says="gpt2 has learned numbers, which are in its weights: give them to posenc report "
                                        "with this SPEC alone, or use untrained ones with "
                                        "learned:width=768,rows=1024,past_end=error in its place")
        self.assertIn(b"(untrained)", self.page("gpt2", "--init", "normal"))
        self.assertEqual(os.listdir(self.folder), [])

    def test_the_first_distance_of_the_last_bucket(self):
        for spec, first in (("t5:heads=2", 91), ("t5:heads=2,buckets=16,max_distance=20", 14),
                            ("t5:heads=2,direction=causal", 113), ("t5:heads=2,buckets=32,max_distance=9", 9),
                            ("t5:heads=2,buckets=4,max_distance=1000", 1)):
            page = self.page(spec).decode()
            self.assertEqual(re.findall("All distances from (.*?) on share the last bucket", page), [str(first)])
            self.assertEqual(re.findall("all from (.*?) on share the last", page), [str(first)])

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
